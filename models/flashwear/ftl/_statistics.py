"""Statistics of a run's history: a confidence interval, and whether it was steady."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

_BATCHES = 30
FEWEST_BATCHES = 20
_BATCH_IN_CORRELATION_TIMES = 5
_SETTLED = 0.05
_DRIFT = 0.01
_FEWEST_STEPS = 8


class Interval(NamedTuple):
    """A 95 % interval, ``low`` to ``high``, NaN if the run is too short; ``reason`` says why."""

    low: float
    high: float
    reason: str


class Steady(NamedTuple):
    """Whether a run was steady (``reached``), and since when.

    ``drive_writes``: host writes over user pages at that moment, from the first write on;
    ``reason`` says it in words.
    """

    reached: bool
    drive_writes: float
    reason: str


def correlation_time(series: Floats) -> float:
    r"""Return the integrated autocorrelation time of a series, in steps, >= 1.

    .. math:: \tau = 1 + 2\sum_{k=1}^{M}\rho_k

    with :math:`\rho_k` the autocorrelation at a distance of :math:`k` steps, summed up to the first
    :math:`M \ge 5\tau` (Sokal's window), so that noise of far lags stays out.
    """
    deviation = series - series.mean()
    size = 2 * deviation.size
    spectrum = np.fft.rfft(deviation, size)
    covariance = np.fft.irfft(spectrum * spectrum.conj(), size)[: deviation.size]
    if covariance[0] <= 0:
        return 1.0
    tau = 2 * np.cumsum(covariance / covariance[0]) - 1
    beyond = np.arange(tau.size) >= 5 * tau
    return max(1.0, float(tau[beyond.argmax() if beyond.any() else -1]))


def batch_means(host: Counts, flash: Counts, shortest: float = 1.0) -> Interval:
    """Return the 95 % interval of the ratio of two counts from a stationary run.

    `host`, `flash`: pages written by the host, and programmed, in each step of the run.
    `shortest`: steps that a batch must have at least.

    Result: interval from 30 batches (Student's t), or from 20 if 30 would be shorter than five
    correlation times or than `shortest`. Batches are few and long because weak, slow noise is
    hidden by the strong, quick noise of whole blocks; many short batches would look independent
    without being so.
    """
    from scipy.stats import t

    ratio = flash.sum() / host.sum()
    excess = flash - ratio * host
    need = max(shortest, _BATCH_IN_CORRELATION_TIMES * correlation_time(excess))
    batches = _BATCHES if excess.size // _BATCHES >= need else FEWEST_BATCHES
    length = excess.size // batches
    if length < need:
        return Interval(
            np.nan,
            np.nan,
            f"too short: {batches} batches, each long enough to be independent of the others, need "
            f"a measured part {need * batches / excess.size:.1f} times as long",
        )
    used = batches * length
    sums = excess[-used:].reshape(batches, length).sum(axis=1)
    spread = sums.std(ddof=1) * np.sqrt(batches) / host[-used:].sum()
    half = float(t.ppf(0.975, batches - 1)) * spread
    reason = f"{batches} batches of {length} steps"
    return Interval(float(ratio - half), float(ratio + half), reason)


def steadiness(drive_writes: Floats, host: Counts, flash: Counts, measured: int) -> Steady:
    """Return whether the last `measured` steps of a run were steady, and from which step it was.

    Write amplification is computed in windows of a tenth of a drive write. The measured part is
    steady if the means of its two halves differ by at most 1 %, or by less than three standard
    errors; the noise is estimated from differences of successive windows. The run was steady since
    the last window that is off the mean of the measured part by more than 5 % plus three standard
    deviations of a window; the result gives its end in drive writes.

    `drive_writes`: host writes over user pages at the end of each step, from the first write on.
    `host`, `flash`: pages written by the host, and programmed, in each step. `measured`: steps of
    the measured part, >= 2.
    """
    if measured < _FEWEST_STEPS:
        return Steady(False, np.nan, f"too short: {measured} steps measured")
    width = int(np.searchsorted(drive_writes, 0.1 * (1 + 1e-9), side="right"))
    width = min(max(width, 1), measured // _FEWEST_STEPS)
    level = flash[-measured:].sum() / host[-measured:].sum()
    tail = _windows(host[-measured:], flash[-measured:], width)
    half = tail.size // 2
    drift = tail[-half:].mean() / tail[:half].mean() - 1
    noise = 1.05 * np.median(np.abs(np.diff(tail))) / level  # of a normal one: sigma
    if abs(drift) > max(_DRIFT, 3 * noise * np.sqrt(2 / half)):
        return Steady(
            False, np.nan, f"the second half of the measured part is {drift:+.1%} off the first"
        )
    early = _windows(host[:-measured], flash[:-measured], width)
    off = np.flatnonzero(np.abs(early / level - 1) > _SETTLED + 3 * noise)
    ends = drive_writes[(host.size - measured) % width + width - 1 :: width]
    since = float(ends[off[-1]]) if off.size else 0.0
    return Steady(
        True, since, f"within 5 % since {since:.1f} drive writes, halves {drift:+.2%} apart"
    )


def _windows(host: Counts, flash: Counts, width: int) -> Floats:
    """Return the ratio of the counts in windows of `width` steps, the last at the end."""
    skip = host.size % width
    written, programmed = host[skip:].reshape(-1, width), flash[skip:].reshape(-1, width)
    return np.asarray(programmed.sum(axis=1) / np.maximum(written.sum(axis=1), 1))
