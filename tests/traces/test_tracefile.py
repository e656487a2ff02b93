import gzip
import io
import itertools
import re
from pathlib import Path

import pytest

from flashwear.traces import _tracefile, read_blkparse, read_fio, read_msr
from memory import Traced

FOLDER = Path(__file__).parent / "fixtures"
READERS = [read_msr, read_blkparse, read_fio]
FILES = [(read_msr, FOLDER / "msr.csv"), (read_blkparse, FOLDER / "blkparse.txt"),
         (read_fio, FOLDER / "fio2.log"), (read_fio, FOLDER / "fio3.log")]  # fmt: skip
GOOD = {read_msr: b"1,hm,0,Write,0,4096,1\n",
        read_blkparse: b"8,0 0 1 0.000000000 1 Q W 0 + 8 [dd]\n",
        read_fio: b"fio version 2 iolog\nsda write 0 4096\n"}  # fmt: skip
FORMATS = {read_msr: "the MSR Cambridge CSV format", read_blkparse: "the text of blkparse",
           read_fio: "an I/O log of fio"}  # fmt: skip


@pytest.mark.parametrize(("reader", "path"), FILES)
def test_strict_raises_at_the_first_malformed_line(reader, path):
    first = reader(path).errors[0]
    with pytest.raises(ValueError, match=f"^{re.escape(first)}$"):
        reader(path, strict=True)


@pytest.mark.parametrize("reader", READERS)
def test_an_empty_file_a_broken_gzip_file_and_another_format_are_refused(reader):
    for content in (b"", gzip.compress(b"", mtime=0)):
        with pytest.raises(ValueError, match="must hold at least one line, got an empty file"):
            reader(io.BytesIO(content))
    packed = gzip.compress(GOOD[reader] * 1000)
    wrong_sum = packed[:-8] + bytes(4) + packed[-4:]
    junk_inside = packed[:20] + b"\xff" * 20 + packed[40:]
    for content in (packed[:-9], packed[:5], b"\x1f\x8b", wrong_sum, junk_inside, packed + b"x"):
        with pytest.raises(ValueError, match=r"the trace is no whole gzip file: .*, after line"):
            reader(io.BytesIO(content))
    head = GOOD[reader].splitlines(keepends=True)[0] if reader is read_fio else b""
    message = f"a line of {FORMATS[reader]}, got 1 blank and 3 malformed lines, the first in line"
    with pytest.raises(ValueError, match=message):
        reader(io.BytesIO(head + b"Model,Hours\nOne,12\n\nTwo,13\n"))
    if reader is not read_fio:
        message = f"a line of {FORMATS[reader]}, got 3 blank and 0 malformed lines$"
        with pytest.raises(ValueError, match=message):
            reader(io.BytesIO(b"\n \n\n"))


@pytest.mark.parametrize("reader", READERS)
def test_blank_and_malformed_lines_are_bounded(reader, monkeypatch):
    # only the first errors are kept, and all are counted
    trace = reader(io.BytesIO(GOOD[reader] + b"\x00\xfe,,\n" * 1000))
    assert (trace.malformed, len(trace.errors), trace.records.size) == (1000, 20, 1)
    assert all(error.isascii() and error.isprintable() for error in trace.errors)
    monkeypatch.setattr(_tracefile, "_MOST_USELESS", 100)
    for useless in (b"\n", b"x\n"):
        assert reader(io.BytesIO(GOOD[reader] + 100 * useless)).records.size == 1
        content = gzip.compress(GOOD[reader] + 2**20 * useless)
        with pytest.raises(ValueError, match="at most 100 blank or malformed lines, got more up"):
            reader(io.BytesIO(content))


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("packed", [False, True])
def test_a_line_without_end_takes_no_memory(reader, packed):
    class Endless(io.RawIOBase):
        """Good lines around one of 64 MB."""

        def __init__(self):
            piece, good = b"1" * 2**20, GOOD[reader].splitlines(keepends=True)
            self._pieces = itertools.chain(
                [GOOD[reader]], itertools.repeat(piece, 64), [b"\n", good[-1]]
            )

        def read(self, size=-1):
            self._left = getattr(self, "_left", b"") or next(self._pieces, b"")
            given, self._left = self._left[:size], self._left[size:]
            return given

    source = Endless()
    if packed:
        source = io.BytesIO(gzip.compress(GOOD[reader] + b"1" * 2**26 + b"\n"))
    pytest.importorskip("pyarrow.csv")  # which takes memory when it is first used
    with Traced() as memory:
        trace = reader(source)
    assert memory.peak < 2**23
    assert trace.malformed == 1
    assert trace.records.size == (1 if packed else 2)
    assert "a line must have at most 4096 bytes" in trace.errors[0]


def test_the_longest_line_allowed_is_read():
    line = GOOD[read_blkparse].rstrip(b"]\n")
    for size, malformed in ((4096, 0), (4097, 1), (4098, 1), (8194, 1), (8195, 1)):
        trace = read_blkparse(io.BytesIO(line.ljust(size - 2, b"d") + b"]\n" + line))
        assert (trace.lines, trace.malformed, trace.records.size) == (2, malformed, 2 - malformed)


@pytest.mark.parametrize("reader", READERS)
def test_a_trace_beyond_the_limits_is_refused_and_not_cut(reader):
    good = GOOD[reader] + GOOD[reader].splitlines(keepends=True)[-1]
    assert reader(io.BytesIO(good), max_requests=2, max_bytes=len(good)).records.size == 2
    blank = GOOD[reader] + b"\n"
    lines = blank.count(b"\n")
    assert reader(io.BytesIO(blank), max_lines=lines).lines == lines
    fewer = len(good) - 1
    for content, name, value, message in (
        (blank, "max_lines", lines - 1, f"must be at least the .*, got {lines - 1}$"),
        (good, "max_requests", 1, "must be at least .* got 1, reached in line"),
        (good, "max_bytes", fewer, f"must be at least .* got {fewer},"),
        (gzip.compress(good), "max_bytes", fewer, f"must be at least .* got {fewer},"),
        *((good, name, value, f"must be a whole number .* got {value}") for name, value in (
            ("page_bytes", 0), ("page_bytes", 2**30 + 1), ("max_requests", 0), ("max_bytes", -1),
            ("max_lines", 0))),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=f"{name} {message}"):
            reader(io.BytesIO(content), **{name: value})


@pytest.mark.parametrize("source", [7, None, b"trace", io.StringIO("text")])
def test_only_a_path_or_a_binary_file_is_read(source):
    with pytest.raises(ValueError, match="source must be"):
        read_msr(source)
