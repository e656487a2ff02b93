"""The studies whose results the book keeps: ``python -m flashwear.studies`` remakes them.

Each is listed in :data:`STUDIES`; ``make study`` runs them all at full scale and writes
``data/results/``.
"""

import argparse
import sys
from pathlib import Path

from flashwear import tables
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
        Number of bootstrap resamples.
    seed : int
        Seed of the random generator.

    Returns
    -------
    dict
        Ends of the 95 % percentile intervals: ``fixed_low``, ``fixed_high`` (USD),
        ``per_gb_low``, ``per_gb_high`` (USD per GB), and their widths ``fixed_width``,
        ``per_gb_width``.

    Notes
    -----
    Tolerance of a rerun: the two ends of a 95 % percentile interval from n resamples of a
    near-normal distribution have a standard error of 0.06 sigma at n = 2,000, so their
    distance (3.9 sigma) has one of about 2.2 %. Four of these are 9 %: a rerun may differ by 10 %.
    """
    import numpy as np

    prices = tables.prices_2014() if year == 2014 else tables.prices_2016()
    x, y = prices["capacity_gb"].to_numpy(), prices["price_usd"].to_numpy()
    model, names = prices["model"].factorize()
    draws = np.random.default_rng(seed).multinomial(
        len(names), np.full(len(names), 1 / len(names)), size=resamples
    )
    weight = draws[:, model]
    total, sum_x, sum_y = weight.sum(axis=1), weight @ x, weight @ y
    per_gb = (total * (weight @ (x * y)) - sum_x * sum_y) / (total * (weight @ x**2) - sum_x**2)
    fixed = (sum_y - per_gb * sum_x) / total
    ends: dict[str, float] = {}
    for name, values in (("fixed", fixed), ("per_gb", per_gb)):
        low, high = np.percentile(values, [2.5, 97.5])
        ends |= {f"{name}_low": low, f"{name}_high": high, f"{name}_width": high - low}
    return {name: float(value) for name, value in ends.items()}


STUDIES = {
    study.name: study
    for study in (
        Study(
            name="price_bootstrap",
            function=price_bootstrap,
            grid={"year": [2014, 2016], "resamples": [1_000_000]},
            reduced={"resamples": [2_000]},
            keys=("year",),
            tolerance={"fixed_width": 0.1, "per_gb_width": 0.1},
            seed=20140928,
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
