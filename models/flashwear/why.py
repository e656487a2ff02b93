"""Why does a drive wear? Who writes, what for, what the drive makes of it, and what would save.

The kernel counts what programs and journals write (:mod:`flashwear.watch`), a database counts what
for (:func:`flashwear.host.engine_writes`), and a drive what reaches its flash
(:func:`flashwear.smart.written`). Here they are put together; what none of them counts is told too.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from flashwear import wa
from flashwear._domain import one_number
from flashwear.host import EngineWrites, Saving, expected, savings
from flashwear.smart import Report, written
from flashwear.watch import Watched

PROGRAMS = {"PostgreSQL": ("postgres", "postmaster"), "InnoDB": ("mariadbd", "mysqld")}
"""Names of the programs of an engine, whose bytes its counters tell."""


class Part(NamedTuple):
    """Bytes that went to a drive for one reason."""

    who: str
    """Database, program, or file system and where it is mounted."""
    what: str | None
    """Key of a database's part (:class:`flashwear.host.EngineWrites`), ``journal``, or None for all
    that a program writes."""
    bytes: float
    counted: bool
    """Whether that many were counted; they are an upper bound otherwise."""
    form: float | None = None
    """Bytes that the closed form of the database says; None where it cannot tell."""


class Explained(NamedTuple):
    """What was written to a drive in some time, and why."""

    seconds: float
    bytes: float
    """Bytes that the drives took, or that a database counted where no drive was watched."""
    parts: tuple[Part, ...]
    """Reasons, most bytes first."""
    unexplained: float
    """Bytes of the drives that belong to none of the parts, or 0."""
    excess: float
    """Bytes of the parts that the drives did not take, or 0. Bounds were too high, or a database
    lies on another drive too."""
    rows: float
    """Rows changed in databases."""
    engines: tuple[str, ...]
    """Databases that were asked."""
    savings: tuple[Saving, ...]
    """What changes would save, as shares of ``bytes``, the largest first."""


class Inside(NamedTuple):
    """Bytes of flash for each byte that reaches a drive."""

    low: float
    high: float
    counted: bool
    """Whether the drive counted them; a form gives the ends otherwise."""


class Since(NamedTuple):
    """What a change saved: bytes for each row changed, or a day where rows are not counted."""

    each: str
    """``row`` or ``day``."""
    before: float
    after: float

    @property
    def saved(self) -> float:
        """Share of the bytes that is saved; negative if more are written."""
        return 1 - self.after / self.before


def explain(
    seen: Watched | None,
    engines: Sequence[EngineWrites] = (),
    *,
    programs: Mapping[str, Collection[str]] | None = None,
    times: float = 10.0,
) -> Explained:
    r"""Return what was written and why: parts of databases, journals, other programs, the rest.

    Parameters
    ----------
    seen : Watched or None
        What the kernel counted (:func:`flashwear.watch.watch`), by name; None for databases alone.
    engines : sequence of EngineWrites
        What databases counted in the same time, each of an engine once.
    programs : mapping of str to collection of str, optional
        Names of further programs of an engine, whose bytes its counters tell: of RocksDB that of
        the program it is part of (:func:`flashwear.watch.holders`).
    times : float
        How many times as many rows go to a commit in what is foretold, in [1, 1e6].

    Returns
    -------
    Explained

    Raises
    ------
    ValueError
        If neither is given, or an engine is given twice.

    Notes
    -----
    Programs of a database are replaced by its own parts; others are upper bounds, none above what
    these parts and the journals leave. A journal is that of a file system, whoever made it write.
    The parts and ``unexplained`` add up to ``bytes`` and ``excess``. A saving of a database is a
    share of its own bytes; here it is one of all bytes (of those of the databases where these are
    more), without what the file system would save with it. Savings overlap: two together save less
    than their sum.

    Examples
    --------
    >>> from flashwear.host import engine_writes
    >>> found = engine_writes(
    ...     "Uptime 60\nInnodb_os_log_written 90000\nInnodb_data_fsyncs 9\nInnodb_pages_written 0\n"
    ...     "sync_binlog 0")
    >>> [(part.who, part.what, part.bytes) for part in explain(None, [found]).parts]
    [('InnoDB', 'log', 90000.0), ('InnoDB', 'flushes', 4608.0)]
    """
    one_number("times", times, low=1, high=1e6)
    if seen is None and not engines:
        raise ValueError("seen or engines must be given")
    names = [one.engine for one in engines]
    if len(set(names)) < len(names):
        raise ValueError(f"engines must be of one kind each, got {', '.join(names)}")
    parts = [
        Part(one.engine, what, count, what != "added", form.get(what))
        for one in engines
        for form in [expected(one)]
        for what, count in one.parts.items()
        if count
    ]
    taken = sum(part.bytes for part in parts)
    seconds = max((one.seconds for one in engines), default=0.0)
    if seen:
        taken, seconds = seen.bytes, seen.seconds
        theirs = {
            program
            for known in (PROGRAMS, programs or {})
            for name in names
            for program in known.get(name, ())
        }
        parts += [
            Part(f"{one.kind} on {one.mounted}", "journal", one.bytes, True)
            for one in seen.journals
        ]
        most = max(0.0, taken - sum(part.bytes for part in parts if part.counted))
        parts = [part._replace(bytes=min(part.bytes, most)) if not part.counted else part
                 for part in parts]  # fmt: skip
        parts += [
            Part(one.name, None, min(one.bytes, most), False)
            for one in seen.programs
            if one.name not in theirs and most
        ]
    left = taken - sum(part.bytes for part in parts)
    whole = max(taken, sum(one.total for one in engines))  # some may lie on other drives
    made = [
        one._replace(**{name: getattr(one, name) * engine.total / whole for name in _SHARES})
        for engine in engines
        if whole
        for one in savings(engine, times=times)
    ]
    return Explained(
        seconds,
        taken,
        tuple(sorted(parts, key=lambda part: -part.bytes)),
        max(left, 0.0),
        max(-left, 0.0),
        sum(one.rows for one in engines),
        tuple(sorted(names)),
        tuple(sorted(made, key=lambda one: -one.middle)),
    )


_SHARES = ("low", "middle", "high")


def since(before: Explained, after: Explained) -> Since:
    r"""Return what was saved between two times that were watched or counted alike.

    Parameters
    ----------
    before, after : Explained
        What was written before and after a change (:func:`explain`), more than nothing before.

    Returns
    -------
    Since
        Bytes for each row, so that more or less work does not count as a saving; a day where no
        database tells its rows.

    Raises
    ------
    ValueError
        If nothing was written before, or one tells of other databases than the other.

    Examples
    --------
    >>> from flashwear.host import engine_writes
    >>> text = ("Uptime 60\nInnodb_os_log_written {}\nHandler_update 90\nInnodb_data_fsyncs 0\n"
    ...         "Innodb_pages_written 0\nsync_binlog 0")
    >>> then, now = (explain(None, [engine_writes(text.format(log))]) for log in (90000, 36000))
    >>> since(then, now)
    Since(each='row', before=1000.0, after=400.0)
    """
    if before.engines != after.engines:
        first, second = (" and ".join(one.engines) or "none" for one in (before, after))
        raise ValueError(f"after must be of the databases of before, {first}, got {second}")
    if before.bytes <= 0 or before.seconds <= 0 or after.seconds <= 0:
        raise ValueError("before must tell of bytes and of time, and after of time")
    if before.rows and after.rows:
        return Since("row", before.bytes / before.rows, after.bytes / after.rows)
    day = 86_400
    return Since("day", before.bytes / before.seconds * day, after.bytes / after.seconds * day)


def inside(
    before: Report | None = None, after: Report | None = None, *, op: float | None = None
) -> Inside | None:
    """Return the bytes that a drive writes to flash for each byte that it takes.

    Parameters
    ----------
    before, after : Report, optional
        Reports of the drive, between which its counters tell.
    op : float, optional
        Over-provisioning, in [1e-4, 100] (:func:`flashwear.capacity.over_provisioning`), for a
        drive that does not count what it writes to flash.

    Returns
    -------
    Inside or None
        By the reports with the steps of their counters as its ends; else from 1, for what is
        written in order, to :func:`flashwear.wa.fifo` for small writes at random over the whole
        drive; None where neither can be told.

    Raises
    ------
    ValueError
        If the reports are of two drives or a counter fell, or for spare flash outside its range.

    Examples
    --------
    >>> found = inside(op=0.28)
    >>> found.low, round(found.high, 2), found.counted
    (1.0, 2.48, False)
    """
    if before and after:
        grew = written(before, after)
        host, flash = grew.host_bytes, grew.nand_bytes
        if host and flash:
            fine, coarse = grew.host_step or 0, grew.nand_step or 0
            if host > fine and flash > coarse:
                low, high = (flash - coarse) / (host + fine), (flash + coarse) / (host - fine)
                return Inside(low, high, True)
    if op is None:
        return None
    return Inside(1.0, float(wa.fifo(one_number("op", op, low=1e-4, high=100))), False)
