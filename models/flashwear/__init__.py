"""Flash Wear: how solid-state drives wear, in closed form, in simulation and in the field.

The subpackages load when they are first used, so ``import flashwear`` costs
little more than ``import numpy``. All of it but :mod:`flashwear.study`, the apparatus of the book
itself, is the library that others build on::

    >>> import flashwear
    >>> flashwear.endurance.tbw(physical_bytes=336 * 2**30, pe_cycles=20_000, waf=2.0) / 1e15
    3.6077725...

"""

import importlib
from types import ModuleType

__version__ = "1.0.0"

_SUBMODULES = (
    "capacity",
    "drives",
    "endurance",
    "energy",
    "ftl",
    "pricing",
    "queueing",
    "ratings",
    "reliability",
    "smart",
    "study",
    "sweeps",
    "tables",
    "traces",
    "units",
    "wa",
    "workloads",
)
__all__ = ["__version__", *_SUBMODULES]


def __getattr__(name: str) -> ModuleType:
    if name in _SUBMODULES:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
