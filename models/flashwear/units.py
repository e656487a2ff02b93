"""Names for units of bytes, bits and time, and the interval of a rounded figure.

Drive makers count capacity and endurance in decimal units (1 GB = 10^9 bytes)
and flash chips in binary ones (1 GiB = 2^30 bytes), often under the same name.
The two differ by 7.4 % at giga and by 12.6 % at peta: about the spare area of a
consumer drive. Inside this library a quantity of data is always a number of bytes.

    >>> round(GIB / GB - 1, 4), round(PIB / PB - 1, 4)
    (0.0737, 0.1259)
"""

import re
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from flashwear._domain import one_number

KB, MB, GB, TB, PB = (10**power for power in (3, 6, 9, 12, 15))
KIB, MIB, GIB, TIB, PIB = (2**power for power in (10, 20, 30, 40, 50))
GIBIT = 2**30 // 8
"""Bytes in 2^30 bits, which the data sheet of a flash die calls 1 Gbit."""

DAY = 86_400
"""Seconds in a day."""
YEAR = 365 * DAY
"""Seconds in the 365-day year of drive ratings."""

_PRINTED = re.compile(r"-?[0-9]+(\.[0-9]+)?")


def rounding_interval(printed: str, unit: float = 1.0) -> NDArray[np.float64]:
    """Return the interval of values that round to a printed figure.

    It extends half a unit of the last printed digit to each side: "3.0" stands for anything from
    2.95 to 3.05, "100" for 99.5 to 100.5.

    Pass the pair to a function in place of *one* number, and it returns its results for the two
    ends. Every function of :mod:`flashwear.capacity`, :mod:`flashwear.endurance` and
    :mod:`flashwear.pricing` that takes arrays is monotone in each argument, so these results are
    the ends of the interval, the larger one first if the function decreases. Only one argument may
    be a pair, and both ends must lie in the domain of the function. Exceptions are
    :meth:`PriceFit.margin <flashwear.pricing.PriceFit.margin>`, which falls and rises again, and
    :func:`~flashwear.pricing.fit_fixed_plus_per_gb`, whose arrays are samples.

    Parameters
    ----------
    printed : str
        The figure as printed, without unit, in plain decimal digits: "3.0", "1.75", "-100".
        A number is refused: 3.0 does not say whether "3" or "3.0" was printed.
    unit : float
        Bytes (or whatever the result shall count) in one printed unit, > 0.

    Returns
    -------
    ndarray, shape (2,)
        Lower and upper end, `unit` times the printed ones.

    Raises
    ------
    ValueError
        If `printed` is not such text, `unit` is outside its range or an end exceeds
        the range of float64.

    Examples
    --------
    >>> rounding_interval("3.0", unit=PB) / PB
    array([2.95, 3.05])
    """
    if not (isinstance(printed, str) and _PRINTED.fullmatch(printed)):
        raise ValueError(f"printed must be text of plain decimal digits, got {printed!r}")
    scale = one_number("unit", unit, above=0)
    half = Decimal(5).scaleb(-len(printed.partition(".")[2]) - 1)
    ends = [float(Decimal(printed) - half), float(Decimal(printed) + half)]
    with np.errstate(over="ignore"):
        interval: NDArray[np.float64] = np.array(ends) * scale
    if not np.isfinite(interval).all():
        raise ValueError(f"printed must be a figure in the range of float64, got {printed!r}")
    return interval
