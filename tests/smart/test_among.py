"""Where a drive lies in the field: its place among all drives, by the committed bins."""

import math

import numpy as np
import pandas as pd
import pytest
import reports
from test_summary import TB, prepared

from flashwear import smart
from flashwear_book.field import summary


def drive(used=25, hours=30_000, host=200 * 10**9):
    return smart.parse(reports.ata(
        "SAMSUNG MZ7LM960HMJP-00005", "GXT5404Q", 960_197_124_096,
        {9: hours, 177: (100 - used, 70 * used), 241: host, 251: 560 * 10**9},
    ))  # fmt: skip


def test_the_share_below_is_counted_in_bins_and_more_worn_is_above_more_drives():
    table = summary.load("field_distribution")
    found = {one.quantity: one for one in smart.in_field(drive())}
    assert found.keys() == set(table["quantity"])
    assert found["waf"].value == pytest.approx(2.8)
    for name, one in found.items():
        rows = table[table["quantity"] == name]
        assert one.drives == rows["drives"].sum()
        high = rows["high"].fillna(math.inf)
        below = rows["clusters"][high <= one.value].sum()
        with_own = rows["clusters"][rows["low"] <= one.value].sum()
        assert below <= one.below * rows["clusters"].sum() <= with_own
    for _, rows in summary.load("field_distribution").groupby("quantity"):
        assert rows["low"].iloc[0] == 0
        assert rows["low"].tolist()[1:] == rows["high"].tolist()[:-1]
        assert pd.isna(rows["high"].iloc[-1])

    def share(used):
        return next(one.below for one in smart.in_field(drive(used)) if one.quantity == "used")

    shares = [share(used) for used in (0, 1, 2, 5, 30, 99)]
    assert shares[0] == 0
    assert (np.diff(shares) > 0).all()
    assert shares[-1] < 1
    in_doubt = smart.in_field(drive(hours=50))
    assert [one.quantity for one in in_doubt] == ["waf", "used"]


def test_every_drive_is_counted_once_but_for_what_is_in_doubt():
    drives = prepared(
        {"percent_used": 3.0, "waf": 3.0},
        {"percent_used": 3.0, "waf": 3.0, "doubts": "life_used_disagree"},
        {"percent_used": 300.0, "power_on_hours": 90.0},
        {"host_bytes_written": TB, "doubts": "host_unit_doubtful", "waf": 3.0},
    )
    table = summary.distribution(drives)
    counted = table[table["drives"] > 0].set_index("quantity")
    assert counted["drives"].groupby(level=0).sum().to_dict() == {"waf": 2, "dwpd": 2, "used": 2}
    assert (counted["clusters"] <= counted["drives"]).all()
    assert counted.loc["waf", ["low", "high"]].tolist() == [2.828, 3.364]
    assert counted.loc["used", "low"].tolist() == [2, 256]
