import numpy as np
import pytest

from flashwear import units


def test_binary_and_decimal_units_differ_by_the_known_shares():
    # 1.073741824, 1.099511627776 and 1.125899906842624 are powers of 1024/1000
    assert units.GIB / units.GB == 1.073741824
    assert units.TIB / units.TB == 1.099511627776
    assert units.PIB / units.PB == 1.125899906842624


def test_eight_gbit_are_one_gib():
    assert 8 * units.GIBIT == units.GIB


def test_the_year_of_a_rating_has_365_days():
    assert units.YEAR == 365 * 24 * 60 * 60


@pytest.mark.parametrize(
    ("printed", "low", "high"),
    [("3.0", 2.95, 3.05), ("1.75", 1.745, 1.755), ("100", 99.5, 100.5), ("0.3", 0.25, 0.35)],
)
def test_a_printed_figure_stands_for_half_a_unit_of_its_last_digit_each_way(printed, low, high):
    np.testing.assert_array_equal(units.rounding_interval(printed), [low, high])


def test_the_interval_is_given_in_the_unit():
    np.testing.assert_allclose(units.rounding_interval("3.0", units.PB), [2.95e15, 3.05e15])


@pytest.mark.parametrize("text", ["", "88K", "nan", "inf", "1,000", None])
def test_text_that_is_not_a_decimal_number_is_refused_by_value(text):
    with pytest.raises(ValueError, match="printed must be a finite decimal number"):
        units.rounding_interval(text)
