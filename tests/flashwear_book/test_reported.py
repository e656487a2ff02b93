"""Loads as their owners reported them."""

import pytest

from flashwear_book import reported, tables


def test_every_load_of_the_table_has_a_rate():
    found = reported.loads()
    assert list(found) == tables.loads().load.tolist()
    assert all(1e8 < load.bytes_per_day < 1e14 for load in found.values())


@pytest.mark.parametrize(("unit", "per_day"), [
    ("kB/s", 86_400e3), ("KiB/s", 86_400 * 1024), ("MiB/h", 24 * 2**20), ("GB/day", 1e9),
    ("GB/3 minute", 480e9), ("TB/month", 12e12 / 365), ("TB/year", 1e12 / 365), ("TB/5 h", 4.8e12),
    ("GB/0.05 h", None), ("TB/4.5 month", 12e12 / 365 / 4.5), ("TB/0 h", None), ("TB", None),
    ("B/s", None),
])  # fmt: skip
def test_a_rate_is_bytes_over_a_time(unit, per_day):
    if per_day is None:
        with pytest.raises(ValueError, match="unit of a load must be bytes over a time"):
            reported._per_day(unit)
    else:
        assert reported._per_day(unit) == pytest.approx(per_day, rel=1e-12)
