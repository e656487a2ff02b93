import numpy as np
import pytest

from flashwear import wa
from flashwear_book import slc


def test_without_a_cache_it_is_a_log_of_mixed_data_and_the_best_size_is_no_worse_than_others():
    for fill, hot in ((0.6, 0.5), (0.75, 0.2), (0.95, 0.05)):
        op = slc.M600_ALPHA / fill - 1
        assert slc.behind(fill, 0, hot) == pytest.approx(wa.fifo_mixed(op, 1 - hot, hot), rel=1e-9)
    assert np.isnan(slc.behind(0.98, 20, 0.5))
    assert np.isfinite(slc.behind(0.5, 20, 0.5))
    for fill, hot in ((0.5, 0.5), (0.75, 0.1), (0.9, 0.02)):
        best = slc.saved(fill, hot)
        assert best >= 0
        for size in (1, 5, 12):
            other = slc.behind(fill, 0, hot) - slc.behind(fill, size, hot)
            assert np.isnan(other) or best >= other - 2e-3  # of 500 sizes
    for ratio, fill in ((10, 0.9), (5, 1.0), (33, 0.75)):
        hot = slc.until(ratio, fill)
        assert slc.saved(fill, hot) == pytest.approx(2 / ratio, rel=1e-6)
        assert slc.saved(fill, 0.8 * hot) > 2 / ratio
    assert slc.until(10, 0.4) == 0.5


def test_counters_rise_under_three_of_four_loads_and_wear_falls_under_two():
    """As the caption of the fast cache has it, with ten times the cycles in one-bit mode."""
    counted, wear = [1.0], [wa.slc_dynamic_wear(1.0, 2, 1, 10) - 1]  # large new files
    for hot in (0.5, 0.2, 0.05):
        alone, main = slc.behind(0.75, 0, hot), slc.behind(0.75, 8, hot)
        counted.append((1 + main) / alone - 1)
        wear.append(wa.slc_dynamic_wear(main, 2, 1, 10) / alone - 1)
    assert [change > 0 for change in counted] == [True, True, True, False]
    assert [change > 0 for change in wear] == [True, True, False, False]
