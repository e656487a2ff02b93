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
    from flashwear import (
        bench as bench,
        capacity as capacity,
        choose as choose,
        cite as cite,
        drives as drives,
        endurance as endurance,
        energy as energy,
        fio as fio,
        ftl as ftl,
        history as history,
        host as host,
        predict as predict,
        pricing as pricing,
        queueing as queueing,
        reliability as reliability,
        smart as smart,
        steady as steady,
        sweeps as sweeps,
        tables as tables,
        traces as traces,
        units as units,
        wa as wa,
        watch as watch,
        why as why,
        workloads as workloads,
    )
else:
    __getattr__ = lazily(__name__)


def __dir__() -> list[str]:
    return sorted(__all__)
