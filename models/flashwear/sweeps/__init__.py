"""Parameter studies: any function over a grid, resumable, stored as a small table.

:func:`sweep` runs a function at each point of a grid on all cores. A
:class:`Study` is a sweep worth keeping: its result is committed to
``data/results/`` with parameters, seed, date, tolerance and a hash of the modules and the rows of
tables that made it, so that a book can show it, rerun it at a reduced scale and refuse to build
when the rerun disagrees.
"""

from flashwear.sweeps._study import KeptResult, Study
from flashwear.sweeps._sweep import SweepError, sweep

__all__ = ["KeptResult", "Study", "SweepError", "sweep"]
