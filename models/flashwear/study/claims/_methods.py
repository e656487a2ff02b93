"""What the simulated tests take for the steps of the reviews' tests.

A step of a test is given: it is no claim. What a simulated test takes is read from its protocol, or
from the table that it left.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import fields
from typing import NamedTuple

from flashwear import drives
from flashwear.queueing.protocol import SETTLE, Protocol
from flashwear.queueing.requests import Access
from flashwear.study import benches, protocols, sources
from flashwear.study.claims import kept
from flashwear.study.claims.registry import Claim, Finding, check, undecided
from flashwear.study.protocols import CLIENT, DESKTOP, ENTERPRISE, MIXED, RATINGS, SWEEP, conditions
from flashwear.study.runs import speeds
from flashwear.units import GB, KIB, MB

_M600, _MX300, _M500DC, _P400M = "m600-256gb", "mx300-750gb", "m500dc-480gb", "p400m-200gb"
_HOUR, _MINUTE = 3600.0, 60.0
_KINDS = ("read", "write")
_NO_CONTENT = "requests have no content, and no modelled drive compresses"
_NO_QUEUE = "map unit after map unit, in no time and without a queue"


class _Taken(NamedTuple):
    """What the simulated test takes for a step, as printed, whether it is that step, and more.

    A number is that step if it is the stated one.
    """

    value: float | str
    same: bool | None = None
    more: str = ""


def _one(values: Iterable[float]) -> float:
    """Return the value that all of these have."""
    different = set(values)
    if len(different) != 1:
        raise ValueError(f"steps must agree, got {sorted(different)}")
    return float(different.pop())


def _tests(word: str) -> list[Protocol]:
    return [test for name, test in CLIENT.items() if word in name]


def _seconds(test: Protocol) -> float:
    assert test.seconds is not None
    return test.seconds


def _minutes(test: Protocol) -> float:
    return _seconds(test) / _MINUTE


def _span_gb(test: Protocol) -> float:
    assert test.span_bytes is not None
    return test.span_bytes / GB


def _is_whole(test: Protocol) -> bool:
    return conditions(test) == "filled, all addresses"


def _filled(word: str, drive: str) -> _Taken:
    test = speeds.MEASURED[drive]
    same = _is_whole(test)
    return _Taken(word if same else conditions(test), same, "in order, in no time")


def _sampled(drive: str) -> float:
    return _seconds(speeds.MEASURED[drive]) / kept.consistency(drive)[1].size


def _scored(drive: str) -> float:
    """Return n such that the kept mean and mean over deviation are those of the last n seconds.

    NaN if no single n fits.
    """
    row, iops = kept.consistency(drive)
    fitting = [
        seconds
        for seconds in range(2, iops.size + 1)
        if math.isclose((tail := iops[-seconds:]).mean(), row["mean"])
        and math.isclose(tail.mean() / tail.std(), row["steadiness"], rel_tol=1e-6)
    ]
    return float(fitting[0]) if len(fitting) == 1 else math.nan


def _scored_by() -> _Taken:
    seconds = _scored(_MX300)
    if math.isnan(seconds):
        return _Taken("no mean over last seconds", False)
    return _Taken("mean; mean/sd", True, f"recomputed from the last {seconds:.0f} s")


def _zoom() -> _Taken:
    ratios = {
        name: float(kept.consistency(name)[1][1400:2000].mean())
        / kept.rated(name, "random write, steady")
        for name, test in speeds.MEASURED.items()
        if test == protocols.CONSISTENCY_2014
    }
    low, high = sorted(ratios, key=lambda name: ratios[name])[:: len(ratios) - 1]
    return _Taken(
        _seconds(speeds.MEASURED[_M600]) - _scored(_M600),
        more="where the scored seconds begin. From 1,400 s on the kept runs have "
        f"{ratios[low]:.2f} ({drives.load(low).name}) to {ratios[high]:.2f} "
        f"({drives.load(high).name}) times their settled rate",
    )


def _duration() -> _Taken:
    minutes = _minutes(speeds.MEASURED[_M600])
    least = sources.workload("consistency 2014", "duration")
    is_over = least < minutes < 1.2 * least
    return _Taken(
        f"{'just over' if is_over else 'not'} {least:.0f} min", is_over, f"{minutes:.1f} min"
    )


def _random_writes() -> _Taken:
    test = speeds.MEASURED[_M600]
    kind = "write" if test.access.read_share == 0 else "mix"
    span = "all LBAs" if test.access.span == 1 else conditions(test)
    return _Taken(
        f"{test.access.size / KIB:g}KB {test.access.order} {kind}, {span}, QD{test.depth}",
        False,
        _NO_CONTENT,
    )


def _spares() -> _Taken:
    added = [left for left in protocols.SPARE.values() if left is not None]
    share = _one(part for part, _ in added)
    return _Taken(
        f"default & {100 * share:.0f}% OP",
        share == 0.25 and "default" in protocols.SPARE,
        f"left empty, read as a share of {' and of '.join(of for _, of in added)} capacity",
    )


def _swept() -> _Taken:
    whole = SWEEP.seconds is None and SWEEP.span_bytes is None and SWEEP.access.span == 1
    return _Taken("all LBAs" if whole else conditions(SWEEP), whole)


def _in_order() -> _Taken:
    tests = _tests("sequential")
    kib, depth = _one(test.access.size / KIB for test in tests), _one(test.depth for test in tests)
    minutes = _one(_minutes(test) for test in tests)
    states = "; ".join(dict.fromkeys(conditions(test) for test in tests))
    return _Taken(f"{kib:g}KB QD{depth:g}", (kib, depth) == (128, 1), f"{minutes:g} min; {states}")


def _depths(study: str) -> list[int]:
    return sorted(kept.table(study)["depth"].unique().tolist())


def _by_depth(pattern: str, kib: int) -> _Taken:
    rows = kept.table("desktop_depths")
    rows = rows[rows["pattern"] == pattern]
    size = _one((rows["mb_per_s"] * MB / rows["iops"] / KIB).round(6))
    ends = rows["depth"].min(), rows["depth"].max()
    return _Taken(
        f"{size:g}kB QD{ends[0]}-{ends[1]}",
        (size, *ends) == (kib, 1, 32),
        conditions(DESKTOP[pattern]),
    )


def _lowest_depths() -> _Taken:
    depths = _depths("desktop_depths")
    scored, more = (",".join(map(str, part)) for part in (depths[:3], depths[3:]))
    return _Taken(
        f"mean of QD{scored}",
        depths[:3] == [1, 2, 4],
        f"the lowest of the kept table, which goes on with {more}",
    )


def _scores(separator: str, **names: str) -> _Taken:
    """Say which scores of a review the kept table has, by the names of the review."""
    columns = kept.table("storage_bench").columns
    found = [name for column, name in names.items() if column in columns]
    return _Taken(separator.join(found), len(found) == len(names))


def _states() -> list[str]:
    cases = kept.table("storage_bench")["case"].unique()
    return [case.removeprefix("heavy ") for case in cases if case.startswith("heavy")]


def _drawn(bench: str) -> list[benches.Assumed]:
    return [benches.drawn(bench, int(d)) for d in kept.table("storage_bench")["draw"].unique()]


def _pauses() -> _Taken:
    pauses = [1e3 * guess.idle_s for guess in _drawn("destroyer")]
    return _Taken(
        round(1e3 * benches.assumed("destroyer").idle_s, 6),
        more=f"by default, {min(pauses):.0f} to {max(pauses):.0f} ms in the kept draws",
    )


def _before(test: Protocol, *names: str) -> _Taken:
    """Say how many random writes come before a test, and how long they take at the settled rate."""
    tested = [drives.load(name) for name in names]
    writes = [test.drive_writes_on(drive) for drive in tested]
    hours = [
        count
        * drive.user_bytes
        / drive.map_bytes
        / kept.rated(name, "random write, steady")
        / _HOUR
        for name, drive, count in zip(names, tested, writes, strict=True)
    ]
    return _Taken(
        f"{' and '.join(f'{count:.2f}' for count in writes)} drive writes",
        False,
        f"in no time; {' and '.join(f'{hour:.1f}' for hour in hours)} h at the settled rate, "
        f"{' and '.join(drive.name for drive in tested)}",
    )


def _preparation() -> _Taken:
    m500dc = drives.load(_M500DC)
    writes, mix, reads = (
        ENTERPRISE[pattern].drive_writes_on(m500dc)
        for pattern in ("random_write", "random_70_30", "random_read")
    )
    return _Taken(
        f"{writes:.2f}, {mix:.2f}, {reads:.2f} drive writes before writes, mix, reads", False
    )


def _preconditioned(text: str) -> _Taken:
    unit = drives.load(_M500DC).map_bytes / KIB
    return _Taken(text.format(f"{unit:g}KB"), False, _NO_QUEUE)


def _range_of_depths() -> _Taken:
    low, *_, high = _depths("queue_depths")
    limit = drives.load(_M500DC).queue_limit
    return _Taken(
        f"{low}-{high} QD", (low, high) == (1, 128), f"the drive takes {limit} commands at once"
    )


def _mix() -> _Taken:
    test = ENTERPRISE["random_70_30"]
    reads = round(100 * test.access.read_share)
    return _Taken(
        f"{reads}/{100 - reads}",
        (reads, test.access.size / KIB, test.access.order) == (70, 4, "random") and _is_whole(test),
        f"{test.access.size / KIB:g} KiB, {test.access.order}, {conditions(test)}",
    )


def _whole_drive() -> _Taken:
    reads, writes = (RATINGS[f"sequential {kind}"] for kind in _KINDS)
    return _Taken(
        _one([reads.depth, writes.depth]),
        more=f"{writes.access.size / KIB:g} KiB, {conditions(writes)}; "
        f"writes for {writes.seconds:g} s, reads for {reads.seconds:g} s",
    )


def _same_depth() -> _Taken:
    depth = speeds.MEASURED[_P400M].depth
    return _Taken(f"QD{depth}", depth == 32, _NO_CONTENT)


_SHORT, _LONG, _BENCH = "client test", "test of consistency", "storage bench"
_DESKTOP, _MIXED = "desktop test", "mixed test"
_SERVER, _RATED = "enterprise test", "test of the ratings"

_TAKEN: dict[str, tuple[str, Callable[[], _Taken]]] = {
    "M6-079": ("sweep", _swept),
    "M6-116": (_LONG, lambda: _filled("all user LBAs", _M600)),
    "M6-117": (_LONG, _random_writes),
    "M6-118": (_LONG, _duration),
    "M6-119": (_LONG, lambda: _Taken(_sampled(_M600))),
    "M6-122": (_LONG, _zoom),
    "M6-123": (_LONG, _spares),
    "M6-137": (
        _BENCH,
        lambda: _scores("; ", mb_per_s="avg MB/s", service_us="avg service time us"),
    ),
    "M6-148": (
        _BENCH,
        lambda: _Taken(", ".join(_states()), "empty" in _states(), "each stream on both"),
    ),
    "M6-152": (_SHORT, lambda: _Taken(_one(_span_gb(test) for test in _tests("random")))),
    "M6-153": (_SHORT, lambda: _Taken(_one(_tests(f"random {kind},")[0].depth for kind in _KINDS))),
    "M6-154": (_SHORT, lambda: _Taken(_one(_minutes(test) for test in _tests("random")))),
    "M6-155": (_SHORT, lambda: _Taken(f"average MB/s after the first {100 / SETTLE:.0f} %", False)),
    "M6-156": (_SHORT, lambda: _Taken(_one(test.depth for test in _tests("depth 32")))),
    "M6-159": (_SHORT, _in_order),
    "MX-088": (_LONG, lambda: _Taken(float(speeds.MEASURED[_MX300].depth))),
    "MX-089": (_LONG, lambda: _filled("filled", _MX300)),
    "MX-090": (_LONG, lambda: _Taken(_seconds(speeds.MEASURED[_MX300]) / _HOUR)),
    "MX-091": (_LONG, lambda: _Taken(_scored(_MX300))),
    "MX-092": (_LONG, _scored_by),
    "MX-106": (_BENCH, _pauses),
    "MX-107": (
        _BENCH,
        lambda: _scores(", ", mb_per_s="throughput", service_us="latency", joules="energy"),
    ),
    "MX-113": (
        _BENCH,
        lambda: _Taken(f"{len(_states())} runs", set(_states()) == {"empty", "full"}),
    ),
    "MX-126": (_DESKTOP, lambda: _by_depth("random_read", 4)),
    "MX-127": (_DESKTOP, lambda: _by_depth("random_write", 4)),
    "MX-128": (_DESKTOP, lambda: _by_depth("sequential_read", 128)),
    "MX-129": (_DESKTOP, lambda: _by_depth("sequential_write", 128)),
    "MX-132": (_DESKTOP, _lowest_depths),
    "MX-133": (_DESKTOP, lambda: _Taken(_span_gb(DESKTOP["random_write"]))),
    "MX-150": (_MIXED, lambda: _Taken(float(MIXED["random"].depth))),
    "MX-152": (_MIXED, lambda: _Taken(_span_gb(MIXED["random"]))),
    "MX-156": (
        _MIXED,
        lambda: _Taken(float(MIXED["sequential"].depth), more=conditions(MIXED["sequential"])),
    ),
    "DC-002": (_RATED, lambda: _Taken(float(RATINGS["random read"].depth))),
    "DC-003": (_SERVER, _range_of_depths),
    "DC-005": (_SERVER, lambda: _preconditioned("sequential {}")),
    "DC-006": (_SERVER, lambda: _preconditioned("{} random write")),
    "DC-007": (_SERVER, lambda: _before(ENTERPRISE["random_write"], _M500DC, "m500dc-800gb")),
    "DC-009": (_SERVER, lambda: _Taken(_minutes(ENTERPRISE["random_write"]))),
    "DC-010": (
        _SERVER,
        lambda: _Taken(
            "a drive prepared for each depth", False, conditions(ENTERPRISE["random_write"])
        ),
    ),
    "DC-011": (_SERVER, _preparation),
    "DC-023": (_SERVER, _mix),
    "P4-067": (_LONG, lambda: _filled("fill", _P400M)),
    "P4-068": (_LONG, _same_depth),
    "P4-070": (_LONG, lambda: _Taken(_sampled(_P400M))),
    "P4-072": (_LONG, _zoom),
    "P4-082": (
        _RATED,
        lambda: _Taken(
            float(RATINGS["random read"].depth), more=conditions(RATINGS["random read"])
        ),
    ),
    "P4-086": (_RATED, lambda: _before(RATINGS["random write, steady"], _P400M)),
    "P4-089": (_RATED, _whole_drive),
}
"""The simulated test of each step, and what it takes for it."""


@check(*_TAKEN)
def step_of_a_test(claim: Claim) -> Finding:
    test, take = _TAKEN[claim.id]
    taken = take()
    same = taken.same
    if same is None:
        same = math.isclose(float(taken.value), claim.value)
    takes = "the same" if same else f"this instead of {claim.stated} {claim.unit}".strip()
    how = f"A step of the test. The simulated {test} takes {takes}"
    return _given(f"{how}: {taken.more}." if taken.more else f"{how}.", taken.value)


def _given(how: str, computed: float | str) -> Finding:
    return Finding("given", "none", computed, how)


@check("M6-161")
def data_without_content(claim: Claim) -> Finding:
    return _given(
        f"A property of the data. A simulated access has only these: {_NO_CONTENT}.",
        ", ".join(field.name for field in fields(Access)),
    )


@check("M6-088")
def bursts_of_a_client(claim: Claim) -> Finding:
    light = benches.load("light")
    sizes = [guess.burst * light.write_bytes / light.requests / MB for guess in _drawn("light")]
    return undecided(
        "What the synthetic Light streams write from one pause to the next, on average. Their "
        "pauses are assumed: single bursts of no trace are public.",
        f"{min(sizes):.0f} to {max(sizes):.0f} MB",
    )


@check("DC-004")
def depths_of_enterprise_loads(claim: Claim) -> Finding:
    means = [
        sources.workload(f"SQL {job}", "mean queue depth")
        for job in ("UpdateDailyStats", "WeeklyMaintenance")
    ]
    most = " and ".join(f"{100 * mean / (claim.value + 1):.1f}" for mean in means)
    return undecided(
        f"Two SQL traces in another of the reviews have mean queue depths of {means[0]:g} and "
        f"{means[1]:g}, so that at most {most} % of the time lies above {claim.value:.0f}. Two "
        "traces do not stand for heavy enterprise loads.",
        f"{most} %",
    )


@check("DC-026")
def missing_results_of_the_s3500(claim: Claim) -> Finding:
    rates = {
        kind: kept.cell(
            "queue_depths", "mb_per_s", drive="s3500-480gb", pattern=f"sequential_{kind}", depth=32
        )
        for kind in _KINDS
    }
    return _given(
        "What was not measured. Simulated at queue depth 32, after random writes.",
        ", ".join(f"{kind} {rate:.0f} MB/s" for kind, rate in rates.items()),
    )


@check("P4-071")
def scale_of_a_chart(claim: Claim) -> Finding:
    above = {
        drives.load(name).name: int((kept.consistency(name)[1] > claim.value).sum())
        for name in (_P400M, "s3700-200gb")
    }
    return _given(
        "The scale of a chart. This many of the simulated 2,000 s lie above it.",
        ", ".join(f"{name} {seconds} s" for name, seconds in above.items()),
    )
