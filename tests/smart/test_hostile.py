"""Reports that were made, or happen, to be taken wrongly."""

import io
import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
import reports

from flashwear import cli, smart

NVME = {
    "device": {"protocol": "NVMe"},
    "model_name": "Drive",
    "nvme_smart_health_information_log": {
        "nsid": -1,
        "critical_warning": 0,
        "temperature": -3,
        "available_spare": 100,
        "percentage_used": 2,
        "data_units_written": 1_000_000,
        "power_on_hours": 1000,
        "temperature_sensors": [30, -5],
        "warning_temp_time": 7,
    },
}


def test_fields_of_an_nvme_log_that_count_nothing_may_be_negative():
    report = smart.parse(json.dumps(NVME))
    assert "number_unreadable" not in report.flags
    assert report.percent_used == 2
    assert "nsid" not in report.health
    assert report.health["warning_temp_time"] == 7


@pytest.mark.parametrize("name", ["percentage_used", "data_units_written", "power_on_hours"])
def test_counters_of_an_nvme_log_may_not(name):
    broken = json.loads(json.dumps(NVME))
    broken["nvme_smart_health_information_log"][name] = -1
    report = smart.parse(json.dumps(broken))
    assert "number_unreadable" in report.flags
    assert name not in report.health


@pytest.mark.parametrize(
    ("status", "passed"),
    [
        ("OK", True),
        ("FAILURE PREDICTION THRESHOLD EXCEEDED [asc=5d, ascq=0]", False),
        ("HARDWARE IMPENDING FAILURE GENERAL HARD DRIVE FAILURE [asc=5d, ascq=10]", False),
        ("WARNING - SPECIFIED TEMPERATURE EXCEEDED [asc=b, ascq=1]", False),
        ("", None),
    ],
)
def test_a_scsi_drive_that_says_anything_but_ok_has_not_passed(status, passed):
    report = smart.parse(f"Product:              S3700\nSMART Health Status: {status}\n")
    assert report.passed is passed


HUGE = "1" + ",000" * 120


@pytest.mark.parametrize("number", [HUGE, "9" * 39, f"{2**127:,}"])
def test_a_number_beyond_any_counter_is_left_out(number):
    text = reports.ata("Samsung SSD 860 EVO 1TB", "RVT01B6Q", 10**12, {9: 10, 177: (50, 5)})
    report = smart.parse(text.replace("1,000,000,000,000 bytes", f"{number} bytes"))
    assert "number_unreadable" in report.flags
    assert report.capacity_bytes is None


def test_a_number_of_all_digits_that_a_counter_may_have_is_read():
    text = reports.ata("Samsung SSD 860 EVO 1TB", "RVT01B6Q", 10**12, {9: 10})
    text = text.replace("1,000,000,000,000 bytes", f"{2**127 - 1:,} bytes")
    assert smart.parse(text).capacity_bytes == 2**127 - 1


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
    assert table["error"].tolist()[1:] == [
        "not understood: ZeroDivisionError: of what nobody thought"
    ]
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


def test_a_link_to_a_folder_has_a_row(tmp_path):
    (tmp_path / "kept").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "kept")
    table = smart.fleet(tmp_path, jobs=1, progress=False)
    assert table[["path", "error"]].to_numpy().tolist() == [["link", "not a plain file"]]


def archive(path, *members):
    with tarfile.open(path, "w") as made:
        for name, text in members:
            info = tarfile.TarInfo(name)
            info.size = len(text)
            made.addfile(info, io.BytesIO(text.encode()))
    return path


def test_an_archive_whose_header_claims_more_than_there_is_ends(tmp_path):
    path = archive(tmp_path / "a.tar", ("one", reports.ata(attributes={9: 10})))
    content = bytearray(path.read_bytes())
    info = tarfile.TarInfo("huge")
    info.size = 10**26
    header = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    end = content.index(b"\0" * 1024)
    end += -end % 512
    path.write_bytes(bytes(content[:end]) + bytes(header))
    table = smart.fleet(path, jobs=1, progress=False)
    assert table["path"].tolist() == ["one", "huge", "a.tar"]
    assert table["error"].isna().tolist() == [True, False, False]
    assert table["error"].iloc[-1].endswith("it ends too early")


@pytest.mark.parametrize("kind", [tarfile.GNUTYPE_LONGNAME, tarfile.XHDTYPE])
def test_chained_headers_end_an_archive_and_keep_what_was_read(tmp_path, kind):
    path = archive(tmp_path / "a.tar", ("one", reports.ata(attributes={9: 10})))
    content = path.read_bytes()
    end = content.index(b"\0" * 1024)
    end += -end % 512
    info = tarfile.TarInfo("././@LongLink")
    info.type, info.size = kind, 0
    path.write_bytes(content[:end] + info.tobuf(tarfile.GNU_FORMAT) * 2000)
    table = smart.fleet(path, jobs=1, progress=False)
    assert table["path"].tolist()[0] == "one"
    assert table["error"].isna().tolist() == [True, *[False] * (len(table) - 1)]


def test_an_archive_that_is_cut_keeps_what_was_read(tmp_path):
    report = reports.ata(attributes={9: 10})
    path = archive(tmp_path / "a.tar", *((f"{n}", report) for n in range(5)))
    path.write_bytes(path.read_bytes()[: 3 * 2560])
    table = smart.fleet(path, jobs=1, progress=False)
    assert table["error"].isna().sum() >= 1
    assert table["path"].iloc[-1] == "a.tar"
    assert "the rest of the archive is not readable" in table["error"].iloc[-1]


def test_a_file_that_is_no_archive_at_all_is_still_refused(tmp_path):
    (tmp_path / "a.tar").write_text("nothing")
    with pytest.raises(smart.Unreadable, match="is no folder and no readable tar archive"):
        smart.fleet(tmp_path / "a.tar", jobs=1, progress=False)


def test_of_several_json_reports_the_first_is_read():
    report = smart.parse(json.dumps(NVME) + "\n" + json.dumps(NVME | {"model_name": "Other"}))
    assert report.model == "Drive"
    assert "several_reports" in report.flags


@pytest.mark.parametrize("tail", ["", "\n", "  \n\n"])
def test_white_space_after_json_is_no_second_report(tail):
    assert "several_reports" not in smart.parse(json.dumps(NVME) + tail).flags


def test_a_scsi_drive_without_model_goes_by_vendor_and_product():
    report = smart.parse(
        json.dumps(
            {"device": {"protocol": "SCSI"}, "scsi_vendor": "MICRON", "scsi_product": "S655DC"}
        )
    )
    assert report.model == "MICRON S655DC"


def test_what_smartctl_says_of_a_drive_that_it_could_not_open_is_said():
    said = "Smartctl open device: /dev/sda failed: Permission denied"
    told = said.replace("/dev/sda", "DEVICE")
    with pytest.raises(smart.Unreadable, match=f"^smartctl says: {told}$"):
        smart.parse(f"smartctl 7.3 2022-02-28\n\n{said}\n")


@pytest.mark.parametrize("closed", ["stdin", "stdout"])
def test_a_closed_stream_is_named(closed, monkeypatch, capsys, tmp_path):
    (tmp_path / "report").write_text(reports.ata(attributes={9: 10}))
    monkeypatch.setattr(sys, closed, None)
    where = "-" if closed == "stdin" else str(tmp_path / "report")
    assert cli.main(["smart", where]) == 3
    name = {"stdin": "standard input", "stdout": "standard output"}[closed]
    assert f"{name} is closed" in capsys.readouterr().err


def test_an_output_that_cannot_be_written_is_said_before_anything_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(smart, "fleet", lambda *_: pytest.fail("was read"))
    output = tmp_path / "nowhere" / "drives.csv"
    assert cli.main(["fleet", str(tmp_path), "-o", str(output)]) == 3


def test_the_output_is_no_row_of_its_own_table_and_nothing_else_is_left(tmp_path):
    (tmp_path / "one").write_text(reports.ata(attributes={9: 10}))
    for _ in range(2):
        output = tmp_path / "drives.csv"
        assert cli.main(["fleet", str(tmp_path), "-q", "-o", str(output)]) == 0
        assert output.read_text().count("\n") == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["drives.csv", "one"]


def test_a_cell_of_a_csv_is_no_formula(tmp_path):
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / "=1+1").write_text(reports.ata("=cmd", "@x", attributes={9: 10}))
    assert cli.main(["fleet", str(tmp_path / "reports"), "-q", "-o", str(tmp_path / "d.csv")]) == 0
    row = (tmp_path / "d.csv").read_text().splitlines()[1]
    assert row.startswith("'=1+1,,'=cmd,'@x,")


SAS = (
    reports.SCSI
    + """
Accumulated power on time, hours:minutes 26112:34

Error counter log:
           Errors Corrected by           Total   Correction     Gigabytes    Total
               ECC          rereads/    errors   algorithm      processed    uncorrected
           fast | delayed   rewrites  corrected  invocations   [10^9 bytes]  errors
read:          0        0         0         0          0      43345.132           0
write:         0        0         0         0          0      57123.456           0
"""
)


def test_a_sas_drive_has_hours_and_writes_and_a_forecast():
    report = smart.parse(SAS)
    assert (report.power_on_hours, report.host_bytes_written) == (26_112, 57_123_456 * 10**6)
    low, high = smart.years_left(report)
    assert 0 < low < high


def test_a_sas_drive_has_them_in_json_too():
    report = smart.parse(
        json.dumps(
            {
                "device": {"protocol": "SCSI"},
                "scsi_model_name": "MICRON S655DC",
                "power_on_time": {"hours": 26_112, "minutes": 34},
                "scsi_percentage_used_endurance_indicator": 3,
                "scsi_error_counter_log": {"write": {"gigabytes_processed": "57123.456"}},
            }
        )
    )
    assert (report.power_on_hours, report.host_bytes_written) == (26_112, 57_123_456 * 10**6)


@pytest.mark.parametrize("written", ["9" * 4000, "1e9", "-1.0", "", None, 5, ["1"]])
def test_writes_of_a_sas_drive_that_are_no_number_are_left_out(written):
    log = {"write": {"gigabytes_processed": written}}
    text = json.dumps(
        {"device": {"protocol": "SCSI"}, "scsi_model_name": "X", "scsi_error_counter_log": log}
    )
    assert smart.parse(text).host_bytes_written is None


def test_a_drive_at_99_percent_is_not_called_used_up(tmp_path, capsys):
    drive = {9: 8_760, 177: (1, 5), 241: 10**9}
    path = tmp_path / "report"
    path.write_text(reports.ata("Samsung SSD 860 EVO 1TB", "RVT01B6Q", 10**12, drive))
    cli.main(["smart", str(path)])
    assert "used up" not in capsys.readouterr().out


def test_a_crash_is_one_line_and_not_the_status_of_a_doubtful_drive(monkeypatch, capsys):
    monkeypatch.setattr(smart, "read_states", lambda source: 1 / 0)
    assert cli.main(["smart", "report"]) == 3
    said = capsys.readouterr().err
    assert said.startswith("flashwear: internal error, please report it: ZeroDivisionError: ")
    assert said.count("\n") == 1
