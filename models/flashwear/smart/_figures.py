"""Convert counters to bytes, erases and wear by the rules of the drive's family."""

import math
from dataclasses import fields

from flashwear.smart._found import Found, raw_number
from flashwear.smart._named import rules_by_name
from flashwear.smart._other_devices import other_device
from flashwear.smart._report import FLAGS, Report
from flashwear.smart._rules import (
    FIGURES,
    Family,
    Rule,
    family_of,
    firmware_decides,
    fits_firmware,
    rating,
    rules,
)

_SECTOR = 512
_WRAP = 2**32 * _SECTOR  # device statistics that count sectors in 32 bits
_PAGE = (11_000, 16_900)  # host bytes per host page, whose nominal size is 16 KiB
_PAGES_PER_ERASE = (0.5, 3.0)  # flash bytes per erase, over user capacity
_FULL_ERASES = ("micron-16k", "micron-16k-stop", "micron-dc")  # no large cache of SLC blocks
_OTHER_SCALE = ("intel-client",)  # where 233 and the device statistics do not mean the same
_FALLS_BACK = ("crucial-mx300", "micron-1100")  # where life used follows erases that fall back
_AGREE = 5  # percent of life by which two counters of it may differ
_NOT_COMPARED = ("limit", "fits", "alone")  # rules that stand in for another, and check none
_HOST_BYTES_PER_S = {"ata": 0.6e9, "nvme": 8e9, "scsi": 8e9}
_NAND_BYTES_PER_S = 1e9
_LEAST_HOST = 100e9  # for a ratio to mean something
_HOTTEST = 125  # °C that a drive can tell of itself
_NVME_WAF = (0.9, 100)  # beyond it, logs of two drives

_ATTRIBUTE = {
    "power_on_hours": "power_on_hours", "host_bytes": "host_bytes_written",
    "nand_bytes": "nand_bytes_written", "slc_bytes": "slc_bytes_written",
    "erases": "average_erases", "percent_used": "percent_used", "waf_reported": "waf_reported",
}  # fmt: skip


class _Figures:
    """The figures of one drive while they are found and checked."""

    def __init__(self, found: Found, family: Family | None) -> None:
        self.found = found
        self.flags = set(found.flags)
        self.value: dict[str, float] = {}
        self.rule: dict[str, Rule] = {}
        sets = rules()
        standard = sets["standard"] if found.kind == "ata" else {}
        self.family = family.rules if family else ""
        self.cycles = self._cycles(family) if family else 0
        self.right = fits_firmware(family, found) if family else None
        self.falls_back = family is not None and family.name in _FALLS_BACK
        self.used_range: tuple[float, float] | None = None
        own = sets.get(self.family, {})
        self.candidates = {
            figure: own.get(figure) or standard.get(figure, ()) for figure in FIGURES
        }
        if family is None and standard:
            for figure, by_name in rules_by_name(found).items():
                self.candidates[figure] += by_name
        if standard:
            self.candidates["percent_used"] += sets["smartctl"]["percent_used"]
        for figure in FIGURES:
            self._find(figure, self.candidates[figure])

    def _cycles(self, family: Family) -> float:
        row = self.found.attributes.get(family.cycles_attribute or 0)
        return (row.raw or 0) if row else family.cycles

    def _find(self, figure: str, candidates: tuple[Rule, ...]) -> None:
        limited = out_of_range = False
        for rule in candidates:
            given = self.value.get(figure)
            if rule.when == "fits" or (
                given is not None
                and (rule.when in ("", "alone") or (rule.when == "limit" and not limited))
            ):
                continue
            value = self.reading(rule)
            if value is None or (given is not None and value <= given):
                continue
            if not rule.low <= value <= rule.high:
                out_of_range = True
                continue
            self.value[figure], self.rule[figure] = value, rule
            if value >= rule.limit:
                limited = True
                self.flags.add(rule.limit_flag)
            if rule.flag:
                self.flags.add(rule.flag)
            if rule.when == "limit" and not limited:
                self.flags.add("life_used_unconfirmed")
            if rule.wrap and self._wrapped(rule):
                self.flags.add(rule.wrap_flag)
        if out_of_range and figure not in self.value:
            hours = figure == "power_on_hours"
            self.flags.add("poh_implausible" if hours else "counter_out_of_range")

    def reading(self, rule: Rule) -> float | None:
        if rule.source == "none":
            return None
        numbers: list[int] = []
        for name, factor in rule.terms:
            number = self._counter(rule, name)
            if number is None:
                return None
            numbers.append(number * factor)
        return (min(numbers) if rule.least else sum(numbers)) * rule.scale + rule.offset

    def _counter(self, rule: Rule, name: str) -> int | None:
        found = self.found
        logs = {"stat": found.statistics, "nvme": found.health, "scsi": found.scsi}
        if rule.source in logs:
            return logs[rule.source].get(name)
        row = found.attributes.get(int(name))
        if row is None:
            return None
        number = row.value if rule.normalised else row.raw
        if rule.byte is not None:
            words = row.text.split()  # smartctl prints some as three words of 16 bits
            if len(words) == 3 and all(raw_number(word) is not None for word in words):
                high, middle, low = (raw_number(word) or 0 for word in words)
                number = (high << 32) + (middle << 16) + low
            number = None if number is None else number >> 8 * rule.byte & 255
        if number is None:
            self.flags.add("number_unreadable")
        return number

    def _wrapped(self, rule: Rule) -> bool:
        row = self.found.attributes[int(rule.terms[0][0])]
        return (
            row.value is not None
            and row.raw is not None
            and row.raw > 100
            and row.value == (100 - row.raw) % rule.wrap
        )

    def drop(self, *figures: str) -> None:
        for figure in figures:
            self.value.pop(figure, None)
            self.rule.pop(figure, None)

    def check(self) -> None:
        """Compare the counters with each other and leave out impossible ones."""
        if self.value.get("nand_bytes") == 0 and self.value.get("host_bytes"):
            self.drop("nand_bytes")  # a firmware that does not count
        self._check_pages()
        self._check_scopes()
        self._check_erases()
        self._check_host()
        self._check_used()
        self._check_rates()
        self._check_nvme()

    def _check_pages(self) -> None:
        rule = self.rule.get("nand_bytes")
        if rule is None or rule.terms != (("247", 1), ("248", 1)):
            return
        host, pages = self.value.get("host_bytes"), self.found.attributes[247].raw
        if not host or not pages:  # nothing to check them against
            self.drop("nand_bytes")
        elif not _PAGE[0] <= host / pages <= _PAGE[1]:
            self.flags.add("host_pages_inconsistent_with_sectors")
            self.drop("nand_bytes")

    def _check_scopes(self) -> None:
        """Leave out the writes of an endurance group that is another part than the controller's."""
        own = self.found.health.get("data_units_written")
        group = self.found.health.get("endurance_units_written")
        rule = self.rule.get("nand_bytes")
        if not own or not group or abs(group * 1e9 - own * 512_000) <= 0.05 * own * 512_000 + 2e9:
            return
        self.flags.add("scopes_differ")
        if rule and rule.terms[0][0] == "endurance_media_units_written":
            self.drop("nand_bytes")

    def _check_nvme(self) -> None:
        health, host, nand = self.found.health, *map(self.value.get, ("host_bytes", "nand_bytes"))
        if "available_spare" in health and not any(health.values()):
            self.flags.add("all_zero")
        if self.found.kind != "nvme" or nand is None or not host or host < _LEAST_HOST:
            return
        if not _NVME_WAF[0] <= nand / host <= _NVME_WAF[1]:
            self.flags.add("waf_implausible")
            self.drop("nand_bytes")

    def _check_erases(self) -> None:
        value, capacity = self.value, self.found.capacity_bytes
        erases, nand = value.get("erases"), value.get("nand_bytes")
        unchecked = not capacity or erases is None or nand is None
        if self.falls_back and unchecked and "percent_used" in value:
            self.flags.add("life_used_unconfirmed")
        if not capacity or erases is None:
            return
        fills = value.get("host_bytes", 0) / capacity
        if erases + 1 < 0.1 * fills:
            self.flags.add("erase_counter_inconsistent")
        if nand is None or erases < 20:
            return
        share = nand / (erases * capacity)
        if self.family not in _FULL_ERASES:
            if not 0.3 <= share <= _PAGES_PER_ERASE[1]:
                self.flags.add("erase_counter_inconsistent")
        elif share < _PAGES_PER_ERASE[0]:
            self.flags.add("nand_pages_inconsistent_with_erases")
            self.drop("nand_bytes")
        elif share > _PAGES_PER_ERASE[1]:
            self.flags.add("erase_counter_wrapped_suspected")

    def _check_host(self) -> None:
        found, value = self.found, self.value
        hours, counted = value.get("power_on_hours"), found.statistics.get("power_on_hours")
        if hours is not None and counted is not None and abs(hours - counted) > 24:
            self.flags.add("poh_devstat_disagree")
        host, sectors = value.get("host_bytes"), found.statistics.get("sectors_written")
        if host is None or sectors is None or self.rule["host_bytes"].source != "attribute":
            return
        step = max(self.rule["host_bytes"].scale, _SECTOR)
        gap = host - sectors * _SECTOR
        turns = round(gap / _WRAP)
        slack = 0.001 * _WRAP + 2 * step
        if turns > 0 and abs(gap - turns * _WRAP) <= slack and sectors < 2**32:
            self.flags.add("devstat_sectors_wrapped_32bit")
        elif abs(gap) > 0.05 * host + 2 * step:
            self.flags.add("host_devstat_disagree")

    def _check_used(self) -> None:
        """Compare the counters of life used that a family has, and say what they leave open."""
        if "percent_used" not in self.value:
            return
        witness = self._used_by_erases()
        rules = [rule for rule in self.candidates["percent_used"] if rule.source != "none"]
        if witness is not None and not _agree(self.value["percent_used"], witness):
            self._choose_used(rules, witness)
        given, chosen = self.value["percent_used"], self.rule["percent_used"]
        sure = witness is not None and _agree(given, witness)
        counted, stopped = list[float](), list[float]()
        counters = set()
        for rule in [chosen] if self.family in _OTHER_SCALE else rules:
            value = self.reading(rule)
            if value is None or not rule.low <= value <= rule.high:
                continue
            if sure and abs(value - given) > _AGREE and rule.when != "limit":
                continue
            if value >= rule.limit:
                stopped.append(value)
            elif (
                rule is chosen
                or rule.when not in _NOT_COMPARED
                or (stopped and rule.when == "limit")
            ):
                counted.append(value)
            else:
                continue
            counters.add(rule.terms)
        if counted and max(counted + stopped) - min(counted) > _AGREE:
            self.flags.add("life_used_disagree")
        alone = len(counters) == 1 and self.family not in _OTHER_SCALE
        unsure = stopped and chosen.source == "stat"  # 255 means nothing on some drives
        misleads = any(
            rule.flag == "life_used_unconfirmed" and rule.when != "alone" for rule in rules
        )
        if alone and (unsure or misleads):
            self.flags.add("life_used_unconfirmed")
        if sure:
            self.flags -= {"life_used_unconfirmed", "life_used_disagree"}
        if sure or self.right is not None:
            self.flags.discard("firmware_unseen")
        if chosen.flag and self.right is False and alone:
            self.flags.add("life_used_unconfirmed")
        open_to = _AGREE if chosen.flag or (alone and self._has_second(rules)) else 0
        if chosen.when == "alone":
            open_to = 2 * _AGREE  # the device statistics, were they there, leave that open
        self.used_range = (
            max(0.0, min(counted or stopped) - 1 - open_to),
            max(counted) + 1 + open_to if counted else math.inf,
        )

    def _used_by_erases(self) -> float | None:
        """Return roughly what life is used by the erases, or flash writes for want of these."""
        erases, nand = self.value.get("erases"), self.value.get("nand_bytes")
        if erases is None and nand is not None and self.found.capacity_bytes:
            erases = nand / self.found.capacity_bytes
        return 100 * erases / self.cycles if erases is not None and self.cycles else None

    def _choose_used(self, rules: list[Rule], witness: float) -> None:
        """Take another counter where it fits the erases and the one that is taken does not.

        Of the device statistics only too little is mended: erases tell the life used roughly.
        """
        given, chosen = self.value["percent_used"], self.rule["percent_used"]
        least = given + _AGREE if chosen.source == "stat" else -math.inf
        for rule in rules:
            value = self.reading(rule)
            if value is None or not max(rule.low, least) <= value <= rule.high:
                continue
            if _agree(value, witness):
                self.value["percent_used"], self.rule["percent_used"] = value, rule
                self.flags.add("life_used_contradicted")
                return
        if chosen.source != "stat":
            self.flags.add("life_used_disagree")

    def _has_second(self, rules: list[Rule]) -> bool:
        """Say whether drives of this family have another counter of life used."""
        if self.found.kind != "ata":
            return False
        others = [rule for rule in rules if rule.when not in ("limit", "alone")]
        return not self.family or len(others) > 1

    def _check_rates(self) -> None:
        value = self.value
        host, nand = value.get("host_bytes"), value.get("nand_bytes")
        seconds = 3600 * (value.get("power_on_hours", 0) + 1)
        if "power_on_hours" in value:
            if host is not None and host > _HOST_BYTES_PER_S[self.found.kind] * seconds:
                self.flags.add("host_rate_implausible")
            if nand is not None and nand > _NAND_BYTES_PER_S * seconds:
                self.flags.add("nand_rate_implausible")
        if host and nand is not None and host < _LEAST_HOST:
            self.flags.add("host_below_100GB")


def evaluate(found: Found) -> Report:
    """Return the report computed from what was read, by the rules of the drive's family."""
    family = family_of(found)
    figures = _Figures(found, family)
    figures.check()
    flags, value = figures.flags, figures.value
    wear = figures.rule.get("percent_used")
    if found.unsure and wear and found.unsure in dict(wear.terms):
        flags.add("truncated")
    if family is None:
        flags.add("unknown_family")
    if firmware_decides(found):
        flags.add("firmware_missing")
    if other := other_device(found):
        flags.add(other)
    if not (found.attributes or found.statistics or found.health or found.scsi):
        flags.add("no_counters")

    host, nand, pages = value.get("host_bytes"), value.get("nand_bytes"), _pages(figures)
    named = {_ATTRIBUTE[f]: rule.name for f, rule in figures.rule.items() if f in _ATTRIBUTE}
    if pages is not None:
        named["waf_pages"] = "(247+248)/247"
    ratio = _erase_ratio(figures)
    if ratio is not None:
        named["erase_ratio"] = "lower bound" if family and family.erase_bound else "no bound"
    rated = rating(family, found.model, found.capacity_bytes)
    if rated:
        named["rated_bytes"] = rated[1]
    guessed = family is None and {"host_unit_unverified", "nand_unit_unverified"} & flags
    fdp = [found.health.get(f"fdp_{side}_bytes") for side in ("media", "host")]
    told = {f.name: getattr(found, f.name) for f in fields(Report) if hasattr(found, f.name)}
    for figure, name in _ATTRIBUTE.items():
        number = value.get(figure)
        told[name] = number if number is None or figure == "waf_reported" else int(number)
    told["flags"] = tuple(word for word in FLAGS if word in flags)
    if found.temperature_c is None:
        told["temperature_c"] = found.statistics.get("temperature_c", _by_attribute(found))
    return Report(
        **told,
        family=family.name if family else None,
        waf=nand / host if host and nand is not None and not guessed else None,
        waf_pages=pages,
        rated_bytes=rated[0] if rated else None,
        rules=named,
        percent_used_range=_tenth(found, value) or figures.used_range,
        waf_fdp=fdp[0] / fdp[1] if fdp[0] is not None and fdp[1] else None,
        erase_ratio=ratio,
        worse_percent_used=_worse_word(figures),
    )


def _by_attribute(found: Found) -> int | None:
    """Return the temperature of a SATA drive by its attribute 194 or 190, degrees Celsius."""
    for number in (194, 190):
        row = found.attributes.get(number)
        if row and row.raw is not None and "temperature" in row.name.lower():
            degrees = row.raw & 0xFF  # above it stand the least and the most
            return degrees if 0 < degrees <= _HOTTEST else None
    return None


def _worse_word(figures: _Figures) -> int | None:
    """Return the highest of the three words of wear that SanDisk keeps beside that by erases."""
    for rule in figures.candidates["percent_used"]:
        if rule.name == "230 byte 3" and rule.when != "fits":
            used, worse = figures.value.get("percent_used"), figures.reading(rule._replace(byte=5))
            return int(worse) if used is not None and worse and worse - used > _AGREE else None
    return None


def _tenth(found: Found, value: dict[str, float]) -> tuple[float, float] | None:
    """Return the tenth of its life in which an eMMC is."""
    if found.kind != "emmc" or "percent_used" not in value:
        return None
    used = value["percent_used"]
    return (100.0, math.inf) if found.health["emmc_life_beyond"] else (used - 10, used)


def _agree(used: float, by_erases: float) -> bool:
    """Say whether a life used fits the erases: these tell it to a third, for want of a rating."""
    used, by_erases = min(used, 100), min(by_erases, 100)
    return abs(used - by_erases) <= max(_AGREE, max(used, by_erases) / 3)


def _erase_ratio(figures: _Figures) -> float | None:
    host, erases = figures.value.get("host_bytes"), figures.value.get("erases")
    doubtful = {"erase_counter_wrapped_suspected", "erase_counter_inconsistent"} & figures.flags
    capacity = figures.found.capacity_bytes
    if "nand_bytes" in figures.value or doubtful or not (host and erases and capacity):
        return None
    return erases * capacity / host


def _pages(figures: _Figures) -> float | None:
    """Return all pages over host pages, where 247 and 248 are trusted."""
    rule = figures.rule.get("nand_bytes") or figures.rule.get("nand_ratio")
    if rule is None or rule.terms != (("247", 1), ("248", 1)):
        return None
    host, own = (figures.found.attributes[number].raw for number in (247, 248))
    return (host + own) / host if host and own is not None else None
