"""The bootstrap of prices: its scatter, and the same by single fits."""

import numpy as np
import pandas as pd
import pytest

from flashwear_book import runs, tables
from flashwear_book.runs import prices
from refusals import refusals


def test_the_tolerance_of_the_bootstrap_is_four_of_its_standard_errors():
    # 100 reruns give a standard error to 7 %; 4 times one lies between 3 and 5 of the true ones
    reruns = pd.DataFrame({"year": year} | prices.price_bootstrap(year, resamples=2000, seed=seed)
                          for year in (2014, 2016) for seed in range(100))  # fmt: skip
    error = reruns.groupby("year").std().max()
    for figure, allowed in runs.STUDIES["price_bootstrap"].tolerance.items():
        assert 3 < allowed / error[figure] < 5


def test_the_bootstrap_agrees_with_resampling_models_one_by_one():
    # the same statistic the slow way: draw whole models, fit each draw with numpy. The two
    # differ in their draws only, 2,000 each, so their difference has twice the variance of one
    table = tables.prices_2014()
    models = [group for _, group in table.groupby("model")]
    random = np.random.default_rng(3)
    slopes = []
    for _ in range(2000):
        drawn = pd.concat([models[i] for i in random.integers(len(models), size=len(models))])
        slopes.append(np.polyfit(drawn["capacity_gb"], drawn["price_usd"], 1)[0])
    fast = prices.price_bootstrap(year=2014, resamples=2000, seed=1)
    tolerance = runs.STUDIES["price_bootstrap"].tolerance
    for figure, share in (("per_gb_low", 2.5), ("per_gb_high", 97.5)):
        slow = np.percentile(slopes, share)
        assert fast[figure] == pytest.approx(slow, abs=2**0.5 * tolerance[figure])


test_a_bootstrap_of_other_years_or_sizes_is_refused = refusals([
    ({"year": 2015}, "year must be 2014 or 2016, got 2015"),
    ({"resamples": 0}, "resamples must be a finite number >= 1, got 0"),
    ({"resamples": 2.5}, "resamples must be one whole number, got 2.5"),
], by=lambda change: prices.price_bootstrap(
    **{"year": 2014, "resamples": 10, "seed": 1} | change))  # fmt: skip
