"""Write amplification when each class of pages has blocks of its own.

Classes and their shares are those of :mod:`flashwear.wa.skew`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from flashwear._columns import elementwise
from flashwear._domain import FloatOrArray, number, one_of, plain
from flashwear.wa._shares import Floats, classes, summing_to_one
from flashwear.wa._split import fifo_split, greedy_split
from flashwear.wa.uniform import fifo, greedy, whole_pages

_LEAST_OP = 1e-100  # the split of the spare works with the square of op


@dataclass(frozen=True)
class Separated:
    """Write amplification and split of the spare pages if each class of pages has its own blocks.

    Attributes
    ----------
    wa : float or ndarray
        Write amplification of the drive, >= 1.
    spare_share : float or ndarray
        Share of the spare pages that each class has, classes on the last axis; only that of the
        hot class if the classes were given as numbers.
    """

    wa: FloatOrArray
    spare_share: FloatOrArray


@overload
def square_root_split(write_share: float, space_share: float) -> float: ...
@overload
def square_root_split(
    write_share: ArrayLike | None = ...,
    space_share: ArrayLike | None = ...,
    *,
    hot_write_share: ArrayLike | None = ...,
    hot_space_share: ArrayLike | None = ...,
) -> FloatOrArray: ...
@elementwise(but=("write_share", "space_share"))
def square_root_split(
    write_share: ArrayLike | None = None,
    space_share: ArrayLike | None = None,
    *,
    hot_write_share: ArrayLike | None = None,
    hot_space_share: ArrayLike | None = None,
) -> FloatOrArray:
    r"""Return the best split of spare pages among classes, for small over-provisioning.

    .. math:: p_i = \frac{\sqrt{r_i f_i}}{\sum_j\sqrt{r_j f_j}}

    with :math:`p_i`, :math:`r_i` and :math:`f_i` the shares that class :math:`i` has of the spare
    pages, of the writes and of the user's pages. It minimises :func:`separated` if pools follow
    :func:`fifo_small_op <flashwear.wa.fifo_small_op>`.

    Parameters
    ----------
    write_share, space_share, hot_write_share, hot_space_share
        Shares of the writes and of the user's pages: arrays with all classes on the last axis, or
        numbers for the hot class of two. The last two name the hot class of two whatever their
        shape, so that columns of a table may stand there; they replace the first two.

    Returns
    -------
    float or ndarray
        Share of the spare pages of each class, or of the hot class if numbers were given.

    Raises
    ------
    ValueError
        Outside these ranges, or if shares do not sum to 1.

    Notes
    -----
    The write amplification at this split is above that of the best by at most 0.04 % at
    ``op = 0.1``, 0.4 % at 0.25 and 1.4 % at 1 (80/20, 90/10, 90/5 and JESD219).

    The rule is known in substance: :cite:t:`stoica2013`, :cite:t:`dayan2015` and
    :cite:t:`lomet2020` divide spare space among groups of pages by their sizes and rates of
    writes. Its derivation from :func:`fifo_small_op <flashwear.wa.fifo_small_op>` is ours.

    Examples
    --------
    >>> round(square_root_split(0.8, 0.2), 3)
    0.5
    """
    write, space, hot_only = classes(write_share, space_share, hot_write_share, hot_space_share)
    root = np.sqrt(write * space)
    return _in_form(root / root.sum(axis=-1, keepdims=True), hot_only)


@overload
def square_root_wa(op: float, write_share: float, space_share: float) -> float: ...
@overload
def square_root_wa(
    op: ArrayLike,
    write_share: ArrayLike | None = ...,
    space_share: ArrayLike | None = ...,
    *,
    hot_write_share: ArrayLike | None = ...,
    hot_space_share: ArrayLike | None = ...,
) -> FloatOrArray: ...
@elementwise(but=("write_share", "space_share"))
def square_root_wa(
    op: ArrayLike,
    write_share: ArrayLike | None = None,
    space_share: ArrayLike | None = None,
    *,
    hot_write_share: ArrayLike | None = None,
    hot_space_share: ArrayLike | None = None,
) -> FloatOrArray:
    r"""Return the write amplification if spare pages are split as by :func:`square_root_split`.

    .. math:: A = \frac{\left(\sum_i\sqrt{r_i f_i}\right)^2}{2\,\mathrm{op}} + \frac23

    with :math:`r_i` and :math:`f_i` the shares that class :math:`i` has of the writes and of the
    user's pages. Each pool is taken to follow :func:`fifo_small_op <flashwear.wa.fifo_small_op>`,
    the formula for little over-provisioning. The formula is less exact than the split. It is below
    the exact optimum by 0.6 % (80/20) and 3.2 % (90/5) at ``op = 0.1``, and by 2.5 % and 9.7 % at
    0.25.

    Parameters
    ----------
    op : array_like
        Over-provisioning over user capacity, > 0.
    write_share, space_share, hot_write_share, hot_space_share
        Shares of the writes and of the user's pages: arrays with all classes on the last axis, or
        numbers for the hot class of two. The last two name the hot class of two whatever their
        shape, so that columns of a table may stand there; they replace the first two.

    Returns
    -------
    float or ndarray
        Flash writes per host write :math:`A`; below 1 where the expansion no longer holds.

    Raises
    ------
    ValueError
        Outside these ranges, or if shares do not sum to 1.

    Examples
    --------
    >>> round(square_root_wa(0.1, 0.8, 0.2), 3), round(separated(0.1, 0.8, 0.2).wa, 3)
    (3.867, 3.889)
    """
    spare = number("op", op, above=0)
    write, space, _ = classes(write_share, space_share, hot_write_share, hot_space_share)
    return plain(np.sqrt(write * space).sum(axis=-1) ** 2 / (2 * spare) + 2 / 3)


@elementwise(but=("write_share", "space_share", "spare_share"))
def separated(
    op: ArrayLike,
    write_share: ArrayLike | None = None,
    space_share: ArrayLike | None = None,
    policy: Literal["fifo", "greedy"] = "fifo",
    pages_per_block: ArrayLike | None = None,
    spare_share: ArrayLike | None = None,
    *,
    hot_write_share: ArrayLike | None = None,
    hot_space_share: ArrayLike | None = None,
) -> Separated:
    r"""Return the write amplification if each class of pages has its own pool of blocks.

    .. math:: A = \sum_i r_i\,A_1\!\left(\frac{p_i\,\mathrm{op}}{f_i}\right)

    with :math:`p_i`, :math:`r_i` and :math:`f_i` the shares of class :math:`i` in the spare pages,
    the writes and the user's pages, and :math:`A_1` the uniform model of the policy (Eqs. 20-22 of
    :cite:t:`desnoyers2012` for two classes). The same over-provisioning in each pool,
    :math:`p_i=f_i`, gives the uniform write amplification exactly. The best split under FIFO
    cleaning is that for which one more spare page lowers :math:`A` equally in each pool
    (:math:`\mu` is the same for all):

    .. math:: \frac{r_i/f_i}{e^{t_i}-1-t_i} = \mu,\qquad
              \sum_i f_i\left(\frac{t_i}{1-e^{-t_i}}-1\right) = \mathrm{op}

    with :math:`t_i` the writes per page of the pool between two cleanings of a block
    (:math:`-dA_1/d\mathrm{op}=1/(e^t-1-t)` along :func:`fifo <flashwear.wa.fifo>`). Under
    greedy cleaning :math:`A_1` is convex and made of straight pieces, so spare goes to the
    steepest piece left until it is used up.

    Parameters
    ----------
    op : array_like
        Over-provisioning of the drive over user capacity, >= 1e-100.
    write_share, space_share, hot_write_share, hot_space_share
        Shares of the writes and of the user's pages: arrays with all classes on the last axis, or
        numbers for the hot class of two. The last two name the hot class of two whatever their
        shape, so that columns of a table may stand there; they replace the first two.
    policy : {"fifo", "greedy"}
        How each pool picks the block that it cleans.
    pages_per_block : array_like, optional
        Pages per block, a whole number, for greedy cleaning; large blocks if not given.
    spare_share : array_like, optional
        Share of the spare pages for each class, classes on the last axis, summing to 1; or, if the
        classes are given as numbers, that of the hot class, in [0, 1]. By default the best split.
        A class that is written needs spare pages (greedy pools of small blocks work without, at
        ``pages_per_block`` flash writes for each host write).

    Returns
    -------
    Separated
        ``wa``, the write amplification, and ``spare_share``, the share of the spare pages of each
        class.

    Raises
    ------
    ValueError
        Outside these ranges, or if shares do not sum to 1.

    Notes
    -----
    The result is exact for fixed pools of many blocks.

    For two classes it is in :cite:t:`desnoyers2012`; any number, and greedy pools, are worked out
    here.

    Examples
    --------
    80 % of the writes to 20 % of the pages, with half of the spare:

    >>> best = separated(0.1, 0.8, 0.2)
    >>> round(best.wa, 4), round(best.spare_share, 4)
    (3.8889, 0.4986)
    """
    spare = number("op", op, low=_LEAST_OP)
    write, space, hot_only = classes(write_share, space_share, hot_write_share, hot_space_share)
    one_of("policy", policy, ("fifo", "greedy"))
    pages = None if pages_per_block is None else whole_pages(pages_per_block)
    pages = None if policy == "fifo" else pages
    if spare_share is not None:
        split = _given_split(spare_share, hot_only, write.shape[-1])
    elif pages is None:
        split = fifo_split(spare, write, space)
    else:
        each = np.vectorize(greedy_split, otypes=[float], signature="(),(k),(k),()->(k)")
        split = each(spare, write, space, pages)
    split, write, space = np.broadcast_arrays(split, write, space)
    pool_op = spare[..., None] * np.divide(split, space, out=np.zeros(split.shape), where=space > 0)
    wa = np.zeros(np.broadcast_shapes(pool_op.shape, () if pages is None else (*pages.shape, 1)))
    used, share = np.broadcast_to(write > 0, wa.shape), np.broadcast_to(write, wa.shape)
    pool_op = np.broadcast_to(pool_op, wa.shape)
    if pages is None:
        if (pool_op[used] == 0).any():
            raise ValueError("spare_share must be > 0 for a class that is written, got 0")
        wa[used] = fifo(pool_op[used])
    else:
        blocks = np.broadcast_to(pages[..., None], wa.shape)
        bare = used & (pool_op == 0)
        wa[bare] = blocks[bare]
        spared = used & (pool_op > 0)
        wa[spared] = greedy(pool_op[spared], blocks[spared])
    split = np.broadcast_to(split, wa.shape).copy()
    # rounding of the shares may leave the sum an ulp below 1
    mean = np.maximum((share * wa).sum(axis=-1), 1.0)
    return Separated(plain(mean), _in_form(split, hot_only))


def _in_form(share: Floats, hot_only: bool) -> FloatOrArray:
    return plain(share[..., 0]) if hot_only else share


def _given_split(spare_share: ArrayLike, hot_only: bool, count: int) -> Floats:
    split = number("spare_share", spare_share, low=0, high=1)
    if hot_only:
        return np.stack([split, 1 - split], axis=-1)
    if split.ndim == 0 or split.shape[-1] != count:
        raise ValueError(
            "spare_share must have one value per class on the last axis, "
            f"got shape {split.shape} for {count} classes"
        )
    return summing_to_one("spare_share", split, spare_share)
