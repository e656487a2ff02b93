import json
import re

import numpy as np
import pytest

from flashwear import wa
from flashwear.study import running


def test_between_the_columns_the_logarithms_are_straight_enough():
    """The page interpolates: within 1 % of the closed form everywhere between two columns."""
    table = running.formulas()
    spare = np.geomspace(0.021, 1.19, 60)
    columns, values = np.log(table["op"]), np.log(np.array(table["fifo"]["any"]["0.5"]) - 1)
    found = 1 + np.exp(np.interp(np.log(spare), columns, values))
    np.testing.assert_allclose(found, wa.fifo(spare), rtol=0.01)


def test_each_setting_that_the_panel_offers_has_a_row():
    panel = running.Panel()._repr_html_()
    table = json.loads(re.search(r"<script[^>]*>(.*?)</script>", panel)[1])
    offered = re.search(r'name="pages">(.*?)</select>', panel, re.DOTALL)[1]
    for pages in re.findall(r'<option value="(\d+)"', offered):
        assert set(table["greedy"][pages]) == {"0.5", "0.2", "0.1"}
    assert set(table["fifo"]["any"]) == {"0.5", "0.2", "0.1"}


def test_a_start_that_there_is_not_is_refused():
    with pytest.raises(ValueError, match="start must be filled or empty, got 'half'"):
        running.Panel("half")
