"""What models with several classes of pages have in common: shares, and the FIFO balance."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from flashwear._domain import number

Floats = NDArray[np.float64]

# shares given to nine digits are taken to sum to 1, and are scaled so that they do; so are
# shares of a type with fewer digits, each within half a unit of the last (eps / 2 of their sum)
# or divided by a sum of that type, itself a few units off
_SUM_TOLERANCE = 1e-9
_SUM_UNITS = 4
LARGEST_OP = 1e20  # so much and more give the same amplification, to the last digit
_HOTTEST = 1e100  # a class of 1e-100 of the pages: how hot it is no longer matters


def classes(
    write_share: ArrayLike | None,
    space_share: ArrayLike | None,
    hot_write_share: ArrayLike | None = None,
    hot_space_share: ArrayLike | None = None,
) -> tuple[Floats, Floats, bool]:
    """Return the shares of writes and pages of all classes, and whether only a hot one was given.

    Give either the first two arguments (a number for the hot one of two classes, or all classes on
    the last axis), or the last two (numbers or columns for the hot class). ValueError is raised
    unless shares are in [0, 1] and sum to 1, and written classes have pages.
    """
    prefix = "" if hot_write_share is None and hot_space_share is None else "hot_"
    if prefix and not (write_share is None and space_share is None):
        raise ValueError(
            "write_share and space_share must not be given beside hot_write_share and "
            "hot_space_share: they say the same"
        )
    writes = hot_write_share if prefix else write_share
    spaces = hot_space_share if prefix else space_share
    if writes is None or spaces is None:
        raise ValueError(
            f"{prefix}write_share and {prefix}space_share must both be given, got {writes!r} and "
            f"{spaces!r}"
        )
    write = number(f"{prefix}write_share", writes, low=0, high=1)
    space = number(f"{prefix}space_share", spaces, low=0, high=1)
    hot_only = bool(prefix) or write.ndim == space.ndim == 0
    if hot_only:
        write, space = (np.stack([share, 1 - share], axis=-1) for share in (write, space))
    elif write.ndim == 0 or space.ndim == 0 or write.shape[-1] != space.shape[-1]:
        raise ValueError(
            "write_share and space_share must be two scalars or two arrays with the same classes "
            f"on the last axis, got shapes {write.shape} and {space.shape}"
        )
    else:
        write = summing_to_one("write_share", write, writes)
        space = summing_to_one("space_share", space, spaces)
    write, space = np.broadcast_arrays(write, space)
    if ((space == 0) & (write > 0)).any():
        raise ValueError(f"{prefix}space_share must be > 0 for a class that is written, got 0")
    return write, space, hot_only


def summing_to_one(name: str, share: Floats, given: ArrayLike) -> Floats:
    """Scale shares that sum to 1 within their rounding, which `given` shows, to exactly 1."""
    total = share.sum(axis=-1, keepdims=True)
    kind = np.asarray(given).dtype
    units = _SUM_UNITS * float(np.finfo(kind).eps) if kind.kind == "f" else 0.0
    off = np.abs(total - 1) > max(_SUM_TOLERANCE, units)
    if off.any():
        raise ValueError(f"{name} must sum to 1 over the classes, got {total[off].flat[0]:.10g}")
    return np.asarray(share / total)


def rates(write: Floats, space: Floats) -> Floats:
    """Return how often a page of each class is written, relative to the mean page; at most 1e100.

    `write` and `space` are the shares that each class has of the writes and of the user's pages,
    classes on the last axis. The result is their ratio, 0 for a class without pages.
    """
    with np.errstate(over="ignore"):
        rate = np.divide(write, space, out=np.zeros_like(write), where=space > 0)
    return np.minimum(rate, _HOTTEST)


def copies_left(y: Floats) -> Floats:
    """Return (1/(1-exp(-y)) - 1/y), which is 1/2 at 0 and 1 at infinity.

    A series is used for small y, where the difference would cancel.
    """
    small = y < 0.25
    safe = np.where(small, 1.0, y)
    s = np.where(small, y, 0.0) ** 2
    tail = 1 / 12 + s * (-1 / 720 + s * (1 / 30240 + s * (-1 / 1209600 + s / 47900160)))
    series = 0.5 + np.where(small, y, 0.0) * tail
    return np.where(small, series, -1 / np.expm1(-safe) - 1 / safe)


def residence(spare: ArrayLike, write: Floats, rate: Floats) -> Floats:
    """Return the time from a page's write to its cleaning in a FIFO log, in drive writes.

    `spare`: spare pages over user pages. `write`: for each class, on the last axis, the share of
    the host's writes that goes to the log. They may add up to less than 1, if a cache absorbs the
    rest. `rate`: writes per page of each class over those of the mean page, see :func:`rates`.

    Result: the root t of ``spare = t sum(write (1/(1-exp(-rate t)) - 1/(rate t)))``. Each bracket
    is between 1/2 and 1, so t lies between 1 and 2 times ``spare / sum(write)``.
    """
    from scipy.optimize import elementwise

    total = write.sum(axis=-1)
    low = np.asarray(spare) / total
    count = write.shape[-1]

    def excess(t: Floats, spare: Floats, *shares: Floats) -> Floats:
        terms = zip(shares[:count], shares[count:], strict=True)
        with np.errstate(over="ignore"):  # the hottest may be infinitely long in the log
            return t * sum(w * copies_left(r * t) for w, r in terms) - spare

    found = elementwise.find_root(
        excess,
        (0.99 * low, 2.01 * low),
        args=(spare, *np.moveaxis(write, -1, 0), *np.moveaxis(rate, -1, 0)),
        tolerances={"xatol": 0, "fatol": 0, "frtol": 0},
    )
    return np.asarray(found.x)
