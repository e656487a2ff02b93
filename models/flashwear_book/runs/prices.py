"""Uncertainty of the price fits, by a bootstrap over drive models."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from flashwear._domain import number
from flashwear.sweeps import Study
from flashwear_book import tables


def price_bootstrap(year: int, resamples: int, seed: int) -> dict[str, float]:
    """Refit prices (a fixed part plus a price per GB) to resampled drive models.

    The intervals of :func:`flashwear.pricing.fit_fixed_plus_per_gb` take prices as independent, but
    a model has several capacities in the table. The cluster bootstrap draws whole models with
    replacement, and so keeps the prices of a model together.

    `year`: year of the price table. `resamples`: number of bootstrap resamples, >= 1. `seed`: seed
    of the random generator.

    Result: ends of the 95 % percentile intervals: ``fixed_low``, ``fixed_high`` (USD),
    ``per_gb_low``, ``per_gb_high`` (USD per GB).

    Tolerance of a rerun: 400 reruns scatter by 0.68 USD (low end of the fixed part) and 0.51 USD
    (high end), 0.0011 USD (low end of the price per GB) and 0.0028 USD (high end), each in the year
    in which it scatters more. A rerun may differ from a million resamples by four of these.

    Examples
    --------
    >>> ends = price_bootstrap(year=2016, resamples=2000, seed=1)
    >>> ends["per_gb_low"] < 0.25 < ends["per_gb_high"]
    True
    """
    if year not in (2014, 2016):
        raise ValueError(f"year must be 2014 or 2016, got {year!r}")
    size = number("resamples", resamples, low=1)
    if size.ndim or size % 1:
        raise ValueError(f"resamples must be one whole number, got {resamples!r}")
    prices = tables.prices_2014() if year == 2014 else tables.prices_2016()
    x, y = prices["capacity_gb"].to_numpy(), prices["price_usd"].to_numpy()
    model, names = prices["model"].factorize()
    draws = np.random.default_rng(seed).multinomial(
        len(names), np.full(len(names), 1 / len(names)), size=int(size)
    )
    weight = draws[:, model]
    total, sum_x, sum_y = weight.sum(axis=1), weight @ x, weight @ y
    per_gb = (total * (weight @ (x * y)) - sum_x * sum_y) / (total * (weight @ x**2) - sum_x**2)
    fixed = (sum_y - per_gb * sum_x) / total
    ends: dict[str, float] = {}
    for name, values in (("fixed", fixed), ("per_gb", per_gb)):
        low, high = np.percentile(values, [2.5, 97.5])
        ends |= {f"{name}_low": float(low), f"{name}_high": float(high)}
    return ends


def _read(grid: Mapping[str, Sequence[Any]]) -> list[list[Any]]:
    """Return what a price is fitted on."""
    return [
        table[["model", "capacity_gb", "price_usd"]].to_numpy().tolist()
        for table in (tables.prices_2014(), tables.prices_2016())
    ]


STUDIES = (Study(name="price_bootstrap", function=price_bootstrap,
                 grid={"year": [2014, 2016], "resamples": [1_000_000]},
                 reduced={"resamples": [2_000]}, keys=("year",),
                 tolerance={"fixed_low": 2.7, "fixed_high": 2.0, "per_gb_low": 0.0042,
                            "per_gb_high": 0.0112}, seed=20140928, reads=_read),)  # fmt: skip
