"""A long trace takes memory for its requests alone, and the same comes out as of pieces."""

import io

import numpy as np
import pytest

from flashwear import _memory, traces
from flashwear.traces import _tracefile
from memory import Traced
from traces.test_traces import same

REQUESTS = 200_000
MOST_BYTES = 55  # a request: 25 are kept, arrays that grow are larger, and runs are found beside


@pytest.fixture(scope="module")
def log():
    rng = np.random.default_rng(7)
    places = rng.integers(0, 2**30, REQUESTS).tolist()
    sizes = rng.integers(1, 40_000, REQUESTS).tolist()
    kinds = rng.choice(["Read", "Write"], REQUESTS).tolist()
    rows = enumerate(zip(kinds, places, sizes, strict=True))
    lines = (f"{128166372003061629 + n},hm,1,{k},{o},{s},4\n" for n, (k, o, s) in rows)
    return "".join(lines).encode()


def read(log):
    return traces.read_msr(io.BytesIO(log))


@pytest.mark.parametrize("piece", [1, 1000, 4097])
def test_pieces_give_what_the_whole_gives(monkeypatch, log, piece):
    log = log[: log.index(b"\n", 50 * 3000) + 1] if piece > 1 else log[: log.index(b"\n", 9000) + 1]
    whole = read(log)
    monkeypatch.setattr(_tracefile, "_PIECE", piece)
    assert same(read(log), whole)
    small = whole.compact()
    monkeypatch.undo()
    assert same(small, whole.compact())


def test_without_a_copy_the_records_of_the_trace_itself_are_renumbered(log):
    trace, other = read(log[:5000].rpartition(b"\n")[0]), read(log[:5000].rpartition(b"\n")[0])
    small = trace.compact()
    assert same(trace, other)
    moved = other.compact(copy=False)
    assert same(moved, small)
    assert moved.records is other.records
    assert not moved.records.flags.writeable


def test_a_request_takes_few_bytes_and_reading_ends_before_memory_does(monkeypatch, log):
    monkeypatch.setattr(_tracefile, "_PIECE", 2**13)
    source = io.BytesIO(log)
    read(log[:5000])  # what is loaded once
    with Traced() as memory:
        traces.read_msr(source).compact(copy=False)
    assert (memory.peak - 4 * 2**20) / REQUESTS < MOST_BYTES  # blocks of lines are of 1 MiB
    monkeypatch.setattr(_tracefile, "_PIECE", 2**13)
    monkeypatch.setattr(_memory, "available", lambda: 25.0 * 50_000)
    with pytest.raises(MemoryError, match=r"^a trace of [5-9][0-9],[0-9]{3} requests or more must"):
        read(log)
