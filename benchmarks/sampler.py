"""Make data/sampler.csv: the fit of speeds held against a Markov chain on the same model.

The fit is Laplace's approximation, and takes spreads and errors as known. The No-U-Turn sampler of
numpyro draws terms, spreads and errors together. Both predict lines that were left out.

In an environment of its own: ``pip install -e ".[sim]" jax numpyro``, then
``python benchmarks/sampler.py``. Ten minutes on one core.
"""

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
import pandas as pd
from jax.scipy.stats import norm
from numpyro.infer import MCMC, NUTS

from flashwear.predict import rated_speeds as tabled
from flashwear.predict.draws import LINK_ERROR, printed_draws
from flashwear.predict.fit import ERROR_COUNT, SPREAD_COUNT, USUAL_SPREAD, fit, usual_errors
from flashwear.predict.likelihood import SHARPNESS, posterior, rows_of
from flashwear.queueing import work

DATA = Path(__file__).parents[1] / "data"
SEEDS = {"Samsung 845DC PRO": 3655280567, "Micron M600": 1353044949, "Samsung 960 EVO": 1194686790,
         "Micron 5210 ION": 2352260015}  # fmt: skip
SAMPLES = 1000
FIT_DRAWS = 4000
LINK = work.STATIONS.index("link")


def sampled(line, samples, seed):
    """Predict a line from all others by the fit and by a chain, after half as many to warm up.

    Returns the root mean square difference of the medians in widths of the fit's 90 % intervals,
    and how many transitions diverged.
    """
    rows = tabled.rated_speeds()
    mine = (rows.table.line == line).to_numpy()
    others, wanted = rows.where(~mine), rows.where(mine)
    found = fit(others)
    drawn, divergent = chain_draws(others, wanted, samples, seed, found.unseen)
    laplace, _ = printed_draws(found, wanted.drives, wanted.work, wanted.figures, FIT_DRAWS,
                               np.random.default_rng(seed), wanted.benches)  # fmt: skip
    low, median, high = np.quantile(laplace, (0.05, 0.5, 0.95), axis=0)
    apart = (np.median(drawn, axis=0) - median) / (high - low)
    return float(np.sqrt((apart**2).mean())), divergent


def gathered_terms(columns):
    """Return the places and factors of the terms of each time, as many for all."""
    most = int(np.diff(columns.indptr).max())
    places = np.zeros((columns.shape[0], most), np.int64)
    factors = np.zeros((columns.shape[0], most))
    for row in range(columns.shape[0]):
        part = slice(columns.indptr[row], columns.indptr[row + 1])
        places[row, : part.stop - part.start] = columns.indices[part]
        factors[row, : part.stop - part.start] = columns.data[part]
    return places, factors


def chain_draws(others, wanted, samples, seed, unseen):
    """Return draws of the wanted figures, and how many transitions diverged."""
    density = posterior(others, also=wanted)
    rows, own = density.rows, rows_of(wanted, density.names, density.errors)

    def log_rate(rows, gathered, terms, fixed):
        places, factors = gathered
        times = jnp.exp(rows.base + (terms[places] * factors).sum(-1).reshape(rows.base.shape))
        seconds = fixed + (rows.counts * times[:, None, :]).sum(-1)
        most = seconds.max(-1)
        return -(
            jnp.log(most) + jnp.log(((seconds / most[:, None]) ** SHARPNESS).sum(-1)) / SHARPNESS
        )

    gathered, prints = gathered_terms(rows.design), density.prints.toarray()

    def model():
        scale = numpyro.sample(
            "scale",
            dist.InverseGamma(SPREAD_COUNT / 2, SPREAD_COUNT / 2 * USUAL_SPREAD**2)
            .expand([len(density.groups)])
            .to_event(1),
        )
        noise = numpyro.sample(
            "noise",
            dist.InverseGamma(
                ERROR_COUNT / 2, ERROR_COUNT / 2 * usual_errors(density) ** 2
            ).to_event(1),
        )
        free = numpyro.sample("free", dist.Normal(0, 1).expand([len(density.names)]).to_event(1))
        deviation = jnp.where(density.group_of < 0, density.wide, jnp.sqrt(scale)[density.group_of])
        each = numpyro.deterministic("terms", density.centre + deviation * free)
        log = log_rate(rows, gathered, each, rows.fixed_s)
        error = jnp.sqrt(noise[rows.error] + rows.half_step**2 / 3)
        likely = jnp.where(
            rows.at_link, norm.logcdf(log, rows.seen, error), norm.logpdf(rows.seen, log, error)
        )
        numpyro.factor("figures", (rows.weight * likely).sum())
        sheets = norm.logpdf(density.printed, prints @ each, jnp.sqrt(noise[-1]))
        numpyro.factor("sheets", sheets.sum())

    chain = MCMC(NUTS(model), num_warmup=samples // 2, num_samples=samples, progress_bar=False)
    chain.run(jax.random.PRNGKey(seed), extra_fields=("diverging",))
    got = chain.get_samples()
    fixed, asked = wanted.work.fixed_s, gathered_terms(own.design)
    drawn = np.array([log_rate(own, asked, each, fixed) for each in got["terms"]])
    rng = np.random.default_rng(seed)
    errors = unseen * np.sqrt(np.array(got["noise"]))
    drawn += rng.standard_normal(drawn.shape) * errors[:, own.error]
    most = LINK_ERROR * rng.standard_normal(drawn.shape) - np.log(fixed[:, LINK])
    return np.minimum(drawn, most), int(chain.get_extra_fields()["diverging"].sum())


def main():
    """Write the table."""
    jax.config.update("jax_enable_x64", True)
    rows = []
    for line, seed in SEEDS.items():
        apart, divergent = sampled(line, SAMPLES, seed)
        rows.append({"line": line, "samples": SAMPLES, "seed": seed, "apart": round(apart, 4),
                     "divergent": divergent})  # fmt: skip
    table = pd.DataFrame(rows)
    table.to_csv(DATA / "sampler.csv", index=False, lineterminator="\n")
    print(table.to_string(index=False))


if __name__ == "__main__":
    main()
