"""Checks of the arithmetic in test procedures, benches and test systems."""

import math
import re

from flashwear.study import sources
from flashwear.study.claims.registry import Claim, Finding, check, compare, holds, ids, undecided
from flashwear.units import GB, MB


@check("M6-111", "MX-087")
def memory_of_the_test_system(claim: Claim) -> Finding:
    modules, each = claim.stated.split()[-1].removesuffix("GB").split("x")
    kit = sources.spec(claim.drive, "memory, as thanked for")
    total = int(modules) * int(each)
    how = f"{modules} x {each} GB, against the kit of {kit:.0f} GB in the thanks below the table"
    return holds(total == kit, f"{total} GB", how)


@check("M6-134", "M6-135", "M6-136")
def totals_of_the_destroyer(claim: Claim) -> Finding:
    if claim.id == "M6-134":
        parts = [sources.external("ATSB Destroyer", name) for name in ("reads", "writes")]
        return compare(
            claim, sum(parts), "38.83 + 10.98 million in a later article (external)", "contradicted"
        )
    name = "GB read" if claim.quantity == "reads" else "GB written"
    how = "the same trace in a later article (external)"
    return compare(claim, sources.external("ATSB Destroyer", name), how, "contradicted")


@check("MX-085", "MX-086")
def motherboard_named_twice(claim: Claim) -> Finding:
    board = sources.spec_text("test rig 2015", "motherboard")
    thanked = sources.spec_text("test rig 2015", "motherboard, as thanked for").replace(":", "")
    return holds(
        board.startswith(thanked),
        f"{board.split(' (')[0]} in the table, {thanked} in the thanks",
        "the document names two boards for one system",
    )


@check("MX-112")
def heavy_bench_against_the_destroyer(claim: Claim) -> Finding:
    heavy, destroyer = (
        {name: sources.external(f"ATSB {bench}", f"GB {name}") for name in ("read", "written")}
        for bench in ("Heavy", "Destroyer")
    )
    fills = heavy["written"] * GB / sources.user_capacity("MX300 750GB")
    share, other = (100 * b["written"] / sum(b.values()) for b in (heavy, destroyer))
    return holds(
        share > other and sum(heavy.values()) < sum(destroyer.values()) and fills < 1,
        f"{share:.0f} % of bytes written against {other:.0f} %, {sum(heavy.values()):.0f} GB moved "
        f"against {sum(destroyer.values()):,.0f}, {fills:.2f} fills",
        "bytes of both traces in a later article (external); shorter taken by bytes; fills of the "
        "MX300 750GB",
    )


@check("MX-120")
def light_bench_below_half_an_hour(claim: Claim) -> Finding:
    moved = sum(sources.external("ATSB Light", name) for name in ("GB read", "GB written"))
    rate = moved * GB / MB / (claim.value * 60)
    return undecided(
        f"no duration is given; {moved:.1f} GB (external) in it need {rate:.0f} MB/s at least",
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
    one = "MX-130 and MX-131 are one comparison"
    computed, how = {
        "MX-130": (total / depths, f"{total:.0f} min over {depths} queue depths; {one}"),
        "MX-131": (step * depths, f"{depths} queue depths of {step:.0f} min; {one}"),
        "MX-140": (step * scored, f"{scored} scored queue depths of {step:.0f} min"),
    }[claim.id]
    return compare(claim, computed, how)


def _subtests(test: str) -> float:
    return sources.workload(test, "duration") / sources.workload(test, "step duration")


@check("MX-151")
def number_of_mixed_subtests(claim: Claim) -> Finding:
    number = _subtests("Iometer 2015 mixed random")
    how = "duration over that of a step; no number of subtests is printed to compare it with"
    return holds(number == claim.value, number, how, yes="explained")


@check("MX-157")
def duration_of_the_mixed_sequential_test(claim: Claim) -> Finding:
    step = sources.workload("Iometer 2015 mixed sequential", "step duration")
    number = _subtests("Iometer 2015 mixed random")
    how = f"steps of {step:.0f} min, {number:.0f} of them as in the mixed random test (MX-151)"
    return compare(claim, step * number, how)


@check("P4-069")
def two_thousand_seconds(claim: Claim) -> Finding:
    minutes = claim.value / 60
    least = sources.workload("consistency 2014", "duration")
    how = f"just over half an hour ({least:.0f} min) in M6, for the same test; taken as within 20 %"
    return holds(least < minutes < 1.2 * least, f"{minutes:.1f} min", how)


@check("P4-093", "P4-108")
def reads_to_writes(claim: Claim) -> Finding:
    bench = claim.drive
    ratio = sources.workload(bench, "reads") / sources.workload(bench, "writes")
    needed = 3 / ratio
    return undecided(
        f"by operations it is {ratio:.2f}:1; 3:1 by bytes needs reads {needed:.2f} times as large "
        "as writes, and sizes by direction are not given",
        f"{ratio:.2f}:1 by operations",
    )


@check("P4-105")
def size_of_the_database(claim: Claim) -> Finding:
    return undecided("the size of a database that is not public")


@check(*ids("P4", 94, 95, 106, 107))
def counts_of_the_sql_traces(claim: Claim) -> Finding:
    return undecided("a count of a trace that is not public")


@check(*ids("P4", range(98, 101)))
def shares_of_transfer_sizes(claim: Claim) -> Finding:
    sizes = ("8KB", "64KB", "128KB")
    total = sum(sources.workload("SQL UpdateDailyStats", f"share of {size} IOs") for size in sizes)
    return undecided(
        f"a share of a trace that is not public; the three listed sizes make {total:.0f} %, "
        f"{100 - total:.0f} % are not listed"
    )
