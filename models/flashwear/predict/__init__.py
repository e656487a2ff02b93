"""Predict the speeds of a drive from its parts, with intervals, and test such intervals.

:func:`speeds` predicts the results of the :data:`TESTS` for any drive, and :func:`times` estimates
its operation times, which the drives of :mod:`flashwear.drives` use. Beneath them,
:mod:`flashwear.predict.rated_speeds` collects the known speeds,
:mod:`flashwear.predict.hierarchy` models the times of a drive by those of its parts,
:mod:`flashwear.predict.likelihood` connects times and speeds, :mod:`flashwear.predict.fit` fits
them, :mod:`flashwear.predict.draws` draws from the fit, and :mod:`flashwear.predict.score` scores
predictions. The `sim` extra is needed: ``pip install "flashwear[sim]"``.
"""

from typing import TYPE_CHECKING

from flashwear._extras import lazily
from flashwear.predict._speeds import speeds
from flashwear.predict._times import assemble, calibrated, draws_of_times, times, times_by
from flashwear.predict.tests import TESTS, SpeedTest

__all__ = ["TESTS", "SpeedTest", "assemble", "calibrated", "draws_of_times", "speeds", "times",
           "times_by"]  # fmt: skip

if TYPE_CHECKING:  # what loads lazily
    from flashwear.predict import (
        draws as draws,
        fit as fit,
        hierarchy as hierarchy,
        likelihood as likelihood,
        rated_speeds as rated_speeds,
        score as score,
        tests as tests,
    )
else:
    __getattr__ = lazily(__name__)
