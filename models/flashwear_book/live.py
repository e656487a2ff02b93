"""Models that a chart computes in the page as a slider moves, as Vega expressions.

Each model agrees with the function of the library that is named in its docstring.
"""

import altair as alt

from flashwear.reliability import ecc, rber, retention


def with_fifo(chart: alt.Chart, op: str, name: str) -> alt.Chart:
    r"""Add a field to a chart: write amplification of FIFO cleaning, computed in the browser.

    Vega has no Lambert W, so each row of the chart solves :math:`y = \alpha(1 - e^{-y})`,
    :math:`\alpha = 1 + \mathrm{op}`, by four Newton steps, and gives the write amplification
    :math:`A = \alpha/y`. Use it where a slider moves `op`. For op from 0.001 to 20 the result is
    that of :func:`flashwear.wa.fifo` within 1e-10.

    Parameters
    ----------
    chart : altair.Chart
        Chart whose rows get the new fields.
    op : str
        Vega expression of the over-provisioning, such as ``"op / 100"`` with a parameter `op` or
        ``"datum.op"``.
    name : str
        Field that takes the write amplification; fields ``_{name}_op`` and ``_{name}_0`` to
        ``_{name}_4`` hold the steps.

    Examples
    --------
    >>> import altair as alt
    >>> from flashwear_book import live
    >>> chart = live.with_fifo(alt.Chart(alt.sequence(1, 3, as_="op")), "datum.op", "wa")
    >>> chart.mark_point().to_dict()["transform"][-1]
    {'calculate': '(1 + datum._wa_op) / datum._wa_4', 'as': 'wa'}
    """
    chart = chart.transform_calculate(f"_{name}_op", op)
    chart = chart.transform_calculate(f"_{name}_0", f"2 * datum._{name}_op")
    for step in range(4):
        y, alpha = f"datum._{name}_{step}", f"(1 + datum._{name}_op)"
        newton = f"{y} - ({y} - {alpha} * (1 - exp(-{y}))) / (1 - {alpha} * exp(-{y}))"
        chart = chart.transform_calculate(f"_{name}_{step + 1}", newton)
    return chart.transform_calculate(name, f"(1 + datum._{name}_op) / datum._{name}_4")


def with_years(chart: alt.Chart, tbw_tb: str, gb_per_day: str, name: str) -> alt.Chart:
    """Add a field to a chart: the years until a rating is used up, computed in the browser.

    The result is that of :func:`flashwear.endurance.lifetime_years`, within 1e-12.

    Parameters
    ----------
    chart : altair.Chart
        Chart whose rows get the new field.
    tbw_tb, gb_per_day : str
        Vega expressions of the rating in TB, and of the host's writes in GB a day.
    name : str
        Field that takes the years.

    Examples
    --------
    >>> import altair as alt
    >>> from flashwear_book import live
    >>> chart = live.with_years(alt.Chart(alt.sequence(1, 3, as_="gb")), "600", "datum.gb", "y")
    >>> chart.mark_point().to_dict()["transform"]
    [{'calculate': '(600) * 1000 / (365 * (datum.gb))', 'as': 'y'}]
    """
    return chart.transform_calculate(name, f"({tbw_tb}) * 1000 / (365 * ({gb_per_day}))")


def with_cost_per_year(
    chart: alt.Chart, price: str, tbw_tb: str, gb_per_day: str, keep_years: str, name: str
) -> alt.Chart:
    """Add a field to a chart: the yearly cost of a drive, computed in the reader's browser.

    The result is that of :func:`flashwear.pricing.cost_per_year`, within 1e-12.

    Parameters
    ----------
    chart : altair.Chart
        Chart whose rows get the new fields.
    price, tbw_tb, gb_per_day, keep_years : str
        Vega expressions of the price in USD, the rating in TB, the host's writes in GB a day, and
        the years after which the drive is replaced in any case.
    name : str
        Field that takes the cost; ``_{name}_years`` holds the years to the rating.

    Examples
    --------
    >>> import altair as alt
    >>> from flashwear_book import live
    >>> rows = alt.Chart(alt.sequence(1, 3, as_="gb"))
    >>> chart = live.with_cost_per_year(rows, "60", "600", "datum.gb", "5", "cost")
    >>> chart.mark_point().to_dict()["transform"][-1]
    {'calculate': '(60) / min(5, datum._cost_years)', 'as': 'cost'}
    """
    chart = with_years(chart, tbw_tb, gb_per_day, f"_{name}_years")
    return chart.transform_calculate(name, f"({price}) / min({keep_years}, datum._{name}_years)")


def with_rber(
    chart: alt.Chart, flash: rber.Flash, cycles: str, seconds: str, celsius: str, name: str
) -> alt.Chart:
    """Add a field to a chart: the raw bit error rate of a flash, computed in the browser.

    The result is that of :func:`flashwear.reliability.rber.at` without reads, within 1e-10.

    Parameters
    ----------
    chart : altair.Chart
        Chart whose rows get the new field.
    flash : Flash
        The flash memory, for instance from :func:`flashwear.reliability.rber.load`.
    cycles, seconds, celsius : str
        Vega expressions of the P/E cycles, the seconds since the write and the temperature in them.
    name : str
        Field that takes the bit error rate; ``_{name}_lost`` holds a part of it.

    Examples
    --------
    >>> import altair as alt
    >>> from flashwear_book import live
    >>> from flashwear.reliability import rber
    >>> rows = alt.Chart(alt.sequence(0, 5000, 500, as_="n"))
    >>> chart = live.with_rber(rows, rber.load("tlc-3d"), "datum.n", "86400", "30", "rate")
    >>> [step["as"] for step in chart.mark_line().to_dict()["transform"]]
    ['_rate_lost', 'rate']
    """
    lost = f"_{name}_lost"
    chart = chart.transform_calculate(lost, _lost(flash, seconds, celsius))
    worn = f"{flash.wear} * pow({cycles}, {flash.wear_power}) * exp({flash.wear_growth} * {cycles})"
    aged = f"datum.{lost} * pow({cycles}, {flash.retention_cycles_power})"
    return chart.transform_calculate(name, f"min({rber.MOST}, {flash.floor} + {worn} + {aged})")


def with_cycles_at(
    chart: alt.Chart, flash: rber.Flash, limit: str, seconds: str, celsius: str, name: str
) -> alt.Chart:
    r"""Add a field to a chart: P/E cycles until a bit error rate, computed in the browser.

    Each row of the chart solves :math:`\ln(w e^{ax} + \ell' e^{bx}) = \ln(R_\mathrm{limit} -
    \varepsilon)` for the logarithm :math:`x` of the cycles by seven Newton steps, with
    :math:`R_\mathrm{limit}` the bit error rate. Errors of new flash are :math:`\varepsilon`; those
    of wear have the coefficient :math:`w` and the power :math:`a` of the cycles, and those of
    retention in the given time have the coefficient :math:`\ell'` and the power :math:`b`. The
    result is that of :func:`flashwear.reliability.rber.cycles_at` without reads, within 1e-9 or
    1e-6 cycles.

    Parameters
    ----------
    chart : altair.Chart
        Chart whose rows get the new fields.
    flash : Flash
        Flash memory whose errors by wear follow a power law, for instance from
        :func:`flashwear.reliability.rber.load`.
    limit, seconds, celsius : str
        Vega expressions of the highest bit error rate, of the time in s and of the temperature.
    name : str
        Field that takes the cycles, 0 where new flash is beyond the limit; ``_{name}_lost``,
        ``_{name}_room`` and ``_{name}_0`` to ``_{name}_7`` hold the steps.

    Raises
    ------
    ValueError
        If the wear of the flash is not a power law.

    Examples
    --------
    >>> import altair as alt
    >>> from flashwear_book import live
    >>> from flashwear.reliability import rber
    >>> rows, flash = alt.Chart(alt.sequence(1, 3, as_="x")), rber.load("mlc-20nm")
    >>> chart = live.with_cycles_at(rows, flash, "0.001", "86400", "30", "n")
    >>> chart.mark_point().to_dict()["transform"][-1]
    {'calculate': 'datum._n_room > 0 ? exp(datum._n_7) : 0', 'as': 'n'}
    """
    if flash.wear_growth:
        raise ValueError(f"wear_growth of the flash must be 0, got {flash.wear_growth}")
    lost, room = f"datum._{name}_lost", f"datum._{name}_room"
    k, m = flash.wear_power, flash.retention_cycles_power
    chart = chart.transform_calculate(f"_{name}_lost", _lost(flash, seconds, celsius))
    chart = chart.transform_calculate(f"_{name}_room", f"{limit} - {flash.floor}")
    ends = f"log({room} / {flash.wear}) / {k}, log({room} / {lost}) / {m}"
    chart = chart.transform_calculate(f"_{name}_0", f"min({ends})")
    for step in range(7):
        x = f"datum._{name}_{step}"
        worn, aged = f"{flash.wear} * exp({k} * {x})", f"{lost} * exp({m} * {x})"
        total, slope = f"({worn} + {aged})", f"({k} * {worn} + {m} * {aged})"
        newton = f"{x} - log({total} / {room}) * {total} / {slope}"
        chart = chart.transform_calculate(f"_{name}_{step + 1}", newton)
    return chart.transform_calculate(name, f"{room} > 0 ? exp(datum._{name}_7) : 0")


def with_uber(
    rows: alt.Chart,
    code: ecc.Bch,
    correctable: str,
    rate: str,
    name: str,
    keep: tuple[str, ...] = (),
) -> alt.Chart:
    """Add a field to a chart: the uncorrectable bit error rate, computed in the browser.

    The chart must have 600 rows, one for each number of errors, and is aggregated to one row. Row
    ``i`` computes the probability of ``i`` errors from that of ``i`` - 1; the probabilities of more
    errors than can be corrected are added up. For codes of a kilobyte that correct up to 100 bits
    the result is that of :func:`flashwear.reliability.ecc.uber` within 1e-9. Above a bit error rate
    of 3 % every codeword counts as lost.

    Parameters
    ----------
    rows : altair.Chart
        Chart of ``alt.sequence(600, as_="i")``.
    code : Bch
        The code with the largest number of corrected bits; with fewer, each corrected bit takes
        equally much parity.
    correctable, rate : str
        Vega expressions of the corrected bits, from 1 to those of `code`, and of the raw bit error
        rate, the same in every row.
    name : str
        Field that takes the rate.
    keep : tuple of str
        Fields, the same in every row, that the aggregated row keeps.

    Examples
    --------
    >>> import altair as alt
    >>> from flashwear_book import live
    >>> from flashwear.reliability import ecc
    >>> rows = alt.Chart(alt.sequence(600, as_="i"))
    >>> chart = live.with_uber(rows, ecc.Bch(1024, 72), "40", "0.001", "uber")
    >>> chart.mark_text().to_dict()["transform"][-1]["as"]
    'uber'
    """
    each = code.parity_bits // code.correctable
    n, p = f"({code.data_bits} + {each} * ({correctable}))", f"({rate})"
    step = f"datum.i ? log(({n} - datum.i + 1) / datum.i * {p} / (1 - {p})) : {n} * log(1 - {p})"
    chart = rows.transform_calculate("_step", step)
    chart = chart.transform_window(_log="sum(_step)", frame=[None, 0])
    chart = chart.transform_calculate("_share", f"datum.i > {correctable} ? exp(datum._log) : 0")
    chart = chart.transform_calculate("_rate", p)
    chart = chart.transform_aggregate(_sum="sum(_share)", groupby=["_rate", *keep])
    rest = f"(datum._rate > 0.03 ? 1 : datum._sum) / {code.data_bits}"
    return chart.transform_calculate(name, rest)


def _lost(flash: rber.Flash, seconds: str, celsius: str) -> str:
    """Return the Vega expression of what charge loss adds, over the power of the cycles."""
    zero = retention.ABSOLUTE_ZERO_C
    cold = 1 / (flash.reference_c - zero)
    energy = flash.activation_ev / retention.BOLTZMANN_EV
    speed = f"exp({energy} * ({cold} - 1 / ({celsius} - {zero})))"
    age = f"({seconds}) * {speed} / {flash.retention_reference_s}"
    return f"{flash.retention} * pow({age}, {flash.retention_time_power})"
