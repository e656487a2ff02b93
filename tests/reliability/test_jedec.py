"""The classes and workloads of the standard, against draws and a page-mapped drive."""

from dataclasses import replace

import numpy as np
import pytest

from flashwear import units, wa
from flashwear.reliability import retention
from flashwear.reliability.jedec import (
    CLIENT,
    ENTERPRISE,
    ENTERPRISE_SIZES,
    ageing,
    enterprise_waf,
    map_factor,
)
from flashwear_book import tables
from refusals import refusals


def test_classes_and_shares_are_those_of_the_documents_and_units_of_a_sector_cost_nothing():
    said = tables.discussion()
    months = said[said.quantity == "data retention at end of rating"]
    stated = months.groupby("drive").value.agg(set).to_dict()
    year = units.YEAR
    assert stated["client"] == {round(12 * CLIENT.off.retention_s / year)}
    assert stated["enterprise"] == {round(12 * ENTERPRISE.off.retention_s / year)}
    assert sum(ENTERPRISE_SIZES.values()) == pytest.approx(1, abs=1e-12)
    assert all(size % 512 == 0 for size in ENTERPRISE_SIZES)
    # the smallest unit is 4 KiB: what is left is the tenth of transfers below it
    small = sum(share * (4096 - size) for size, share in ENTERPRISE_SIZES.items() if size < 4096)
    mean = sum(share * size for size, share in ENTERPRISE_SIZES.items())
    assert map_factor() == pytest.approx(1 + small / mean, rel=1e-12)


@pytest.mark.parametrize("unit", [4096, 8192, 16384, 65536])
def test_the_map_factor_is_that_of_drawn_transfers(unit):
    rng = np.random.default_rng(unit)
    sizes = rng.choice(list(ENTERPRISE_SIZES), p=list(ENTERPRISE_SIZES.values()), size=200_000)
    starts = 4096 * rng.integers(0, 2**20, sizes.size)
    touched = (starts + sizes - 1) // unit - starts // unit + 1
    ratio = touched.sum() * unit / sizes.sum()
    # one standard error of the mean size is 0.5 %
    assert map_factor(unit) == pytest.approx(ratio, rel=0.01)


def test_the_enterprise_load_amplifies_more_and_rest_ages_data_by_the_share_of_the_day():
    op = np.array([[0.07, 0.28], [0.4, 0.8]])
    found = enterprise_waf(op)
    assert found.shape == op.shape
    assert (found > wa.fifo(op)).all()
    assert found[0, 1] == pytest.approx(float(enterprise_waf(0.28)))
    # the addresses alone, from the table of the theory of skewed writes
    assert enterprise_waf(0.28) / map_factor() == pytest.approx(3.0256, abs=1e-4)
    month = 30 * units.DAY
    # a server is always at 55 C: exactly the acceleration from 40 C
    always = retention.acceleration(1.1, 40, 55)
    assert ageing(ENTERPRISE, month) == pytest.approx(month * always)
    # a notebook is at 40 C for a third of the day, else at 30 C
    third = (2 + retention.acceleration(1.1, 30, 40)) / 3
    assert ageing(CLIENT, month) == pytest.approx(month * third)
    assert ageing(CLIENT, month, 0) == pytest.approx(month)
    assert ageing(replace(CLIENT, off=retention.Requirement(1.0, -273.1)), 0) == 0


test_values_outside_the_domain_are_named = refusals([
    (lambda: map_factor(512), "map_bytes must be .* >= 4096, got 512"),
    (lambda: map_factor(6000), "map_bytes must be a multiple of 4096, got 6000"),
])  # fmt: skip


test_a_class_out_of_range_is_named = refusals([
    ({"off": (1.0, 30.0)}, r"off must be a Requirement, got \(1.0, 30.0\)"),
    ({"off": retention.Requirement(-1.0, 30.0)}, "off.retention_s must be .* got -1"),
    ({"off": retention.Requirement(1.0, -300.0)}, "off.temperature_c must be .* got -300"),
    ({"active_c": -300}, "active_c must be .* got -300"),
    ({"active_share": 1.5}, "active_share must be .* <= 1, got 1.5"),
    ({"uber": 0}, "uber must be .* > 0 .* got 0"),
    ({"failures": 1}, "failures must be > 0 and < 1, got 1"),
], by=lambda change: replace(CLIENT, **change))  # fmt: skip
