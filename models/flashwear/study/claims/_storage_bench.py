"""Checks of the claims on the storage benches: synthetic streams, over draws of what is unknown.

The traces are not public. A stream made of published marginals cannot refute what was measured with
a trace, and the model has shown no skill in such tests, so that nothing here decides a claim: each
says in how many draws the stream gives what is claimed.

- Two figures within 2 % count as equal, and "virtually identical" are those within 5 %. A small or
  negligible difference is one of at most 10 %, and a precipitous drop one of at least 30 %.
- Where a review does not say whether the drive was empty or full, both count as draws.

Drives are at the middle of their bands.
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from flashwear.study.claims import kept
from flashwear.study.claims.registry import Claim, Finding, check, undecided

EQUAL, _IDENTICAL, SMALL, _DROP = 0.02, 0.05, 0.1, 0.3
_FEW, _OFTEN = 1e-3, 10.0
"""A share of slow requests that is few, and what makes one share so much more than another."""

_BY_SIZE = (
    ("m600-128gb", "840-evo-120gb"),
    ("m600-256gb", "840-evo-250gb"),
    ("m600-1024gb", "840-evo-1000gb"),
)
_DESTROYER = ("destroyer empty", "destroyer full")
_ON_EMPTY = ("heavy empty", "light empty")

Draws = NDArray[np.bool_]


def _scores(drive: str, *cases: str, of: str = "mb_per_s") -> pd.Series:
    """Return a score by case and draw."""
    rows = kept.table("storage_bench")
    rows = rows[(rows["drive"] == drive) & rows["case"].isin(cases)]
    return rows.set_index(["case", "draw"])[of].sort_index()


def gain(drive: str, other: str, *cases: str, of: str = "mb_per_s") -> pd.Series:
    """Return by how much a score exceeds that of another drive, over the latter."""
    return _scores(drive, *cases, of=of) / _scores(other, *cases, of=of) - 1


def _counted(truths: pd.Series | Draws, text: str, how: str) -> Finding:
    """Say in how many draws a claim holds."""
    draws = np.asarray(truths)
    return undecided(
        "Simulated with streams that have the published totals of the trace, the rest drawn at "
        f"random: {how}. The model was never shown to predict such tests, so it does not speak.",
        f"in {draws.sum()} of {draws.size} random samples; {text}",
    )


def span(gains: pd.Series) -> str:
    """Write the quartiles of relative differences."""
    low, middle, high = np.quantile(gains, [0.25, 0.5, 0.75]) * 100
    return f"{middle:+.0f} % (quartiles {low:+.0f} to {high:+.0f})"


def _middle(drive: str, case: str, of: str = "mb_per_s") -> float:
    return float(_scores(drive, case, of=of).median())


def _rates(case: str, *drives: str, of: str = "mb_per_s") -> str:
    """Write the medians of a score of some drives."""
    return ", ".join(f"{_middle(drive, case, of):,.0f}" for drive in drives)


@check("M6-144")
def m600_behind_the_mx100(claim: Claim) -> Finding:
    gains = gain("m600-256gb", "mx100-256gb", *_DESTROYER)
    folded = _scores("m600-256gb", *_DESTROYER, of="fold_share")
    return _counted(
        gains < -EQUAL,
        f"{span(gains)}; folded {folded.min():.2f} to {folded.max():.2f} of what the host writes",
        "Destroyer, data rate of the M600 256GB over that of the MX100, which differs in the "
        "model by the cache alone",
    )


@check("C2-005")
def service_time_of_the_m600(claim: Claim) -> Finding:
    gains = gain("m600-256gb", "mx100-256gb", *_DESTROYER, of="service_us")
    return _counted(
        gains > EQUAL, span(gains), "Destroyer, service time of the M600 256GB over the MX100's"
    )


@check("M6-146")
def more_dies_in_the_destroyer(claim: Claim) -> Finding:
    gains = gain("m600-1024gb", "m600-256gb", *_DESTROYER)
    large, small = (
        _scores(drive, "destroyer empty", of="wa").max() for drive in ("m600-1024gb", "m600-256gb")
    )
    return _counted(
        gains > EQUAL,
        f"{span(gains)}, {span(gains['destroyer empty'])} empty",
        "Destroyer, M600 1TB over 256GB; on an empty drive little is cleaned (write "
        f"amplification at most {large:.2f} and {small:.2f})",
    )


@check("M6-147")
def evo_before_the_largest_m600(claim: Claim) -> Finding:
    gains = gain("840-evo-1000gb", "m600-1024gb", *_DESTROYER)
    return _counted(
        gains > EQUAL,
        span(gains),
        "Destroyer, 840 EVO 1TB over M600 1TB; the M550 is not modelled",
    )


@check("M6-149")
def m600_before_the_mx100_on_an_empty_drive(claim: Claim) -> Finding:
    gains = gain("m600-256gb", "mx100-256gb", *_ON_EMPTY)
    ahead = (gains > EQUAL).sum()
    return _counted(
        (gains > EQUAL) & (gains <= SMALL),
        f"{span(gains)}, ahead in {ahead}",
        f"Heavy and Light on empty drives of 256 GB: ahead, and by at most {SMALL:.0%}",
    )


@check("M6-150", "M6-151")
def evo_before_the_m600_in_light(claim: Claim) -> Finding:
    gains = [gain(evo, m600, "light empty") for m600, evo in _BY_SIZE]
    text = ", ".join(span(gain) for gain in gains)
    how = "Light on an empty drive, 840 EVO over M600 at 128, 256 GB and 1 TB: "
    if claim.id == "M6-150":
        truths = np.all([gain > EQUAL for gain in gains], axis=0)
        return _counted(truths, text, f"{how}ahead at each size")
    truths = np.all([gain.abs() <= SMALL for gain in gains], axis=0)
    return _counted(truths, text, f"{how}within {SMALL:.0%} at each size")


@check("M6-166")
def gain_of_the_cache(claim: Claim) -> Finding:
    cases = (*_DESTROYER, *_ON_EMPTY)
    gains = gain("m600-256gb", "mx100-256gb", *cases)
    text = ", ".join(f"{case} {span(gains[case])}" for case in cases)
    return _counted(
        gains.abs() <= SMALL,
        text,
        f"M600 256GB over MX100 in the Destroyer, and in Heavy and Light on an empty drive: within "
        f"{SMALL:.0%}",
    )


@check("M6-167")
def evo_before_the_m600(claim: Claim) -> Finding:
    cases = (*_DESTROYER, *_ON_EMPTY)
    gains = np.concatenate([gain(evo, m600, *cases) for m600, evo in _BY_SIZE])
    return _counted(
        gains > EQUAL,
        span(gains),
        "840 EVO over M600 at 128, 256 GB and 1 TB in the Destroyer, and in Heavy and Light on an "
        "empty drive",
    )


@check("MX-108")
def mx300_between_two_mx200(claim: Claim) -> Finding:
    small, mine, large = (
        _scores(drive, *_DESTROYER) for drive in ("mx200-500gb", "mx300-750gb", "mx200-1000gb")
    )
    return _counted(
        (small <= mine) & (mine <= large) & (mine - small < large - mine),
        "; ".join(
            f"{case}: {_rates(case, 'mx200-500gb', 'mx300-750gb', 'mx200-1000gb')} MB/s"
            for case in _DESTROYER
        ),
        "Destroyer, medians of MX200 500GB, MX300 750GB, MX200 1TB",
    )


@check("MX-110")
def slow_requests_in_the_destroyer(claim: Claim) -> Finding:
    mine = _scores("mx300-750gb", *_DESTROYER, of="over_10ms")
    others = [_scores(f"mx200-{size}gb", *_DESTROYER, of="over_10ms") for size in (500, 1000)]
    severe = _scores("mx300-750gb", *_DESTROYER, of="over_100ms").max()
    return _counted(
        np.all([mine > other for other in others], axis=0),
        f"over 10 ms {mine.median():.1e} against {others[0].median():.1e} (500GB) and "
        f"{others[1].median():.1e} (1TB); over 100 ms {severe:.1e} at most",
        "Destroyer, more requests over 10 ms than on either MX200",
    )


@check("MX-114")
def mx300_as_its_predecessors(claim: Claim) -> Finding:
    gains = [gain("mx300-750gb", f"mx200-{size}gb", "heavy empty") for size in (500, 1000)]
    return _counted(
        np.all([gain.abs() <= _IDENTICAL for gain in gains], axis=0),
        f"{span(gains[0])} over 500GB, {span(gains[1])} over 1TB",
        f"Heavy on an empty drive, MX300 within {_IDENTICAL:.0%} of both MX200",
    )


def _full_over_empty(drive: str, bench: str) -> pd.Series:
    full, empty = (_scores(drive, f"{bench} {state}") for state in ("full", "empty"))
    return full.droplevel("case") / empty.droplevel("case") - 1


@check("MX-115")
def drop_on_a_full_drive(claim: Claim) -> Finding:
    gains = _full_over_empty("mx300-750gb", "heavy")
    other = _full_over_empty("mx200-500gb", "heavy")
    return _counted(
        gains <= -_DROP,
        f"{span(gains)}, MX200 500GB {span(other)}",
        f"Heavy, full over empty drive: a drop of at least {_DROP:.0%}",
    )


@check("MX-116", "MX-123")
def service_time_between_mlc_and_tlc(claim: Claim) -> Finding:
    bench = "heavy" if claim.id == "MX-116" else "light"
    drives = ("mx200-500gb", "mx300-750gb", "840-evo-500gb")
    mlc, mine, tlc = (_scores(drive, f"{bench} empty", of="service_us") for drive in drives)
    truths = np.asarray((mlc < mine) & (mine < tlc))
    cases = [f"{bench} empty"]
    if bench == "light":
        _, mine, tlc = (_scores(drive, "light full", of="service_us") for drive in drives)
        truths = truths & np.asarray(mine > tlc)
        cases.append("light full")
    text = "; ".join(f"{case}: {_rates(case, *drives, of='service_us')} us" for case in cases)
    full = ", and behind the latter on a full one" if bench == "light" else ""
    return _counted(
        truths,
        text,
        "service time on an empty drive between MX200 500GB (MLC) and 840 EVO 500GB (planar TLC)"
        + full,
    )


@check("MX-118", "MX-124")
def slow_requests_on_a_full_drive(claim: Claim) -> Finding:
    bench = "heavy" if claim.id == "MX-118" else "light"
    empty, full = (
        _scores("mx300-750gb", f"{bench} {state}", of="over_10ms").to_numpy()
        for state in ("empty", "full")
    )
    return _counted(
        (empty <= _FEW) & (full > _FEW) & (full >= _OFTEN * empty),
        f"over 10 ms {np.median(empty):.1e} empty, {np.median(full):.1e} full",
        f"{bench.title()}: at most {_FEW:.1%} of the requests over 10 ms on an empty drive; more, "
        f"and {_OFTEN:.0f} times as many, on a full one",
    )


@check("MX-121")
def small_lead_in_light(claim: Claim) -> Finding:
    gains = [gain("mx300-750gb", f"mx200-{size}gb", "light empty") for size in (500, 1000)]
    return _counted(
        np.all([(gain > EQUAL) & (gain <= SMALL) for gain in gains], axis=0),
        f"{span(gains[0])} over 500GB, {span(gains[1])} over 1TB",
        f"Light on an empty drive, MX300 ahead of both MX200 by at most {SMALL:.0%}",
    )


@check("MX-122", "MX-173")
def full_drive_as_planar_tlc(claim: Claim) -> Finding:
    cases = ("light full",) if claim.id == "MX-122" else ("heavy full", "light full")
    gains = gain("mx300-750gb", "840-evo-500gb", *cases)
    return _counted(
        gains <= SMALL,
        span(gains),
        f"{' and '.join(case.title() for case in cases)}, MX300 over 840 EVO 500GB: no more than "
        f"{SMALL:.0%} ahead; of planar TLC only the 840 EVO is modelled",
    )


@check("MX-109", "MX-117")
def beside_drives_that_are_not_modelled(claim: Claim) -> Finding:
    case = "destroyer full" if claim.id == "MX-109" else "heavy full"
    drives = ("mx200-500gb", "mx300-750gb", "840-evo-500gb")
    return undecided(
        "Simulated service times; the drives that it is compared with are not modelled.",
        f"{case}: {_rates(case, *drives, of='service_us')} us (MX200 500GB, MX300, 840 EVO 500GB)",
    )
