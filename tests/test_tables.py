"""The loaders, and the tables against each other and against arithmetic."""

import json
import math
import shutil
from pathlib import Path

import pandas as pd
import pytest

from flashwear import tables as library
from flashwear_book import tables

DATA = Path(__file__).parents[1] / "data"
PACKAGE = json.loads((DATA / "datapackage.json").read_text(encoding="utf-8"))
# the other tables of flashwear.smart have a reader of their own
SCHEMAS = {item["name"]: item["schema"] for item in PACKAGE["resources"]
           if item["name"] in ("smart_findings", "smart_firmware", "smart_used_up")
           or not item["name"].startswith(("smart_", "field_"))}  # fmt: skip
GIB = 2**30


def test_every_table_has_a_loader_that_explains_its_columns():
    own = set(tables.__all__) - {"data_folder"}
    assert own | set(library.__all__) - {"data_folder", "loader"} == set(SCHEMAS)
    assert not own & set(library.__all__)
    for name, schema in SCHEMAS.items():
        for field in schema["fields"]:
            assert f"- ``{field['name']}``: " in getattr(tables, name).__doc__
    with pytest.raises(ValueError, match=r"one of the tables \['backblaze_ssds', .*, got 'price'"):
        library.loader("price", tables.data_folder)


@pytest.mark.parametrize("name", SCHEMAS)
def test_loader_follows_the_description(name):
    fields = SCHEMAS[name]["fields"]
    table = getattr(tables, name)()
    assert list(table.columns) == [field["name"] for field in fields]
    for field in fields:
        expected = {"string": "str", "number": "float64"}[field["type"]]
        assert table[field["name"]].dtype == pd.Series([], dtype=expected).dtype
    assert not (table == "").any().any()


def test_folder_of_an_installed_package_comes_first(monkeypatch, tmp_path):
    for package in (library, tables):
        folder = tmp_path / package.__name__
        monkeypatch.setattr(package, "files", lambda name, folder=folder: folder)
        assert package.data_folder() == DATA
        (folder / "data").mkdir(parents=True)
        assert package.data_folder() == folder / "data"
        monkeypatch.undo()


@pytest.fixture
def copy(monkeypatch, tmp_path):
    folder = shutil.copytree(DATA, tmp_path / "data")
    for package in (library, tables):
        monkeypatch.setattr(package, "data_folder", lambda: folder)
    return folder


def change(path, old, new):
    content = path.read_bytes()
    assert old in content
    path.write_bytes(content.replace(old, new, 1))


@pytest.mark.parametrize(("old", "new", "message"), [
    (b"price_usd\n", b"price\n", r"expected the columns .*'price_usd'\].*'price'\]"),
    (b",128,", b",many,", "row 1, column capacity_gb: expected a number .* got 'many'"),
    (b",128,", ",١٢٨,".encode(), "row 1, column capacity_gb: .* got '١٢٨'"),
    (b",128,", b"," + b"9" * 400 + b",", "column capacity_gb: expected finite numbers"),
    (b",128,", b",128,,", "row 1: expected [0-9]+ cells, got [0-9]+"),
    (b",128,", b",", "row 1: expected [0-9]+ cells, got [0-9]+"),
    (b",Micron,", b",M\xe9cron,", "must be UTF-8"),
])  # fmt: skip
def test_a_broken_copy_is_named(copy, old, new, message):
    change(copy / "prices_2014.csv", old, new)
    with pytest.raises(ValueError, match=rf"prices_2014\.csv.*{message}"):
        tables.prices_2014()


def specification(table, drive, attribute):
    frame = tables.specifications()
    hit = frame[(frame.table == table) & (frame.drive == drive) & (frame.attribute == attribute)]
    assert len(hit) == 1
    return hit.iloc[0]


def test_ratings_and_raw_capacity_follow_from_the_specification_tables():
    frame = tables.specifications()
    ratings = tables.endurance_ratings().set_index("drive")
    units = {"M600 specifications": 1, "MX series specifications": 1, "P400m endurance": 1000,
             "S3700 vs P400m": 1000}  # fmt: skip
    for table, unit in units.items():
        rows = frame[(frame.table == table) & (frame.attribute == "endurance")]
        assert len(rows) > 1
        for row in rows.itertuples():
            assert ratings.tbw_tb[row.drive] == row.value * unit
            corrected = ratings.corrected_tbw_tb[row.drive]
            assert corrected == row.corrected * unit or math.isnan(corrected)
            assert math.isnan(corrected) == math.isnan(row.corrected)
            assert ratings.user_gb[row.drive] == specification(table, row.drive, "capacity").value
    ratings = tables.endurance_ratings()
    frame = tables.specifications()
    checked = 0
    for row in ratings[ratings.raw_basis.isin(["dies", "inferred"])].itertuples():
        die = frame[(frame.drive == row.drive) & (frame.attribute == "die capacity")].value.item()
        dies = math.ceil(row.user_gb * 1e9 / (die / 8 * GIB))
        power_of_two = 2 ** math.ceil(math.log2(dies))
        assert row.raw_gib == power_of_two * die / 8
        checked += 1
    assert checked == 6
    for table in ("P400m endurance", "S3700 vs P400m"):
        for row in frame[(frame.table == table) & (frame.attribute == "raw capacity")].itertuples():
            assert ratings.set_index("drive").raw_gib[row.drive] == row.value
    parts = ("packages", "dies per package", "die capacity")
    dies = [specification("text", "P400m 200GB", part).value for part in parts]
    assert math.prod(dies) / 8 == specification("text", "P400m 200GB", "raw capacity").value
    assert (ratings.raw_gib.isna() == ratings.raw_basis.isna()).all()
    raw, user = ratings.raw_gib.dropna() * GIB, ratings.user_gb.dropna() * 1e9
    assert (raw > user).all()


def test_prices_agree_with_the_specifications_and_their_cents_per_gb_or_are_corrected():
    prices = tables.prices_2016().set_index("drive").price_usd
    for drive in ("MX300 750GB", "MX200 500GB", "MX200 1TB"):
        listed = f"Crucial {drive}" + " (1000)" * (drive == "MX200 1TB")
        assert specification("MX series specifications", drive, "price").value == prices[listed]
    frame = tables.specifications()
    for row in frame[frame.attribute == "user capacity"].itertuples():
        gib = round(specification(row.table, row.drive, "capacity").value * 1e9 / GIB, 1)
        assert gib == (row.value if math.isnan(row.corrected) else row.corrected)
    frame = tables.prices_2016()
    cents = 100 * frame.price_usd / frame.capacity_gb
    holds = (cents - frame.stated_cents_per_gb).abs() <= 0.05
    assert frame.drive[~holds].tolist() == ["Samsung 850 EVO 500GB"]
    assert (holds == frame.corrected_cents_per_gb.isna()).all()
    corrected = frame.corrected_cents_per_gb[~holds].to_numpy()
    assert corrected == pytest.approx(cents[~holds].to_numpy(), abs=0.05)


def test_corrected_figures_are_computed():
    frame = tables.specifications()

    def value(table, drive, attribute):
        return specification(table, drive, attribute).value

    die = specification("MX series specifications", "MX300 750GB", "die capacity").value / 8 * GIB
    fills = {
        value("P400m endurance", drive, "endurance") / value("P400m endurance", drive, "capacity")
        for drive in ("P400m 100GB", "P400m 400GB")
    }
    assert len(fills) == 1  # the sister models agree
    pb_200 = fills.pop() * value("P400m endurance", "P400m 200GB", "capacity")
    user_400 = value("P400m endurance", "P400m 400GB", "capacity") * 1e9 / GIB
    dies = {drive: value("text", drive, "dies") for drive in ("MX300 750GB", "MX300 smallest")}
    computed = {("P400m endurance", "P400m 200GB", "endurance"): pb_200,
                ("S3700 vs P400m", "P400m 200GB", "endurance"): pb_200,
                ("P400m endurance", "P400m 400GB", "user capacity"): round(user_400, 1),
                ("text", "MX300 750GB", "die capacity"): round(die / 1e9, 1),
                ("text", "MX300 750GB", "raw capacity"): round(dies["MX300 750GB"] * die / 1e9, 1),
                ("text", "MX300 smallest", "raw capacity"): round(
                    dies["MX300 smallest"] * die / 1e9, 1),
                ("test system", "test rig (slumber)", "CPU clock"): value(
                    "test system", "test rig 2015", "CPU clock"),
                ("test system", "test rig", "video memory clock"):
                    2 * value("test system", "test rig", "video memory clock")}  # fmt: skip
    corrected = frame[frame.corrected.notna()].set_index(["table", "drive", "attribute"])
    assert set(corrected.index) == set(computed)
    for key, number in computed.items():
        assert corrected.corrected[key] == pytest.approx(number, rel=1e-12)
    cpu = specification("test system", "test rig (slumber)", "CPU").stated
    assert cpu == specification("test system", "test rig 2015", "CPU").stated
    frame = tables.discussion().set_index(["drive", "quantity"])
    values = dict(zip(frame.index, frame.value, strict=True))

    def value(quantity, drive="PM843 120GB"):
        return values[drive, quantity]

    raw_bytes = value("raw capacity") * GIB
    cycles = value("rated TBW, sequential") * 1e12 / raw_bytes
    sm_bytes = value("raw capacity", "SM843 120GB") * GIB
    sm_rating = value("rated TBW, sequential", "SM843 120GB") * 1e15
    need = "P/E cycles needed at"
    computed = {("PM843 120GB", "raw capacity x 1000 cycles, in GB"): 1000 * raw_bytes / GIB,
                ("PM843 120GB", "rated TBW as used in the arithmetic"): value(
                    "rated TBW, sequential"),
                ("PM843 120GB", f"{need} write amplification 1.0"): round(cycles),
                ("PM843 120GB", f"{need} real write amplification, low"): round(
                    cycles * value("real write amplification, low")),
                ("PM843 120GB", f"{need} real write amplification, high"): round(
                    cycles * value("real write amplification, high")),
                ("SM843 120GB", "rated TBW as used in the arithmetic"): round(sm_rating / 2**40, 1),
                ("SM843 120GB", f"{need} write amplification 1.0"): round(
                    sm_rating / sm_bytes)}  # fmt: skip
    corrected = frame[frame.corrected.notna()]
    assert set(corrected.index) == set(computed)
    assert corrected.corrected.to_dict() == pytest.approx(computed, rel=1e-12)
    written = value("raw capacity x 1000 cycles, in TiB")
    assert written == pytest.approx(1000 * raw_bytes / 2**40, rel=1e-12)
    written = value("raw capacity x 3000 cycles", "SM843 120GB")
    assert written == pytest.approx(3000 * sm_bytes / 2**40, rel=1e-12)


def test_failures_of_backblaze_never_fall_and_published_fleets_are_cited_by_key():
    counts = tables.backblaze_ssds().sort_values("date").groupby("model")
    for column in ("drives", "drive_days", "failures"):
        assert (counts[column].diff().dropna() >= 0).all()
    assert (tables.backblaze_ssds().eval("failures <= drives")).all()
    bib = (DATA.parent / "book" / "references.bib").read_text(encoding="utf-8")
    fleets = tables.published_fleets()
    assert all(f"{{{study}," in bib for study in fleets.study)
    assert (fleets.low <= fleets.high).all()
