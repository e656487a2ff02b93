"""Reports that were made, or happen, to be taken wrongly."""

import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
import reports
from reports import header, packed

from flashwear import cli, smart

NVME = {
    "device": {"protocol": "NVMe"},
    "model_name": "Drive",
    "nvme_smart_health_information_log": {"nsid": -1, "critical_warning": 0, "temperature": -3,
                                          "available_spare": 100, "percentage_used": 2,
                                          "data_units_written": 1_000_000, "power_on_hours": 1000,
                                          "temperature_sensors": [30, -5], "warning_temp_time": 7},
}  # fmt: skip


def test_fields_of_an_nvme_log_that_count_nothing_may_be_negative_and_counters_not():
    report = smart.parse(json.dumps(NVME))
    assert "number_unreadable" not in report.flags
    assert report.percent_used == 2
    assert "nsid" not in report.health
    assert report.health["warning_temp_time"] == 7
    for name in ("percentage_used", "data_units_written", "power_on_hours"):
        broken = json.loads(json.dumps(NVME))
        broken["nvme_smart_health_information_log"][name] = -1
        report = smart.parse(json.dumps(broken))
        assert "number_unreadable" in report.flags
        assert name not in report.health


@pytest.mark.parametrize(("status", "passed"), [
    ("OK", True),
    ("FAILURE PREDICTION THRESHOLD EXCEEDED [asc=5d, ascq=0]", False),
    ("HARDWARE IMPENDING FAILURE GENERAL HARD DRIVE FAILURE [asc=5d, ascq=10]", False),
    ("WARNING - SPECIFIED TEMPERATURE EXCEEDED [asc=b, ascq=1]", False),
    ("", None),
])  # fmt: skip
def test_a_scsi_drive_that_says_anything_but_ok_has_not_passed(status, passed):
    report = smart.parse(f"Product:              S3700\nSMART Health Status: {status}\n")
    assert report.passed is passed


@pytest.mark.parametrize(("number", "read"), [
    ("1" + ",000" * 120, None), (f"{2**127:,}", None), (f"{2**127 - 1:,}", 2**127 - 1),
])  # fmt: skip
def test_a_number_beyond_any_counter_is_left_out(number, read):
    text = reports.ata("Samsung SSD 860 EVO 1TB", "RVT01B6Q", 10**12, {9: 10, 177: (50, 5)})
    report = smart.parse(text.replace("1,000,000,000,000 bytes [1000 GB]", f"{number} bytes"))
    assert report.capacity_bytes == read
    assert ("number_unreadable" in report.flags) == (read is None)


def test_one_bad_file_does_not_cost_the_table(tmp_path, monkeypatch):
    (tmp_path / "good").write_text(reports.ata(attributes={9: 10}))
    (tmp_path / "odd").write_text("what breaks a rule\n")
    states = smart._fleet.states

    def breaking(text, name):
        if "breaks" in text:
            raise ZeroDivisionError("of what nobody thought")
        return states(text, name)

    monkeypatch.setattr(smart._fleet, "states", breaking)
    table = smart.fleet(tmp_path, jobs=1, progress=False)
    _, told = table["error"]
    assert told == "not understood: ZeroDivisionError: of what nobody thought"
    assert table["model"].notna().tolist() == [True, False]


@pytest.fixture
def deep(tmp_path):
    """Return a folder with a report 1,200 folders down, and remove them one by one."""
    here = os.getcwd()
    os.chdir(tmp_path)
    for _ in range(1200):  # each step short: the whole path may be too long at once
        os.mkdir("d")
        os.chdir("d")
    Path("report").write_text(reports.ata(attributes={9: 10}))
    os.chdir(here)
    yield tmp_path
    subprocess.run(["rm", "-r", str(tmp_path / "d")], check=True)


def test_folders_of_any_depth_are_walked(deep):
    table = smart.fleet(deep, jobs=1, progress=False)
    assert len(table) == 1
    assert table["error"].isna().all()


@pytest.fixture
def archive(tmp_path):
    """Return a function that writes an archive of one report and of more bytes."""
    path = packed(tmp_path / "a.tar", [("one", reports.ata(attributes={9: 10}).encode())])
    content = path.read_bytes()
    end = content.index(b"\0" * 1024)

    def archive(more):
        path.write_bytes(content[: end + -end % 512] + more)
        return smart.fleet(path, jobs=1, progress=False)

    return archive


def test_an_archive_whose_header_claims_more_than_there_is_ends(archive):
    table = archive(header(10**26, tarfile.REGTYPE, "huge"))
    assert table["path"].tolist() == ["one", "huge", "a.tar"]
    assert table["error"].isna().tolist() == [True, False, False]
    assert table["error"].iloc[-1].endswith("it ends too early")


@pytest.mark.parametrize("kind", [tarfile.GNUTYPE_LONGNAME, tarfile.XHDTYPE])
def test_chained_headers_end_an_archive_and_keep_what_was_read(archive, kind):
    table = archive(header(0, kind, "././@LongLink") * 2000)
    assert table["path"].tolist()[0] == "one"
    assert table["error"].isna().tolist() == [True, *[False] * (len(table) - 1)]


def test_the_output_is_no_row_of_its_own_table_and_a_cell_of_a_csv_is_no_formula(tmp_path):
    (tmp_path / "=1+1").write_text(reports.ata("=cmd", "@x", attributes={9: 10}))
    output = tmp_path / "drives.csv"
    for _ in range(2):
        assert (
            cli.main(["fleet", str(tmp_path), "-q", "-o", str(output)]) == 3
        )  # its wear is not known
        assert output.read_text().count("\n") == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["=1+1", "drives.csv"]
    assert output.read_text().splitlines()[1].startswith("'=1+1,,'=cmd,'@x,")


SAS = f"""{reports.SCSI}
Accumulated power on time, hours:minutes 26112:34

Error counter log:
           Errors Corrected by           Total   Correction     Gigabytes    Total
               ECC          rereads/    errors   algorithm      processed    uncorrected
           fast | delayed   rewrites  corrected  invocations   [10^9 bytes]  errors
read:          0        0         0         0          0      43345.132           0
write:         0        0         0         0          0      57123.456           0
"""


def test_a_sas_drive_has_hours_and_writes_and_a_forecast():
    report = smart.parse(SAS)
    assert (report.power_on_hours, report.host_bytes_written) == (26_112, 57_123_456 * 10**6)
    low, high = smart.forecast(report).wear
    assert 0 < low < high
    as_json = {
        "device": {"protocol": "SCSI"}, "scsi_vendor": "MICRON", "scsi_product": "S655DC",
        "power_on_time": {"hours": 26_112, "minutes": 34},
        "scsi_percentage_used_endurance_indicator": 3,
        "scsi_error_counter_log": {"write": {"gigabytes_processed": "57123.456"}},
    }  # fmt: skip
    report = smart.parse(json.dumps(as_json))
    assert (report.power_on_hours, report.host_bytes_written) == (26_112, 57_123_456 * 10**6)
    assert report.model == "MICRON S655DC"  # for want of a name by vendor and product


@pytest.mark.parametrize("written", ["9" * 4000, "1e9", "-1.0", None, ["1"]])
def test_writes_of_a_sas_drive_that_are_no_number_are_left_out(written):
    log = {"write": {"gigabytes_processed": written}}
    drive = {"device": {"protocol": "SCSI"}, "scsi_model_name": "X", "scsi_error_counter_log": log}
    assert smart.parse(json.dumps(drive)).host_bytes_written is None


def test_a_crash_is_one_line_and_not_the_status_of_a_doubtful_drive(monkeypatch, capsys, tmp_path):
    (tmp_path / "report").write_text(reports.ata(attributes={9: 10}))
    with monkeypatch.context() as patch:  # a closed output
        patch.setattr(sys, "stdout", None)
        assert cli.main(["smart", str(tmp_path / "report")]) == 3
    assert "standard output is closed" in capsys.readouterr().err
    monkeypatch.setattr(smart, "read_states", lambda source: 1 / 0)
    assert cli.main(["smart", "report"]) == 3
    said = capsys.readouterr().err
    assert said.startswith("flashwear: internal error, please report it: ZeroDivisionError: ")
    assert said.count("\n") == 1
