"""Blocks of lines at once give what the lines give one by one."""

import gzip
import io
import random

import numpy as np
import pandas as pd
import pyarrow
import pytest

from flashwear import traces
from flashwear.traces import _tracefile, from_frame
from refusals import refusals
from traces.test_traces import same as same_trace

READERS = {name: getattr(traces, f"read_{name}") for name in ("msr", "blkparse", "fio", "alibaba")}


def line(kind, rng):
    offset, size, time = rng.randrange(2**40), rng.randrange(2**20), rng.randrange(10**17)
    size *= rng.random() > 0.1
    if kind == "msr":
        host, what = rng.choice(["hm", "hm", "usr"]), rng.choice(["Read", "Write"])
        return f"{time},{host},{rng.randrange(2)},{what},{offset},{size},{rng.randrange(999)}"
    if kind == "alibaba":
        return f"{rng.choice([419, 419, 7])},{rng.choice('RW')},{offset},{size},{time}"
    if kind == "fio":
        action = rng.choice(["read", "write", "trim"])
        return f"{time} {rng.choice(['/a', '/b'])} {action} {offset} {size}"
    action = rng.choice("QQQGIDC")
    flags = rng.choice(["W", "WS", "R", "RA", "D", "FWS", "FN", "N"])
    tail = "[jbd2]" if "N" in flags else f"{offset // 512} + {size} [dd]"
    return (f"  8,{rng.choice([0, 0, 16])}    3 {rng.randrange(99)} {rng.randrange(10**6):6}."
            f"{rng.randrange(10**9):09}  697  {action}  {flags} {tail}")  # fmt: skip


def spoil(text, rng):
    """Return a line changed in one place: many are still in order, in another form."""
    at = rng.randrange(len(text) + 1)
    piece = rng.choice(
        ["", " ", "\t", "0", "0x", "-", "+", "9" * 20, ",", '"', "é", "\r", "1e3", ".", "_"]
    )
    return text[:at] + piece + text[at + rng.randrange(2) :]


def same(one, other):
    if isinstance(one, str) or isinstance(other, str):
        assert one == other
    else:
        assert same_trace(one, other)


def result(reader, text, **options):
    try:
        return reader(io.BytesIO(text), **options)
    except ValueError as error:
        return str(error)


def both(monkeypatch, kind, text, **options):
    """Return what a reader gives line by line, and in blocks of many sizes."""
    reader, found = READERS[kind], []
    for block, small in ((2**19, 2**30), (2**19, 2**13), (4096, 64), (700, 64)):
        monkeypatch.setattr(_tracefile, "_BLOCK", block)
        monkeypatch.setattr(_tracefile, "_SMALL", small)
        found.append(result(reader, text, **options))
    return found


@pytest.mark.parametrize("kind", READERS)
@pytest.mark.parametrize("spoilt", [0.0, 0.02, 0.3])
def test_blocks_and_lines_give_the_same(kind, spoilt, monkeypatch):
    for seed in range(12):
        rng = random.Random(f"{kind} {spoilt} {seed}")
        lines = [line(kind, rng) for _ in range(150)]
        lines = [spoil(text, rng) if rng.random() < spoilt else text for text in lines]
        lines = ["fio version 3 iolog"] * (kind == "fio") + lines
        text = "\n".join(lines + [""] * rng.randrange(2)).encode()
        slow, *fast = both(monkeypatch, kind, text)
        for found in fast:
            same(found, slow)


@pytest.mark.parametrize("kind", READERS)
@pytest.mark.parametrize("option", ["max_lines", "max_requests", "max_bytes"])
def test_limits_are_met_at_the_same_line(kind, option, monkeypatch):
    rng = random.Random(1)
    head = ["fio version 3 iolog"] * (kind == "fio")
    text = "\n".join([*head, *(line(kind, rng) for _ in range(100)), ""]).encode()
    for limit in (1, 37, 99, 2500):
        slow, *fast = both(monkeypatch, kind, text, **{option: limit})
        for found in fast:
            same(found, slow)


@pytest.mark.parametrize("kind", ["msr", "fio", "alibaba"])
def test_most_of_a_clean_trace_is_read_at_once(kind, monkeypatch):
    rng = random.Random(2)
    head = ["fio version 3 iolog"] * (kind == "fio")
    lines = [*head, *(line(kind, rng) for _ in range(20_000)), ""]
    singly = []
    real = _tracefile._Reader._line
    monkeypatch.setattr(
        _tracefile._Reader, "_line", lambda self, text: singly.append(1) or real(self, text)
    )
    trace = READERS[kind](io.BytesIO(gzip.compress("\n".join(lines).encode())))
    assert trace.lines == len(lines) - 1
    assert len(singly) < 1_000


def test_without_arrow_lines_are_read_one_by_one(monkeypatch):
    monkeypatch.setattr("flashwear.traces._bulk.find_spec", lambda name: None)
    rng = random.Random(3)
    text = "\n".join(line("msr", rng) for _ in range(2_000)).encode()
    assert traces.read_msr(io.BytesIO(text)).lines == 2_000


TABLE = pd.DataFrame({
    "op": ["W", "r", "Trim", "write"], "lba": [8, 0, 16, 4], "n": [8, 8, 16, 0], "at": [5, 6, 8, 9],
})  # fmt: skip
NAMES = {"operation": "op", "offset": "lba", "size": "n", "time": "at"}


def test_tables_give_what_logs_of_the_same_requests_give():
    log = b"fio version 3 iolog\n5 a write 4096 4096\n6 a read 0 4096\n"
    log += b"8 a trim 8192 8192\n9 a write 2048 0\n"
    trace = from_frame(TABLE, NAMES, unit_bytes=512, ticks_per_second=1e6)
    expected = traces.read_fio(io.BytesIO(log))
    np.testing.assert_array_equal(trace.records, expected.records)
    np.testing.assert_allclose(trace.time_s, expected.time_s)
    assert trace.bytes_written == expected.bytes_written
    assert trace.skipped == {"no data": 1}
    untimed = {key: name for key, name in NAMES.items() if key != "time"}
    of_arrow = pyarrow.Table.from_pandas(TABLE)
    again = from_frame(of_arrow, NAMES, unit_bytes=512, ticks_per_second=1e6)
    assert again.records.tolist() == trace.records.tolist()
    assert np.isnan(from_frame(TABLE.drop(columns="at"), untimed, unit_bytes=512).time_s).all()
    dates = pd.to_datetime(["2024-01-01 00:00:05", "2024-01-01 00:00:06"] * 2)
    trace = from_frame(TABLE.assign(at=dates, n=8), NAMES, unit_bytes=512)
    assert trace.time_s.tolist() == [0.0, 1.0, 0.0, 1.0]
    with pytest.raises(TypeError, match="must be a table of pandas, polars or pyarrow, got dict"):
        from_frame({"operation": ["w"]})
    table = pd.DataFrame({"operation": [1, 0], "offset": [0, 4096], "size": [4096, 4096]})
    trace = from_frame(table, operations={1: "write", 0: "read"})
    assert trace.bytes_written == trace.bytes_read == 4096
    table = pd.DataFrame({"operation": ["w"], "offset": [2**60 + 4096], "size": [4096]})
    assert from_frame(table).records["page"].tolist() == [2**48 + 1]


test_a_table_that_holds_no_requests_is_refused = refusals([
    ({"columns": {}}, "frame must have a column 'operation' for operation"),
    ({"columns": NAMES | {"time": "when"}}, "frame must have a column 'when' for time"),
    ({"columns": NAMES | {"process": "x"}}, "columns must name operation, offset, size, time"),
    ({"frame": TABLE[:0]}, "frame must hold a row, got none"),
    ({"frame": TABLE.assign(op="flush")}, "operation must be one of .* got 'flush' in row 0"),
    ({"frame": TABLE.assign(lba=[0, -1, 2, 3])}, "offset must be .* >= 0, got -1 at index 1"),
    ({"frame": TABLE.assign(n=[0, 1.5, 2, 3])}, "size must be whole numbers .* got 1.5 in row 1"),
    ({"frame": TABLE.assign(n=[0, np.nan, 2, 3])}, "size must be .* got nan at index 1"),
    ({"frame": TABLE.assign(lba=2**55)}, r"offset must be whole numbers below 2\*\*63 bytes"),
    ({"frame": TABLE.assign(lba=2**54 - 1)}, r"requests must end below 2\*\*63 bytes"),
    ({"frame": TABLE.assign(lba=list("abcd"))}, "offset must be a finite number"),
    ({"operations": {"W": "store"}}, "operations must stand for read, write, trim, got 'store'"),
    ({"unit_bytes": 0}, "unit_bytes must be a whole number >= 1"),
    ({"ticks_per_second": 0}, "ticks_per_second must be .* > 0"),
    ({"frame": TABLE.set_axis(["op", "lba", "n", "n"], axis=1)}, "name each column once"),
    ({"frame": TABLE.assign(n=0, lba=np.uint64(2**63)), "unit_bytes": 1}, "offset must be whole"),
    ({"page_bytes": 0}, "page_bytes must be a whole number >= 1"),
], by=lambda change: from_frame(
    **{"frame": TABLE, "columns": NAMES, "unit_bytes": 512} | change))  # fmt: skip
