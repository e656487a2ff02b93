"""The speed of a drive, as a network of queues: in SimPy, compiled, and in closed form.

:mod:`flashwear.queueing.reference` is written to be read, and :mod:`flashwear.queueing.twin` does
the same event by event at full scale. :mod:`flashwear.queueing.requests` is what the host asks,
``flashwear.queueing.plan`` a drive in the whole numbers that both models count in, and
:mod:`flashwear.queueing.result` what a run counted. :mod:`flashwear.queueing.protocol` is a test as
data, and :mod:`flashwear.queueing.procedures` are the kinds of tests that reviews make;
:mod:`flashwear.queueing.powercut` is what a power cut takes; :mod:`flashwear.queueing.bounds` are
sums that say what a drive can do at most, from the counts of :mod:`flashwear.queueing.work`, and
:mod:`flashwear.queueing.fluid` is the test of consistency in closed form. They load when they are
first used and, but for the last three, need the `sim` extra: ``pip install "flashwear[sim]"``.
"""

import importlib
from types import ModuleType

_SUBMODULES = (
    "bounds",
    "fluid",
    "plan",
    "powercut",
    "procedures",
    "protocol",
    "reference",
    "requests",
    "result",
    "twin",
    "work",
)


def __getattr__(name: str) -> ModuleType:
    if name in _SUBMODULES:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
