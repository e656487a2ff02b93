"""Firmware with a published fault is found by model and version, and its neighbours are not."""

import re

import pytest

from flashwear.smart import _rules
from flashwear.smart._firmware import notices

ROWS = _rules.rows("smart_firmware")


def kinds(model, firmware):
    return [notice.kind for notice in notices(model, firmware)]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["models"].partition(";")[0])
def test_patterns_fit_the_models_that_the_row_names_and_no_mended_firmware(row):
    for name in ("model_pattern", "firmware_pattern"):
        assert not re.search(r"\)[*+{]", row[name])  # nothing that takes more than linear time
        assert not row[name] or row[name].endswith("$")
    for model in row["models"].split("; "):
        assert re.match(row["model_pattern"], model)
        assert not re.match(row["model_pattern"], f"{model}/1")
        assert row["kind"] in kinds(model, None)
        assert not row["mended_in"] or row["kind"] not in kinds(model, row["mended_in"])
    assert bool(row["hours"]) == row["kind"].endswith("_at_hours")
    assert not row["hours"] or int(row["hours"]) > 0


FAULTS = {
    "dies_at_hours": [
        ("HP MO0800JFFCH", "HPD4"), ("VO015300JWSSV", "HPD7"), ("EO1600JVYPP", "HPD6"),
        ("SANDISK LT0400MO", "D413"), ("LT0200WM", "P405"), ("X447_PHM2800MCTO", "NA03"),
        ("PX02SMB160", "MS02"), ("INTEL SSDSC2KB019T8", "XCV10100"),
    ],
    "stops_at_hours": [("M4-CT128M4SSD2", "0009"), ("Micron_M500IT_MTFDDAT064SBD", "any")],
    "may_fail": [
        ("SSDSA2CW120G3", "4PC10302"), ("Samsung SSD 980 PRO 2TB", "3B2QGXA7"),
        ("Micron_7450_MTFDKCC3T8TFR", "E2MU200"), ("MTFDKCC1T9TGP-1BK1DABYY", "E3MQ000"),
    ],
    "read_only_at_limit": [("INTEL SSDSC2CT240A4", "335s")],
    "wears_early": [("Samsung SSD 990 PRO with Heatsink 2TB", "0B2QJXD7")],
    "counts_first": [("Samsung SSD 870 EVO 4TB", "SVT01B6Q")],
    "misreports": [("CT1000MX500SSD1", "M3CR023")],
    None: [  # neighbours
        ("HP MO0800JFFCH", "HPD10"), ("MO001600KWVUU", "HPD2"),  # another HPE drive
        ("MO1600JVYPR", "HPD8"), ("LT0400MO", "D41A"), ("X438_S1633400AMD", "NA02"),
        ("PX02SSF040", "MS01"), ("M4-CT128M4SSD2", "040H"), ("MTFDDAK128MAM-1J1", "0009"),
        ("Micron_M500_MTFDDAK120MAV", "MU03"), ("INTEL SSDSC2KB960G8", "XCV10100"),  # 960 GB
        ("INTEL SSDSC2KB038T7", "SCV10100"), ("INTEL SSDSC2KB038T8", "XCV10132"),
        ("INTEL SSDSA2BW160G3L", "4PC1LE05"), ("INTEL SSDSA2CW120G3", "4PC10365"),
        ("INTEL SSDSC2BW240A4", "DC32"), ("Samsung SSD 980 1TB", "3B2QGXA7"),
        ("Samsung SSD 980 PRO 2TB", "4B2QGXA7"), ("Samsung SSD 990 EVO 2TB", "0B2QKXJ7"),
        ("Samsung SSD 870 QVO 2TB", "SVQ01B6Q"), ("Micron_7400_MTFDKCB1T9TDZ", "E2MU200"),
        ("CT1000MX500SSD1", "M3CR032"), ("", None), (None, None),
    ],
}  # fmt: skip


@pytest.mark.parametrize("kind", FAULTS)
def test_a_fault_is_found_and_neighbours_are_not_warned_of(kind):
    for drive in FAULTS[kind]:
        assert kinds(*drive) == ([kind] if kind else []), drive


def test_without_the_firmware_the_notice_says_that_it_is_not_known_but_for_a_fault_of_all():
    (notice,) = notices("HP MO0800JFFCH", None)
    assert not notice.firmware_known
    assert (notice.hours, notice.mended_in) == (32768, "HPD8")
    assert notices("HP MO0800JFFCH", "HPD7")[0].firmware_known
    (notice,) = notices("INTEL SSDSC2CT240A4", None)
    assert notice.firmware_known
    assert notice.hours is None
    assert notice.notice is None
