"""Products in which nothing stays nothing."""

from functools import reduce
from typing import Any

import numpy as np


def product(*factors: Any) -> Any:
    """Multiply numbers >= 0: 0 where a factor is 0, even if another is infinite."""
    with np.errstate(over="ignore", invalid="ignore"):
        found = np.asarray(reduce(np.multiply, factors))
    return np.where(np.isnan(found), 0.0, found)
