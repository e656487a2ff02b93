"""Where reports come from: files, folders, archives, standard input, and drives by smartctl."""

import json
import os
import socket
import stat
import subprocess
import sys
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from flashwear.smart import Unreadable
from flashwear.smart._archive import Content, files, is_archive, one_file
from flashwear.smart._read import bounded

_PATIENCE_S = 180  # a failing drive may answer late


class Source(NamedTuple):
    """A report as it is found: its name, the host and device that it tells of, and its bytes."""

    name: str
    host: str | None
    device: str | None
    content: Content
    """Bytes; or a reason why there are none."""


def sources(paths: Iterable[str], host: str | None = None) -> Iterator[Source]:
    """Yield the reports at some paths.

    Parameters
    ----------
    paths : iterable of str
        Files, folders, tar archives, daily tables of Backblaze, ``-`` for standard input, or
        devices such as ``/dev/nvme0``, which smartctl reads; with a type of smartctl as
        ``/dev/bus/0:megaraid,3``.
    host : str, optional
        Name of the host for all; by default that of this one for a device, and for a file in a
        folder its first subfolder.
    """
    for path in paths:
        if path == "-":
            yield Source("-", host, None, _content(path))
        elif _is_device(path):
            yield _by_smartctl(path, host)
        elif os.path.isdir(path) or is_archive(path):
            yield from _of_many(path, host)
        elif stat.S_ISFIFO(_mode(path)):
            yield Source(path, host, None, _content(path))
        else:
            for name, content in one_file(os.path.realpath(path), path):
                yield Source(name, host, _device(name), content)


def _of_many(path: str, host: str | None) -> Iterator[Source]:
    try:
        for name, content in files(path):
            folder = name.partition("/")[0] if "/" in name else None
            yield Source(name, host or folder, _device(name), content)
    except (OSError, Unreadable) as error:
        yield Source(path, host, None, getattr(error, "strerror", None) or str(error))


def _mode(path: str) -> int:
    try:
        return os.stat(path).st_mode
    except (OSError, ValueError):
        return 0


def _is_device(path: str) -> bool:
    mode = _mode(path)
    return path.startswith("/dev/") and (not mode or stat.S_ISBLK(mode) or stat.S_ISCHR(mode))


def _device(name: str) -> str | None:
    """Return a file's name up to its first dot, as reports are named for devices."""
    return os.path.basename(name).partition(".")[0] or None


def _content(path: str) -> bytes | str:
    try:
        if path != "-":
            with open(path, "rb") as file:
                return bounded(file)
        return bounded(sys.stdin.buffer) if sys.stdin else "standard input is closed"
    except (OSError, Unreadable) as error:
        return getattr(error, "strerror", None) or str(error)


def _by_smartctl(path: str, host: str | None) -> Source:
    device, _, kind = path.rpartition(":") if not _mode(path) and ":" in path else (path, "", "")
    words = ["smartctl", "-x", "-j", *(["-d", kind] if kind else []), device]
    content = _run(words)
    number = f" {kind}" if "," in kind else ""
    name = os.path.basename(os.path.realpath(device)) + number
    return Source(device + number, host or socket.gethostname(), name, content)


def _run(words: list[str]) -> bytes | str:
    try:
        done = subprocess.run(
            words, capture_output=True, stdin=subprocess.DEVNULL, timeout=_PATIENCE_S, check=False
        )
    except FileNotFoundError:
        return "smartctl is not installed (package smartmontools)"
    except subprocess.TimeoutExpired:
        return f"smartctl gave no answer within {_PATIENCE_S} s"
    except OSError as error:
        return f"smartctl: {error.strerror}"
    return done.stdout or f"smartctl says nothing, and ends with status {done.returncode}"


def scan() -> list[str]:
    """Return the devices that smartctl finds on this host, as paths for :func:`sources`.

    Those that it cannot open are among them, so that they are not passed over in silence.

    Raises
    ------
    OSError
        If smartctl cannot be run, or finds nothing.
    """
    told = _run(["smartctl", "--scan-open", "-j"])
    if isinstance(told, str):
        raise OSError(told)
    try:
        found = json.loads(told).get("devices", [])
        devices = [one["name"] + (f":{one['type']}" if one.get("type") else "") for one in found]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise OSError("smartctl --scan-open -j gave no list of devices") from None
    if not devices:
        raise OSError("smartctl --scan-open finds no drive (run it as root)")
    return devices
