"""The data package holds what its description says, and a broken copy is found."""

import shutil
from pathlib import Path

import frictionless
import pytest

DATA = Path(__file__).parents[2] / "data"
OF_ANY_DRIVE = ("deaths", "external", "speeds", "makeup", "elsewhere", "measured_blocks",
                "measured_loads", "measured_wear",
                "measured_wa", "reserved_predictions", "wear_cases")  # fmt: skip
"""Tables of drives that are not all subjects of the documents."""


def errors(folder):
    report = frictionless.Package(str(folder / "datapackage.json")).validate()
    found = [("package", error.type, error.message) for error in report.errors]
    for task in report.tasks:
        found += [(task.name, error.type, error.message) for error in task.errors]
    assert report.valid == (not found)
    return found


def test_package_is_valid_and_describes_every_file():
    assert errors(DATA) == []
    package = frictionless.Package(str(DATA / "datapackage.json"))
    described = sorted(item.path for item in package.resources)
    assert described == sorted(path.name for path in DATA.glob("*.csv"))


def test_description_is_complete():
    package = frictionless.Package(str(DATA / "datapackage.json"))
    assert [item["name"] for item in package.licenses] == ["CC-BY-4.0"]
    for resource in package.resources:
        names = resource.schema.field_names
        assert resource.description
        assert resource.schema.primary_key
        assert resource.schema.missing_values == [""]
        assert all(field.description for field in resource.schema.fields)
        keys = {key["reference"]["resource"] for key in resource.schema.foreign_keys}
        wanted = {"document": "documents", "drive": "drives", "claim": "claims"}
        others = {(table, "drive") for table in OF_ANY_DRIVE}
        others |= {("speeds", "claim")}  # of any page, and empty
        assert keys == {target for column, target in wanted.items() if column in names
                        and resource.name != target
                        and (resource.name, column) not in others}  # fmt: skip


@pytest.mark.parametrize(("file", "old", "new", "kind", "message"), [
    ("prices_2014.csv", "price_usd", "price", "incorrect-label", "price_usd"),
    ("claims.csv", "\nM6-002,", "\nM6-001,", "primary-key", 'position "3"'),
    ("claims.csv", "M6-002,M6,Introduction,", "M6-002,M6,,", "constraint-error", "locator"),
    ("claims.csv", "M6-002,M6,", "M6-002,XX,", "foreign-key", 'position "3"'),
    ("claims.csv", ",arithmetic,0.5,", ",arithmetic,half,", "type-error", "tolerance"),
    ("claims.csv", ",needs a data sheet,", ",needs luck,", "constraint-error", "reason"),
    ("claims.csv", ",energy\n", ",warmth\n", "constraint-error", "shown_in"),
    ("elsewhere.csv", "M6-002,", "M6-999,", "foreign-key", "M6-999"),
    ("elsewhere.csv", ",yes,,,,no,yes", ",yes,,,fast,no,yes", "constraint-error",
     "rival_value"),
    ("prices_2016.csv", ",199.99,", ",-199.99,", "constraint-error", "price_usd"),
    ("prices_2016.csv", ",199.99,", ",,", "constraint-error", "price_usd"),
    ("prices_2016.csv", ",199.99,", ',"199.99,', "missing-cell", "reason"),
    ("prices_2016.csv", ",199.99,", ",199.99,1,", "extra-cell", ""),
    ("endurance_ratings.csv", "M600 128GB", "M601 128GB", "foreign-key", "M601 128GB"),
    ("external.csv", "http", "ftp", "constraint-error", "source_url"),
])  # fmt: skip
def test_broken_copy_is_found(tmp_path, file, old, new, kind, message):
    folder = shutil.copytree(DATA, tmp_path / "data")
    text = (folder / file).read_text(encoding="utf-8")
    assert old in text
    (folder / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    found = errors(folder)
    table = file.removesuffix(".csv")
    assert any(
        where == table and what == kind and message in note for where, what, note in found
    ), found
