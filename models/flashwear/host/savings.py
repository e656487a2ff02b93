"""What a change of settings would save, foretold from what a database wrote."""

from __future__ import annotations

from typing import NamedTuple

from flashwear._domain import one_number
from flashwear.host.checkpoint import Load, pages_touched
from flashwear.host.counters import EngineWrites
from flashwear.host.innodb import (
    COMMIT_BYTES as _INNODB_COMMIT,
    PAGE_BYTES as _INNODB_PAGE,
    SHARED_PAGES,
)
from flashwear.host.lsm import BATCH_BYTES as _ROCKSDB_COMMIT, log_sync_bytes, lsm_levelled
from flashwear.host.postgres import COMMIT_BYTES as _POSTGRES_COMMIT, PAGE_BYTES as _POSTGRES_PAGE

_COMMIT = {
    "PostgreSQL": _POSTGRES_COMMIT, "InnoDB": _INNODB_COMMIT, "RocksDB": _ROCKSDB_COMMIT
}  # fmt: skip
_REPLACED_OR_NEW: tuple[Load, Load] = ("random", "insert_random")
_LIKE = 1.5  # times what the law says of a tree, or a part of it, within which it is believed
_LEAST = 0.1  # of what a tree writes: the law is no more exact
_RECORD = 200  # bytes of a record in PostgreSQL's log, beside images
_SHARED = SHARED_PAGES["random"]
_BESIDE, _FILLED = 38, 15_360  # bytes of a new row in the log beside it; of a page filled in order
_WRITER_S = 0.2  # between two flushes of PostgreSQL that no commit asks for (wal_writer_delay)
_NEAR, _FAR = 0.1, 0.2  # relative errors: of what is counted, and of what a law says of pages


class Saving(NamedTuple):
    """Bytes that a change would save, of those that an engine wrote."""

    change: str
    """What to change."""
    option: str
    """The engine's own name for it."""
    low: float
    """Least share of the bytes that is saved."""
    middle: float
    high: float
    risk: str
    """What it costs or endangers."""


def savings(found: EngineWrites, *, times: float = 10.0) -> list[Saving]:
    r"""Return what changes of settings would save, the largest first.

    Parameters
    ----------
    found : EngineWrites
        What the engine wrote (:func:`flashwear.host.engine_writes`).
    times : float
        How many times as many rows go to a commit, in [1, 1e6].

    Returns
    -------
    list of Saving
        Shares of ``found.total``, with an interval of 10 % of the saving where it is counted (a
        block of the log for each flush, copies of pages), and of 20 % where it follows from a law
        (how often a page is written).

    Raises
    ------
    ValueError
        Outside these ranges.

    Notes
    -----
    With a :math:`k`-th of the commits, a :math:`k`-th of the flushes is left, and of the 40, 133 or
    19 bytes that a commit logs. If checkpoints are twice as far apart, pages and their images fall
    by :math:`D(2n, N) / 2 D(n, N)` (:func:`pages_touched`), with the :math:`N` at which :math:`n`
    rows between checkpoints touch as many pages as were logged. A page of InnoDB that is written
    once in :math:`n + N` rows is written once in :math:`4n + N` with four times the log; with fewer
    commits the same log holds more rows, too. New pages, which rows that are inserted fill, are
    written in any case. RocksDB's commits that are not synced save their flushes and none to all of
    the log. Its files fall as :func:`lsm_levelled` says of the sizes that it tells, in the mean of
    records that are replaced and new: told if what was written is within a factor of 1.5 of it,
    and a tenth or more would be saved.

    Of 38 changes that were foretold before they were made, 28 were inside their intervals
    (:func:`flashwear_book.tables.savings`). Three of the others let InnoDB's commits not wait for
    its log, which saved a third of what was foretold or nothing. Four made RocksDB's write buffer
    alone larger, or merged more files of level 0 at once, which saved 1.8 to 2.1 times what was
    foretold: in trees as small as these the law has a smaller first level than RocksDB keeps.
    Neither is told any more.

    Examples
    --------
    >>> from flashwear.host import EngineWrites
    >>> parts = {"log": 3.3e6, "flushes": 16.4e6, "pages": 3.2e6, "copies": 0.0, "binlog": 0.0}
    >>> found = EngineWrites("PostgreSQL", 300.0, parts, 2000, 2000, 0, 2000, 380, 1)
    >>> best = savings(found)[0]
    >>> best.option, round(best.middle, 2)
    ('BEGIN ... COMMIT around 10 times as many rows', 0.65)
    """
    more = one_number("times", times, low=1, high=1e6)
    made: list[tuple[str, str, float, float, str]] = []
    engine, parts = found.engine, found.parts
    each = parts["flushes"] / found.flushes if found.flushes else 0.0
    commits = min(found.commits, found.flushes)
    logged = (1 - 1 / more) * _COMMIT[engine] * commits
    fewer = (1 - 1 / more) * parts["flushes"] + logged
    if "file_system" in parts and engine == "RocksDB" and found.flushes:
        left = log_sync_bytes(found.file_system, more * parts["log"] / found.flushes)
        fewer += parts["file_system"] - found.flushes / more * float(left)
    pages = parts.get("pages", 0.0) + parts.get("copies", 0.0)
    rows = found.checkpoint_age * found.rows / parts["log"] if parts["log"] else 0.0
    if rows:
        written = parts["pages"] / _INNODB_PAGE / found.rows
        row = max(0.0, (parts["log"] - _COMMIT[engine] * commits) / found.rows - _BESIDE)
        new = min(found.inserted / found.rows * row / _FILLED, 0.9 * written)
        longer = parts["log"] / (parts["log"] - min(logged, 0.9 * parts["log"]))
        fewer += (1 - _longer(rows, written, new, longer)) * pages
    made.append((
        f"{more:g} times as many rows to a commit",
        (f"a WriteBatch of {more:g} times as many rows" if engine == "RocksDB" else
         f"BEGIN ... COMMIT around {more:g} times as many rows"),
        fewer, _NEAR, "a crash loses more rows of an open commit",
    ))  # fmt: skip
    if engine == "PostgreSQL":
        asked = max(0.0, found.flushes - found.seconds / _WRITER_S) * each
        made.append(("commits that do not wait for the log", "synchronous_commit = off", asked,
                     _NEAR, "a crash loses the last 0.6 s of commits"))  # fmt: skip
    if engine == "PostgreSQL" and found.images and found.checkpoints:
        left = _farther(found.rows / found.checkpoints, found.images / found.checkpoints)
        records = _RECORD * found.rows
        image = min(_POSTGRES_PAGE * found.images, max(parts["log"] - records, 0.0))
        made.append(("checkpoints twice as far apart", "checkpoint_timeout and max_wal_size twice",
                     (1 - left) * (image + parts["pages"]), _FAR,
                     "a start after a crash takes twice as long"))  # fmt: skip
    if engine == "InnoDB":
        if rows:
            longer = (1 - _longer(rows, written, new, 4.0)) * pages
            made.append(("a log four times as large", "innodb_log_file_size four times", longer,
                         _FAR, "a start after a crash takes longer"))  # fmt: skip
        made.append(("pages that are not copied first", "innodb_doublewrite = 0", parts["copies"],
                     _NEAR, "a page half written at a crash is lost, unless the drive or the file "
                     "system writes 16 KiB whole"))  # fmt: skip
    if engine == "RocksDB":
        asked = parts["flushes"] + parts.get("file_system", 0.0) + parts["log"] / 2
        error = max(_NEAR, parts["log"] / 2 / asked) if found.flushes else 0.0
        made.append(("commits that do not wait for the log", "WriteOptions::sync = false",
                     asked * (found.flushes > 0), error, "a crash of the system loses what it had "
                     "not written, of some 30 s"))  # fmt: skip
        files = _smaller(found, 4) * (parts["memtables"] + parts["merges"])
        made.append(("a write buffer and a first level four times as large",
                     "write_buffer_size and max_bytes_for_level_base four times", files, _FAR,
                     "takes memory, and a start after a crash takes longer"))  # fmt: skip
    shares = []
    for change, option, saved, error, risk in made:
        share = saved / found.total if saved > 0 else 0.0
        if share:
            low, high = share * (1 - error), min(1.0, share * (1 + error))
            shares.append(Saving(change, option, low, share, high, risk))
    return sorted(shares, key=lambda one: -one.middle)


def _smaller(found: EngineWrites, times: float) -> float:
    """Return the share of RocksDB's files that a larger buffer and first level would save.

    It is 0 where the engine does not tell its tree, or does not write as the law says.
    """
    tree, built = found.tree, found.parts["memtables"] + found.parts["merges"]
    if not (tree and found.rows and built and found.parts["log"]):
        return 0.0
    record = max(1.0, found.parts["log"] / found.rows)

    def law(scale: float) -> float:
        """Return bytes of files for each of records, the mean of those replaced and new."""
        made = [
            lsm_levelled(
                tree["data_bytes"], scale * tree["memtable_bytes"], load, ratio=tree["ratio"],
                level_bytes=scale * tree["level_bytes"], file_bytes=tree["file_bytes"],
                level0_files=tree["level0_files"], record_bytes=record,
                dynamic=bool(tree["dynamic"]),
            )
            for load in _REPLACED_OR_NEW
        ]  # fmt: skip
        return sum(float(one.flush + one.merges) for one in made) / 2

    try:
        now, then = law(1), law(times)
    except ValueError:  # a tree smaller than its first level
        return 0.0
    alike = 1 / _LIKE < built / found.parts["log"] / now < _LIKE
    return 1 - then / now if alike and then < (1 - _LEAST) * now else 0.0


def _farther(rows: float, pages: float) -> float:
    """Return the pages written for each row, over those before, if checkpoints are twice apart."""
    if pages >= 0.999 * rows:
        return 1.0

    from scipy.optimize import brentq

    def lacking(size: float) -> float:
        return float(pages_touched(rows, size)) - pages

    size = brentq(lacking, max(1.0, pages * 0.999), 1e12, xtol=1e-6 * pages)
    return float(pages_touched(2 * rows, size)) / (2 * pages)


def _longer(rows: float, each: float, new: float, times: float) -> float:
    """Return the pages written for each row, over those before, if pages wait for more rows."""
    shared = _SHARED / (rows + _SHARED)
    own = min(max(each - new - shared, 1e-12), 0.999)
    size = own * rows / (1 - own)
    late = times * rows
    later = size / (late + size) + _SHARED / (late + _SHARED) + new
    return later / max(own + shared + new, later)
