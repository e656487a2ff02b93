"""Daily tables of Backblaze: solid-state drives only, row by row, whatever a row holds."""

import gzip

import pytest

from flashwear import cli, smart

HEADER = (
    "date,serial_number,model,capacity_bytes,failure,datacenter,is_legacy_format,"
    "smart_5_normalized,smart_5_raw,smart_9_normalized,smart_9_raw,smart_173_normalized,"
    "smart_173_raw,smart_202_normalized,smart_202_raw,smart_246_normalized,smart_246_raw\n"
)
MX500 = ("2025-01-01,SECRET,CT250MX500SSD1,250059350016,0,ams,0,100,2,100,20000,61,500,61,39,"
         "100,50000000000\n")  # fmt: skip
DISK = "2025-01-01,SECRET,ST16000NM001G,16000900661248,0,ams,0,100,0,70,26541,,,,,,\n"


@pytest.fixture
def table(tmp_path):
    def table(*rows, name="2025-01-01.csv"):
        path = tmp_path / name
        text = (HEADER + "".join(rows)).encode()
        path.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
        return path

    return table


def read(path, **more):
    return smart.fleet(path, jobs=1, progress=False, **more)


@pytest.mark.parametrize("name", ["2025-01-01.csv", "2025-01-01.csv.gz"])
def test_solid_state_drives_of_a_day(table, name):
    found = read(table(DISK, MX500, DISK, name=name))
    (row,) = found.itertuples()
    assert row.path == f"{name}:3"
    assert (row.family, row.percent_used, row.power_on_hours) == ("crucial-mx500", 39, 20_000)
    assert row.host_bytes_written == 50_000_000_000 * 512
    assert (row.average_erases, row.reallocated_blocks, row.year) == (500, 2, 2025)
    assert "SECRET" not in found.to_csv()
    other = read(table(DISK, MX500, name=name), model="ST16")  # a pattern takes other models
    assert list(other.model) == ["ST16000NM001G"]


def test_the_command_reads_it_and_a_table_in_a_folder_stands_among_reports(table, tmp_path, capsys):
    table(MX500)
    (tmp_path / "other.csv").write_text("a,b\n")
    assert list(read(tmp_path).path) == ["2025-01-01.csv:2", "other.csv"]
    output = tmp_path / "out.csv"
    assert cli.main(["fleet", str(table(DISK, MX500)), "-o", str(output), "-j", "1"]) == 0
    assert "1 reports" in capsys.readouterr().err
    assert output.read_text().count("\n") == 2


def test_numbers_of_a_spreadsheet_and_a_table_that_is_cut(table):
    (row,) = read(table(MX500.replace("20000", "20000.0").replace(",500,", ",x,"))).itertuples()
    assert row.power_on_hours == 20_000
    assert row.average_erases != row.average_erases
    assert "number_unreadable" in row.doubts
    path = table(*[MX500] * 2000, name="day.csv.gz")
    path.write_bytes(path.read_bytes()[:-20])
    found = read(path)
    assert found["error"].notna().sum() == 1
    assert found["error"].iloc[-1].startswith("the rest of the table is not readable")


@pytest.mark.parametrize(
    "row",
    [MX500.replace(",50000000000\n", "\n"), MX500[:60] + "\n", MX500.replace("ams", '"ams'),
     MX500.replace("ams", "a" * 200_000)],
)  # fmt: skip
def test_a_broken_row_costs_itself_only(table, row):
    found = read(table(row, MX500))
    assert found["error"].notna().any() or len(found) == 1
    assert found["family"].dropna().tolist() == ["crucial-mx500"]


def test_a_pattern_that_is_none_is_refused_and_columns_are_explained(tmp_path):
    with pytest.raises(ValueError, match="model must be a regular expression"):
        read(tmp_path, model="(")
    table = read(tmp_path)
    assert list(table.columns) == list(smart.COLUMNS)
    assert all(smart.COLUMNS.values())
    assert [name for name in table.columns if hasattr(type(table), name)] == []
