"""Multi-pass programming: the level of a cell after each page."""

_MOST_BITS = 6


def path(bits: str) -> list[int]:
    r"""Return a cell's level after each page of its row is programmed.

    .. math:: l_j = 2^{b-j} k_j

    with :math:`k_j` the place of the first :math:`j` of :math:`b` bits in Gray code, counted from
    the erased state, which is all ones. The first bit (the lower page) halves the window of
    threshold voltage, and each further bit halves that half. As charge can only be added, a level
    after a pass is the lowest of the final levels that it can lead to, so there is room above it
    for a wide distribution. Derived here from what :cite:t:`anandtech2014m600` tells of two pages.

    Parameters
    ----------
    bits : str
        Bits of the cell, lower page first: "0" and "1", at most 6.

    Returns
    -------
    list of int
        Levels, in steps between neighbouring final levels; 0 is erased.

    Raises
    ------
    ValueError
        For anything else.

    Examples
    --------
    >>> {bits: path(bits) for bits in ("11", "10", "00", "01")}
    {'11': [0, 0], '10': [0, 1], '00': [2, 2], '01': [2, 3]}
    """
    if not isinstance(bits, str) or not 1 <= len(bits) <= _MOST_BITS or set(bits) - {"0", "1"}:
        raise ValueError(f"bits must be 1 to {_MOST_BITS} of 0 and 1, got {bits!r}")
    levels: list[int] = []
    place = 0
    for count, bit in enumerate(bits, start=1):
        # a reflected code: in the upper half of the levels so far the order is turned round
        place = 2 * place + ((bit == "0") != (place % 2 == 1))
        levels.append(place << (len(bits) - count))
    return levels
