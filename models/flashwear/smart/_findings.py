"""Warnings in the report of a drive: spare blocks, errors, failed attributes, wear."""

import math
import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from flashwear.smart._checked import positive
from flashwear.smart._firmware import notices
from flashwear.smart._found import Attribute
from flashwear.smart._report import Report
from flashwear.smart._rules import UNSOURCED, rules_of, used_up
from flashwear.smart._words import FINDINGS, WEAR_DOUBTS

_WARNINGS = {  # bits of the critical warning of NVMe
    0: "spare_below_threshold", 1: "temperature", 2: "reliability_degraded", 3: "read_only",
    4: "backup_failed", 5: "persistent_memory",
}  # fmt: skip
_ONLY_HOT = 1 << 1
WORN = 90  # percent of the rated life, unless the caller warns earlier
_NARROW = 90  # percent: a threshold of spare blocks above it leaves no room for half of them
_CONSEQUENCES = {  # findings that say nothing more about a drive whose rated life is used up
    "failed", "reliability_degraded", "attribute_low", "past_life", "past_rating", "past_list",
    "spare_used", "some_reallocated", "error_log", "refused_commands", "attribute_low_once",
    "partial", "firmware_note", "temperature", "was_hot", "overheated", "interface_errors",
    "contradiction", "failed_once", "past_rating_alone",
}  # fmt: skip
_WEAR_NAMES = re.compile(
    r"wear|life_?(?:left|used|remain|curr)|lifetime_(?:left|used|remain)|rated_life", re.IGNORECASE
)
_LEAST_LIMIT = 30  # °C; a lower limit is none
_NEAR, _NEAR_GUESS = 5, 2  # °C below its limit, of a drive that was above it or tells none
_WARM = 70  # °C, what NVM Express recommends for the warning threshold of a drive
_HOT = 85  # °C, by which most NVMe drives warn
_MANY_BLOCKS = 100  # more than 99 of 100 drives of the collection have replaced
_PACKED_BLOCKS = 4096  # of which 9 of the 13 counts beyond it are multiples: not of blocks
_FEW_BLOCKS = 50  # of 100, by the log of OCP
_BY_KIND = {"dies_at_hours": "firmware_kills", "misreports": "firmware_note"}
_OF_MEDIA = ("media_errors", "pending_sectors", "reallocated_blocks")
_RESERVED = {2: 80, 3: 90}  # percent used, by what an eMMC tells before the end of its life
_HOT_SHARE = 0.01  # of the time under power, above the temperature at which the drive warns
_OF_LINK = re.compile("crc", re.IGNORECASE)
_FEW_ON_LINK, _MANY_ON_LINK = 10, 1000  # errors that are told, and that may go on
_LATELY = 168  # hours
_TIMES_APART = 20  # life used over rating used, beyond what any write amplification makes it
_NEW = 100  # the value of an attribute that has lost nothing
_SAYS_LITTLE = re.compile("temperature|ecc", re.IGNORECASE)  # corrected errors come and go
_FAR = 80  # percent used, below which a drive's own count outweighs its rating
_LARGEST_COUNT = 2**24  # beyond it a raw value is several numbers in one
_OTHER_MEANINGS = (
    "not_in_use", "unknown", "spare", "initial", "factory", "error_correction", "ecc_cnt", "host_",
    "tot_ct",
)  # fmt: skip
_UNSURE_PENDING = ("smi",)  # another meaning
_COMES_AND_GOES = ("crucial-mx500",)  # a single one
_PACKED_ERRORS = ("intel-client",)  # raw value of 187: rates and counts in one
_OTHER_ERRORS = ("sandisk-cloudspeed",)  # 88 drives have multiples of 13 or of 163 of them


class Finding(NamedTuple):
    """A warning about a drive, or a fact worth knowing."""

    word: str
    """Short name of the finding, a key of ``smart.FINDINGS``."""
    level: str
    """"critical", "warning" or "note"."""
    text: str
    """What was found, with its numbers."""

    @property
    def advice(self) -> str:
        """What to do, by the table of findings."""
        return FINDINGS[self.word].advice


def observed(report: Report, rated: float | None, warn_percent: float) -> tuple[Finding, ...]:
    """Return the warnings and notes on a report, except those that need a forecast."""
    warn_percent = positive("warn_percent", warn_percent)
    found = dict[str, str]()
    for words in (
        _firmware(report),
        _own_verdict(report),
        _nvme(report),
        _attributes(report),
        _errors(report),
        _temperature(report),
        _wear(report, rated, warn_percent),
        _smartctl(report),
    ):
        for word, text in words:
            found.setdefault(word, text)
    if report.health.get("critical_warning") == _ONLY_HOT:
        found.pop("failed", None)  # which says nothing more
    _tell_used_up(report, found)
    return tuple(Finding(word, FINDINGS[word].level, text) for word, text in found.items())


_Words = Iterator[tuple[str, str]]


def _firmware(report: Report) -> _Words:
    """Tell what is published about this firmware, with the hours that are left."""
    hours = report.power_on_hours
    for notice in notices(report.model, report.firmware):
        text = f"{notice.what} ({notice.notice or notice.source})"
        if not notice.firmware_known:
            yield "firmware_note", f"not known whether it applies, for lack of the firmware: {text}"
            continue
        if notice.kind == "read_only_at_limit":
            if (report.percent_used or 0) >= WORN:
                yield "copy_before_off", f"copy everything before you switch it off. {text}"
            continue
        if notice.hours and hours is not None:
            left = notice.hours - hours
            text = (
                f"{left:,} hours under power left until {notice.hours:,}: {text}"
                if left > 0
                else f"{hours:,} hours under power, past {notice.hours:,}: {text}"
            )
        word = _BY_KIND.get(notice.kind, "firmware_fault")
        if notice.kind == "counts_first" and not any(map(fault_counts(report).get, _OF_MEDIA)):
            word = "firmware_note"
        yield word, text


def only_failed(report: Report, found: Collection[str]) -> bool:
    """Return whether a drive says FAILED or warns, but shows no fault other than wear."""
    return (
        not {"failed", "reliability_degraded"}.isdisjoint(found)
        and not set(found) - _CONSEQUENCES
        and not any(word in report.flags for word in WEAR_DOUBTS)
        and (report.kind != "nvme" or report.health.get("critical_warning", 4) == 4)
    )


def _tell_used_up(report: Report, found: dict[str, str]) -> None:
    """Put in place of FAILED that the rated life is used up, where nothing else speaks for it."""
    used = report.percent_used
    says = "says FAILED" if "failed" in found else "warns of its reliability"
    seen = used_up(report.model)
    if used is None or used < 100 or not only_failed(report, found):
        worn = _worn_alone(report)
        if worn and "failed" in found and not set(found) - _CONSEQUENCES - {"worn"}:
            low = found.pop("attribute_low")
            found.pop("failed")
            found["failed_used_up"] = (
                f"the drive {says} because its own count of wear ran out: {low}"
            )
        return
    for word in ("failed", "reliability_degraded", "attribute_low"):
        found.pop(word, None)
    if seen:
        found["failed_used_up"] = (
            f"the drive {says} because its rated life is used up, as {seen.used_up} of "
            f"{seen.failed} {seen.line} that said so and showed nothing else (reports by Linux "
            "users, linux-hardware.org)"
        )
    else:
        found["failed_and_used_up"] = (
            f"the drive {says}, and its rated life is used up; whether for that reason is not known"
        )


def _own_verdict(report: Report) -> _Words:
    if report.passed is False or report.exit_status & 8:
        said = f": {report.said}" if report.said else ""
        yield "failed", FINDINGS["failed"].says + said
    elif report.said:
        yield "other_program", report.said
    if report.self_test_failed:
        yield "self_test_failed", FINDINGS["self_test_failed"].says


def _nvme(report: Report) -> _Words:
    health = report.health
    spare, least = health.get("available_spare"), health.get("available_spare_threshold", 0)
    if spare is not None and least < 100 and "all_zero" not in report.flags:
        asked = f"; the drive warns below {least} %" if least else ""
        text = f"{spare} % of the spare blocks are left{asked}"
        if spare < max(least, 1):
            yield "spare_below_threshold", text
        elif spare < (100 + least) / 2 and least <= _NARROW:
            yield "spare_low", text
        elif spare < 100:
            yield "spare_used", text
    if (reserve := health.get("pre_eol_info", 0)) in _RESERVED:
        word = "spare_below_threshold" if reserve == max(_RESERVED) else "spare_low"
        yield word, f"{_RESERVED[reserve]} % or more of the reserved blocks are used"
    for name in ("user_blocks_health", "system_blocks_health"):
        left = health.get(name, 100)
        if left < _FEW_BLOCKS:
            word = "reallocated_blocks" if left else "reliability_degraded"
            yield word, f"many blocks are bad: the log of OCP gives {left} of 100"
    if health.get("capacitor_health", 100) < 100:
        yield "backup_weak", f"the capacitors hold {health['capacitor_health']} % of what it takes"
    system = health.get("system_percent_used", 0)
    if system >= WORN:
        word = "past_life" if system >= 100 else "worn"
        yield word, f"{system} % of the life of the area for the drive's own data is used"
    bits = health.get("critical_warning", 0) | health.get("endurance_group_warning", 0)
    for bit, word in _WARNINGS.items():
        if bits >> bit & 1 and bit == 0 and spare is not None and spare >= max(least, 1):
            yield word, f"the drive sets its warning of few spare blocks, though {spare} % are left"
        elif bits >> bit & 1:
            yield word, FINDINGS[word].says
    if bits >> len(_WARNINGS):
        yield "unknown_warning", f"the drive gives the warning {bits:#x}, of unknown meaning"


def at_threshold(row: Attribute) -> bool:
    """Return whether an attribute is at its threshold now, by its flag or by its value.

    A threshold as high as the value of a new drive says nothing while the value is still that, nor
    does one of a temperature.
    """
    untouched = min(row.value or 0, row.threshold or 0) >= _NEW
    if untouched or "temperature" in row.name.lower():
        return False
    low = bool(row.threshold) and row.value is not None and row.value <= (row.threshold or 0)
    return row.failed == "now" or low


def _attributes(report: Report) -> _Words:
    wear, found = wear_counters(report), dict[str, list[str]]()
    named = sorted(report.attributes.items(), key=lambda one: "unknown" in one[1].name.lower())
    for number, row in named:
        name = f"attribute {number}, {row.name}," if row.name else f"attribute {number}"
        at = f"is at {row.value}, its threshold {row.threshold}"
        fails = row.prefailure and number not in wear
        if at_threshold(row):
            word = "attribute_failing" if fails else "attribute_low"
            found.setdefault(word, []).append(f"{name} {at}")
        elif row.failed:
            grave = fails and row.failed == "past" and not _SAYS_LITTLE.search(row.name)
            word = "attribute_failed_once" if grave else "attribute_low_once"
            told = at if row.failed == "now" else "was at its threshold"
            found.setdefault(word, []).append(f"{name} {told}")
    yield from ((word, "; ".join(texts)) for word, texts in found.items())


def wear_counters(report: Report) -> set[int]:
    """Return the numbers of the attributes that count wear, by the drive's rules or by name.

    None are returned if the life used is known and not near its end, since such attributes then
    count something else.
    """
    used, doubted = report.percent_used, any(word in report.flags for word in WEAR_DOUBTS)
    if used is not None and used < WORN and not doubted:
        return set()
    sets = rules_of(report.family)
    by_rule = {
        int(number)
        for rule in sets.get("percent_used", ())
        if rule.source == "attribute"
        for number, _ in rule.terms
    }
    named = (number for number, row in report.attributes.items() if _WEAR_NAMES.search(row.name))
    return by_rule | set(named)


def _worn_alone(report: Report) -> set[int]:
    """Return the counters of wear at their threshold, if no other attribute is at its own."""
    low = {number for number, row in report.attributes.items() if at_threshold(row)}
    return low if low <= wear_counters(report) else set()


def _count(row: Attribute | None, family: str | None = None) -> int:
    """Return the raw value of an attribute where it is a count of faults.

    Where the report has no names, the number alone says so, of a drive of a known family.
    """
    if row is None or row.raw is None or row.raw >= _LARGEST_COUNT:
        return 0
    if not row.name and family is None:
        return 0
    name = row.name.lower()
    return 0 if any(word in name for word in _OTHER_MEANINGS) else row.raw


def _sectors(row: Attribute | None, family: str | None) -> int:
    """Return a count of sectors: some makers count retired blocks under these numbers."""
    blocks = row is not None and re.search("blk|block", row.name, re.IGNORECASE)
    return 0 if blocks else _count(row, family)


def _several(count: int, noun: str, many: str | None = None) -> str:
    return f"{count:,} {noun if count == 1 else many or f'{noun}s'}"


def fault_counts(report: Report) -> dict[str, int]:
    """Return the counts of a report that rise with each fault, by the finding that they lead to."""
    rows, family = report.attributes, report.family
    reported = 0 if family in _PACKED_ERRORS else _count(rows.get(187), family)
    counted = report.statistics.get("uncorrectable_errors")
    if counted is not None and family not in _OTHER_ERRORS and counted < _LARGEST_COUNT:
        both = 187 in rows and family not in _PACKED_ERRORS
        reported = min(reported, counted) if both else counted
    media = max(
        reported,
        _sectors(rows.get(198), family),
        _count(rows.get(184)),
        report.health.get("media_errors", 0),
        report.health.get("uncorrectable_reads", 0),
        report.scsi.get("uncorrected_errors", 0),
    )
    pending = 0 if family in _UNSURE_PENDING else _sectors(rows.get(197), family)
    pending = 0 if family in _COMES_AND_GOES and pending == 1 else pending
    link, replaced = rows.get(199), _count(rows.get(5), family)
    untouched = 5 in rows and (rows[5].value or _NEW) >= _NEW - 1
    return {
        "media_errors": media,
        "pending_sectors": max(
            pending,
            report.statistics.get("pending_defects", 0),
            report.scsi.get("pending_defects", 0),
        ),
        "reallocated_blocks": max(
            0 if replaced % _PACKED_BLOCKS == 0 and untouched else replaced,
            report.statistics.get("reallocated_sectors", 0),
            report.scsi.get("grown_defects", 0),
        ),
        "interface_errors": max(
            _count(link, family) if link and _OF_LINK.search(link.name or "crc") else 0,
            report.statistics.get("interface_errors", 0),
        ),
    }


def _errors(report: Report) -> _Words:
    counts = fault_counts(report)
    if errors := counts["media_errors"]:
        yield "media_errors", f"{_several(errors, 'error')} could not be corrected"
    elif report.unreadable_data:
        yield "media_errors", "the log of errors holds data that could not be read"
    if report.logged_errors:
        yield "error_log", f"{_several(report.logged_errors, 'error')} in the log of errors"
    yield from _entries(report, counts["media_errors"])
    if pending := counts["pending_sectors"]:
        yield "pending_sectors", f"{_several(pending, 'sector')} could not be read so far"
    if (link := counts["interface_errors"]) >= _FEW_ON_LINK:
        text = f"{_several(link, 'error')} between drive and computer"
        last = report.last_error_hours
        ago = -1 if last is None else (report.power_on_hours or 0) - last
        if link >= _MANY_ON_LINK and 0 <= ago <= _LATELY:
            told = f"{text}; the last in its log of errors is {_several(ago, 'hour')} old"
            yield "interface_errors_rise", told
        else:
            yield "interface_errors", text
    blocks = counts["reallocated_blocks"]
    if blocks >= _MANY_BLOCKS:
        yield "reallocated_blocks", f"{_several(blocks, 'block')} replaced"
    elif blocks:
        yield "some_reallocated", f"{_several(blocks, 'block')} replaced, as on many drives"
    elif packed := _count(report.attributes.get(5), report.family):
        yield "some_reallocated", f"its count of replaced blocks, {packed:,}, counts something else"


def _entries(report: Report, media_errors: int) -> _Words:
    """Tell what stands in the log of errors of an NVMe drive; most list commands it refused.

    The log has no dates: a single failure that no counter knows may be as old as the drive.
    """
    health = report.health
    listed = health.get("listed_errors", 0)
    entries = max(health.get("num_err_log_entries", 0), listed)
    failed = health.get("listed_media_errors", 0)
    writes = health.get("listed_refused_writes", 0)
    of = f"of {listed:,} listed in the log of errors, which counts {entries:,}"
    if failed + writes == 1 and not media_errors:
        what = "failed read or write" if failed else "write that the drive refused"
        yield "failed_once", f"1 {what} {of}"
    elif failed:
        count = _several(failed, "failed read or write", "failed reads or writes")
        yield "media_errors", f"{count} {of}"
    if writes and failed + writes > 1:
        yield "writes_refused", f"{_several(writes, 'write')} that the drive refused, {of}"
    if entries and not (failed or writes):
        counted = _several(entries, "entry", "entries")
        if listed and listed == health["listed_refused"]:
            meaning = "the commands that it lists were refused, which is no fault"
        elif listed:
            meaning = "not only refused commands: an error of the drive is among those listed"
        else:
            meaning = "not shown in this report; most are commands that a drive refused"
        yield "refused_commands", f"{counted} in the log of error information; {meaning}"


def _temperature(report: Report) -> _Words:
    now, health, ata = report.temperature_c, report.health, report.statistics
    limits = (
        report.scsi.get("trip_temperature_c", 0),
        ata.get("maximum_temperature_c", 0),
        health.get("warning_temperature_c", 0),
        health.get("critical_temperature_c", 0),
    )
    told = next((limit for limit in limits if limit > _LEAST_LIMIT), None)
    usual = {"ata": _WARM, "nvme": _HOT}  # what sheets name
    trip = told or usual.get(report.kind)
    near = _NEAR if told else _NEAR_GUESS * (report.kind == "ata")
    minutes, warned = health.get("critical_comp_time", 0), health.get("warning_temp_time", 0)
    past = (
        f"it was above its critical temperature for {_several(minutes, 'minute')}, and above the "
        f"one at which it warns for {warned:,}"
    )
    if over := ata.get("over_temperature_minutes", 0):
        minutes, past = over, f"it was above its limit for {_several(over, 'minute')}"
    if now is not None and trip and now >= trip:
        below = "the drive is" if told else "such drives are"
        yield "temperature", f"{now} °C; {below} to be used below {trip} °C"
    elif now is not None and trip and (minutes or (not told and near)) and now >= trip - near:
        limit = f"{now} °C, near its limit of {trip} °C" if told else f"{now} °C"
        yield "temperature", f"{limit}; {past}" if minutes else limit
    elif now is not None and not told and minutes and now >= _WARM:
        yield "temperature", f"{now} °C; {past}"
    elif minutes + warned > _HOT_SHARE * 60 * (report.power_on_hours or math.inf):
        yield "overheated", f"of {report.power_on_hours:,} hours under power {past}"
    elif minutes:
        yield "was_hot", past


def _wear(report: Report, rated: float | None, warn_percent: float) -> _Words:
    used, written = report.percent_used, report.host_bytes_written
    if used is not None and not any(word in report.flags for word in WEAR_DOUBTS):
        if used >= 100:
            yield "past_life", f"{used} % of its rated life is used"
        elif used >= warn_percent:
            yield "worn", f"{used} % of its rated life is used"
    elif used is None and (left := report.told_left) is not None and left <= 100 - warn_percent:
        yield "worn", f"CrystalDiskInfo says that {left} % of its life are left"
    if used is not None and used < WORN <= (worse := report.worse_percent_used or 0):
        text = f"{worse} % of its life is used by the worse of its two counts of wear"
        yield "contradiction", f"{text}, {used} % by the other"
    doubtful = {"host_unit_doubtful", "host_rate_implausible"} & set(report.flags)
    if not rated or not written or doubtful:
        return
    share = 100 * written / rated
    if used is not None and used >= WORN and used > _TIMES_APART * share:
        yield (
            "contradiction",
            f"{used} % of its life is used by its own count, but {share:.2g} % of what it is "
            "rated for is written: one of the two counts is wrong",
        )
    if share > 100:
        by = report.rules.get("rated_bytes") if rated == report.rated_bytes else None
        text = f"{share:,.0f} % of what it is rated for is written" + (f" ({by})" if by else "")
        word = "past_list" if by and by.endswith(UNSOURCED) else "past_rating"
        doubted = any(flag in report.flags for flag in WEAR_DOUBTS)
        if word == "past_rating" and used is not None and used < _FAR and not doubted:
            word = "past_rating_alone"
            text += f", but its own count of wear stands at {used} %"
        yield word, text


def _smartctl(report: Report) -> _Words:
    """Decode the exit status of smartctl; bit 3 is the verdict of the drive."""
    bits = report.exit_status
    if bits & 3:
        yield "no_data", FINDINGS["no_data"].says
    if bits & 4:
        yield "partial", FINDINGS["partial"].says
    if bits & 16 and (not report.attributes or "truncated" in report.flags):  # else the rows tell
        yield "attribute_failing", FINDINGS["attribute_failing"].says
    if bits & 32:
        yield "attribute_low_once", "an attribute is or was at its threshold"
    if bits & 64:
        yield "error_log", FINDINGS["error_log"].says
    if bits & 128:
        yield "self_test_failed", "the log of self-tests holds an error"
