"""The studies whose results the book keeps: ``python -m flashwear.studies`` remakes them.

Each is listed in :data:`STUDIES`; ``make study`` runs them all at full scale and writes
``data/results/``.
"""

import argparse
import sys
from pathlib import Path

import numpy as np

from flashwear import tables
from flashwear._domain import number
from flashwear.sweeps import Study


def price_bootstrap(year: int, resamples: int, seed: int) -> dict[str, float]:
    """Resample whole drive models and fit each resample by a fixed part plus a price per GB.

    The intervals of :func:`flashwear.pricing.fit_fixed_plus_per_gb` take prices as
    independent, but one maker's model stands in the table at several capacities. Drawing
    models with replacement (the cluster bootstrap) keeps those together.

    Parameters
    ----------
    year : {2014, 2016}
        Which price table.
    resamples : int
        Number of bootstrap resamples, >= 1.
    seed : int
        Seed of the random generator.

    Returns
    -------
    dict
        Ends of the 95 % percentile intervals: ``fixed_low``, ``fixed_high`` (USD),
        ``per_gb_low``, ``per_gb_high`` (USD per GB).

    Raises
    ------
    ValueError
        Outside these ranges.

    Notes
    -----
    Tolerance of a rerun: an end of a 95 % percentile interval from n resamples of a normal
    distribution has a standard error of 0.06 sigma at n = 2,000, with sigma a quarter of the
    interval: 0.4 to 0.6 USD, and 0.0011 to 0.0024 USD per GB. These distributions are not quite
    normal; 400 reruns scatter by 0.68 USD (low end of the fixed part) and 0.51 USD (high end),
    0.0011 USD (low end of the price per GB) and 0.0028 USD (high end), each in the year in which
    it scatters more. A rerun may differ from a million resamples by four of these. Both years
    have one tolerance; where 2014 sets it, at the high end per GB, it is nine of the 0.0012 USD
    of 2016.

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


STUDIES = {
    study.name: study
    for study in (
        Study(
            name="price_bootstrap",
            function=price_bootstrap,
            grid={"year": [2014, 2016], "resamples": [1_000_000]},
            reduced={"resamples": [2_000]},
            keys=("year",),
            tolerance={
                "fixed_low": 2.7,
                "fixed_high": 2.0,
                "per_gb_low": 0.0042,
                "per_gb_high": 0.0112,
            },
            seed=20140928,
            data=("prices_2014", "prices_2016"),
        ),
    )
}
"""All kept studies by name."""


def main(arguments: list[str] | None = None) -> int:
    """Run the studies named on the command line (all by default) and write their tables."""
    parser = argparse.ArgumentParser(prog="python -m flashwear.studies", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="STUDY", help=f"one of {', '.join(STUDIES)}")
    parser.add_argument("--folder", type=Path, default=tables.data_folder() / "results")
    parser.add_argument("--cache", type=Path, help="folder in which a broken run is resumed")
    parser.add_argument("--jobs", type=int, default=-1, help="processes (default: all cores)")
    options = parser.parse_args(arguments)
    for name in options.names or STUDIES:
        if name not in STUDIES:
            parser.error(f"STUDY must be one of {', '.join(STUDIES)}, got {name!r}")
    for name in options.names or STUDIES:
        study = STUDIES[name]
        table = study.run(full=True, n_jobs=options.jobs, cache=options.cache, progress=True)
        study.save(table, options.folder)
        print(f"{name}: {len(table)} rows written to {options.folder / name}.csv")
    return 0


if __name__ == "__main__":
    # the imported module, not this run of it: a result names the module of its function
    from flashwear import studies

    sys.exit(studies.main())
