"""Every family of the table reads a report of our own making as its rules say."""

import pytest
import reports

from flashwear import smart
from flashwear.smart import _rules
from flashwear.smart._text import from_text

GB = 10**9
GIB = 2**30
MIB32 = 2**25
W = 2**32  # where 32-bit counters of sectors wrap

# 3.2 TB by the host, 6.4 TB to flash, in pages of 16 KiB
PAGES = {246: 6_250_000_000, 247: 195_312_500, 248: 195_312_500}
MICRON = {"host": 3_200 * GB, "nand": 6_400 * GB, "waf_pages": 2.0}
MICRON_16K = {**PAGES, 173: 12, 202: (88, 12)}
USED = {"percentage_used": 7}
SECTORS = {"sectors_written": 6_250_000_000, **USED}
MICRON_MODELS = [row.split() for row in (  # family, model, firmware
    "micron-m500 Crucial_CT240M500SSD1 MU03", "micron-m500 Micron_M500_MTFDDAK240MAV MU03",
    "micron-m550 Crucial_CT1024M550SSD1 MU01", "micron-m510 Micron_M510_MTFDDAK256MAZ MU01",
    "crucial-mx100 Crucial_CT256MX100SSD1 MU01", "crucial-mx200 Crucial_CT250MX200SSD1 MU01",
    "crucial-mx200 Crucial_CT250MX200SSD1 MU03", "micron-m600 Micron_M600_MTFDDAK256MBF MU01",
    "micron-m600 Micron_M600_MTFDDAV128MBF MA01", "micron-m600 Micron_M600_MTFDDAK1T0MBF MU04",
    "crucial-mx300 Crucial_CT750MX300SSD1 M0CR011",
    "micron-1100 Micron_1100_MTFDDAK512TBN M0MU031", "micron-1100 MTFDDAK256TBN M0DL003",
    "micron-1300 Micron_1300_MTFDDAK256TDL M5MU000",
    "micron-5100 Micron_5100_MTFDDAK1T9TBY D0MU027",
    "micron-5200 Micron_5200_MTFDDAK960TDD D1MU020",
    "micron-5210 Micron_5210_MTFDDAK3T8QDE D2MU404",
    "micron-5300 Micron_5300_MTFDDAK960TDS D3MU001",
    "micron-5400 Micron_5400_MTFDDAK960TGA D4MU001", "micron-retail MTFDDAK960TCB D0MU410",
)]  # fmt: skip
CASES = [
    *((*model, MICRON_16K, {}, MICRON | {"erases": 12, "used": 12}) for model in MICRON_MODELS),
    ("crucial-mx500", "CT500MX500SSD1", "M3CR023", MICRON_16K, {},
     {"host": 3_200 * GB, "waf_pages": 2.0, "erases": 12, "used": 12,
      "flags": ("mx500_page_semantics",)}),
    ("crucial-bx500-remaining", "CT120BX500SSD1", "M6CR013", {**PAGES, 173: 12, 202: (88, 88)},
     {"percentage_used": 64},
     MICRON | {"erases": 12, "used": 12, "flags": ("202_raw_is_remaining", "life_used_disagree")}),
    ("crucial-bx500", "CT1000BX500SSD1", "M6CR030", MICRON_16K, {"percentage_used": 64},
     MICRON | {"erases": 12, "used": 12, "flags": ("life_used_disagree",)}),
    ("micron-p400m", "Micron P400m-MTFDBAK200MAN", "0225",
     {247: 2_000_000_000, 248: 100_000_000, 173: 12, 202: (100, 0)}, {},
     {"host": 1_024 * GB, "nand": 1_024 * GB + 100_000_000 * 4096, "erases": 12, "used": 0,
      "flags": ("nand_unit_unverified",)}),
    *(
        (family, model, "0144", {247: PAGES[247], 248: PAGES[248], 173: 12, 202: (88, 12)},
         SECTORS | {"percentage_used": 0}, MICRON | {"erases": 12, "used": 12})
        for family, model in (
            ("micron-m500dc", "Micron_M500DC_MTFDDAK800MBB"),
            ("micron-m510dc", "MICRON_M510DC_MTFDDAK960MBP"))
    ),
    ("micron-oem-dell", "MTFDDAK480TDT", "D3DJ004",
     {233: 6_250_000_000, 247: PAGES[247], 248: PAGES[248], 173: 12, 202: (98, 18_000)}, {},
     MICRON | {"erases": 12, "used": 2, "flags": ("202_raw_other_unit",)}),
    ("micron-oem-lenovo", "MTFDDAK480TDS-1AW1ZA 02JG532D7A44694LEN", "MP32",
     {173: 12, 241: 6_250_000_000}, {"percentage_used": 0}, {"host": 3_200 * GB, "erases": 12}),
    *(
        ("micron-c400", model, "070H", {173: 12, 202: (88, 12)}, SECTORS,
         {"host": 3_200 * GB, "erases": 12, "used": 12})
        for model in ("M4-CT256M4SSD2", "C400-MTFDDAC512MAM", "Micron_P400e-MTFDDAK200MAR")
    ),
    *(
        ("samsung", model, "HXT7404Q", {177: (93, 500), 241: 6_250_000_000, 251: 1_000_000_000_000},
         {}, {"host": 3_200 * GB, "nand": 512_000 * GB, "erases": 500, "used": 7})
        for model in ("SAMSUNG MZ7LH960HAJR-00005", "Samsung SSD 883 DCT 960GB")
    ),
    ("samsung", "Samsung SSD 860 EVO 1TB", "RVT01B6Q", {177: (93, 500), 241: 6_250_000_000},
     {"percentage_used": 6}, {"host": 3_200 * GB, "erases": 500, "used": 7}),
    ("samsung-840-pro", "Samsung SSD 840 PRO Series", "DXM05B0Q",
     {177: (50, 3_000), 241: 6_250_000_000}, {},
     {"host": 3_200 * GB, "erases": 3_000, "used": 50}),
    ("samsung-oem-dell", "MZ7KH960HAJR0D3", "HF57",
     {177: (99, 500), 233: 6_250_000_000, 251: 1_000_000_000_000}, {"percentage_used": 0},
     {"host": 3_200 * GB, "nand": 512_000 * GB, "erases": 500, "used": 1}),
    ("samsung-mz7ln1t0", "SAMSUNG MZ7LN1T0HAJQ-00000", "MVT0300Q",
     {173: (97, 28), 233: 5, 241: 3_949, 249: 29_211, 251: 61_261_294_592}, {},
     {"host": 3_949 * 512, "nand": 61_261_294_592 * 512,
      "flags": ("host_unit_doubtful", "host_below_100GB")}),
    ("samsung-client-gib", "SAMSUNG MZNLH1T0HALB-00000", "RVT2200Q",
     {173: 3, 241: 2_980, 249: 4_000, 251: 4_000 * GIB // 512},
     {"sectors_written": 2_980 * GIB // 512, **USED},
     {"host": 2_980 * GIB, "nand": 4_000 * GIB, "used": 7}),
    ("samsung-client-gib", "SAMSUNG MZ7LN512HMJP-00000", "MAV0100Q",
     {173: 3, 241: 2_980, 249: 4_000}, {},
     {"host": 2_980 * GIB, "nand": 4_000 * GIB,
      "flags": ("nand_unit_unverified", "host_unit_unverified")}),
    *(
        ("intel-client", model, firmware,
         {225: 100_000, 241: 100_000, 249: 150_000, 233: (93, 0)}, {"percentage_used": 255},
         {"host": 100_000 * MIB32, "nand": 150_000 * GIB, "used": 7} | flags)
        for model, firmware, flags in (  # 336 fills of flash, which say nothing of the 545s
            ("INTEL SSDSC2CW120A3", "400i", {}),
            ("INTEL SSDSC2KW128G8", "LHF002C", {"flags": ("life_used_unconfirmed",)}),
        )
    ),
    *(
        (family, model, "XCV10132", {225: 100_000, 243: 200_000, 233: (93, 0)}, {},
         {"host": 100_000 * MIB32, "nand": 200_000 * MIB32, "used": 7})
        for family, model in (("intel-dc", "INTEL SSDSC2KB019T8"),
                              ("intel-s3700", "INTEL SSDSC2BA400G3"))
    ),
    *(
        ("intel-oem", model, "D201DL12", {233: (100, 100_000), 245: (93, 93)}, {},
         {"host": 100_000 * MIB32, "used": 7})
        for model in ("INTEL SSDSC2BB300G4T", "SSDSCKKB240G8R", "INTEL SSDSC2BA200G3R")
    ),
    ("intel-oem", "INTEL SSDSC2BB480G7LEN", "N2010121", {233: (93, 100_000), 245: (93, 93)}, {},
     {"host": 100_000 * MIB32, "used": 7}),
    ("intel-oem", "INTEL SSDSC2BG400G4R", "G201DL29", {225: 100_000, 245: (93, 93)}, {},
     {"host": 100_000 * MIB32, "used": 7}),
    ("sandisk-cloudspeed", "SDLF1CRR-019T-1HA1", "ZR03RPA1", {32: 745, 233: 9_999, 241: 4_224},
     {}, {"host": 4_224 * GB, "waf_reported": 7.45}),
    *(
        ("wd-slc", model, "411000WR", {173: 36, 230: "0x042c072c042c", 233: 30_000, 234: 45_000,
                                       241: 40_000}, USED,
         {"host": 40_000 * GIB, "nand": 30_000 * GIB, "slc": 45_000 * GIB, "erases": 36,
          "used": 7})
        for model in ("WDC  WDS200T1R0A-68A4W0", "WDC WDS100T2B0A", "SanDisk Ultra II 960GB")
    ),
    ("sandisk-mlc", "SanDisk SDSSDHP256G", "X2306RL", {173: 100, 233: 30_000, 241: 40_000}, USED,
     {"host": 40_000 * GIB, "nand": 30_000 * GIB, "erases": 100, "used": 7}),
    ("sandisk-oem", "SanDisk SD8SB8U-128G-1006", "X4120006", {173: 40, 241: 5}, SECTORS,
     {"host": 3_200 * GB, "erases": 40, "used": 7}),
    ("kingston-sandforce", "KINGSTON SV300S37A240G", "603ABBF0",
     {231: (94, 3), 233: 20_000, 241: 40_000}, {},
     {"host": 40_000 * GIB, "nand": 20_000 * GIB, "used": 6}),
    ("kingston-phison", "KINGSTON SA400S37480G", "SBFKB1C2",
     {173: "110 (Average 102)", 231: (94, 94), 233: 60_000, 241: 40_000, 244: 102}, USED,
     {"host": 40_000 * GIB, "nand": 60_000 * GIB, "erases": 102, "used": 7}),
    ("kingston-phison", "KINGSTON SEDC500R960G", "SCEKJ2.3",
     {231: (88, 88), 233: 600_000, 241: 400_000, 244: 560}, {"percentage_used": 0},
     {"host": 400_000 * GIB, "nand": 600_000 * GIB, "erases": 560, "used": 12,
      "flags": ("life_used_contradicted",)}),
    ("kingston-phison", "KINGSTON SKC400S37512G", "SAFM001B",
     {231: (100, 46), 233: 800_000, 241: 400_000, 244: 1_633}, {},
     {"host": 400_000 * GIB, "nand": 800_000 * GIB, "erases": 1_633, "used": 54}),
    ("kingston-uv", "KINGSTON SUV400S37240G", "0C3FD6SD", {231: (74, 30), 233: 60_000, 241: 40_000},
     {}, {"host": 40_000 * GIB, "nand": 60_000 * GIB, "used": 30}),
    ("seagate-nytro-xa", "XA960LE10063", "SF442147",
     {173: 50, 231: (94, 3), 233: 20_000, 241: 40_000}, USED,
     {"host": 40_000 * GIB, "nand": 20_000 * GIB, "erases": 50, "used": 7}),
    ("seagate-xf1230", "XF1230-1A0480", "ST200355", {231: (94, 3), 234: 60_000, 241: 40_000}, {},
     {"host": 40_000 * GIB, "nand": 60_000 * GIB, "used": 6}),
    ("seagate-barracuda", "Seagate BarraCuda SSD ZA250CM10002", "STAS1024", {241: 40_000}, USED,
     {"host": 40_000 * GIB, "used": 7}),
    ("toshiba-khk61", "TOSHIBA KHK61RSE1T92", "1DET6102", {173: 7, 233: (93, 7), 241: 100_000}, {},
     {"host": 100_000 * MIB32, "used": 7}),
    ("toshiba", "TOSHIBA THNSNJ960PCSZ", "JZET6102",
     {173: (195, 2**33), 174: (180, 2**34), 241: 100_000}, {},
     {"host": 100_000 * MIB32, "used": 20}),
    ("toshiba-oem-dell", "THNSF8240CCSE", "DACB", {233: 100_000, 245: (93, 93)}, {},
     {"host": 100_000 * MIB32, "used": 7}),
    ("liteon-ebt", "LITEON IT EBT-480N9S", "LKBN11RE", {9: 3_724_861, 241: 5, 233: 5}, {},
     {"flags": ("poh_implausible",)}),
    ("sun-f20", "SD88SA024SA0 SUN24G", "0829D21Y", {12: 2**48 - 2**34, 196: "0 (65535 6)"}, {}, {}),
    *(
        ("hpe-oem", model, "HPG1", {173: (93, 500)}, SECTORS, {"host": 3_200 * GB, "used": 7})
        for model in ("MK001920GWJPQ", "VK0800GDJYA", "VR0120GEJXL", "LK0480GFJSK")
    ),
    ("hpe-gecqn", "VK0240GECQN", "HPG0", {173: (97, 427)}, {"percentage_used": 237},
     {"used": 237}),
    ("skhynix-gb", "SHGS31-1000GS-2", "90000Q00", {177: (93, 150), 241: 3_111}, {},
     {"host": 3_111 * GB, "used": 7}),
    ("skhynix-sc311", "SK hynix SC311 SATA 256GB", "70000P10", {241: 6_250_000_000}, USED,
     {"host": 3_200 * GB, "used": 7}),
    ("phison-s9", "SATA SSD", "S9FM02.1", {231: (100, 93), 233: 20_000_000, 241: 30_000_000}, USED,
     {"used": 7}),
    *(
        ("phison-gib", model, firmware, {173: 5, 231: (94, 94), 241: 40_000}, USED,
         {"host": 40_000 * GIB, "used": 7})
        for model, firmware in (("SATA SSD", "SBFM61.3"), ("PNY CS900 240GB SSD", "CS900615"),
                                ("IR-SSDPR-S25A-240", "SBFM91.2"), ("Patriot Burst", "SBFMKA.3"))
    ),
    *(
        ("smi", model, firmware,
         {167: 34, 168: 500, 169: (100, 93), 177: 80, 232: 100, 241: 500_000, 245: 600_000},
         {"sectors_written": 500_000 * MIB32 // 512 % W, **USED},
         {"host": 500_000 * MIB32, "nand": 600_000 * MIB32, "erases": 34, "used": 7,
          "flags": ("nand_unit_unverified", "devstat_sectors_wrapped_32bit")})
        for model, firmware in (("ADATA SU800", "R0427A"), ("KINGSTON SKC600256G", "S4500105"),
                                ("TS128GSSD370S", "N1114H"), ("Apacer AS340 960GB", "R0522B0"))
    ),
    ("smi-32mib", "SATADOM-SL 3TE7", "S17411C3B", {167: 5, 241: 500_000}, USED,
     {"host": 500_000 * MIB32, "used": 7}),
    ("sandforce", "Corsair Force 3 SSD", "1.3.3", {231: (94, 94), 241: 40_000}, {},
     {"host": 40_000 * GIB, "used": 6,
      "flags": ("life_used_unconfirmed", "host_unit_unverified")}),
]  # fmt: skip

NAMES = {"host": "host_bytes_written", "nand": "nand_bytes_written", "slc": "slc_bytes_written",
         "waf_pages": "waf_pages", "waf_reported": "waf_reported", "erases": "average_erases",
         "used": "percent_used"}  # fmt: skip


over_cases = pytest.mark.parametrize("case", CASES, ids=[f"{case[1]} {case[2]}" for case in CASES])


@over_cases
def test_family(case):
    family, model, firmware, attributes, statistics, expected = case
    drive = (model, firmware, 480_103_981_056, {9: 20_000, **attributes}, statistics)
    for report in (smart.parse(reports.ata(*drive)), smart.parse(reports.ata_json(*drive))):
        assert report.family == family
        found = {key: getattr(report, name) for key, name in NAMES.items()}
        figures = {key: value for key, value in expected.items() if key != "flags"}
        assert found == dict.fromkeys(NAMES) | figures
        assert report.flags == expected.get("flags", ())
        assert report.power_on_hours == (None if "poh_implausible" in report.flags else 20_000)
        host, nand = expected.get("host"), expected.get("nand")
        assert report.waf == (nand / host if host and nand else None)
        assert set(report.rules) >= {NAMES[key] for key in expected if key in NAMES} - {"waf_pages"}


def test_every_family_of_the_table_has_a_case():
    cases = [_rules.family_of(from_text(reports.ata(*case[1:3], None, *case[3:5])))
             for case in CASES]  # fmt: skip
    names = {family.name for family in _rules.families()} - {"nvme", "scsi", "emmc"}
    assert names == {family.name for family in cases}
    # and every row of those that have several
    assert {id(family) for family in _rules.families()[3:]} == {id(family) for family in cases}


def test_what_no_rule_knows_or_scsi_translates_gives_what_the_standard_defines():
    report = smart.parse(reports.SCSI)
    assert (report.kind, report.family, report.flags) == ("scsi", "scsi", ())
    assert (report.model, report.firmware) == ("Some Ent NVMe", ".1.8")
    assert (report.capacity_bytes, report.percent_used) == (7_681_501_126_656, 3)
    assert report.passed is True
    assert report.power_on_hours is report.host_bytes_written is None
    counters = {177: (50, 100), 233: 5_000, 241: 5_000, 246: 5_000, 247: 5, 248: 5, 251: 9_000}
    report = smart.parse(reports.ata("NEW DRIVE 9000", "1.0", attributes={9: 20_000, **counters}))
    assert report.family is None
    assert report.flags == ("unknown_family",)
    assert all(getattr(report, name) is None for name in NAMES.values())
    assert report.power_on_hours == 20_000
    report = smart.parse(reports.ata("NEW DRIVE 9000", "1.0", None, counters, SECTORS))
    assert report.flags == ("unknown_family",)
    assert (report.host_bytes_written, report.percent_used) == (3_200 * GB, 7)
    assert report.rules["host_bytes_written"] == "devstat sectors"


@over_cases
def test_a_report_that_lacks_a_part_never_says_more(case):
    _, model, firmware, attributes, statistics, _ = case
    drive = model, firmware, 480_103_981_056
    rows = {9: 20_000, **attributes}
    report = smart.parse(reports.ata(*drive, rows, statistics))
    if "life_used_contradicted" in report.flags:
        return  # one of its counters is wrong, and may be what is left
    whole = smart.forecast(report).wear
    lacking = [(rows, {}), ({}, statistics)]
    lacking += [({key: rows[key] for key in rows if key != left}, statistics) for left in rows]
    for attributes, statistics in lacking:
        left = smart.forecast(smart.parse(reports.ata(*drive, attributes, statistics))).wear
        if whole and left:
            assert left[0] <= whole[0]
            assert whole[1] <= left[1]
