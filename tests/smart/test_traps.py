"""Counters that lie: wrapped, saturated, of another unit, implausible."""

from pathlib import Path

import pytest
import reports

from flashwear import smart

GB = 10**9
GIB = 2**30
HOST_SECTORS = 6_250_000_000  # 3.2 TB
HOST_PAGES = 195_312_500  # of 16 KiB
M500, MX300 = ("Crucial_CT240M500SSD1", "MU05"), ("Crucial_CT750MX300SSD1", "M0CR011")
MX500, EVO = ("CT500MX500SSD1", "M3CR023"), ("Samsung SSD 860 EVO 250GB", "RVT02B6Q")
MZ7LH, SV300 = ("SAMSUNG MZ7LH960HAJR-00005", "HXT7404Q"), ("KINGSTON SV300S37A240G", "603ABBF0")
ULTRA, A400 = ("SanDisk Ultra II 960GB", "X41100RL"), ("KINGSTON SA400S37480G", "SBFKB1C2")
X110 = ("SanDisk SDSSDH31000G", "X61110RL")


def read(drive, attributes, statistics=None, capacity=500_107_862_016):
    return smart.parse(reports.ata(*drive, capacity, {9: 20_000, **attributes}, statistics))


def mx300(**more):
    return {246: HOST_SECTORS, 247: HOST_PAGES, 248: HOST_PAGES, 173: 12, 202: (88, 12)} | {
        int(key[1:]): value for key, value in more.items()
    }


STOPS = {177: (1, 2_050), 241: HOST_SECTORS}
FAST = {241: 500_000, 233: 900_000, 231: (94, 0)}
X110_ROWS = {9: 22_877, 173: 157, 233: 150_000, 234: 150_000, 241: 130_000}
ULTRA_ROWS = {173: 37, 233: 37_000, 234: 150_000, 241: 137_000}
A400_ROWS = {231: (94, 94), 233: 60_000, 241: 40_000, 244: 102}
INTEL = ("INTEL SSDSC2CW120A3", "400i")
INTEL_ROWS = {241: 100_000, 249: 150_000, 233: (93, 0)}
NO_FLASH = {"nand_bytes_written": None, "waf": None}
LOST = {"flags": ("host_pages_inconsistent_with_sectors",), "waf_pages": None,
        "host_bytes_written": HOST_SECTORS * 512, **NO_FLASH}  # fmt: skip
LIES = {
    "host pages that lost carries": (M500, mx300(a247=60_000_000), {}, LOST),
    "host pages that lost few": (M500, mx300(a247=HOST_SECTORS * 512 // 16_901), {}, LOST),
    "host pages beyond the sectors": (M500, mx300(a247=HOST_PAGES * 2), {}, LOST),
    "pages that are padded still count": (
        ("Micron_5300_MTFDDAK3T8TDS", "D3MU401"), mx300(a247=HOST_PAGES * 4 // 3), {},
        {"flags": (), "waf_pages": pytest.approx(1.75)}),
    # 500 erases of 500 GB would be 250 TB, the pages are 6.4 TB
    "flash pages fewer than the erases need": (
        ("Crucial_CT500MX200SSD1", "MU01"), mx300(a173=500), {},
        {"flags": ("nand_pages_inconsistent_with_erases",), "nand_bytes_written": None,
         "average_erases": 500}),
    "erases that fell back": (MX300, mx300(a248=50 * HOST_PAGES, a173=61), {},
                              {"flags": ("erase_counter_wrapped_suspected",), "waf": 51}),
    "life used past 100 wraps the normalised value": (
        M500, mx300(a202=((100 - 470) % 256, 470)), {},
        {"flags": ("202_normalised_wrapped_mod256",), "percent_used": 470}),
    "life used that stops at 100": (MX300, mx300(a202=(0, 100)), {},
                                    {"percent_used": 100, "flags": ("202_saturated",)}),
    "beside 150": (MX300, mx300(a202=(0, 100)), {"percentage_used": 150},
                   {"percent_used": 150, "flags": ("202_saturated",)}),
    "beside 36": (MX300, mx300(a202=(0, 100)), {"percentage_used": 36},
                  {"percent_used": 100, "flags": ("202_saturated", "life_used_disagree")}),
    "beside 255, which is no figure": (MX300, mx300(a202=(0, 100)), {"percentage_used": 255},
                                       {"percent_used": 100, "flags": ("202_saturated",)}),
    "100 on a drive that counts on": (M500, mx300(a202=(0, 100)), {"percentage_used": 3},
                                      {"percent_used": 100, "flags": ()}),
    "sectors of the statistics wrap on the MX500": (
        MX500, mx300(), {"sectors_written": HOST_SECTORS - 2**32},
        {"host_bytes_written": HOST_SECTORS * 512,
         "flags": ("mx500_page_semantics", "devstat_sectors_wrapped_32bit")}),
    "and without 246 give no host writes": (
        MX500, {173: 12, 202: (88, 12)}, {"sectors_written": HOST_SECTORS - 2**32},
        {"host_bytes_written": None}),
    "life used in the statistics that is nonsense": (
        ("Micron_M500DC_MTFDDAK800MBB", "0144"), {173: 900, 202: (82, 18)},
        {"sectors_written": HOST_SECTORS, "percentage_used": 0}, {"percent_used": 18}),
    "177 stops at 1": (EVO, STOPS, {}, {"percent_used": 99, "flags": ("177_value_floor",)}),
    "177 beside 119": (EVO, STOPS, {"percentage_used": 119},
                       {"percent_used": 119, "flags": ("177_value_floor",)}),
    "177 beside 255": (
        ("Samsung SSD 860 PRO 256GB", "RVM01B6Q"), STOPS, {"percentage_used": 255},
        {"percent_used": 255, "flags": ("177_value_floor", "percent_used_255")}),
    "177 stops at 8191 on the 840 Pro": (
        ("Samsung SSD 840 PRO Series", "DXM05B0Q"), {177: (50, 8_191), 241: HOST_SECTORS}, {},
        {"average_erases": 8_191, "flags": ("177_saturated_8191",)}),
    "and on no other": (
        ("SAMSUNG MZ7KM960HMJP", "DXM05B0Q"), {177: (50, 8_191), 241: HOST_SECTORS}, {},
        {"average_erases": 8_191, "flags": ()}),
    "hours with an offset": (
        INTEL, {9: "951744h+07m+35.430s", **INTEL_ROWS}, {},
        {"power_on_hours": 951_744 - 894_794,
         "flags": ("poh_offset_894794",)}),
    "hours without it": (INTEL, {9: "45374h+27m+52.630s", **INTEL_ROWS}, {},
                         {"power_on_hours": 45_374, "flags": ()}),
    "hours that are none": (("LITEON IT EBT-480N9S", "LKBN11RE"), {9: 3_724_861}, {},
                            {"power_on_hours": None, "flags": ("poh_implausible",)}),
    "life left that stops at 1": (
        ("INTEL SSDSC2BP240G4", "L2010420"), {241: 5_000, 233: (1, 0)}, {},
        {"percent_used": 99, "flags": ("233_value_floor",)}),
    "life left of OEM firmware that stops at 1": (
        ("SSDSCKKB240G8R", "XC311"), {233: (100, 5_000), 245: (1, 1)}, {},
        {"percent_used": 99, "flags": ("245_value_floor",)}),
    "hours of two counters that agree": (X110, X110_ROWS, {"power_on_hours": 22_860},
                                         {"power_on_hours": 22_877, "flags": ()}),
    "hours of two counters that differ": (
        X110, X110_ROWS, {"power_on_hours": 0},
        {"power_on_hours": 22_877, "flags": ("poh_devstat_disagree",)}),
    "host writes of two counters that agree": (
        ULTRA, ULTRA_ROWS, {"sectors_written": 137_000 * GIB // 512},
        {"host_bytes_written": 137_000 * GIB, "flags": ()}),
    "host writes of two counters that differ": (
        ULTRA, ULTRA_ROWS, {"sectors_written": round(137_000 * GIB / 512 * 4.6)},
        {"host_bytes_written": 137_000 * GIB, "flags": ("host_devstat_disagree",)}),
    "coarse units on a new drive do not differ": (
        ("INTEL SSDSC2KB480G8", "XCV10132"), {9: 5, 241: 4, 243: 5},
        {"sectors_written": 4 * 2**16 + 65_000}, {"flags": ("host_below_100GB",)}),
    "rates that a drive reaches": (SV300, FAST, {"percentage_used": 6}, {"flags": ()}),
    "rates that no drive reaches": (
        SV300, {9: 200, **FAST}, {"percentage_used": 6},
        {"flags": ("host_rate_implausible", "nand_rate_implausible")}),
    "a ratio to few host writes": (
        MZ7LH, {177: 500, 241: 190_000_000, 251: 400_000_000}, {},
        {"host_bytes_written": 97_280_000_000,
         "flags": ("erase_counter_inconsistent", "host_below_100GB")}),
    "flash writes that stand still": (("SAMSUNG MZ7KM480HMHQ-000MV", "GXM50M3Q"),
                                      {177: 5, 241: HOST_SECTORS, 251: 0}, {}, NO_FLASH),
    "no writes at all": (MZ7LH, {177: 0, 241: 0, 251: 0}, {},
                         {"host_bytes_written": 0, "nand_bytes_written": 0, "waf": None}),
    "15 drive fills without an erase": (
        MZ7LH, {177: 0, 241: 16_000_000_000}, {},
        {"flags": ("erase_counter_inconsistent",)}),
    "500 erases, with flash writes for two": (
        MZ7LH, {177: 500, 241: HOST_SECTORS, 251: 2 * 10**9}, {},
        {"flags": ("erase_counter_inconsistent",)}),
    "a unit that is only a guess": (
        ("ADATA SU800", "Q0518BS"), {167: 34, 232: 100, 241: 500_000, 245: 600_000}, {},
        {"flags": ("nand_unit_unverified",)}),
    "two counters of life used that agree": (A400, A400_ROWS, {"percentage_used": 5},
                                             {"percent_used": 5, "flags": ()}),
    "two counters of life used that differ": (
        A400, A400_ROWS, {"percentage_used": 60},
        {"percent_used": 60, "flags": ("life_used_disagree",)}),
    "a number that is several numbers": (
        EVO, {177: 100, 241: "0/7"}, {},
        {"host_bytes_written": None, "flags": ("number_unreadable",)}),
    "a figure beyond its range": (
        EVO, {177: (100, 2**40), 241: HOST_SECTORS}, {},
        {"average_erases": None, "flags": ("counter_out_of_range",)}),
}  # fmt: skip


EVO_CAPACITY, SECTORS, TURN = 500_107_862_016, 10**10, 2**32
EDGES = {  # attributes and statistics on this side of a limit and on that; a flag, and if it is set
    "hours a day apart": ({}, {"power_on_hours": 20_024}, "poh_devstat_disagree", False),
    "hours more than a day apart": ({}, {"power_on_hours": 20_025}, "poh_devstat_disagree", True),
    "and fewer": ({}, {"power_on_hours": 19_975}, "poh_devstat_disagree", True),
    "sectors of 95 %": ({}, {"sectors_written": 9_500_000_000}, "host_devstat_disagree", False),
    "of less": ({}, {"sectors_written": 9_499_990_000}, "host_devstat_disagree", True),
    "of 105 %": ({}, {"sectors_written": 10_500_000_000}, "host_devstat_disagree", False),
    "of more": ({}, {"sectors_written": 10_500_010_000}, "host_devstat_disagree", True),
    "more than 32 bits": (
        {}, {"sectors_written": SECTORS - TURN}, "devstat_sectors_wrapped_32bit", False),
    **{f"two turns and {miss:,}": (
        {}, {"sectors_written": SECTORS - 2 * TURN + miss}, "devstat_sectors_wrapped_32bit",
        abs(miss) < 4_294_970) for miss in (4_294_969, 4_294_970, -4_294_969, -4_294_970)},
    # a tenth of the erases that the host's writes alone would take
    "erases of 409 fills": ({241: int(409 * EVO_CAPACITY / 512)}, {}, "erase_counter_inconsistent",
                            False),
    "erases of 411 fills": ({241: int(411 * EVO_CAPACITY / 512)}, {}, "erase_counter_inconsistent",
                            True),
}  # fmt: skip


@pytest.mark.parametrize("case", EDGES)
def test_counters_may_differ_by_so_much_and_no_more(case):
    rows, statistics, flag, is_set = EDGES[case]
    report = read(EVO, {177: (97, 40), 241: SECTORS} | rows, statistics)
    assert (flag in report.flags) == is_set, report.flags
    for pages, lost in ((10_999, True), (11_000, False), (16_900, False), (16_901, True)):
        host = 10**6 * pages // 512
        rows = mx300(a246=host, a247=10**6 + (lost and pages > 16_900) * -1)
        report = read(M500, rows)
        told = "host_pages_inconsistent_with_sectors" in report.flags
        assert told == (not 11_000 <= host * 512 / rows[247] <= 16_900)


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
def test_what_cannot_be_is_flagged_and_left_out(lie):
    *drive, expected = lie
    report = read(*drive)
    assert {name: getattr(report, name) for name in expected} == expected
    if "erase_counter_wrapped_suspected" in report.flags:
        assert smart.forecast(report).wear is None  # life used follows the erases


def test_rated_bytes_come_from_the_table_and_of_two_rows_with_one_number_the_first_counts():
    drive = {9: 500, 177: 5, 241: HOST_SECTORS}
    text = reports.ata("Samsung SSD 860 EVO 1TB", "RVT01B6Q", None, drive)
    row = next(line for line in text.splitlines() if line.startswith("241"))
    again = text.replace(row, f"{row}\n{row}")
    assert smart.parse(again).flags == smart.parse(text).flags == ()
    other = smart.parse(text.replace(row, f"{row}\n{row.replace('6250000000', '5')}"))
    assert (other.host_bytes_written, other.flags) == (HOST_SECTORS * 512, ("duplicate_ids",))
    assert read(MX300, mx300(), None, 750_156_374_016).rated_bytes == 220_000 * GB
    assert read(MX300, mx300(), None, 525 * GB).rated_bytes is None
    p400m = read(("Micron P400m-MTFDBAK200MAN", "0225"), {247: 5}, None, 200_049_647_616)
    assert p400m.rated_bytes == 3_500_000 * GB  # as corrected


def test_nvme_may_write_faster_than_sata_and_a_hard_disk_is_told_apart():
    health = {"data_units_written": 10_000_000, "power_on_hours": 1}
    assert smart.parse(reports.nvme(health=health)).flags == ()
    health["data_units_written"] *= 100
    assert smart.parse(reports.nvme(health=health)).flags == ("host_rate_implausible",)
    text = reports.ata("ST4000DM004-2CV104", "0001", attributes={9: 500, 241: HOST_SECTORS})
    report = smart.parse(text.replace("Solid State Device", "5425 rpm"))
    assert report.flags == ("unknown_family", "rotating")
    assert report.host_bytes_written is None


def test_every_flag_has_a_test():
    here = "".join(path.read_text() for path in Path(__file__).parent.glob("test_*.py"))
    assert [word for word in smart.FLAGS if f'"{word}"' not in here] == []
