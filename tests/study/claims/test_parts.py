"""The verdicts on parts, on rivals and forecasts follow from the tables, and turn with them."""

import numpy as np
import pytest

from checked import found, other_line
from flashwear import drives, tables
from flashwear.study import sources
from flashwear.study.claims import _parts, kept


@pytest.mark.parametrize(
    ("id_", "verdict", "computed"),
    [
        ("M6-009", "reproduced", "88SS9189"),
        ("M6-012", "reproduced", "88SS9189"),
        ("MX-028", "reproduced", "88SS1074"),
        ("P4-024", "corrected", "88SS9187"),
        ("M6-003", "reproduced", "512 GB"),
        ("P4-027", "reproduced", "3"),
        ("M6-073", "not reproducible", "128, 128, 128 Gbit"),  # 8 x 128 / 8, 256 / 16, 512 / 32
        # 443 / 154, 466 / 305, 396 / 128, 485 / 253
        (
            "M6-067",
            "not reproducible",
            "840 EVO 120GB 3.1, 840 EVO 250GB 1.9, M600 128GB 2.9, M600 256GB 1.5",
        ),
        # 199.99 / 750, 306.76 / 1000, 153.95 / 500
        ("MX-168", "not reproducible", "26.7 against 30.7 and 30.8"),
        # 1498 x 1152 GiB, 1999 x 1024 GiB
        ("MX-074", "not reproducible", "1.85 against 2.20 PB"),
        ("C2-006", "not reproducible", "64 drives"),
        # 11 x 4 x 16384 / 250e6
        ("MX-021", "not reproducible", "2.9 ms with 4 planes, 1.4 ms with 2"),
        ("MX-178", "not reproducible", "known of 0 of 20 later lines"),
        (
            "M6-213",
            "not reproducible",
            "MX200 500GB: stated off, MX200 1TB: stated off, MX300 750GB: stated on",
        ),
        ("P4-114", "not reproducible", None),
        ("MX-002", "not reproducible", None),
        ("C2-012", "not reproducible", None),
    ],
)
def test_verdicts_worked_by_hand(id_, verdict, computed):
    finding = found(id_)
    assert (finding.verdict, finding.computed) == (verdict, computed)


def other_cell(monkeypatch, name, column, value, **where):
    table = getattr(tables, name)()
    rows = np.logical_and.reduce([table[key] == cell for key, cell in where.items()])
    assert rows.any()
    table.loc[rows, column] = value
    monkeypatch.setattr(tables, name, lambda: table)
    sources._table.cache_clear()


@pytest.fixture(autouse=True)
def fresh_facts():
    """Forget the cached tables after a test that changes one."""
    yield
    sources._table.cache_clear()


@pytest.mark.parametrize(
    ("id_", "name", "column", "value", "where", "verdict"),
    [
        (
            "M6-010",
            "specifications",
            "stated",
            "Marvell 88SS9187",
            {"drive": "M600 256GB", "attribute": "controller"},
            "corrected",
        ),
        (
            "P4-024",
            "specifications",
            "stated",
            "88SS9187",
            {"drive": "P400m", "attribute": "controller"},
            "reproduced",
        ),
        (
            "M6-003",
            "external",
            "drive",
            "MX100 1024GB",
            {"drive": "MX100 512GB", "quantity": "dies"},
            "contradicted",
        ),
        (
            "P4-027",
            "external",
            "quantity",
            "another",
            {"drive": "P400m 400GB", "quantity": "data sheet TBW"},
            "contradicted",
        ),
    ],
)
def test_a_changed_cell_flips_the_verdict(monkeypatch, id_, name, column, value, where, verdict):
    other_cell(monkeypatch, name, column, value, **where)
    assert found(id_).verdict == verdict


def test_halved_drives_have_the_same_flash_and_as_much_blank():
    drive = drives.load("m600-512gb")
    half = _parts._halved(drive)
    assert (half.dies, half.raw_bytes) == (16, drive.raw_bytes)
    for one in (half, drive):
        assert one.high_blocks / one.superblocks == pytest.approx(4 / 1024)


def test_fewer_dies_are_slower_where_dies_are_the_limit(monkeypatch):
    finding = found("MX-020")
    assert finding.verdict == "explained"
    assert finding.computed.startswith("of 17 slower: 9 writes in order")
    # drives that their controllers limit with half of their dies too
    monkeypatch.setattr(_parts.speeds, "RATED", ["m600-1024gb", "p400m-400gb"])
    assert found("MX-020").verdict == "contradicted"
    assert found("MX-020").computed.startswith("of 2 slower: 0 writes in order")


def test_the_lone_read_of_the_mx300_is_the_sum_of_its_services():
    assert found("MX-136").verdict == "not reproducible"
    drive = drives.load("mx300-750gb")
    transfer = drive.channel_overhead_s + 4096 / drive.channel_bytes_per_s
    flash = drive.read_s + transfer
    link = drive.link_overhead_s + 4096 / drive.link_bytes_per_s
    lone = 1e6 * (drive.read_command_s + drive.read_unit_s + flash + link)
    assert f"with all of it in DRAM it is {lone:.0f} us" in found("MX-136").how


def test_an_array_of_even_drives_loses_nothing(monkeypatch):
    finding = found("P4-076")
    assert finding.verdict == "explained"
    for drive in ("p400m-200gb", "s3700-200gb"):
        other_line(monkeypatch, "consistency", [30_000] * 2000, drive=drive)
    assert found("P4-076").verdict == "contradicted"
    assert found("P4-076").computed == "P400m 100.0 %, S3700 100.0 %"


def test_one_slow_second_in_four_hundred_slows_an_array_eight_times_as_often(monkeypatch):
    seconds = np.full(2000, 30_000)
    seconds[-7] = 0
    other_line(monkeypatch, "consistency", seconds, drive="p400m-200gb")
    # 8 of 400 seconds are lost, of one drive 1
    assert found("P4-076").computed.startswith(f"P400m {100 * 392 / 399:.1f} %")


def test_a_slightly_slower_mx300_would_explain_the_conclusion(monkeypatch):
    assert found("MX-167").verdict == "not reproducible"
    table = kept.table("storage_bench").copy()
    mlc = table[table["drive"] == "mx200-500gb"]["mb_per_s"].to_numpy()
    for drive, factor in (("mx200-1000gb", 1.0), ("mx300-750gb", 0.95)):
        table.loc[table["drive"] == drive, "mb_per_s"] = factor * mlc
    monkeypatch.setattr(kept, "table", lambda study: table)
    assert found("MX-167").verdict == "explained"


@pytest.mark.parametrize("id_", ["MX-135", "MX-171", "MX-158", "P4-085", "MX-214", "M6-002"])
def test_what_is_known_of_one_side_is_computed(id_):
    finding = found(id_)
    assert finding.verdict == "not reproducible"
    assert any(letter.isdigit() for letter in finding.computed)
