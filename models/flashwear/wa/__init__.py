"""Write amplification in closed form: flash page writes per host page write.

The models take ``op``, over-provisioning over user capacity (see
:mod:`flashwear.capacity`), broadcast over all arguments and include the host's own
write. Each module has one topic: uniform writes, choices of a victim, skewed writes in shared
blocks and in separate pools, TRIM, an SLC cache, parity, a partly cached map, the way to steady
state, and the inverse of all models.
"""

from flashwear.wa.cache import slc_cache, slc_dynamic_wear, slc_static_tbw, slc_waf
from flashwear.wa.choices import d_choices, d_choices_mixed
from flashwear.wa.inverse import op_for
from flashwear.wa.map_cache import MapTraffic, map_traffic
from flashwear.wa.map_unit import map_unit_factor
from flashwear.wa.parity import parity_factor, parity_op
from flashwear.wa.pools import Separated, separated, square_root_split, square_root_wa
from flashwear.wa.skew import JESD219, fifo_mixed, greedy_mixed
from flashwear.wa.transient import after_fill, from_blank, settled
from flashwear.wa.transient_skew import transient_mixed
from flashwear.wa.trim import trim_occupancy, trim_op, trim_variance
from flashwear.wa.uniform import (
    agarwal_marrow,
    fifo,
    fifo_small_op,
    greedy,
    greedy_desnoyers,
    random,
    xiang_kurkoski,
)

__all__ = ["JESD219", "MapTraffic", "Separated", "after_fill", "agarwal_marrow", "d_choices",
           "d_choices_mixed", "fifo", "fifo_mixed", "fifo_small_op", "from_blank", "greedy",
           "greedy_desnoyers", "greedy_mixed", "map_traffic", "map_unit_factor", "op_for",
           "parity_factor", "parity_op", "random", "separated", "settled", "slc_cache",
           "slc_dynamic_wear", "slc_static_tbw", "slc_waf", "square_root_split", "square_root_wa",
           "transient_mixed", "trim_occupancy", "trim_op", "trim_variance",
           "xiang_kurkoski"]  # fmt: skip
