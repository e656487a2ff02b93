import json
import re

import numpy as np
import pytest

from flashwear import wa
from flashwear_book import running


def test_between_the_columns_the_logarithms_are_straight_enough():
    """The page interpolates: within 1 % of the closed form everywhere between two columns.

    Greedy with small blocks has kinks, where it is up to 3 % off.
    """
    table = running.formulas()
    spare = np.geomspace(0.021, 0.99, 200)

    def found(row):
        return 1 + np.exp(np.interp(np.log(spare), np.log(table["op"]), np.log(np.array(row) - 1)))

    np.testing.assert_allclose(found(table["fifo"]["any"]["0.5"]), wa.fifo(spare), rtol=0.01)
    for pages in running.PAGES:
        row = table["greedy"][str(pages)]["0.5"]
        np.testing.assert_allclose(found(row), wa.greedy(spare, pages), rtol=0.03)


def test_each_setting_that_the_panel_offers_has_a_row():
    panel = running.Panel()._repr_html_()
    table = json.loads(re.search(r"<script[^>]*>(.*?)</script>", panel)[1])
    low, high = map(int, re.search(r'name="pages" min="(\d)" max="(\d)"', panel).groups())
    for power in range(low, high + 1):
        assert set(table["greedy"][str(2**power)]) == {"0.5", "0.2", "0.1"}
    assert set(table["fifo"]["any"]) == {"0.5", "0.2", "0.1"}


def test_a_start_that_there_is_not_is_refused():
    with pytest.raises(ValueError, match="start must be filled or empty, got 'half'"):
        running.Panel("half")
    with pytest.raises(ValueError, match=r"pages must be one of \(4, .*, got 5"):
        running.Panel(pages=5)
