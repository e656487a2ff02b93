"""Names for bytes, bits and times, and what a printed figure leaves open.

Drive makers count capacity and endurance in decimal units (1 GB = 10^9 bytes)
and flash chips in binary ones (1 GiB = 2^30 bytes), often under the same name.
The two differ by 7.4 % at giga and by 12.6 % at peta: about the spare area of a
consumer drive. Inside this library a quantity of data is always a number of bytes.

    >>> round(GIB / GB - 1, 4), round(PIB / PB - 1, 4)
    (0.0737, 0.1259)
"""

from decimal import Decimal, InvalidOperation

import numpy as np
from numpy.typing import NDArray

KB, MB, GB, TB, PB = (10**power for power in (3, 6, 9, 12, 15))
KIB, MIB, GIB, TIB, PIB = (2**power for power in (10, 20, 30, 40, 50))
GIBIT = 2**30 // 8
"""Bytes in 2^30 bits, which the data sheet of a flash die calls 1 Gbit."""

DAY = 86_400
"""Seconds in a day."""
YEAR = 365 * DAY
"""Seconds in the 365-day year of drive ratings."""


def rounding_interval(printed: str, unit: float = 1.0) -> NDArray[np.float64]:
    """Give the interval of values that round to a printed figure.

    Half a unit of the last printed digit to each side: "3.0" stands for anything
    from 2.95 to 3.05, "100" for 99.5 to 100.5. Every function of this library
    that takes a number takes this pair in its place, and then returns the image of
    the two ends; all of them are monotone in each argument, so that is the
    interval of the result (its ends swapped where the function decreases).

    Parameters
    ----------
    printed : str
        The figure as printed, without unit: "3.0", "1.75", "100".
    unit : float
        Bytes (or whatever the result shall count) in one printed unit.

    Returns
    -------
    ndarray, shape (2,)
        Lower and upper end, in `unit`.

    Raises
    ------
    ValueError
        If `printed` is not a finite decimal number.

    Notes
    -----
    A maker may have rounded to a coarser class (a 300 TB between 200 and 400 is
    hardly a measurement to three digits); the interval is then too narrow. It is
    what the print itself claims, no more.

    Examples
    --------
    >>> rounding_interval("3.0", unit=PB) / PB
    array([2.95, 3.05])
    """
    try:
        value = Decimal(printed)
    except (InvalidOperation, TypeError, ValueError):
        value = Decimal("NaN")
    exponent = value.as_tuple().exponent
    if not isinstance(exponent, int):
        raise ValueError(f"printed must be a finite decimal number as text, got {printed!r}")
    half = Decimal(5).scaleb(exponent - 1)
    return np.array([float(value - half), float(value + half)]) * unit
