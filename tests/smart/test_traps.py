"""Counters that lie: wrapped, saturated, of another unit, implausible."""

from pathlib import Path

import pytest
import reports

from flashwear import smart

GB = 10**9
GIB = 2**30
WRAP = 2**32 * 512  # bytes in sectors that a 32-bit counter can count

HOST_SECTORS = 6_250_000_000  # 3.2 TB
HOST_PAGES = 195_312_500  # of 16 KiB


def read(model, firmware, attributes, statistics=None, capacity=500_107_862_016):
    return smart.parse(
        reports.ata(model, firmware, capacity, {9: 20_000, **attributes}, statistics)
    )


def mx300(**more):
    return {246: HOST_SECTORS, 247: HOST_PAGES, 248: HOST_PAGES, 173: 12, 202: (88, 12)} | {
        int(key[1:]): value for key, value in more.items()
    }


@pytest.mark.parametrize("pages", [60_000_000, HOST_SECTORS * 512 // 16_901, HOST_PAGES * 2])
def test_host_pages_that_lost_carries_give_no_flash_writes(pages):
    report = read("Crucial_CT240M500SSD1", "MU05", mx300(a247=pages))
    assert report.flags == ("host_pages_inconsistent_with_sectors",)
    assert report.nand_bytes_written is report.waf is report.waf_pages is None
    assert report.host_bytes_written == HOST_SECTORS * 512




def test_flash_pages_fewer_than_the_erases_need():
    # 500 erases of 500 GB would be 250 TB, the pages are 6.4 TB
    report = read("Crucial_CT500MX200SSD1", "MU01", mx300(a173=500))
    assert report.flags == ("nand_pages_inconsistent_with_erases",)
    assert report.nand_bytes_written is None
    assert report.average_erases == 500


def test_erases_that_fell_back():
    report = read("Crucial_CT750MX300SSD1", "M0CR011", mx300(a248=50 * HOST_PAGES, a173=61))
    assert report.flags == ("erase_counter_wrapped_suspected",)
    assert report.waf == 51
    assert smart.years_left(report) is None  # life used follows the erases


def test_life_used_past_100_wraps_the_normalised_value():
    report = read("Crucial_CT240M500SSD1", "MU05", mx300(a202=((100 - 470) % 256, 470)))
    assert report.flags == ("202_normalised_wrapped_mod256",)
    assert report.percent_used == 470


@pytest.mark.parametrize(("statistic", "used"), [(150, 150), (36, 100), (None, 100), (255, 100)])
def test_life_used_that_stops_at_100(statistic, used):
    statistics = None if statistic is None else {"percentage_used": statistic}
    report = read("Crucial_CT750MX300SSD1", "M0CR011", mx300(a202=(0, 100)), statistics)
    assert report.percent_used == used
    disagree = ("life_used_disagree",) if statistic == 36 else ()
    assert report.flags == ("202_saturated", *disagree)


def test_life_used_of_100_on_a_drive_that_counts_on():
    report = read("Crucial_CT240M500SSD1", "MU05", mx300(a202=(0, 100)), {"percentage_used": 3})
    assert (report.percent_used, report.flags) == (100, ())


def test_sectors_of_the_device_statistics_wrap_on_the_mx500():
    statistics = {"sectors_written": HOST_SECTORS - 2**32}
    report = read("CT500MX500SSD1", "M3CR023", mx300(), statistics)
    assert report.host_bytes_written == HOST_SECTORS * 512
    assert report.flags == ("mx500_page_semantics", "devstat_sectors_wrapped_32bit")


def test_without_246_the_mx500_gives_no_host_writes():
    attributes = {173: 12, 202: (88, 12)}
    report = read(
        "CT500MX500SSD1", "M3CR023", attributes, {"sectors_written": HOST_SECTORS - 2**32}
    )
    assert report.host_bytes_written is None


def test_life_used_in_device_statistics_that_is_nonsense_is_not_taken():
    report = read("Micron_M500DC_MTFDDAK800MBB", "0144", {173: 900, 202: (82, 18)},
                  {"sectors_written": HOST_SECTORS, "percentage_used": 0})  # fmt: skip
    assert (report.percent_used, report.rules["percent_used"]) == (18, "202 raw")


def test_177_stops_at_1():
    drive = {177: (1, 2_050), 241: HOST_SECTORS}
    report = read("Samsung SSD 860 EVO 250GB", "RVT02B6Q", drive)
    assert (report.percent_used, report.flags) == (99, ("177_value_floor",))
    report = read("Samsung SSD 860 EVO 250GB", "RVT02B6Q", drive, {"percentage_used": 119})
    assert (report.percent_used, report.flags) == (119, ("177_value_floor",))
    report = read("Samsung SSD 860 PRO 256GB", "RVM01B6Q", drive, {"percentage_used": 255})
    assert report.percent_used == 255
    assert report.flags == ("177_value_floor", "percent_used_255")


@pytest.mark.parametrize(
    ("model", "flags"),
    [("Samsung SSD 840 PRO Series", ("177_saturated_8191",)), ("SAMSUNG MZ7KM960HMJP", ())],
)
def test_177_stops_at_8191_on_the_840_pro_alone(model, flags):
    report = read(model, "DXM05B0Q", {177: (50, 8_191), 241: HOST_SECTORS})
    assert (report.average_erases, report.flags) == (8_191, flags)


def test_hours_with_an_offset_or_beyond_belief():
    drive = {9: "951744h+07m+35.430s", 241: 100_000, 249: 2_000, 233: (93, 0)}
    report = read("INTEL SSDSC2CW120A3", "400i", drive)
    flags = ("poh_offset_894794", "life_used_unconfirmed")
    assert (report.power_on_hours, report.flags) == (951_744 - 894_794, flags)
    report = read("LITEON IT EBT-480N9S", "LKBN11RE", {9: 3_724_861})
    assert (report.power_on_hours, report.flags) == (None, ("poh_implausible",))
    report = read("INTEL SSDSC2CW120A3", "400i", drive | {9: "45374h+27m+52.630s"})
    assert (report.power_on_hours, report.flags) == (45_374, flags[1:])


def test_life_left_that_stops_at_1():
    report = read("INTEL SSDSC2BP240G4", "L2010420", {241: 5_000, 233: (1, 0)})
    assert (report.percent_used, report.flags) == (99, ("233_value_floor",))
    report = read("SSDSCKKB240G8R", "XC311", {233: (100, 5_000), 245: (1, 1)})
    assert (report.percent_used, report.flags) == (99, ("245_value_floor",))




def test_hours_of_two_counters_that_differ():
    drive = {9: 22_877, 173: 157, 233: 150_000, 234: 150_000, 241: 130_000}
    for hours, flags in ((22_860, ()), (0, ("poh_devstat_disagree",))):
        report = read("SanDisk SDSSDH31000G", "X61110RL", drive, {"power_on_hours": hours})
        assert (report.power_on_hours, report.flags) == (22_877, flags)


def test_host_writes_of_two_counters_that_differ():
    drive = {173: 37, 233: 37_000, 234: 150_000, 241: 137_000}
    for share, flags in ((1.0, ()), (4.6, ("host_devstat_disagree",))):
        sectors = round(137_000 * GIB / 512 * share)
        report = read("SanDisk Ultra II 960GB", "X41100RL", drive, {"sectors_written": sectors})
        assert (report.host_bytes_written, report.flags) == (137_000 * GIB, flags)


def test_counters_in_coarse_units_do_not_differ_on_a_new_drive():
    report = read("INTEL SSDSC2KB480G8", "XCV10132", {9: 5, 241: 4, 243: 5},
                  {"sectors_written": 4 * 2**16 + 65_000})  # fmt: skip
    assert report.flags == ("host_below_100GB",)


@pytest.mark.parametrize(
    ("hours", "flags"),
    [
        (200, ("host_rate_implausible", "nand_rate_implausible")),
        (20_000, ()),
    ],
)
def test_rates_that_no_drive_reaches(hours, flags):
    drive = {9: hours, 241: 500_000, 233: 900_000, 231: (94, 0)}
    report = read("KINGSTON SV300S37A240G", "603ABBF0", drive, {"percentage_used": 6})
    assert report.flags == flags


def test_nvme_may_write_faster_than_sata():
    health = {"data_units_written": 10_000_000, "power_on_hours": 1}
    assert smart.parse(reports.nvme(health=health)).flags == ()
    health["data_units_written"] *= 100
    assert smart.parse(reports.nvme(health=health)).flags == ("host_rate_implausible",)


def test_a_ratio_to_few_host_writes_is_doubted():
    drive = {177: 500, 241: 190_000_000, 251: 400_000_000}
    report = read("SAMSUNG MZ7LH960HAJR-00005", "HXT7404Q", drive)
    assert "host_below_100GB" in report.flags
    assert report.host_bytes_written == 97_280_000_000


def test_writes_that_stand_still_are_no_ratio():
    report = read("SAMSUNG MZ7KM480HMHQ-000MV", "GXM50M3Q", {177: 5, 241: HOST_SECTORS, 251: 0})
    assert (report.nand_bytes_written, report.waf) == (None, None)
    report = read("SAMSUNG MZ7LH960HAJR-00005", "HXT7404Q", {177: 0, 241: 0, 251: 0})
    assert (report.host_bytes_written, report.nand_bytes_written, report.waf) == (0, 0, None)




@pytest.mark.parametrize(
    "drive",
    [
        # 15 drive fills without an erase
        ("TOSHIBA KHK61RSE1T92", "1DET6102", {173: 0, 241: 500_000}),
        # 500 erases, with flash writes for two
        ("SAMSUNG MZ7LH960HAJR-00005", "HXT7404Q", {177: 500, 241: HOST_SECTORS, 251: 2 * 10**9}),
    ],
)
def test_erases_that_do_not_fit_the_writes(drive):
    assert read(*drive).flags == ("erase_counter_inconsistent",)


def test_a_unit_that_is_only_a_guess():
    drive = {167: 34, 232: 100, 241: 500_000, 245: 600_000}
    assert read("ADATA SU800", "Q0518BS", drive).flags == ("nand_unit_unverified",)


def test_two_counters_of_life_used_that_differ():
    drive = {231: (100, 0), 233: 60_000, 241: 40_000, 244: 102}
    for used, flags in ((5, ()), (60, ("life_used_disagree",))):
        report = read("KINGSTON SA400S37480G", "SBFKB1C2", drive, {"percentage_used": used})
        assert (report.percent_used, report.flags) == (used, flags)




def test_a_number_that_is_several_numbers_is_left_out():
    report = read("Samsung SSD 860 EVO 1TB", "RVT01B6Q", {177: 100, 241: "0/7"})
    assert (report.host_bytes_written, report.flags) == (None, ("number_unreadable",))


def test_a_figure_beyond_its_range_is_left_out():
    report = read("Samsung SSD 860 EVO 1TB", "RVT01B6Q", {177: (100, 2**40), 241: HOST_SECTORS})
    assert (report.average_erases, report.flags) == (None, ("counter_out_of_range",))


def test_of_two_rows_with_one_number_the_first_counts():
    drive = {9: 500, 177: 5, 241: HOST_SECTORS}
    text = reports.ata("Samsung SSD 860 EVO 1TB", "RVT01B6Q", None, drive)
    row = next(line for line in text.splitlines() if line.startswith("241"))
    again = text.replace(row, f"{row}\n{row}")
    assert smart.parse(again).flags == smart.parse(text).flags == ()
    other = smart.parse(text.replace(row, f"{row}\n{row.replace('6250000000', '5')}"))
    assert (other.host_bytes_written, other.flags) == (HOST_SECTORS * 512, ("duplicate_ids",))




def test_a_hard_disk_is_told_apart():
    text = reports.ata("ST4000DM004-2CV104", "0001", attributes={9: 500, 241: HOST_SECTORS})
    report = smart.parse(text.replace("Solid State Device", "5425 rpm"))
    assert report.flags == ("unknown_family", "rotating")
    assert report.host_bytes_written is None


def test_rated_bytes_come_from_the_table_of_ratings():
    report = read("Crucial_CT750MX300SSD1", "M0CR011", mx300(), None, 750_156_374_016)
    assert report.rated_bytes == 220_000 * GB
    assert read("Crucial_CT750MX300SSD1", "M0CR011", mx300(), None, 525 * GB).rated_bytes is None
    p400m = read("Micron P400m-MTFDBAK200MAN", "0225", {247: 5}, None, 200_049_647_616)
    assert p400m.rated_bytes == 3_500_000 * GB  # as corrected




def test_every_flag_has_a_test():
    here = "".join(path.read_text() for path in Path(__file__).parent.glob("test_*.py"))
    assert [word for word in smart.FLAGS if f'"{word}"' not in here] == []
