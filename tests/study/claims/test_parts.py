"""What comes of parts, rivals and forecasts follows from the tables, and turns with them."""

import numpy as np
import pytest

from checked import found, other_line
from flashwear import drives, tables
from flashwear.study import sources


@pytest.mark.parametrize(
    ("id_", "outcome", "computed"),
    [
        ("M6-009", "holds", "88SS9189"),
        ("M6-012", "holds", "88SS9189"),
        ("MX-028", "holds", "88SS1074"),
        ("P4-024", "partly", "88SS9187"),
        ("M6-003", "partly", "512 GB"),
        ("P4-027", "holds", "3"),
        ("M6-073", "undecided", "128, 128, 128 Gbit"),  # 8 x 128 / 8, 256 / 16, 512 / 32
        # 443 / 154, 466 / 305, 396 / 128, 485 / 253
        (
            "M6-067",
            "undecided",
            "840 EVO 120GB 3.1, 840 EVO 250GB 1.9, M600 128GB 2.9, M600 256GB 1.5",
        ),
        # 199.99 / 750, 306.76 / 1000, 153.95 / 500
        ("MX-168", "undecided", "26.7 against 30.7 and 30.8"),
        # 1498 x 1152 GiB, 1999 x 1024 GiB
        ("MX-074", "undecided", "1.85 against 2.20 PB"),
        ("C2-006", "undecided", "64 drives"),
        # 11 x 4 x 16384 / 250e6
        ("MX-021", "undecided", "2.9 ms with 4 planes, 1.4 ms with 2"),
        ("MX-178", "undecided", "known of 0 of 20 later lines"),
        (
            "M6-213",
            "undecided",
            "MX200 500GB: stated off, MX200 1TB: stated off, MX300 750GB: stated on",
        ),
    ],
)
def test_findings_worked_by_hand(id_, outcome, computed):
    finding = found(id_)
    assert (finding.outcome, finding.computed) == (outcome, computed)


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
    ("id_", "name", "column", "value", "where", "outcome"),
    [
        (
            "M6-010",
            "specifications",
            "stated",
            "Marvell 88SS9187",
            {"drive": "M600 256GB", "attribute": "controller"},
            "fails",
        ),
        (
            "P4-024",
            "specifications",
            "stated",
            "88SS9187",
            {"drive": "P400m", "attribute": "controller"},
            "holds",
        ),
        (
            "M6-003",
            "external",
            "drive",
            "MX100 1024GB",
            {"drive": "MX100 512GB", "quantity": "dies"},
            "fails",
        ),
        (
            "P4-027",
            "external",
            "quantity",
            "another",
            {"drive": "P400m 400GB", "quantity": "data sheet TBW"},
            "fails",
        ),
    ],
)
def test_a_changed_cell_flips_the_outcome(monkeypatch, id_, name, column, value, where, outcome):
    other_cell(monkeypatch, name, column, value, **where)
    assert found(id_).outcome == outcome


def test_one_smaller_drive_that_is_faster_makes_the_rule_of_dies_fail(monkeypatch):
    assert found("MX-020").part.startswith("never faster, slower in ")
    faster = {"line": "Samsung PM863", "capacity_gb": 120.0, "test": "sequential write"}
    other_cell(monkeypatch, "speeds", "value", 1000.0, **faster)
    assert found("MX-020").outcome == "fails"
    assert found("MX-020").computed.endswith("1 faster")


def test_the_lone_read_of_the_mx300_is_the_sum_of_its_services():
    assert found("MX-136").outcome == "undecided"
    drive = drives.load("mx300-750gb")
    transfer = drive.channel_overhead_s + 4096 / drive.channel_bytes_per_s
    flash = drive.read_s + transfer
    link = drive.link_overhead_s + 4096 / drive.link_bytes_per_s
    lone = 1e6 * (drive.read_command_s + drive.read_unit_s + flash + link)
    assert f"{lone:.0f} us" in found("MX-136").how


def test_an_array_of_even_drives_loses_nothing(monkeypatch):
    for drive in ("p400m-200gb", "s3700-200gb"):
        other_line(monkeypatch, "consistency", [30_000] * 2000, drive=drive)
    assert found("P4-076").computed == "P400m 100.0 %, S3700 100.0 %"


def test_one_slow_second_in_four_hundred_slows_an_array_eight_times_as_often(monkeypatch):
    seconds = np.full(2000, 30_000)
    seconds[-7] = 0
    other_line(monkeypatch, "consistency", seconds, drive="p400m-200gb")
    # 8 of 400 seconds are lost, of one drive 1
    assert found("P4-076").computed.startswith(f"P400m {100 * 392 / 399:.1f} %")


@pytest.mark.parametrize("id_", ["MX-135", "MX-171", "MX-158", "P4-085", "MX-214", "M6-002"])
def test_what_is_known_of_one_side_is_computed(id_):
    finding = found(id_)
    assert finding.outcome == "undecided"
    assert any(letter.isdigit() for letter in finding.computed)
