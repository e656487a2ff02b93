"""Blocks that fail one by one, and a drive that ends when its spare blocks are used up."""

from __future__ import annotations

from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from flashwear._columns import elementwise
from flashwear._domain import Array, FloatOrArray, number, one_number, plain, shown, whole
from flashwear.reliability.retirement import strength

_NODES = 2_000  # of the quadrature over drives of one factor


@overload
def bad_blocks(erases: float, blocks: int, spread: float, family: str = ...) -> float: ...
@overload
def bad_blocks(erases: ArrayLike, blocks: int, spread: float, family: str = ...) -> Array: ...
@elementwise()
def bad_blocks(
    erases: ArrayLike, blocks: int, spread: float, family: str = "normal"
) -> FloatOrArray:
    r"""Return the mean number of failed blocks after a number of erases of each.

    .. math:: \mathrm E[B(\nu)] = n\,F(\nu)

    with :math:`\mathrm E` the mean, :math:`n` the number of blocks and :math:`F` the distribution
    function of their endurance (:func:`~flashwear.reliability.strength`). The number of failed
    blocks :math:`B` is binomial.

    Parameters
    ----------
    erases : array_like
        Erases of each block over the mean endurance, :math:`\nu`, >= 0.
    blocks : int
        Blocks of the drive, in [1, 10^9].
    spread : float
        Standard deviation of the endurance over its mean, in [1e-6, 1].
    family : {"normal", "lognormal", "weibull"}
        Form of its distribution.

    Returns
    -------
    float or ndarray
        Blocks.

    Raises
    ------
    ValueError
        Outside these ranges.

    Examples
    --------
    >>> [round(count, 1) for count in bad_blocks([0.6, 0.7, 0.8], 2048, 0.1).tolist()]
    [0.1, 2.8, 46.6]
    """
    age = number("erases", erases, low=0)
    count = whole("blocks", blocks, 1, 10**9)
    return plain(count * np.asarray(strength(spread, family).cdf(age)))


@overload
def share_ended(
    erases: float,
    blocks: int,
    spares: int,
    spread: float,
    family: str = ...,
    *,
    drive_spread: float = ...,
) -> float: ...
@overload
def share_ended(
    erases: ArrayLike,
    blocks: int,
    spares: int,
    spread: float,
    family: str = ...,
    *,
    drive_spread: float = ...,
) -> Array: ...
@elementwise()
def share_ended(
    erases: ArrayLike,
    blocks: int,
    spares: int,
    spread: float,
    family: str = "normal",
    *,
    drive_spread: float = 0.0,
) -> FloatOrArray:
    r"""Return the share of drives that have used up their spare blocks.

    .. math:: \Pr(\text{more than } s \text{ of } n \text{ blocks spent})
              = \int_0^\infty I_{F(\nu/d)}(s + 1,\, n - s)\,dG(d)

    This is the distribution of the :math:`(s+1)`-th of :math:`n` order statistics
    (:cite:t:`david2003`), with :math:`\nu` the erases of each block over the mean endurance,
    :math:`I` the regularised incomplete beta function and :math:`F` the distribution function of
    the blocks' endurance. As the blocks of a drive are of one batch, their endurance has a common
    factor :math:`d`, lognormal with mean 1 over drives (distribution :math:`G`). Without it, all
    drives of many blocks would end at the same time.

    Parameters
    ----------
    erases : array_like
        Erases of each block over the mean endurance, :math:`\nu`, >= 0.
    blocks : int
        Blocks of the drive :math:`n`, in [1, 10^9].
    spares : int
        Blocks that may fail before the drive ends, :math:`s`, in [0, `blocks`).
    spread : float
        Standard deviation of endurance over the blocks of a drive, over its mean, in [1e-6, 1].
    family : {"normal", "lognormal", "weibull"}
        Form of its distribution, see :func:`~flashwear.reliability.strength`.
    drive_spread : float
        Standard deviation of the factor :math:`d`, in [0, 1].

    Returns
    -------
    float or ndarray
        A share in [0, 1].

    Raises
    ------
    ValueError
        Outside these ranges.

    Notes
    -----
    All blocks in service are erased equally often. The result is exact for `drive_spread` 0, else
    within 1e-3.

    Examples
    --------
    Of drives with 2,048 blocks and 28 % over-provisioning, when each block has been erased 91, 92
    and 93 % as often as the mean bears:

    >>> ended = share_ended([0.91, 0.92, 0.93], 2048, 448, 0.1)
    >>> [round(share, 3) for share in ended.tolist()]
    [0.0, 0.214, 0.993]
    """
    from scipy import special

    age = number("erases", erases, low=0)
    weak, n, s, width = _drive(blocks, spares, spread, family, drive_spread)
    if not width:
        return plain(special.betainc(s + 1, n - s, weak.cdf(age)))
    return plain(_mixed(age, _ends(weak, n, s), width))


def _ends(weak: Any, n: int, s: int) -> Any:
    """Return equally likely ends of a drive whose factor is 1."""
    from scipy import special

    shares = (np.arange(_NODES) + 0.5) / _NODES
    return np.maximum(weak.ppf(special.betaincinv(s + 1, n - s, shares)), 0)


def _mixed(age: Any, ends: Any, width: float) -> Any:
    """Return the share of drives that have ended if their factors scatter."""
    from scipy import special

    sigma = np.sqrt(np.log1p(width**2))
    with np.errstate(divide="ignore", invalid="ignore"):
        factors = np.log(age[..., None] / ends) / sigma + sigma / 2
    # a drive that is dead at birth has ended at any age
    return special.ndtr(np.where(ends > 0, factors, np.inf)).mean(axis=-1)


@overload
def erases_at_end(
    share: float,
    blocks: int,
    spares: int,
    spread: float,
    family: str = ...,
    *,
    drive_spread: float = ...,
) -> float: ...
@overload
def erases_at_end(
    share: ArrayLike,
    blocks: int,
    spares: int,
    spread: float,
    family: str = ...,
    *,
    drive_spread: float = ...,
) -> Array: ...
@elementwise()
def erases_at_end(
    share: ArrayLike,
    blocks: int,
    spares: int,
    spread: float,
    family: str = "normal",
    *,
    drive_spread: float = 0.0,
) -> FloatOrArray:
    r"""Return the erases per block after which a share of drives has used up its spare blocks.

    This is the inverse of :func:`share_ended`.

    Parameters
    ----------
    share : array_like
        Share of drives, in (0, 1): 0.03 is what the standard lets fail.
    blocks, spares, spread, family, drive_spread
        Blocks of a drive, how many of them may fail, standard deviation of their endurance over its
        mean, form of its distribution ("normal", "lognormal" or "weibull"), and standard deviation
        of the mean endurance between drives, relative to its mean.

    Returns
    -------
    float or ndarray
        Erases of each block over the mean endurance; 0 if so many drives fail from the start.

    Raises
    ------
    ValueError
        Outside these ranges.

    Examples
    --------
    The first 3 % of drives, if blocks alone scatter, and if drives do by 5 % too:

    >>> [round(erases_at_end(0.03, 2048, 448, 0.1, drive_spread=d), 3) for d in (0, 0.05)]
    [0.917, 0.838]
    """
    from scipy import special
    from scipy.optimize import brentq

    part = number("share", share, above=0)
    if (part >= 1).any():
        raise ValueError(f"share must be a finite number > 0 and < 1, got {shown(part.max())}")
    weak, n, s, width = _drive(blocks, spares, spread, family, drive_spread)
    if not width:
        return plain(np.maximum(0.0, weak.ppf(special.betaincinv(s + 1, n - s, part))))
    ends = _ends(weak, n, s)
    if not ends[-1]:
        return plain(np.zeros(part.shape))
    most = float(np.log(ends[-1])) + 40 * width + 1

    def one(target: float) -> float:
        def excess(log_age: float) -> float:
            return float(_mixed(np.exp(log_age), ends, width)) - target

        if excess(most - 200) >= 0:
            return 0.0
        return float(np.exp(brentq(excess, most - 200, most, xtol=1e-12)))

    return plain(np.vectorize(one, otypes=[float])(part))


def _drive(
    blocks: int, spares: int, spread: float, family: str, drive_spread: float
) -> tuple[Any, int, int, float]:
    n = whole("blocks", blocks, 1, 10**9)
    return (
        strength(spread, family),
        n,
        whole("spares", spares, 0, n - 1),
        one_number("drive_spread", drive_spread, low=0, high=1),
    )
