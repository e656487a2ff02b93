"""The catalogue: drives from parts, as in the file and put together by a caller."""

import csv
import itertools
import re
import shutil
import tomllib
from dataclasses import fields, replace

import pytest
from hypothesis import given, strategies as st

from flashwear import drives, predict, queueing, tables
from flashwear.drives import Drive
from flashwear.queueing import requests as io
from flashwear_book.tables import external, line_sets
from refusals import refusals
from test_drives import rows

NAMES = drives.names()
CATALOGUE = tomllib.loads((tables.data_folder() / "drives.toml").read_text("utf-8"))
RESERVED = line_sets().query("set == 'reserved'").line


@pytest.fixture
def copied(tmp_path, monkeypatch):
    folder = tmp_path / "data"
    (folder / "results").mkdir(parents=True)
    for file in ("drives.toml", "results/times.csv"):
        shutil.copy(tables.data_folder() / file, folder / file)
    monkeypatch.setattr(tables, "data_folder", lambda: folder)
    return folder


def test_what_a_caller_changes_is_not_kept():
    table = drives.parameters("m600-256gb").set_index("parameter")
    table.value["program_s"].append(1.0)
    table.low["program_s"].clear()
    again = drives.parameters("m600-512gb").set_index("parameter")
    assert len(again.low["program_s"]) == 2
    assert again.value["program_s"] == list(drives.load("m600-256gb").program_s)


TIMES = ("read_command_s", "read_unit_s", "write_command_s", "write_unit_s", "read_s", "program_s")


def test_a_drive_has_the_times_of_the_fit_and_all_else_of_the_file():
    with (tables.data_folder() / "results" / "times.csv").open(encoding="utf-8") as file:
        fits = {row.pop("drive"): row for row in csv.DictReader(file)}
    assert sorted(fits) == sorted(NAMES)
    for name in NAMES:
        has_the_times_of(name, fits[name])


def has_the_times_of(name, fit):
    before, drive = drives.load(name, calibrated=False), drives.load(name)
    times = {*TIMES, "slc_program_s"} if drive.has_cache else {*TIMES}
    columns = {f"{time}{end}" for time in times for end in ("", "_low", "_high")}
    assert {time for time in fit if fit[time]} == columns
    for time in times - {"program_s"}:
        assert getattr(drive, time) == float(fit[time])
    assert sum(drive.program_s) / len(drive.program_s) == pytest.approx(float(fit["program_s"]))
    ratios = [now / then for now, then in zip(drive.program_s, before.program_s, strict=True)]
    assert ratios == pytest.approx([ratios[0]] * len(ratios))
    kept = {time: getattr(before, time) for time in times}
    assert replace(drive, **kept) == before
    table = {row["parameter"]: row for row in rows(name)}
    assert {key for key, row in table.items() if row["origin"] == "calibrated"} == times
    for time in times:
        low, value, high = (
            row if isinstance(row, list) else [row]
            for row in (table[time][part] for part in ("low", "value", "high"))
        )
        assert all(a < b < c for a, b, c in zip(low, value, high, strict=True))
        assert (value if len(value) > 1 else value[0]) == (
            list(drive.program_s) if time == "program_s" and len(value) > 1
            else drive.program_s[0] if time == "program_s" else getattr(drive, time)
        )  # fmt: skip


def test_calibrated_values_follow_the_table_or_are_those_of_the_file(copied):
    path = copied / "results" / "times.csv"
    before = drives.load("mx300-750gb")
    text = path.read_text("utf-8")
    assert repr(before.read_command_s) in text
    path.write_text(text.replace(repr(before.read_command_s), "7.123456e-06"), "utf-8")
    assert drives.load("mx300-750gb") == replace(before, read_command_s=7.123456e-6)
    lines = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(line for line in lines if not line.startswith("m600-256gb,")), "utf-8")
    assert drives.load("m600-256gb") == drives.load("m600-256gb", calibrated=False)
    assert "calibrated" not in {row["origin"] for row in rows("m600-256gb")}
    path.unlink()
    drive = drives.load("m500dc-480gb", calibrated=False)
    assert (drive.read_command_s, drive.write_unit_s) == (4e-6, 6e-6)
    assert drives.parameters("m500dc-480gb", calibrated=False).origin.ne("calibrated").all()
    with pytest.raises(FileNotFoundError):
        drives.load("m500dc-480gb")


def test_times_of_programs_keep_their_proportions():
    drive = drives.load("m600-256gb", calibrated=False)
    slower = drive.with_times({"program_s": 3.15e-3, "read_s": 80e-6})
    assert slower.program_s == pytest.approx((1.7e-3, 4.6e-3), rel=1e-12)
    assert slower == replace(drive, program_s=slower.program_s, read_s=80e-6)
    assert drive.with_times({}) == drive
    with pytest.raises(ValueError, match=r"program_s must be .* > 0"):
        drive.with_times({"program_s": 0.0})


CONTROLLERS, FLASHES = drives.controllers(), drives.flashes()
PAIRS = [*itertools.product(CONTROLLERS[:6], FLASHES[:6]),  # those that are simulated
         *zip(CONTROLLERS[6:], itertools.cycle(FLASHES), strict=False),
         *zip(itertools.cycle(CONTROLLERS), FLASHES[6:], strict=False)]  # fmt: skip


@pytest.mark.filterwarnings("ignore:times of commands")
@given(pair=st.sampled_from(PAIRS), dies=st.integers(1, 128), spare=st.floats(-0.1, 0.5),
       stripe=st.integers(0, 40))  # fmt: skip
def test_a_drive_is_made_if_its_flash_less_parity_holds_more_than_the_user_has(
    pair, dies, spare, stripe
):
    parts = dict(zip(("controller", "flash"), pair, strict=True))
    small = drives.assemble(**parts, dies=dies, user_bytes=4096, stripe=stripe)
    programs = small.dies * small.pages_per_block
    parity = -(-programs // (stripe + 1)) if stripe else 0
    held = small.raw_bytes // programs * (programs - parity)
    assert small.data_bytes == held
    user = int(small.raw_bytes * (1 - spare)) // 4096 * 4096
    if user < held:
        made = drives.assemble(**parts, dies=dies, user_bytes=user, stripe=stripe)
        assert made == replace(small, user_bytes=user)
    else:
        with pytest.raises(ValueError, match=f"user_bytes must be < {held}, .* got {user}"):
            drives.assemble(**parts, dies=dies, user_bytes=user, stripe=stripe)


PARTS = {"controller": "marvell-88ss9189", "flash": "micron-16nm-mlc-128gbit"}


def test_a_drive_knows_its_parts_and_line_of_which_a_cache_is_one_and_a_die_its_kind():
    parts = {**PARTS, "cache": "micron-dynamic-mlc", "dies": 16, "user_bytes": 256_000_000_000}
    other = drives.load("m600-256gb", calibrated=False)
    assert drives.assemble(**parts, name="mine") == replace(
        other, name="mine", map_cache_bytes=None, line="")  # fmt: skip
    assert drives.caches()[:2] == ["micron-dynamic-mlc", "micron-dynamic-tlc"]
    parts = {"flash": PARTS["flash"], "dies": 16, "user_bytes": 240_000_000_000}
    link = {"link_bytes_per_s": 5e8, "link_overhead_s": 1e-6, "queue_limit": 32}
    drive = drives.assemble(controller=None, channels=4, **link, **parts)
    assert (drive.controller, drive.channels) == ("", 4)
    assert drive.name == f"16 dies of {PARTS['flash']} on a controller"
    with pytest.raises(ValueError, match="must include channels"):
        drives.assemble(controller=None, **link, **parts)
    with pytest.warns(UserWarning, match="an unknown controller is taken for one of SATA"):
        assert drives.assemble(controller=None, channels=4, **parts).queue_limit == 32
    parts = {"controller": "phison-e18", "flash": "micron-176l-tlc-512gbit", "dies": 16,
             "user_bytes": 999_999_995_904}  # fmt: skip
    with pytest.warns(UserWarning, match="round figures of SATA controllers: .*predict.assemble"):
        slow = drives.assemble(**parts)
    fast = predict.assemble(**parts, read_s=1e-4)
    assert fast.read_s == 1e-4
    assert fast.write_unit_s == predict.calibrated(slow).write_unit_s
    load = io.Access(read_share=1.0)
    taken = [queueing.bounds.demands(one, load)["controller"] for one in (fast, slow)]
    assert 2e5 < 1 / taken[1] / 0.55 < 2.1e5  # of round figures, 4 and 5 us
    assert taken[0] < taken[1] / 5
    drive = drives.load("mx200-250gb")
    assert (drive.controller, drive.line) == ("marvell-88ss9189", "mx200")
    assert drive.flash == "micron-16nm-mlc-128gbit"
    assert drives.load("m550-256gb").flash != drives.load("m550-1024gb").flash
    single = drives.load("s3700-200gb")
    assert (single.line, single.controller) == ("s3700-200gb", "intel-pc29as21ca0")
    bits = {"mlc": 2, "tlc": 3, "qlc": 4}
    for name in FLASHES:
        made = "layers" if re.search(r"-(\d+l|3d)-", name) else "planar"
        assert CATALOGUE["flash"][name]["kind"] == f"{bits[name.split('-')[2]]} bits, {made}"
    assert drives.usual_program_s("3 bits, planar") == 2e-3
    assert drives.load("p3-500gb", calibrated=False).program_s == (4e-3,)


@pytest.mark.parametrize("line", RESERVED)
def test_a_reserved_line_has_drives_and_no_speed_in_any_table(line):
    assert [name for name in NAMES if drives.load(name).name.startswith(f"{line} ")]
    words = rf"\b{line.split(' ', 1)[1]}\b(?! Plus)"
    seen, other = tables.speeds(), external()
    rates = other[other.unit.isin(["MB/s", "MiB/s", "IOPS"])]
    for named in (seen.drive, seen.line, rates.drive):
        assert not named.str.contains(words, case=False).any()


test_what_cannot_be_made_is_refused = refusals([
    ({"controller": "sandforce"}, "controller must be one of marvell-.*, got 'sandforce'"),
    ({"flash": None}, "flash must be one of micron-.*, got None"),
    ({"cache": "none"}, "cache must be one of micron-dynamic-mlc, .*, got 'none'"),
    ({"colour": 3}, "overrides must be parameters of Drive, name, .*, got colour=3"),
    ({"dies": 0}, "dies must be a whole number >= 1 .*, got 0"),
    ({"dies": 8}, "user_bytes must be < 137438953472, the raw capacity, got 256000000000"),
    ({"program_s": [0.0]}, "program_s must be .* > 0 .*, got 0"),
    ({"user_bytes": 1000}, "user_bytes must be .* >= 4096 .*, got 1000"),
], by=lambda changes: drives.assemble(
    **{**PARTS, "dies": 16, "user_bytes": 256_000_000_000, **changes}))  # fmt: skip


OWN = """
[common]
copy_s = 1e-6

[controllers.two]
channels = 2
read_command_s = { value = 2e-6, origin = "assumed", low = 1e-6, high = 3e-6 }

[flash.small]
planes = 1
page_bytes = 16384
pages_per_block = 256
blocks_per_plane = 1024
channel_bytes_per_s = 200e6
read_s = 75e-6
program_s = [1e-3]
erase_s = 3e-3

[drives.mine]
name = "Mine"
controller = "two"
flash = "small"
dies = 4
user_bytes = 16_000_000_000
copy_s = 2e-6
"""


def test_the_nearest_place_gives_a_value_and_its_origin(write):
    text = re.sub("copy_s = .*\n", "", OWN).replace("planes", 'kind = "k"\nplanes')
    text = text.replace("dies", 'family = "f"\ndies') + "[families.f]\n[caches.c]\n[kinds.k]\n"
    text = text.replace("[families.f]", '[families.f]\ncache = "c"')
    places = ("common", "controllers.two", "kinds.k", "flash.small", "caches.c", "families.f",
              "drives.mine")  # fmt: skip
    for at, place in enumerate(places, 1):
        entry = {"value": at, "origin": "assumed", "low": 0, "high": 9, "note": place}
        given = ", ".join(f"{key} = {value!r}" for key, value in entry.items())
        text = text.replace(f"[{place}]\n", f"[{place}]\ncopy_s = {{ {given} }}\n")
        path = write(text)
        assert drives.load("mine", path).copy_s == at, place
        (row,) = [row for row in rows("mine", path=path) if row["parameter"] == "copy_s"]
        assert entry.items() <= row.items(), place
    found = [row["parameter"] for row in rows("mine", path=path)]
    assert found == [field.name for field in fields(Drive) if field.name in found]


def test_a_catalogue_of_ones_own_and_a_drive_that_needs_no_parts(write):
    path = write(OWN)
    assert drives.names(path) == ["mine"]
    assert (drives.controllers(path), drives.flashes(path)) == (["two"], ["small"])
    assert drives.caches(path) == []
    drive = drives.load("mine", path)
    assert (drive.channels, drive.copy_s, drive.read_command_s) == (2, 2e-6, 2e-6)
    assert drive.raw_bytes == 16 * 2**30
    other = drives.assemble(
        controller="two", flash="small", dies=8, user_bytes=drive.user_bytes, path=path
    )
    assert (other.copy_s, other.raw_bytes) == (1e-6, 32 * 2**30)
    flat = OWN[OWN.index("planes") : OWN.index("[drives.mine]")] + OWN[OWN.index("name =") :]
    flat = re.sub("(?m)^(controller|flash) .*\n", "", flat) + "channels = 2\n"
    drive = drives.load("mine", write(f"[drives.mine]\n{flat}"))
    assert drive == drives.load("mine", write(f"[mine]\n{flat}"))
    assert drive.channels == 2


@pytest.mark.parametrize(("old", "new", "message"), [
    ('"two"', '"three"', "mine: controller must be one of two, got 'three'"),
    ('"two"', "3", "mine: controller must be one of two, got 3"),
    ('"two"', '["two"]', r"mine: controller must be one of two, got \['two'\]"),
    ('controller = "two"\n', "", "parameters of mine must include channels"),
    ("dies = 4", 'dies = 4\nfamily = "x"', "mine: family must be one of none, got 'x'"),
    ("dies = 4", 'dies = 4\ncache = "x"', "mine: cache must be one of none, got 'x'"),
    ("channels = 2", "channels = 2\ncolour = 3", "parameters of mine must be .* got colour"),
    ('"assumed"', '"calibrated"', "mine: origin of read_command_s must be one of stated, .*"),
    ("value = 2e-6, ", "", "mine: read_command_s must have a value"),
    ("[common]", "[commons]", "drives.toml must hold no more than common, .*, got commons"),
    ("[common]\ncopy_s = 1e-6", "common = 3", "must hold a table of what is common"),
    ("[common]\ncopy_s = 1e-6", "families = 3", "must hold a table for each family"),
    ("[common]", "[caches]\na = 3\n[common]", "must hold a table for each cache"),
    ("[flash.small]", "[flash]", "must hold a table for each flash"),
])  # fmt: skip
def test_catalogues_that_are_wrong(write, old, new, message):
    assert old in OWN
    with pytest.raises(ValueError, match=message):
        drives.load("mine", write(OWN.replace(old, new)))
