"""Checks of the arithmetic in test procedures, benches and test systems."""

import math
import re

from flashwear.study import sources
from flashwear.study.claims.registry import Claim, Finding, check, compare, judged, undecided
from flashwear.study.claims.rules import THRESHOLDS
from flashwear.units import GB, MB


@check("M6-111", "MX-087")
def memory_of_the_test_system(claim: Claim) -> Finding:
    modules, each = claim.stated.split()[-1].removesuffix("GB").split("x")
    kit = sources.spec(claim.drive, "memory, as thanked for")
    total = int(modules) * int(each)
    how = (
        f"{modules} x {each} GB are the {kit:.0f} GB for which the review thanks their maker. Type "
        "and speed are printed once."
    )
    part = f"{total} GB in all" if total == kit else None
    return judged(False, f"{total} GB", how, part=part)


@check("M6-134", "M6-135", "M6-136")
def totals_of_the_destroyer(claim: Claim) -> Finding:
    if claim.id == "M6-134":
        parts = [sources.external("ATSB Destroyer", name) for name in ("reads", "writes")]
        how = (
            f"{parts[0]:g} and {parts[1]:g} million in a later article of the same publisher on "
            "the same trace."
        )
        return compare(claim, sum(parts), how, sources.speaker("ATSB Destroyer", "reads"))
    name = "GB read" if claim.quantity == "reads" else "GB written"
    how = "A later article of the same publisher on the same trace."
    found = sources.external("ATSB Destroyer", name)
    return compare(claim, found, how, sources.speaker("ATSB Destroyer", name))


@check("MX-085", "MX-086")
def motherboard_named_twice(claim: Claim) -> Finding:
    board = sources.spec_text("test rig 2015", "motherboard")
    thanked = sources.spec_text("test rig 2015", "motherboard, as thanked for").replace(":", "")
    text = f"{board.split(' (')[0]} in the table, {thanked} in the thanks"
    if board.startswith(thanked):
        return judged(True, text, "The table and the thanks below it name the same board.")
    how = "The table and the thanks below it name two boards for one system."
    return Finding("in tension", "arithmetic", text, how)


@check("MX-112")
def heavy_bench_against_the_destroyer(claim: Claim) -> Finding:
    heavy, destroyer = (
        {name: sources.external(f"ATSB {bench}", f"GB {name}") for name in ("read", "written")}
        for bench in ("Heavy", "Destroyer")
    )
    fills = heavy["written"] * GB / sources.user_capacity("MX300 750GB")
    share, other = (100 * b["written"] / sum(b.values()) for b in (heavy, destroyer))
    return judged(
        share > other and sum(heavy.values()) < sum(destroyer.values()) and fills < 1,
        f"{share:.0f} % of bytes written against {other:.0f} %, {sum(heavy.values()):.0f} GB moved "
        f"against {sum(destroyer.values()):,.0f}, {fills:.2f} fills",
        "Bytes of both traces by another article of the same publisher; fills of the MX300 750GB.",
        sources.speaker("ATSB Heavy", "GB written"),
    )


@check("MX-120")
def light_bench_below_half_an_hour(claim: Claim) -> Finding:
    moved = sum(sources.external("ATSB Light", name) for name in ("GB read", "GB written"))
    rate = moved * GB / MB / (claim.value * 60)
    return undecided(
        f"Without its pauses, the trace of {moved:.1f} GB ends in that time at {rate:.0f} MB/s. "
        "Neither its duration nor its order or queues are published.",
        f"{rate:.0f} MB/s at least",
    )


def _queue_depths(test: str) -> int:
    least, most, factor = (
        sources.workload(test, name)
        for name in ("lowest queue depth", "highest queue depth", "queue depth factor per step")
    )
    return 1 + round(math.log(most / least, factor))


@check("MX-130", "MX-131", "MX-140")
def durations_of_the_queue_depth_tests(claim: Claim) -> Finding:
    test = "Iometer 2015 random write" if claim.id == "MX-140" else "Iometer 2015 random read"
    step, total = (sources.workload(test, name) for name in ("step duration", "duration"))
    depths = _queue_depths(test)
    scored = len(re.findall(r"\d+", sources.workload_text(test, "score")))
    computed, how = {
        "MX-130": (total / depths, f"{total:.0f} min over {depths} queue depths."),
        "MX-131": (step * depths, f"{depths} queue depths of {step:.0f} min each."),
        "MX-140": (step * scored, f"{scored} scored queue depths of {step:.0f} min each."),
    }[claim.id]
    return compare(claim, computed, how)


def _subtests(test: str) -> float:
    return sources.workload(test, "duration") / sources.workload(test, "step duration")


@check("MX-151")
def number_of_mixed_subtests(claim: Claim) -> Finding:
    number = _subtests("Iometer 2015 mixed random")
    duration, step = (
        sources.workload("Iometer 2015 mixed random", name)
        for name in ("duration", "step duration")
    )
    how = f"The printed {duration:.0f} min of the test over the {step:.0f} min of a step."
    return judged(number == claim.value, number, how)


@check("MX-157")
def duration_of_the_mixed_sequential_test(claim: Claim) -> Finding:
    step = sources.workload("Iometer 2015 mixed sequential", "step duration")
    number = _subtests("Iometer 2015 mixed random")
    how = (
        f"{number:.0f} steps of {step:.0f} min. How many steps there are is printed for the mixed "
        "random test alone."
    )
    return compare(claim, step * number, how)


@check("P4-069")
def two_thousand_seconds(claim: Claim) -> Finding:
    minutes = claim.value / 60
    least = sources.workload("consistency 2014", "duration")
    how = (
        f"The review of the M600 gives just over {least:.0f} min for the same test, which is "
        "taken as up to a fifth more."
    )
    limit = 1 + THRESHOLDS["just over"][0]
    return judged(least < minutes < limit * least, f"{minutes:.1f} min", how)


@check("P4-093", "P4-108")
def reads_to_writes(claim: Claim) -> Finding:
    bench = claim.drive
    ratio = sources.workload(bench, "reads") / sources.workload(bench, "writes")
    needed = 3 / ratio
    return undecided(
        f"By the operations printed beside it, it is {ratio:.2f}:1. By bytes it would be 3:1 if "
        f"reads were {needed:.2f} times as large as writes, and sizes by direction are not given.",
        f"{ratio:.2f}:1 by operations",
    )
