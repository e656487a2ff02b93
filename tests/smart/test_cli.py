"""The command: ten lines for a person, JSON for a script, one line and a status for an error."""

import dataclasses
import json
import math
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import reports

from flashwear import __version__, _extras, cli, smart
from flashwear.cli import _told

ROOT = Path(__file__).parents[2]
ATTRIBUTES = {9: 46_948, 173: (61, 390), 202: (61, 39), 246: 113_239_502_265,
              247: 3_633_824_371, 248: 11_439_462_313}  # fmt: skip
FINE = reports.ata("Crucial_CT750MX300SSD1", "M0CR011", 750_156_374_016, ATTRIBUTES)
LINES = """\
Drive                 Crucial_CT750MX300SSD1, firmware M0CR011, 750.2 GB, 46,948 h under power
Verdict               no problem found: 39 % of its rated life used; drives also fail without \
a sign: keep a backup
Written by the host   57.98 TB, 77.3 times the drive; 29.64 GB a day, 0.0395 DWPD (246 x 512 B)
Written to flash      247 TB ((247+248) x 16 KiB)
Write amplification   4.26
Average erases        390 per block (attribute 173 raw)
Life used             39 % (202 raw)
Rated to write        220 TB (documents of this study), of which 26.4 % written
Left                  under power at this rate: 8.0 to 8.7 years by wear; 15 years by its rating; \
wear ends first
Verdict of the drive  PASSED
"""


def used(percent, hours=8_760, **more):
    drive = {9: hours, 177: (100 - percent, 5), 241: 10**9}
    return reports.ata("Samsung SSD 860 EVO 1TB", "RVT01B6Q", 10**12, drive, **more)


def command(report, environment, tail=""):
    return subprocess.run(
        ["sh", "-c", f"{shlex.quote(sys.executable)} -m flashwear smart - {tail}"], input=report,
        capture_output=True, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT / "models"), **environment}, timeout=60,
    )  # fmt: skip


def test_what_to_distrust_stands_at_the_end(run):
    drive = {**ATTRIBUTES, 202: (0, 100)}
    text = reports.ata("Crucial_CT525MX300SSD1", "M0CR011", 10**12, drive)
    status, out, _ = run(text.replace("PASSED", "FAILED!"))
    assert status == 1
    told = lines(out)
    assert told["Verdict"] == (
        "warning: copy its data now, plan to replace it, and do not store it without power"
    )
    assert told["Found"].startswith("the drive says FAILED because its rated life is used up, as ")
    assert told["Life used"] == "at least 100 % (202 raw)"
    assert told["Left"] == "under power at this rate: less than a month by wear"
    assert told["Rated to write"] == "not known here; give it with --tbw or --dwpd"
    assert told["Verdict of the drive"] == "FAILED"
    assert told["Not to be trusted"] == "attribute 202 stops at 100 %"


@pytest.mark.parametrize(("percent", "left"), [
    (0, "more than 99 years by wear"), (1, "more than 49 years by wear"),
    (2, "32 to 99 years by wear"), (50, "11 to 13 months by wear"),
    (80, "3 months by wear"), (99, "less than a month by wear"),
])  # fmt: skip
def test_years_left(run, percent, left):
    _, out, _ = run(used(percent, statistics={"percentage_used": percent}))
    assert f"Left                  under power at this rate: {left}" in out


def test_years_left_is_the_interval_that_the_rounding_leaves_as_people_say_it():
    for years, text in (((1 / 12, 1 / 12), "1 month"), ((1 / 12, 2 / 12), "1 to 2 months"),
                        ((0.01, 0.02), "less than a month"), ((2.0, 3.0), "2.0 to 3.0 years"),
                        ((12.4, 12.4), "12 years"), ((9.94,), "9.9 years"), ((10.0,), "10 years"),
                        ((1.99, 1.99), "24 months"), ((2.0,), "2.0 years"), ((0.5,), "6 months"),
                        ((1234.0, 2345.6), "1,234 to 2,346 years"), ((0.08,), "less than a month"),
                        ((3.0, math.inf), "more than 3.0 years")):  # fmt: skip
        assert _told.interval(*years) == text, years
    for number, text in ((0.12345, "0.123"), (999.4, "999"), (1000, "1,000"), (12_345.6, "12,346")):
        assert _told.short(number) == text
    # any true share of life from u - 1 to u + 1 would print as u
    for percent in range(2, 100):
        statistics = {"percentage_used": percent, "power_on_hours": 87_600}
        report = smart.parse(used(percent, 87_600, statistics=statistics))
        low, high = smart.forecast(report).wear
        for true in (percent - 1, percent, percent + 1):
            assert low - 1e-9 <= 10 * (100 - true) / true <= high + 1e-9
        assert low == pytest.approx(max(0, 10 * (99 - percent) / (percent + 1)))


def test_a_ratio_without_meaning_and_a_drive_that_is_unknown_or_past_its_life_are_told(run):
    _, out, _ = run(reports.ata("SAMSUNG MZ7LN1T0HAJQ", "1.0", 10**12, {241: 10**7, 251: 10**6}))
    assert smart.FLAGS["host_unit_doubtful"] in out
    assert "Write amplification   not known: the unit of host writes is in doubt\n" in out
    plain = dataclasses.replace(smart.parse(used(3)), flags=(), waf=None, nand_bytes_written=None,
                                waf_pages=None, waf_reported=None, erase_ratio=None)  # fmt: skip
    for known, text in (
        ({}, "not known: the report has no trusted count of flash writes"),
        ({"waf": 0.002}, "not known: 0.002 is less than compression explains"),
        ({"waf": 0.0499}, "not known: 0.05 is less than compression explains"),
        ({"waf": 0.05}, "0.05"), ({"waf": 2.345, "slc_bytes_written": 0}, "2.35"),
        ({"waf": 2.0, "slc_bytes_written": 5}, "2.00 without the SLC cache"),
        ({"nand_bytes_written": 5}, "not known: the unit of the counters is a guess"),
        ({"nand_bytes_written": 5, "host_bytes_written": 0},
         "not known: the report has no trusted count of flash writes"),
        ({"waf_pages": 1.5}, "1.50 by pages, whose size is not known"),
        ({"waf_reported": 1.5}, "1.50 as the drive states it, unchecked"),
        ({"erase_ratio": 1.5, "rules": {"erase_ratio": "lower bound"}}, "at least 1.50, by erases"),
        ({"erase_ratio": 1.5, "rules": {"erase_ratio": "x"}},
         "not counted; erases times capacity are 1.50 times the host writes, which blocks erased "
         "before they are full raise"),
    ):  # fmt: skip
        assert _told.amplification(dataclasses.replace(plain, **known)) == text
    counters = {173: 36, 233: 30_000, 234: 45_000, 241: 40_000}  # an SLC cache counts apart
    _, out, _ = run(reports.ata("WDC WDS100T2B0A", "411000WR", 10**12, {9: 500} | counters))
    flash = "32.21 TB, and 48.32 TB in the SLC cache (233 x 1 GiB (TLC/MLC only))"
    assert f"Written to flash      {flash}\n" in out
    assert "Write amplification   0.75 without the SLC cache\n" in out
    text = reports.nvme(health={"power_on_hours": 500, "percentage_used": 161})
    assert smart.forecast(smart.parse(text)).wear == (0, 0)
    status, out, _ = run(text)
    assert status == 1
    assert "rated wear used up; a rating is what the maker promises, not the end" in out
    status, out, _ = run(reports.ata("NEW DRIVE", "1.0", None, {9: 5, 241: 7}))
    assert status == 3
    assert "Verdict               unknown: the report has no trusted count of wear" in out
    assert "Written by the host   not known\n" in out
    assert "Write amplification   not known: the report has no trusted count of flash writes" in out
    assert "Not to be trusted     no rule knows this drive" in out


def test_a_terminal_shows_the_verdict_in_colour(run, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    plain = FINE.replace("PASSED", "FAILED!")
    assert "Verdict               \x1b[31mcritical\x1b[0m: copy what you need" in run(plain)[1]
    assert "\x1b[32mno problem found: 39 %" in run(FINE)[1]
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in run(plain)[1]


def test_json_for_scripts_names_the_drive_to_tell_of_first(run):
    status, out, _ = run(FINE, options=["--json"])
    result = json.loads(out)
    report = smart.parse(FINE)
    assert status == 0
    assert out.isascii()
    assert (result["schema_version"], result["status"], result["errors"]) == (1, 0, [])
    (drive,) = result["drives"]
    assert (drive["verdict"], drive["status"], drive["reasons"]) == ("none", 0, [])
    assert drive["report"]["host_bytes_written"] == report.host_bytes_written
    assert drive["report"]["waf"] == report.waf
    assert drive["report"]["rules"] == dict(report.rules)
    assert drive["forecast"]["wear"] == list(smart.forecast(report).wear)
    assert drive["forecast"]["rating"] == smart.forecast(report).rating
    assert drive["report"]["attributes"]["246"]["raw"] == 113_239_502_265
    _, out, _ = run(used(0, statistics={"percentage_used": 0}), options=["--json"])
    assert json.loads(out)["drives"][0]["forecast"]["wear"][1] is None
    status, out, _ = run(used(99, hours=200_000), options=["--json"])
    (drive,) = json.loads(out)["drives"]
    assert status == drive["status"] == 1
    assert [reason["word"] for reason in drive["reasons"]] == ["worn", "contradiction"]
    assert drive["distrust"] == {"177_value_floor": smart.FLAGS["177_value_floor"]}

    def first(*texts, options=()):
        return json.loads(run(*texts, options=["--json", *options])[1])["foremost"]

    fine, unknown = used(10), "Device Model: X\n"
    worn = used(95).replace("Samsung SSD 860 EVO 1TB", "Samsung SSD 860 EVO 2TB")
    assert first(fine, worn) == 1
    assert first(worn, fine) == 0
    assert first(fine, unknown) == 1
    assert first(worn, fine, fine, options=["--same-drive"]) == 2  # which are not compared
    assert first("nothing") is None


PAGES = int(1.2 * smart.parse(FINE).host_bytes_written / 2**14)
LITTLE = reports.ata("Crucial_CT750MX300SSD1", "M0CR011", 750_156_374_016,
                     ATTRIBUTES | {247: PAGES, 248: 0, 173: 100})  # fmt: skip
RAW = 1024 * 2**30 / 750_156_374_016  # the flash is a power of two
OLD_AND_WORN = used(99, hours=200_000)  # of a counter that has stopped


@pytest.mark.parametrize(("text", "told"), [
    (FINE, {"empty_space_helps": True, "spare_guessed": pytest.approx(RAW - 1)}),
    (LITTLE, {"empty_space_helps": False}),
    (used(10), {"empty_space_helps": True}), (used(95), {"empty_space_helps": False}),
    (used(1), {"used_at_least": False}), (OLD_AND_WORN, {"used_at_least": True}),
], ids=range(6))  # fmt: skip
def test_json_says_what_would_help_and_what_is_guessed_or_the_least(run, text, told):
    (drive,) = json.loads(run(text, options=["--json"])[1])["drives"]
    assert {name: drive[name] for name in told} == told
    assert drive["explained"] == 1.2


@pytest.mark.parametrize("content", [b"", b"nonsense", bytes(range(256)) * 50, b"x" * 5_000_000])
def test_what_is_no_report(run, content):
    status, out, err = run(content)
    assert (status, out) == (3, "")
    assert err.startswith("flashwear: ")
    assert err.count("\n") == 1
    assert "smartctl -x DEVICE | flashwear smart -" in err
    message = [{"string": "\x1b[2J\x07\nevil"}]  # which cannot move the cursor
    _, _, err = run(json.dumps({"smartctl": {"messages": message}}))
    assert err.isprintable() or err[:-1].isprintable()
    assert "evil" in err


@pytest.mark.parametrize(
    "words", [["smart", "/no/such/file"], ["smart", "/"], ["fleet", "/no", "-o", "x.csv", "-q"]]
)
def test_files_that_are_not_there(words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert cli.main(words) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert words[1] in err


@pytest.mark.parametrize(
    "words",
    [[], ["nothing"], ["smart"], ["smart", "--x"], ["fleet", "a", "b"]]
    + [["smart", "a", "--tbw", tbw] for tbw in ("600", "x", "-1TB", "0TB", "1TB/day", "")]
    + [["smart", "a", "--load", load] for load in ("20GB", "20GB/fortnight", "GB/day", "100Mb/s")]
    + [["smart", "a", option, value] for option in ("--dwpd", "--years")
       for value in ("0", "1e300", "nan", "much")],
)  # fmt: skip
def test_wrong_usage(words, capsys):
    assert cli.main(words) == 3
    said = capsys.readouterr().err
    beyond = {"0", "1e300", "nan"} & {*words}
    assert ("must be > 0 and at most" if beyond else "usage: flashwear") in said
    assert "100Mb/s" not in words or "in bytes (B)" in said


@pytest.mark.parametrize("words", [["--help"], ["smart", "--help"], ["fleet", "-h"], ["--version"]])
def test_help_and_version(words, capsys):
    assert cli.main(words) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert __version__ in out if words == ["--version"] else "usage: flashwear" in out


def test_standard_input_in_any_locale():
    text = used(7).replace("860 EVO", "860 \u00c9VO \u78c1\u76d8")
    for locale in ("C", "C.UTF-8"):
        environment = {"LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
        done = command(text.encode(), environment)
        assert done.returncode == 0, done.stderr
        assert b"Samsung SSD 860 " in done.stdout
        assert done.stderr == b""


def test_interrupted(monkeypatch):
    def stop(source):
        raise KeyboardInterrupt

    monkeypatch.setattr(smart, "read_states", stop)
    assert cli.main(["smart", "x"]) == 130


def test_a_report_is_read_as_bytes_without_numpy_and_soon():
    code = (
        "import sys, io; from flashwear import cli\n"
        f"sys.stdin = io.TextIOWrapper(io.BytesIO({FINE.encode('utf-16')!r}))\n"
        "status = cli.main(['smart', '-'])\n"
        "print(status, [m for m in ('numpy', 'pandas', 'scipy', 'joblib') if m in sys.modules])\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "models")}
    before = os.times()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False,
                          env=environment, timeout=60)  # fmt: skip
    after = os.times()
    # of the processor: 0.1 s
    assert after.children_user - before.children_user < 0.5
    assert done.stdout == LINES + "0 []\n", done.stderr


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "reports"
    place.mkdir()
    (place / "a").write_text(FINE)
    (place / "b").write_text(used(7))
    return place


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_fleet_writes_a_table(folder, tmp_path, capsys, kind):
    if kind == "parquet":
        pytest.importorskip("pyarrow")
    output = tmp_path / f"out.{kind}"
    assert cli.main(["fleet", str(folder), "-o", str(output), "-q", "-j", "1"]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "2 files: 2 reports (0 of a family that is not known), 0 without a report\n"
    table = pd.read_csv(output) if kind == "csv" else pd.read_parquet(output)
    assert list(table.family) == ["crucial-mx300", "samsung"]


def test_fleet_says_what_it_could_not_read(folder, tmp_path, capsys):
    (folder / "c").write_text("x")
    output = tmp_path / "out.csv"
    words = ["fleet", str(folder), "-o", str(output), "-q", "-j", "1"]
    assert cli.main(words) == 3
    assert "       1 the text holds no report of smartctl\n" in capsys.readouterr().err
    (folder / "a").unlink()
    (folder / "b").unlink()
    assert cli.main(words) == 3
    (folder / "c").unlink()
    output.unlink()
    assert cli.main(words) == 3
    assert f"flashwear: {folder} holds no file to read\n" in capsys.readouterr().err
    assert not output.exists()


def test_fleet_writes_two_kinds_of_files_only_and_says_what_to_install(folder, capsys, monkeypatch):
    assert cli.main(["fleet", str(folder), "-o", "x.xlsx"]) == 3
    assert "output must end in .parquet or .csv, got x.xlsx" in capsys.readouterr().err
    monkeypatch.setattr(_extras, "find_spec", lambda name: None if name == "pandas" else name)
    assert cli.main(["fleet", str(folder), "-o", "x.csv"]) == 3
    assert 'pandas missing: pip install "flashwear[field]"' in capsys.readouterr().err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("option", ["", "--json"])
def test_an_output_that_is_full_is_one_line(option):
    done = command(FINE.encode(), {}, f"{option} > /dev/full")
    assert done.returncode == 3
    assert done.stderr.decode().startswith("flashwear: ")
    assert done.stderr.count(b"\n") == 1


def test_a_reader_that_goes_away_or_a_closed_input_costs_no_verdict(
    run, monkeypatch, tmp_path, capsys
):
    text = reports.ata("x", "1", 5, dict.fromkeys(range(1, 255), 5))
    done = command(text.encode(), {}, "--json | head -c 1")
    assert (done.stdout, done.stderr) == (b"{", b"")
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    process = subprocess.Popen([sys.executable, "-m", "flashwear", "smart", "-"],
                               env={**os.environ, "PYTHONPATH": str(ROOT / "models")},
                               **pipes)  # fmt: skip
    process.stdout.close()
    _, said = process.communicate(FINE.replace("PASSED", "FAILED!").encode(), timeout=60)
    assert (process.returncode, said) == (2, b"")
    path = tmp_path / "one.txt"
    path.write_text(FINE.replace("PASSED", "FAILED!"))
    monkeypatch.setattr(sys, "stdin", None)
    assert cli.main(["smart", str(path), "-"]) == 2
    out, err = capsys.readouterr()
    assert "critical: copy what you need today" in out
    assert err == "flashwear: -: standard input is closed\n"


def lines(out):
    return {line[:21].strip(): line[22:] for line in out.splitlines()}


def test_a_percent_to_warn_from_and_rows_of_life_that_nobody_can_judge(run):
    slow = used(85, hours=80_000)
    assert run(slow)[0] == 0
    status, out, _ = run(slow, options=["--warn", "80"])
    assert (status, lines(out)["Found"]) == (1, "85 % of its rated life is used")
    assert run(slow, options=["--warn", "0"])[0] == 3
    text = reports.ata("NEW DRIVE", "1.0", 10**12, {9: 5_000, 177: (88, 123, "Wear_Level_Ct")})
    out = run(text)[1]
    assert lines(out)["Life used"] == "not known; the device statistics of smartctl -x may tell it"
    assert lines(out)["Not judged"] == "177 Wear_Level_Ct: value 88, raw 123"
    assert "Not judged" not in run(FINE)[1]


@pytest.mark.parametrize(("since", "when"), [
    ("2021-03-16", "December 2024"),  # 365 days for 57.98 of 220 TB
    ("2021-03", "February 2025"),  # 380 days
])  # fmt: skip
def test_a_date_takes_a_day_of_first_use(run, since, when):
    assert "Reaches" not in run(FINE)[1]
    for none in ("soon", "2999-01", "1200-01", "2021-13", ""):
        status, _, err = run(FINE, options=["--in-use-since", none])
        assert (status, "must be a day or month that has passed" in err) == (3, True), none
    found = lines(run(FINE, options=["--in-use-since", since])[1])["Reaches"]
    said = "at the average since then; that is no end of the drive"
    assert found == f"its rated writes in {when}, {said}"
    out = json.loads(run(FINE, options=["--in-use-since", since, "--json"])[1])
    (writes, wear) = out["drives"][0]["reaches"]
    assert writes["what"] == "its rated writes"
    assert wear["date"][:7] in ("2023-10", "2023-11")


def test_two_dated_reports_give_a_date(run):
    old = FINE.replace("Mar 16 11:26:40 2022", "Mar 16 11:26:40 2021")
    old = old.replace("113239502265", "100000000000").replace("46948", "40000")
    assert old != FINE
    out = run(FINE, old)[1]
    assert "its rated writes in February 2046, at the rate between the reports" in out


def test_a_drive_among_its_line(run):
    out = run(FINE)[1]
    assert "Among its line" not in out  # 16 such drives
    text = reports.ata("INTEL SSDSC2KB480G8", "XCV10132", 480 * 10**9,
                       {9: 20_000, 233: (97, 0), 241: 400_000, 243: 6_640_000})  # fmt: skip
    out = run(text)[1]
    assert lines(out)["Among its line"].startswith("write amplification 16.6; nine in ten of ")
    assert "linux-hardware.org" in out
    (waf, *_) = json.loads(run(text, options=["--json"])[1])["drives"][0]["among"]
    assert (waf["quantity"], waf["value"]) == ("waf", pytest.approx(16.6))
    assert waf["p10"] < waf["p50"] < waf["p90"] < 16.6
    rows = {9: 2, 233: (97, 0), 241: 400_000, 243: 6_640_000}
    out = run(reports.ata("INTEL SSDSC2KB480G8", "XCV10132", 480 * 10**9, rows))[1]
    assert "drives; " not in out  # writes a day, from two hours, are in doubt


def test_what_a_report_lacks_is_named_and_what_is_no_drive_gets_no_figures(run):
    rows = {9: 8_760, 177: (97, 5), 241: 10**9}
    text = reports.ata("Samsung SSD 860 EVO 1TB", "RVT01B6Q", 10**12, rows,
                       layout="old", options="-a")  # fmt: skip
    status, out, _ = run(text.rstrip("\n") + "0\n")
    assert status == 0
    assert "judged are only the rows: 9, 177, 241" in out
    status, out, _ = run("Vendor: DELL\nProduct: PERC H710\nRevision: 3\nUser Capacity: 5 bytes\n")
    assert status == 3
    assert [line[:21].strip() for line in out.splitlines()] == ["Drive", "Verdict"]
    assert "megaraid,N" in out
    _, out, _ = run(reports.ata("Crucial_CT250MX200SSD1", "MU03", 250_059_350_016, ATTRIBUTES))
    assert "none was found in public; give it with --tbw or --dwpd" in out
    _, out, _ = run(reports.smart_log(), options=["--dwpd", "1"])
    assert "--dwpd needs the capacity, which the report does not name" in out


PAST = used(100, statistics={"percentage_used": 104})


@pytest.mark.parametrize(("text", "options", "sentence"), [
    (FINE, [], r"[\d.]+ to [\d.]+ years under power left at this rate, by its own count of wear; "
               "more worn than"),
    (PAST, [], "Its rated life is used up, which is not the end of the drive; more worn than"),
    (FINE, ["--tbw", "1TB"], "All that it is rated for is written; by its own count of wear it"),
    (FINE, ["--tbw", "60TB"], r"[\d.]+ \w+ under power left at this rate, by its rating"),
    (used(5, hours=500), [], r"Too early to say: 500 hours under power, and years need 1,000;"),
], ids=range(5))  # fmt: skip
def test_the_sentence_of_the_card_says_how_long_and_among_whom(run, text, options, sentence):
    (drive,) = json.loads(run(text, options=["--json", *options])[1])["drives"]
    assert re.match(sentence, drive["sentence"]), drive["sentence"]
    assert drive["sentence"].endswith(".")
