"""What is no solid-state drive, or stands before one, is named, with what to do."""

import dataclasses
import math
import re

import pytest
import reports

from flashwear import smart

SCSI = reports.printed("no_smart")
CRYSTAL = reports.printed("crystaldiskinfo")
DETAILS = reports.printed("crystaldiskinfo_details")
INI = reports.printed("crystaldiskinfo_kept")
DISK = reports.printed("crystaldiskinfo_disk")


@pytest.mark.parametrize(("vendor", "product", "flag", "advice"), [
    ("DELL", "PERC H710", "raid_volume", "megaraid,N"),
    ("AVAGO", "MR9361-8i", "raid_volume", "megaraid,N"),
    ("Intel", "RS3DC080", "raid_volume", "megaraid,N"),
    ("HP", "LOGICAL VOLUME", "raid_volume", "cciss,N"),
    ("Intel", "Raid 1 Volume", "raid_volume", "megaraid,N"),
    ("LSI", "Logical Volume", "raid_volume", "megaraid,N"),
    ("DELL", "Virtual Disk", "raid_volume", "megaraid,N"),
    ("Msft", "Virtual Disk", "virtual_disk", "host"),
    ("VMware", "Virtual disk", "virtual_disk", "host"),
    ("QEMU", "QEMU HARDDISK", "virtual_disk", "host"),
    ("Google", "PersistentDisk", "virtual_disk", "host"),
    ("HL-DT-ST", "DVDRAM GH24NSC0", "optical_disc", "optical"),
    ("TSSTcorp", "CDDVDW SH-224DB", "optical_disc", "optical"),
    ("Generic-", "SD/MMC Card Reader", "memory_card", "stick"),
    ("Kingston", "DataTraveler 3.0", "memory_card", "stick"),
    ("JMicron", "Generic", "usb_bridge", "sntjmicron"),
    ("ASMT", "2115", "usb_bridge", "sntasmedia"),
    ("Realtek", "RTL9210B NVME", "usb_bridge", "sntrealtek"),
])  # fmt: skip
def test_it_is_named_with_what_to_do(vendor, product, flag, advice):
    report = smart.parse(SCSI.format(vendor=vendor, product=product))
    assert flag in report.flags
    verdict = smart.verdict(report)
    assert (verdict.level, verdict.status) == ("unknown", 3)
    assert advice in verdict.text
    assert "backup" not in verdict.text
    assert smart.forecast(report).wear is smart.forecast(report).rating is None


@pytest.mark.parametrize("product", ["SSDSC2KB240G8", "PX05SMB040", "SDLL1HLR400GCCA1", "S3700"])
def test_a_drive_is_none_of_them_and_a_virtual_disk_is_one_whatever_it_reports(product):
    report = smart.parse(SCSI.format(vendor="ACME", product=product))
    assert set(smart.NO_DRIVE) & set(report.flags) == {"no_smart"}
    drive = SCSI.format(vendor="ACME", product=product).replace("Unavailable - device lacks", "on")
    assert not set(smart.NO_DRIVE) & set(smart.parse(drive).flags)
    for model in ("VBOX HARDDISK", "QEMU HARDDISK", "VMware Virtual NVMe Disk"):
        for report in (reports.ata(model, "1.0", 10**10, {9: 5}), reports.nvme_json(model, "1.0")):
            assert "virtual_disk" in smart.parse(report).flags
    behind = reports.ata("ASMT 2115", "0", 10**12, {9: 20_000, 177: (60, 800), 241: 10**11})
    assert "usb_bridge" not in smart.parse(behind).flags


@pytest.mark.parametrize(("names", "rotation", "spins"), [
    ({3: "Spin_Up_Time", 193: "Load_Cycle_Count"}, None, True),
    ({3: "Spin_Up_Time", 7: "Seek_Error_Rate"}, None, True),
    ({3: "Spin_Up_Time", 7: "Seek_Error_Rate"}, "Solid State Device", False),
    ({3: "Spin_Up_Time"}, None, False),
    ({3: "Unknown_Attribute", 193: "Load_Cycle_Count"}, None, False),
])  # fmt: skip
def test_an_old_report_of_a_hard_disk_shows_it_by_its_counters(names, rotation, spins):
    rows = {number: (100, 7, name) for number, name in names.items()}
    text = reports.ata("WDC WD20EARX-00PASB0", "51.0AB51", 2 * 10**12, {9: 5, **rows})
    if rotation is None:
        text = text.replace("Rotation Rate:    Solid State Device\n", "")
    report = smart.parse(text)
    assert ("rotating" in report.flags) == spins
    if spins:
        assert "hard disk" in smart.verdict(report).text


@pytest.mark.parametrize(("said", "tries"), [
    ("/dev/sdb: Unknown USB bridge [0x152d:0x0583 (0x209)]", "sntjmicron, sat"),
    ("/dev/sdb: Unknown USB bridge [0x174c:0x2362 (0x100)]", "sntasmedia, sat"),
    ("/dev/sdb: Unknown USB bridge [0x0bda:0x9210 (0xf0)]", "sntrealtek, sat"),
    ("/dev/sdb: Unknown USB bridge [0x1234:0x0001 (0x1)]", "sat, sntjmicron"),
    ("/dev/mmcblk0: Unable to detect device type", "life_time"),
    ("eMMC Life Time Estimation A [EXT_CSD_DEVICE_LIFE_TIME_EST_TYP_A]: 0x00", "life_time"),
])  # fmt: skip
def test_what_smartctl_cannot_open_gets_advice(said, tries):
    text = f"smartctl 7.2 2020-12-30 r5155 [x86_64-linux-5.10.0] (local build)\n\n{said}\n"
    with pytest.raises(smart.Unreadable, match=tries):
        smart.parse(text)


@pytest.mark.parametrize(("critical", "used"), [("Critical Warning", "Percentage Used"),
                                                ("クリティカルワーニング", "使用率")])  # fmt: skip
def test_the_text_of_crystaldiskinfo_in_any_language(critical, used):
    text = CRYSTAL.format(critical=critical, used=used)
    one, two = smart.parse_all(text)
    assert (one.model, one.firmware, one.kind) == (
        "Samsung SSD 970 EVO Plus 1TB", "2B2QEXM7", "nvme",
    )  # fmt: skip
    assert (one.percent_used, one.power_on_hours, one.temperature_c) == (4, 5_000, 40)
    assert one.host_bytes_written == 50_000_000 * 512_000
    assert (one.capacity_bytes, one.passed, one.flags) == (1_000_200_000_000, True, ())
    assert (two.percent_used, two.power_on_hours, two.average_erases) == (40, 20_000, 800)
    assert (two.host_bytes_written, two.passed) == (100_000_000_000 * 512, False)
    assert (two.attributes[5].name, two.attributes[9].name) == (
        "Reallocated Sector Count", "Power-on Hours",
    )  # fmt: skip
    assert smart.verdict(one).level == "none"
    assert smart.verdict(two).level == "critical"
    assert "PRIVATE" not in repr(one.as_dict())
    second = text[text.index("           Model : Samsung SSD 850") :]
    spoilt = smart.parse(second.replace("05 100", "05 1OO"))
    assert "rows_unread" in spoilt.flags
    (pasted,) = smart.parse_all("> " + text[: text.index("-- IDENT")].replace("\n", "\r\n> "))
    assert pasted.percent_used == 4
    for cut in ("01 0000", "-- S.M.A.R.T. -"):  # without a counter
        with pytest.raises(smart.Unreadable, match=r"CrystalDiskInfo|no report"):
            smart.parse(CRYSTAL[: CRYSTAL.index(cut)])


HEALTH_LOG = re.sub(r"(data_units_written\s*: ).*", r"\g<1>2,962,000", reports.smart_log())
ROWS = "nand_bytes_written {}90000\nhost_bytes_written {}45197\n"
INTEL = {
    "text": "Additional Smart Log for NVME device:nvme0 namespace-id:ffffffff\n"
    "key                               normalized raw\n"
    "wear_leveling                   : 100%       min: 3, max: 5, avg: 4\n"
    + ROWS.replace("{}", ": 100%       sectors: "),
    "text of 2.x": "Additional Smart Log for NVME device:nvme0n1 namespace-id:ffffffff\n"
    "ID             KEY                                 Normalized     Raw\n"
    "0xad    wear_leveling_count                            100         17180196867\n"
    "0xf4    nand_bytes_written                             100         90000\n"
    "0xf5    host_bytes_written                             100         45197\n",
    "JSON": '{"Intel Smart log": {"wear_leveling": '
    '{"normalized": 100, "min": 3, "max": 5, "avg": 4},'
    '"nand_bytes_written": {"normalized": 100, "raw": 90000},'
    '"host_bytes_written": {"normalized": 100, "raw": 45197}}}',
}  # fmt: skip


@pytest.mark.parametrize("log", INTEL.values(), ids=INTEL)
def test_the_log_of_intel_counts_flash_writes(log):
    report = smart.parse(log)
    assert report.nand_bytes_written == 90_000 * 2**25
    assert report.host_bytes_written == 45_197 * 2**25
    assert report.waf == pytest.approx(90_000 / 45_197)
    assert report.average_erases == 4
    (joined,) = smart.parse_all(f"{HEALTH_LOG}{log}")
    assert joined.nand_bytes_written == 90_000 * 2**25
    assert joined.percent_used == 3


SYS = """\
$ cat /sys/block/mmcblk0/device/life_time
{life}
$ cat /sys/block/mmcblk0/device/pre_eol_info
{end}
"""
EXTCSD = """\
eMMC Life Time Estimation A [EXT_CSD_DEVICE_LIFE_TIME_EST_TYP_A]: {a}
eMMC Life Time Estimation B [EXT_CSD_DEVICE_LIFE_TIME_EST_TYP_B]: {b}
eMMC Pre EOL information [EXT_CSD_PRE_EOL_INFO]: {end}
"""


@pytest.mark.parametrize(("a", "b", "end", "used", "least", "level", "words"), [
    ("0x03", "0x02", "0x01", 30, (20, 30), "none", []),
    ("0x01", "0x01", "0x01", 10, (0, 10), "none", []),
    ("0x00", "0x0a", "0x02", 100, (90, 100), "warning", ["spare_low", "past_life"]),
    ("0x0b", "0x04", "0x03", 100, (100, math.inf), "critical",
     ["spare_below_threshold", "past_life"]),
    ("0x09", "0x0A", "0x01", 100, (90, 100), "warning", ["past_life"]),
])  # fmt: skip
def test_an_emmc_tells_its_wear_in_tenths(a, b, end, used, least, level, words):
    texts = [SYS.format(life=f"{a} {b}", end=end), EXTCSD.format(a=a, b=b, end=end),
             f"/sys/block/mmcblk0/device/life_time:{a} {b}\n"
             f"/sys/block/mmcblk0/device/pre_eol_info:{end}\n"]  # fmt: skip
    for text in texts:
        report = smart.parse(text)
        assert (report.kind, report.percent_used) == ("emmc", used)
        assert report.percent_used_range == least
        verdict = smart.verdict(report)
        assert (verdict.level, [found.word for found in verdict.findings]) == (level, words)


def test_an_emmc_that_tells_nothing_is_no_report_and_one_beside_a_drive_does_not_take_its_place():
    with pytest.raises(smart.Unreadable):
        smart.parse(SYS.format(life="0x00 0x00", end=""))
    drive = "Device Model:     EXAMPLE SSD\n"
    report = smart.parse(drive + SYS.format(life="0x0b 0x04", end="0x03"))
    assert (report.kind, report.model) == ("ata", "EXAMPLE SSD")


def test_the_details_and_what_is_kept_by_crystaldiskinfo_are_read():
    report = smart.parse(DETAILS.format(interface="NVM Express", health="Good (96 %)"))
    assert (report.kind, report.percent_used, report.power_on_hours) == ("nvme", 4, 7_300)
    assert report.host_bytes_written == pytest.approx(28_700 * 2**30, abs=512_000)
    assert (report.told_left, report.temperature_c) == (96, 44)
    assert smart.verdict(report).level == "none"
    assert smart.verdict(dataclasses.replace(report, passed=None)).level == "unknown"
    sata = smart.parse(DETAILS.format(interface="Serial ATA", health="Good (52 %)"))
    assert (sata.kind, sata.percent_used, sata.told_left) == ("ata", None, 52)
    assert smart.verdict(sata).level == "unknown"
    with pytest.raises(smart.Unreadable, match="no table"):
        smart.parse("           Model : EXAMPLE SSD\n       Interface : Serial ATA\n")
    rows = "05=98\nB1=9\nReallocatedSectorsCount=4\nCurrentPendingSectorCount={pending}"
    report = smart.parse(INI.format(health=3, left=9, rows=rows.format(pending=2)))
    assert (report.kind, report.passed, report.told_left) == ("ata", False, 9)
    assert (report.power_on_hours, report.temperature_c) == (9_120, 34)
    words = {finding.word for finding in smart.verdict(report).findings}
    assert words == {"failed", "pending_sectors", "some_reallocated", "worn"}
    warned = smart.parse(INI.format(health=2, left=60, rows="05=100\nC2=66"))
    assert [found.word for found in smart.findings(warned)] == ["other_program"]
    report = smart.parse(INI.format(health=1, left=11, rows=rows.format(pending=0)))
    found = smart.verdict(report)
    assert (report.passed, report.model, found.level) == (True, None, "unknown")
    low = smart.parse(INI.format(health=2, left=91, rows="05=10\nC2=66"))
    assert (low.passed, smart.verdict(low).findings[0].word) == (None, "attribute_low")
    report = smart.parse(INI.format(health=1, left=91, rows="01=100\n0F=0"))
    assert (report.kind, report.percent_used, report.power_on_hours) == ("nvme", 9, 9_120)
    assert report.host_bytes_written == pytest.approx(28_700 * 2**30, abs=512_000)
    with pytest.raises(smart.Unreadable, match="lacks what the drive says now"):
        smart.parse("[EXAMPLE SSDS3ZTHRESHOLD]\n05=10\n")


@pytest.mark.parametrize(("spin", "loads", "turns"), [
    ("000000001707", "00000000005C", True), ("000000000000", "000000000000", False),
])  # fmt: skip
def test_a_disk_that_turns_is_known_by_its_counters(spin, loads, turns):
    assert ("rotating" in smart.parse(DISK.format(spin=spin, loads=loads)).flags) is turns
