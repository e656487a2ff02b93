import datetime

import numpy as np
import pandas as pd
import pytest

from flashwear import capacity
from flashwear._domain import number

REFUSED = [("3", "got '3'"), (None, "got None"), (True, "got True"), (3 + 0j, r"got \(3\+0j\)"),
           (datetime.datetime(2014, 9, 29), "got datetime"),
           (np.timedelta64(3, "s"), r"got np.timedelta64\(3,'s'\)"), (pd.NaT, "got NaT"),
           ({1.0}, r"got \{1.0\}"), (10**400, "got an integer beyond the range of float64"),
           ([1, -(10**5000)], "got an integer beyond the range of float64"),
           ([1, "3"], "got '3' at index 1"), ([[1, 2], [3, None]], r"got None at index \(1, 1\)"),
           ([1.5, np.ma.masked], "got masked at index 1"),
           ([[1, 2], [3]], r"got \[1, 2\] at index 0"),
           ([np.ones((2, 2)), np.ones((2, 3))], r"got \[array"),
           (np.ma.array([1.0, 2.0]), "got a masked array"),
           (np.array([1, 2], dtype=object), "got an array of dtype object"),
           (np.array(["1"]), "got an array of dtype <U1"),
           (np.array([True]), "got an array of dtype bool"),
           (pd.to_datetime(["2014-09-29"]), "got an array of dtype datetime64")]  # fmt: skip


@pytest.mark.parametrize(("value", "message"), REFUSED)
def test_what_is_not_a_real_number_is_refused_by_name_and_value(value, message):
    with pytest.raises(ValueError, match=f"^size must be a finite number > 0, {message}"):
        number("size", value, above=0)


@pytest.mark.parametrize(("value", "message"), [
    (-2, "got -2"),
    ([1, 2, -3, -4], "got -3 at index 2"),
    (np.array([[1, 2], [0.5, 9]]), r"got 9 at index \(1, 1\)"),
    (pd.Series([1.0, np.nan], index=["a", "b"]), "got nan at index 1"),
    (np.inf, "got inf"),
    (8 + 1e-12, "got 8.000000000001"),
])  # fmt: skip
def test_the_first_value_outside_the_range_is_shown_with_its_place(value, message):
    with pytest.raises(ValueError, match=f"^size must be a finite number > 0 and <= 8, {message}$"):
        number("size", value, above=0, high=8)


@pytest.mark.parametrize(
    "value",
    [3, 2.5, 10**20, np.float32(0.1), np.array(3), [], [1, 2.5], [np.arange(2), [3, 4]], range(3),
     np.arange(6).reshape(2, 3), pd.Series([1, 2], dtype="Int64"),
     pd.DataFrame({"a": [1.0], "b": [2.0]})],
)  # fmt: skip
def test_numbers_in_any_form_give_what_numpy_makes_of_them(value):
    array = number("size", value)
    assert array.dtype == np.float64
    np.testing.assert_array_equal(array, np.asarray(value, dtype=np.float64))


def test_a_float64_array_is_not_copied_and_the_first_drive_beyond_its_flash_is_shown():
    array = np.ones(3)
    assert number("size", array) is array
    flash = np.full((1000, 2), 256e9)
    user = flash.copy()
    user[700, 1] += 1
    message = "got user_bytes 256000000001.0 and physical_bytes 2.56e[+]11$"
    with pytest.raises(ValueError, match=message):
        capacity.over_provisioning(flash, user)
    with pytest.raises(ValueError, match=r"got user_bytes 9 and physical_bytes 8$"):
        capacity.spare_factor([10, 8], 9)
