"""Checks of the claims on Dynamic Write Acceleration: kept sweeps, bursts and random writes.

What another publisher measured in the same test stands before what the model does.
"""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from flashwear.study import sources
from flashwear.study.claims import kept
from flashwear.study.claims.registry import Claim, Finding, check, judged, undecided
from flashwear.study.claims.rules import THRESHOLDS, at_the_middle, within

_SAME, _SHORTEST = 0.05, 8
"""A plateau: so many of 400 stretches, this close to one another."""

_SMALL = {"M600 128GB": "m600-128gb", "M600 256GB": "m600-256gb"}
_MODELS = {**_SMALL, "MX300 750GB": "mx300-750gb"}


def _speeds(drive: str, variant: str | None = None) -> NDArray[np.float64]:
    """Return MB/s in 400 stretches of a sweep."""
    study = "cache_sweeps" if variant is None else "cache_rules"
    return kept.line(study, "speed", drive, variant or "as modelled")


def plateaus(speeds: NDArray[np.float64]) -> list[tuple[float, float]]:
    """Return where each plateau of a sweep ends, as a share of the addresses, and its MB/s."""
    found = []
    start = 1
    for end in range(2, speeds.size + 1):
        if end < speeds.size and abs(speeds[end] / np.median(speeds[start:end]) - 1) <= _SAME:
            continue
        if end - start >= _SHORTEST:
            found.append((end / speeds.size, float(np.median(speeds[start:end]))))
        start = end
    return found


def _of_both(what: dict[str, str], unit: str = "") -> str:
    return ", ".join(f"{text}{unit} ({name})" for name, text in what.items())


@check("M6-081")
def speed_that_set_a_time(claim: Claim) -> Finding:
    seen = sources.external("M600 128GB", "write speed in one-bit mode")
    agrees = within("about", seen / claim.value)
    return Finding(
        "holds" if agrees else "in tension",
        sources.speaker("M600 128GB", "write speed in one-bit mode"),
        f"{seen:.0f} MB/s",
        "Another publisher measured the start of the same test on the same drive; speeds agree "
        "within 10 %.",
    )


@check("M6-070")
def almost_all_blocks(claim: Claim) -> Finding:
    drive = sources.Rating("M600 128GB")
    seen = sources.workload("HD Tach", "share of NAND in SLC mode, empty") / 100
    return undecided(
        f"The sweep of the review was fast over {100 * seen:.0f} %. If that is of the cells, as "
        "many of the blocks had one bit a cell. If it is of the addresses, "
        f"{100 * 2 * seen * drive.user / drive.raw:.0f} % had, which is near almost all.",
        f"{100 * seen:.0f} or {100 * 2 * seen * drive.user / drive.raw:.0f} %",
    )


@check("M6-082")
def extent_of_the_first_stage(claim: Claim) -> Finding:
    ends = {
        reading: plateaus(_speeds("m600-128gb", variant))
        for reading, variant in (("addresses", "as modelled"), ("cells", "45 % of the cells"))
    }
    return undecided(
        "Ends of the first and the second stage of a simulated sweep of the M600 128GB, in % of "
        "the addresses, if 45 % is of the addresses or of the cells. The first reading set the "
        "model.",
        "; ".join(
            f"{reading}: {' and '.join(f'{100 * end:.0f}' for end, _ in found[:2])}"
            for reading, found in ends.items()
        ),
    )


@check("M6-076")
def folding_from_die_to_die(claim: Claim) -> Finding:
    missing = {
        name: 1 / sources.external(name, "write speed while folding")
        - 2 / sources.external(name, "write speed in two-bit mode")
        for name in _SMALL
    }
    return undecided(
        "Time that folding takes besides the programs of dies, by the speeds that another "
        "publisher measured: much the same on twice the dies. Whether the controller, its memory "
        "or the channels take it, speeds do not say.",
        _of_both({k: f"{v / 1e6 * 4096 * 1e6:.0f}" for k, v in missing.items()}, " us per 4 KiB"),
    )


@check("M6-077")
def no_threshold(claim: Claim) -> Finding:
    second = {
        rule: plateaus(_speeds("m600-128gb", variant))[1][1]
        for rule, variant in (
            ("folded for room only", "as modelled"),
            ("folded as soon as it is full", "folded to half"),
        )
    }
    seen = sources.external("M600 128GB", "write speed in two-bit mode")
    return undecided(
        f"Second stage of the M600 128GB, simulated under two rules, against {seen:.0f} MB/s that "
        "another publisher measured. What starts folding, a sweep does not show.",
        _of_both({rule: f"{speed:.0f}" for rule, speed in second.items()}, " MB/s"),
    )


@check("M6-080")
def three_stages(claim: Claim) -> Finding:
    levels = {name: _measured(name) for name in _SMALL}
    apart = 1 + THRESHOLDS["order"][0]
    return judged(
        all(
            1 + sum(high > apart * low for high, low in pairwise(found)) == claim.value
            for found in levels.values()
        ),
        _of_both(
            {name: "/".join(f"{speed:.0f}" for speed in found) for name, found in levels.items()},
            " MB/s",
        ),
        "Levels of speed that another publisher measured in the same test, one after the other.",
        sources.speaker("M600 128GB", _STAGES[0]),
    )


_STAGES = (
    "write speed in one-bit mode",
    "write speed in two-bit mode",
    "write speed while folding",
)


def _measured(name: str) -> list[float]:
    """Return the speeds of the stages that another publisher measured."""
    return [sources.external(name, stage) for stage in _STAGES]


@check("M6-083")
def direct_writes_scale_with_dies(claim: Claim) -> Finding:
    small, large = (_measured(name)[1] for name in _SMALL)
    return judged(
        small < (1 - THRESHOLDS["order"][0]) * large,
        f"{small:.0f} against {large:.0f} MB/s",
        "Second level of speed that another publisher measured in the same test, M600 128GB and "
        "256GB.",
        sources.speaker("M600 128GB", _STAGES[1]),
    )


@check("M6-084")
def folding_is_below_100(claim: Claim) -> Finding:
    seen = {name: _measured(name)[2] for name in _SMALL}
    return judged(
        max(seen.values()) < claim.value,
        _of_both({name: f"{speed:.0f}" for name, speed in seen.items()}, " MB/s"),
        "Last level of speed that another publisher measured in the same test.",
        sources.speaker("M600 128GB", _STAGES[2]),
    )


@check("M6-086")
def flat_without_the_cache(claim: Claim) -> Finding:
    speeds = np.concatenate([_speeds(f"m600-{size}gb")[1:] for size in (512, 1024)])
    apart = float(np.abs(speeds / np.median(speeds) - 1).max())
    return at_the_middle(
        f"{np.median(speeds):.0f} MB/s, at most {100 * apart:.1f} % off",
        "Simulated writes over all addresses of the M600 512GB and 1TB, but for the first "
        "stretch, in which the buffer fills.",
    )


_BURST_GB = 0.9
"""A few hundred megabytes, in whole stretches of 0.3 GB of the kept bursts."""


@check("M6-089")
def typical_bursts_fit(claim: Claim) -> Finding:
    rows = kept.table("cache_bursts")
    rows = rows[rows["drive"].isin(list(_SMALL.values())) & (rows["fill"] > 0)]
    rested = rows[rows["idle_s"] >= 600]["fast_gb"].min()
    at_once = rows[(rows["idle_s"] == 0) & (rows["fast_gb"] < _BURST_GB)]["fill"].min()
    full = 100 * rows["fill"].max()
    return at_the_middle(
        f"{rested:.1f} GB or more up to {full:.0f} % full, rested",
        "Least that one-bit mode takes of a simulated burst, M600 128GB and 256GB, after 10 "
        f"minutes or an hour of rest. Right after the fill it takes less than {_BURST_GB} GB from "
        f"{100 * at_once:.0f} % full on.",
    )


@check("M6-127")
def the_steady_state_is_left_alone(claim: Claim) -> Finding:
    mean, first = (
        [
            kept.cell("cache_consistency", column, drive="m600-256gb", variant=variant)
            for variant in ("as modelled", "no cache")
        ]
        for column in ("mean", "first")
    )
    return at_the_middle(
        f"{mean[0]:,.0f} with and {mean[1]:,.0f} IOPS without the cache",
        "Simulated random writes of the M600 256GB, seconds 1,600 to 2,000. In the first minute "
        f"they are {kept.kilo(first[0])} against {kept.kilo(first[1])}.",
    )


@check("MX-172")
def gained_at_first_and_lost_later(claim: Claim) -> Finding:
    (cached, plain), (first, rest) = (
        [kept.cell("cache_sweeps", column, drive=drive) for drive in ("mx200-250gb", "mx100-256gb")]
        for column in ("mean", "first")
    )
    done = 1 / np.cumsum(1 / _speeds("mx200-250gb")) * np.arange(1, 401)
    even = float(np.flatnonzero(done >= plain).max() + 1) / 400
    return at_the_middle(
        f"{first:.0f} against {rest:.0f} MB/s at first, ahead up to {100 * even:.0f} % of the "
        f"addresses; {cached:.0f} against {plain:.0f} MB/s over all",
        "Simulated writes over all addresses of the MX200 250GB with its cache, and of the MX100 "
        "256GB, the same flash without one.",
    )
