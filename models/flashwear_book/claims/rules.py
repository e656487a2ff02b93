"""The rules by which claims are judged: when figures agree, and when a closed form may speak."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from flashwear import wa
from flashwear.capacity import over_provisioning
from flashwear_book.claims.registry import Decision, Outcome, undecided

THRESHOLDS = {
    "order": (0.05, "which of two is larger: closer figures have no order"),
    "equal": (0.05, "on par, identical, unchanged, flat: they differ by this at most"),
    "about": (0.1, "about, around, and any rate: off by this at most"),
    "almost": (0.1, "almost as many, near the top: lower by this at most"),
    "slightly": (0.1, "slightly, a bit, not substantially: they differ by this at most"),
    "just over": (0.2, "just over a time: above it by this at most"),
    "substantially": (0.5, "substantially: they differ by this at least"),
}
"""Relative differences that decide words of claims, such as "order", and what each word means."""

_PAGES = 2048


def within(kind: str, ratio: ArrayLike) -> bool:
    """Return whether all of `ratio` differ from 1 by at most what a word of a claim allows.

    `kind` is the word, a key of :data:`THRESHOLDS`, such as "about" (0.1) or "equal" (0.05).
    """
    limit = THRESHOLDS[kind][0] * (1 + 1e-9)  # rounding of the ratio itself
    return bool((np.abs(np.asarray(ratio) - 1) <= limit).all())


def in_draws(
    truths: ArrayLike,
    computed: float | str,
    how: str,
    only: str | None = None,
    studies: tuple[str, ...] = (),
) -> Decision:
    """Decide a claim by a closed form with unknown inputs, whose values are drawn at random.

    `truths` says for each draw whether the claim holds. If it does in all draws, the claim *holds*
    (*partly* if only the part `only` was computed); if in none, its outcome is *in tension* (it and
    the model disagree), since a model alone does not make a claim fail; else it stays undecided.
    `computed` is the result as text or number, `how` a sentence on how it was found, `studies` the
    kept simulations used.
    """
    draws = np.asarray(truths, dtype=bool)
    if draws.all():
        outcome: Outcome = "partly" if only else "holds"
        return Decision(outcome, "model", computed, how, part=only, studies=studies)
    if not draws.any():
        return Decision("in tension", "model", computed, how, studies=studies)
    share = f"It holds in {draws.sum()} of {draws.size} random samples of what is unknown."
    return undecided(f"{how} {share}", computed)


def amplifications(raw: float, user: float, span: float = 1.0) -> list[float]:
    """Return write amplification under random writes, for each case of unknown firmware.

    The cases, in the same order for all drives, are the shares of raw flash that firmware may keep
    for itself (0, 1 and 3 %) and, for each, the cleaning policies (FIFO, greedy, the best of ten).

    Parameters
    ----------
    raw, user : float
        Raw flash and user capacity, bytes.
    span : float
        Share of the user's addresses that is written, in (0, 1].
    """
    left = raw * (1 - np.array([0.0, 0.01, 0.03]))
    op = over_provisioning(left, user * span)
    found = [wa.fifo(op), wa.greedy(op, _PAGES), wa.d_choices(op, 10, _PAGES)]
    return [float(each) for each in np.transpose(found).ravel()]


def spread(values: ArrayLike) -> str:
    """Return the smallest and the largest of some values as text."""
    found = np.asarray(values, dtype=float)
    return f"{found.min():.2f} to {found.max():.2f}"
