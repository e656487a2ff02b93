"""Read whole blocks of lines at once, in the formats of :mod:`flashwear.traces._formats`.

A reader returns None unless it is certain that the parser would accept every line of the block and
give the same result. The block is then halved again and again, and at last read line by line.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from flashwear.traces._tracefile import LARGEST, Bulk, Rows
from flashwear.workloads._streams import READ, TRIM, WRITE

_Ints = NDArray[np.int64]
_NUMBERS = {"offset", "response", "size", "ticks"}
_POWERS = 10 ** np.arange(1, 19, dtype=np.int64)


class _Table:
    """Columns of a block of CSV: whole numbers, and words that repeat."""

    def __init__(self, block: bytes, separator: str, columns: list[str]) -> None:
        """Read a block; ValueError unless each line has all columns, written in the usual way.

        Arrow also takes blanks, zeros in front and hexadecimal digits: what it read must be as long
        as the text.
        """
        import pyarrow as pa
        from pyarrow import csv

        hexadecimal = (b"x" in block and b"0x" in block) or (b"X" in block and b"0X" in block)
        if hexadecimal or b"\r" in block:
            raise ValueError
        word = pa.dictionary(pa.int32(), pa.string())
        kinds = {name: pa.int64() if name in _NUMBERS else word for name in columns}
        table = csv.read_csv(
            pa.py_buffer(block),
            csv.ReadOptions(use_threads=False, column_names=columns, block_size=len(block)),
            csv.ParseOptions(delimiter=separator, quote_char=False, ignore_empty_lines=False),
            csv.ConvertOptions(
                column_types=kinds, null_values=[], strings_can_be_null=False, check_utf8=False
            ),
        )
        self.rows = table.num_rows
        self.numbers: dict[str, _Ints] = {}
        self.words: dict[str, tuple[_Ints, list[bytes]]] = {}
        length = self.rows * len(columns)
        for name in columns:
            column = table.column(name).combine_chunks()
            if name in _NUMBERS:
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


def _more_digits(values: _Ints) -> int:
    """Return how many digits numbers have together, beyond one each."""
    least, most = np.searchsorted(_POWERS, [values.min(), values.max()], "right")
    if least == most:
        return int(least) * values.size
    return int(np.searchsorted(_POWERS, values, "right").sum())


_Volumes: TypeAlias = tuple[_Ints, list[object]]
"""Of each line the place of its volume, and the volumes."""


def _rows(table: _Table, kinds: dict[bytes, int], which: _Ints, volumes: list[object]) -> Rows:
    """Return requests without those of no bytes; ValueError if one ends beyond 2**63."""
    codes, words = table.words["kind"]
    operation = np.array([kinds[word] for word in words], np.uint8)[codes]
    offset, size = table.numbers["offset"], table.numbers["size"]
    if (offset > LARGEST - size).any():
        raise ValueError
    ticks = table.numbers.get("ticks", np.zeros_like(size))  # a log of fio may tell none
    if empty := int((size == 0).sum()):
        data = size > 0
        offset, size, ticks, which = (values[data] for values in (offset, size, ticks, which))
        operation = operation[data]
    skipped = {"no data": empty} if empty else {}
    return Rows(operation, offset, size, ticks, which, volumes, skipped)


def _reader(
    separator: str,
    columns: str,
    kinds: dict[bytes, int],
    spoilers: bytes,
    volumes: Callable[[_Table], _Volumes],
) -> Bulk | None:
    """Return a reader of blocks that hold no spoilers; None if Arrow is not installed."""
    if find_spec("pyarrow") is None:
        return None

    def read(block: bytes) -> Rows | None:
        if any(spoiler in block for spoiler in spoilers):
            return None
        try:
            table = _Table(block, separator, columns.split())
            return _rows(table, kinds, *volumes(table))
        except (ValueError, KeyError):  # Arrow's errors are ValueErrors
            return None

    return read


def _check_numbers(words: list[bytes]) -> None:
    if not all(text.isdigit() and len(text) < 19 for text in words):
        raise ValueError


def msr() -> Bulk | None:
    """Return a reader of blocks of the MSR Cambridge traces."""

    def volumes(table: _Table) -> _Volumes:
        (host, hosts), (disk, disks) = table.words["host"], table.words["disk"]
        _check_numbers(disks)
        return host * len(disks) + disk, [(one, other) for one in hosts for other in disks]

    columns = "ticks host disk kind offset size response"
    return _reader(",", columns, {b"Read": READ, b"Write": WRITE}, b" \t", volumes)


def alibaba() -> Bulk | None:
    """Return a reader of blocks of the traces of Alibaba's block storage."""

    def volumes(table: _Table) -> _Volumes:
        device, devices = table.words["device"]
        _check_numbers(devices)
        return device, list(devices)

    kinds = {b"R": READ, b"W": WRITE}
    return _reader(",", "device kind offset size ticks", kinds, b" \t", volumes)


def fio(timed: bool) -> Bulk | None:
    """Return a reader of blocks of an I/O log of fio after its first line."""

    def volumes(table: _Table) -> _Volumes:
        file, files = table.words["file"]
        if b"" in files:
            raise ValueError
        return file, list(files)

    columns = "ticks " * timed + "file kind offset size"
    return _reader(
        " ", columns, {b"read": READ, b"write": WRITE, b"trim": TRIM}, b"\t\v\f", volumes
    )
