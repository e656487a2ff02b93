"""A check of Laplace's approximation: the same model, sampled by a Markov chain.

The No-U-Turn sampler of numpyro draws terms, spreads and errors together, where the fit takes the
latter as known. What it says of a line that was left out stands beside what the fit says.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from flashwear._extras import require
from flashwear.predict import ratings as tabled
from flashwear.predict.draws import LINK_ERROR, printed_draws
from flashwear.predict.fit import ERROR_COUNT, SPREAD_COUNT, USUAL_ERROR, USUAL_SPREAD, fit
from flashwear.predict.likelihood import SHARPNESS, SHEET_ERROR, Rows, posterior, rows_of
from flashwear.predict.ratings import Ratings
from flashwear.queueing import work

Floats = NDArray[np.float64]

_FIT_DRAWS = 4000
_LINK = work.STATIONS.index("link")


def sampled(line: str, samples: int, seed: int) -> dict[str, Any]:
    """Predict the figures of a line from those of all others, by a sampler and by the fit.

    Parameters
    ----------
    line : str
        A line of ``data/speeds.csv``.
    samples : int
        How many the chain keeps, after half as many to warm up.
    seed : int
        Of the chain and of the draws.

    Returns
    -------
    dict
        ``divergent`` transitions; ``apart``, the root mean square difference of the medians, in
        widths of the fit's 90 % intervals; and the series ``seen``, and ``median``, ``low_90`` and
        ``high_90`` of both, the fit's with "fit_" before them, natural logarithms.

    Notes
    -----
    Tolerance of a rerun, whose chain is short: a fifth of such a width.
    """
    require("fit", "jax", "numpyro")
    rows = tabled.ratings()
    mine = (rows.table.line == line).to_numpy()
    others, wanted = rows.where(~mine), rows.where(mine)
    drawn, divergent = _chain(others, wanted, samples, seed)
    laplace, _ = printed_draws(
        fit(others),
        wanted.drives,
        wanted.work,
        wanted.figures,
        _FIT_DRAWS,
        np.random.default_rng(seed),
        wanted.benches,
    )
    told: dict[str, Any] = {"divergent": float(divergent), "seen": wanted.log_rate}
    for before, each in (("", drawn), ("fit_", laplace)):
        low, median, high = np.quantile(each, (0.05, 0.5, 0.95), axis=0)
        told |= {f"{before}median": median, f"{before}low_90": low, f"{before}high_90": high}
    width = told["fit_high_90"] - told["fit_low_90"]
    apart = (told["median"] - told["fit_median"]) / width
    return {"apart": float(np.sqrt((apart**2).mean())), **told}


def _gathered(columns: sparse.csr_array) -> tuple[NDArray[np.int64], Floats]:
    """Return the places and factors of the terms of each time, as many for all."""
    most = int(np.diff(columns.indptr).max())
    places = np.zeros((columns.shape[0], most), np.int64)
    factors = np.zeros((columns.shape[0], most))
    for row in range(columns.shape[0]):
        part = slice(columns.indptr[row], columns.indptr[row + 1])
        places[row, : part.stop - part.start] = columns.indices[part]
        factors[row, : part.stop - part.start] = columns.data[part]
    return places, factors


def _chain(others: Ratings, wanted: Ratings, samples: int, seed: int) -> tuple[Floats, int]:
    """Return draws of the wanted figures, and how many transitions diverged."""
    import jax
    import jax.numpy as jnp
    import numpyro
    import numpyro.distributions as dist
    from jax.scipy.stats import norm
    from numpyro.infer import MCMC, NUTS

    jax.config.update("jax_enable_x64", True)  # type: ignore[no-untyped-call]
    density = posterior(others, also=wanted)
    rows, own = density.rows, rows_of(wanted, density.names, density.errors)

    def log_rate(rows: Rows, gathered: Any, terms: Any, fixed: Floats) -> Any:
        places, factors = gathered
        times = jnp.exp(rows.base + (terms[places] * factors).sum(-1).reshape(rows.base.shape))
        seconds = fixed + (rows.counts * times[:, None, :]).sum(-1)
        most = seconds.max(-1)
        return -(
            jnp.log(most) + jnp.log(((seconds / most[:, None]) ** SHARPNESS).sum(-1)) / SHARPNESS
        )

    gathered, prints = _gathered(rows.design), density.prints.toarray()

    def model() -> None:
        scale = numpyro.sample(
            "scale",
            dist.InverseGamma(SPREAD_COUNT / 2, SPREAD_COUNT / 2 * USUAL_SPREAD**2)
            .expand([len(density.groups)])
            .to_event(1),
        )
        noise = numpyro.sample(
            "noise",
            dist.InverseGamma(ERROR_COUNT / 2, ERROR_COUNT / 2 * USUAL_ERROR**2)
            .expand([len(density.errors)])
            .to_event(1),
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
        sheets = norm.logpdf(density.printed, prints @ each, SHEET_ERROR)
        numpyro.factor("sheets", sheets.sum())

    chain = MCMC(NUTS(model), num_warmup=samples // 2, num_samples=samples, progress_bar=False)
    chain.run(jax.random.PRNGKey(seed), extra_fields=("diverging",))
    got = chain.get_samples()
    inside = wanted.work.fixed_s.copy()
    inside[:, _LINK] = 0.0
    asked = _gathered(own.design)
    drawn = np.array([log_rate(own, asked, each, inside) for each in got["terms"]])
    rng = np.random.default_rng(seed)
    drawn += rng.standard_normal(drawn.shape) * np.sqrt(np.array(got["noise"]))[:, own.error]
    most = LINK_ERROR * rng.standard_normal(drawn.shape) - np.log(wanted.work.fixed_s[:, _LINK])
    return np.minimum(drawn, most), int(chain.get_extra_fields()["diverging"].sum())
