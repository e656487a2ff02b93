import inspect
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flashwear import capacity, pricing, units
from flashwear.endurance import balance
from proving import examples
from refusals import refusals


def test_binary_and_decimal_units_differ_by_the_known_shares():
    # 1.073741824, 1.099511627776 and 1.125899906842624 are powers of 1024/1000
    assert units.GIB / units.GB == 1.073741824
    assert units.TIB / units.TB == 1.099511627776
    assert units.PIB / units.PB == 1.125899906842624
    assert units.GIB == 8 * units.GIBIT


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


FIT = pricing.fit_fixed_plus_per_gb([1e11, 2e11, 3e11, 4e11], [60, 109, 161, 210])
FUNCTIONS = [FIT.predict] + [
    value for module in (capacity, balance, pricing) for value in vars(module).values()
    if inspect.isfunction(value) and value.__module__ == module.__name__
    and not value.__name__.startswith("_") and value is not pricing.fit_fixed_plus_per_gb
]  # fmt: skip
ARGUMENTS = [
    pytest.param(function, name, id=f"{function.__name__}-{name}")
    for function in FUNCTIONS for name in inspect.signature(function).parameters
]  # fmt: skip
RANGES = {  # a user never has more than the flash
    "spare_factor": (0, 0.99), "op": (0, 10), "span_share": (0.01, 1), "wlf": (1, 10),
    "data_units": (1, 1000), "parity_units": (0, 10), "user_bytes": (1e9, 1e12),
    "physical_bytes": (1e12, 1e15), "capacity_bytes": (1e9, 1e14), "tbw_bytes": (1e12, 1e16),
    "reference_tbw_bytes": (1e12, 1e16), "bytes_per_day": (1e6, 1e14), "price_then": (0.01, 1e4),
    "price_now": (0.01, 1e4), "sold_gb": (50, 1e5), "years": (0.1, 100),
}  # fmt: skip


def test_the_functions_shown_to_be_monotone_are_those_of_the_three_modules():
    names = {function.__name__ for function in FUNCTIONS}
    assert {"span_op", "map_bytes", "tbw", "dwpd", "premium", "annual_decline", "predict"} <= names


def is_monotone(function, name, values, others):
    """Whether the results rise or fall with the values, up to the rounding of float64."""
    results = function(**others, **{name: np.sort(values)})
    # a handful of operations of 1.1e-16 each, on numbers of the size of the result or of 1
    slack = 1e-14 * (np.abs(results).max() + 1)
    steps = np.diff(results)
    return bool((steps >= -slack).all() or (steps <= slack).all())


@pytest.mark.parametrize(("function", "name"), ARGUMENTS)
@given(data=st.data())
@examples(50)
def test_every_function_is_monotone_in_each_argument(function, name, data):
    def values(argument):
        return st.floats(*RANGES.get(argument, (0.1, 1e6)))

    parameters = inspect.signature(function).parameters
    others = {other: data.draw(values(other), other) for other in parameters if other != name}
    several = data.draw(st.lists(values(name), min_size=3, max_size=20), name)
    assert is_monotone(function, name, several, others)


def test_the_margin_of_a_price_is_not_monotone():
    assert not is_monotone(FIT.margin, "capacity_bytes", [1e11, 2.5e11, 4e11], {})
