"""One drive in every layout that smartctl has printed, whole, cut and spoilt."""

import copy
import dataclasses
import io
import json
import pickle

import pytest
import reports

from flashwear import smart

DRIVE = {
    "model": "Crucial_CT750MX300SSD1",
    "firmware": "M0CR011",
    "capacity": 750_156_374_016,
    "attributes": {5: 1, 9: 46_948, 12: 48, 173: (61, 390), 194: (56, "44 (Min/Max 18/56)"),
                   202: (61, 39), 246: 113_239_502_265, 247: 3_633_824_371, 248: 11_439_462_313},
}  # fmt: skip
STATISTICS = {"power_on_hours": 46_948, "sectors_written": 113_239_502_265,
              "write_commands": 3_316_747_464, "sectors_read": 394_514_942_983,
              "percentage_used": 39}  # fmt: skip
FULL = reports.ata(**DRIVE, statistics=STATISTICS)


def same(one, other, *but):
    drop = dict.fromkeys(but)
    return dataclasses.asdict(one) | drop == dataclasses.asdict(other) | drop


def test_the_figures():
    report = smart.parse(FULL)
    assert (report.model, report.firmware) == ("Crucial_CT750MX300SSD1", "M0CR011")
    assert (report.kind, report.family) == ("ata", "crucial-mx300")
    assert (report.smartctl, report.year, report.passed) == ("7.1", 2022, True)
    assert report.host_bytes_written == 113_239_502_265 * 512
    assert report.nand_bytes_written == (3_633_824_371 + 11_439_462_313) * 16_384
    assert report.waf == report.nand_bytes_written / report.host_bytes_written
    assert report.flags == ()
    assert report.rules == {"power_on_hours": "attribute 9 raw",
                            "host_bytes_written": "246 x 512 B",
                            "nand_bytes_written": "(247+248) x 16 KiB",
                            "average_erases": "attribute 173 raw", "percent_used": "202 raw",
                            "waf_pages": "(247+248)/247",
                            "rated_bytes": "documents of this study"}  # fmt: skip
    assert report.statistics == STATISTICS
    assert report.attributes[194].raw == 44
    assert report.attributes[173].value == 61
    assert smart.parse(FULL.replace("PASSED", "UNKNOWN!")).passed is None
    for text in (FULL, reports.ata_json(**DRIVE)):
        assert "PRIVATE-SERIAL-1" in text
        assert "PRIVATE" not in repr(smart.parse(text).as_dict())
    names = smart.parse(FULL[: FULL.index("SMART Attributes")])
    assert (names.flags, names.family) == (("no_counters",), "crucial-mx300")
    model = smart.parse(FULL.replace(DRIVE["model"], "\x1b[31mEVIL\x07" + "x" * 500)).model
    assert model.startswith("EVILxxx")  # without control characters
    assert len(model) <= 80
    as_json = smart.parse(reports.ata_json(**DRIVE))
    assert as_json.attributes[194].text == "44 (Min/Max 18/56)"


@pytest.mark.parametrize("version", ["6.5", "7.0", "7.5"])
@pytest.mark.parametrize("layout", ["brief", "old"])
def test_text_of_every_version_and_layout(version, layout):
    text = reports.ata(**DRIVE, statistics=STATISTICS, version=version, layout=layout)
    report = smart.parse(text)
    assert same(report, smart.parse(FULL), "smartctl")
    assert report.smartctl == version


def test_short_reports_device_statistics_of_smartctl_6_4_and_names_that_touch_the_flags():
    report = smart.parse(reports.ata(**DRIVE, statistics=STATISTICS, options="-a", layout="old"))
    assert same(report, smart.parse(FULL), "statistics")
    assert report.statistics == {}
    report = smart.parse(reports.ata(**DRIVE, options="-A", layout="old"))
    assert (report.model, report.family, report.flags) == (None, None, ("unknown_family",))
    assert report.host_bytes_written is report.percent_used is None
    assert report.power_on_hours == 46_948
    old = FULL.replace(
        "0x07  0x008  6              39  ---  Perc", "  7  0x008  1              39~ Perc"
    )
    old = old.replace("0x01  0x018  6    113239502265  ---", "  1  0x018  6    113239502265 ")
    assert old.count("~") == 1
    assert same(smart.parse(old), smart.parse(FULL))
    for layout, flags in (("brief", "-O--CK"), ("old", "0x0032")):
        text = reports.ata(**DRIVE, layout=layout)
        touching = f"Total_Host_Sectors-Written{flags}"
        long = text.replace(f"Attribute_246           {flags}", touching)
        assert long != text
        assert smart.parse(long).host_bytes_written == 113_239_502_265 * 512


def test_sectors_of_4096_bytes_whole_drives_and_cold_ones():
    drive = reports.ata("MK001920GWJPQ", "1", 10**12, {9: 5}, {"sectors_written": 10**9})
    large = drive.replace("Rotation", "Sector Size:      4096 bytes logical/physical\nRotation")
    assert smart.parse(large).host_bytes_written == 4096 * 10**9
    sizes = "Sector Sizes:     512 bytes logical, 4096 bytes physical\nRot"
    small = drive.replace("Rotation", sizes)
    assert smart.parse(small).host_bytes_written == 512 * 10**9
    text = reports.ata_json("MK001920GWJPQ", "1", 5, {9: 5}, {"sectors_written": 10**9})
    report = json.loads(text)
    report["logical_block_size"] = 4096
    assert smart.parse(json.dumps(report)).host_bytes_written == 4096 * 10**9
    report = json.loads(reports.nvme_json(capacity=8 * 10**12, health={"temperature": -5}))
    report["user_capacity"] = {"bytes": 10**12}  # the whole of an NVMe drive is its capacity
    assert smart.parse(json.dumps(report)).capacity_bytes == 8 * 10**12
    assert smart.parse(json.dumps(report)).flags == ()
    cold = reports.nvme(health={"percentage_used": 3}).replace("Crit", "Temperature: -5 C\nCrit")
    assert smart.parse(cold).flags == ()


@pytest.mark.parametrize(
    "number", ["750.156,374,016", "750,156,374,01", "7,5", "750,156x", "9" * 50]
)
def test_numbers_that_are_none(number):
    report = smart.parse(FULL.replace("750,156,374,016", number))
    flags = ("number_unreadable", "life_used_unconfirmed")
    assert (report.capacity_bytes, report.flags) == (None, flags)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_files_of_other_systems(tmp_path, encoding, line_end):
    path = tmp_path / "report.txt"
    path.write_bytes(FULL.replace("\n", line_end).encode(encoding))
    report = smart.read(path)
    assert same(report, smart.parse(FULL))
    assert same(smart.read(str(path)), report)
    with path.open("rb") as file:
        assert same(smart.read(file), report)
        assert not file.closed


def test_text_that_is_cut_is_flagged_at_its_end_and_not_at_its_start():
    start = FULL.index("=== START OF INFORMATION")
    assert same(smart.parse(FULL[start:]), smart.parse(FULL), "smartctl")
    text = FULL.replace("=== START OF READ SMART DATA SECTION ===\n", "")
    assert same(smart.parse(text), smart.parse(FULL))
    content = reports.ata(**DRIVE, separator="\u00a0").encode("latin-1")
    assert smart.read(io.BytesIO(content)).capacity_bytes == 750_156_374_016
    cut = FULL.index("113239502265") + 5  # 246 reads 11323
    report = smart.parse(FULL[:cut])
    assert report.flags == ("truncated", "last_number_unsure", "life_used_unconfirmed")
    assert (report.host_bytes_written, report.percent_used) == (11_323 * 512, 39)
    between = smart.parse(FULL[: FULL.index("247 Attribute_247")])
    assert between.flags == ("truncated", "life_used_unconfirmed")
    whole = reports.nvme(health={"data_units_written": 10**6, "percentage_used": 3})
    assert "truncated" not in smart.parse(whole).flags
    assert "truncated" in smart.parse(whole[: whole.index("Percentage Used")]).flags


@pytest.mark.parametrize("start", ["", "=== START OF INF"])
@pytest.mark.parametrize("again", ["", "=== START OF INF", "smartctl 7.1"])
def test_of_several_reports_the_first_is_read(start, again):
    first = reports.ata(**DRIVE, options="-a")
    other = reports.ata("CT500MX500SSD1", "M3CR023", 500_107_862_016, {9: 5, 246: 5}, STATISTICS)
    if again == "smartctl 7.1":  # of the table alone
        other = reports.ata(attributes={9: 5, 246: 5}, options="-A")
    first, other = first[first.index(start) :], other[other.index(again) :]
    report = smart.parse(first + other)
    assert report.flags == ("several_reports",)
    assert same(report, smart.parse(first), "flags")


NOTHING = ["", " \n\t\n", "a letter to my aunt\n", "\x00\x01\x02\xff" * 1000, "{", "[]", "{}",
           "[1]", '["a"]', '{"model_name": 5}', "{" * 100_000, "[" * 100_000, '{"a":' * 100_000,
           "\ufeff", '{"x": 1e999}', '{"x": ' + "9" * 10_000 + "}"]  # fmt: skip


@pytest.mark.parametrize("text", NOTHING, ids=range(len(NOTHING)))
def test_what_is_no_report(text):
    with pytest.raises(smart.Unreadable) as caught:
        smart.parse(text)
    assert isinstance(caught.value, ValueError)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "value", ["1e400", "NaN", "-5", "true", "null", "1.5", "{}", "[[]]", '"x"', "9" * 60]
)
def test_json_with_values_of_the_wrong_kind(value):
    text = reports.ata_json(**DRIVE, statistics=STATISTICS)
    for key in ("bytes", "id", "value", "worst", "raw", "table", "offset", "number", "time_t",
                "passed", "flags", "pages", "version", "model_name", "string"):  # fmt: skip
        report = json.loads(text, object_hook=lambda pairs, key=key: _spoilt(pairs, key))
        spoilt = json.dumps(report).replace('"SPOILT"', value)
        try:
            smart.parse(spoilt)
        except smart.Unreadable:
            assert key == "model_name"


def _spoilt(pairs, key):
    return pairs | {key: "SPOILT"} if key in pairs else pairs


@pytest.mark.parametrize("name", ["rules", "attributes", "statistics", "health", "scsi"])
def test_a_report_does_not_change(name):
    report = smart.parse(FULL)
    part = getattr(report, name)
    for change in (lambda: part.update(a=1), part.clear, lambda: part.__setitem__("a", 1)):
        with pytest.raises(TypeError, match="a report does not change"):
            change()
    assert pickle.loads(pickle.dumps(report)) == copy.deepcopy(report) == report
