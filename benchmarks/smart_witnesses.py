"""Remove parts of real SMART reports and see that what is left never says more than the whole.

For each report of a collection (a folder or a tar archive) each section, and each counter that a
rule reads, is taken away in turn. Two things are counted by family: a life used more than 5 points
off that of the whole report without a flag of doubt on either, and an interval of years that does
not hold that of the whole report. Both must be none. Where the whole report gives no interval,
because two counters contradict each other, the one left alone may give one: counted apart.
"""

import argparse
import copy
import sys
from collections import Counter

from flashwear import smart
from flashwear.smart._archive import files
from flashwear.smart._figures import evaluate
from flashwear.smart._read import decoded
from flashwear.smart._rules import rules
from flashwear.smart._text import from_text
from flashwear.smart._words import WEAR_DOUBTS

FAR = 5  # percent of life


def counters() -> set[int]:
    """Return the attributes that any rule reads."""
    return {
        int(name)
        for figures in rules().values()
        for candidates in figures.values()
        for rule in candidates
        if rule.source == "attribute"
        for name, _ in rule.terms
    }


def lacking(found, numbers):
    """Return a report without each of its parts, by the name of the part."""

    def without(**changes):
        left = copy.copy(found)
        left.flags = set(found.flags)
        for name, value in changes.items():
            setattr(left, name, value)
        return evaluate(left)

    for name in ("attributes", "statistics", "health", "scsi"):
        part = getattr(found, name)
        if part:
            yield name, without(**{name: {}})
        for key in part:
            if name != "attributes" or key in numbers:
                rest = {other: value for other, value in part.items() if other != key}
                yield f"{name} {key}", without(**{name: rest})
    for name in ("firmware", "capacity_bytes"):
        if getattr(found, name) is not None:
            yield name, without(**{name: None})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("collection", help="a folder or a tar archive of reports as text")
    options = parser.parse_args()

    numbers, doubts = counters(), set(WEAR_DOUBTS)
    far, narrower, alone, reports = Counter(), Counter(), Counter(), 0
    for _, content in files(options.collection):
        try:
            found = from_text(decoded(content).replace("\r\n", "\n"))
        except smart.Unreadable:
            continue
        reports += 1
        whole = evaluate(found)
        if "life_used_contradicted" in whole.flags:
            continue  # one of its counters is wrong, and may be what is left
        years = smart.forecast(whole).wear
        for part, left in lacking(found, numbers):
            case = whole.family, part
            used = whole.percent_used, left.percent_used
            if None not in used and not doubts & {*whole.flags, *left.flags}:
                far[case] += abs(used[0] - used[1]) > FAR and min(used) < 99
            less = smart.forecast(left).wear
            if less is not None and years is None:
                alone[case] += 1
            elif less is not None and not (less[0] <= years[0] and years[1] <= less[1]):
                narrower[case] += 1
    print(f"{reports:,} reports")
    for title, cases in (("far off without a flag", far), ("narrower", narrower), ("alone", alone)):
        print(f"{title}: {cases.total():,}", *(+cases).most_common(12), sep="\n  ")
    return 1 if far.total() or narrower.total() else 0


if __name__ == "__main__":
    sys.exit(main())
