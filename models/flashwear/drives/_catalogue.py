"""A file of drives and of the parts that they are made of."""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import MISSING, fields
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from flashwear import tables
from flashwear._extras import require
from flashwear._shown import warn
from flashwear.drives._drive import Drive

if TYPE_CHECKING:
    import pandas as pd

Table: TypeAlias = Mapping[str, Any]

_PARTS = {
    "controller": "controllers", "kind": "kinds", "flash": "flash", "cache": "caches",
    "family": "families",
}  # fmt: skip
"""The parts of a drive and the tables they are in; each overrides those before it. The kind of
its flash is named by the flash."""

_ORIGINS = ("stated", "literature", "assumed")
_MOST_BYTES = 10**7  # of a file of drives
_FIT = {"origin": "calibrated", "source": "data/results/times.csv"}
_SATA = 6e8  # bytes per second of its link at most
_TIMES = {"read_command_s", "read_unit_s", "write_command_s", "write_unit_s"}
_PARAMETERS = tuple(field.name for field in fields(Drive))
_REQUIRED = {field.name for field in fields(Drive) if field.default is MISSING}


def names(path: str | Path | None = None) -> list[str]:
    """Return the names of the drives in a file, by default ``data/drives.toml``.

    Examples
    --------
    >>> "m600-256gb" in names()
    True
    """
    return list(_read(path)["drives"])


def controllers(path: str | Path | None = None) -> list[str]:
    """Return the names of the controllers in a file, by default ``data/drives.toml``.

    Examples
    --------
    >>> "marvell-88ss9189" in controllers()
    True
    """
    return list(_read(path)["controllers"])


def flashes(path: str | Path | None = None) -> list[str]:
    """Return the names of the kinds of flash in a file, by default ``data/drives.toml``.

    Examples
    --------
    >>> "micron-16nm-mlc-128gbit" in flashes()
    True
    """
    return list(_read(path)["flash"])


def caches(path: str | Path | None = None) -> list[str]:
    """Return the names of the SLC caches in a file, by default ``data/drives.toml``.

    Examples
    --------
    >>> caches()[:3]
    ['micron-dynamic-mlc', 'micron-dynamic-tlc', 'samsung-turbowrite']
    """
    return list(_read(path)["caches"])


def usual_program_s(kind: str) -> float:
    """Return the usual program time, in s, of a kind of flash in ``data/drives.toml``.

    Parameters
    ----------
    kind : str
        Bits in a cell and "planar" or "layers" (3D), such as "3 bits, layers".

    Examples
    --------
    >>> usual_program_s("4 bits, layers")
    0.004
    """
    (usual,) = _read(None)["kinds"][kind]["program_s"]["value"]
    return float(usual)


def load(name: str, path: str | Path | None = None, *, calibrated: bool = True) -> Drive:
    """Return a drive of a file, by default ``data/drives.toml``.

    Parameters
    ----------
    name : str
        One of :func:`names`.
    path : str or Path, optional
        A TOML file: a catalogue like ``data/drives.toml``, which explains itself at its top, or a
        table for each drive with all parameters of :class:`Drive`. A parameter is a plain value, or
        a table with ``value``, ``origin``, and perhaps ``low``, ``high``, ``source``, ``note``.
    calibrated : bool
        Whether a drive of ``data/drives.toml`` gets the times that :func:`flashwear.predict.times`
        fitted to speeds (``data/results/times.csv``) instead of those in the file, which were set
        before any speed was known. Drives of other files have no fitted times.

    Raises
    ------
    ValueError
        If there is no such drive, or its parameters are wrong.

    Examples
    --------
    >>> load("m600-256gb").dies
    16
    """
    values = _values(_entries(name, path))
    drive = _made(name, {**_named(name, _read(path)), **values})
    if path is not None or not calibrated:
        return drive
    return drive.with_times({time: value for time, (value, _, _) in _fitted(name).items()})


def assemble(
    *,
    controller: str | None,
    flash: str,
    dies: int,
    user_bytes: int,
    cache: str | None = None,
    name: str | None = None,
    path: str | Path | None = None,
    **overrides: Any,
) -> Drive:
    """Return a drive made of parts (controller, flash, SLC cache) listed in a file.

    Times are those of the file, of commands and map units round figures of SATA controllers;
    :func:`flashwear.predict.assemble` gives fitted ones instead. It warns of a drive with a
    faster link that keeps them, and of an unknown controller that is taken for one of SATA.

    Parameters
    ----------
    controller : str or None
        One of :func:`controllers`, or None for an unknown one, whose `channels` must then be given,
        and unless it is one of SATA those of its link, too: ``link_bytes_per_s``,
        ``link_overhead_s`` (NVMe: 1e-7) and ``queue_limit``.
    flash : str
        One of :func:`flashes`.
    dies : int
        Number of flash dies, >= 1.
    user_bytes : int
        Bytes that the host can address, a multiple of ``map_bytes``.
    cache : str, optional
        One of :func:`caches`, for flash with as many bits in a cell; by default no SLC cache.
    name : str, optional
        Name to show people; by default made of the parts.
    path : str or Path, optional
        The file that lists the parts, by default ``data/drives.toml``.
    **overrides
        Further parameters of :class:`Drive`, in place of those of the parts.

    Raises
    ------
    ValueError
        If there is no such part or parameter, or no drive can be made so.

    Examples
    --------
    >>> drive = assemble(
    ...     controller="marvell-88ss9189", flash="micron-16nm-mlc-128gbit",
    ...     dies=16, user_bytes=240_000_000_000, stripe=15)
    >>> drive.raw_bytes / 2**30, drive.program_s
    (256.0, (0.00085, 0.0023))
    """
    made = f"{dies} dies of {flash} on {controller or 'a controller'}" if name is None else name
    for key, value in overrides.items():
        if key not in _PARAMETERS:
            raise ValueError(
                f"overrides must be parameters of Drive, {', '.join(_PARAMETERS)}, "
                f"got {key}={value!r}"
            )
    own = {"flash": flash}
    for kind, part in (("controller", controller), ("cache", cache)):
        if part is not None:
            own[kind] = part
    values = _values(_merged("assemble", own, _read(path)))
    given = {"name": made, "dies": dies, "user_bytes": user_bytes}
    named = {"controller": controller or "", "flash": flash}
    drive = _made(made, {**values, **named, **given, **overrides})
    if path is None and controller is None and not overrides.keys() >= {
        "link_bytes_per_s", "link_overhead_s", "queue_limit"
    }:  # fmt: skip
        warn(
            "an unknown controller is taken for one of SATA, with 32 commands: give "
            "link_bytes_per_s, link_overhead_s and queue_limit"
        )
    elif path is None and drive.link_bytes_per_s > _SATA and not overrides.keys() >= _TIMES:
        warn(
            "times of commands and map units are round figures of SATA controllers: "
            "flashwear.predict.assemble gives fitted ones"
        )
    return drive


def parameters(
    name: str, path: str | Path | None = None, *, calibrated: bool = True
) -> pd.DataFrame:
    """Return the parameters of a drive as a table: value, origin, band, source and note.

    The table has a row for each parameter. ``origin`` says where the value is from: "stated" by the
    maker or a review, other "literature", "assumed", or "calibrated", that is, fitted to known
    speeds. ``low`` and ``high`` are the ends of the band of plausible values, of a fitted time its
    90 % interval.

    Parameters
    ----------
    name, path, calibrated
        Name of the drive; file, by default ``data/drives.toml``; and whether fitted times replace
        those in the file.

    Examples
    --------
    >>> list(parameters("m600-256gb"))
    ['parameter', 'value', 'origin', 'low', 'high', 'source', 'note']
    """
    require("tables", "pandas")
    import pandas as pd

    entries = dict(_entries(name, path))
    if path is None and calibrated:
        drive = load(name)
        entries |= {
            time: _calibrated(entries[time], getattr(drive, time), low, high)
            for time, (_, low, high) in _fitted(name).items()
        }
    columns = ("value", "origin", "low", "high", "source", "note")
    rows = [
        {"parameter": key, **{part: entry.get(part) for part in columns}}
        for key, entry in entries.items()
    ]
    return pd.DataFrame(deepcopy(rows))


def _calibrated(before: Table, value: Any, low: float, high: float) -> Table:
    """Return the entry of a time of the fit, by that of the file and an interval of its mean."""
    if not isinstance(value, tuple):
        return {"value": value, "low": low, "high": high, **_FIT}
    kinds = before["value"]
    mean = sum(kinds) / len(kinds)
    ends = {
        end: [kind * other / mean for kind in kinds]
        for end, other in (("low", low), ("high", high))
    }
    return {"value": list(value), **ends, **_FIT}


def _made(name: str, values: dict[str, Any]) -> Drive:
    if missing := sorted(_REQUIRED - values.keys()):
        raise ValueError(f"parameters of {name} must include {', '.join(missing)}")
    try:
        return Drive(**values)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def _values(entries: Table) -> dict[str, Any]:
    return {key: entry["value"] for key, entry in entries.items()}


def _fitted(name: str) -> dict[str, tuple[float, float, float]]:
    """Return what the fit found of a drive's times: value and an interval of 90 %, in seconds."""
    source = tables.data_folder() / "results" / "times.csv"
    return _fits(source.read_text(encoding="utf-8")).get(name, {})


@lru_cache(maxsize=4)
def _fits(text: str) -> dict[str, dict[str, tuple[float, float, float]]]:
    return {
        row["drive"]: {
            time: (float(row[time]), float(row[f"{time}_low"]), float(row[f"{time}_high"]))
            for time in row.keys() & {*_PARAMETERS}
            if row[time]
        }
        for row in csv.DictReader(text.splitlines())
    }


def _entries(name: str, path: str | Path | None) -> Table:
    """Return the entries of a drive by parameter, not to be changed."""
    catalogue = _read(path)
    if name not in catalogue["drives"]:
        raise ValueError(f"name must be one of {', '.join(catalogue['drives'])}, got {name!r}")
    return _merged(name, catalogue["drives"][name], catalogue)


def _merged(name: str, own: Table, catalogue: Mapping[str, Table]) -> Table:
    """Return the entries of a drive and its parts, in the order of the parameters of Drive."""
    merged = {
        key: entry
        for layer in _layers(name, own, catalogue)
        for key, entry in layer.items()
        if key not in _PARTS
    }
    if unknown := sorted(merged.keys() - {*_PARAMETERS}):
        raise ValueError(f"parameters of {name} must be those of Drive, got {', '.join(unknown)}")
    return {key: _entry(name, key, merged[key]) for key in _PARAMETERS if key in merged}


def _named(name: str, catalogue: Mapping[str, Table]) -> dict[str, str]:
    """Return the names of a drive's controller, flash and line; without a family it is its own."""
    own = catalogue["drives"][name]
    chosen = _chosen(name, own, catalogue)
    return {
        "line": own.get("family", name),
        **{kind: chosen[kind] for kind in ("controller", "flash") if kind in chosen},
    }


def _chosen(name: str, own: Table, catalogue: Mapping[str, Table]) -> Table:
    """Return the lines of a drive and, beneath them, of its family."""
    return {**_part(name, "family", own, catalogue), **own} if "family" in own else own


def _layers(name: str, own: Table, catalogue: Mapping[str, Table]) -> Iterator[Table]:
    """Yield what a drive is made of; later layers override earlier ones."""
    chosen = _chosen(name, own, catalogue)
    yield catalogue["common"]
    if "flash" in chosen:
        chosen = {**_part(name, "flash", chosen, catalogue), **chosen}
    for kind in _PARTS:
        if kind in chosen:
            yield _part(name, kind, chosen, catalogue)
    yield own


def _part(name: str, kind: str, chosen: Table, catalogue: Mapping[str, Table]) -> Table:
    section, wanted = catalogue[_PARTS[kind]], chosen[kind]
    if not isinstance(wanted, str) or wanted not in section:
        raise ValueError(
            f"{name}: {kind} must be one of {', '.join(section) or 'none'}, got {wanted!r}"
        )
    part: Table = section[wanted]
    return part


def _entry(name: str, key: str, given: Any) -> Table:
    entry = given if isinstance(given, Mapping) else {"value": given}
    if "value" not in entry:
        raise ValueError(f"{name}: {key} must have a value")
    if "origin" in entry and entry["origin"] not in _ORIGINS:
        raise ValueError(
            f"{name}: origin of {key} must be one of {', '.join(_ORIGINS)}, got {entry['origin']!r}"
        )
    return entry


def _read(path: str | Path | None) -> Mapping[str, Table]:
    """Return a file of drives by section, not to be changed."""
    source = tables.data_folder() / "drives.toml" if path is None else Path(path)
    with source.open("rb") as file:
        content = file.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise ValueError(f"{source} must have at most {_MOST_BYTES} bytes")
    try:
        return _parsed(content)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{source} must be TOML: {error}") from None
    except ValueError as error:
        raise ValueError(f"{source} {error}") from None


@lru_cache(maxsize=4)
def _parsed(content: bytes) -> dict[str, dict[str, Any]]:
    found = tomllib.loads(content.decode())
    if "drives" not in found:  # no catalogue: the drives alone
        found = {"drives": found}
    sections = {**_PARTS, "drive": "drives"}
    if unknown := sorted(found.keys() - {"common", *sections.values()}):
        allowed = ", ".join(["common", *sections.values()])
        raise ValueError(f"must hold no more than {allowed}, got {', '.join(unknown)}")
    catalogue = {section: found.get(section, {}) for section in ("common", *sections.values())}
    if not isinstance(catalogue["common"], Mapping):
        raise ValueError("must hold a table of what is common")
    for kind, section in sections.items():
        if not _holds_tables(catalogue[section]):
            raise ValueError(f"must hold a table for each {kind}")
    return catalogue


def _holds_tables(section: Any) -> bool:
    return isinstance(section, Mapping) and all(
        isinstance(one, Mapping) for one in section.values()
    )
