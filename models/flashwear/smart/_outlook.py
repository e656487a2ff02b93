"""What is left of a drive, by its own count and by its rating."""

import math

from flashwear.smart._report import Report

_HOURS_PER_YEAR = 24 * 365


def years_left(report: Report) -> tuple[float, float] | None:
    r"""Give the years of 365 days under power until a drive's own count of wear is at 100 %.

    .. math:: t \left(\frac{100}{u} - 1\right), \qquad u - 1 \le p \le u + 1

    with :math:`t` the hours under power and :math:`u` the share of life used, of which a report
    prints whole percent :math:`p`. Firmwares round it up or down, so it is known to one percent
    on both sides. The load to come is taken to be that of the past.

    Parameters
    ----------
    report : Report
        From :func:`read` or :func:`parse`.

    Returns
    -------
    tuple of float, or None
        The least and the most, the latter infinite up to 1 % used; both 0 from 101 % on.
        None without hours or life used, and where the erases that it follows fell back (flag
        "erase_counter_wrapped_suspected").

    Examples
    --------
    A drive on for three years of which 25 % are used:

    >>> import dataclasses
    >>> from flashwear import smart
    >>> new = smart.parse("Device Model: X\n")
    >>> drive = dataclasses.replace(new, power_on_hours=3 * 8760, percent_used=25)
    >>> [round(years, 1) for years in years_left(drive)]
    [8.5, 9.5]
    """
    hours, used = report.power_on_hours, report.percent_used
    if not hours or used is None or "erase_counter_wrapped_suspected" in report.flags:
        return None
    ends = [math.inf if u <= 0 else max(0.0, 100 / u - 1) for u in (used + 1, used - 1)]
    low, high = (hours / _HOURS_PER_YEAR * end for end in ends)
    return low, high


def rated_years_left(report: Report) -> float | None:
    r"""Give the years of 365 days under power until the host has written what is rated.

    ``hours * (rated_bytes / host_bytes_written - 1)``, the load to come taken to be that of
    the past.

    Parameters
    ----------
    report : Report
        From :func:`read` or :func:`parse`.

    Returns
    -------
    float or None
        At least 0. None without a rating, hours or host writes.

    Examples
    --------
    >>> import dataclasses
    >>> from flashwear import smart
    >>> new = smart.parse("Device Model: X\n")
    >>> drive = dataclasses.replace(
    ...     new, power_on_hours=8760, host_bytes_written=20 * 10**12, rated_bytes=72 * 10**12
    ... )
    >>> round(rated_years_left(drive), 1)
    2.6
    """
    hours, host, rated = report.power_on_hours, report.host_bytes_written, report.rated_bytes
    if not hours or not host or not rated:
        return None
    return hours / _HOURS_PER_YEAR * max(0.0, rated / host - 1)
