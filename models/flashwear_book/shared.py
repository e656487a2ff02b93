"""Numbers that appear on more than one page of the book, each from one function."""

from typing import NamedTuple

from flashwear import capacity, wa
from flashwear.units import GB, GIB
from flashwear_book import sources, tables

__all__ = ["Range", "m500dc_by_spare", "m500dc_rated", "m600_with_a_quarter"]

_M500DC = {"M500DC 480GB": (768, 480), "M500DC 800GB": (1024, 800)}
_STRIPE, _RATED = "data blocks per parity block", "rated random write 4KB"


class Range(NamedTuple):
    """Range of results, ``low`` to ``high``, for several ways to understand a statement."""

    low: float
    high: float


def m500dc_by_spare() -> Range:
    """Return the random-write speed of the 480 GB M500DC over the 800 GB's, by their spare flash.

    It is assumed that both program flash at the same rate. One end of the range ignores parity, the
    other counts the flash and the writes that it takes. The raw flash is the only multiple of
    64 GiB that fits the published shares.

    Examples
    --------
    >>> [round(end, 2) for end in m500dc_by_spare()]
    [1.43, 1.49]
    """
    plain, whole = {}, {}
    for name, (raw, user) in _M500DC.items():
        op, stripe = capacity.over_provisioning(raw * GIB, user * GB), _external(name, _STRIPE)
        plain[name] = wa.fifo(op)
        whole[name] = wa.fifo(wa.parity_op(op, stripe)) * wa.parity_factor(stripe)
    small, large = _M500DC
    ratios = [each[large] / each[small] for each in (plain, whole)]
    return Range(min(ratios), max(ratios))


def m500dc_rated() -> float:
    """Return the rated random-write speed of the 480 GB M500DC over that of the 800 GB.

    Examples
    --------
    >>> round(m500dc_rated(), 2)
    1.46
    """
    small, large = (_external(name, _RATED) for name in _M500DC)
    return small / large


def m600_with_a_quarter() -> Range:
    """Return the random-write speed of the 256 GB M600 with "25 %" left empty over that when full.

    The range is for four meanings of the quarter: it may be relative to all addresses or to the
    part that is written, and be either the part left empty or all spare flash.

    Examples
    --------
    >>> [round(end, 1) for end in m600_with_a_quarter()]
    [2.8, 4.0]
    """
    rating = sources.Rating("M600 256GB")
    alpha = rating.raw / sources.user_capacity("M600 256GB")
    quarter = 0.25
    shares = (1 - quarter, 1 / (1 + quarter), (1 - quarter) * alpha, alpha / (1 + quarter))
    gains = [wa.fifo(alpha - 1) / wa.fifo(alpha / share - 1) for share in shares]
    return Range(min(gains), max(gains))


def _external(drive: str, quantity: str) -> float:
    rows = tables.external()
    found = rows[(rows["drive"] == drive) & (rows["quantity"] == quantity)]
    return float(found["value"].iloc[0])
