"""The tables of the field: the command, and what holds in the committed rows."""

import re

import numpy as np
import pandas as pd
import pytest

from flashwear import smart
from flashwear.smart import summary


def report(erases, hours=1000, model="Crucial_CT500MX200SSD1", host_pages=200_000_000):
    """Return a report in the layout of smartctl, of a drive that this file makes up."""
    used = int(100 * erases / 2000)
    own = int(erases * 512 * 2**30 / 16384) - host_pages
    rows = {9: hours, 173: erases, 202: min(used, 100), 246: host_pages * 32, 247: host_pages,
            248: own}  # fmt: skip
    table = "\n".join(
        f"{number:3d} Unknown_Attribute       -O--CK   100   100   001    -    {raw}"
        for number, raw in rows.items()
    )
    return f"""smartctl 7.3 2022-02-28 r5338 [x86_64-linux] (local build)

=== START OF INFORMATION SECTION ===
Device Model:     {model}
Firmware Version: MU03
User Capacity:    500,107,862,016 bytes [500 GB]
Rotation Rate:    Solid State Device
Local Time is:    Mon Jan  2 12:00:00 2023 UTC

=== START OF READ SMART DATA SECTION ===
SMART overall-health self-assessment test result: PASSED

ID# ATTRIBUTE_NAME          FLAGS    VALUE WORST THRESH FAIL RAW_VALUE
{table}
"""


@pytest.fixture
def collection(tmp_path):
    folder = tmp_path / "reports"
    folder.mkdir()
    for number, (erases, hours) in enumerate([(400, 100), (401, 100), (403, 100), (1000, 9000)]):
        (folder / str(number)).write_text(report(erases, hours), encoding="utf-8")
    (folder / "README.md").write_text("not a report", encoding="utf-8")
    return folder


def test_command_writes_the_three_tables(collection, tmp_path):
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


@pytest.mark.parametrize("word", ["nowhere", "=x", "x=", "x=/no/such/folder"])
def test_command_names_what_it_cannot_read(word, tmp_path, capsys):
    assert summary.main([word, "-o", str(tmp_path)]) == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith("summary: ")


def test_committed_tables_have_the_columns_of_the_code(collection):
    drives = summary.prepare(smart.fleet(collection, 1, False).assign(collection="made up"))
    assert list(summary.models(drives).columns) == list(summary.load("field_models").columns)
    assert list(summary.bins(drives).columns) == list(summary.load("field_bins").columns)


def test_unknown_table_is_named():
    with pytest.raises(ValueError, match="name must be one of field_lines"):
        summary.load("field")


def test_lines_do_not_overlap():
    patterns = summary.load("field_lines")["models"]
    for model in summary.load("field_models")["model"]:
        assert sum(bool(re.fullmatch(pattern, model)) for pattern in patterns) <= 1


def test_no_row_can_be_more_precise_than_its_drives():
    rows = summary.load("field_models")
    assert (rows["clusters"] <= rows["drives"]).all()
    assert (rows["cycles_agree"] <= rows["cycles_of"]).all()
    assert (rows["past_100_passed"] <= rows["past_100"]).all()
    known = rows.dropna(subset=["waf_low"])
    assert known["waf_p50"].between(known["waf_low"], known["waf_high"]).all()
    assert known["waf_p50"].between(known["waf_p10"], known["waf_p90"]).all()


def test_numbers_are_written_plainly():
    table = pd.DataFrame({"a": [1234567.0, 0.00012344, np.nan, 4.0], "b": [1, 2, 3, 4]})
    assert summary.as_csv(table) == "a,b\n1235000,1\n0.000123,2\n,3\n4,4\n"
