"""Claims decided by measurements or documents of others, or by the review's own table."""

from itertools import pairwise

from flashwear.units import GB
from flashwear_book import sources
from flashwear_book.claims.registry import Answer, Claim, check, consistent, judged, undecided
from flashwear_book.claims.rules import THRESHOLDS, within

_SMALL = ("M600 128GB", "M600 256GB")
_STAGES = [f"write speed {how}" for how in ("in one-bit mode", "in two-bit mode", "while folding")]
_ORDER = THRESHOLDS["order"][0]


def _shown(name: str, *stages: str) -> str:
    speeds = "/".join(f"{sources.external(name, stage):.0f}" for stage in stages)
    return f"{speeds} MB/s ({name})"


@check("M6-080")
def three_stages(claim: Claim) -> Answer:
    levels = [[sources.external(name, stage) for stage in _STAGES] for name in _SMALL]
    counts = [1 + sum(a > (1 + _ORDER) * b for a, b in pairwise(each)) for each in levels]
    return (
        all(count == claim.value for count in counts),
        ", ".join(_shown(name, *_STAGES) for name in _SMALL),
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
    (small, speaker), (large, _) = (sources.stated(name, _STAGES[1]) for name in _SMALL)
    how = "Second level of speed that another publisher measured in the same test, M600 128GB and"
    text = f"{small:.0f} against {large:.0f} MB/s"
    return small < (1 - _ORDER) * large, text, f"{how} 256GB.", speaker


@check("M6-084")
def folding_is_slow(claim: Claim) -> Answer:
    return (
        max(sources.external(name, _STAGES[2]) for name in _SMALL) < claim.value,
        ", ".join(_shown(name, _STAGES[2]) for name in _SMALL),
        "Last level of speed that another publisher measured in the same test.",
        sources.speaker("M600 128GB", _STAGES[2]),
    )


_RIVALS = {"M600 128GB": ("840 EVO 120GB",), "M600 256GB": ("840 EVO 250GB", "Ultra II 240GB")}
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
    if all(sure) == all(possible):
        return all(sure), text, how, sources.speaker("840 EVO 120GB", "SLC cache")
    return undecided(how, text)


def _beside_the_mx200(attribute: str) -> list[float]:
    drives = ("MX300 750GB", "MX200 500GB", "MX200 1TB")
    return [sources.spec(drive, attribute) for drive in drives]


@check("MX-145")
def reads_in_order_scale_less(claim: Claim) -> Answer:
    tlc, *mlc = _beside_the_mx200("sequential read")
    return judged(
        False,
        f"{tlc:.0f} against {mlc[0]:.0f} and {mlc[1]:.0f} MB/s",
        "By the specification table of the same review, whose ratings are of long queues, the "
        "MX300 is slower. How the speed grows with the queue is in a chart that is an image.",
        part="slower at high queue depth" if tlc < min(mlc) else None,
    )


@check("MX-165")
def slumber_and_active_idle(claim: Claim) -> Answer:
    own, *others = _beside_the_mx200("slumber power")
    text = f"{own:.0f} mW in slumber, the MX200 {min(others):.0f} mW"
    how = (
        f"By the specification table the MX300 needs {text}: {100 * (1 - own / min(others)):.0f} % "
        "less. Active idle is in a chart that is an image, so that this part stays undecided."
    )
    return judged(False, text, how, part="slumber" if own < min(others) else None)


def _reviewed() -> int:
    return int(str(sources._cell("documents", "date", document="MX"))[:4])


@check("MX-175")
def last_of_its_line(claim: Claim) -> Answer:
    year, speaker = sources.stated("BX300", "year of launch")
    how = f"Forecast of {_reviewed()}; the line went on with this drive."
    return year <= _reviewed(), f"BX300 launched in {year:.0f}", how, speaker


@check("MX-176")
def drive_that_was_to_come(claim: Claim) -> Answer:
    year, speaker = sources.stated("Ballistix TX3", "year of cancellation before sale")
    how = f"Forecast of {_reviewed()}; the drive was shown, and given up before it was sold."
    return year < _reviewed(), f"Ballistix TX3 cancelled in {year:.0f}", how, speaker


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
