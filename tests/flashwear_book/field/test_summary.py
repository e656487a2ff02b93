"""The tables of the field: the command, and what holds in the committed rows."""

import re

import numpy as np
import pandas as pd
import pytest
import reports

from flashwear import smart
from flashwear.smart._rules import DOCUMENTS
from flashwear_book.field import summary


def report(erases, hours):
    """Return a report of a drive of 512 GiB with a rating of 2,000 erases."""
    host, used = 200_000_000, int(100 * erases / 2000)
    rows = {9: hours, 173: erases, 202: min(used, 100), 246: host * 32, 247: host,
            248: int(erases * 512 * 2**30 / 16384) - host}  # fmt: skip
    return reports.ata("Crucial_CT500MX200SSD1", "MU03", attributes=rows)


@pytest.fixture
def collection(tmp_path):
    folder = tmp_path / "reports"
    folder.mkdir()
    for number, (erases, hours) in enumerate([(400, 100), (401, 100), (403, 100), (1000, 9000)]):
        (folder / str(number)).write_text(report(erases, hours), encoding="utf-8")
    (folder / "README.md").write_text("not a report", encoding="utf-8")
    return folder


def test_command_writes_its_tables_with_the_columns_of_the_committed_ones(collection, tmp_path):
    assert summary.main([f"made up={collection}", "-o", str(tmp_path), "-j", "1"]) == 0
    models = pd.read_csv(tmp_path / "field_models.csv")
    assert list(models["model"]) == ["all", "Crucial_CT500MX200SSD1"]
    row = models.iloc[0]
    assert (row["line"], row["collection"]) == ("MX200 500GB", "made up")
    assert (row["drives"], row["clusters"]) == (4, 2)
    assert row["cycles_low"] <= 2000 <= row["cycles_high"]
    assert row["raw_gib_p50"] == pytest.approx(512, rel=0.002)
    # the three twins weigh like the fourth drive
    pages = 512 * 2**30 / 16384 / 200e6
    assert row["waf_p10"] == pytest.approx(400 * pages, rel=1e-3)
    assert row["waf_p90"] == pytest.approx(1000 * pages, rel=1e-3)
    assert len(pd.read_csv(tmp_path / "field_bins.csv")) == len(summary.load("field_bins"))
    assert (tmp_path / "field_fits.csv").is_file()
    counted = pd.read_csv(tmp_path / "field_distribution.csv").groupby("quantity").drives.sum()
    assert counted.used == 4
    assert pd.read_csv(tmp_path / "field_ends.csv").drives.tolist() == [3, 1, 3, 1]
    drives = summary.prepare(smart.fleet(collection, 1, False).assign(collection="made up"))
    assert list(summary.models(drives).columns) == list(summary.load("field_models").columns)
    assert list(summary.bins(drives).columns) == list(summary.load("field_bins").columns)
    for name, made in (("ends", summary.ends), ("distribution", summary.distribution)):
        assert list(made(drives).columns) == list(summary.load(f"field_{name}").columns)


@pytest.mark.parametrize("word", ["nowhere", "=x", "x=", "x=/no/such/folder"])
def test_command_names_what_it_cannot_read(word, tmp_path, capsys):
    assert summary.main([word, "-o", str(tmp_path)]) == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith("summary: ")


def test_lines_do_not_overlap_and_rates_are_of_a_day_under_power_and_of_none_shorter():
    with pytest.raises(ValueError, match="name must be one of field_lines"):
        summary.load("field")
    patterns = summary.load("field_lines")["models"]
    for model in summary.load("field_models")["model"]:
        assert sum(bool(re.fullmatch(pattern, model)) for pattern in patterns) <= 1
    table = pd.DataFrame({"a": [1234567.0, 0.00012344, np.nan, 4.0], "b": [1, 2, 3, 4]})
    assert summary.as_csv(table) == "a,b\n1235000,1\n0.000123,2\n,3\n4,4\n"
    made = prepared(*({"power_on_hours": hours} for hours in (24.0, 23.0, 240.0)))
    day, less, ten = made.itertuples()
    assert (day.host_per_day, day.fills, day.dwpd) == (5 * TB, 10, 10)
    assert (ten.host_per_day, ten.nand_per_day, ten.fills, ten.dwpd) == (TB / 2, 1.5 * TB, 10, 1)
    assert (ten.write_bytes, ten.line) == (5000, "MX200 500GB")
    assert np.isnan([less.host_per_day, less.nand_per_day, less.dwpd]).all()


TB = 10**12
SOUND = {"model": "Crucial_CT500MX200SSD1", "error": None, "doubts": "", "collection": "made up",
         "power_on_hours": 240.0, "capacity_bytes": 5e11, "host_bytes_written": 5 * TB,
         "nand_bytes_written": 15 * TB, "write_commands": 1e9, "waf": np.nan, "waf_pages": np.nan,
         "average_erases": np.nan, "percent_used": np.nan, "passed": True, "rated_bytes": 80 * TB,
         "rated_rule": DOCUMENTS, "reallocated_blocks": 0.0}  # fmt: skip


def prepared(*changes):
    """Return drives of one line, each a sound one but for some figures, 100 hours apart."""
    rows = [SOUND | {"power_on_hours": 240 + 100 * i} | one for i, one in enumerate(changes)]
    return summary.prepare(pd.DataFrame(rows))


@pytest.mark.parametrize(("change", "kind", "ratio"), [
    ({"waf": 3.0, "waf_pages": 2.0}, "bytes", 3),
    ({"waf": 3.0, "doubts": "nand_unit_unverified"}, "unverified", 3),
    ({"doubts": "nand_unit_unverified"}, "", None),
    ({"waf_pages": 2.0, "average_erases": 20.0}, "pages", 2),
    ({"average_erases": 20.0}, "erases", 2),  # 20 x 0.5 TB over 5
    ({"average_erases": 19.0}, "", None),
    ({"average_erases": 20.0, "doubts": "erase_counter_inconsistent"}, "", None),
    ({"waf": 3.0, "host_bytes_written": TB}, "bytes", 3),
    ({"waf": 3.0, "host_bytes_written": TB - 1}, "", None),
    ({"waf": 3.0, "doubts": "host_unit_doubtful"}, "", None),
])  # fmt: skip
def test_the_best_ratio_that_can_be_trusted_is_taken(change, kind, ratio):
    (drive,) = prepared(change).itertuples()
    assert drive.ratio_kind == kind
    assert drive.ratio == ratio or (ratio is None and np.isnan(drive.ratio))


def whole_line(*changes):
    return summary.models(prepared(*changes)).set_index("model").loc["all"]


def test_past_its_life_or_its_rating_is_counted_with_the_drives_own_verdict():
    bad = {"passed": False}
    row = whole_line({"percent_used": 100.0, "host_bytes_written": 90 * TB},
                     {"percent_used": 99.0, **bad, "reallocated_blocks": 11.0},
                     {"percent_used": 98.0, **bad, "host_bytes_written": 90 * TB,
                      "reallocated_blocks": 10.0}, {"percent_used": 120.0, **bad})  # fmt: skip
    assert (row.past_100, row.past_100_passed, row.past_100_below_rating) == (2, 1, 1)
    assert (row.failed, row.failed_past_99, row.failed_reallocated) == (3, 2, 1)
    assert (row.rated_tb, row.over_rating, row.over_rating_passed) == (80, 2, 1)
    assert (row.used_max, row.host_tb_p10, row.drives) == (120, 5, 4)
    assert np.isnan(whole_line({}, {"rated_bytes": 90 * TB}).rated_tb)
    assert np.isnan(whole_line({"rated_rule": "a list"}).rated_tb)


def test_cycles_and_raw_flash_are_of_drives_that_are_worn_enough_and_of_one_size():
    counted = {"average_erases": 60.0, "percent_used": 3.0, "nand_bytes_written": 60 * 512 * 2**30}
    fewer = counted | {"average_erases": 59.0, "percent_used": 2.0}
    row = whole_line(counted, fewer)
    # 100 x 60 / 4 to 100 x 61 / 3; the other is worn too little
    assert (row.cycles_low, row.cycles_high) == pytest.approx((1500, 6100 / 3))
    assert (row.cycles_of, row.raw_drives) == (1, 1)
    assert row.raw_gib_p50 == pytest.approx((512 + 512 * 60 / 61) / 2)
    alone = whole_line(fewer)  # which bounds the rating where nothing better is there
    assert (alone.cycles_of, alone.raw_drives) == (1, 0)
    assert whole_line(fewer | {"percent_used": 0.0}).cycles_of == 0
    assert whole_line(counted | {"doubts": "202_saturated"}, counted).cycles_of == 1
    row = whole_line(counted, counted | {"capacity_bytes": 6.1e11})
    assert (row.cycles_of, row.raw_drives) == (0, 0)
    assert np.isnan(row.capacity_gb)
    assert whole_line(counted, counted | {"capacity_bytes": 6e11}).cycles_of == 2


def test_a_model_outside_the_reviews_has_a_row_from_ten_drives_on():
    def rows(count):
        others = [{"model": "Unheard-of"}] * count
        return list(summary.models(prepared({}, *others)).model)

    assert rows(9) == ["all", SOUND["model"]]
    assert rows(10) == ["all", SOUND["model"], "Unheard-of"]
