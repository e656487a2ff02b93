"""Claims on how the reviews tested: durations, traces and test systems, by their own numbers."""

import math
import re

from flashwear.units import GB
from flashwear_book import sources
from flashwear_book.claims.registry import Answer, Claim, check, checks, consistent, judged
from flashwear_book.claims.rules import THRESHOLDS

_READS, _WRITES = "Iometer 2015 random read", "Iometer 2015 random write"
_MIXED = "Iometer 2015 mixed random"
_LATER = "A later article of the same publisher on the same trace."


def _destroyer(*names: str) -> float:
    return sum(sources.external("ATSB Destroyer", name) for name in names)


def _minutes(test: str) -> tuple[float, float]:
    """Return the minutes of a step and of the whole test."""
    return sources.workload(test, "step duration"), sources.workload(test, "duration")


def _depths(test: str) -> int:
    names = ("lowest queue depth", "highest queue depth", "queue depth factor per step")
    least, most, factor = (sources.workload(test, name) for name in names)
    return 1 + round(math.log(most / least, factor))


def _scored(test: str) -> int:
    return len(re.findall(r"\d+", sources.workload_text(test, "score")))


checks(
    {
        "M6-134": lambda claim: (
            _destroyer("reads", "writes"),
            f"Reads and writes, in millions. {_LATER}",
        ),
        "M6-135": lambda claim: (_destroyer("GB read"), _LATER),
        "M6-136": lambda claim: (_destroyer("GB written"), _LATER),
        "MX-130": lambda claim: (
            _minutes(_READS)[1] / _depths(_READS),
            f"{_minutes(_READS)[1]:.0f} min over {_depths(_READS)} queue depths.",
        ),
        "MX-131": lambda claim: (
            _minutes(_READS)[0] * _depths(_READS),
            f"{_depths(_READS)} queue depths of {_minutes(_READS)[0]:.0f} min each.",
        ),
        "MX-140": lambda claim: (
            _minutes(_WRITES)[0] * _scored(_WRITES),
            f"{_scored(_WRITES)} scored queue depths of {_minutes(_WRITES)[0]:.0f} min each.",
        ),
    }
)


@check("MX-157")
def minutes_of_the_mixed_sequential_test(claim: Claim) -> Answer:
    (each, total), own = _minutes(_MIXED), _minutes("Iometer 2015 mixed sequential")[0]
    how = f"{total / each:.0f} steps, as in the mixed random test, of {own:.0f} min."
    return own * (total / each), how


@check("P4-069")
def two_thousand_seconds(claim: Claim) -> Answer:
    minutes = claim.value / 60
    least = sources.workload("consistency 2014", "duration")
    more = THRESHOLDS["just over"][0]
    return (
        least < minutes < (1 + more) * least,
        f"{minutes:.1f} min",
        f"The review of the M600 gives just over {least:.0f} min for the same test, which is "
        f"taken as up to {100 * more:.0f} % more.",
    )


@check("MX-151")
def number_of_mixed_subtests(claim: Claim) -> Answer:
    step, total = _minutes(_MIXED)
    return total / step == claim.value, total / step, f"{total:.0f} min over {step:.0f} of a step."


@check("M6-111", "MX-087")
def memory_of_the_test_system(claim: Claim) -> Answer:
    modules, each = claim.stated.split()[-1].removesuffix("GB").split("x")
    kit = claim.spec("memory, as thanked for")
    total = int(modules) * int(each)
    how = (
        f"{modules} x {each} GB are the {kit:.0f} GB for which the review thanks their maker. Type "
        "and speed are printed once."
    )
    part = f"{total} GB in all" if total == kit else None
    return judged(False, f"{total} GB", how, part=part)


@check("MX-085", "MX-086")
def motherboard_named_twice(claim: Claim) -> Answer:
    board = sources.spec_text("test rig 2015", "motherboard")
    thanked = sources.spec_text("test rig 2015", "motherboard, as thanked for").replace(":", "")
    text = f"{board.split(' (')[0]} in the table, {thanked} in the thanks"
    same = board.startswith(thanked)
    what = "the same board" if same else "two boards for one system"
    return consistent(same, text, f"The table and the thanks below it name {what}.")


@check("MX-112")
def heavy_bench_against_the_destroyer(claim: Claim) -> Answer:
    heavy, destroyer = (
        {name: sources.external(f"ATSB {bench}", f"GB {name}") for name in ("read", "written")}
        for bench in ("Heavy", "Destroyer")
    )
    fills = heavy["written"] * GB / sources.user_capacity("MX300 750GB")
    share, other = (100 * b["written"] / sum(b.values()) for b in (heavy, destroyer))
    return (
        share > other and sum(heavy.values()) < sum(destroyer.values()) and fills < 1,
        f"{share:.0f} % of bytes written against {other:.0f} %, {sum(heavy.values()):.0f} GB moved "
        f"against {sum(destroyer.values()):,.0f}, {fills:.2f} fills",
        "Bytes of both traces by another article of the same publisher; fills of the MX300 750GB.",
        sources.speaker("ATSB Heavy", "GB written"),
    )
