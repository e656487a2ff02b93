"""The page of a fleet: its order and numbers, names as text, and what is missing."""

import json
import re
import time
from html.parser import HTMLParser

import numpy as np
import pytest
import reports

from flashwear import cli, smart
from flashwear.cli import _fleet, _fleet_page

EVIL = '</script><script>alert("1")</script>'
DRIVE = {9: 20_000, 177: (93, 70), 241: 6_250_000_000}
PM863 = {9: 20_000, 177: (93, 500), 241: 6_250_000_000, 251: 12_500_000_000}


def samsung(used, hours=20_000, sectors=6_250_000_000, *, serial):
    """Return a report of a drive, with its life used in percent and its host writes."""
    attributes = {9: hours, 177: (max(1, 100 - used), 20 * used), 241: sectors}
    text = reports.ata("Samsung SSD 860 EVO 1TB", "RVT01B6Q", 10**12, attributes,
                       {"percentage_used": used})  # fmt: skip
    return text.replace("PRIVATE-SERIAL-1", serial)


FILES = {"fine": samsung(7, serial="S4EVNX0M000001"), "near": samsung(60, serial="S4EVNX0M000002"),
         "past": samsung(101, serial="S4EVNX0M000003"),
         "failed": samsung(1, serial="S4EVNX0M000004").replace("PASSED", "FAILED!"),
         "unknown": reports.ata("NEW", "1", None, {9: 5}),
         "disk": reports.ata("WDC WD40EFRX", "1", 4 * 10**12, {9: 5}).replace(
             "Solid State Device", "5400 rpm"),
         "march": samsung(20, 15_000, 10**9, serial="S4EVNX0M000005"),
         "june": samsung(26, 17_000, 2 * 10**9, serial="S4EVNX0M000005").replace(
             "Mar 16", "Jun 16")}  # fmt: skip


class Cells(HTMLParser):
    """The rows of the bodies of the tables: of each cell its value to sort by, and its text."""

    def __init__(self, text):
        super().__init__()
        self.tables, self.tags, self.open, self.inside = [], [], False, False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag in ("thead", "tbody"):
            self.open = tag == "tbody"
        if tag == "tbody":
            self.tables.append([])
        elif tag == "tr" and self.open:
            self.tables[-1].append([])
        elif tag == "td":
            self.inside = True
            self.tables[-1][-1].append([dict(attrs).get("data-v"), ""])

    def handle_endtag(self, tag):
        self.inside = self.inside and tag != "td"

    def handle_data(self, data):
        if self.inside:
            self.tables[-1][-1][-1][1] += data


@pytest.fixture
def page(tmp_path):
    folder = tmp_path / "reports"
    folder.mkdir()

    def page(files, *words, failed=False, crash=False):
        for name, content in files.items():
            (folder / name).write_text(content)
        output = tmp_path / "fleet.html"
        words = ["fleet", str(folder), "--html", str(output), "-q", "-j", "1", *words]
        status = cli.main(words)
        text = output.read_text(encoding="utf-8")
        ranks = [-int(row[1][0]) for row in Cells(text).tables[0]]
        worst = min([*ranks, *([2] if failed else [])])  # a file without a report is unknown
        assert status == (3 if crash else {0: 2, 1: 1, 2: 3, 3: 0}[worst])
        return text

    return page


def rows(text):
    """Return the cells of each row of the table of drives by the file."""
    return {row[0][1].rpartition("Q, ")[2]: row for row in Cells(text).tables[0]}


def test_the_worst_come_first_and_one_drive_is_one_row(page):
    text = page(FILES)
    order = ["failed", "past", "NEW1, unknown", "june, and 1 earlier", "near", "fine"]
    assert list(rows(text)) == order
    assert "<h1>6 drives, worst first</h1>" in text
    assert "1 critical, 1 warning, 1 unknown, 3 nothing found. " in text
    assert "At 90 % of the rated life or past it: 1; within a year" in text
    assert "under power perhaps 0 more" in text
    assert "<bdi>disk</bdi>: a hard disk" in text
    assert "linux-hardware.org" in text
    assert "https://creativecommons.org/licenses/by/4.0/" in text


def test_the_numbers_are_those_told_of_one_drive(page, tmp_path, capsys):
    files = {"pm863": reports.ata("SAMSUNG MZ7LM960HMJP-00005", "GXT5404Q", 960_197_124_096, PM863)}
    found = rows(page(files))
    capsys.readouterr()
    assert cli.main(["smart", str(tmp_path / "reports" / "pm863"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["drives"][0]
    report = told["report"]
    _, (rank, level), used, *others, hours, written, waf, (early, until) = found["pm863"]
    assert (rank, level) == ("-3", "nothing found")
    numbers = [float(value) for value, _ in (hours, written, used, waf)]
    assert numbers == pytest.approx([
        report["power_on_hours"] / 8760, report["host_bytes_written"] / 1e12,
        report["percent_used"], report["waf"],
    ], rel=1e-5)  # fmt: skip
    assert [value for value, _ in others[:4]] == [""] * 4  # what it does not tell is no 0
    age = (time.time() - report["time_s"]) / 86_400
    assert float(others[4][0]) == pytest.approx(age, rel=1e-4)
    assert others[4][1].endswith("2022-03-16")
    low, high = report["percent_used_range"]
    hours = report["power_on_hours"]
    years = [(hours - 24) / 8760 * (90 / high - 1), (hours + 24) / 8760 * (90 / low - 1)]
    assert float(early) == pytest.approx(years[0], rel=1e-5)
    assert until == f"{years[0]:.0f} to {years[1]:.0f} years"
    field = {among["quantity"]: among for among in told["among"]}
    model = Cells((tmp_path / "fleet.html").read_text()).tables[1][0]
    expected = [field[name]["value"] for name in ("used", "dwpd", "waf")]
    assert [float(model[at][0]) for at in (2, 4, 6)] == pytest.approx(expected, rel=1e-5)
    medians = [field[name]["p50"] for name in ("used", "dwpd", "waf")]
    assert [float(model[at][0]) for at in (3, 5, 7)] == pytest.approx(medians, rel=1e-5)


def test_two_reports_give_the_rate_but_not_of_two_days_and_a_warning_its_percent(page):
    found = rows(page(FILES, "--warn", "80"))["june, and 1 earlier"]
    new, old = smart.parse(FILES["june"]), smart.parse(FILES["march"])
    left = smart.between(old, new, until_percent=80).forecast.wear
    average = smart.forecast(new, until_percent=80).wear
    assert left[1] < average[0]  # the drive now writes more than it did
    assert float(found[-1][0]) == pytest.approx(left[0], rel=1e-5)
    assert found[-1][1].endswith("by two reports that lie 2,000 h apart")
    june = FILES["june"].replace("17000", "15050")
    found = rows(page(FILES | {"june": june}))["june, and 1 earlier"][-1]
    average = smart.forecast(smart.parse(june), until_percent=90).wear
    assert float(found[0]) == pytest.approx(average[0], rel=1e-5)
    assert rows(page(FILES))["near"][1][1] == "nothing found"
    found = rows(page(FILES, "--warn", "50"))["near"]
    assert found[1][1] == "warning60 % of its rated life is used"
    assert found[-1] == ["0", "reached"]


def test_drives_without_a_forecast_copies_and_shared_serial_numbers_are_ordered(page):
    young = {name: samsung(used, 500, 10**9, serial=f"S4EVNX0M00001{used}")
             for name, used in (("a", 2), ("b", 4), ("c", 3))}  # fmt: skip
    assert list(rows(page(young))) == ["b", "c", "a"]
    other = samsung(7, 20_000, 10**9, serial="S4EVNX0M000001")
    found = rows(page(young | {"fine": FILES["fine"], "copy": FILES["fine"], "other": other}))
    assert [name for name in found if name not in young] == ["fine", "other"]


def test_the_page_and_the_table_are_written_together_and_missing_wear_is_not_drawn(page, tmp_path):
    text = page({"one": FILES["unknown"]})
    cells = Cells(text).tables[0][0]
    assert cells[2] == ["", ""]
    assert cells[-1][0] == ""
    assert cells[-1][1].startswith("not knownthe report has no trusted count of life used")
    assert "<svg" not in text
    output = tmp_path / "reports" / "table.csv"
    for _ in range(2):
        text = page({"one": FILES["fine"]}, "-o", str(output))
        assert output.read_text().count("\n") == 2
        assert "table.csv" not in text


@pytest.mark.parametrize("model", [EVIL, "'\"><img src=x onerror=alert(1)>", "&lt;b&gt;", "\u202e"])
def test_hostile_names_are_text(page, model):
    plain = Cells(page({"one": FILES["fine"]})).tags
    report = reports.ata(model, EVIL, 10**12, DRIVE).replace("PRIVATE-SERIAL-1", EVIL)
    text = page({"one": report, EVIL.replace("/", "|"): "no report"}, failed=True)
    parsed = Cells(text)
    shown = smart.parse(report).model or "model not given"
    assert parsed.tables[0][0][0][1].startswith(shown)
    assert parsed.tables[1][0][0][1] == shown
    assert parsed.tags.count("script") == plain.count("script") == 1
    assert set(parsed.tags) - set(plain) <= {"details", "summary", "ul", "li"}
    assert "alert(1)" not in text.rpartition("<script>")[2]


def test_a_page_that_fails_leaves_the_one_before_and_a_folder_without_a_file_none(
    page, tmp_path, monkeypatch, capsys
):
    (tmp_path / "empty").mkdir()
    output = tmp_path / "fleet.html"
    assert cli.main(["fleet", str(tmp_path / "empty"), "--html", str(output), "-q"]) == 3
    assert capsys.readouterr().err == f"flashwear: {tmp_path / 'empty'} holds no file to read\n"
    assert not output.exists()
    before = page(FILES)
    monkeypatch.setattr(_fleet, "fleet_page", lambda *_: 1 / 0)
    assert page(FILES, crash=True) == before
    kept = sorted(path.name for path in tmp_path.iterdir())
    assert kept == ["empty", "fleet.html", "reports"]


@pytest.mark.parametrize(("words", "said"), [
    ([], "give -o FILE for a table, --html FILE for a page, --jsonl FILE for lines, or"),
    (["-o", "x.csv", "--html", "x.csv"], "or several of them in files of their own"),
    (["--html", "no/such/folder/x.html"], "No such file or directory"),
    (["-o", "no/such/folder/x.csv"], "No such file or directory"),
    (["--html", "x.html", "--warn", "0"], "argument --warn: must be > 0 and at most 255, got 0"),
])  # fmt: skip
def test_wrong_usage_is_said_before_anything_is_read(words, said, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(_fleet, "fleet_and_states", lambda *_, **__: pytest.fail("was read"))
    monkeypatch.chdir(tmp_path)
    assert cli.main(["fleet", str(tmp_path), *words]) == 3
    assert said in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_processes_agree_on_which_reports_are_of_one_drive(tmp_path, monkeypatch):
    monkeypatch.setattr(smart._fleet, "_BATCH", 1)
    for name in ("march", "june"):
        (tmp_path / name).write_text(FILES[name])
    _, states = smart._fleet.fleet_and_states(tmp_path, 2, False, None)
    (one,), (other,) = states
    assert one.identity == other.identity is not None


def test_a_dot_stands_where_the_axes_say_that_its_drive_is(page):
    head, _, svg = page(FILES, "--warn", "80").partition("<svg")
    # 60 % in 2.3 years, and 6 % more in 2,000 hours
    assert "of the rated life or past it: 1; within a year under power perhaps 2 more." in head
    found = re.findall(r'<text x="(.*?)" y="(.*?)" text-anchor="(.*?)">(.*?)<', svg)
    assert found.pop()[3] == "Years under power"
    years, used = (
        [(float(text.removesuffix(" %")), float(x), float(y)) for x, y, its, text in found
         if its == anchor] for anchor in ("middle", "end")
    )  # fmt: skip
    across = np.polyfit([text for text, *_ in years], [x for _, x, _ in years], 1)
    up = np.polyfit([text for text, *_ in used], [y - 5 for *_, y in used], 1)
    # from 50 to the oldest drive at 630, from 260 to the most worn at 10
    assert np.polyval(across, [0, 20_000 / 8760]) == pytest.approx([50, 630], abs=0.1)
    assert np.polyval(up, [0, 101]) == pytest.approx([260, 10], abs=0.1)
    assert {(x, y) for _, x, y in years} == {(x, 278) for _, x, _ in years}
    assert {x for _, x, _ in used} == {44}
    lines = re.findall(r'<path class="(.*?)" d="M50.0 (.*?)H630"', svg)
    assert [float(y) for _, y in lines[:-1]] == [y - 5 for *_, y in used]
    assert lines[-1][0] == "warning warn"
    assert float(lines[-1][1]) == pytest.approx(np.polyval(up, 80), abs=0.1)
    drawn = re.findall(r'<path class="(\w+)" stroke-width="(\d)" d="(.*?)"', svg)
    assert [dot[:2] for dot in drawn] == [("none", "4"), ("warning", "6"), ("critical", "8")]
    drives = ([(20_000, 7), (17_000, 26), (20_000, 60)], [(20_000, 101)], [(20_000, 1)])
    for (_, _, path), expected in zip(drawn, drives, strict=True):
        dots = sorted(tuple(map(float, at)) for at in re.findall(r"M(.*?) (.*?)h0", path))
        told = sorted((np.polyval(across, h / 8760), np.polyval(up, u)) for h, u in expected)
        assert np.array(dots) == pytest.approx(np.array(told), abs=0.15)


def test_a_model_has_the_median_of_its_drives_and_many_rows_are_shown_in_part(page):
    files = {f"{used}": samsung(used, 20_000, 10**9 * used, serial=f"S4EVNX0M0001{used}")
             for used in (10, 40, 72, 90, 99)}  # fmt: skip
    text = page(files)
    (model,) = Cells(text).tables[1]
    assert [cell[0] for cell in model[1:3]] == ["5", "72"]
    assert "5 of 5 drives; the dashed line is at 90 %" in text
    assert rows(text)["99"][2] == ["99", "at least 99"]
    assert "<h1>1 drive, worst first</h1>" in page(dict.fromkeys(files, files["10"]))
    for count in (500, 501):
        table = _fleet_page._table("a", "b", [], [""] * count)
        assert ("class=some" in table) == (count > 500)


def test_steps_of_an_axis_fit_any_span():
    assert _fleet_page._ticks(8) == pytest.approx(range(9))
    for most in (0.3, 1, 7.9, 100, 368, 1e9):
        ticks = _fleet_page._ticks(most)
        assert 4 <= len(ticks) <= 9
        assert f"{ticks[1]:.0e}"[0] in "125"
        assert 0.75 * most <= ticks[-1] <= most * (1 + 1e-9)
