"""What RocksDB tells of its own writes: the dumps of statistics in its LOG, as text."""

from __future__ import annotations

import re

_MIB, _GIB = 2.0**20, 2.0**30
_UNITS = {"B": 1.0, "KB": 2.0**10, "MB": _MIB, "GB": _GIB, "TB": 2.0**40}
_THOUSANDS = {"": 0, "K": 1, "M": 2, "G": 3}
_RATE = r"(\d{1,12}\.\d\d) GB[a-z ]{0,9}, (\d{1,9}\.\d\d) MB/s"
_WRITES = re.compile(r"Cumulative writes: (\d{1,12}[KMG]?) writes, (\d{1,12}[KMG]?) keys")
_WAL = re.compile(
    r"Cumulative WAL: \d{1,12}[KMG]? writes, (\d{1,12}[KMG]?) syncs, "
    r"[\d.]{1,20} writes per sync, written: " + _RATE
)
_UPTIME = re.compile(r"Uptime\(secs\): (\d{1,12}\.\d) total")
_FLUSH = re.compile(r"Flush\(GB\): cumulative (\d{1,12}\.\d{3})")
_COMPACTION = re.compile(r"Cumulative compaction: " + _RATE)
_FAMILY = re.compile(r"\*\* Compaction Stats \[([^\]]{0,200})\] \*\*")
_LEVEL = re.compile(r"^ {0,9}L(\d{1,2}) +\d+/\d+ +(\d+\.\d\d) ([KMGT]?B) (.{0,400})$", re.MULTILINE)
_COUNTED = re.compile(r"^Level .{0,400}$", re.MULTILINE)
_OPTION = re.compile(r"Options\.(\w{1,60}): {0,9}([\w.]{1,40})$", re.MULTILINE)
_OPTIONS = {
    "max_bytes_for_level_multiplier": "ratio", "max_bytes_for_level_base": "level_bytes",
    "level0_file_num_compaction_trigger": "level0_files", "target_file_size_base": "file_bytes",
    "level_compaction_dynamic_level_bytes": "dynamic",
}  # fmt: skip
_MARK, _TITLE = "DUMPING STATS", "** DB Stats **"
_HEAD = 1 << 20  # characters in which options are looked for


def last_dump(text: str) -> dict[str, float] | None:
    """Return the counters of the last dump that is whole, or None where there is none.

    Bytes are in the middle of what the rounded figures leave: 0.01 GiB, or 0.01 MiB/s times the
    uptime if that is narrower; 0.001 GiB for flushes. From ten thousand on a count is cut to
    thousands, from ten million to millions. Column families are summed. Sizes and options of the
    tree are told if one family alone has written.

    Examples
    --------
    >>> last_dump("hello")
    """
    end = len(text)
    while text.rfind(_TITLE, 0, end) >= 0:
        begin = max(text.rfind(_MARK, 0, end), 0)
        found = _dump(text, begin, end)
        if found:
            return found
        end = begin
    return None


def _dump(text: str, begin: int, end: int) -> dict[str, float] | None:
    """Return what a dump tells, or None where a part of it is missing."""
    uptimes = [float(match[1]) for match in _UPTIME.finditer(text, begin, end)]
    log = list(_WAL.finditer(text, begin, end))
    writes = list(_WRITES.finditer(text, begin, end))
    starts = list(_FAMILY.finditer(text, begin, end))
    if not (uptimes and log and writes and starts):
        return None
    uptime = max(uptimes)
    families: dict[str, tuple[float, float]] = {}
    stops = [match.start() for match in starts[1:]] + [end]
    for family, stop in zip(starts, stops, strict=True):
        flush = _FLUSH.search(text, family.end(), stop)
        merged = _COMPACTION.search(text, family.end(), stop)
        if flush and merged:
            families[family[1]] = float(flush[1]) * _GIB, _bytes(*merged.groups(), uptime)
    if not families:
        return None
    flushed, written = (sum(each) for each in zip(*families.values(), strict=True))
    found = {
        "seconds": uptime, "log": _bytes(log[-1][2], log[-1][3], uptime),
        "syncs": _count(log[-1][1]), "writes": _count(writes[-1][1]),
        "keys": _count(writes[-1][2]), "flushed": flushed, "written": max(flushed, written),
    }  # fmt: skip
    busy = [name for name, (_, written) in families.items() if written]
    if len(busy) == 1:
        tables = [
            (family.end(), stop)
            for family, stop in zip(starts, stops, strict=True)
            if family[1] == busy[0] and _COUNTED.search(text, family.end(), stop)
        ]
        found |= _tree(text, *tables[-1], flushed) if tables else {}
    return found


def _tree(text: str, begin: int, end: int, flushed: float) -> dict[str, float]:
    """Return sizes and options of a levelled tree; nothing where one is not told."""
    options: dict[str, str] = {}
    for name, value in _OPTION.findall(text[:_HEAD]):
        options.setdefault(name, value)
    head = _COUNTED.search(text, begin, end)
    levels = {int(row[1]): row for row in _LEVEL.finditer(text, begin, end)}
    titles = head[0].split()[3:] if head else []
    row = levels[0][4].split() if 0 in levels else []
    if (
        options.get("compaction_style") != "kCompactionStyleLevel"
        or not _OPTIONS.keys() <= options.keys()
        or len(levels) < 2
        or "Comp(cnt)" not in titles
        or len(row) != len(titles)
    ):
        return {}
    last = levels[max(levels)]
    try:
        found = {short: float(options[name]) for name, short in _OPTIONS.items()}
        files = float(row[titles.index("Comp(cnt)")])
        data = float(last[2]) * _UNITS[last[3]]
    except ValueError:
        return {}
    return found | {"memtable_bytes": flushed / files, "data_bytes": data} if files else {}


def _bytes(amount: str, rate: str, uptime: float) -> float:
    """Return the middle of the bytes that a rounded amount and a rounded rate leave."""
    middle = float(amount) * _GIB
    low, high = middle - 0.005 * _GIB, middle + 0.005 * _GIB
    least = (float(rate) - 0.005) * _MIB * (uptime - 0.05)
    most = (float(rate) + 0.005) * _MIB * (uptime + 0.05)
    if max(low, least) <= min(high, most):
        low, high = max(low, least), min(high, most)
    return max(0.0, (low + high) / 2)


def _count(text: str) -> float:
    """Return a count, or the middle of those that are cut to it."""
    digits = text.rstrip("KMG")
    power = _THOUSANDS[text[len(digits) :]]
    return (float(digits) + 0.5 * (power > 0)) * 1000.0**power
