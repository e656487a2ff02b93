"""A public collection of reports: 88 samples, each with its figures, and the committed tables.

It is in the folder FLASHWEAR_FIELD, or else in shared/field beside the checkout.
"""

import json
import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from flashwear import smart
from flashwear_book.field import summary

ROOT = Path(__file__).parents[2]
BESIDE = ROOT.parent / "shared" / "field"
FIELD = Path(os.environ.get("FLASHWEAR_FIELD") or BESIDE)
FIGURES = {"model": "model", "firmware": "firmware", "capacity_bytes": "capacity_bytes",
           "power_on_hours": "power_on_hours", "host_bytes_written": "host_bytes_written",
           "nand_bytes_written": "nand_bytes_written", "avg_erase_count": "average_erases",
           "percent_used": "percent_used"}  # fmt: skip
RULES = {"host_formula": "host_bytes_written", "nand_formula": "nand_bytes_written",
         "erase_formula": "average_erases", "percent_used_formula": "percent_used"}  # fmt: skip
# where we distrust more than the list of samples does
DOUBTS = {
    # 2 MB in 3,528 hours, with 31 TB of flash writes: more likely GiB than sectors
    "SSD__Samsung__MZ7__MZ7LN1T0HAJQ-00000__049B7EFCCC9F.txt": {"host_unit_doubtful"},
    # statistics at 0 after 1,440 erases, where its sisters are at 100 % after 1,000
    "SSD__Kingston__SA400__SA400S37480G__593799044A09.txt": {"life_used_contradicted"},
}
# what rules found later tell of the samples: wear where there was none, and no erases in a percent
FOUND_LATER = {
    "SSD__SanDisk__SDLF1__SDLF1CRR-019T-1HA1__F660B0E62660.txt": {"percent_used"},
    "SSD__Toshiba__KHK61__KHK61RSE1T92__8D0E83ABE4B1.txt": {"avg_erase_count"},
    "SSD__Kingston__SA400__SA400S37480G__593799044A09.txt": {"percent_used"},
}

pytestmark = [pytest.mark.proof,
              pytest.mark.skipif(
                  not FIELD.is_dir(),
                  reason=f"no collection in {FIELD}: FLASHWEAR_FIELD=path")]  # fmt: skip
SAMPLED = ["M500DC 800GB", "MX200 500GB", "MX300 750GB", "S3610", "840 EVO", "MX300 275GB"]
FOLDERS = re.compile(r"M500DC|MX200|MX300|SSDSC2BX|840 EVO")


def expected():
    return json.loads((FIELD / "samples.json").read_text(encoding="utf-8"))["reports"]


@pytest.mark.parametrize("name", expected() if FIELD.is_dir() else [])
def test_sample(name):
    sample = expected()[name]
    report = smart.read(FIELD / "samples" / name)
    later = FOUND_LATER.get(name, set())
    figures = FIGURES.keys() - later
    assert {key: getattr(report, FIGURES[key]) for key in figures} == {
        key: sample[key] for key in figures
    }
    rules = {key for key in RULES if not {name for name in later if FIGURES[name] == RULES[key]}}
    assert {key: report.rules.get(RULES[key]) for key in rules} == {
        key: sample[key] for key in rules
    }
    for key in ("waf", "waf_pages"):
        # six decimals are printed
        assert getattr(report, key) == (
            sample[key] if sample[key] is None else pytest.approx(sample[key], rel=0, abs=6e-7)
        )
    assert set(report.flags) - DOUBTS.get(name, set()) == set(sample["flags"])
    assert set(report.flags) >= DOUBTS.get(name, set())
    assert report.family


def test_all_samples_are_read_and_all_drives_in_bins_are_of_the_collection():
    assert len(expected()) == 88
    reports = smart.fleet(FIELD / "reports.tar.xz", 2).assign(collection="linuxhw/EnterpriseDrive")
    made = summary.as_csv(summary.distribution(summary.prepare(reports)))
    assert made == (ROOT / "data" / "field_distribution.csv").read_text()


def test_committed_rows_come_out_of_the_collection(tmp_path):
    with tarfile.open(FIELD / "reports.tar.xz", "r|xz") as archive:
        for member in archive:
            if member.isreg() and FOLDERS.search(member.name):
                content = archive.extractfile(member).read()
                (tmp_path / member.name.replace("/", "_")).write_bytes(content)
    reports = smart.fleet(tmp_path, 1, False).assign(collection="linuxhw/EnterpriseDrive")
    drives = summary.prepare(reports)
    made = summary.as_csv(summary.models(drives[drives["line"].isin(SAMPLED)])).splitlines()
    kept = (ROOT / "data" / "field_models.csv").read_text().splitlines()
    assert len(made) > len(SAMPLED)
    assert set(made) <= set(kept)


def test_page_and_command_say_the_same_of_a_thousand_reports():
    if not (ROOT / "build" / "_build" / "html" / "my-drive.html").is_file():
        pytest.skip("the book is not built: make book")
    command = [sys.executable, "benchmarks/my_drive.py", FIELD / "reports.tar.xz"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
