"""How to divide spare pages among separate pools; see flashwear.wa.pools."""

from functools import lru_cache

import numpy as np

from flashwear.wa._shares import Floats, copies_left, rates, residence

_NEWTON_STEPS = 4
_MARGIN = 0.01  # widens a bracket, in logarithms, so that rounding at its ends does no harm


def _turnover(log_worth: Floats) -> Floats:
    """Return the root t of ``exp(t) - 1 - t = exp(log_worth)``.

    Newton's method on a convex function, from the right of its root: the start is
    ``log(1 + c + sqrt(2 c))``, since ``t <= sqrt(2 c)``. Its error is at most 7 %, and four
    steps square it away (4e-15 against 50 digits). From c = exp(50) on, the root
    is log(c) in double precision; below exp(-690), where t is 1e-150, c would underflow.
    """
    worth = np.exp(np.clip(log_worth, -690.0, 50.0))
    t = np.log1p(worth + np.sqrt(2 * worth))
    for _ in range(_NEWTON_STEPS):
        series = t * t / 2 * (1 + t / 3 * (1 + t / 4 * (1 + t / 5 * (1 + t / 6 * (1 + t / 7)))))
        t = t - (np.where(t < 0.02, series, np.expm1(t) - t) - worth) / np.expm1(t)
    return np.where(log_worth < 50.0, t, log_worth)


def fifo_split(spare: Floats, write: Floats, space: Floats) -> Floats:
    """Return each class's share of the spare pages that minimises the writes of FIFO pools.

    `spare` is the spare pages over the user's; `write` and `space` are the shares that classes, on
    the last axis, have of the writes and of the user's pages.
    """
    from scipy.optimize import elementwise

    written = write > 0
    rate = rates(write, space)
    log_rate = np.log(rate, out=np.zeros_like(rate), where=written)
    held = np.where(written, space, 0.0)
    # where all pools that are written have the same t, the least and the most worth of a page
    # bracket the common one of the optimum; t^2/2 <= exp(t) - 1 - t <= exp(t) t^2/2
    one = np.ones(1)
    same = residence(spare / held.sum(axis=-1), one, one)
    log_cost = 2 * np.log(same) - np.log(2)
    margin = _MARGIN * (1 + same)
    count = write.shape[-1]

    def pools(log_mu: Floats, log_rate: Floats, held: Floats) -> Floats:
        t = _turnover(log_rate - log_mu[..., None])
        return held * t * copies_left(t)

    def excess(log_mu: Floats, spare: Floats, *shares: Floats) -> Floats:
        log_rate, held = np.stack(shares[:count], axis=-1), np.stack(shares[count:], axis=-1)
        used: Floats = pools(log_mu, log_rate, held).sum(axis=-1)
        return used - spare

    most = np.max(log_rate, axis=-1, where=written, initial=-np.inf)
    least = np.min(log_rate, axis=-1, where=written, initial=np.inf)
    found = elementwise.find_root(
        excess,
        (least - log_cost - same - margin, most - log_cost + margin),
        args=(spare, *np.moveaxis(log_rate, -1, 0), *np.moveaxis(held, -1, 0)),
        tolerances={"xatol": 0, "fatol": 0, "frtol": 0},
    )
    best = pools(np.asarray(found.x), log_rate, held)
    return np.asarray(best / best.sum(axis=-1, keepdims=True))


@lru_cache(maxsize=16)
def _pieces(pages: int) -> tuple[Floats, Floats]:
    """Return the length in op and the fall of WA per op of each straight piece of greedy(op)."""
    reclaimed = np.arange(1.0, pages)
    slope = reclaimed / (pages - reclaimed)
    excess = np.cumsum(slope)
    corners = np.concatenate(([0.0], excess / (reclaimed + 1)))
    return np.diff(corners), pages / (reclaimed * slope - np.concatenate(([0.0], excess[:-1])))


def greedy_split(spare: float, write: Floats, space: Floats, pages: float) -> Floats:
    """Return each class's share of the spare pages that minimises the writes of greedy pools.

    `spare` is the spare pages over the user's, `write` and `space` the shares of writes and pages
    of each class, and `pages` the number of pages per block.
    """
    length, fall = _pieces(int(pages))
    gain = (rates(write, space)[:, None] * fall).ravel()
    room = (space[:, None] * length).ravel()
    order = np.argsort(-gain)
    used = np.cumsum(room[order])
    end = np.searchsorted(used, spare)
    if end == used.size:  # victims are empty everywhere: any split that keeps them so will do
        return space.copy()
    steeper, equal = gain > gain[order[end]], gain == gain[order[end]]
    part = (spare - room[steeper].sum()) / room[equal].sum()
    taken = room * (steeper + np.clip(part, 0.0, 1.0) * equal)
    given = taken.reshape(write.size, length.size).sum(axis=1)
    return np.asarray(given / given.sum())
