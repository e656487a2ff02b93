import numpy as np
import pandas as pd
import pytest

from flashwear_book import scoring

FOUND = pd.DataFrame({"line": ["A", "A", "B", "C"], "at_link": [False, False, False, True],
                      "weight": [0.5, 0.5, 1.0, 1.0], "error": [0.2, -0.2, 0.4, 9.0],
                      "held": [True, True, False, False]})  # fmt: skip


def test_what_the_link_limits_is_left_out_and_a_gain_has_an_error_of_its_lines():
    assert scoring.rms(FOUND) == pytest.approx(np.sqrt((0.04 + 0.16) / 2))
    assert scoring.mean(FOUND, "held") == pytest.approx(0.5)
    assert scoring.rms(FOUND, FOUND.at_link) == pytest.approx(9.0)
    worse = FOUND.assign(error=FOUND.error + np.where(FOUND.line == "A", 1.0, 3.0))
    middle, error = scoring.gain(FOUND, worse, "error", np.random.default_rng(1))
    assert middle == pytest.approx(2.0, abs=0.05)  # two lines of equal weight: 1 and 3
    assert error == pytest.approx(1 / np.sqrt(2), abs=0.03)  # of the mean of two draws of them
    same, none = scoring.gain(FOUND, FOUND, "error", np.random.default_rng(1))
    assert same == none == 0
