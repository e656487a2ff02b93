"""A page-mapped flash translation layer, simulated page by page at the scale of whole drives.

:func:`simulate` runs a drive under a workload, :func:`replicate` with several seeds at once;
:class:`State` is the drive itself, to which requests are given one by one or in batches;
:func:`verify` checks that map, blocks and counters of a drive agree.
"""

from flashwear._extras import require

require("sim", "numba")

from flashwear.ftl._snapshot import Snapshot
from flashwear.ftl._statistics import Steady
from flashwear.ftl._verify import verify
from flashwear.ftl.cache import SlcCache
from flashwear.ftl.placement import Handles
from flashwear.ftl.policy import Blocks, first_least
from flashwear.ftl.replicas import Replicas, replicate
from flashwear.ftl.result import Result
from flashwear.ftl.simulation import simulate
from flashwear.ftl.state import Operation, State
from flashwear.ftl.zones import Zones

__all__ = ["Blocks", "Handles", "Operation", "Replicas", "Result", "SlcCache", "Snapshot",
           "State", "Steady", "Zones", "first_least", "replicate", "simulate",
           "verify"]  # fmt: skip
