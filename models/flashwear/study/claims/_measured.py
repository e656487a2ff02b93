"""Claims that another's measurement or document, or the review's own table, decides."""

from itertools import pairwise

from flashwear.study import sources
from flashwear.study.claims.registry import Answer, Claim, check, consistent, judged, undecided
from flashwear.study.claims.rules import THRESHOLDS, within
from flashwear.units import GB

_SMALL = ("M600 128GB", "M600 256GB")
_STAGES = (
    "write speed in one-bit mode",
    "write speed in two-bit mode",
    "write speed while folding",
)
_ORDER = THRESHOLDS["order"][0]


def _stages(name: str) -> list[float]:
    """Return the speeds of the stages of a sweep that another publisher measured."""
    return [sources.external(name, stage) for stage in _STAGES]


@check("M6-080")
def three_stages(claim: Claim) -> Answer:
    levels = {name: _stages(name) for name in _SMALL}
    counts = [1 + sum(a > (1 + _ORDER) * b for a, b in pairwise(each)) for each in levels.values()]
    texts = (
        f"{'/'.join(f'{speed:.0f}' for speed in each)} MB/s ({name})"
        for name, each in levels.items()
    )
    return judged(
        all(count == claim.value for count in counts),
        ", ".join(texts),
        "Levels of speed that another publisher measured in the same test, one after the other.",
        sources.speaker("M600 128GB", _STAGES[0]),
    )


@check("M6-081")
def speed_of_the_first_stage(claim: Claim) -> Answer:
    seen, speaker = sources.stated("M600 128GB", _STAGES[0])
    how = (
        "Another publisher measured the start of that test on the same drive. Speeds may differ "
        f"by {100 * THRESHOLDS['about'][0]:.0f} %."
    )
    return consistent(within("about", seen / claim.value), f"{seen:.0f} MB/s", how, speaker)


@check("M6-083")
def direct_writes_scale_with_dies(claim: Claim) -> Answer:
    small, large = (_stages(name)[1] for name in _SMALL)
    return judged(
        small < (1 - _ORDER) * large,
        f"{small:.0f} against {large:.0f} MB/s",
        "Second level of speed that another publisher measured in the same test, M600 128GB and "
        "256GB.",
        sources.speaker("M600 128GB", _STAGES[1]),
    )


@check("M6-084")
def folding_is_slow(claim: Claim) -> Answer:
    seen = {name: _stages(name)[2] for name in _SMALL}
    return judged(
        max(seen.values()) < claim.value,
        ", ".join(f"{speed:.0f} MB/s ({name})" for name, speed in seen.items()),
        "Last level of speed that another publisher measured in the same test.",
        sources.speaker("M600 128GB", _STAGES[2]),
    )


_RIVALS = {
    "M600 128GB": ("840 EVO 120GB",),
    "M600 256GB": ("840 EVO 250GB", "Ultra II 240GB"),
}
"""Each M600 with a cache, and the drives of its size with a cache of published size."""


@check("M6-072")
def at_ninety_percent_above_the_rivals(claim: Claim) -> Answer:
    cached = sources.Rating("M600 128GB")
    low = sources.workload("HD Tach", "share of NAND in SLC mode, empty") / 100  # if of the cells
    high = 2 * low * cached.user / cached.raw  # if of the addresses
    parts, holds, sure, possible = [], [], [], []
    for name, rivals in _RIVALS.items():
        drive, fill = sources.Rating(name), claim.value / 100
        least, most = ((flash - fill * drive.user) / 2 for flash in (drive.user, drive.raw))
        other = {rival: sources.external(rival, "SLC cache") for rival in rivals}
        need = max(other.values()) * GB
        holds.append(f"{name} {low * least / GB:.1f} to {high * most / GB:.1f} GB")
        sure.append(low * least > need)
        possible.append(high * most > need)
        against = ", ".join(f"{rival} {size:.0f}" for rival, size in other.items())
        parts.append(f"{name} room for {least / GB:.1f} to {most / GB:.1f} GB against {against}")
    text = "; ".join(parts)
    how = (
        "A tenth of the addresses is empty. If the cache takes the share of what that leaves "
        f"that the review saw on an empty drive ({100 * low:.0f} % of the cells, or "
        f"{100 * high:.0f} % if that counts addresses), it holds {', '.join(holds)}. The caches "
        "of the rivals are published."
    )
    if not all(sure) and all(possible):
        return undecided(how, text)
    return judged(all(sure), text, how, sources.speaker("840 EVO 120GB", "SLC cache"))


@check("MX-145")
def reads_in_order_scale_less(claim: Claim) -> Answer:
    tlc, *mlc = (
        sources.spec(drive, "sequential read")
        for drive in ("MX300 750GB", "MX200 500GB", "MX200 1TB")
    )
    return judged(
        False,
        f"{tlc:.0f} against {mlc[0]:.0f} and {mlc[1]:.0f} MB/s",
        "By the specification table of the same review, whose ratings are of long queues, the "
        "MX300 is slower. How the speed grows with the queue is in a chart that is an image.",
        part="slower at high queue depth" if tlc < min(mlc) else None,
    )


@check("MX-165")
def slumber_and_active_idle(claim: Claim) -> Answer:
    own, *others = (
        sources.spec(drive, "slumber power")
        for drive in ("MX300 750GB", "MX200 500GB", "MX200 1TB")
    )
    text = f"{own:.0f} mW in slumber, the MX200 {min(others):.0f} mW"
    return judged(
        False,
        text,
        f"By the specification table the MX300 needs {text}: {100 * (1 - own / min(others)):.0f} % "
        "less. Active idle is in a chart that is an image, so that this part stays undecided.",
        part="slumber" if own < min(others) else None,
    )


_FORECASTS = {
    "MX-175": ("BX300", "year of launch", "launched", "the line went on with this drive"),
    "MX-176": (
        "Ballistix TX3",
        "year of cancellation before sale",
        "cancelled",
        "the drive was shown, and given up before it was sold",
    ),
}
"""By claim: a drive and a year, what happened then, and what that means."""


@check(*_FORECASTS)
def forecast_that_failed(claim: Claim) -> Answer:
    drive, quantity, event, meaning = _FORECASTS[claim.id]
    year = int(sources.external(drive, quantity))
    reviewed = int(str(sources._cell("documents", "date", document="MX"))[:4])
    came_true = year <= reviewed if event == "launched" else year < reviewed
    return judged(
        came_true,
        f"{drive} {event} in {year}",
        f"Forecast of {reviewed}; {meaning}.",
        sources.speaker(drive, quantity),
    )


@check("DC-025")
def only_the_mix_gains_to_the_end(claim: Claim) -> Answer:
    what, rate = (
        str(sources._cell("claims", name, id="DC-020")) for name in ("quantity", "stated")
    )
    if "scales to" not in what:
        return undecided("How the other loads gain is in charts.")
    return consistent(
        False,
        f"random reads gain all the way to {rate} IOPS",
        "The same page says so, and the mix is then not the only load that gains to the end. Both "
        "can be true only if random reads reach that rate before the greatest depth.",
    )
