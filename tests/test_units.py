import re

import numpy as np
import pytest

from flashwear import units
from refusals import refusals


@pytest.mark.parametrize(("printed", "low", "high"), [
    ("3.0", 2.95, 3.05), ("1.75", 1.745, 1.755), ("100", 99.5, 100.5), ("0.3", 0.25, 0.35),
])  # fmt: skip
def test_a_printed_figure_stands_for_half_a_unit_of_its_last_digit_each_way(printed, low, high):
    np.testing.assert_array_equal(units.rounding_interval(printed), [low, high])
    in_pb = units.rounding_interval(printed, units.PB)
    np.testing.assert_allclose(in_pb, [low * 1e15, high * 1e15])


NO_FIGURES = ["", "88K", "nan", "1,000", "1_000", "١", " 3", "3.", ".5", "+3", None, 3.0]
test_what_is_no_figure_or_no_unit_is_refused = refusals([
    *(((text,), re.escape(f"printed must be text of plain decimal digits, got {text!r}"))
      for text in NO_FIGURES),
    *((("3.0", unit), "unit must be a finite number > 0, got ")
      for unit in (0, float("nan"), float("inf"), "GB")),
    (("3.0", [1, 2]), r"unit must be one number, got shape \(2,\)"),
    *((given, f"printed must be a figure in the range .* got '{given[0]}'")
      for given in (("1" * 400, 1), ("1", 1e308 * 1.5), ("2", 1e308))),
], by=lambda given: units.rounding_interval(*given))  # fmt: skip
