import gzip
import io

import numpy as np
import pytest
from hypothesis import given, strategies as st

from flashwear.traces import read_blkparse, read_columns, read_fio, read_msr
from flashwear.workloads import OPERATION_SHIFT, PAGE_MASK, READ, RECORD, TRIM, WRITE, Replay
from refusals import refusals
from test_fio import RECORDED, TRUTH
from traces.test_tracefile import FILES, FOLDER, GOOD, READERS


def same(one, other):
    arrays = "records", "time_s"
    for name in arrays:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    left, right = ({k: v for k, v in vars(t).items() if k not in arrays} for t in (one, other))
    return left == right


# What the files of the fixtures hold, worked out by hand


def test_the_msr_file_is_read():
    trace = read_msr(FOLDER / "msr.csv")
    assert trace.records.dtype == RECORD
    # 8192 + 8192: pages 2, 3; 4608 + 512: page 1; 1000 + 4096 ends in page 1; 12289: 4 pages
    assert trace.records.tolist() == [(WRITE, 2, 2), (READ, 1, 1), (WRITE, 0, 2), (READ, 0, 4)]
    assert trace.time_s.tolist() == [0, 1, -1e-7, 4]
    assert (trace.bytes_written, trace.bytes_read, trace.bytes_trimmed) == (12288, 12801, 0)
    assert trace.partial_writes == 1
    assert trace.lines == 14
    assert trace.skipped == {"header": 1, "other volume": 1, "blank": 1, "no data": 1}
    assert trace.malformed == 6
    assert trace.errors == (
        'line 8: Type must be "Read" or "Write", got \'Writ\'',
        "line 9: Offset must be a whole number >= 0 and < 2**63, got '-4096'",
        "line 10: the request must end below 2**63 bytes, got 9223372036854775807 + 4096",
        "line 11: Offset must be a whole number >= 0 and < 2**63, got '92233720368547758070'",
        "line 12: Offset must be a whole number >= 0 and < 2**63, got '4_096'",
        "line 13: expected 7 fields, got 6",
    )
    assert trace.user_pages == 4
    assert trace.report() == (
        "4 requests in 14 lines: 2 writes of 12288 bytes, 0 trims of 0 bytes, 2 reads of "
        "12801 bytes. Writes that do not fill whole pages of 4096 bytes: 1. Skipped: 1 blank, "
        "1 header, 1 no data, 1 other volume. Malformed: 6, the first in line 8: Type must be "
        '"Read" or "Write", got \'Writ\'.'
    )


def test_the_blkparse_file_is_read():
    trace = read_blkparse(FOLDER / "blkparse.txt")
    assert trace.records.tolist() == [
        (WRITE, 27936, 1),  # 223488 / 8
        (WRITE, 2, 1),  # one sector of page 2
        (READ, 0, 2),  # sectors 7 and 8
        (TRIM, 2, 2),  # 15 to 32: covers 16 to 31
        (WRITE, 1, 2),
    ]
    assert trace.time_s.tolist() == [0, 0.5, 1, 2, 4.25]
    sectors = (trace.bytes_written / 512, trace.bytes_read / 512, trace.bytes_trimmed / 512)
    assert sectors == (8 + 1 + 16, 2, 18 + 7)
    assert trace.partial_writes == 1
    assert trace.lines == 31
    assert trace.skipped == {"action G": 1, "action P": 1, "action A": 1, "action C": 1,
                             "action m": 1, "action U": 1, "action UT": 1, "no data": 2,
                             "trim of no whole page": 1, "other volume": 1, "summary": 6,
                             "blank": 1}  # fmt: skip
    places = [error.split(":")[0] for error in trace.errors]
    assert places == [f"line {n}" for n in (1, 17, 18, 19, 20, 21, 22, 23)]
    assert trace.malformed == 8


def test_events_of_a_kernel_are_the_bytes_that_it_counted_of_any_action():
    trace = read_blkparse(RECORDED / "blkparse.txt")
    found = {"read": trace.bytes_read, "written": trace.bytes_written,
             "discarded": trace.bytes_trimmed}  # fmt: skip
    assert found == TRUTH["blkparse"]
    assert trace.malformed == 0
    assert read_blkparse(RECORDED / "blkparse.txt", action="C").bytes_written == found["written"]
    event = GOOD[read_blkparse]
    trace = read_blkparse(io.BytesIO(event + b"Total (8,0):\n Reads Queued: 0\n" + event))
    assert (trace.records.size, trace.skipped) == (2, {"summary": 2})
    trace = read_blkparse(FOLDER / "blkparse.txt", action="C")
    assert trace.records.tolist() == [(WRITE, 27936, 1)]
    assert trace.skipped["action Q"] == 14
    with pytest.raises(ValueError, match='action must be "Q", "G", "I", "D" or "C", got \'P\''):
        read_blkparse(FOLDER / "blkparse.txt", action="P")


# Public forms as published: systor'17, SPC, MQSim and biosnoop
FORMS = [
    ("Timestamp,Response,IOType,LUN,Offset,Size\n1456.5,0.1,W,2,8192,4096\n1458,0.1,R,2,0,512\n",
     {"time": 0, "op": 2, "volume": 3, "offset": 4, "size": 5}, {}),
    ("0,16,4096,W,0.5\n0,0,512,r,2.0\n", {"offset": 1, "size": 2, "op": 3, "time": 4},
     {"unit_bytes": (512, 1)}),
    ("4000000000 0 16 8 0\n5500000000 0 0 1 1\n", {"offset": 2, "size": 3, "op": 4},
     {"unit_bytes": 512, "operations": {"0": "write", "1": "read"}}),
    ("TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms)\n0.5 fio 9 sda W 16 4096 0.2\n"
     "2.0 fio 9 sda R 0 512 0.1\n", {"time": 0, "op": 4, "offset": 5, "size": 6},
     {"unit_bytes": (512, 1)}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "columns", "more"), FORMS)
def test_columns_that_are_named_are_read(text, columns, more):
    trace = read_columns(io.BytesIO(text.encode()), columns, **more)
    assert trace.records.tolist() == [(WRITE, 2, 1), (READ, 0, 1)]
    assert (trace.bytes_written, trace.bytes_read, trace.malformed) == (4096, 512, 0)
    assert trace.skipped == ({"header": 1} if text[0] == "T" else {})
    assert trace.time_s.tolist() == [0, 1.5] or "time" not in columns


PLACES = {"op": 0, "offset": 1, "size": 2}


@pytest.mark.parametrize(("line", "told"), [
    ("w,0", "expected 3 columns or more, got 2"),
    ("erase,0,8", "op must be one of read, r, write, w, trim, t, discard, d, got 'erase'"),
    ("w,-1,8", "offset must be a whole number"),
    ("w,9223372036854775807,8", "the request must end below 2\\*\\*63 bytes"),
    ("w,0,8,soon", "time must be a number, got 'soon'"),
    ("w,0,8,9999999999999", "time must be within 292 years"),
])  # fmt: skip
def test_a_line_that_is_none_is_named(line, told):
    columns = PLACES | ({"time": 3} if line.count(",") == 3 else {})
    text = f"w,0,4096,0\n{line}\n".encode()
    assert read_columns(io.BytesIO(text), columns).malformed == 1
    with pytest.raises(ValueError, match=f"line 2: {told}"):
        read_columns(io.BytesIO(text), columns, strict=True)


test_columns_that_cannot_be_are_refused = refusals([
    ({"op": 0, "size": 1}, {}, "columns must name op, offset, size and perhaps time, volume, got"),
    (PLACES | {"lba": 3}, {}, "columns must name"),
    (PLACES | {"size": -1}, {}, "columns size must be a whole number >= 0"),
    (PLACES, {"unit_bytes": 0}, "unit_bytes must be a whole number >= 1"),
    (PLACES, {"unit_bytes": (1, 2, 3)}, "unit_bytes must be one number or two, got 3"),
    (PLACES, {"operations": {"0": "erase"}}, "operations must stand for read, write, trim"),
], by=lambda columns, more: read_columns(io.BytesIO(b"w,0,4096\n"), columns, **more))  # fmt: skip


def test_the_fio_files_of_versions_2_and_3_are_read():
    trace = read_fio(FOLDER / "fio2.log")
    # the trim of 4097 to 16385 covers pages 2 and 3; that of 4097 to 8193 none
    assert trace.records.tolist() == [(WRITE, 1, 2), (READ, 0, 1), (TRIM, 2, 2)]
    assert np.isnan(trace.time_s).all()
    assert trace.time_s.size == 3
    assert (trace.bytes_written, trace.bytes_read, trace.bytes_trimmed) == (8192, 1, 16384)
    assert trace.partial_writes == 0
    assert trace.lines == 19
    assert trace.skipped == {"header": 1, "add": 2, "open": 1, "close": 1, "wait": 1, "sync": 1,
                             "datasync": 1, "other volume": 1, "trim of no whole page": 1,
                             "no data": 1}  # fmt: skip
    assert trace.errors == (
        "line 14: expected offset and length after 'write'",
        "line 15: length must be a whole number >= 0 and < 2**63, got '4k'",
        "line 16: expected an action that fio knows, got 'erase'",
        "line 17: expected a file and an action",
        "line 18: offset must be a whole number >= 0 and < 2**63, got '18446744073709551615'",
    )
    trace = read_fio(FOLDER / "fio3.log")
    assert trace.records.tolist() == [(WRITE, 0, 1), (READ, 2, 1), (TRIM, 0, 2)]
    assert trace.time_s.tolist() == [0, 0.9995, 2]
    assert trace.skipped == {"header": 1, "add": 1, "open": 1, "sync": 1, "close": 1}
    assert trace.errors == ("line 6: time must be a whole number >= 0 and < 2**63, got '/dev/sda'",)


@pytest.mark.parametrize("head", [b"sda write 0 4096\n", b"fio version 1 iolog\n", b"\x00\xff\n"])
def test_a_log_without_the_header_of_fio_is_refused(head):
    with pytest.raises(ValueError, match='must begin with "fio version 2 iolog" or 3, got'):
        read_fio(io.BytesIO(head + GOOD[read_fio]))


@pytest.mark.parametrize(("reader", "path"), FILES)
def test_a_file_reads_the_same_however_it_comes(reader, path, tmp_path):
    trace, content = reader(path), path.read_bytes()
    assert trace.lines == len(content.splitlines())
    assert trace.lines == trace.records.size + sum(trace.skipped.values()) + trace.malformed
    packed = tmp_path / "trace.txt"  # not a name of gzip
    packed.write_bytes(gzip.compress(content[:300]) + gzip.compress(content[300:]))
    assert same(reader(packed), trace)
    assert same(reader(str(path)), trace)
    assert same(reader(io.BytesIO(content)), trace)
    assert same(reader(io.BytesIO(gzip.compress(content))), trace)
    assert same(reader(io.BytesIO(content.replace(b"\n", b"\r\n"))), trace)
    assert same(reader(io.BytesIO(content.rstrip(b"\n"))), trace)

    class Trickle(io.RawIOBase):
        def __init__(self):
            self._file = io.BytesIO(content)

        def read(self, size=-1):
            return self._file.read(min(size, 7))

    assert same(reader(Trickle()), trace)
    with open(path, "rb") as file:
        reader(file)
        assert not file.closed


@pytest.mark.parametrize(("page_bytes", "expected"), [
    (512, [(WRITE, 16, 16), (READ, 9, 1), (WRITE, 1, 9), (READ, 0, 25)]),
    (1, [(WRITE, 8192, 8192), (READ, 4608, 512), (WRITE, 1000, 4096), (READ, 0, 12289)]),
    (2**30, [(WRITE, 0, 1), (READ, 0, 1), (WRITE, 0, 1), (READ, 0, 1)]),
])  # fmt: skip
def test_pages_have_the_size_asked_for(page_bytes, expected):
    trace = read_msr(FOLDER / "msr.csv", page_bytes=page_bytes)
    assert trace.records.tolist() == expected
    assert trace.page_bytes == page_bytes
    assert trace.bytes_written == 12288


def test_a_request_up_to_the_last_byte_is_read():
    line = b"1,hm,0,Write,%d,4096,1\n"
    trace = read_msr(io.BytesIO(line % (2**63 - 4097)), page_bytes=1)
    assert trace.user_pages == 2**63 - 1
    assert read_msr(io.BytesIO(line % 0 + line % (2**63 - 4096))).malformed == 1


# Any file

LINES = st.sampled_from(
    [line for _, path in FILES for line in path.read_bytes().splitlines(keepends=True)]
)
PIECES = st.lists(st.one_of(LINES, st.binary(max_size=30)), max_size=20).map(b"".join)


@pytest.mark.parametrize("reader", READERS)
@given(content=st.one_of(st.binary(max_size=300), PIECES), packed=st.booleans(), cut=st.integers(0))
def test_any_bytes_are_read_or_refused(reader, content, packed, cut):
    if packed:
        content = gzip.compress(content, mtime=0)
        content = content[: cut % (2 * len(content))]
    try:
        trace = reader(io.BytesIO(content))
    except ValueError:
        return
    assert trace.lines == trace.records.size + sum(trace.skipped.values()) + trace.malformed
    assert len(trace.errors) == min(trace.malformed, 20)
    assert trace.report()
    if trace.records.size:
        Replay(trace.compact().records)


# A trace made small


def of(records):
    log = b"fio version 2 iolog\n" + b"".join(
        b"f write %d %d\n" % (page * 4096, count * 4096) for page, count in records
    )
    return read_fio(io.BytesIO(log))


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(1, 8)), max_size=12))
def test_compact_numbers_the_pages_touched_in_their_order(records):
    trace = of(records)
    small = trace.compact()
    touched = sorted({page + i for page, count in records for i in range(count)})
    number = {page: i for i, page in enumerate(touched)}
    assert small.records.tolist() == [(WRITE, number[page], count) for page, count in records]
    assert small.user_pages == len(touched)
    assert trace.user_pages == max(touched, default=-1) + 1
    assert not small.records.flags.writeable
    assert same(small.compact(), small)


def test_compact_keeps_all_else_and_is_replayed_on_a_drive_of_the_pages_it_touches():
    trace = read_blkparse(FOLDER / "blkparse.txt")
    small = trace.compact()
    # pages 0, 1, 2, 3 and 27936
    assert small.user_pages == 5
    assert small.records["page"].tolist() == [4, 2, 0, 2, 1]
    assert small.report() == trace.report()
    assert small.time_s is trace.time_s
    stream = Replay(small.records).stream(small.user_pages, seed=0)
    requests = np.empty(100, np.int64)
    made = requests[: stream.fill(requests)]
    assert (made & PAGE_MASK).tolist() == [4, 2, 0, 1, 2, 3, 1, 2]
    assert (made >> OPERATION_SHIFT).tolist() == [0, 0, 2, 2, 1, 1, 0, 0]
    with pytest.raises(ValueError, match="read-only"):
        trace.records["page"] = 0
