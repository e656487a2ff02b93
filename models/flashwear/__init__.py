"""Flash Wear: how solid-state drives wear, in closed form, in simulation and in the field.

The subpackages load when they are first used, so ``import flashwear`` costs
little more than ``import numpy``::

    >>> import flashwear
    >>> flashwear.endurance.tbw(physical_bytes=336 * 2**30, pe_cycles=20_000, waf=2.0) / 1e15
    3.6077725...

"""

from typing import TYPE_CHECKING

from flashwear._extras import lazily

__version__ = "2.0.0"

__all__ = ["__version__", "bench", "capacity", "choose", "cite", "drives", "endurance", "energy",
           "fio", "ftl", "history", "host", "predict", "pricing", "queueing", "reliability",
           "smart", "steady", "sweeps", "tables", "traces", "units", "wa", "watch", "why",
           "workloads"]  # fmt: skip

if TYPE_CHECKING:  # what loads lazily
    from flashwear import bench as bench
    from flashwear import capacity as capacity
    from flashwear import choose as choose
    from flashwear import cite as cite
    from flashwear import drives as drives
    from flashwear import endurance as endurance
    from flashwear import energy as energy
    from flashwear import fio as fio
    from flashwear import ftl as ftl
    from flashwear import history as history
    from flashwear import host as host
    from flashwear import predict as predict
    from flashwear import pricing as pricing
    from flashwear import queueing as queueing
    from flashwear import reliability as reliability
    from flashwear import smart as smart
    from flashwear import steady as steady
    from flashwear import sweeps as sweeps
    from flashwear import tables as tables
    from flashwear import traces as traces
    from flashwear import units as units
    from flashwear import wa as wa
    from flashwear import watch as watch
    from flashwear import why as why
    from flashwear import workloads as workloads
else:
    __getattr__ = lazily(__name__)


def __dir__() -> list[str]:
    return sorted(__all__)
