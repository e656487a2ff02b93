"""Count on a collection of SMART reports how far each rule for the life used can be trusted.

The truth is what the device statistics say, of drives that have them. They are set aside where they
are nonsense: 255; families that data/smart_rules.csv says it of; and single drives whose erases
they contradict while another counter fits these. Counted are, for each set of rules,

- which way of reading its counter is best on one half of the firmwares, and what that way is worth
  on the other half (firmwares, never drives, are split, by a hash);
- drives within 1 and 5 points of the truth, by firmware: the table data/smart_fits.csv, which
  `--write` makes;
- erases at which drives of 10 % or more say that 100 % are used: `cycles` in smart_families.csv.

Then the device statistics of every report are taken away: how often the answer is unknown, how far
off a life used that is told without doubt is, and which drives are told on the wrong side of 50 %.
Ends with 1 where the table differs, or where a drive at 80 % or more is told below 50 %.
"""

import argparse
import copy
import csv
import hashlib
import io
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import NamedTuple

import numpy as np

from flashwear import smart, tables
from flashwear.smart._archive import files
from flashwear.smart._figures import _Figures, evaluate
from flashwear.smart._found import Found
from flashwear.smart._read import decoded
from flashwear.smart._rules import Family, Rule, family_of, rules
from flashwear.smart._text import from_text
from flashwear.smart._words import WEAR_DOUBTS

BESIDE = Path(__file__).parents[2] / "shared" / "field" / "reports.tar.xz"
NONSENSE = ("micron-m500", "micron-m550", "crucial-mx100", "micron-c400", "micron-m500dc",
            "micron-m510dc", "crucial-bx500", "crucial-bx500-remaining")  # fmt: skip
COLUMNS = ("rules", "firmware", "drives", "within_1", "within_5", "from_10", "from_10_within_5")
FEW = 3  # percent: below, every way of reading that gives 0 would match


class Drive(NamedTuple):
    """One report: its parts, its family, and what its device statistics say."""

    found: Found
    family: Family | None
    truth: int | None
    with_statistics: smart.Report
    without: smart.Report


def drives(collection: str) -> list[Drive]:
    """Read the solid-state SATA drives of a collection."""
    read = []
    for _, content in files(collection):
        if isinstance(content, str):
            continue
        text = decoded(content).replace("\r\n", "\n")
        # the collection lacks a line in some device statistics and has a blank one in its place
        text = re.sub(r"\n\n(?=0x0[1-7]  )", "\n", text)
        try:
            found = from_text(text)
        except smart.Unreadable:
            continue
        if found.kind != "ata" or found.rotating:
            continue
        left = copy.copy(found)
        left.flags, left.statistics = set(found.flags), {}
        family, whole = family_of(found), evaluate(found)
        truth = found.statistics.get("percentage_used")
        known = truth is not None and truth < 255 and (not family or family.name not in NONSENSE)
        if not known or "life_used_contradicted" in whole.flags:
            truth = None
        read.append(Drive(found, family, truth, whole, evaluate(left)))
    return read


def own_rule(family: Family | None) -> Rule | None:
    """Return the rule that reads the life used of a family from an attribute."""
    of_family = rules()[family.rules].get("percent_used", ()) if family else ()
    own = (rule for rule in of_family if rule.source == "attribute" and rule.when != "fits")
    return next(own, None)


def reading(drive: Drive, rule: Rule) -> float | None:
    """Return what a rule reads in a drive, within its range."""
    value = _Figures(drive.found, drive.family)._reading(rule)
    return value if value is not None and rule.low <= value <= rule.high else None


def off(drive: Drive, rule: Rule) -> float | None:
    """Return how far a rule is from the truth; a counter that has stopped says no more."""
    value = reading(drive, rule)
    if value is None or drive.truth is None:
        return None
    return 0 if value >= rule.limit and drive.truth >= rule.limit else abs(value - drive.truth)


def ways(rule: Rule) -> dict[str, Rule]:
    """Return the ways to read the counter of a rule."""
    made = {"100 - value": (True, -1, 100), "200 - value": (True, -1, 200), "value": (True, 1, 0),
            "raw": (False, 1, 0), "100 - raw": (False, -1, 100)}  # fmt: skip
    found = {"as in the table": rule} | {
        name: rule._replace(
            normalised=value, byte=None, scale=scale, offset=offset, low=0, high=255
        )
        for name, (value, scale, offset) in made.items()
    }
    for byte in range(6):
        found[f"byte {byte}"] = found["raw"]._replace(byte=byte)
    return found


def first_half(line: str) -> bool:
    return hashlib.sha256(line.encode()).digest()[0] % 2 == 0


def choices(by_rules: dict[str, list[Drive]]) -> None:
    """Choose the way to read a counter on half of the firmwares, and report the other half."""
    print("\nWay of reading chosen on one half of the firmwares, reported on the other:")
    for name, group in sorted(by_rules.items()):
        rule = own_rule(group[0].family)
        halves: tuple[list[Drive], list[Drive]] = ([], [])
        for drive in group:
            if drive.truth is not None and drive.truth >= FEW:
                halves[first_half(drive.family.line_of(drive.found) or "")].append(drive)
        if rule is None or not any(halves):
            continue

        def within(half: list[Drive], way: Rule, points: int) -> int:
            return sum((gap := off(drive, way)) is not None and gap <= points for drive in half)

        said = []
        for here, there in (halves, halves[::-1]):
            if not here or not there:
                continue  # one firmware, or one that is worn
            best, way = max(ways(rule).items(), key=lambda way: within(here, way[1], 5))
            lines = {drive.family.line_of(drive.found) for drive in there}
            said.append(
                f"{best}: of {len(there)} others on {len(lines)} firmwares "
                f"{within(there, way, 1)} within 1, {within(there, way, 5)} within 5"
            )
        print(f"  {name} ({rule.name}), at {FEW} % or more: " + "; ".join(said))


def fits(by_rules: dict[str, list[Drive]]) -> list[list[object]]:
    """Return the rows of the table: how well the rule of a set fits, by firmware."""
    rows: list[list[object]] = []
    for name, group in sorted(by_rules.items()):
        rule, by_line = own_rule(group[0].family), defaultdict(list)
        if rule is None:
            continue
        for drive in group:
            if (gap := off(drive, rule)) is not None:
                line = drive.family.line_of(drive.found) or ""
                by_line[line].append((gap, drive.truth >= 10))
        for line, gaps in sorted(by_line.items()):
            worn = [gap for gap, much in gaps if much]
            rows.append([name, line, len(gaps), sum(gap <= 1 for gap, _ in gaps),
                         sum(gap <= 5 for gap, _ in gaps), len(worn),
                         sum(gap <= 5 for gap in worn)])  # fmt: skip
    return rows


def totals(rows: list[list[object]], by_rules: dict[str, list[Drive]]) -> None:
    print("\nDrives whose counter is within 1 and 5 points of the device statistics:")
    for name in sorted(by_rules):
        own = [row[1:] for row in rows if row[0] == name]
        if not own:
            print(f"  {name}: untested, {len(by_rules[name])} drives")
            continue
        read, one, five, worn, worn_five = np.array([row[1:] for row in own], int).sum(0)
        off_lines = [f"{row[0]} {row[3]} of {row[1]}" for row in own if row[3] < row[1]]
        print(
            f"  {name}: {one} and {five} of {read} on {len(own)} firmwares; at 10 % or more "
            f"{worn_five} of {worn} within 5" + "".join(f"; {line}" for line in off_lines)
        )


def cycles(read: list[Drive]) -> None:
    print("\nErases at 100 % of the life used, of drives at 10 % or more (least, median, most):")
    by_row = defaultdict(list)
    for drive in read:
        figures = _Figures(drive.found, drive.family)
        if drive.truth is not None and drive.truth >= 10 and figures.cycles:
            by_row[drive.family].append(figures._used_by_erases() / drive.truth * figures.cycles)
    for family, found in by_row.items():
        told = family.cycles or f"attribute {family.cycles_attribute}"
        least, middle, most = np.quantile(found, (0, 0.5, 1))
        print(
            f"  {family.name} {family.model.pattern} ({told}): {least:,.0f}, {middle:,.0f}, "
            f"{most:,.0f} on {len(found)} drives"
        )


def told(read: list[Drive]) -> int:
    """Print what is told without device statistics; return the number of grave errors."""
    unknown = Counter()
    for drive in read:
        for name, report in (("with", drive.with_statistics), ("without", drive.without)):
            unknown[name] += smart.verdict(report).level == "unknown"
    counts = ", ".join(f"{count / len(read):.1%} {name}" for name, count in unknown.items())
    print(f"\nUnknown, of {len(read):,} reports: {counts} device statistics")

    sure = [drive for drive in read if drive.truth is not None
            and drive.without.percent_used is not None
            and not set(WEAR_DOUBTS) & set(drive.without.flags)]  # fmt: skip
    grave, sides = 0, Counter()
    for least in (0, 10, 50, 80):
        worn = [d for d in read if d.truth is not None and d.truth >= least]
        gaps = [0 if min(d.truth, d.without.percent_used) >= 99
                else abs(d.truth - d.without.percent_used) for d in sure
                if d.truth >= least]  # fmt: skip
        print(
            f"At {least} % or more, of {len(worn):,}: told {len(gaps):,}, within 1 "
            f"{sum(gap <= 1 for gap in gaps):,}, within 5 {sum(gap <= 5 for gap in gaps):,}, "
            f"more than 30 off {sum(gap > 30 for gap in gaps)}"
        )
    for drive in sure:
        truth, used = drive.truth, drive.without.percent_used
        grave += truth >= 80 and used < 50
        if used < 50 <= truth or (truth < 50 and used - truth > 30):
            family = drive.family.name if drive.family else "unknown"
            sides[f"{family} {drive.found.firmware}: {used} told, {truth} true"] += 1
    print("Told on the wrong side of 50 %, or more than 30 too much below it:")
    print(*(f"  {count} x {side}" for side, count in sorted(sides.items())), sep="\n")
    print(f"At 80 % or more and told below 50 %: {grave}")
    return grave


def contradicted(read: list[Drive]) -> None:
    print("\nDevice statistics that the erases contradict, and another counter does not:")
    found = defaultdict(list)
    for drive in read:
        if "life_used_contradicted" in drive.with_statistics.flags:
            key = f"{drive.family.name} {drive.found.firmware}"
            found[key].append(
                (drive.found.statistics.get("percentage_used"), drive.with_statistics.percent_used)
            )
    for key, pairs in sorted(found.items()):
        print(f"  {key}, {len(pairs)} drives: (statistics, used)", *sorted(set(pairs))[:8])


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("collection", nargs="?", default=str(BESIDE), help="folder or archive")
    parser.add_argument("--write", action="store_true", help="make data/smart_fits.csv")
    options = parser.parse_args()
    if not Path(options.collection).exists():
        print(f"no collection at {options.collection}: nothing is counted")
        return 0

    read = drives(options.collection)
    by_rules: dict[str, list[Drive]] = defaultdict(list)
    for drive in read:
        if drive.family:
            by_rules[drive.family.rules].append(drive)
    rows = fits(by_rules)
    choices(by_rules)
    totals(rows, by_rules)
    cycles(read)
    contradicted(read)
    grave = told(read)

    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows([COLUMNS, *rows])
    table = tables.data_folder() / "smart_fits.csv"
    if options.write:
        table.write_text(text.getvalue(), encoding="utf-8")
    same = table.read_text(encoding="utf-8") == text.getvalue()
    print("data/smart_fits.csv", "is as counted" if same else "DIFFERS")
    return int(grave > 0 or not same)


if __name__ == "__main__":
    sys.exit(main())
