"""An endurance rating as the least of its limits: wear, retention, errors and warranty."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from flashwear import endurance, wa
from flashwear._columns import elementwise
from flashwear._domain import number, one_number, whole
from flashwear.capacity import over_provisioning
from flashwear.reliability import raid, rber
from flashwear.reliability.ecc import Bch
from flashwear.reliability.jedec import ApplicationClass, ageing, enterprise_waf
from flashwear.reliability.ldpc import Ldpc
from flashwear.reliability.retirement import wear_path
from flashwear.units import DAY

_FALLS_WITH = ("flash", "waf", "wlf", "spread", "drive_spread", "rest_s", "reads", "overdispersion")
_RISES_WITH = ("pe_cycles", "warranty_bytes")
_KINDS = {"flash": (rber.Flash,), "code": (Bch, Ldpc), "application": (ApplicationClass,)}
_MOST_WLF = 1.1


@dataclass(frozen=True)
class Rating:
    """Host bytes for which a drive can be rated, by several conditions.

    ``limits`` maps four conditions to the host bytes that each allows, and ``cycles`` the first
    three to P/E cycles: "wear" (capacity and failed drives), "retention" (of data without power),
    "use" (uncorrectable errors in use) and "warranty" (the limit in the contract).
    """

    limits: dict[str, float]
    cycles: dict[str, float]

    @property
    def binding(self) -> str:
        """Name of the lowest limit, "wear", "retention", "use" or "warranty"."""
        return min(self.limits, key=lambda name: self.limits[name])

    @property
    def tbw_bytes(self) -> float:
        """Host bytes for which the drive can be rated, by the lowest limit."""
        return self.limits[self.binding]


def rating(
    physical_bytes: float,
    user_bytes: float,
    pe_cycles: float,
    flash: rber.Flash,
    code: Bch | Ldpc,
    application: ApplicationClass,
    *,
    waf: float,
    wlf: float = 1.0,
    spread: float = 0.0,
    drive_spread: float = 0.0,
    rest_s: float = 7 * DAY,
    reads: float = 0.0,
    overdispersion: float = 0.0,
    stripe: int = 0,
    warranty_bytes: float = np.inf,
) -> Rating:
    r"""Return the host bytes that a drive can be rated for (TBW), and what limits them.

    .. math:: \mathrm{TBW} = \min\left\{
              \frac{P\,\bar N\,\Lambda\,d_f}{\mathrm{WAF}\cdot\mathrm{WLF}},\;
              \frac{P\,N_r}{\mathrm{WAF}\cdot\mathrm{WLF}},\;
              \frac{P\,N_u}{\mathrm{WAF}\cdot\mathrm{WLF}},\; W\right\}

    The terms are the host bytes until a condition of the standard (:cite:t:`jesd218b`) fails:
    capacity and share of failed drives ("wear"), data retention without power ("retention"), and
    uncorrectable errors in use ("use"). The last one is the limit in the contract ("warranty").
    :math:`P` is the raw flash and :math:`\bar N` the mean number of erases that a block bears.
    :math:`\Lambda` is the life over the nominal life when the endurance of blocks scatters by
    `spread` (:func:`~flashwear.reliability.wear_path`). Mean endurance differs between drives by a
    lognormal factor, and :math:`d_f` is its value below which the share :math:`f` of drives lies
    that may fail. :math:`N_r` and :math:`N_u` are the cycles at which the raw bit error rate
    reaches the most that the code can bear at the class's rate of uncorrectable errors
    (:func:`~flashwear.reliability.rber.cycles_at`): without power for the required time, and in use
    for data written `rest_s` ago (:func:`~flashwear.reliability.jedec.ageing`).

    Parameters
    ----------
    physical_bytes, user_bytes : float
        Raw flash :math:`P` and user capacity in bytes, 0 < user < raw.
    pe_cycles : float
        P/E cycles until blocks fail to program or erase, :math:`\bar N`, > 0.
    flash : Flash
        Flash memory, for its bit errors, see :func:`flashwear.reliability.rber.load`.
    code : Bch or Ldpc
        Error correction. The threshold of an :class:`~flashwear.reliability.ldpc.Ldpc` does not
        depend on the uncorrectable rate.
    application : ApplicationClass
        :data:`flashwear.reliability.jedec.CLIENT`, ``ENTERPRISE`` or one of your own.
    waf : float
        Write amplification factor under the class's load, > 0; for the enterprise class see
        :func:`flashwear.reliability.jedec.enterprise_waf`.
    wlf : float
        Wear-levelling factor, >= 1.
    spread : float
        Standard deviation of the endurance of blocks, over its mean, in [0, 1]; the distribution
        is normal.
    drive_spread : float
        Standard deviation of mean endurance between drives, over its mean, in [0, 1]; the
        distribution is lognormal.
    rest_s : float
        Seconds that data lie in use before host or drive writes them again, >= 0. The default is an
        assumption.
    reads : float
        Reads of a block in that time, >= 0.
    overdispersion : float
        Correlation of errors within a codeword, in [0, 0.999], as ``flash.rho`` guesses it; BCH
        codes only. See :func:`flashwear.reliability.ecc.codeword_failure`.
    stripe : int
        Units of data for each unit of parity over dies, 0 without parity; with a BCH code only.
    warranty_bytes : float
        Host bytes that the warranty covers :math:`W`, > 0; infinite without a limit.

    Returns
    -------
    Rating
        ``limits`` in host bytes and ``cycles`` of the first three, by name; ``binding``, the name
        of the lowest limit, and ``tbw_bytes``, its value.

    Raises
    ------
    ValueError
        Outside these ranges.

    Notes
    -----
    The formula is for drives of so many blocks that their scatter averages out
    (:func:`flashwear.reliability.spares.erases_at_end`). The rate of uncorrectable errors is that
    at the end of the rating. The cost of parity must be part of `waf`
    (:func:`flashwear.wa.parity_op`, :func:`~flashwear.wa.parity_factor`).

    Examples
    --------
    128 GiB of 20 nm flash with a code of 40 bits in a kilobyte, sold to both classes:

    >>> from flashwear.reliability.jedec import CLIENT, ENTERPRISE
    >>> flash, code = rber.load("mlc-20nm"), Bch(1024, 40)
    >>> for application in (CLIENT, ENTERPRISE):
    ...     found = rating(2**37, 100e9, 10_000, flash, code, application, waf=2.5)
    ...     print(found.binding, {name: round(cycles) for name, cycles in found.cycles.items()})
    retention {'wear': 10000, 'retention': 3195, 'use': 10951}
    retention {'wear': 10000, 'retention': 3143, 'use': 4141}
    """
    raw = one_number("physical_bytes", physical_bytes, above=0)
    user = one_number("user_bytes", user_bytes, above=0)
    if user >= raw:
        raise ValueError(f"user_bytes must be < physical_bytes, {raw:g}, got {user:g}")
    mean = one_number("pe_cycles", pe_cycles, above=0)
    rest = one_number("rest_s", rest_s, low=0)
    seen = one_number("reads", reads, low=0)
    cap = warranty_bytes
    if not (isinstance(cap, float) and cap == np.inf):
        cap = one_number("warranty_bytes", cap, above=0)
    _kinds(flash=flash, code=code, application=application)
    limit = error_limit(code, application, overdispersion, stripe)
    life = wear_path(over_provisioning(raw, user), spread).life
    aged = ageing(application, rest, flash.activation_ev)
    celsius = application.off.temperature_c
    cycles = {
        "wear": mean * life * _weak_drive(application.failures, drive_spread),
        "retention": rber.cycles_at(flash, limit, *application.off),
        "use": rber.cycles_at(flash, limit, aged, celsius, seen),
    }
    each = endurance.tbw(raw, 1.0, one_number("waf", waf), one_number("wlf", wlf))
    limits = {name: each * count for name, count in cycles.items()}
    return Rating(limits | {"warranty": cap}, cycles)


def error_limit(
    code: Bch | Ldpc, application: ApplicationClass, overdispersion: float = 0.0, stripe: int = 0
) -> float:
    """Return the highest raw bit error rate that ECC and parity can bear in an application class.

    Parameters
    ----------
    code, application, overdispersion, stripe
        Error correction code, application class of the standard, correlation of errors within a
        codeword, and number of data units for each parity unit of a stripe over dies (0 without
        parity).

    Returns
    -------
    float
        Wrong bits over bits read.

    Raises
    ------
    ValueError
        Outside the ranges of :func:`rating`; for parity or overdispersion with an LDPC code.

    Examples
    --------
    >>> from flashwear.reliability.jedec import CLIENT, ENTERPRISE
    >>> [f"{error_limit(Bch(1024, 40), each):.2e}" for each in (CLIENT, ENTERPRISE)]
    ['1.30e-03', '1.20e-03']
    """
    _kinds(code=code, application=application)
    units = whole("stripe", stripe, 0, 10**9)
    rho = one_number("overdispersion", overdispersion, low=0, high=0.999)
    if isinstance(code, Ldpc):
        for name, value in (("stripe", units), ("overdispersion", rho)):
            if value:
                raise ValueError(f"{name} must be 0 with a threshold code, got {value}")
        return code.rber_limit()
    loss = application.uber * code.data_bits
    if units:
        loss = raid.loss_allowed(loss, units)
    return float(code.rber_limit(loss / code.data_bits, rho))


def interval(
    physical_bytes: float,
    user_bytes: float,
    pe_cycles: Any,
    flash: Any,
    code: Bch | Ldpc,
    application: ApplicationClass,
    **options: Any,
) -> tuple[Rating, Rating]:
    """Return the lowest and the highest rating that parameters within given ranges allow.

    The rating is monotonic in each of its numbers, in `overdispersion` up to :math:`2t/n`, so it is
    lowest with all numbers at their worse end, and highest with all at their better end.

    Parameters
    ----------
    physical_bytes, user_bytes, code, application
        Raw and user capacity in bytes, error correction code, and application class of the
        standard.
    pe_cycles : float or pair of float
        A number, or its lower and upper end.
    flash : Flash or pair of Flash
        A flash memory, or a pair of one with few and one with many errors.
    **options
        Further arguments of :func:`rating`, such as `waf`, each a number or its lower and upper
        end; `stripe` a number.

    Returns
    -------
    tuple of Rating
        The lowest rating, with all numbers at their worse end, and the highest.

    Raises
    ------
    ValueError
        Outside these ranges and those of :func:`rating`, or for a pair that descends.

    Examples
    --------
    >>> from flashwear.reliability.jedec import CLIENT
    >>> band = (rber.load("mlc-20nm", "low"), rber.load("mlc-20nm", "high"))
    >>> ends = interval(2**37, 128e9, 10_000, band, Bch(1024, 40), CLIENT, waf=(1.5, 7.5))
    >>> [f"{end.tbw_bytes / 1e12:.0f} TB by {end.binding}" for end in ends]
    ['43 TB by retention', '393 TB by retention']
    """
    given = {"pe_cycles": pe_cycles, "flash": flash, **options}
    worse, better = dict(given), dict(given)
    for name, value in given.items():
        if not isinstance(value, (tuple, list, np.ndarray)):
            continue
        if name not in _FALLS_WITH + _RISES_WITH or len(value) != 2:
            raise ValueError(f"{name} must be one value, or two where the rating has a direction")
        low, high = value
        if name != "flash" and not low <= high:
            raise ValueError(f"{name} must be a pair that ascends, got {low:g} and {high:g}")
        turn = 2 * code.correctable / code.codeword_bits if isinstance(code, Bch) else 0.0
        if name == "overdispersion" and high > turn:
            raise ValueError(f"{name} must be a pair up to {turn:.2g}, got {high:g}")
        ends = (low, high) if name in _FALLS_WITH else (high, low)
        better[name], worse[name] = ends
    of = partial(rating, physical_bytes, user_bytes, code=code, application=application)
    return of(**worse), of(**better)


@elementwise()
def implied_cycles(
    physical_bytes: ArrayLike,
    user_bytes: ArrayLike,
    tbw_bytes: ArrayLike,
    application: ApplicationClass,
) -> NDArray[np.float64]:
    r"""Return the range of P/E cycles that a rating implies in an application class.

    .. math:: \frac{\mathrm{TBW}}{P} \;\le\; N \;\le\;
              \frac{\mathrm{TBW}}{P}\,A\,\mathrm{WLF}

    for :math:`N` cycles of a raw flash :math:`P`. The lower end assumes a load without write
    amplification. The upper end assumes WLF = 1.1 and a write amplification :math:`A`: in the
    enterprise class that of its workload in one log
    (:func:`~flashwear.reliability.jedec.enterprise_waf`), in the client class, whose workload is a
    recorded trace, that of random writes over the whole drive (:func:`flashwear.wa.fifo`), taken as
    the worst load of a client.

    Parameters
    ----------
    physical_bytes, user_bytes : array_like
        Raw flash :math:`P` and user capacity in bytes, 0 < user < raw.
    tbw_bytes : array_like
        Rated host bytes, > 0.
    application : ApplicationClass
        :data:`flashwear.reliability.jedec.CLIENT` or ``ENTERPRISE``.

    Returns
    -------
    ndarray, shape (..., 2)
        Least and most cycles.

    Raises
    ------
    ValueError
        Outside these ranges.

    Examples
    --------
    100 TB on a drive of 128 GB and 128 GiB:

    >>> from flashwear.reliability.jedec import CLIENT
    >>> implied_cycles(2**37, 128e9, 100e12, CLIENT).round()
    array([ 728., 5967.])
    """
    raw = number("physical_bytes", physical_bytes, above=0)
    op = over_provisioning(raw, number("user_bytes", user_bytes, low=1))
    _kinds(application=application)
    if application.name not in ("client", "enterprise"):
        raise ValueError(
            f"application must be named client or enterprise, got {application.name!r}"
        )
    waf = wa.fifo(op) if application.name == "client" else enterprise_waf(op)
    least = endurance.implied_pe_cycles(raw, tbw_bytes)
    most = endurance.implied_pe_cycles(raw, tbw_bytes, waf, _MOST_WLF)
    return np.stack(np.broadcast_arrays(least, most), axis=-1)


def class_ratio(
    flash: rber.Flash, code: Bch | Ldpc, first: ApplicationClass, second: ApplicationClass
) -> float:
    r"""Return the ratio of the P/E cycles that flash is allowed in two application classes.

    .. math:: N_2 / N_1, \qquad R(N_j, t_j, \vartheta_j) = R_j

    In class :math:`j`, flash is allowed :math:`N_j` cycles if its raw bit error rate :math:`R`
    after them and after :math:`t_j` without power at temperature :math:`\vartheta_j` is
    :math:`R_j`, the most at which the code stays within the class's rate of uncorrectable errors.
    :func:`flashwear.reliability.rber.cycles_ratio` compares times and temperatures only.

    Parameters
    ----------
    flash, code
        Flash memory (:func:`flashwear.reliability.rber.load`), and error correction code.
    first, second : ApplicationClass
        Classes; the ratio is of the second to the first.

    Returns
    -------
    float
        A ratio; NaN if new flash is beyond the code in both.

    Raises
    ------
    ValueError
        For arguments that :func:`error_limit` does not take.

    Examples
    --------
    The enterprise class against the client class, and the same without its warmer storage:

    >>> from dataclasses import replace
    >>> from flashwear.reliability.jedec import CLIENT, ENTERPRISE
    >>> flash, code = rber.load("mlc-20nm"), Bch(1024, 40)
    >>> cool = replace(ENTERPRISE, off=ENTERPRISE.off._replace(temperature_c=30.0))
    >>> [round(class_ratio(flash, code, CLIENT, to), 2) for to in (ENTERPRISE, cool)]
    [0.98, 1.66]
    """
    _kinds(flash=flash)
    bound, other = (rber.cycles_at(flash, error_limit(code, c), *c.off) for c in (first, second))
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.divide(other, bound))


def _kinds(**arguments: Any) -> None:
    """Raise ValueError unless each argument is of the kind that its name stands for."""
    for name, value in arguments.items():
        if not isinstance(value, _KINDS[name]):
            wanted = " or ".join(kind.__name__ for kind in _KINDS[name])
            raise ValueError(f"{name} must be of type {wanted}, got {value!r}")


def _weak_drive(share: float, drive_spread: float) -> float:
    """Return the lognormal factor of mean 1 below which a share of drives lies."""
    from scipy.special import ndtri

    width = one_number("drive_spread", drive_spread, low=0, high=1)
    sigma = np.sqrt(np.log1p(width**2))
    return float(np.exp(ndtri(share) * sigma - sigma**2 / 2)) if width else 1.0
