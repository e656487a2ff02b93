"""The life used of SATA drives whose report has no device statistics, or wrong ones."""

import json

import pytest
import reports

from flashwear import cli, smart


def read(model, firmware, attributes, statistics=None, capacity=480_103_981_056):
    drive = model, firmware, capacity, {9: 20_000, **attributes}, statistics
    return smart.parse(reports.ata(*drive))


A400 = ("KINGSTON SA400S37960G", "SBFK61F1")
WD = ("WDC WDS500G2B0A-00SM50", "401000WD")
WD_ROWS = {173: 120, 233: 64_000, 234: 90_000, 241: 60_000}
TOLD = {
    "Kingston A400 whose value counts up": (
        *A400, {231: (0, 100), 233: 1_500, 241: 1_100, 244: 2}, 0),
    "Kingston KC400 whose value stands still": (
        "KINGSTON SKC400S371T", "SAFM02.H", {231: (100, 74), 233: 380_000, 241: 300_000, 244: 800},
        26),
    "Kingston A400 whose raw value counts up": (
        "KINGSTON SA400S37120G", "03070009", {231: (93, 7), 233: 40_000, 241: 30_000, 244: 76}, 7),
    "Kingston UV400": ("KINGSTON SUV400S37240G", "0C3J96R9", {231: (70, 30), 233: 9, 241: 8}, 30),
    "Phison": ("GIGABYTE GP-GSTFS31120GNTD", "SBFM61.3", {231: (100, 77), 241: 9_000}, 23),
    "three words of WD": (*WD, {230: "0x14000c3a1400", **WD_ROWS}, 12),
    "printed as one number": (*WD, {230: 2_147_504_947_719, **WD_ROWS}, 1),
    "printed as three": (*WD, {230: "30510 36636 36636", **WD_ROWS}, 143),
    "a trade name of WD": (
        "WD Red SA500 2.5 4TB", "540400WD", {230: "0x14000c3a1400", **WD_ROWS}, 12),
    "another": ("SD Ultra 3D 4TB", "540400WD", {230: "0x14000c3a1400", **WD_ROWS}, 12),
    "and another": ("MILAN II 1TB", "540400WD", {230: "0x14000c3a1400", **WD_ROWS}, 12),
    "CloudSpeed": ("SDLFODAR-480G-1HA1", "ZR13RP52", {241: 60_000, 245: (62, 62)}, 38),
    "HPE": ("MK000960GWEZK", "HPGE", {173: (88, 800)}, 12),
    "Toshiba KHK61": ("TOSHIBA KHK61RSE1T92", "5702", {173: 7, 233: (93, 7), 241: 900_000}, 7),
    "Toshiba, from 200 down": (
        "TOSHIBA THNSNJ960PCSZ", "JZET6102", {173: (184, 5), 174: (170, 9), 241: 900_000}, 30),
    "Silicon Motion": (
        "TS32GMTS400", "N1126I", {167: 150, 168: 3_000, 169: 95, 232: 100, 241: 30_000, 245: 9}, 5),
    "a drive whose line misleads": ("VK0240GECQN", "HPG0", {173: (97, 427)}, None),
    "Intel with a last letter L": (
        "INTEL SSDSC2BB120G4L", "D201LD12", {225: 90_000, 233: (96, 0), 241: 90_000}, 4),
}  # fmt: skip
UNSURE = {
    "169 stands still": (
        "ADATA SU800", "Q0518BS", {167: 293, 168: 1_500, 169: 100, 232: 100, 241: 9, 245: 9}, 0),
    "no erases beside 169": (
        "ADATA SU650", "V8X01c55", {167: 0, 168: 0, 169: 100, 232: 100, 241: 9, 245: 9}, 0),
    "SandForce whose value fell for another reason": (
        "KINGSTON SV300S37A240G", "583ABBF0", {231: (1, 0), 233: 91_000, 241: 90_000}, 99),
    "545s, without a witness": (
        "INTEL SSDSC2KW128G8", "LHF002C", {225: 9, 241: 9, 249: 9_000, 233: (93, 0)}, 7),
}  # fmt: skip


@pytest.mark.parametrize("case", TOLD | UNSURE)
def test_is_told_and_for_certain_where_it_can_be(case):
    *drive, used = (TOLD | UNSURE)[case]
    report = read(*drive)
    assert report.percent_used == used
    doubted = {"life_used_unconfirmed", "life_used_disagree"} & set(report.flags)
    assert bool(doubted) == (case in UNSURE)
    assert case in TOLD or smart.verdict(report).level == "unknown"


def test_unseen_firmware_contradicted_statistics_and_stopped_counters_are_told():
    rows = {230: "0x14000c3a1400", **WD_ROWS}
    report = read("WDC WDS500G2B0A-00SM50", "999999WD", rows)
    assert (report.percent_used, report.flags) == (12, ("firmware_unseen",))
    assert smart.verdict(report).level == "none"
    assert read("WDC WDS500G2B0A-00SM50", "999999WD", rows, {"percentage_used": 12}).flags == ()
    # firmwares of HPE have the same names on all lines: there the line counts
    assert read("MK000960GWEZK", "HPGE", {173: 88}).flags == ("firmware_unseen",)
    assert read("VK000960GWSXK", "HPG9", {173: 88}).flags == ()
    report = read("KINGSTON SUV400S37240G", "0C3J96R9", {231: (0, 100), 233: 900, 241: 800})
    assert (report.percent_used, report.flags) == (100, ("life_used_stops",))
    assert report.percent_used_range == (94, float("inf"))
    rows = {231: (55, 55), 233: 1_600_000, 241: 900_000, 244: 2_242}
    report = read("KINGSTON SEDC500M480G", "SCEKJ2.3", rows, {"percentage_used": 0})
    assert (report.percent_used, report.flags) == (45, ("life_used_contradicted",))
    worn = {231: (100, 0), 233: 700_000, 241: 600_000, 244: 1_440}  # of 1,000
    report = read("KINGSTON SA400S37480G", "SBFKB1C2", worn, {"percentage_used": 0})
    assert report.percent_used == 100
    assert "life_used_contradicted" in report.flags
    # too much in the statistics is left: erases tell the life used roughly
    rows = {231: (87, 87), 233: 40_000, 241: 9_000, 244: 133}
    assert read(*A400, rows, {"percentage_used": 22}).percent_used == 22


def test_the_worse_of_two_counts_is_told_where_they_lie_apart(tmp_path, capsys):
    model, firmware = "WDC WDS500G2B0A-00SM50", "401000WD"
    rows = {230: "0x30000c3a1400", **WD_ROWS}
    report = read(model, firmware, rows)
    assert (report.percent_used, report.worse_percent_used) == (12, 48)
    (tmp_path / "report.txt").write_text(reports.ata(model, firmware, 10**12, {9: 20_000, **rows}))
    assert cli.main(["smart", str(tmp_path / "report.txt")]) == 0
    assert "48 % by the worse of its two counts" in capsys.readouterr().out
    assert read(model, firmware, rows, {"percentage_used": 12}).worse_percent_used == 48
    for outer, worse in (("11", None), ("12", 18)):
        report = read(model, firmware, {230: f"0x{outer}000c3a1400", **WD_ROWS})
        assert report.worse_percent_used == worse
    rows.pop(234)  # a drive without a cache of SLC, whose words mean something else
    assert read("SanDisk SDSSDHP256G", "X2306RL", rows).worse_percent_used is None


@pytest.mark.parametrize(("left", "packed", "used"), [
    (84, 16 << 32 | 115, 16), (99, 1 << 32 | 7, 1), (84, 17 << 32, 16), (84, 18 << 32, None),
])  # fmt: skip
def test_life_left_beside_what_is_used_in_a_packed_number_is_read_by_its_name(left, packed, used):
    report = smart.parse(
        "Device Model:     EXAMPLE SSD 240GB\n"
        "ID# ATTRIBUTE_NAME          FLAGS    VALUE WORST THRESH FAIL RAW_VALUE\n"
        f"201 Lifetime_Remaining%     PO---K   {left:03}   {left:03}   005    -    {packed}\n\n"
    )
    assert report.percent_used == used


def smartctl_75(**more):
    report = json.loads(reports.ata_json("ACME SATA 512", "1", attributes={12: 10}, **more))
    report["endurance_used"] = {"current_percent": 37}
    report["spare_available"] = {"current_percent": 88, "threshold_percent": 10}
    return smart.parse(json.dumps(report))


def test_names_that_say_what_they_are_and_what_smartctl_tells_count_where_erases_agree():
    report = smartctl_75()
    assert report.percent_used == 37
    assert report.rules["percent_used"] == "smartctl endurance_used"
    assert report.health == {"available_spare": 88, "available_spare_threshold": 10}
    assert smart.verdict(report).level == "none"
    assert smartctl_75(statistics={"percentage_used": 12}).percent_used == 12
    report = named([(173, "Ave_Block-Erase_Count", 91, 140),
                    (202, "Percent_Lifetime_Remain", 91, 9),
                    (246, "Total_Host_Sector_Write", 100, 53_000_000_000)])  # fmt: skip
    assert (report.percent_used, report.host_bytes_written) == (9, 53_000_000_000 * 512)
    assert set(report.flags) == {"unknown_family", "life_used_by_name", "host_unit_unverified"}
    report = named([(167, "Average_Erase_Count", 100, 150),
                    (168, "Max_Erase_Count_of_Spec", 100, 3_000),
                    (169, "Remaining_Lifetime_Perc", 95, 95)])  # fmt: skip
    assert (report.percent_used, "life_used_by_name" in report.flags) == (5, True)
    report = named([(167, "Average_Erase_Count", 100, 1_450),
                    (169, "Remaining_Lifetime_Perc", 92, 92),
                    (241, "Host_Writes_32MiB", 100, 150_000)])  # fmt: skip
    assert (report.percent_used, report.host_bytes_written) == (8, 150_000 * 2**25)
    assert {"life_used_unconfirmed", "host_unit_unverified"} < set(report.flags)
    assert smart.verdict(report).level == "unknown"


def named(rows):
    """Return a report of no drive whose rows have names: (number, name, value, raw)."""
    table = {number: (value, raw, name) for number, name, value, raw in rows}
    return smart.parse(reports.ata(attributes=table, layout="old", options="-A"))


@pytest.mark.parametrize(("name", "value", "raw"), [
    ("Percent_Lifetime_Remain", 100, 55),  # one of the two means something else
    ("SSD_Life_Left", 100, 41),  # a temperature
    ("Remaining_Lifetime_Perc", "---", 97),  # beside 14,000 erases of 5,000
    ("Media_Wearout_Indicator", 50, 50),  # a name of many meanings
])  # fmt: skip
def test_a_name_that_the_numbers_do_not_bear_out_is_left(name, value, raw):
    rows = [(208, "Average_Erase_Count", 100, 14_000), (209, name, value, raw)]
    assert named(rows).percent_used is None


@pytest.mark.parametrize(("name", "unit"), [
    ("Host_Writes_MiB", 2**20), ("Lifetime_Writes_GiB", 2**30), ("Total_Writes_GB", 10**9),
])  # fmt: skip
def test_a_unit_in_a_name_is_used_and_marked(name, unit):
    report = named([(241, name, 100, 5_000), (243, "NAND_Writes_1GiB", 100, 9_000)])
    assert report.host_bytes_written == 5_000 * unit
    assert report.nand_bytes_written == 9_000 * 2**30
    assert {"host_unit_unverified", "nand_unit_unverified"} < set(report.flags)
