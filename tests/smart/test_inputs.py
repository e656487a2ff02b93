"""Inputs that people have: logs of nvme-cli, of smartd, exports of scrutiny, packed, several."""

import gzip
import io
import json
import re
import time

import pytest
import reports

from flashwear import cli, smart
from refusals import refusals

UNIT = 512_000
SMART_LOG_JSON = {
    "critical_warning": 0, "temperature": 307, "avail_spare": 100, "spare_thresh": 10,
    "percent_used": 3, "endurance_grp_critical_warning_summary": 0, "data_units_read": 203_913_228,
    "data_units_written": 64_663_716, "host_read_commands": 7_207_810_975,
    "host_write_commands": 2_931_291_530, "controller_busy_time": 399, "power_cycles": 9,
    "power_on_hours": 742, "unsafe_shutdowns": 5, "media_errors": 0, "num_err_log_entries": 7,
    "warning_temp_time": 0, "critical_comp_time": 0, "temperature_sensor_1": 307,
}  # fmt: skip
ENDURANCE = reports.ENDURANCE_LOG.format(written="33,108", media="46,350")
OCP = reports.OCP_LOG.format(high=0, low=46_350_123_008_000, guid=reports.GUID)


def test_the_logs_of_nvme_cli_of_an_endurance_group_and_of_ocp():
    report = smart.parse(reports.smart_log())
    assert (report.kind, report.family, report.model) == ("nvme", "nvme", None)
    assert report.host_bytes_written == 64_663_716 * UNIT
    assert (report.power_on_hours, report.percent_used, report.temperature_c) == (742, 3, 34)
    assert report.health["host_writes"] == 2_931_291_530
    assert report.flags == ()
    assert smart.forecast(smart.parse(reports.smart_log(power_on_hours=1_742))).wear
    verbose = ("critical_warning\t\t\t: 0x4\n      Available Spare[0]             : 0\n"
               "      NVM subsystem Reliability[2]   : 1\n")  # fmt: skip
    text = reports.smart_log().replace("critical_warning\t\t\t: 0\n", verbose)
    report = smart.parse(text)
    assert report.health["available_spare"] == 100
    words = {finding.word for finding in smart.findings(report)}
    assert words == {"reliability_degraded", "refused_commands"}
    report = smart.parse(ENDURANCE)
    assert report.host_bytes_written == 33_108 * 10**9
    assert report.nand_bytes_written == 46_350 * 10**9
    assert report.waf == pytest.approx(1.4, abs=0.001)
    assert report.percent_used == 3
    for media in ("media_units_written", "mediate_write_commands"):
        log = {"critical_warning": 0, "avl_spare": 100, "avl_spare_threshold": 10,
               "percent_used": 3, "data_units_read": 104_404, "data_units_written": 33_108,
               media: 46_350}  # fmt: skip
        assert smart.parse(json.dumps(log)).waf == report.waf
    name, halves = "Physical media units written", {"hi": 1, "lo": 5}
    logs = [
        {name: halves, "Log page GUID": f"0x{reports.GUID}"},
        {f"{name} hi": 1, f"{name} lo": 5, "Log page GUID": f"0x{reports.GUID}"},
        {"physical_media_units_written": halves, "log_page_guid": reports.GUID.upper()},
    ]
    text = reports.OCP_LOG.format(high=1, low=5, guid=reports.GUID)
    for each in (text, *map(json.dumps, logs)):
        assert smart.parse(each).nand_bytes_written == 2**64 + 5
    health = smart.parse(OCP).health
    assert "bad_system_blocks" not in health  # all ones: not counted
    assert (health["bad_user_blocks"], health["percent_free_blocks"]) == (12, 24)


@pytest.mark.parametrize(("name", "value"), [
    ("nsid", 1),
    ("data_units_written", 64_663_716.0),
    ("data_units_written", "64,663,716"),
    ("data_units_written", "64.663.716"),
    ("data_units_written", "64\u202f663\u202f716"),
    ("critical_warning", {"value": 0, "available_spare": 0, "ro": 0}),
])  # fmt: skip
def test_numbers_of_every_version(name, value):
    given = smart.parse(json.dumps(SMART_LOG_JSON | {name: value}))
    assert given == smart.parse(reports.smart_log())


@pytest.mark.parametrize(
    ("separator", "tail"), [(".", " (33.11 TB)"), ("\u202f", " (33,11 TB)"), ("", "")]
)
def test_text_of_every_locale(separator, tail):
    text, old = reports.smart_log().replace(",", separator), f"64{separator}663{separator}716"
    text = text.replace("data_units_written", "Data Units Written").replace(old, f"{old}{tail}")
    assert tail in text
    assert smart.parse(text) == smart.parse(reports.smart_log())


@pytest.mark.parametrize("value", ["", "x", "-5", True, None, [], 2**130, {"hi": 1}])
def test_a_number_that_is_none_is_left_out(value):
    report = smart.parse(json.dumps(SMART_LOG_JSON | {"data_units_written": value}))
    assert (report.host_bytes_written, report.flags) == (None, ("number_unreadable",))


def test_logs_after_a_report_belong_to_its_drive_but_not_those_of_parts_of_it():
    text = reports.smart_log() + ENDURANCE + OCP + reports.FDP_STATS
    (report,) = smart.parse_all(text)
    assert report.flags == ()
    assert report.host_bytes_written == 64_663_716 * UNIT
    assert report.nand_bytes_written == 46_350_123_008_000
    assert report.rules["nand_bytes_written"] == "OCP physical media units written"
    assert report.waf_fdp == pytest.approx(1.4, abs=0.001)
    as_json = "\n".join(
        json.dumps(log)
        for log in (SMART_LOG_JSON, {"hbmw": 33_108_124_672_000, "mbmw": 46_350_123_008_000})
    )
    assert smart.parse(as_json).waf_fdp == report.waf_fdp
    health = {"data_units_written": 64_663_716, "percentage_used": 3, "power_on_hours": 742}
    for text in (reports.nvme(health=health), reports.nvme_json(health=health) + "\n"):
        report = smart.parse(text + OCP)
        assert report.model == "Micron_7300_MTFDHBG3T8TDF"
        assert report.waf == pytest.approx(1.4, abs=0.001)
    half = reports.ENDURANCE_LOG.format(written="16,000", media="23,000")
    report = smart.parse(reports.smart_log() + half)
    assert "scopes_differ" in report.flags
    assert report.nand_bytes_written is report.waf is None
    report = smart.parse(reports.FDP_STATS)
    assert report.host_bytes_written is report.nand_bytes_written is report.waf is None
    assert report.waf_fdp == pytest.approx(1.4, abs=0.001)


def test_parts_that_are_no_report_are_said_and_logs_of_two_drives_are_kept_apart(tmp_path, capsys):
    other = reports.OCP_LOG.format(high=0, low=5, guid="0" * 32)
    report = smart.parse(reports.smart_log() + other)
    assert (report.flags, report.nand_bytes_written) == (("rest_unreadable",), None)
    refused = "smartctl 7.4 2023\n\nSmartctl open device: /dev/sdb failed: No such device\n"
    text = reports.ata(attributes={9: 10}) + refused
    drives, errors = smart.read_states(io.BytesIO(text.encode()))
    assert len(drives) == 1
    assert errors == ["smartctl says: Smartctl open device: DEVICE failed: No such device"]
    assert "rest_unreadable" in smart.parse(text).flags
    both = reports.smart_log() + reports.smart_log().replace("nvme0n1", "nvme1n1")
    assert len(smart.parse_all(both)) == 2
    found = smart.parse_all(both + OCP + OCP)
    assert [report.nand_bytes_written is None for report in found] == [True, True, False, False]
    in_turn = smart.parse_all(reports.smart_log() + OCP + reports.smart_log() + OCP)
    assert [report.waf is None for report in in_turn] == [False, False]
    found = smart.parse_all(reports.smart_log() + ENDURANCE.replace("nvme0", "nvme1"))
    assert [report.waf for report in found] == [None, pytest.approx(1.4, abs=0.001)]
    paths = [tmp_path / f"attrlog.CT500MX500SSD1-{one}.ata.csv" for one in ("A1B2C3", "D4E5F6")]
    for path in paths:
        path.write_text(ATTRLOG)
    cli.main(["smart", *map(str, paths)])
    out, err = capsys.readouterr()
    assert out.count("Drive   ") == 2
    cli.main(["smart", "--json", *map(str, paths)])
    assert "A1B2C3" not in out + err + capsys.readouterr().out


ATTRLOG = (
    "2025-06-15 15:06:40;\t5;100;0;\t9;97;13541;\t177;98;31;\t194;66;34;\t241;99;64663716000;\n"
    "2025-06-15 15:36:40;\t5;100;0;\t9;97;13541;\t177;98;31;\t194;66;34;\t241;99;64663716500;\n"
    "2025-07-15 15:36:40;\t5;100;0;\t9;97;14261;\t177;98;32;\t194;66;34;\t241;99;66663716000;\n"
)


def test_attribute_logs_of_smartd_of_other_drives_and_lines_that_are_cut_or_spoilt(tmp_path):
    path = tmp_path / "attrlog.Samsung_SSD_860_EVO_1TB-S3Z9NB0K123456.ata.csv"
    path.write_text(ATTRLOG)
    report = smart.read(path)
    assert (report.model, report.family) == ("Samsung SSD 860 EVO 1TB", "samsung")
    assert (report.power_on_hours, report.percent_used) == (14_261, 2)
    assert report.host_bytes_written == 66_663_716_000 * 512
    first, last = smart.parse_all(path.read_bytes())
    assert first.power_on_hours == 13_541
    change = smart.between(first, last)
    assert (change.hours, change.seconds) == (720, 30 * 86_400 + 1_800)
    assert "S3Z9NB0K123456" not in repr([first, last]) + json.dumps(last.as_dict())
    nvme = "2025-06-15 15:06:40;\tcritical-warning;0;\ttemperature;34;\tpercentage-used;3;\tdata-units-written;64663716;\tpower-on-hours;742;\n"  # fmt: skip # noqa: E501
    report = smart.parse(nvme)
    assert (report.kind, report.percent_used, report.temperature_c) == ("nvme", 3, 34)
    assert report.host_bytes_written == 64_663_716 * UNIT
    scsi = "2025-06-15 15:06:40;\twrite-gb-processed;104.5;\twrite-total-unc-errors;2;\n"
    report = smart.parse(scsi)
    assert (report.kind, report.host_bytes_written) == ("scsi", 104_500_000_000)
    assert report.scsi["uncorrected_errors"] == 2
    assert smart.parse(ATTRLOG[:-10]).power_on_hours == 13_541
    assert "truncated" in smart.parse(ATTRLOG + "2025-07-16 15:36:40;\t5;1;0").flags
    row = "2025-06-15 15:06:40;\tcritical-warning;0;\tmedia-errors;?;\tpercentage-used;3;\n"
    assert "number_unreadable" in smart.parse(row).flags
    unnamed = "2025-06-15 15:06:40;\t9;97;13541;\t197;100;51200;\t198;100;40000;\n"
    assert smart.findings(smart.parse(unnamed)) == ()  # no names, no accusation


def nvme_attrs(used, units):
    return {"available_spare": {"attribute_id": "available_spare", "value": 100, "thresh": 10},
            "percentage_used": {"value": used, "thresh": 100},
            "data_units_written": {"value": units, "thresh": -1}}  # fmt: skip


def test_an_export_of_scrutiny_newest_first_and_of_a_sata_drive():
    text = reports.scrutiny([
        ("2025-08-15T15:06:40Z", 1_742, nvme_attrs(4, 2_000_000)),
        ("2025-06-01T00:00:00Z", 1_500, nvme_attrs(3, 1_500_000)),
        ("2025-05-15T15:06:40Z", 742, nvme_attrs(3, 1_000_000)),
    ])  # fmt: skip
    report = smart.parse(text)
    assert (report.model, report.percent_used, report.power_on_hours) == ("EXAMPLE", 4, 1_742)
    assert report.health["available_spare_threshold"] == 10
    first, _, last = smart.parse_all(text)
    change = smart.between(first, last)
    assert (change.hours, change.host_bytes, change.percent) == (1_000, 10**6 * UNIT, 1)
    assert "PRIVATE" not in json.dumps(report.as_dict()) + repr(report)
    attrs = {
        str(number): {"attribute_id": number, "value": value, "worst": value, "thresh": 0,
                      "raw_value": raw, "raw_string": str(raw), "when_failed": ""}
        for number, value, raw in ((9, 100, 8_760), (177, 90, 40), (241, 100, 10**10))
    }  # fmt: skip
    attrs["5"] = {"value": 9, "thresh": 10, "raw_value": 812, "when_failed": "now"}
    states = [("2025-06-15T15:06:40Z", 8_760, attrs)]
    text = reports.scrutiny(states, "Samsung SSD 860 EVO 1TB", "ATA")
    report = smart.parse(text)
    assert (report.family, report.percent_used, report.power_on_hours) == ("samsung", 10, 8_760)
    assert "attribute_low" in {finding.word for finding in smart.findings(report)}
    export = json.loads(reports.scrutiny([("2025-06-15T15:06:40Z", 742, nvme_attrs(3, 10**6))]))
    export["data"]["device"]["device_status"] = 1  # it says that the drive failed
    assert smart.verdict(smart.parse(json.dumps(export))).level == "critical"


def test_what_no_clock_thermometer_or_counter_tells_is_left_out():
    export = json.loads(reports.scrutiny([("2025-06-15T15:06:40Z", 742, nvme_attrs(3, 10**6))]))
    printed = json.loads(reports.nvme_json())
    for degrees in (34, 0, -999, 999, 1000, -1000, True, "34", None):
        export["data"]["smart_results"][0]["temp"] = degrees
        printed["temperature"] = {"current": degrees}
        kept = degrees if type(degrees) is int and abs(degrees) < 1000 else None
        for told in (export, printed):
            assert smart.parse(json.dumps(told)).temperature_c == kept, degrees
    for seconds, kept in ((0, 0), (2**32 - 1, 2**32 - 1), (2**32, None), (2**40, None)):
        printed["local_time"] = {"time_t": seconds}
        assert smart.parse(json.dumps(printed)).time_s == kept
    log = printed["nvme_smart_health_information_log"]
    log |= {"nsid": -1, "of_a_maker": 0, "listed_errors": 3, "temperature_2": 5}
    health = smart.parse(json.dumps(printed)).health
    assert health["of_a_maker"] == 0
    assert not {"nsid", "listed_errors", "temperature_2"} & health.keys()
    text = reports.ata(attributes={9: 10})
    assert smart.read(io.BytesIO(text.encode("utf-16") + b"x")).power_on_hours == 10
    assert smart.read(io.BytesIO(text.encode("utf-16-be"))).power_on_hours == 10


def test_packed_reports_and_many_members_of_which_cost_time_in_proportion_at_most(tmp_path):
    text = reports.ata(attributes={9: 10})
    path = tmp_path / "report.txt.gz"
    path.write_bytes(gzip.compress(text.encode()))
    assert smart.read(path) == smart.parse(text)
    one, two = (gzip.compress(reports.nvme(model).encode()) for model in ("A", "B"))
    assert [report.model for report in smart.parse_all(one + two)] == ["A", "B"]
    for content, message in (
        (gzip.compress(b"\n" * 2**26), "at most"),
        (b"\x1f\x8bxxxxxxxxxxxxxxxxxxxx", "the gzip file is broken"),
        (one[:-12], "ends too early"),
        (gzip.compress(b"\n") * 2, "^the gzip file holds nothing$"),
    ):
        with pytest.raises(smart.Unreadable, match=message):
            smart.read(io.BytesIO(content))

    # Empty members, and as many bytes behind them; with copies of the rest a member costs more.
    def seconds(members, behind):
        content = gzip.compress(b"") * members + bytes(behind)
        begin = time.process_time()
        with pytest.raises(smart.Unreadable):
            smart.read(io.BytesIO(content))
        return time.process_time() - begin

    seconds(10, 10)
    small, large = (min(seconds(n, 2000 * n) for _ in range(3)) for n in (99, 990))
    assert large < 30 * small  # 10 times in proportion, 100 times with copies
    many = gzip.compress(b"") * 1000
    with pytest.raises(smart.Unreadable, match="fewer than 1000 members"):
        smart.read(io.BytesIO(many))
    report = reports.ata(attributes={9: 10})
    pieces = b"".join(gzip.compress(letter.encode()) for letter in report[:500])
    whole = pieces + gzip.compress(report[500:].encode())
    assert smart.read(io.BytesIO(whole)) == smart.parse(report)


def test_several_reports_in_one_stream():
    one, two = reports.ata(attributes={9: 10}), reports.ata_json("Samsung", attributes={9: 5})
    assert [report.power_on_hours for report in smart.parse_all(two + "\n" + one)] == [5, 10]
    assert [report.power_on_hours for report in smart.parse_all(one + two)] == [10, 5]
    bare = one[one.index("=== START OF READ") :]
    found = smart.parse_all(bare + bare.replace("PASSED", "FAILED!"))
    assert [report.passed for report in found] == [True, False]
    assert [report.power_on_hours for report in smart.parse_all(one + one + one)] == [10, 10, 10]
    second = reports.ata("Other", attributes={9: 5})  # after one without its banner
    models = [report.model for report in smart.parse_all("\n".join(one.split("\n")[4:]) + second)]
    assert models == ["CT500MX500SSD1", "Other"]
    listed = f"[{two}, {two}]"
    assert [report.model for report in smart.parse_all(listed)] == ["Samsung", "Samsung"]
    assert smart.parse(listed).flags[:2] == ("unknown_family", "several_reports")
    assert len(smart.parse_all('{"model_name": "x"}' * 1000)) == 1000


test_what_is_neither_text_nor_file_is_named = refusals([
    (lambda: smart.read(b"x"), "source must be a path or a binary file, got bytes"),
    (lambda: smart.read(io.StringIO("x")), "source must be a binary file, got one of text"),
    (lambda: smart.read(None), "source must be a path or a binary file, got NoneType"),
    (lambda: smart.parse(None), "text must be str or bytes, got NoneType"),
    (lambda: smart.parse_all(7), "text must be str or bytes, got int"),
    (lambda: smart.parse(io.StringIO("x")), "got StringIO: parse what its read\\(\\) returns"),
], error=TypeError)  # fmt: skip


@pytest.mark.parametrize("code", ["utf-8", "utf-16", "utf-16-le"])
def test_text_is_read_as_bytes_too(code):
    text = reports.smart_log()
    assert smart.parse(text.encode(code)) == smart.parse(text)
    assert smart.parse_all(bytearray(text, code)) == smart.parse_all(text)


def other_page(guid):
    return reports.OCP_LOG.format(high=0, low=5, guid=guid)


def without_results(results):
    return json.dumps({"data": {"device": {"model_name": "X"}, "smart_results": results}})


test_what_is_no_report_is_named = refusals([
    *((other_page(guid), "must have the GUID")
      for guid in ("", "0", "c0ffee" * 5, reports.GUID[:-1])),
    *((without_results(results), "holds no results") for results in ([], None, 5, [1])),
    *((f"smartctl 7.4 2023-08-01 r5530\n\n{said}\n", "smartctl says: ") for said in (
        "Device is in STANDBY mode, exit(2)",
        "/dev/sdb: Unknown USB bridge [0x1234:0x5678 (0x100)]",
        "device is NOT READY (e.g. spun down, busy)",
    )),
    ("2025-06-15 15:06:40;\tx\n", "holds no attribute"),
    ('[{"model_name": "X"}, 5]', "the JSON is no report of a drive"),
    ('{"model_name": "x"}' * 1001, "at most 1000 reports"),
    *((part * (2**20 // len(part)), "at most|no report")  # very many parts
      for part in ("{}", "[]", "Device Model: X\nsmartctl 7\n")),
], by=smart.parse_all, error=smart.Unreadable)  # fmt: skip


@pytest.mark.parametrize("low", [10**12, 10**16])
def test_flash_writes_that_do_not_fit_are_left_out(low):
    log = reports.OCP_LOG.format(high=0, low=low, guid=reports.GUID)
    report = smart.parse(reports.smart_log() + log)
    assert "waf_implausible" in report.flags
    assert report.waf is None


@pytest.mark.parametrize("name", ["/dev/disk/by-id/ata-MODEL_SECRET1", "nvme-eui.00SECRET1"])
def test_the_name_of_a_device_is_not_repeated(name):
    said = f"Smartctl open device: {name} failed: Permission denied"
    as_json = json.dumps({"smartctl": {"messages": [{"string": said}]}})
    for text in (f"smartctl 7.4\n\n{said}\n", as_json):
        with pytest.raises(smart.Unreadable, match="Permission denied") as error:
            smart.parse(text)
        assert "SECRET1" not in str(error.value)


@pytest.mark.parametrize(("name", "model"), [
    ("attrlog.Samsung_SSD_970_PRO-S463NF0K111111A-n1.nvme.csv", "Samsung SSD 970 PRO"),
    ("attrlog.OCZ_VERTEX4-OCZ-12345678.ata.csv", "OCZ VERTEX4"),
    ("attrlog.CT500MX500SSD1-1234E56789AB.ata.csv.gz", "CT500MX500SSD1"),
])  # fmt: skip
def test_no_part_of_a_serial_number_is_taken_for_the_model(tmp_path, name, model):
    path = tmp_path / name
    content = ATTRLOG.encode()
    path.write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    assert smart.read(path).model == model
    shown = smart.without_serial(str(path))
    assert not {"S463NF0K111111A", "12345678", "1234E56789AB"} & {*re.split("[.-]", shown)}


def test_what_was_grave_in_between_is_told(tmp_path, capsys):
    line = (
        "2025-0{0}-15 15:06:40;\tcritical-warning;{1};\tpercentage-used;3;\tavailable-spare;100;"
        "\tdata-units-written;6466371{0};\tpower-on-hours;{0}00;\tmedia-errors;0;\n"
    )
    path = tmp_path / "log"
    path.write_text("".join(line.format(month, 4 * (month == 3)) for month in range(1, 7)))
    assert cli.main(["smart", str(path)]) == 2
    out = capsys.readouterr().out
    said = "critical in an earlier report; now none: no problem found: 3 %"
    assert f"Verdict               {said}" in out
    assert "In an earlier report  the drive warns that it has become less reliable" in out
    assert cli.main(["smart", "--json", str(path)]) == 2
    assert json.loads(capsys.readouterr().out)["drives"][0]["status"] == 2
