"""How results are compared and shown, and how they warn."""

import os
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from html import escape
from typing import Any

import numpy as np


def same_fields(one: Any, other: Any, but: tuple[str, ...] = ()) -> bool:
    """Return whether two objects of one dataclass are equal, fields in `but` aside; NaN is NaN."""
    if type(one) is not type(other):
        return False
    names = [field.name for field in fields(one) if field.name not in but]
    return all(_same(getattr(one, name), getattr(other, name)) for name in names)


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, (np.ndarray, float, tuple)):
        ours, theirs = np.asarray(one), np.asarray(other)
        nan = ours.dtype.kind == "f" and theirs.dtype.kind == "f"
        return bool(np.array_equal(ours, theirs, equal_nan=nan))
    return bool(one == other)


def as_table(rows: dict[str, str]) -> str:
    """Return an HTML table of two columns: names and texts."""
    cells = [f"<th>{escape(name)}</th><td>{escape(text)}</td>" for name, text in rows.items()]
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>"


@contextmanager
def patience(what: str, wait_s: float = 3.0) -> Iterator[None]:
    """Say on stderr what is done within this context if it takes longer than `wait_s`."""
    text = f"flashwear: {what}"
    timer = threading.Timer(wait_s, print, [text], {"file": sys.stderr})
    timer.daemon = True
    if "FLASHWEAR_BOOK" not in os.environ:
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


def warn(message: str) -> None:
    """Warn the caller of the function that calls this, except while a book is built."""
    if "FLASHWEAR_BOOK" not in os.environ:
        warnings.warn(message, stacklevel=3)
