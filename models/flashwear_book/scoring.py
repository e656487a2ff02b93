"""Predictions against observations: errors, intervals, and gains by product line."""

from typing import Any

import numpy as np
import pandas as pd

from flashwear.sweeps import KeptResult

_SERIES = ("seen", "low_90", "low_50", "median", "high_50", "high_90", "each_crps", "pit")
_RESAMPLED = 2000


def compared(result: KeptResult, by: Any, figures: pd.DataFrame) -> pd.DataFrame:
    """Return the speeds observed in a stored study, with their predictions.

    Parameters
    ----------
    result : flashwear.sweeps.KeptResult
        Stored result of a study of ``flashwear_book.runs.predictions``.
    by : str or tuple
        Which predictions: "model" or the name of a naive guess; or, if the study has more keys, a
        tuple such as ("model", 1.0), with the factor on the priors.
    figures : pandas.DataFrame
        Speeds that were predicted, in the order of the study.

    Returns
    -------
    pandas.DataFrame
        `figures` with added columns: the observed speed, the ``median`` and the central intervals,
        as natural logarithms; ``each_crps`` and ``pit``; ``error``, the median less the observed
        speed; and ``held``, whether the 90 % interval contains it.

    Examples
    --------
    >>> from flashwear.predict.rated_speeds import rated_speeds
    >>> from flashwear_book.runs import kept_result
    >>> found = compared(kept_result("new_lines"), ("model", 1.0), rated_speeds().table)
    >>> bool(np.allclose(found.error, found["median"] - found.seen))
    True
    """
    found = figures.assign(**{name: result.lines(name)[by] for name in _SERIES})
    return found.assign(
        error=found["median"] - found["seen"],
        held=found["seen"].between(found["low_90"], found["high_90"]),
    )


def mean(found: pd.DataFrame, column: str, where: pd.Series | None = None) -> float:
    """Return the weighted mean of a column over some speeds.

    `found` is a table from :func:`compared`, whose column `column` is averaged; `where` is true for
    the rows that count, by default for speeds that the host link does not limit.

    Examples
    --------
    >>> found = pd.DataFrame({"at_link": [True, False, False], "weight": [1, 1, 3]})
    >>> mean(found.assign(held=[1, 1, 0]), "held")
    0.25
    """
    some = found[~found["at_link"] if where is None else where]
    return float(np.average(some[column], weights=some["weight"]))


def rms(found: pd.DataFrame, where: pd.Series | None = None) -> float:
    """Return the root mean square of the errors of predicted log speeds.

    `found` is a table from :func:`compared`; `where` is true for the rows that count, by default
    for speeds that the host link does not limit.

    Examples
    --------
    >>> found = pd.DataFrame({"at_link": [False, False], "weight": [1, 1], "error": [0.3, -0.3]})
    >>> round(rms(found), 3)
    0.3
    """
    return float(np.sqrt(mean(found.assign(square=found["error"] ** 2), "square", where)))


def summary(found: pd.DataFrame) -> dict[str, str | float]:
    """Return errors, CRPS (a score; lower is better) and interval coverage of predictions, by name.

    `found` is a table of predictions from :func:`compared`.

    Examples
    --------
    >>> from flashwear.predict.rated_speeds import rated_speeds
    >>> from flashwear_book.runs import kept_result
    >>> found = compared(kept_result("new_lines"), ("model", 1.0), rated_speeds().table)
    >>> list(summary(found))[:2]
    ['typical error', 'RMS of logarithms']
    """
    more = found.assign(
        half=found["seen"].between(found["low_50"], found["high_50"]),
        width=found["high_90"] - found["low_90"],
    )
    return {
        "typical error": f"x{np.exp(rms(found)):.2f}",
        "RMS of logarithms": round(rms(found), 3),
        "CRPS": round(mean(found, "each_crps"), 3),
        "in the 50 % interval": f"{100 * mean(more, 'half'):.0f} %",
        "in the 90 % interval": f"{100 * mean(found, 'held'):.0f} %",
        "width of the 90 % interval": f"x{np.exp(mean(more, 'width')):.2f}",
    }


def gain(
    better: pd.DataFrame, worse: pd.DataFrame, column: str, rng: np.random.Generator
) -> tuple[float, float]:
    """Return mean and standard error of how much lower a column is in `better` than in `worse`.

    Parameters
    ----------
    better, worse : pandas.DataFrame
        Two tables of predictions of the same speeds; speeds that the link limits are left out.
    column : str
        Name of the column in both.
    rng : numpy.random.Generator
        Random generator that draws the product lines of each of 2,000 bootstrap samples.

    Examples
    --------
    >>> one = pd.DataFrame({"line": ["A", "B"], "at_link": False, "weight": 1, "miss": [1.0, 2.0]})
    >>> gain(one, one.assign(miss=one.miss + 1), "miss", np.random.default_rng(0))
    (1.0, 0.0)
    """
    where = ~better["at_link"]
    weight = better["weight"][where]
    each = pd.DataFrame({"line": better["line"][where], "weight": weight,
                         "gain": (worse[column] - better[column])[where] * weight})  # fmt: skip
    by_line = each.groupby("line").sum()
    picks = rng.integers(0, len(by_line), (_RESAMPLED, len(by_line)))
    draws = by_line["gain"].to_numpy()[picks].sum(1) / by_line["weight"].to_numpy()[picks].sum(1)
    return float(draws.mean()), float(draws.std())
