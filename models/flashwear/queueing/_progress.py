"""The progress of a run, shown while it lasts."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from flashwear.queueing.plan import Plan

Show: TypeAlias = Callable[[int, int], None]
"""A function to be called with the time of the drive in ns and the requests completed."""


@contextmanager
def shown(plan: Plan, progress: bool | None) -> Iterator[Show]:
    """Yield a function that shows a run's progress, by default only for long runs."""
    if progress is None:
        progress = plan.end_ns >= 100 * 10**9 and "FLASHWEAR_BOOK" not in os.environ
    if not progress:
        yield lambda now, completed: None
        return
    from tqdm.auto import tqdm

    if plan.last_request >= 0:
        bar = tqdm(total=plan.last_request, unit="request", unit_scale=True, desc="requests")
    else:
        bar = tqdm(total=plan.end_ns / 1e9, unit="s", desc="time of the drive")
    with bar:
        yield lambda now, completed: bar.update(
            (completed if plan.last_request >= 0 else now // 10**9) - bar.n
        )
