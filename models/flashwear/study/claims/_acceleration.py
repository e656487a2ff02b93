"""Checks of the claims on Dynamic Write Acceleration: kept sweeps, bursts and random writes.

Speeds agree within 10 %, as in the other checks of speeds.
"""

import numpy as np
from numpy.typing import NDArray

from flashwear import drives
from flashwear.study import sources
from flashwear.study.claims import kept
from flashwear.study.claims.registry import Claim, Finding, Verdict, check, holds, undecided

_TOLERANCE = 0.1
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
    return undecided(
        f"the start of a simulated sweep; another review measured {seen:.0f} MB/s in the same test "
        "(external), which set the times of the drive, so that it is no evidence",
        f"{kept.cell('cache_sweeps', 'first', drive='m600-128gb'):.0f} MB/s",
    )


@check("M6-070")
def almost_all_blocks(claim: Claim) -> Finding:
    drive = sources.Rating("M600 128GB")
    seen = sources.workload("HD Tach", "share of NAND in SLC mode, empty") / 100
    return undecided(
        "blocks of the M600 128GB in one-bit mode, if the 45 % of M6-082 are of the cells or of "
        "the addresses; only the second goes with almost all. The model's share is set to it",
        f"{100 * seen:.0f} or {100 * 2 * seen * drive.user / drive.raw:.0f} %",
    )


@check("M6-082")
def extent_of_the_first_stage(claim: Claim) -> Finding:
    ends = {
        reading: plateaus(_speeds("m600-128gb", variant))
        for reading, variant in (("addresses", "as modelled"), ("cells", "45 % of the cells"))
    }
    return undecided(
        "ends of the first and the second stage of a simulated sweep of the M600 128GB, in % of "
        "the addresses, if 45 % is of the addresses or of the cells. The model's share of blocks "
        "is set by the first reading, so that it is no evidence; the second drop would decide, "
        "which the document does not give in figures",
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
        "time that folding takes besides the programs of dies, if the two add up, by measured "
        "speeds (external) and one byte folded for one written: much the same on twice the dies. "
        "What takes it, the controller, its memory or the channels, of which both drives have "
        f"{drives.load('m600-128gb').channels}, speeds do not say. Moves within a die, as in "
        "SanDisk's design, are not modelled",
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
        f"second stage of the M600 128GB, simulated under two rules, against {seen:.0f} MB/s "
        "measured (external): a full cache alone did not make the drive fold one byte for each "
        "that it wrote. What starts folding, the sweep does not show",
        _of_both({rule: f"{speed:.0f}" for rule, speed in second.items()}, " MB/s"),
    )


@check("M6-075", "M6-078")
def inputs(claim: Claim) -> Finding:
    return undecided(
        "the model takes it over: 50 ms without a request start folding"
        if claim.id == "M6-078"
        else "the Ultra II is not modelled; blocks here are rows over all dies, so that a fixed "
        "cache has its share of each die by construction"
    )


@check("M6-080")
def three_stages(claim: Claim) -> Finding:
    levels = {name: plateaus(_speeds(model)) for name, model in _SMALL.items()}
    return holds(
        all(len(found) == claim.value for found in levels.values()),
        _of_both(
            {k: "/".join(f"{speed:.0f}" for _, speed in found) for k, found in levels.items()},
            " MB/s",
        ),
        "plateaus of simulated sweeps (2 % of the addresses or longer, within 5 %): cache, direct "
        "writes, folding for room. Direct writes past a full cache are put in, as the document "
        "reads its second stage, and folding only for room is assumed; that flash then runs out "
        "before the last address comes out. Measured speeds of all three stages (external) set the "
        "times of the drive, not that there are three",
        yes="explained",
    )


@check("M6-083")
def direct_writes_scale_with_dies(claim: Claim) -> Finding:
    small, large = (plateaus(_speeds(model))[1][1] for model in _SMALL.values())
    seen = [sources.external(name, "write speed in two-bit mode") for name in _SMALL]
    return holds(
        small < (1 - _TOLERANCE) * large,
        f"{small:.0f} against {large:.0f} MB/s",
        "second stage of simulated sweeps, M600 128GB and 256GB: half the dies program two bits a "
        f"cell half as fast; measured {seen[0]:.0f} and {seen[1]:.0f} (external)",
        yes="explained",
    )


@check("M6-084")
def folding_is_below_100(claim: Claim) -> Finding:
    last = {name: plateaus(_speeds(model))[-1][1] for name, model in _SMALL.items()}
    seen = [sources.external(name, "write speed while folding") for name in _SMALL]
    no: Verdict = "contradicted" if max(seen) >= claim.value else "not reproducible"
    return holds(
        max(last.values()) < claim.value,
        _of_both({name: f"{speed:.0f}" for name, speed in last.items()}, " MB/s"),
        "third stage of simulated sweeps, folding in turn with the host; measured elsewhere were "
        f"{seen[0]:.0f} and {seen[1]:.0f} MB/s (external), without which the times of these drives "
        "would be the same",
        yes="explained",
        no=no,
    )


@check("M6-086")
def flat_without_the_cache(claim: Claim) -> Finding:
    speeds = np.concatenate([_speeds(f"m600-{size}gb")[1:] for size in (512, 1024)])
    apart = float(np.abs(speeds / np.median(speeds) - 1).max())
    return holds(
        apart < _SAME,
        f"{np.median(speeds):.0f} MB/s, at most {100 * apart:.1f} % off",
        "simulated sweeps of the M600 512GB and 1TB, 400 stretches each but the first, in which "
        "the buffer fills",
        yes="explained",
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
    return holds(
        rested >= _BURST_GB,
        f"{rested:.1f} GB or more up to {full:.0f} % full, rested",
        "least that one-bit mode takes of a simulated burst, M600 128GB and 256GB, after 10 "
        f"minutes or an hour of rest. Right after the fill, less than {_BURST_GB} GB from "
        f"{100 * at_once:.0f} % full on",
        yes="explained",
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
    return holds(
        abs(mean[0] / mean[1] - 1) < _SAME and abs(first[0] / first[1] - 1) > _SAME,
        f"{mean[0]:,.0f} with and {mean[1]:,.0f} IOPS without the cache",
        "simulated random writes of the M600 256GB, seconds 1,600 to 2,000. The first minute "
        f"differs, {kept.kilo(first[0])} against {kept.kilo(first[1])}: on a full drive the cache "
        "takes spare flash and has to be folded",
        yes="explained",
    )


@check("MX-172")
def gained_at_first_and_lost_later(claim: Claim) -> Finding:
    (cached, plain), (first, rest) = (
        [kept.cell("cache_sweeps", column, drive=drive) for drive in ("mx200-250gb", "mx100-256gb")]
        for column in ("mean", "first")
    )
    done = 1 / np.cumsum(1 / _speeds("mx200-250gb")) * np.arange(1, 401)
    even = float(np.flatnonzero(done >= plain).max() + 1) / 400
    return holds(
        first > rest and cached < plain,
        f"ahead up to {100 * even:.0f} % of the addresses, behind after; {cached:.0f} against "
        f"{plain:.0f} MB/s over all",
        "time for a simulated sweep of the MX200 250GB with its cache, and of the MX100 256GB, "
        "the same flash without one",
        yes="explained",
    )
