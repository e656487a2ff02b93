"""Write amplification when the map unit is larger than the host's writes."""

from __future__ import annotations

from typing import overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from flashwear._columns import elementwise
from flashwear._domain import Array, FloatOrArray, plain
from flashwear.wa.uniform import counts

_LARGEST = 2**40


@overload
def map_unit_factor(
    request_bytes: int, unit_bytes: int, align_bytes: int | None = ...
) -> float: ...
@overload
def map_unit_factor(
    request_bytes: ArrayLike, unit_bytes: ArrayLike, align_bytes: ArrayLike | None = ...
) -> Array: ...
@elementwise()
def map_unit_factor(
    request_bytes: ArrayLike, unit_bytes: ArrayLike, align_bytes: ArrayLike | None = None
) -> FloatOrArray:
    r"""Return the bytes of whole map units written per host byte, before any cleaning.

    .. math:: \frac us\left(1+\left(\left\lceil\frac sg\right\rceil-1\right)\frac gu\right),
              \qquad g=\gcd(a,u)

    Requests of :math:`s` bytes begin anywhere on a grid of :math:`a` bytes, and map units have
    :math:`u` bytes. The result is the mean over the :math:`u/g` places where a request can begin in
    a unit (derived here). The part of a unit that is not written is read and programmed again.
    Multiply the write amplification of random writes to whole units by this factor. The result is
    exact if the drive programs each request separately. If a buffer collects writes to a unit until
    they fill it, as with sequential writes, the factor is 1.

    Parameters
    ----------
    request_bytes : array_like
        Size of a request :math:`s`, a whole number in [1, 2**40].
    unit_bytes : array_like
        Size of a map unit :math:`u`, in the same range.
    align_bytes : array_like, optional
        Grid on which requests begin :math:`a`, in the same range; their size if not given.

    Returns
    -------
    float or ndarray
        A ratio >= 1.

    Raises
    ------
    ValueError
        Outside these ranges.

    Examples
    --------
    Requests of 4 KiB on units of 16 KiB, and of 16 KiB that begin at any 4 KiB:

    >>> map_unit_factor(4096, 16384), map_unit_factor(16384, 16384, 4096)
    (4.0, 1.75)
    """
    size = _bytes("request_bytes", request_bytes)
    unit = _bytes("unit_bytes", unit_bytes)
    grid = size if align_bytes is None else _bytes("align_bytes", align_bytes)
    step = np.gcd(grid, unit)
    return plain((unit + (-(-size // step) - 1) * step) / size)


def _bytes(name: str, value: ArrayLike) -> NDArray[np.int64]:
    return counts(name, value, _LARGEST).astype(np.int64)
