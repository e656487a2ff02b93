"""The page of a fleet: worst first, figures of the table, and hostile names as text."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from flashwear import smart
from flashwear.cli import main

REPORT = """=== START OF INFORMATION SECTION ===
Model Number: {model}
=== START OF SMART DATA SECTION ===
SMART overall-health self-assessment test result: {passed}
SMART/Health Information (NVMe Log 0x02)
Critical Warning: {warning}
Percentage Used: {used}%
Data Units Written: 2000000 [1.02 TB]
Power On Hours: {hours}
"""
GOOD = {"model": "Samsung SSD 850 EVO 250GB", "passed": "PASSED", "warning": "0x00"}


def told(path):
    text = path.read_text("utf-8")
    found = re.search(r'<script type="application/json" id="told">(.*?)</script>', text, re.S)
    return json.loads(found[1])


@pytest.fixture
def folder(tmp_path):
    reports = tmp_path / "reports"
    reports.mkdir()
    drives = {
        "young.txt": GOOD | {"used": 0, "hours": 10},
        "half.txt": GOOD | {"used": 50, "hours": 17520},
        "worn.txt": GOOD | {"used": 95, "hours": 30000},
        "ill.txt": GOOD | {"used": 3, "hours": 9000, "passed": "FAILED!", "warning": "0x04"},
    }
    for name, drive in drives.items():
        (reports / name).write_text(REPORT.format(**drive))
    return reports


def test_the_worst_is_first_and_figures_are_those_of_the_table(folder, tmp_path):
    page = tmp_path / "fleet.html"
    assert main(["fleet", str(folder), "--html", str(page), "-q", "-j", "1"]) == 0
    rows = told(page)["rows"]
    assert [row[0] for row in rows] == ["ill.txt", "worn.txt", "half.txt", "young.txt"]
    table = smart.fleet(folder, jobs=1, progress=False).set_index("path")
    for path, verdict, model, used, years, *_ in rows:
        one = table.loc[path]
        assert (verdict, model, used) == (one.verdict, one.model, one.percent_used)
        assert years == pytest.approx(one.power_on_hours / 8760, abs=0.006)


def test_years_to_the_warning_are_early_to_late_as_the_counter_is_rounded(folder, tmp_path):
    page = tmp_path / "fleet.html"
    main(["fleet", str(folder), "--html", str(page), "--warn", "80", "-q", "-j", "1"])
    left = {row[0]: row[7:9] for row in told(page)["rows"]}
    # 50 % in two years: from 51 % the rest takes 29/25.5 years, from 49 % 31/24.5
    assert left["half.txt"] == [
        pytest.approx(29 / 25.5, abs=0.05),
        pytest.approx(31 / 24.5, abs=0.05),
    ]
    assert left["worn.txt"] == [0, 0]
    assert left["young.txt"][1] is None  # may not have begun


def test_hostile_names_stay_text(tmp_path):
    reports = tmp_path / "reports"
    reports.mkdir()
    name = "</script><script>alert(1)</script>{{told}}"
    (reports / "a <b>.txt").write_text(
        REPORT.format(**GOOD | {"model": name, "used": 1, "hours": 9})
    )
    page = tmp_path / "fleet.html"
    main(["fleet", str(reports), "--html", str(page), "-q", "-j", "1"])
    assert told(page)["rows"][0][2] == name
    assert "<script>alert" not in page.read_text("utf-8")


def test_the_table_and_the_page_are_written_together(folder, tmp_path):
    page, table = tmp_path / "fleet.html", tmp_path / "drives.csv"
    main(["fleet", str(folder), "--html", str(page), "-o", str(table), "-q", "-j", "1"])
    assert len(pd.read_csv(table)) == len(told(page)["rows"]) == 4


def test_models_stand_beside_their_line_in_the_field(folder, tmp_path):
    page = tmp_path / "fleet.html"
    main(["fleet", str(folder), "--html", str(page), "-q", "-j", "1"])
    ((line, here, field, used, *_),) = told(page)["models"]
    assert (line, here) == ("850 EVO", 4)
    assert field > 100
    assert used == np.median([0, 50, 95, 3])


@pytest.mark.parametrize(("words", "message"), [
    ([], "output or html must be given"),
    (["--html", "{page}", "--warn", "0"], "warn must be above 0 and at most 1000, got 0"),
    (["--html", "{page}"], "holds no file to read"),
    (["--html", "{page}", "-o", "drives.txt"], "output must end in .parquet or .csv"),
])  # fmt: skip
def test_bad_input_is_one_line_and_leaves_nothing(tmp_path, capsys, words, message):
    empty = tmp_path / "empty"
    empty.mkdir()
    page = tmp_path / "fleet.html"
    found = main(["fleet", str(empty), "-q", *(word.format(page=page) for word in words)])
    assert found == 3
    assert message in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["empty"]
