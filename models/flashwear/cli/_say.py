"""Answers, sizes and errors as the commands print them."""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flashwear.smart import Report

SCHEMA_VERSION = 1


def as_json(value: dict[str, Any]) -> str:
    """Return the output for scripts: JSON that begins with the version of its layout."""
    return json.dumps({"schema_version": SCHEMA_VERSION, **value}, indent=1, allow_nan=False)


def answer(
    options: argparse.Namespace, lines: list[str], values: dict[str, Any], status: int = 0
) -> int:
    """Print `lines`, or `values` as JSON if `options` ask for it, and return `status`."""
    try:
        print(as_json({"status": status, **values}) if options.json else "\n".join(lines))
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of our output has gone, as after "| head"
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return status


def percent(share: float) -> str:
    """Return a share as text in percent, with three digits."""
    return f"{100 * share:.3g} %"


def size(count: float) -> str:
    """Return a number of bytes as text with a suitable decimal unit."""
    for name, unit in (("PB", 1e15), ("TB", 1e12), ("GB", 1e9)):
        if count >= unit:
            return f"{count / unit:.4g} {name}"
    return f"{count / 1e6:.4g} MB"


def shown(text: str) -> str:
    """Return a text without control characters."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def one_line(error: Exception) -> str:
    """Return an error as one line, without control characters."""
    if isinstance(error, OSError) and error.strerror:
        text = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    else:
        text = str(error) or type(error).__name__
    return shown(text)


def in_options(error: ValueError, names: dict[str, str]) -> ValueError:
    """Return the error with options of the command in place of arguments, by the dict `names`."""
    first, _, rest = str(error).partition(" ")
    return ValueError(f"{names.get(first, first)} {rest}")


def report(path: str) -> Report:
    """Read a drive's report; a ValueError names the file."""
    from flashwear import smart

    try:
        return smart.read(path)
    except smart.Unreadable as error:
        raise ValueError(f"{path}: {error}") from None
