"""What speaks against a drive is found, and nothing is forecast against it."""

import dataclasses
import json
from pathlib import Path

import pytest
import reports

from flashwear import smart

HEALTH = {"percentage_used": 3, "power_on_hours": 8_760, "data_units_written": 20_000_000,
          "available_spare": 100, "media_errors": 0}  # fmt: skip
SAMSUNG = ("Samsung SSD 860 EVO 1TB", "RVT01B6Q", 10**12)
FINE = {9: 8_760, 177: (97, 40), 241: 10**10}
NVME, NVME_JSON = reports.nvme(health=HEALTH), reports.nvme_json(health=HEALTH)
SATA, SATA_JSON = reports.ata(*SAMSUNG, FINE), reports.ata_json(*SAMSUNG, FINE)


def words(report, level=None):
    return {f.word for f in smart.findings(report) if level in (None, f.level)}


def nvme(critical_warning=0, spare=100, threshold=10, passed=True, **health):
    log = {**HEALTH, "critical_warning": critical_warning, "available_spare": spare,
           "available_spare_threshold": threshold, **health}  # fmt: skip
    report = json.loads(reports.nvme_json(health=log))
    report["smart_status"]["passed"] = passed
    return smart.parse(json.dumps(report))


def sata(rows=FINE, statistics=None, old="", new="", options="-x"):
    text = reports.ata(*SAMSUNG, rows, statistics, options=options)
    assert old in text
    return smart.parse(text.replace(old, new) if old else text)


def test_nothing_is_found_on_a_sound_report_nor_is_an_unworn_drive_called_safe():
    for report in (nvme(), sata()):
        verdict = smart.verdict(report)
        assert (verdict.level, verdict.status, verdict.findings) == ("none", 0, ())
        assert smart.forecast(report).wear
    for used in (0, 1):
        text = smart.verdict(nvme(percentage_used=used)).text
        assert text == "no sign of wear; drives also fail without it: keep a backup"
    assert smart.verdict(nvme(percentage_used=39)).text.startswith("no problem found: 39 %")


@pytest.mark.parametrize(("bit", "word", "level"), [
    (0, "spare_below_threshold", "critical"), (1, "temperature", "warning"),
    (2, "reliability_degraded", "critical"), (3, "read_only", "critical"),
    (4, "backup_failed", "critical"), (5, "persistent_memory", "warning"),
    (6, "unknown_warning", "warning"), (7, "unknown_warning", "warning"),
])  # fmt: skip
def test_the_critical_warning_bit_by_bit(bit, word, level):
    report = nvme(critical_warning=1 << bit)
    assert words(report) == {word}
    assert smart.verdict(report).level == level
    assert (smart.forecast(report).wear is None) == (level == "critical")


@pytest.mark.parametrize(("spare", "threshold", "word"), [
    (9, 10, "spare_below_threshold"), (10, 10, "spare_low"), (54, 10, "spare_low"),
    (55, 10, "spare_used"), (99, 0, "spare_used"), (100, 10, None), (0, 0, "spare_below_threshold"),
    # a threshold near 100 leaves no half
    (99, 99, "spare_used"), (98, 99, "spare_below_threshold"), (94, 90, "spare_low"),
])  # fmt: skip
def test_spare_is_judged_by_its_threshold_even_if_the_drive_does_not_warn(spare, threshold, word):
    assert words(nvme(spare=spare, threshold=threshold)) == {word} - {None}
    assert smart.forecast(nvme(spare=99, threshold=99)).wear is not None


def test_a_value_at_its_threshold_fails_and_a_failing_drive_gets_the_reason_for_a_forecast():
    report = nvme(critical_warning=5, spare=3, media_errors=1_234, passed=False)
    verdict = smart.verdict(report)
    assert verdict.status == 2
    assert verdict.text.startswith("copy what you need today")
    assert [finding.word for finding in verdict.findings] == [
        "failed", "spare_below_threshold", "reliability_degraded", "media_errors",
    ]  # fmt: skip
    forecast = smart.forecast(report, rated_bytes=1e15)
    assert (forecast.wear, forecast.rating, forecast.binds) == (None, None, None)
    assert forecast.wear_unknown == forecast.rating_unknown
    assert "the drive says of itself that it fails" in forecast.wear_unknown
    low = ROW.replace("100   100   000", "050   050   050")
    assert words(sata(old=ROW, new=low)) == {"attribute_low"}
    for silent in (low.replace("050", "100"), low.replace(ROW.split()[1], "Case_Temperature")):
        assert words(sata(old=ROW, new=silent)) == set()
        failing = silent.replace("    -    ", "    NOW  ")
        assert words(sata(old=ROW, new=failing)) == {"attribute_low_once"}
    below = ROW.replace("100   100   000    -  ", "050   050   100    NOW")
    assert words(sata(old=ROW, new=below)) == {"attribute_low"}
    text = reports.ata("NEW", "1", 10**12, {9: 5, 170: (2, 0), 232: (2, 0)})
    rows = {170: "Unknown_Attribute", 232: "Available_Reservd_Space"}
    for number, name in rows.items():
        at = text.index(f"\n{number} ")
        line = text[at + 1 : text.index("\n", at + 1)]
        failing = f"{number} {name:23} PO--CK   002   002   010    NOW  0"
        text = text.replace(line, failing)
    found = {f.word: f.text for f in smart.findings(smart.parse(text))}
    told = found["attribute_failing"]
    assert told.index("232, Available") < told.index("170, Unknown") > 0


ROW = "  9 Attribute_9             -O--CK   100   100   000    -    8760"


@pytest.mark.parametrize(("kind", "column", "flags", "old_column", "word"), [
    ("PO--CK", "NOW ", "0x0033", "FAILING_NOW", "attribute_failing"),
    ("-O--CK", "NOW ", "0x0032", "FAILING_NOW", "attribute_low"),
    ("PO--CK", "Past", "0x0033", "In_the_past", "attribute_failed_once"),
    ("-O--CK", "Past", "0x0032", "In_the_past", "attribute_low_once"),
])  # fmt: skip
def test_a_failed_attribute_in_both_layouts(kind, column, flags, old_column, word):
    failed = ROW.replace("-O--CK", kind).replace(" -    ", f" {column} ")
    report = sata(old=ROW, new=failed)
    assert words(report) == {word}
    assert report.power_on_hours == 8_760
    text = reports.ata(*SAMSUNG, FINE, layout="old", options="-A")
    row = "0x0032   097   097   000    Old_age   Always       -       "
    assert row in text
    failed = row.replace("0x0032", flags).replace("     -     ", f" {old_column} ")
    assert words(smart.parse(text.replace(row, failed))) == {word}


@pytest.mark.parametrize(("number", "name", "raw", "word"), [
    (5, "Reallocated_Sector_Ct", 3, "some_reallocated"),
    (5, "Reallocated_Sector_Ct", 100, "reallocated_blocks"),
    (5, "Reallocated_Sector_Ct", 32_769, "reallocated_blocks"),
    (5, "Reallocated_Sector_Ct", 32_768, "some_reallocated"),  # no count of blocks
    (184, "End-to-End_Error", 1, "media_errors"),
    (184, "Error_Correction_Count", 16, None),
    (187, "Reported_Uncorrect", 1, "media_errors"),
    (197, "Current_Pending_Sector", 1, "pending_sectors"),
    (197, "Not_In_Use", 1, None),
    (198, "Offline_Uncorrectable", 1, "media_errors"),
    (198, "Host_Reads_GiB", 1_000, None),
    (198, "Offline_Uncorrectable", 2**40, None),  # several numbers in one
    *((number, name, 6, None) for number in (197, 198)
      for name in ("Read_Failure_Blk_Ct", "Later_Bad_Block")),  # retired
])  # fmt: skip
def test_counts_of_faults_go_by_number_and_name(number, name, raw, word):
    report = sata({**FINE, number: raw}, old=f"Attribute_{number}", new=name)
    assert words(report) == {word} - {None}


@pytest.mark.parametrize(
    ("attribute", "statistic", "word"),
    [(5, 0, None), (5, 2**40, "media_errors"), (5, 2, "media_errors"), (0, 99, None)],
)  # a count is never so large; two counters that differ do not accuse
def test_errors_in_the_device_statistics_count_before_attribute_187(attribute, statistic, word):
    report = json.loads(reports.ata_json(*SAMSUNG, {**FINE, 187: attribute}))
    page = {"number": 4, "table": [{"offset": 8, "value": statistic}]}
    report["ata_device_statistics"] = {"pages": [page]}
    assert words(smart.parse(json.dumps(report))) == {word} - {None}


@pytest.mark.parametrize(("used", "word"), [
    (89, None), (90, "worn"), (99, "worn"), (100, "past_life"), (160, "past_life"),
])  # fmt: skip
def test_wear_is_told_from_a_percent_that_can_be_chosen(used, word):
    report = nvme(percentage_used=used, power_on_hours=10**6)
    assert words(report) == {word} - {None}
    for warn in (used, used + 1):
        found = {one.word for one in smart.verdict(report, warn_percent=warn).findings}
        assert ("worn" in found) == (warn == used < 100)


def test_more_written_than_rated_is_a_warning_unless_a_list_has_no_sources():
    assert words(nvme()) == set()
    (found,) = smart.findings(nvme(), rated_bytes=5e12)
    assert (found.word, found.level) == ("past_rating_alone", "note")
    told = "205 % of what it is rated for is written"
    assert found.text == f"{told}, but its own count of wear stands at {nvme().percent_used} %"
    for used in (80, None):
        report = dataclasses.replace(nvme(), percent_used=used)
        found = {f.word: f for f in smart.findings(report, rated_bytes=5e12)}
        assert found["past_rating"].level == "warning"
        assert found["past_rating"].text == told
    rows = {9: 8_760, 177: (97, 40), 241: 2 * 10**12, 251: 3 * 10**12}
    text = reports.ata("SAMSUNG MZ7LH480HAHQ-00005", "HXT7404Q", 480_103_981_056, rows)
    verdict = smart.verdict(smart.parse(text))
    assert [finding.word for finding in verdict.findings] == ["past_list"]
    assert verdict.level == "none"


@pytest.mark.parametrize(("now", "minutes", "words_found"), [
    (69, 194, {"temperature"}), (65, 194, {"temperature"}), (64, 194, {"was_hot"}),
    (69, 0, set()), (70, 0, {"temperature"}),
    (30, 30_000, {"overheated"}),
])  # fmt: skip
def test_a_sata_drive_is_held_against_its_own_limit(now, minutes, words_found):
    text = reports.ata("NEW", "1", 10**12, {9: 9_000}, {"power_on_hours": 9_000})
    rows = f"0x05  0x050  4  {minutes}  ---  Time in Over-Temperature\n"
    rows += f"0x05  0x008  1  {now}  ---  Current Temperature\n"
    rows += "0x05  0x058  1  70  ---  Specified Maximum Operating Temperature\n"
    at = text.index("0x01  0x010")
    report = smart.parse(text[:at] + rows + text[at:])
    assert report.statistics["maximum_temperature_c"] == 70
    assert report.temperature_c == now
    assert words(report) == words_found


@pytest.mark.parametrize(("health", "words_found"), [
    ({"temperature": 84}, set()), ({"temperature": 85}, {"temperature"}),
    ({"temperature": 70, "critical_comp_time": 3}, {"temperature"}),
    ({"temperature": 69, "critical_comp_time": 3}, {"was_hot"}),
    # a hundredth of 8,760 hours is 5,256 minutes
    ({"critical_comp_time": 5000, "warning_temp_time": 257}, {"overheated"}),
    ({"critical_comp_time": 5000, "warning_temp_time": 256}, {"was_hot"}),
    ({"warning_temp_time": 5256}, set()), ({"warning_temp_time": 5257}, {"overheated"}),
    ({"num_err_log_entries": 5}, {"refused_commands"}),
])  # fmt: skip
def test_an_nvme_drive_is_held_against_usual_limits(health, words_found):
    assert words(nvme(**{"temperature": 30, **health})) == words_found


@pytest.mark.parametrize(("bits", "found", "level"), [
    (1, {"no_data"}, "unknown"), (2, {"no_data"}, "unknown"), (4, {"partial"}, "none"),
    (8, {"failed"}, "critical"), (16, {"attribute_failing"}, "critical"),
    (32, {"attribute_low_once"}, "none"), (64, {"error_log"}, "none"),
    (128, {"self_test_failed"}, "warning"),
])  # fmt: skip
def test_what_smartctl_returned_is_decoded(bits, found, level):
    report = json.loads(NVME_JSON)
    report["smartctl"]["exit_status"] = bits
    verdict = smart.verdict(smart.parse(json.dumps(report)))
    assert {finding.word for finding in verdict.findings} == found
    assert verdict.level == level


FAILED_TEST = "# 2  Extended offline    Completed: read failure       90%     12345         987\n"
ABORTED = "# 1  Short offline       Aborted by host               90%     12346         -\n"
PASSED_TEST = "# 1  Extended offline    Completed without error       00%     12347         -\n"


@pytest.mark.parametrize(("row", "failed"), [
    ("# 1  Short offline       Completed: read failure       90%     12345         987", True),
    ("# 1  Short offline       Completed without error       00%     12345         -", False),
    (" 0   Extended          Completed: failed segments           742            -", True),
    ("# 1  Background short  Failed in segment -->       3    742       - [0x3 0x11 0x0]", True),
    (ABORTED + FAILED_TEST, True),
    (PASSED_TEST + FAILED_TEST, False),
])  # fmt: skip
def test_a_self_test_that_failed_counts_until_an_extended_one_passes(row, failed):
    log = f"SMART Self-test log structure revision number 1\nNum  Test_Description\n{row}\n\n"
    assert smart.parse(SATA + log).self_test_failed == failed
    for status in (0, 25, 121, 249):
        line = f"Self-test execution status:      ( {status})\tThe previous self-test\n"
        text = SATA.replace("SMART Attributes", f"{line}SMART Attributes", 1)
        assert smart.parse(text).self_test_failed == (status == 121), status


@pytest.mark.parametrize(("model", "attributes", "rotation"), [
    ("NEW", {9: 5}, "Solid State Device"),
    ("ST4000DM004", {9: 5}, "5425 rpm"),
    ("KINGSTON SA400S37480G", {9: 5_000, 231: (2, 2), 233: 6, 241: 4, 244: 1}, "Solid State"),
], ids=["no counter of wear", "hard disk", "a counter that misleads"])  # fmt: skip
def test_a_drive_whose_wear_is_not_known_is_unknown(model, attributes, rotation):
    text = reports.ata(model, "SBFKB1C2", 10**12, attributes)
    report = smart.parse(text.replace("Solid State Device", rotation))
    verdict = smart.verdict(report)
    assert (verdict.level, verdict.status) == ("unknown", 3)
    assert smart.forecast(report).wear is None
    assert smart.forecast(report).wear_unknown


def test_every_finding_has_a_test_and_a_level():
    here = Path(__file__).read_text()
    assert [word for word in smart.FINDINGS if f'"{word}"' not in here] == []
    assert {row.level for row in smart.FINDINGS.values()} == {"critical", "warning", "note"}
    for row in smart.FINDINGS.values():
        assert row.advice.endswith(".")
        assert row.reason.endswith(".")
        assert row.acknowledged != "yes" or row.level != "critical"


# Two counters of one thing: which the report holds decides how sure one can be.

A400 = ("KINGSTON SA400S37480G", "SBFKB1C2", 480_103_981_056)
A400_ROWS = {9: 5_000, 231: (94, 94), 233: 60_000, 241: 40_000, 244: 50}


def a400(left, statistics=None):
    drive = reports.ata(*A400, A400_ROWS | {231: (left, left)}, statistics)
    return smart.parse(drive)


def test_a_counter_that_counts_up_on_some_firmwares_or_that_another_denies_is_not_believed():
    report = a400(2)
    assert report.flags == ("life_used_disagree", "life_used_unconfirmed")
    assert "worn" not in words(report)
    beside = a400(2, {"percentage_used": 1, "power_on_hours": 5_000})
    assert (beside.percent_used, beside.flags) == (1, ())  # 2 is the life used, not left
    assert smart.verdict(beside).level == "none"
    report = a400(100, {"percentage_used": 70})
    assert report.flags == ("life_used_disagree",)
    assert (smart.verdict(report).level, smart.forecast(report).wear) == ("unknown", None)
    report = sata(FINE, {"power_on_hours": 20_000, "percentage_used": 3})
    assert "poh_devstat_disagree" in report.flags
    assert smart.forecast(report).wear is None


@pytest.mark.parametrize("devstat", [8, 15])
def test_one_counter_of_two_leaves_open_what_both_may_differ_by(devstat):
    rows = {**FINE, 177: (90, 40)}
    both, alone = sata(rows, {"percentage_used": devstat}), sata(rows)
    low, high = both.percent_used_range
    assert alone.percent_used_range[0] <= low <= high <= alone.percent_used_range[1]
    assert both.percent_used_range == (min(10, devstat) - 1, max(10, devstat) + 1)


def test_a_meaning_that_hangs_on_the_firmware_and_a_ratio_of_units_are_not_guessed():
    rows = {9: 5_000, 173: 12, 202: (81, 81), 246: 10**10, 247: 312_500_000, 248: 10**8}
    text = reports.ata("CT480BX500SSD1", "M6CR013", 480 * 10**9, rows)
    named = smart.parse(text)
    flags = ("202_raw_is_remaining", "life_used_unconfirmed")
    assert (named.percent_used, named.flags) == (19, flags)
    bare = smart.parse(text.replace("Firmware Version: M6CR013\n", ""))
    assert "firmware_missing" in bare.flags
    assert smart.verdict(bare).level == "unknown"
    text = reports.ata("NEW SSD", "1", 10**12, {9: 7_300, 233: 2_100, 241: 5_600})
    text = text.replace("Attribute_233 ", "Total_NAND_Writes_GiB ")
    text = text.replace("Attribute_241 ", "Total_Writes_GiB ")
    report = smart.parse(text)
    assert report.host_bytes_written == 5_600 * 2**30
    assert report.nand_bytes_written == 2_100 * 2**30
    assert report.waf is None


# What a report lacks is not taken for good.


def lacking(name):
    report = json.loads(NVME_JSON)
    del report["nvme_smart_health_information_log"][name], report["smart_status"]
    return json.dumps(report)


UNREADABLE = [
    NVME.replace("Critical Warning:                   0x00", "Critical Warning:  0x0G"),
    NVME.replace("Percentage Used:                    3%", "Percentage Used:     x%"),
    *(SATA.replace("  9 Attribute_9 ", f"{row}\n  9 Attribute_9 ") for row in (
        "  5 Reallocated_Sector_Ct   PO--CK   009   009   010    NOW  ",
        "0x05 Reallocated_Sector_Ct  0x0033   0x09  0x09  0x0a   Pre-fail  Always   NOW   812",
        "  5 Reallocated_Sector_Ct",
    )),
]  # fmt: skip


def test_reports_without_evidence_are_unknown_and_spare_that_goes_fast_leaves_no_forecast():
    zeros = dict.fromkeys(("power_on_hours", "data_units_written", "percentage_used"), 0)
    report = nvme(spare=0, threshold=0, **zeros)
    assert report.flags == ("all_zero",)
    assert smart.verdict(report).level == "unknown"
    names = "critical_warning", "percentage_used", "available_spare", "media_errors"
    cut = NVME[: NVME.index("Media and")], NVME_JSON.replace('"passed": true', '"passed": "false"')
    for text in (*map(lacking, names), *cut):
        assert smart.verdict(smart.parse(text)).level == "unknown", text
    for text in ("smartctl 7.4\n\nSMART overall-health self-assessment test result: FAILED!\n",
                 json.dumps({"smart_status": {"passed": False}, "smartctl": {"exit_status": 8}}),
                 f"smartctl 7.4\n\nSMART Health Status: {EXCEEDED}\n"):  # fmt: skip
        assert smart.verdict(smart.parse(text)).level == "critical", text
    report = nvme(spare=18, percentage_used=0, power_on_hours=10_000)
    assert words(report) == {"spare_low"}
    assert smart.forecast(report).wear is None
    assert "spare blocks" in smart.forecast(report).wear_unknown
    assert "no sign of wear" not in smart.verdict(nvme(spare=97)).text
    assert smart.forecast(nvme(spare=97)).wear
    for spare, told in ((34, "warning of few spare blocks, though 34 %"), (4, "warns below 10 %")):
        found = {f.word: f.text for f in smart.findings(nvme(critical_warning=1, spare=spare))}
        assert told in found["spare_below_threshold"]


@pytest.mark.parametrize("text", UNREADABLE, ids=range(5))
def test_a_figure_that_cannot_be_read_leaves_the_verdict_open(text):
    assert text not in (NVME, SATA)
    report = smart.parse(text)
    assert report.power_on_hours == 8_760
    assert {"number_unreadable", "rows_unread"} & set(report.flags)
    assert smart.verdict(report).level == "unknown"


def changed(text, *path, **changes):
    """Return a report in JSON with other entries at a place."""
    report = json.loads(text)
    place = report
    for step in path:
        place = place[step] if isinstance(step, int) else place.setdefault(step, {})
    place.update(changes)
    return json.dumps(report)


def ocp(**changes):
    rows = {"Physical media units written": {"hi": 0, "lo": 20 * 10**12},
            "Log page GUID": reports.GUID, **changes}  # fmt: skip
    return NVME_JSON + json.dumps(rows)


def failed_attribute(when, prefailure):
    row = {"when_failed": when, "flags": {"prefailure": prefailure}}
    return changed(SATA_JSON, "ata_smart_attributes", "table", 0, **row)


ERRORS = "SMART Extended Comprehensive Error Log Version: 1 (1 sectors)\nDevice Error Count: 1658\n"
UNREAD = "  40 -- 51 00 00 00 00 00 00 00 00 40 00  Error: UNC at LBA = 0x00000000 = 0\n"
PENDING = "\nPending Defects log (GP Log 0x0c)\nIndex                LBA    Hours\n"
SAS_ERRORS = """Elements in grown defect list: 7
read:          0        0         0         0          0      43345.132           2
write:         0        0         0         0          0      57123.456           1
"""
SAS_TEST = """
SMART Self-test log
Num  Test              Status
     Description
# 1  Background long   Failed in segment -->   3   19990   123456 [0x3 0x11 0x0]

"""
HOT = "  Pending defect count:900 Pending Defects\nDrive Trip Temperature:        35 C\n"
EXCEEDED = "FAILURE PREDICTION THRESHOLD EXCEEDED [asc=5d, ascq=0]"
SAS_JSON = {"device": {"protocol": "SCSI"}, "scsi_model_name": "X",
            "scsi_percentage_used_endurance_indicator": 3, "scsi_pending_defects": {"count": 900},
            "temperature": {"current": 85, "drive_trip": 70},
            "scsi_self_test_0": {"result": {"value": 7}}}  # fmt: skip
WORSE = {"critical_warning": 4, "avl_spare": 2, "avl_spare_threshold": 10, "percent_used": 97,
         "data_units_written": 10_240, "media_units_written": 20_000}  # fmt: skip
BLOCKS, LOG_OF_HEALTH = "Bad user nand blocks - Normalized", "nvme_smart_health_information_log"
CRITICAL = "Warning  Comp. Temp. Threshold:     -\nCritical Comp. Temp. Threshold:     88 Celsius\n"
FOUND = {  # by word, or by text where that tells a count
    "errors in the log": (SATA + ERRORS, {"error_log"}),
    "an unreadable sector in the log": (SATA + ERRORS + UNREAD, {"error_log", "media_errors"}),
    "no unreadable sector": (SATA + ERRORS + UNREAD.replace("UNC at", "ABRT"), {"error_log"}),
    "pending defects": (
        SATA + PENDING + "    0   123456    789\n    1   123457    789\n\n",
        {"2 sectors could not be read so far"}),
    "no pending defects": (SATA + PENDING + "No Defects Logged\n\n", set()),
    "a self-test of an NVMe drive that failed": (
        changed(NVME_JSON, nvme_self_test_log={"table": [{"self_test_result": {"value": 5}}]}),
        {"self_test_failed"}),
    "a self-test of an NVMe drive that was aborted": (
        changed(NVME_JSON, nvme_self_test_log={"table": [{"self_test_result": {"value": 2}}]}),
        set()),
    "a self-test of an NVMe drive that failed before a whole one passed": (
        changed(NVME_JSON, nvme_self_test_log={"table": [
            {"self_test_result": {"value": 0}, "self_test_code": {"value": 2}},
            {"self_test_result": {"value": 5}}]}), set()),
    "a self-test of a SATA drive that failed": (
        changed(SATA_JSON, "ata_smart_self_test_log", "extended",
                table=[{"status": {"value": 7, "passed": False}}]), {"self_test_failed"}),
    "a self-test of a SATA drive that passed": (
        changed(SATA_JSON, "ata_smart_self_test_log", "extended",
                table=[{"status": {"value": 7, "passed": True}}]), set()),
    "an attribute that fails in JSON": (failed_attribute("now", True), {"attribute_failing"}),
    "an attribute that failed once": (failed_attribute("past", False), {"attribute_low_once"}),
    "a SAS drive that fails": (reports.SCSI.replace("Status: OK", f"Status: {EXCEEDED}"),
                               {f"the drive says of itself that it fails: {EXCEEDED}"}),
    "errors of a SAS drive": (
        reports.SCSI + SAS_ERRORS,
        {"3 errors could not be corrected", "7 blocks replaced, as on many drives"}),
    "a self-test of a SAS drive": (reports.SCSI + SAS_TEST, {"self_test_failed"}),
    "a hot SAS drive": (reports.SCSI + HOT, {"pending_sectors", "temperature"}),
    "a failing SAS drive in JSON": (json.dumps(SAS_JSON),
                                    {"pending_sectors", "temperature", "self_test_failed"}),
    "a warning of the status alone": (
        changed(NVME_JSON.replace('"critical_warning": 0, ', ""),
                smart_status={"nvme": {"value": 4}}), {"reliability_degraded"}),
    "a warning of an endurance group": (
        reports.smart_log().replace("warning summary: 0", "warning summary: 0xd"),
        {"spare_below_threshold", "reliability_degraded", "read_only", "refused_commands"}),
    "the worse of two logs": (NVME_JSON + json.dumps(WORSE),
                              {"reliability_degraded", "spare_below_threshold", "worn"}),
    "errors of OCP": (ocp(**{"Uncorrectable read error count": 5}), {"media_errors"}),
    "no blocks of OCP": (ocp(**{BLOCKS: 0}), {"reliability_degraded"}),
    "few blocks of OCP": (ocp(**{BLOCKS: 5}), {"reallocated_blocks"}),
    "a sound log of OCP": (ocp(**{BLOCKS: 99, "Capacitor health": 138}), set()),
    "what OCP does not count": (ocp(**{"Bad system nand blocks - Normalized": 65_535,
                                       "Capacitor health": 65_535}), set()),
    "a weak capacitor": (ocp(**{"Capacitor health": 5}), {"backup_weak"}),
    "names of our own from outside": (
        changed(NVME_JSON, LOG_OF_HEALTH, listed_errors=5, listed_media_errors=5,
                listed_refused_writes=1), set()),
    "the critical limit alone": (
        changed(changed(NVME_JSON, LOG_OF_HEALTH, temperature=95),
                nvme_composite_temperature_threshold={"critical": 88}), {"temperature"}),
    "the critical limit alone in text": (
        NVME.replace("Firmware Version", f"{CRITICAL}Firmware Version").rstrip("\n")
        + "\nTemperature:                        95 Celsius\n\n", {"temperature"}),
    "wear of OCP": (ocp(**{"System data percent used": 95}), {"worn"}),
    "wear of OCP beyond the rating": (ocp(**{"System data percent used": 120}), {"past_life"}),
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), FOUND.values(), ids=FOUND)
def test_what_speaks_against_a_drive_is_found_and_nothing_else(text, expected):
    found = smart.findings(smart.parse(text))
    assert len(found) == len(expected)
    assert expected <= {each for finding in found for each in (finding.word, finding.text)}


# What FAILED means, faults of firmware, and what an owner asks.

PRO = {"critical_warning": 4, "available_spare": 100, "media_errors": 0}


def failed(model, used=104, **health):
    log = {**HEALTH, **PRO, "percentage_used": used, **health}
    report = json.loads(reports.nvme_json(model, health=log))
    report["smart_status"]["passed"] = False
    return smart.parse(json.dumps(report))


@pytest.mark.parametrize(("model", "word"), [
    ("Samsung SSD 970 PRO 512GB", "failed_used_up"),
    ("EXAMPLE NVMe 1TB", "failed_and_used_up"),
])  # fmt: skip
def test_failed_because_used_up_is_told_from_failed(model, word):
    report = failed(model)
    verdict = smart.verdict(report)
    assert words(report) == {word, "past_life"}
    assert (verdict.level, verdict.status) == ("warning", 1)
    assert "copy its data now" in verdict.text
    assert "without power" in verdict.text
    assert ("12 of 12" in verdict.findings[0].text) == (word == "failed_used_up")


@pytest.mark.parametrize("sign", [
    {"used": 99}, {"media_errors": 1}, {"available_spare": 5},
    {"critical_warning": 12}, {"critical_warning": 0x14}, {"critical_warning": 6},
], ids=str)  # fmt: skip
def test_a_second_sign_leaves_failed_critical(sign):
    verdict = smart.verdict(failed("Samsung SSD 970 PRO 512GB", **sign))
    assert verdict.level == "critical"
    assert "failed" in {finding.word for finding in verdict.findings}


def test_failed_by_wear_alone_and_a_drive_that_may_not_come_back_are_copied_first():
    rows = {9: 5_000, 173: (0, 2_100), 202: (0, 100), 246: 10**10, 247: 312_500_000, 248: 10**8}
    text = reports.ata("Crucial_CT525MX300SSD1", "M0CR040", 525 * 10**9, rows)
    text = text.replace("PASSED", "FAILED!")
    text = text.replace("000   000   000    - ", "000   000   001    NOW")
    verdict = smart.verdict(smart.parse(text))
    assert verdict.level == "warning"
    assert verdict.findings[0].word == "failed_used_up"
    gone = "184 End-to-End_Error        PO--CK   001   001   097    NOW  5"
    worse = smart.parse(text.replace("  9 Attribute", f"{gone}\n  9 Attribute"))
    assert smart.verdict(worse).level == "critical"
    report = dataclasses.replace(smart.parse(NVME), model="INTEL SSDSC2CT240A4", percent_used=91)
    found = smart.verdict(report).findings
    assert found[0].word == "copy_before_off"
    assert found[0].text.startswith("copy everything before you switch it off")
    assert smart.verdict(dataclasses.replace(report, percent_used=5)).findings == ()
    drive = {9: 9_000, 177: (99, 20), 241: 10**10}
    for blocks, word, level in ((0, "firmware_note", "none"), (1, "firmware_fault", "warning")):
        text = reports.ata("Samsung SSD 870 EVO 1TB", "SVT01B6Q", 10**12, {**drive, 5: blocks})
        verdict = smart.verdict(smart.parse(text.replace("Attribute_5 ", "Reallocated ")))
        assert (verdict.findings[0].word, verdict.level) == (word, level)
        assert "SVT02B6Q" in verdict.findings[0].text


@pytest.mark.parametrize(("model", "firmware", "hours", "word", "says"), [
    ("VO0480JFDGT", "HPD4", 30_000, "firmware_kills", "2,768 hours under power left until 32,768"),
    ("VO0480JFDGT", "HPD8", 30_000, None, ""),
    ("M4-CT128M4SSD2", "0001", 6_000, "firmware_fault", "6,000 hours under power, past 5,184"),
    ("M4-CT128M4SSD2", "0309", 6_000, None, ""),
    ("M4-CT128M4SSD2", "", 6_000, "firmware_note", "not known whether it applies"),
    ("Samsung SSD 980 PRO 2TB", "3B2QGXA7", 10, "firmware_fault", "5B2QGXA7"),
    ("Samsung SSD 980 PRO 2TB", "5B2QGXA7", 10, None, ""),
])  # fmt: skip
def test_a_fault_of_the_firmware_comes_first(model, firmware, hours, word, says):
    drive = {"model": model, "firmware": firmware or None, "power_on_hours": hours}
    report = dataclasses.replace(smart.parse(NVME), **drive)
    found = smart.verdict(report).findings
    assert [finding.word for finding in found][:1] == ([word] if word else [])
    assert not word or says in found[0].text


@pytest.mark.parametrize(("hours", "told"), [(0, False), (2, False), (999, False), (1_000, True)])
def test_years_are_told_from_a_thousand_hours_on(hours, told):
    report = nvme(power_on_hours=hours, percentage_used=11)
    assert (smart.forecast(report).wear is not None) is told
    if 0 < hours < 1_000:
        reason = f"too early to say: {hours:,} hours under power, and years need 1,000"
        assert smart.forecast(report).wear_unknown == reason
        assert smart.forecast(report, rated_bytes=1e15).rating_unknown == reason
        at_a_load = smart.forecast(report, rated_bytes=1e15, bytes_per_day=1e12)
        assert (at_a_load.wear_unknown, at_a_load.rating is not None) == (reason, True)
    assert smart.forecast(nvme(power_on_hours=hours, percentage_used=120)).wear in (None, (0, 0))


@pytest.mark.parametrize("used", range(1, 100, 7))
@pytest.mark.parametrize("hours", [300, 1_000, 8_801, 40_000])
def test_no_drive_is_fine_whose_life_ends_within_a_year_for_certain(used, hours):
    report = nvme(percentage_used=used, power_on_hours=hours)
    verdict, wear = smart.verdict(report), smart.forecast(report).wear
    soon = wear is not None and 12 * wear[1] < 12.5  # as it is written: 12 months
    assert ("ends_soon" in {one.word for one in verdict.findings}) is soon
    assert not soon or verdict.level == "warning"
    assert soon or used >= 90 or verdict.level == "none"


def test_a_life_that_ends_within_a_year_at_a_load_or_since_an_earlier_report_or_as_rated_counts():
    report = nvme(power_on_hours=20_000, percentage_used=20)
    assert smart.verdict(report).level == "none"
    assert smart.verdict(report, bytes_per_day=1e12).findings[0].word == "ends_soon"
    old = nvme(power_on_hours=19_800, percentage_used=15, data_units_written=15_000_000)
    since = smart.between(dataclasses.replace(old, time_s=None), report)
    assert since.forecast.wear[1] <= 1
    found = smart.verdict(report, since=since)
    assert found.level == "warning"
    assert found.findings[0].text.endswith("at the rate since the earlier report")
    unknown = smart.parse(reports.ata("A DRIVE", "1.0", 10**12, {9: 8_760}))
    unknown = dataclasses.replace(unknown, host_bytes_written=5 * 10**12)
    assert unknown.percent_used is None
    assert smart.verdict(unknown, rated_bytes=9e12).findings[0].word == "ends_soon"
    assert "ends_soon" not in {one.word for one in smart.findings(unknown, rated_bytes=11e12)}


_MX200 = ("Crucial_CT500MX200SSD1", "MU05", 500_107_862_016)


def worn_out(left, prefailure=True, passed=False, used=None, **rows):
    """Return a report of an MX200 whose counter of wear alone is at its threshold."""
    raw = 100 - left if used is None else used
    text = reports.ata(*_MX200, {9: 30_000, 202: (left, raw), 246: 10**11, **rows})
    row = next(line for line in text.split("\n") if line.startswith("202 "))
    flags = "P---CK" if prefailure else "----CK"
    failed = f"202 Percent_Lifetime_Remain {flags} {left:03} {left:03} 001 NOW {raw}"
    text = text.replace(row, failed)
    return text if passed else text.replace("result: PASSED", "result: FAILED!")


@pytest.mark.parametrize("prefailure", [True, False])
@pytest.mark.parametrize("left", [0, 1])
@pytest.mark.parametrize("passed", [True, False])
def test_a_drive_may_not_fail_at_any_time_by_its_count_of_wear_alone(left, prefailure, passed):
    text = worn_out(left, prefailure, passed)
    for report in (smart.parse(text), smart.parse(text.replace("MU05", "XX99"))):
        verdict = smart.verdict(report)
        assert verdict.level == "warning"
        assert "any time" not in verdict.text
    other = worn_out(left, prefailure, passed).replace(_MX200[0], "A NEW DRIVE")
    assert smart.verdict(smart.parse(other)).level == "warning"
    report = json.loads(reports.ata_json(*_MX200, {9: 30_000, 202: (left, 100 - left)}))
    (row,) = [r for r in report["ata_smart_attributes"]["table"] if r["id"] == 202]
    row |= {"thresh": 1, "when_failed": "now", "flags": {"prefailure": prefailure}}
    report["smart_status"] = {"passed": passed}
    report["smartctl"]["exit_status"] = 16 + 8 * (not passed)
    assert smart.verdict(smart.parse(json.dumps(report))).level == "warning"
    report["smartctl"]["exit_status"] = 8
    report["ata_smart_attributes"]["table"].remove(row)  # what failed is not in the report
    assert smart.verdict(smart.parse(json.dumps(report))).level == "critical"


@pytest.mark.parametrize(("row", "text", "used"), [
    # an attribute named like wear is none where the life used says otherwise
    ("232 Percent_Lifetime_Remain PO--CK   001   001   010    NOW  1",
     reports.ata(*_MX200, {9: 30_000, 202: (67, 33)}).replace("PASSED", "FAILED!"), 33),
    ("  5 Reallocated_Sectors     PO--CK   001   001   010    NOW  4000", worn_out(1), 99),
])  # fmt: skip
def test_a_failing_drive_may_fail_at_any_time_worn_or_not(row, text, used):
    report = smart.parse(text.replace("  9 Attribute", f"{row}\n  9 Attribute"))
    assert report.percent_used == used
    assert smart.verdict(report).level == "critical"


# What the log of errors of an NVMe drive lists, as smartctl prints it.

LOG = """\
Error Information (NVMe Log 0x01, 16 of 64 entries)
Num   ErrCount  SQId   CmdId  Status  PELoc          LBA  NSID    VS  Message
"""


def listed(*statuses, message=True, log=NVME, counted=640):
    log = log.rstrip("\n") + f"\nError Information Log Entries:      {counted}\n\n"
    rows = [
        f"{n:3} {counted - n:10}     3  0x9012  0x{status << 1 | 1:04x}  0x000     70411264     1"
        f"     -{'  A message' * message}\n" for n, status in enumerate(statuses)]  # fmt: skip
    return smart.parse(log + (LOG if message else LOG.replace("  Message", "")) + "".join(rows))


@pytest.mark.parametrize(("statuses", "word", "level"), [
    ((0x281,), "failed_once", "none"),  # unrecovered read error
    ((0x281, 0x281), "media_errors", "warning"),
    ((0x280, 0x002, 0x280), "media_errors", "warning"),  # write fault
    ((0x282, 0x282), "media_errors", "warning"),  # end-to-end check
    ((0x2182 & 0x7FF, 0x2182 & 0x7FF), "writes_refused", "warning"),
    ((0x002, 0x182), "failed_once", "none"),
    ((0x182, 0x182), "writes_refused", "warning"),
    ((0x002,), "refused_commands", "none"),  # invalid field
    ((0x109,), "refused_commands", "none"),  # invalid log page
    ((0x286,), "refused_commands", "none"),  # access denied
    ((0x006,), "refused_commands", "none"),  # internal error
    ((0x01C,), "refused_commands", "none"),  # sanitize failed
    ((0x082, 0x002), "refused_commands", "none"),  # not ready
    ((0x020, 0x020), "writes_refused", "warning"),  # write protected
])  # fmt: skip
@pytest.mark.parametrize("message", [True, False])
@pytest.mark.parametrize("more", [0, 0x4000, 0x6000])  # do not retry, more
def test_what_the_log_of_errors_lists_is_judged(statuses, word, level, message, more):
    report = listed(*(status | more for status in statuses), message=message)
    assert words(report) == {word}
    assert smart.verdict(report).level == level
    (found,) = smart.findings(report)
    assert "640" in found.text
    harmless = word == "refused_commands" and statuses[0] in (0x002, 0x109, 0x286)
    assert ("no fault" in found.text) is harmless


def test_the_log_of_errors_in_json_is_judged_alike_and_a_known_or_new_failure_by_its_counter():
    for kind, code, word in [(2, 0x81, "media_errors"), (1, 0x82, "writes_refused"), (0, 2, None)]:
        report = json.loads(NVME_JSON)
        status = {"value": kind << 8 | code, "status_code_type": kind, "status_code": code}
        row = {"status_field": status}
        report["nvme_error_information_log"] = {"table": [row, {}, row]}
        assert words(smart.parse(json.dumps(report)), "warning") == {word} - {None}
    row = "  0         52     5  0x2034  0x0502  0x000     55100416     1     -  Unrecovered\n"
    for text in (NVME.rstrip("\n") + f"\n\n{row}\n", f"{row}\n{NVME}"):
        assert words(smart.parse(text)) == {"failed_once"}
    (found,) = smart.findings(smart.parse(NVME + row))
    assert found.text == "1 failed read or write of 1 listed in the log of errors, which counts 1"
    (unlisted,) = smart.verdict(nvme(num_err_log_entries=640)).findings
    assert (unlisted.word, unlisted.level) == ("refused_commands", "note")
    assert "no fault" not in unlisted.text
    log = reports.nvme(health={**HEALTH, "media_errors": 1})
    assert words(listed(0x281, log=log)) == {"media_errors"}
    before = dataclasses.replace(listed(0x002), power_on_hours=100, time_s=None)
    after = dataclasses.replace(listed(0x281), power_on_hours=300)
    since = smart.between(before, after)
    assert since.faults == {"listed_media_errors": 1}
    (found,) = (f for f in smart.findings(after, since=since) if f.level == "warning")
    assert found.word == "media_errors"
    assert found.text.endswith("1 more than before")
    same = smart.between(dataclasses.replace(after, power_on_hours=100, time_s=None), after)
    assert same.faults == {}
    assert smart.verdict(after, since=same).level == "none"


def test_a_health_log_without_its_first_lines_is_judged_and_any_line_tells_an_nvme_drive():
    for line in NVME.split("\nSMART/Health")[1].rstrip().split("\n")[1:]:
        assert "Power" in line or smart.parse(f"{line}\n\n").kind == "nvme", line
    log = reports.nvme(health={**HEALTH, "percentage_used": 98, "available_spare": 5,
                               "available_spare_threshold": 10, "media_errors": 71})  # fmt: skip
    lost = "Critical Warning", "Data Units Written", "Model Number"
    kept = [line for line in log.split("\n") if not line.startswith(lost)]
    report = smart.parse("\n".join(kept))
    assert (report.percent_used, report.model) == (98, None)
    assert smart.verdict(report).level == "critical"


@pytest.mark.parametrize(("now", "limit", "warned", "critical", "hot"), [
    (88, 85, 0, 0, True), (84, 85, 0, 0, False), (85, 85, 0, 0, True),
    (88, None, 38_400, 1_250, True), (45, None, 2_000, 900, False), (88, None, 0, 0, True),
    (84, None, 0, 0, False),
    (60, 85, 2_000, 900, False), (30, -272, 0, 0, False),
])  # fmt: skip
def test_heat_above_the_limit_of_the_drive_is_said(now, limit, warned, critical, hot):
    report = json.loads(NVME_JSON)
    report["temperature"] = {"current": now}
    log = report["nvme_smart_health_information_log"]
    log |= {"warning_temp_time": warned, "critical_comp_time": critical}
    text = NVME.rstrip("\n") + f"\nTemperature:                        {now} Celsius\n"
    text += f"Warning  Comp. Temperature Time:    {warned:,}\n"
    text += f"Critical Comp. Temperature Time:    {critical:,}\n\n"
    if limit:
        report["nvme_composite_temperature_threshold"] = {"warning": limit, "critical": limit + 5}
        line = f"Warning  Comp. Temp. Threshold:     {limit} Celsius\n"
        text = text.replace("Firmware Version", f"{line}Firmware Version")
        assert line in text
    for one in (smart.parse(json.dumps(report)), smart.parse(text)):
        assert words(one, "warning") == ({"temperature"} if hot else set())
        assert ("was_hot" in words(one)) is (critical > 0 and not hot)


@pytest.mark.parametrize(("minutes", "word"), [(2_900, "was_hot"), (3_100, "overheated")])
def test_a_hundredth_of_the_time_above_a_limit_is_a_warning(minutes, word):
    health = {**HEALTH, "power_on_hours": 5_000}
    report = nvme(**health | {"warning_temp_time": minutes - 100, "critical_comp_time": 100})
    assert words(report) == {word}
    assert "2,800" in smart.findings(report)[0].text or minutes > 3_000
    worn = nvme(critical_warning=4, percentage_used=104, critical_comp_time=40)
    assert smart.verdict(dataclasses.replace(worn, temperature_c=90)).level == "warning"


def test_errors_on_the_cable_are_a_note_and_a_warning_once_they_rise():
    text = reports.ata("Samsung SSD 860 EVO 1TB", "RVT01B6Q", 10**12,
                       {9: 9_000, 177: (99, 20), 199: 61_240, 241: 10**10})  # fmt: skip
    text = text.replace("Attribute_199 ", "CRC_Error_Count ")
    report = smart.parse(text)
    (found,) = smart.findings(report)
    assert (found.word, found.level) == ("interface_errors", "note")
    assert "61,240" in found.text
    assert "cable" in found.advice
    old = smart.parse(text.replace("61240", "61000"))
    old = dataclasses.replace(old, power_on_hours=8_000, time_s=None)
    verdict = smart.verdict(report, since=smart.between(old, report))
    assert [found.word for found in verdict.findings] == ["interface_errors_rise"]
    assert verdict.level == "warning"
    assert verdict.findings[0].text.endswith("240 more than before")
    few = smart.parse(text.replace("61240", "9"))
    assert smart.findings(few) == ()


def health_log(used):
    return reports.nvme(health={**HEALTH, "percentage_used": used, "power_on_hours": 90_000})


def lines_of(used):
    lines = (f"{line}\n" for line in health_log(used).split("\n") if ": " in line)
    return "".join(line for line in lines if not line.startswith(("smartctl", "==")))


BARE = health_log(95)[health_log(95).index("SMART/Health") :]
HEADED = f"=== START OF SMART DATA SECTION ===\n{BARE}"
TABLE = "=== START OF READ SMART DATA SECTION ===\n" + SATA[SATA.index("Device Model") :]
FAMILY = reports.ata(*SAMSUNG, {**FINE, 177: (3, 40)})
FAMILY = "Model Family:     Samsung based SSDs\n" + FAMILY[FAMILY.index("Device Model") :]
HDPARM = f"/dev/sda:\n\nATA device, with non-removable media\n\tModel Number:       {SAMSUNG[0]}\n"


@pytest.mark.parametrize(("text", "used"), [
    # a second health log begins a second drive whatever the headings
    (f"{BARE}/dev/nvme1\n{BARE}", [95, 95]), (TABLE + HEADED, [3, 95]),
    # what hdparm says of a drive is no second drive
    (HDPARM + SATA, [3]), (f"{SATA}\n{HDPARM}", [3]),
    # a second model is one, of a table with its family
    *((lines_of(11) + join + lines_of(95), [11, 95]) for join in ("", "\n", "\n\n", "nvme1:\n")),
    (SATA + FAMILY, [3, 97]),
])  # fmt: skip
def test_a_second_health_log_or_model_begins_a_second_drive(text, used):
    drives = smart.parse_all(text)
    assert [drive.percent_used for drive in drives] == used
    levels = ["none" if one < 90 else "warning" for one in used]
    assert [smart.verdict(drive).level for drive in drives] == levels


@pytest.mark.parametrize(("link", "at", "word"), [
    (267_469, 8_990, "interface_errors_rise"), (267_469, 8_000, "interface_errors"),
    (267_469, 9_500, "interface_errors"), (500, 8_990, "interface_errors"), (5, 8_990, None),
])  # fmt: skip
def test_errors_on_the_cable_that_go_on_are_a_warning(link, at, word):
    text = reports.ata("NEW", "1", 10**12, {9: 9_000, 199: link})
    text = text.replace("Attribute_199 ", "CRC_Error_Count ")
    entry = f"\nError 7 [6] occurred at disk power-on lifetime: {at} hours (2 days + 1 hours)\n"
    found = words(smart.parse(text + entry))
    assert found & {"interface_errors_rise", "interface_errors"} == {word} - {None}
    table = [{"error_number": 7, "lifetime_hours": at}, {"lifetime_hours": 3}]
    log = json.dumps({"model_name": "NEW", "ata_smart_error_log": {"extended": {"table": table}}})
    assert smart.parse(log).last_error_hours == at == smart.parse(text + entry).last_error_hours


@pytest.mark.parametrize(("now", "level"), [(69, "warning"), (67, "unknown")])
def test_a_sata_drive_that_tells_no_limit_is_held_against_the_usual_one(now, level):
    report = smart.parse(reports.ata("NEW", "1", 10**12, {9: 9_000}))
    hot = dataclasses.replace(report, temperature_c=now)
    assert smart.verdict(hot).level == level
    raw = f"{now + (12 << 16) + (75 << 32)}"  # least and most above it
    text = reports.ata("NEW", "1", 10**12, {9: 9_000, 194: 7_777})
    text = text.replace("Attribute_194 ", "Temperature_Cel ").replace("7777", raw)
    assert smart.parse(text).temperature_c == now
    assert smart.parse(text.replace("Temperature_Cel", "Something_Other")).temperature_c is None


def test_what_speaks_against_a_drive_outweighs_what_explains_it_and_a_life_used_up_by_no_writes():
    blocks = {**FINE, 5: (15, 8192)}  # a value that fell takes the count seriously
    assert words(sata(blocks, old="Attribute_5 ", new="Reallocated ")) == {"reallocated_blocks"}
    mx500 = reports.ata(attributes={9: 900, 197: (100, 2)})
    named = mx500.replace("Attribute_197", "Current_Pending")
    assert "pending_sectors" in words(smart.parse(named))
    hot = nvme(**{**HEALTH, "critical_warning": 2})
    assert words(dataclasses.replace(hot, passed=False)) == {"temperature"}
    caution = dataclasses.replace(nvme(), said="CrystalDiskInfo judges it: Caution")
    assert words(caution) == {"other_program"}
    apart = dataclasses.replace(nvme(), percent_used=5, worse_percent_used=95)
    assert words(apart) == {"contradiction"}
    spinning = dataclasses.replace(nvme(), flags=("rotating",), passed=False)
    assert smart.verdict(spinning).level == "critical"
    used = nvme(percentage_used=118, data_units_written=10**6)  # 512 GB
    found = {f.word: f for f in smart.findings(used, 150e12)}
    assert found.keys() == {"past_life", "contradiction"}
    assert "118 % of its life" in found["contradiction"].text
    assert "0.34 % of what it is rated for" in found["contradiction"].text
    assert "contradiction" not in {f.word for f in smart.findings(used, 8e12)}  # 6.4 %
