"""Requests of a host to a drive: streams of page writes, trims and reads.

A workload describes a load for any drive; its :meth:`Workload.stream` gives the requests for
one drive and one seed, batch by batch. A request is one int64 word for one page of the map:

====== ==========================================================================
bits   meaning
====== ==========================================================================
0-39   page number, from 0 (``request & PAGE_MASK``)
40-47  temperature: the class of the page, 0 for the coldest (writes only)
48-49  operation: ``WRITE`` 0, ``TRIM`` 1 or ``READ`` 2
====== ==========================================================================

numba is imported with this module: ``pip install "flashwear[sim]"``.
"""

from flashwear.workloads._foreseen import Foreseen
from flashwear.workloads._layered import Mixed, Span, Trimmed
from flashwear.workloads._own import Batches, Logs, Own
from flashwear.workloads._simple import (
    JESD219,
    HotCold,
    Replay,
    Sequential,
    Uniform,
    Zipf,
    by_name,
    named,
)
from flashwear.workloads._streams import (
    OPERATION_SHIFT,
    PAGE_BITS,
    PAGE_MASK,
    READ,
    RECORD,
    TEMPERATURE_SHIFT,
    TRIM,
    WRITE,
    Stream,
    Workload,
)

__all__ = ["JESD219", "OPERATION_SHIFT", "PAGE_BITS", "PAGE_MASK", "READ", "RECORD",
           "TEMPERATURE_SHIFT", "TRIM", "WRITE", "Batches", "Foreseen", "HotCold", "Logs", "Mixed",
           "Own", "Replay", "Sequential", "Span", "Stream", "Trimmed", "Uniform", "Workload",
           "Zipf", "by_name", "named"]  # fmt: skip
