"""The fit: derivatives, limits, figures made by known times, and figures at the link."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

from flashwear.predict._speeds import fitted
from flashwear.predict.fit import _climbed, fit
from flashwear.predict.hierarchy import Term
from flashwear.predict.likelihood import SHARPNESS, SHEET, log_rates, posterior, sheets
from flashwear.predict.rated_speeds import rated_speeds
from flashwear.queueing import work

ROWS = rated_speeds()
DENSITY = posterior(ROWS)


def full():
    """Return the fit to all figures."""
    return fitted(None)


def spreads():
    return np.array(list(full().spreads.values()))


def errors():
    return np.array(list(full().errors.values()))


def of_lines(*lines):
    return ROWS.where(ROWS.table.line.isin(lines).to_numpy())


def place(fitted, *name):
    return fitted.names.index(name)


@given(st.lists(st.floats(1e-9, 1e-2), min_size=5, max_size=5))
def test_a_request_takes_the_longest_demand_and_at_most_a_little_more(demands):
    log, seconds = log_rates(np.array(demands), np.zeros((5, 10)), np.zeros(10))
    assert seconds.tolist() == demands
    longest = -np.log(max(demands))
    assert longest - np.log(5) / SHARPNESS - 1e-12 <= log <= longest + 1e-12


def test_draws_are_rows_of_times_with_the_mean_and_covariance_of_the_fit():
    times = np.array([work.times_of(drive) for drive in ROWS.drives[:7]])
    one, _ = log_rates(ROWS.work.fixed_s[:7], ROWS.work.counts[:7], times)
    many, _ = log_rates(ROWS.work.fixed_s[:7], ROWS.work.counts[:7], np.stack([times, times]))
    assert many.shape == (2, 7)
    assert many[1] == pytest.approx(one)
    draws = full().draws(20_000, np.random.default_rng(6))
    assert draws.mean(axis=0) == pytest.approx(full().mean, abs=0.03)
    spread = np.sqrt(full().covariance.diagonal())
    assert draws.std(axis=0) == pytest.approx(spread, rel=0.03)


@pytest.mark.parametrize("sharpness", [2.0, SHARPNESS])
def test_the_slope_of_the_density_is_that_of_finite_differences(sharpness):
    away = full().mean + 0.05 * np.random.default_rng(7).standard_normal(len(full().mean))
    slope, precision = DENSITY.slope_and_precision(away, spreads(), errors(), sharpness)
    for column in np.random.default_rng(4).choice(len(away), 20, replace=False):
        step = np.zeros(len(away))
        step[column] = 1e-6
        up, down = (DENSITY.log_density(away + sign * step, spreads(), errors(), sharpness)
                    for sign in (1, -1))  # fmt: skip
        assert slope[column] == pytest.approx((up - down) / 2e-6, abs=1e-3)
    assert np.linalg.eigvalsh(precision).min() > 0


def test_a_fit_is_settled_and_no_other_start_finds_a_much_better_mode():
    slope, precision = DENSITY.slope_and_precision(full().mean, spreads(), errors(), SHARPNESS)
    step = np.linalg.solve(precision, slope)
    assert step @ slope < 0.05  # twice the nats that one more step could gain
    again = fit(ROWS, rounds=200)
    assert again.mean == pytest.approx(full().mean, abs=0.05)
    # Climbs from draws of the prior reach no density more than 5 nats above that of the fit.
    best = DENSITY.log_density(full().mean, spreads(), errors(), SHARPNESS)
    rng = np.random.default_rng(9)
    for _ in range(5):
        mean = DENSITY.centre + DENSITY.deviation(spreads()) * rng.standard_normal(len(full().mean))
        for _ in range(20):
            mean = _climbed(DENSITY, mean, spreads(), errors(), SHARPNESS)
        assert DENSITY.log_density(mean, spreads(), errors(), SHARPNESS) < best + 5


def test_figures_that_the_model_made_are_met_and_intervals_hold_as_often_as_they_say():
    # Ratings drawn from the fit with 5 % of error: the error found is that, and no bias.
    log, _ = DENSITY.predicted(full().mean)
    rng = np.random.default_rng(5)
    made = replace(ROWS, log_rate=log + 0.05 * rng.standard_normal(len(log)))
    found = fit(made)
    fitted, _ = DENSITY.predicted(found.mean)
    free = ~ROWS.table.at_link.to_numpy()
    misses = (fitted - log)[free]
    assert abs(misses.mean()) < 0.01
    assert np.sqrt((misses**2).mean()) < 0.05  # less than the noise that was put in
    # five figures of 10 % count as much as the prior says
    assert found.errors["rated", "random read"] == pytest.approx(0.055, abs=0.02)
    # Terms drawn from their own distributions, figures made of them, and both found again.
    each = errors()[DENSITY.rows.error]
    inside, all_told = 0, 0
    for seed in range(4):
        rng = np.random.default_rng(seed)
        truth = full().draws(1, rng)[0]
        log, _ = DENSITY.predicted(truth)
        found = fit(replace(ROWS, log_rate=log + each * rng.standard_normal(len(log))))
        spread = np.sqrt(found.covariance.diagonal())
        near = np.abs(found.mean - truth) < 1.645 * spread
        inside, all_told = inside + near.sum(), all_told + near.size
    assert 0.8 < inside / all_told < 0.99


def test_a_figure_at_the_link_says_how_slow_the_rest_may_be_and_groups_left_out_are_gone():
    # Of a drive whose sequential reads are all at the link, a controller cannot be slower.
    line = of_lines("Crucial MX500")
    reads = line.where((line.table.test == "sequential read").to_numpy())
    reads = reads.where(reads.table.at_link.to_numpy())
    found = fit(reads)
    log, _ = posterior(reads).predicted(found.mean)
    assert (log > reads.log_rate - 0.02).all()
    freely = found.covariance[place(found, "read_unit_s", "population", "sata")].max()
    assert freely > 0.3  # hardly narrower than the prior's 0.7
    few = of_lines("Samsung PM863", "Crucial BX100")
    found = fit(few, without={"line", "enterprise"})
    assert not {name[1] for name in found.names} & {"line", "enterprise"}
    assert found.without == {"line", "enterprise"}
    narrow, wide = fit(few), fit(few, widened=2.0)
    assert np.trace(wide.covariance) > np.trace(narrow.covariance)
    unseen = Term("read_unit_s", "population", "pcie")
    assert wide.spread_of(unseen) == pytest.approx(2 * narrow.spread_of(unseen), rel=1e-12)


def test_sheets_are_those_of_flash_with_a_source_and_their_error_is_found():
    times = {terms[0].time for terms, _ in sheets()}
    assert times == {"read_s", "program_s"}
    named = {term.name for terms, _ in sheets() for term in terms if term.group == "flash"}
    assert "samsung-48l-tlc-256gbit" in named
    assert "micron-64l-tlc-256gbit" not in named  # its times are assumed
    few = of_lines("Crucial BX100")  # of another die than the printed ones with three and four bits
    density = posterior(few)
    assert len(density.printed) == len(sheets())
    place = density.names.index(("program_s", "flash", "samsung-64l-qlc-1tbit"))
    assert density.prints[:, [place]].sum() == 1
    assert fit(few).covariance[place, place] > 0
    # Times that sheets print far from all figures make sheets less sure.
    rows = of_lines("Samsung 870 EVO", "Crucial MX100")
    found = fit(rows).errors[SHEET]
    assert found != pytest.approx(0.3, abs=1e-3)
    assert full().errors[SHEET] > 0.3  # papers print faster programs than drives have


def test_figures_of_a_line_left_out_are_off_as_by_solving_without_its_rows():
    rows = of_lines(*sorted(set(ROWS.table.line))[:12])
    density, found = posterior(rows), fit(rows)
    spread = np.array([found.spreads[group] for group in density.groups])
    error = np.array([found.errors[pair] for pair in density.errors])
    _, precision = density.slope_and_precision(found.mean, spread, error, SHARPNESS)
    log, slopes = density.predicted(found.mean)
    miss, slopes = density.rows.seen - log, slopes.toarray()
    noise = error[density.rows.error] ** 2
    each = density.rows.weight / (noise + density.rows.half_step**2 / 3)
    squares = usual = 0.0
    for line in set(rows.table.line):
        mine = ((rows.table.line == line) & ~rows.table.at_link).to_numpy()
        own = slopes[mine]
        without = np.linalg.inv(precision - own.T @ (own * each[mine, None]))
        off = miss[mine] + own @ without @ own.T @ (each[mine] * miss[mine])
        weight = density.rows.weight[mine]
        squares += weight @ (off**2 - (own @ without @ own.T).diagonal())
        usual += weight @ noise[mine]
    assert squares > usual
    assert found.unseen == pytest.approx(np.sqrt(squares / usual))
