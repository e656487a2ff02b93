"""Checks of the claims on how the reviews test: what the simulated tests take instead.

A step of a test is no result, so that nothing here speaks for or against a review. What a simulated
test takes is read from what its procedure hands to the model, or from the table that it left.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import fields

from flashwear import drives
from flashwear.queueing import _steps, benches, twin
from flashwear.queueing.requests import Access
from flashwear.study import sources
from flashwear.study.claims import _asked as asked
from flashwear.study.claims import _kept as kept
from flashwear.study.claims._asked import M500DC, M600, MX300, P400M
from flashwear.study.claims._registry import Claim, Finding, check, unfixed
from flashwear.study.runs import caches, speeds
from flashwear.units import GB, KIB, MB

_HOUR = 3600.0
_KINDS = ("read", "write")
_NO_CONTENT = "requests have no content, and no modelled drive compresses"


def _one(values: Iterable[float]) -> float:
    """Give the value that all of these have."""
    different = set(values)
    if len(different) != 1:
        raise ValueError(f"steps must agree, got {sorted(different)}")
    return float(different.pop())


def _sampled(drive: str) -> float:
    return asked.long(drive).seconds / kept.consistency(drive)[1].size


def _scored(drive: str) -> float:
    """Give of how many last seconds the kept scores are mean, and mean over deviation; or NaN."""
    row, iops = kept.consistency(drive)
    fitting = [
        seconds
        for seconds in range(2, iops.size + 1)
        if math.isclose((tail := iops[-seconds:]).mean(), row["mean"])
        and math.isclose(tail.mean() / tail.std(), row["steadiness"], rel_tol=1e-6)
    ]
    return float(fitting[0]) if len(fitting) == 1 else math.nan


def _scored_by() -> tuple[str, str]:
    seconds = _scored(MX300)
    if math.isnan(seconds):
        return "no mean over last seconds", ""
    return "mean; mean/sd", f"recomputed from the last {seconds:.0f} s"


def _zoom() -> tuple[float, str]:
    ratios = {
        name: float(kept.consistency(name)[1][1400:2000].mean())
        / kept.rated(name, "random write, steady")
        for name in speeds.MEASURED
        if not name.startswith("mx")
    }
    low, high = sorted(ratios, key=lambda name: ratios[name])[:: len(ratios) - 1]
    return (
        asked.long(M600).seconds - _scored(M600),
        "where the scored seconds begin. From 1,400 s on the kept runs have "
        f"{ratios[low]:.2f} ({drives.load(low).name}) to {ratios[high]:.2f} "
        f"({drives.load(high).name}) times their settled rate",
    )


def _duration() -> tuple[str, str]:
    minutes = asked.long(M600).minutes
    least = sources.workload("consistency 2014", "duration")
    over = "just over " if least < minutes < 1.2 * least else "not "
    return f"{over}{least:.0f} min", f"{minutes:.1f} min"


def _filled(step: asked.Step, word: str) -> tuple[str, str]:
    return word if step.state == "filled, all addresses" else step.state, "in order, in no time"


def _random_writes(drive: str) -> str:
    step = asked.long(drive)
    kind = "write" if step.access.read_share == 0 else "mix"
    span = "all LBAs" if step.access.span == 1 else f"{step.span_gb:g} GB"
    return f"{step.kib:g}KB {step.access.order} {kind}, {span}, QD{step.depth}"


def _spares() -> tuple[str, str]:
    default, *added = kept.table("consistency")["spare"].unique()
    share = _one(float(one.split()[0]) for one in added)
    wholes = " and ".join(one.partition(" % ")[2] for one in added)
    return f"{default} & {share:.0f}% OP", f"left empty, read as a share {wholes} capacity"


def _swept() -> str:
    run = asked.handed(twin, "run", caches.sweep, "m600-128gb", "as modelled", 1.0, 0)
    size = run["workload"].size
    left = run["drive"].user_bytes - run["ios"] * size
    return "all LBAs" if 0 <= left < size else f"all but {left / GB:g} GB"


def _in_order() -> tuple[str, str]:
    steps = asked.client("sequential")
    kib, depth = _one(step.kib for step in steps), _one(step.depth for step in steps)
    minutes = _one(step.minutes for step in steps)
    states = "; ".join(dict.fromkeys(step.state for step in steps))
    return f"{kib:g}KB QD{depth:g}", f"{minutes:g} min; {states}"


def _depths(study: str) -> list[int]:
    return sorted(kept.table(study)["depth"].unique().tolist())


def _by_depth(pattern: str) -> tuple[str, str]:
    rows = kept.table("desktop_depths")
    rows = rows[rows["pattern"] == pattern]
    size = _one((rows["mb_per_s"] * MB / rows["iops"] / KIB).round(6))
    depths = rows["depth"]
    return f"{size:g}kB QD{depths.min()}-{depths.max()}", asked.desktop(pattern).state


def _lowest_depths() -> tuple[str, str]:
    depths = _depths("desktop_depths")
    scored, more = (",".join(map(str, part)) for part in (depths[:3], depths[3:]))
    return f"mean of QD{scored}", f"the lowest of the kept table, which goes on with {more}"


def _scores(names: dict[str, str], separator: str = ", ") -> str:
    """Give those scores that the kept table has, by the names of a review."""
    columns = kept.table("storage_bench").columns
    return separator.join(name for column, name in names.items() if column in columns)


def _states() -> list[str]:
    cases = kept.table("storage_bench")["case"].unique()
    return [case.removeprefix("heavy ") for case in cases if case.startswith("heavy")]


def _drawn(bench: str) -> list[benches.Assumed]:
    return [benches.drawn(bench, int(d)) for d in kept.table("storage_bench")["draw"].unique()]


def _pauses() -> tuple[float, str]:
    pauses = [1e3 * guess.idle_s for guess in _drawn("destroyer")]
    return (
        round(1e3 * benches.assumed("destroyer").idle_s, 6),
        f"by default, {min(pauses):.0f} to {max(pauses):.0f} ms in the kept draws",
    )


def _before(*steps: tuple[str, asked.Step]) -> tuple[str, str]:
    """Give the random writes before a test, and how long they would take at the settled rate."""
    hours = [
        step.drive_writes
        * step.drive.user_bytes
        / step.drive.map_bytes
        / kept.rated(name, "random write, steady")
        / _HOUR
        for name, step in steps
    ]
    return (
        " and ".join(f"{step.drive_writes:.2f}" for _, step in steps) + " drive writes",
        f"in no time; {' and '.join(f'{hour:.1f}' for hour in hours)} h at the settled rate, "
        f"{' and '.join(step.drive.name for _, step in steps)}",
    )


def _before_the_m500dc() -> tuple[str, str]:
    names = (M500DC, "m500dc-800gb")
    return _before(*((name, asked.enterprise("random_write", name)) for name in names))


def _no_idle() -> tuple[str, str]:
    run = asked.handed(twin, "run", speeds.queue_depth, M500DC, "random_write", 1, 1.0, 0)
    before = "a drive prepared for each depth" if run["state"] is None else "no idle"
    return before, asked.enterprise("random_write").state


def _preparation() -> str:
    writes, mix, reads = (
        asked.enterprise(pattern).drive_writes
        for pattern in ("random_write", "random_70_30", "random_read")
    )
    return f"{writes:.2f}, {mix:.2f}, {reads:.2f} drive writes before writes, mix, reads"


def _preconditioned(text: str) -> tuple[str, str]:
    unit = asked.enterprise("random_write").drive.map_bytes / KIB
    return text.format(f"{unit:g}KB"), "map unit after map unit, in no time and without a queue"


def _mix() -> tuple[str, str]:
    step = asked.enterprise("random_70_30")
    reads = round(100 * step.access.read_share)
    return f"{reads}/{100 - reads}", f"{step.kib:g} KiB, {step.access.order}, {step.state}"


def _whole_drive() -> tuple[float, str]:
    reads, writes = (asked.rating(f"sequential {kind}") for kind in _KINDS)
    return _one([reads.depth, writes.depth]), (
        f"{writes.kib:g} KiB, {writes.state}; writes for {writes.seconds:g} s, "
        f"reads for {reads.seconds:g} s"
    )


_SHORT, _LONG, _BENCH = "client test", "test of consistency", "storage bench"
_DESKTOP, _MIXED = "desktop test", "mixed test"
_SERVER, _RATED = "enterprise test", "test of the ratings"
_Taken = float | str | tuple[float | str, str]

_TAKEN: dict[str, tuple[str, Callable[[], _Taken]]] = {
    "M6-079": ("sweep", _swept),
    "M6-116": (_LONG, lambda: _filled(asked.long(M600), "all user LBAs")),
    "M6-117": (_LONG, lambda: (_random_writes(M600), _NO_CONTENT)),
    "M6-118": (_LONG, _duration),
    "M6-119": (_LONG, lambda: _sampled(M600)),
    "M6-122": (_LONG, _zoom),
    "M6-123": (_LONG, _spares),
    "M6-137": (
        _BENCH,
        lambda: _scores({"mb_per_s": "avg MB/s", "service_us": "avg service time us"}, "; "),
    ),
    "M6-148": (_BENCH, lambda: (", ".join(_states()), "each stream on both")),
    "M6-152": (_SHORT, lambda: _one(step.span_gb for step in asked.client("random"))),
    "M6-153": (_SHORT, lambda: _one(asked.client(f"random {kind},")[0].depth for kind in _KINDS)),
    "M6-154": (_SHORT, lambda: _one(step.minutes for step in asked.client("random"))),
    "M6-155": (
        _SHORT,
        lambda: f"average MB/s after the first {1 / _steps._SETTLE:.0%}".replace("%", " %"),
    ),
    "M6-156": (_SHORT, lambda: _one(step.depth for step in asked.client("depth 32"))),
    "M6-159": (_SHORT, _in_order),
    "MX-088": (_LONG, lambda: float(asked.long(MX300).depth)),
    "MX-089": (_LONG, lambda: _filled(asked.long(MX300), "filled")),
    "MX-090": (_LONG, lambda: asked.long(MX300).seconds / _HOUR),
    "MX-091": (_LONG, lambda: _scored(MX300)),
    "MX-092": (_LONG, _scored_by),
    "MX-106": (_BENCH, _pauses),
    "MX-107": (
        _BENCH,
        lambda: _scores({"mb_per_s": "throughput", "service_us": "latency", "joules": "energy"}),
    ),
    "MX-113": (_BENCH, lambda: f"{len(_states())} runs"),
    "MX-126": (_DESKTOP, lambda: _by_depth("random_read")),
    "MX-127": (_DESKTOP, lambda: _by_depth("random_write")),
    "MX-128": (_DESKTOP, lambda: _by_depth("sequential_read")),
    "MX-129": (_DESKTOP, lambda: _by_depth("sequential_write")),
    "MX-132": (_DESKTOP, _lowest_depths),
    "MX-133": (_DESKTOP, lambda: asked.desktop("random_write").span_gb),
    "MX-150": (_MIXED, lambda: float(asked.mixed("random").depth)),
    "MX-152": (_MIXED, lambda: asked.mixed("random").span_gb),
    "MX-156": (
        _MIXED,
        lambda: (float(asked.mixed("sequential").depth), asked.mixed("sequential").state),
    ),
    "DC-002": (_RATED, lambda: float(asked.rating("random read").depth)),
    "DC-003": (
        _SERVER,
        lambda: (
            "{}-{} QD".format(*_depths("queue_depths")[:: len(_depths("queue_depths")) - 1]),
            f"the drive takes {drives.load(M500DC).queue_limit} commands at once",
        ),
    ),
    "DC-005": (_SERVER, lambda: _preconditioned(asked.enterprise("random_write").fill + " {}")),
    "DC-006": (_SERVER, lambda: _preconditioned("{} random write")),
    "DC-007": (_SERVER, _before_the_m500dc),
    "DC-009": (_SERVER, lambda: asked.enterprise("random_write").minutes),
    "DC-010": (_SERVER, _no_idle),
    "DC-011": (_SERVER, _preparation),
    "DC-023": (_SERVER, _mix),
    "P4-067": (_LONG, lambda: _filled(asked.long(P400M), "fill")),
    "P4-068": (_LONG, lambda: (f"QD{asked.long(P400M).depth}", _NO_CONTENT)),
    "P4-070": (_LONG, lambda: _sampled(P400M)),
    "P4-072": (_LONG, _zoom),
    "P4-082": (
        _RATED,
        lambda: (float(asked.rating("random read").depth), asked.rating("random read").state),
    ),
    "P4-086": (_RATED, lambda: _before((P400M, asked.rating("random write, steady")))),
    "P4-089": (_RATED, _whole_drive),
}
"""What the simulated test takes for each step: its value or text as in the claim, and more."""


@check(*_TAKEN)
def step_of_a_test(claim: Claim) -> Finding:
    test, taken = _TAKEN[claim.id]
    found = taken()
    value, more = found if isinstance(found, tuple) else (found, "")
    printed = f"{claim.stated} {claim.unit}".strip()
    if isinstance(value, float):
        same = math.isclose(value, claim.value)
    else:
        same = set(printed.split(", ")) <= set(value.split(", "))
    takes = "the same" if same else f"this instead of {printed}"
    how = f"describes the test; the simulated {test} takes {takes}"
    return unfixed(f"{how}: {more}" if more else how, value)


@check("M6-161")
def data_without_content(claim: Claim) -> Finding:
    return unfixed(
        f"describes the data; a simulated access has only these properties: {_NO_CONTENT}",
        ", ".join(field.name for field in fields(Access)),
    )


@check("M6-088")
def bursts_of_a_client(claim: Claim) -> Finding:
    light = benches.load("light")
    sizes = [guess.burst * light.write_bytes / light.requests / MB for guess in _drawn("light")]
    return unfixed(
        "single bursts of no trace are public; computed is what the synthetic Light streams write "
        "from one pause to the next, on average, where the length of a burst is assumed",
        f"{min(sizes):.0f} to {max(sizes):.0f} MB",
    )


@check("DC-004")
def depths_of_enterprise_loads(claim: Claim) -> Finding:
    means = [
        sources.workload(f"SQL {job}", "mean queue depth")
        for job in ("UpdateDailyStats", "WeeklyMaintenance")
    ]
    return unfixed(
        "no distribution of the queue depths of an enterprise load is in the documents; of two SQL "
        "traces there is the mean",
        " and ".join(f"{mean:g}" for mean in means),
    )


@check("DC-026")
def missing_results_of_the_s3500(claim: Claim) -> Finding:
    rates = {
        kind: kept.cell(
            "queue_depths", "mb_per_s", drive="s3500-480gb", pattern=f"sequential_{kind}", depth=32
        )
        for kind in _KINDS
    }
    return unfixed(
        "says what was not measured; simulated at queue depth 32, after random writes",
        ", ".join(f"{kind} {rate:.0f} MB/s" for kind, rate in rates.items()),
    )


@check("P4-071")
def scale_of_a_chart(claim: Claim) -> Finding:
    above = {
        drives.load(name).name: int((kept.consistency(name)[1] > claim.value).sum())
        for name in (P400M, "s3700-200gb")
    }
    return unfixed(
        "describes a chart; computed is how many of the simulated 2,000 s lie above its scale",
        ", ".join(f"{name} {seconds} s" for name, seconds in above.items()),
    )
