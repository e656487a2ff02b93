"""Read whole blocks of lines at once, in the formats of :mod:`flashwear.traces._formats`.

A reader returns None unless it is certain that the parser would accept every line of the block and
give the same result. The block is then halved again and again, and at last read line by line.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from flashwear.traces._tracefile import LARGEST, Bulk, Rows
from flashwear.workloads._streams import READ, TRIM, WRITE

_Ints = NDArray[np.int64]
_POWERS = 10 ** np.arange(1, 19, dtype=np.int64)


class _Table:
    """Columns of a block of CSV: whole numbers, and words that repeat."""

    def __init__(self, block: bytes, separator: str, columns: dict[str, bool]) -> None:
        """Read a block; ValueError unless each line has all columns, written in the usual way.

        `columns` says of each whether it is a number. Arrow also takes blanks, zeros in front and
        hexadecimal digits: what it read must be as long as the text.
        """
        import pyarrow as pa
        from pyarrow import csv

        hexadecimal = (b"x" in block and b"0x" in block) or (b"X" in block and b"0X" in block)
        if hexadecimal or b"\r" in block:
            raise ValueError
        word = pa.dictionary(pa.int32(), pa.string())
        kinds = {name: pa.int64() if number else word for name, number in columns.items()}
        table = csv.read_csv(
            pa.py_buffer(block),
            csv.ReadOptions(use_threads=False, column_names=list(columns), block_size=len(block)),
            csv.ParseOptions(delimiter=separator, quote_char=False, ignore_empty_lines=False),
            csv.ConvertOptions(
                column_types=kinds, null_values=[], strings_can_be_null=False, check_utf8=False
            ),
        )
        self.rows = table.num_rows
        self.numbers: dict[str, _Ints] = {}
        self.words: dict[str, tuple[_Ints, list[bytes]]] = {}
        length = self.rows * len(columns)
        for name, number in columns.items():
            column = table.column(name).combine_chunks()
            if number:
                values = column.to_numpy()
                if values.min() < 0:
                    raise ValueError
                self.numbers[name] = values
                length += self.rows + _more_digits(values)
            else:
                codes = column.indices.to_numpy().astype(np.int64)
                known = [text.encode() for text in column.dictionary.to_pylist()]
                self.words[name] = codes, known
                length += int(np.array([len(text) for text in known])[codes].sum())
        if length != len(block):
            raise ValueError

    def coded(self, name: str, values: dict[bytes, int]) -> NDArray[np.uint8]:
        """Return what the words of a column stand for; KeyError for another word."""
        codes, known = self.words[name]
        return np.array([values[word] for word in known], np.uint8)[codes]


def _more_digits(values: _Ints) -> int:
    """Return how many digits numbers have together, beyond one each."""
    least, most = np.searchsorted(_POWERS, [values.min(), values.max()], "right")
    if least == most:
        return int(least) * values.size
    return int(np.searchsorted(_POWERS, values, "right").sum())


def _rows(
    operation: NDArray[np.uint8],
    offset: _Ints,
    size: _Ints,
    ticks: _Ints,
    which: _Ints,
    volumes: list[object],
    skipped: dict[str, int],
) -> Rows:
    """Return requests without those of no bytes; ValueError if one ends beyond 2**63."""
    if (offset > LARGEST - size).any():
        raise ValueError
    data = size > 0
    if empty := int((~data).sum()):
        skipped["no data"] = skipped.get("no data", 0) + empty
        offset, size, ticks, which = (values[data] for values in (offset, size, ticks, which))
        operation = operation[data]
    return Rows(operation, offset, size, ticks, which, volumes, skipped)


def _guarded(read: Any) -> Bulk | None:
    """Return a function that gives None where `read` raises; None if Arrow is not installed."""
    if find_spec("pyarrow") is None:
        return None

    def bulk(block: bytes) -> Rows | None:
        try:
            rows: Rows = read(block)
        except (ValueError, KeyError):  # Arrow's errors are ValueErrors
            return None
        return rows

    return bulk


_MSR = {
    "ticks": True,
    "host": False,
    "disk": False,
    "kind": False,
    "offset": True,
    "size": True,
    "response": True,
}
_MSR_KINDS = {b"Read": READ, b"Write": WRITE}


def msr() -> Bulk | None:
    """Return a reader of blocks of the MSR Cambridge traces."""

    def read(block: bytes) -> Rows:
        if b" " in block or b"\t" in block:
            raise ValueError
        table = _Table(block, ",", _MSR)
        (host, hosts), (disk, disks) = table.words["host"], table.words["disk"]
        if not all(text.isdigit() and len(text) < 19 for text in disks):
            raise ValueError
        pairs: list[object] = [(one, other) for one in hosts for other in disks]
        n = table.numbers
        return _rows(
            table.coded("kind", _MSR_KINDS), n["offset"], n["size"], n["ticks"],
            host * len(disks) + disk, pairs, {},
        )  # fmt: skip

    return _guarded(read)


_ALIBABA = {"device": False, "kind": False, "offset": True, "size": True, "ticks": True}
_ALIBABA_KINDS = {b"R": READ, b"W": WRITE}


def alibaba() -> Bulk | None:
    """Return a reader of blocks of the traces of Alibaba's block storage."""

    def read(block: bytes) -> Rows:
        if b" " in block or b"\t" in block:
            raise ValueError
        table = _Table(block, ",", _ALIBABA)
        device, devices = table.words["device"]
        if not all(text.isdigit() and len(text) < 19 for text in devices):
            raise ValueError
        n = table.numbers
        kinds = table.coded("kind", _ALIBABA_KINDS)
        return _rows(kinds, n["offset"], n["size"], n["ticks"], device, list(devices), {})

    return _guarded(read)


_FIO = {"file": False, "kind": False, "offset": True, "size": True}
_FIO_KINDS = {b"read": READ, b"write": WRITE, b"trim": TRIM}


def fio(timed: bool) -> Bulk | None:
    """Return a reader of blocks of an I/O log of fio after its first line."""
    columns = {"ticks": True} | _FIO if timed else _FIO

    def read(block: bytes) -> Rows:
        if b"\t" in block or b"\v" in block or b"\f" in block:
            raise ValueError
        table = _Table(block, " ", columns)
        n = table.numbers
        ticks = n["ticks"] if timed else np.zeros(table.rows, np.int64)
        file, files = table.words["file"]
        if b"" in files:
            raise ValueError
        kinds = table.coded("kind", _FIO_KINDS)
        return _rows(kinds, n["offset"], n["size"], ticks, file, list(files), {})

    return _guarded(read)
