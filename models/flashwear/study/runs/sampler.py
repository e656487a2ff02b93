"""A check of Laplace's approximation: the same model, sampled by a Markov chain.

The No-U-Turn sampler of numpyro draws terms, spreads and errors together, where the fit takes the
latter as known. What it says of a line that was left out stands beside what the fit says.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from flashwear._extras import require
from flashwear.predict import ratings as tabled
from flashwear.predict.draws import printed_draws
from flashwear.predict.fit import SHARPNESS, design, fit, sheets
from flashwear.predict.hierarchy import Term, prior, terms
from flashwear.predict.ratings import Ratings
from flashwear.queueing import work

Floats = NDArray[np.float64]

_SPREAD_COUNT, _USUAL_SPREAD = 3.0, 0.15  # as in the fit
_ERROR_COUNT, _USUAL_ERROR = 5.0, 0.10
_SHEET_ERROR, _LINK_ERROR = 0.3, 0.03
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


def _names(rows: Ratings) -> dict[tuple[str, str, str], Term]:
    used: NDArray[np.bool_] = np.any(rows.work.counts, axis=1)
    return {
        term[:3]: term
        for drive, bench, needed in zip(rows.drives, rows.benches, used, strict=True)
        for term in terms(drive, bench)
        if needed[work.TIMES.index(term.time)]
    }


def _gathered(rows: Ratings, names: list[tuple[str, str, str]]) -> tuple[Floats, Any, Floats]:
    """Return the times that are fixed, and for each the places and factors of its terms."""
    base, columns = design(rows.drives, rows.benches, rows.work.counts, names)
    most = int(np.diff(columns.indptr).max())
    places = np.zeros((columns.shape[0], most), np.int64)
    factors = np.zeros((columns.shape[0], most))
    for row in range(columns.shape[0]):
        part = slice(columns.indptr[row], columns.indptr[row + 1])
        places[row, : part.stop - part.start] = columns.indices[part]
        factors[row, : part.stop - part.start] = columns.data[part]
    return base, places, factors


def _chain(others: Ratings, wanted: Ratings, samples: int, seed: int) -> tuple[Floats, int]:
    """Return draws of the wanted figures, and how many transitions diverged."""
    import jax
    import jax.numpy as jnp
    import numpyro
    import numpyro.distributions as dist
    from jax.scipy.stats import norm
    from numpyro.infer import MCMC, NUTS

    jax.config.update("jax_enable_x64", True)  # type: ignore[no-untyped-call]
    known = {**_names(wanted), **_names(others)}
    names = sorted(known)
    priors = [prior(known[name]) for name in names]
    groups = sorted({name[:2] for name, (_, sd) in zip(names, priors, strict=True) if sd is None})
    group = np.array([groups.index(name[:2]) if name[:2] in groups else -1 for name in names])
    centre = np.array([mean for mean, _ in priors])
    wide = np.array([sd or 0.0 for _, sd in priors])
    errors = sorted({*others.figures, *wanted.figures})

    def error_of(rows: Ratings) -> NDArray[np.int64]:
        return np.array([errors.index(pair) for pair in rows.figures])

    def log_rate(rows: Ratings, gathered: Any, terms_of: Any, fixed: Floats) -> Any:
        base, places, factors = gathered
        times = jnp.exp(base + (terms_of[places] * factors).sum(-1).reshape(base.shape))
        seconds = fixed + (rows.work.counts * times[:, None, :]).sum(-1)
        most = seconds.max(-1)
        return -(
            jnp.log(most) + jnp.log(((seconds / most[:, None]) ** SHARPNESS).sum(-1)) / SHARPNESS
        )

    places_of = {name: place for place, name in enumerate(names)}
    told = [
        (np.array([places_of[t[:3]] for t in each]), np.array([t.factor for t in each]), value)
        for each, value in sheets()
        if all(t[:3] in places_of for t in each)
    ]
    at_link = others.table.at_link.to_numpy()
    fixed = others.work.fixed_s.copy()
    fixed[at_link, _LINK] = 0.0
    seen, weight = others.log_rate, others.table.weight.to_numpy()
    mine, gathered = error_of(others), _gathered(others, names)

    def model() -> None:
        scale = numpyro.sample(
            "scale",
            dist.InverseGamma(_SPREAD_COUNT / 2, _SPREAD_COUNT / 2 * _USUAL_SPREAD**2)
            .expand([len(groups)])
            .to_event(1),
        )
        noise = numpyro.sample(
            "noise",
            dist.InverseGamma(_ERROR_COUNT / 2, _ERROR_COUNT / 2 * _USUAL_ERROR**2)
            .expand([len(errors)])
            .to_event(1),
        )
        free = numpyro.sample("free", dist.Normal(0, 1).expand([len(names)]).to_event(1))
        deviation = jnp.where(group < 0, wide, jnp.sqrt(scale)[group])
        each = numpyro.deterministic("terms", centre + deviation * free)
        log = log_rate(others, gathered, each, fixed)
        error = jnp.sqrt(noise[mine] + others.half_step**2 / 3)
        likely = jnp.where(at_link, norm.logcdf(log, seen, error), norm.logpdf(seen, log, error))
        numpyro.factor("figures", (weight * likely).sum())
        for at, factor, value in told:
            numpyro.factor(
                f"sheet {at}", norm.logpdf(value, (each[at] * factor).sum(), _SHEET_ERROR)
            )

    chain = MCMC(NUTS(model), num_warmup=samples // 2, num_samples=samples, progress_bar=False)
    chain.run(jax.random.PRNGKey(seed), extra_fields=("diverging",))
    got = chain.get_samples()
    inside = wanted.work.fixed_s.copy()
    inside[:, _LINK] = 0.0
    own = _gathered(wanted, names)
    drawn = np.array([log_rate(wanted, own, each, inside) for each in got["terms"]])
    rng = np.random.default_rng(seed)
    drawn += rng.standard_normal(drawn.shape) * np.sqrt(np.array(got["noise"]))[:, error_of(wanted)]
    most = _LINK_ERROR * rng.standard_normal(drawn.shape) - np.log(wanted.work.fixed_s[:, _LINK])
    return np.minimum(drawn, most), int(chain.get_extra_fields()["diverging"].sum())
