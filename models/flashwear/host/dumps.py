"""What RocksDB tells of its own writes: the dumps of statistics in its LOG, as text."""

from __future__ import annotations

import re
from itertools import islice

_MIB, _GIB = 2.0**20, 2.0**30
_UNITS = {"KB": 2.0**10, "MB": _MIB, "GB": _GIB, "TB": 2.0**40}
_RATE = r"(\d{1,12}\.\d\d) GB[a-z ]{0,9}, (\d{1,9}\.\d\d) MB/s"
_COUNT = r"(\d{1,12})([KMG]?)"
_WRITES = re.compile(rf"Cumulative writes: {_COUNT} writes, {_COUNT} keys")
_LOG = re.compile(
    r"Cumulative WAL: \d{1,12}[KMG]? writes, " + _COUNT + r" syncs, [\d.]{1,20} writes per sync, "
    r"written: " + _RATE
)
_UPTIME = re.compile(r"Uptime\(secs\): (\d{1,12}\.\d) total")
_FLUSH = re.compile(r"Flush\(GB\): cumulative (\d{1,12}\.\d{3})")
_COMPACTION = re.compile(r"Cumulative compaction: " + _RATE)
_FAMILY = re.compile(r"\*\* Compaction Stats \[([^\]]{0,100})\] \*\*")
_LEVEL = re.compile(
    r"^ {0,9}L(\d{1,2}) +\d+/\d+ +(\d{1,12}\.\d\d) ([KMGT]B) (.{0,400})$", re.MULTILINE
)
_TITLES = re.compile(r"^Level .{0,400}$", re.MULTILINE)
_OPTION = re.compile(r"Options\.(\w{1,60}): {0,9}([\w.]{1,40})$", re.MULTILINE)
_OPTIONS = {
    "max_bytes_for_level_multiplier": "ratio", "max_bytes_for_level_base": "level_bytes",
    "level0_file_num_compaction_trigger": "level0_files", "target_file_size_base": "file_bytes",
    "level_compaction_dynamic_level_bytes": "dynamic",
}  # fmt: skip
_HEAD = 1 << 20  # characters in which options are looked for
_TRIED, _FAMILIES = 100, 1 << 14  # most dumps that are looked at, and tables of families in one


def last_dump(text: str) -> tuple[dict[str, float], dict[str, float]] | None:
    """Return the counters of the last dump that is whole, and its tree; None where there is none.

    Figures are in the middle of what is cut to them. Column families are summed; the tree is told
    if one of them alone has written.

    Examples
    --------
    >>> last_dump("hello")
    """
    end = len(text)
    for _ in range(_TRIED):
        begin = max(text.rfind("DUMPING STATS", 0, end), 0)
        found = _dump(text, begin, end)
        if found:
            return found
        end = begin
    return None


def _dump(text: str, begin: int, end: int) -> tuple[dict[str, float], dict[str, float]] | None:
    """Return what a dump tells, or None where a part of it is missing."""
    uptime = max((float(one[1]) for one in _UPTIME.finditer(text, begin, end)), default=0.0)
    log, writes = _LOG.search(text, begin, end), _WRITES.search(text, begin, end)
    starts = list(islice(_FAMILY.finditer(text, begin, end), _FAMILIES))
    stops = [family.start() for family in starts[1:]] + [end]
    families: dict[str, tuple[float, float]] = {}
    tables: dict[str, tuple[int, int]] = {}
    for family, stop in zip(starts, stops, strict=False):
        part = family.end(), stop
        flush, merged = _FLUSH.search(text, *part), _COMPACTION.search(text, *part)
        if flush and merged:
            written = _bytes(merged[1], merged[2], uptime)
            families[family[1]] = float(flush[1]) * _GIB, written
        elif _TITLES.search(text, *part):
            tables[family[1]] = part
    if not (log and writes and families):
        return None
    flushed, written = (sum(each) for each in zip(*families.values(), strict=True))
    counts = {
        "seconds": uptime, "log": _bytes(log[3], log[4], uptime), "syncs": _count(log[1], log[2]),
        "writes": _count(writes[1], writes[2]), "keys": _count(writes[3], writes[4]),
        "flushed": flushed, "written": max(flushed, written),
    }  # fmt: skip
    busy = [name for name, (_, written) in families.items() if written and name in tables]
    return counts, _tree(text, *tables[busy[0]], flushed) if len(busy) == 1 else {}


def _tree(text: str, begin: int, end: int, flushed: float) -> dict[str, float]:
    """Return sizes and options of a levelled tree; nothing where one is not told."""
    options = dict(reversed(_OPTION.findall(text[:_HEAD])))
    levels = {int(row[1]): row for row in _LEVEL.finditer(text, begin, end)}
    titles = _TITLES.search(text, begin, end)
    if options.get("compaction_style") != "kCompactionStyleLevel" or 0 not in levels or not titles:
        return {}
    row = dict(zip(titles[0].split()[3:], levels[0][4].split(), strict=False))
    last = levels[max(levels)]
    try:
        found = {short: float(options[name]) for name, short in _OPTIONS.items()}
        memtable = flushed / float(row["Comp(cnt)"])
    except (KeyError, ValueError, ZeroDivisionError):
        return {}
    return found | {"memtable_bytes": memtable, "data_bytes": float(last[2]) * _UNITS[last[3]]}


def _bytes(amount: str, rate: str, uptime: float) -> float:
    """Return the middle of the bytes that a rounded amount and a rounded rate leave."""
    low, high = ((float(amount) + half) * _GIB for half in (-0.005, 0.005))
    least = (float(rate) - 0.005) * _MIB * (uptime - 0.05)
    most = (float(rate) + 0.005) * _MIB * (uptime + 0.05)
    if max(low, least) <= min(high, most):
        low, high = max(low, least), min(high, most)
    return max(0.0, (low + high) / 2)


def _count(digits: str, unit: str) -> float:
    """Return a count, or the middle of those that are cut to it."""
    return (float(digits) + 0.5 * bool(unit)) * 1000.0 ** " KMG".index(unit or " ")
