"""The verdicts on the short tests follow from the kept tables."""

import pandas as pd
import pytest

from checked import found
from flashwear.study.claims import kept


@pytest.fixture
def changed(monkeypatch):
    """Replace figures of a kept table, and give the verdict on a claim."""

    def change(id_, study, rows, factor):
        table = kept.table(study).copy()
        table.loc[rows(table), "mb_per_s"] *= factor
        real = kept.table
        monkeypatch.setattr(kept, "table", lambda name: table if name == study else real(name))
        return found(id_).verdict

    return change


def old(table: pd.DataFrame) -> pd.Series:
    return table["drive"].str.startswith("mx100")


def test_random_speed_is_unchanged_only_if_all_sizes_agree(changed):
    assert found("M6-157").verdict == "not reproducible"

    def level(table):
        table["mb_per_s"] = 100.0
        return old(table)

    assert changed("M6-157", "client_tests", level, 1.05) == "explained"


def test_a_boost_of_all_transfers_is_one_of_each(changed):
    assert found("M6-162").verdict == "not reproducible"
    assert changed("M6-162", "transfers", old, 0.5) == "explained"


def test_full_speed_at_depth_one_needs_the_rate_of_the_best_depth(changed):
    assert found("MX-149").verdict == "explained"
    lone = changed("MX-149", "desktop_depths", lambda table: table["depth"] == 1, 0.8)
    assert lone == "contradicted"


def test_large_transfers_of_the_mx300_are_slower_only_if_they_are(changed):
    assert found("MX-162").verdict == "not reproducible"
    slow = changed("MX-162", "transfers", lambda table: table["drive"] == "mx300-750gb", 0.5)
    assert slow == "explained"
