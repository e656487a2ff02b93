"""What may be passed on to :class:`State` and :func:`simulate`, for type checkers."""

from typing import TypedDict

from numpy.typing import ArrayLike

from flashwear.ftl.cache import SlcCache
from flashwear.ftl.placement import Handles
from flashwear.ftl.policy import Policy
from flashwear.workloads import Batches, Workload


class Options(TypedDict, total=False):
    """Further arguments of a drive."""

    window: int
    temperatures: int
    reserve_blocks: int | None
    wear_levelling: str
    level_threshold: int
    endurance: ArrayLike | None
    stripe: int | None
    cache: SlcCache | None


class RunOptions(Options, total=False):
    """Further arguments of a run."""

    pages_per_block: int
    policy: str | Policy
    d: int
    frontier: str | Handles
    workload: str | Workload | Batches
    trim_share: float
    fill: str
    warmup_drive_writes: float
    drive_writes: float | None
    history_stride: int | None
    check: bool
