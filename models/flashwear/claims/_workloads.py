"""Checks of the arithmetic in test procedures, benches and test systems."""

from flashwear.claims import _facts as facts
from flashwear.claims._registry import Claim, Finding, check, compare, holds, ids, unfixed
from flashwear.units import GB, MB


@check("M6-111", "MX-087")
def memory_of_the_test_system(claim: Claim) -> Finding:
    modules, each = claim.stated.split()[-1].removesuffix("GB").split("x")
    named = facts.spec(claim.drive, "memory")
    total = int(modules) * int(each)
    how = f"{modules} x {each} GB, the kit that the thanks below the table name"
    return holds(total == named, f"{total} GB", how)


@check("M6-134", "M6-135", "M6-136")
def totals_of_the_destroyer(claim: Claim) -> Finding:
    if claim.id == "M6-134":
        parts = [facts.external("ATSB Destroyer", name) for name in ("reads", "writes")]
        return compare(
            claim, sum(parts), "38.83 + 10.98 million in a later article (external)", "contradicted"
        )
    name = "GB read" if claim.quantity == "reads" else "GB written"
    how = "the same trace in a later article (external)"
    return compare(claim, facts.external("ATSB Destroyer", name), how, "contradicted")


@check("MX-085", "MX-086")
def motherboard_named_twice(claim: Claim) -> Finding:
    board = facts.spec_text("test rig 2015", "motherboard")
    thanked = "ASUS Z97 Deluxe"
    return holds(
        board.startswith(thanked),
        f"{board.split(' (')[0]} in the table, {thanked} in the thanks",
        "the document names two boards for one system",
    )


@check("MX-112")
def heavy_bench_below_one_fill(claim: Claim) -> Finding:
    written = facts.external("ATSB Heavy", "GB written")
    fills = written / facts.spec("MX300 750GB", "capacity")
    return holds(fills < 1, f"{fills:.2f} fills", f"{written} GB written (external) on 750 GB")


@check("MX-120")
def light_bench_below_half_an_hour(claim: Claim) -> Finding:
    moved = sum(facts.external("ATSB Light", name) for name in ("GB read", "GB written"))
    rate = moved * GB / MB / (claim.value * 60)
    return unfixed(
        f"no duration is given; {moved:.1f} GB (external) in it need {rate:.0f} MB/s at least",
        f"{rate:.0f} MB/s at least",
    )


@check("MX-130", "MX-131", "MX-140", "MX-151", "MX-157")
def durations_of_the_2015_tests(claim: Claim) -> Finding:
    step = facts.workload("Iometer 2015 random write", "step duration")
    total = facts.workload("Iometer 2015 random write", "duration")
    mixed = facts.workload("Iometer 2015 mixed random", "duration")
    sequential = facts.workload("Iometer 2015 mixed sequential", "step duration")
    depths = 6  # queue depths 1, 2, 4, 8, 16, 32
    computed, how = {
        "MX-130": (total / depths, "18 min over six queue depths"),
        "MX-131": (step * depths, "six queue depths of 3 min"),
        "MX-140": (step * 3, "queue depths 1, 2 and 4, 3 min each"),
        "MX-151": (mixed / step, "18 min in steps of 3 min"),
        "MX-157": (sequential * depths, "six read shares of 3 min"),
    }[claim.id]
    return compare(claim, computed, how)


@check("P4-069")
def two_thousand_seconds(claim: Claim) -> Finding:
    minutes = facts.workload("consistency 2013", "duration") / 60
    least = facts.workload("consistency 2014", "duration")
    how = f"just over half an hour ({least:.0f} min) in the text"
    return holds(least < minutes < 1.2 * least, f"{minutes:.1f} min", how)


@check("P4-093", "P4-108")
def reads_to_writes(claim: Claim) -> Finding:
    bench = claim.drive
    ratio = facts.workload(bench, "reads") / facts.workload(bench, "writes")
    needed = 3 / ratio
    return unfixed(
        f"by operations it is {ratio:.2f}:1; 3:1 by bytes needs reads {needed:.2f} times as large "
        "as writes, and sizes by direction are not given",
        f"{ratio:.2f}:1 by operations",
    )


@check(*ids("P4", 94, 95, 105, 106, 107))
def counts_of_the_sql_traces(claim: Claim) -> Finding:
    return unfixed("a count of a trace that is not public")


@check(*ids("P4", range(98, 101)))
def shares_of_transfer_sizes(claim: Claim) -> Finding:
    sizes = ("8KB", "64KB", "128KB")
    total = sum(facts.workload("SQL UpdateDailyStats", f"share of {size} IOs") for size in sizes)
    return unfixed(
        f"a share of a trace that is not public; the three listed sizes make {total:.0f} %, "
        f"{100 - total:.0f} % are not listed"
    )
