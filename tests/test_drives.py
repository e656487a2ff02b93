"""The drives of data/drives.toml, each figure with its origin, and files of a reader's own."""

import math
import re
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from flashwear import drives
from flashwear.drives import Drive
from flashwear.ftl.state import POLICIES
from flashwear_book import tables
from refusals import refusals

ROOT = Path(__file__).parents[1]
DATA = ROOT / "data"
GIB = 2**30

SIMULATED = tables.drives().dropna(subset="catalogue").set_index("catalogue")
NAMES = [*SIMULATED.index]
ALL = drives.names()
DRIVE = """
[mine]
name = "A drive of my own"
user_bytes = 240_000_000_000
dies = 16
planes = 2
page_bytes = 16384
pages_per_block = 512
blocks_per_plane = 1024
channels = 8
channel_bytes_per_s = 200e6
read_s = { value = 75e-6, origin = "literature", source = "a data sheet" }
program_s = [0.8e-3, 2.2e-3]
erase_s = 3e-3
"""


def rows(name, **options):
    """Rows of the table of parameters; None where a part is not given."""
    return [
        {key: None if isinstance(part, float) and math.isnan(part) else part for key, part in row}
        for row in (row.items() for row in drives.parameters(name, **options).to_dict("records"))
    ]


def entries(name):
    return rows(name, calibrated=False)


def each(value):
    return value if isinstance(value, list) else [value]


def keys(source):
    return [part.split(":")[0].strip() for part in source.split(";")]


@pytest.fixture(scope="module")
def known_keys():
    bib = re.findall(r"^@\w+\{(\w+),", (ROOT / "book/references.bib").read_text("utf-8"), re.M)
    files = {path.name for path in DATA.iterdir()}
    return {*tables.documents().document, *bib, *files}


def test_raw_and_user_capacity_are_those_of_the_tables():
    assert set(NAMES) < set(ALL)
    assert len({drives.load(name).name for name in ALL}) == len(ALL)
    for name, row in SIMULATED.iterrows():
        drive = drives.load(name)
        assert drive.raw_bytes == row.raw_gib * GIB, name
        assert 0 <= row.capacity_gb * 1e9 - drive.user_bytes < drive.map_bytes, name
        assert drive.superblocks == drive.blocks_per_plane, name
    known, specified = tables.external(), tables.specifications()
    shares = {"M500DC 480GB": 42, "M500DC 800GB": 27}
    for name, row in SIMULATED.iterrows():
        table, raw = row.drive, row.raw_gib
        drive, printed = drives.load(name), specified[specified.drive == table]
        external = known[(known.drive == table) & (known.quantity == "raw NAND")]
        for value in {*printed.value[printed.attribute == "raw capacity"], *external.value}:
            assert value == pytest.approx(raw, rel=0.015), name  # another prints 340 for 336
        if table in shares:
            spare = 100 * (1 - drive.user_bytes / drive.raw_bytes)
            assert spare == pytest.approx(shares[table], abs=0.5), name
        dies = printed[(printed.attribute == "die capacity") & (printed.unit == "Gibit")]
        for value in dies.value:
            assert drive.dies * value / 8 == pytest.approx(raw), name


CACHE = {"bits_per_cell", "cache_own_blocks", "cache_share", "cache_direct", "cache_fold_to",
         "slc_read_s", "slc_program_s", "slc_wear"}  # fmt: skip


def test_every_parameter_has_an_origin_a_known_source_unless_assumed_and_its_band(known_keys):
    named = {"controller", "flash", "line", "enterprise"}
    for name in NAMES:
        parameters = entries(name)
        origins = {entry["origin"] for entry in parameters}
        assert origins <= {"stated", "literature", "assumed"}, name
        # what is not named keeps the default of Drive, and the file says why
        missing = {field.name for field in fields(Drive)} - {e["parameter"] for e in parameters}
        assert missing - CACHE - named - {"cache_idle_s"} == {"suspend_s", "copy_s"}, name
        assert missing & CACHE in (set(), CACHE), name  # all of a cache, or none
    works = (ROOT / "book" / "references.bib").read_text("utf-8")
    by_one = re.findall(r"@\w+\{(\w+),\s*author = \{\{(\w+)\}\}", works)
    makers = {*tables.drives().maker}
    sheets = {key for key, author in by_one if author in makers}
    stating = {*tables.documents().document, *sheets}
    for name in ALL:
        for entry in entries(name):
            if entry["origin"] != "assumed":
                assert entry["source"], (name, entry)
            if entry["source"]:
                assert set(keys(entry["source"])) <= known_keys, (name, entry)
            if entry["origin"] == "stated":
                assert set(keys(entry["source"])) <= stating, (name, entry)
    for drive, entry in ((name, entry) for name in ALL for entry in entries(name)):
        at = drive, entry
        assert (entry["low"] is None) == (entry["high"] is None), at
        if entry["origin"] == "assumed":
            assert entry["low"] is not None, at
            assert entry["note"], at
        if entry["low"] is None:
            continue
        low, value, high = (each(entry[part]) for part in ("low", "value", "high"))
        assert len(low) == len(value) == len(high), at
        if isinstance(value[0], (bool, str)):
            assert value[0] in (low[0], high[0]), at
        else:
            assert all(a <= b <= c for a, b, c in zip(low, value, high, strict=True)), at


@pytest.mark.parametrize("end", ["low", "high"])
def test_the_ends_of_the_bands_make_drives(end):
    only_their_product = ("pages_per_block", "blocks_per_plane", "page_bytes", "dies")
    for name in NAMES:
        drive = drives.load(name)
        for entry in entries(name):
            bound, parameter = entry[end], entry["parameter"]
            if bound is None or parameter in only_their_product:
                continue
            changed = {parameter: tuple(bound) if isinstance(bound, list) else bound}
            if parameter == "map_bytes":
                changed["user_bytes"] = drive.user_bytes // bound * bound
            replace(drive, **changed)


def test_a_static_cache_has_its_size_and_a_dynamic_one_the_stated_share_of_the_addresses():
    for name, size in ((120, 3), (250, 3), (500, 6), (1000, 12)):
        drive = drives.load(f"840-evo-{name}gb")
        cells = drive.raw_bytes * drive.cache_own_blocks / drive.superblocks
        assert cells / drive.bits_per_cell / 1e9 == pytest.approx(size, rel=0.01), name
        assert drive.cache_share == 0
    drive = drives.load("m600-128gb")
    stated = tables.claims().set_index("id").stated["M6-082"]
    held = drive.cache_share * drive.raw_bytes / drive.bits_per_cell
    assert 100 * held / drive.user_bytes == pytest.approx(float(stated), rel=1e-3)


def test_scaled_keeps_rates_and_shares_also_of_a_cache():
    drive = drives.load("m600-256gb")
    small = drive.scaled(0.25)
    kept = ("dies", "program_s", "buffer_bytes", "superblocks")
    assert [getattr(small, name) for name in kept] == [getattr(drive, name) for name in kept]
    assert small.pages_per_block * 4 == drive.pages_per_block
    assert small.raw_bytes * 4 == drive.raw_bytes
    assert small.user_bytes % small.map_bytes == 0
    spare = drive.raw_bytes / drive.user_bytes
    assert small.raw_bytes / small.user_bytes == pytest.approx(spare, rel=1e-6)
    # an erase comes for a quarter of the pages, and takes a quarter of the time
    assert small.erase_s * 4 == drive.erase_s
    held = drives.load("mx300-750gb")
    of_map = held.map_cache_bytes / held.user_bytes
    small = held.scaled(0.25)
    assert small.map_cache_bytes / small.user_bytes == pytest.approx(of_map, rel=1e-5)
    times = {"slc_read_s": 1e-5, "slc_program_s": 1e-4, "cache_idle_s": 0.05}
    drive = replace(drives.load("mx300-750gb"), bits_per_cell=3, cache_share=0.5, **times)
    small = drive.scaled(1 / 100)
    assert small.pages_per_block % 3 == 0
    assert small.pages_per_block == pytest.approx(drive.pages_per_block / 100, abs=1.5)
    scale = small.pages_per_block / drive.pages_per_block
    assert small.cache_idle_s == pytest.approx(0.05 * scale)
    assert (small.slc_program_s, small.cache_share) == (1e-4, 0.5)
    assert drive.scaled(1) == drive


@pytest.mark.parametrize("scale", [1, 0.7, 1 / 3, 1e-9])
def test_scaled_rounds_to_whole_pages(scale):
    for name in NAMES:
        drive = drives.load(name)
        small = drive.scaled(scale)
        step = drive.bits_per_cell if drive.has_cache and scale < 1 else 1
        pages = step * max(1, round(drive.pages_per_block * scale / step))
        assert small.pages_per_block == pages, name
        user = drive.user_bytes * pages / drive.pages_per_block
        assert math.isclose(small.user_bytes, user, abs_tol=drive.map_bytes), name
        assert small.user_bytes < small.raw_bytes, name


test_parameters_of_a_cache_are_checked = refusals([
    ({"bits_per_cell": 5}, "bits_per_cell must be a whole number >= 2 and <= 4, got 5"),
    ({"cache_own_blocks": -1}, "cache_own_blocks must be a whole number >= 0"),
    ({"cache_share": "much"}, "cache_share must be .*, got 'much'"),
    ({"cache_share": 1.5}, "cache_share must be .* <= 1, got 1.5"),
    ({"cache_fold_to": -0.5}, "cache_fold_to must be .* >= 0 .*, got -0.5"),
    ({"cache_idle_s": 0}, "cache_idle_s must be .* > 0 .*, got 0"),
    ({"slc_wear": 0}, "slc_wear must be .* > 0 .*, got 0"),
    ({"slc_program_s": 0}, "slc_program_s must be .* > 0 .*, got 0"),
    ({"slc_read_s": 0}, "slc_read_s must be .* > 0 .*, got 0"),
    ({"cache_share": 0.5}, "slc_read_s must be a time for a drive with a cache, got None"),
    ({"cache_own_blocks": 3, "slc_read_s": 1e-5}, "slc_program_s must be a time .* got None"),
    (
        {"cache_share": 0.1, "slc_read_s": 1e-5, "slc_program_s": 1e-4, "pages_per_block": 1}
        | {"user_bytes": 2**20},
        "pages_per_block must give a superblock in SLC mode two .*, got 0",
    ),
], by=lambda changes: replace(drives.load("m600-512gb"), **changes))  # fmt: skip


test_parameters_of_the_controller_and_the_flash_are_checked = refusals([
    ({"cache_direct": "false"}, "cache_direct must be True or False, got 'false'"),
    ({"reads_first": None}, "reads_first must be True or False, got None"),
    ({"name": 3}, "name must be text, got 3"),
    ({"policy": "lru"}, "policy must be one of greedy, fifo, .*, got 'lru'"),
    # 954 of 1,024 superblocks hold the 256 GB
    ({"cache_own_blocks": 71}, "cache_own_blocks must be .* >= 0 and <= 70, got 71"),
    ({"high_blocks": 2000}, "high_blocks must be .* <= 1024, got 2000"),
    ({"low_blocks": 1025}, "low_blocks must be .* >= 2 and <= 1024, got 1025"),
    ({"blocks_per_plane": 1}, "blocks_per_plane must be a whole number >= 2"),
    ({"read_s": 0}, "read_s must be .* > 0 .*, got 0"),
    # a superblock has 16 x 512 program units; with one in 14 for parity they hold 255.22 GB
    ({"stripe": 8192}, "stripe must be a whole number >= 0 and <= 8191, got 8192"),
    ({"stripe": 13},
     "user_bytes must be < 255215009792, the raw capacity less parity, got 256"),
    ({"dies": 1, "channels": 1, "pages_per_block": 1, "user_bytes": 4096},
     r"pages_per_block must give a superblock two .*, got 1 \(1 dies of 1 pages, stripe 0"),
    ({"program_s": 5 * (1e-3,)}, r"program_s must be a row of 1 to 2 times, .* got \(0.001, 0"),
    ({"program_s": ()}, r"program_s must be a row of 1 to 2 times, .* got \(\)"),
    ({"program_s": 1e-3}, "program_s must be a row of 1 to 2 times, .* got 0.001"),
], by=lambda one: replace(drives.load("m600-256gb"), **{"cache_share": 0.0, **one}))  # fmt: skip


@pytest.mark.parametrize("times", [[1e-3, 2e-3], np.array([1e-3, 2e-3]), pd.Series([1e-3, 2e-3])])
def test_drives_of_the_same_numbers_are_the_same(times):
    plain = replace(drives.load("m600-256gb"), program_s=(1e-3, 2e-3))
    of_numpy = replace(plain, program_s=times, dies=np.int32(plain.dies),
                       user_bytes=np.array(plain.user_bytes), read_s=np.array(plain.read_s),
                       reads_first=np.bool_(True))  # fmt: skip
    assert of_numpy == plain
    assert hash(of_numpy) == hash(plain)
    assert repr(of_numpy) == repr(plain)
    assert of_numpy.raw_bytes == 256 * GIB  # more than 32 bits hold


test_scaled_refuses_what_is_no_share = refusals([
    (scale, "scale") for scale in (0, -1, 1.5, float("nan"), "half", None)
], by=lambda scale: drives.load("m600-256gb").scaled(scale))  # fmt: skip


def test_a_drive_of_ones_own(write):
    path = write(DRIVE)
    assert drives.names(path) == ["mine"]
    drive = drives.load("mine", path)
    assert drive.raw_bytes == 256 * GIB
    assert drive.program_s == (0.8e-3, 2.2e-3)
    assert set(drives.POLICIES) == set(POLICIES)
    assert drive.read_s == 75e-6
    assert (drive.stripe, drive.policy) == (0, "greedy")
    table = drives.parameters("mine", str(path)).set_index("parameter")
    assert table.origin["read_s"] == "literature"
    assert table.origin.isna().sum() == len(table) - 1
    with pytest.raises(ValueError, match="name must be one of mine, got 'm600-256gb'"):
        drives.load("m600-256gb", path)
    with pytest.raises(ValueError, match=r"name must be one of m600-128gb, .* got 'mine'"):
        drives.parameters("mine")


@pytest.mark.parametrize(("line", "message"), [
    ('dies = "16"', "dies"),
    ("dies = true", "dies"),
    ("read_s = nan", "read_s"),
    ("program_s = [[1e-3], [2e-3]]", "program_s"),
    ("page_bytes = 5000", "page_bytes must be a multiple of 4096"),
    ("user_bytes = 240_000_000_001", "user_bytes must be a multiple of 4096"),
    ("user_bytes = 409_600_000_000", "user_bytes must be < 274877906944"),
    ("channel_bytes_per_s = 10", "channel_bytes_per_s"),
    ("low_blocks = 5\nhigh_blocks = 4", "high_blocks"),
    ("queue_limit = 70000", "queue_limit"),
    ("map_bytes = 1000", "map_bytes"),
    ("map_cache_bytes = 1", "map_cache_bytes"),
    ("suspend_s = -1.0", "suspend_s"),
    ("programs_per_die = 0", "programs_per_die"),
])  # fmt: skip
def test_wrong_values(write, line, message):
    parameter = line.split(" ")[0]
    text, count = re.subn(rf"(?m)^{parameter} = .*$", line, DRIVE)
    path = write(text if count else f"{DRIVE}{line}\n")
    with pytest.raises(ValueError, match=f"mine: .*{re.escape(message)}"):
        drives.load("mine", path)


def test_files_that_are_none(write, tmp_path):
    for content in (b"[mine", b"dies = ", b"x = 1\nx = 2\n", b"\xff\xfe[\x00"):
        (tmp_path / "drives.toml").write_bytes(content)
        with pytest.raises(ValueError, match=r"drives\.toml must be TOML"):
            drives.names(tmp_path / "drives.toml")
    with pytest.raises(ValueError, match="must hold a table for each drive"):
        drives.names(write("dies = 16\n"))
    assert drives.names(write("")) == []
    with pytest.raises(ValueError, match="name must be one of"):
        drives.load("mine", write(""))
    path = tmp_path / "large.toml"
    with path.open("wb") as file:
        file.truncate(10**7 + 1)
    with pytest.raises(ValueError, match="must have at most 10000000 bytes"):
        drives.names(path)
    with pytest.raises(FileNotFoundError):
        drives.names(tmp_path / "none.toml")
