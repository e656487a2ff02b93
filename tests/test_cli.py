"""The commands that compute: ``flashwear wa``, ``years``, ``replay`` and ``rounds``."""

import argparse
import gzip
import io
import json
import os
import re
import shutil
import sys
from datetime import UTC, datetime
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest

from flashwear import bench, cli, wa
from test_fio import OLD, RECORDED, report
from test_rounds import HOST, NAMES, RUNS


@pytest.fixture
def run(capsys):
    def run(line, *more):
        status = cli.main([*line.split(), *more])
        out, err = capsys.readouterr()
        return status, out, err

    return run


def values(run, line, *more):
    status, out, err = run(line + " --json", *more)
    assert status == 0
    assert re.fullmatch(r"(flashwear: compiling, .*\n)?", err)  # once, where no code is kept yet
    return json.loads(out)


@pytest.fixture(scope="module")
def trace(tmp_path_factory):
    """Return an I/O log of random writes, 8 times over 2,000 pages, at an offset."""
    pages = np.random.default_rng(7).integers(2_000, size=16_000) + 1_000_000
    lines = ["fio version 2 iolog", *(f"sda write {page * 4096} 4096" for page in pages)]
    path = tmp_path_factory.mktemp("trace") / "random.log"
    path.write_text("\n".join([*lines, ""]))
    return path


def test_write_amplification_is_that_of_the_formulas_for_hot_pages_and_trim_too(run):
    found = values(run, "wa 0.07 --pages-per-block 256")
    assert found["write_amplification"] == {
        "greedy": pytest.approx(wa.greedy(0.07, 256)), "fifo": pytest.approx(wa.fifo(0.07))
    }  # fmt: skip
    assert found["spare_factor"] == pytest.approx(0.07 / 1.07)
    answers = [run(line)[1] for line in ("wa 0.28", "wa 28%", "wa --flash 1.28TB --user 1TB")]
    assert answers[0] == answers[1] == answers[2]
    assert "Over-provisioning: 28 % of what the user sees, 21.9 % of the flash." in answers[0]
    line = "wa 0.07 --hot-writes 80% --hot-space 0.2 --trim 10%"
    found = values(run, line)
    op = wa.trim_op(0.07, 0.1)
    shares = {"hot_write_share": 0.8, "hot_space_share": 0.2}
    assert found["write_amplification"]["fifo"] == pytest.approx(wa.fifo_mixed(op, **shares))
    expected = wa.square_root_wa(op, **shares)
    assert found["write_amplification"]["separated"] == pytest.approx(expected)
    text = run(line)[1]
    assert "80 % of the writes at random to 20 % of the space, 10 % of the requests TRIM" in text


@pytest.mark.parametrize(("line", "years"), [
    ("--tbw 600TB --load 30GB/day", 6e14 / (365 * 30e9)),
    ("--dwpd 0.3 --capacity 1TB --load 12.5GB/h", 5 * 0.3 / 0.3),
    ("--dwpd 0.3 --capacity 1TB --warranty 3 --load 300GB/d", 3.0),
    ("--flash 1TiB --pe-cycles 1500 --wa 3 --load 30GB/day", 2**40 * 500 / (365 * 30e9)),
])  # fmt: skip
def test_years_are_the_rating_over_the_load(run, line, years):
    assert values(run, f"years {line}")["years"] == pytest.approx(years)
    assert run(f"years {line}")[1].startswith(f"{years:.3g} years: ")
    told = run("years --tbw 600TB --load 30GB/day --capacity 1TB")[1]
    assert "0.03 drive writes a day of 1 TB" in told


def test_a_replay_of_random_writes_meets_the_formula_and_of_a_late_load_goes_on(
    run, trace, tmp_path
):
    found = values(run, "replay --op 0.28", str(trace))
    assert found["pages"] == pytest.approx(2_000, abs=5)
    expected = found["random_write_amplification"]
    assert found["write_amplification"] == pytest.approx(expected, rel=0.05)
    # Writes in one order, again and again: in the end nothing is copied, which takes long.
    order = np.random.default_rng(2).permutation(4_096)
    lines = ["fio version 2 iolog", *(f"sda write {4096 * page} 4096" for page in order), ""]
    path = tmp_path / "fixed.log"
    path.write_text("\n".join(lines))
    found = values(run, "replay --op 0.07", str(path))
    assert found["settled"]
    assert found["write_amplification"] == pytest.approx(1.0, abs=0.01)
    assert found["random_write_amplification"] > 2


def test_a_gzip_file_of_nothing_is_told_as_what_it_is(run, tmp_path):
    path = tmp_path / "report.gz"
    path.write_bytes(gzip.compress(b""))
    status, _, told = run("smart", str(path))
    assert status == 3
    assert told == f"flashwear: {path}: the gzip file holds nothing\n"


@pytest.mark.parametrize("layout", ["msr", "blkparse"])
def test_the_format_of_a_trace_is_found(run, trace, tmp_path, layout):
    places = [int(line.split()[2]) for line in trace.read_text().splitlines()[1:2_001]]
    lines = {
        "msr": "128166372003061629,hm,1,Write,{},4096,413\n",
        "blkparse": "  8,0    3       11     0.009507758   697  Q  WS {} + 8 [dd]\n",
    }
    text = "".join(lines[layout].format(p if layout == "msr" else p // 512) for p in places)
    path = tmp_path / "packed.gz"
    path.write_bytes(gzip.compress(text.encode()))
    status, out, _ = run("replay --op 0.5 --policy fifo", str(path))
    assert status == 0
    assert out.startswith("2000 requests in 2000 lines")


SOURCES = {"scan": False, "host": None, "key": None, "json": False}
LIMITS = {"warning": [], "critical": [], "accept": [], "limits": None, "max_age": None,
          "unknown": 3, "stale": 1}  # fmt: skip
DEFAULTS = {
    "smart a b": {"files": ["a", "b"], "tbw": None, "dwpd": None, "years": 5, "load": None,
                  "warn": 90, "in_use_since": None, "same_drive": False, "json": False,
                  "history": None, "key": None},
    "fleet a": {"path": "a", "output": None, "html": None, "warn": 90, "model": None, "jobs": None,
                "quiet": False, "jsonl": None, "serials": False, "key": None, "tbw": None,
                "dwpd": None, "load": None, "in_use_since": None},
    "rack check a": {"action": "check", "sources": ["a"], **SOURCES, **LIMITS},
    "rack export a": {"action": "export", "sources": ["a"], "output": None, "openmetrics": False,
                      "serials": False, **SOURCES, **LIMITS},
    "rack record a --history h": {"action": "record", "sources": ["a"], "history": "h",
                                  "serials": False, "no_raw": False, **SOURCES},
    "rack retire a --history h": {"action": "retire", "drives": ["a"], "history": "h",
                                  "json": False},
    "rack reread --history h": {"action": "reread", "history": "h", "key": None, "json": False},
    "rack show rules": {"action": "show", "what": "rules", "json": False},
    "years --load 1GB/day": {
        "load": 1e9, "json": False,
        **dict.fromkeys(("tbw", "dwpd", "warranty", "capacity", "flash", "pe_cycles", "wa"))},
    "choose": {"below": "none", "years": 5, "plp": False, "no_trim": False, "months_off": 0,
               "csv": False, "json": False,
               **dict.fromkeys(("load", "bytes_per_day", "report", "raid", "space", "growth",
                                "candidates"))},
    "wa": {"json": False, **dict.fromkeys(("op", "flash", "user", "pages_per_block", "hot_writes",
                                           "hot_space", "trim"))},
    "bench a b c": {"files": ["a", "b", "c"], "job": None, "start": "filled", "span": None,
                    "sequential_wa": 1, "json": False,
                    **dict.fromkeys(("log", "html", "before", "after", "op", "svg"))},
    "why": {"minutes": 5, "by": "name", "times": 10, "json": False, **dict.fromkeys((
        "file", "before", "file_system", "query", "postgres", "innodb", "rocksdb", "drive",
        "smart", "op", "tbw", "since"))},
    "replay a --op 7%": {"trace": "a", "op": 0.07, "format": None, "columns": None, "unit": 1,
                         "operations": None, "pages_per_block": None, "policy": "greedy",
                         "json": False},
}  # fmt: skip
GIVEN = {
    "smart": {"--tbw 6TB": 6e12, "--dwpd 1000": 1000, "--years 100": 100, "--load 2GB/day": 2e9,
              "--warn 255": 255, "--in-use-since 1990-01": datetime(1990, 1, 1, tzinfo=UTC),
              "--in-use-since 2023-04-30": datetime(2023, 4, 30, tzinfo=UTC),
              "--same-drive": True, "--history h": "h", "--key k": "k", "--json": True},
    "fleet": {"-o x.csv": "x.csv", "--output x": "x", "--html x": "x", "--warn 80": 80,
              "--jsonl x": "x", "--serials": True, "--key k": "k", "--model A|B": "A|B",
              "-j 3": 3, "--jobs 3": 3, "-q": True, "--quiet": True},
    "rack check": {"--scan": True, "--host x": "x", "--key k": "k", "--limits x": "x",
                   "--accept media_errors=3": [("media_errors", 3)], "--max-age 2d": 172_800,
                   "--unknown 0": 0, "--stale 2": 2, "--json": True},
    "rack export": {"-o x": "x", "--openmetrics": True, "--serials": True},
    "rack record": {"--no-raw": True, "--json": True}, "rack retire": {}, "rack show": {},
    "rack reread": {"--key k": "k"},
    "years": {"--tbw 6TB": 6e12, "--dwpd 0.3": 0.3, "--warranty 3": 3, "--capacity 1TB": 1e12,
              "--flash 1TiB": 2**40, "--pe-cycles 1500": 1500, "--wa 3": 3, "--json": True},
    "choose": {"--no-trim": True, "--months-off 6": 6,
               "--load vm:5": ["vm:5"], "--bytes-per-day 1GB/day 2GB/day": [1e9, 2e9],
               "--report x y": ["x", "y"], "--below zfs:16k": "zfs:16k",
               "--raid mirror:2": "mirror:2", "--years 3": 3, "--space 1TB": 1e12,
               "--growth 20%": 0.2, "--plp": True, "--csv": True, "--candidates x": "x",
               "--json": True},
    "wa": {"--flash 1TiB": 2**40, "--user 1TB": 1e12, "--pages-per-block 64": 64,
           "--hot-writes 80%": 0.8, "--hot-space 0.2": 0.2, "--trim 10%": 0.1, "--json": True},
    "bench": {"--log x y": ["x", "y"], "--html x": "x", "--before x": "x", "--after x": "x",
              "--op 7%": 0.07, "--svg x": "x", "--job x": "x", "--start blank": "blank",
              "--start settled": "settled", "--span 1GB": 1e9, "--sequential-wa 1.03": 1.03,
              "--json": True},
    "why": {"--before x": "x", "--query innodb": "innodb", "--postgres x": "x", "--innodb x": "x",
            "--rocksdb x": "x", "--minutes 7": 7, "--drive x": "x", "--by x": "x",
            "--smart x y": ["x", "y"], "--op 7%": 0.07, "--tbw 6TB": 6e12, "--times 2": 2,
            "--since x": "x", "--file-system xfs": "xfs", "--json": True},
    "replay": {"--format msr": "msr", "--columns op=2,size=5": {"op": 2, "size": 5},
               "--unit 512": 512, "--unit 512,1": (512, 1), "--operations 0=read,1=write":
               {"0": "read", "1": "write"}, "--pages-per-block 64": 64, "--policy fifo": "fifo",
               "--json": True},
}  # fmt: skip


@pytest.mark.parametrize("line", DEFAULTS)
def test_each_option_is_read_as_the_help_says(line):
    def parsed(*words):
        found = vars(cli._parser().parse_args([*line.split(), *words]))
        assert callable(found.pop("run"))
        found.pop("names", None)
        return found

    assert parsed() == DEFAULTS[line]
    first, second = line.split()[:2] if " " in line else (line, "")
    for words, value in GIVEN[f"{first} {second}" if first == "rack" else first].items():
        option, *_ = words.split()
        names = {"-o": "output", "-j": "jobs", "-q": "quiet"}
        name = names.get(option, option.strip("-").replace("-", "_"))
        assert parsed(*words.split()) == DEFAULTS[line] | {name: value}, words


class Gone(io.StringIO):
    """An output whose reader has gone."""

    def flush(self):
        raise BrokenPipeError

    def fileno(self):
        return 99


def test_a_reader_that_goes_away_is_no_failure(monkeypatch):
    moved = []
    with monkeypatch.context() as patched:
        patched.setattr(os, "dup2", lambda at, to: moved.append((os.fstat(at).st_rdev, to)))
        patched.setattr(sys, "stdout", Gone())
        assert cli._say.answer(argparse.Namespace(json=False), ["a"], {}, 7) == 7
    assert moved == [(os.stat(os.devnull).st_rdev, 99)]  # so that nothing fails at the end either


def test_options_outside_their_choices_or_bounds_are_wrong_usage(run):
    for line in (
        "smart a --dwpd 1001", "smart a --years 101", "smart a --warn 256", "smart a --warn 0",
        "smart a --in-use-since 1989-12", "fleet a --warn 256", "fleet a --jobs many",
        "bench a b c --start soon", "bench a b c --log", "bench a --start soon", "wa 0%",
        "replay a --op 7% --format csv", "replay a --op 7% --policy random", "years", "fleet",
        "replay a --op 7% --columns op=2,size", "replay a --op 7% --columns =2",
        "replay a --op 7% --columns op=", "replay a --op 7% --operations 0=read,1",
        "replay a --op 7% --unit 512,", "wa 0.1 0.2", "choose --years 51", "choose --load",
    ):  # fmt: skip
        status, out, err = run(line)
        assert (status, out) == (3, ""), line
        assert "usage: flashwear " in err, line


def test_amounts_are_decimal_or_binary_and_loads_are_by_the_day():
    read = cli._amounts
    for prefix, power in ((" ", 0), ("k", 1), ("M", 2), ("g", 3), ("T", 4), ("P", 5)):
        assert read.written(f"1.5{prefix}B") == pytest.approx(1.5 * 1000**power)
        assert read.written(f"1.5 {prefix}iB") == pytest.approx(1.5 * 1024**power)
    assert read.written("0.5B") == 0.5
    days = {"s": 86_400, "min": 1440, "h": 24, "hour": 24, "d": 1, "day": 1, "week": 1 / 7,
            "month": 12 / 365, "y": 1 / 365, "year": 1 / 365}  # fmt: skip
    for time, times in days.items():
        assert read.a_day(f"3MB/{time}") == read.a_day(f" 3 MB / {time.upper()} ")
        assert read.a_day(f"3MB/{time}") == pytest.approx(3e6 * times)
    for text in ("0.07", "7%", " 7 %"):
        assert read.share(text) == pytest.approx(0.07)
    for count, text in ((999, "0.000999 MB"), (1e9 - 1e5, "999.9 MB"), (1e9, "1 GB"),
                        (1e12, "1 TB"), (1e15, "1 PB"), (1.5e16, "15 PB")):  # fmt: skip
        assert cli._say.size(count) == text


def test_a_replay_ends_when_two_figures_in_a_row_agree_to_a_percent(monkeypatch):
    asked = []

    def simulate(pages, op, **given):
        given["repeat"] = given.pop("workload")
        asked.append((pages, op, given))
        return SimpleNamespace(wa=figures[len(asked) - 1])

    monkeypatch.setattr("flashwear.ftl.simulate", simulate)
    monkeypatch.setattr("flashwear.workloads.Replay", lambda records, repeat: repeat)
    options = argparse.Namespace(op=0.1, policy="fifo")
    for figures, ends, settled in (
        ([2.0, 1.0, 1.009], 3, True), ([1.0, 2.0, 2.019], 3, True),
        ([1.02**n for n in range(9)], 6, False), ([0.98**n for n in range(9)], 6, False),
    ):  # fmt: skip
        asked.clear()
        found, held = cli._replay._settled(None, 500, 0.7, 16, options)
        assert (found.wa, held, len(asked)) == (figures[ends - 1], settled, ends)
        for n, (pages, op, given) in enumerate(asked):
            warm_up = 3.0 * 2**n
            assert (pages, op) == (500, 0.1)
            assert given.pop("repeat") == np.ceil((warm_up + 3) / 0.7) + 1
            assert given == {"pages_per_block": 16, "policy": "fifo", "drive_writes": 3.0,
                             "warmup_drive_writes": warm_up}  # fmt: skip
    for spare, block in ((8, 4), (79, 4), (160, 8), (20 * 64, 64), (20 * 128, 128), (1e6, 128)):
        assert cli._replay._usual_block(spare) == block


@pytest.mark.parametrize(("line", "told"), [
    ("wa", "give OP, or both --flash and --user"),
    ("wa 0.07 --user 480GB", "give OP, or both --flash and --user"),
    ("wa --user 480GB", "give OP, or both --flash and --user"),
    ("wa --flash 1GB --user 480GB", "--user must be <= physical_bytes"),
    ("wa seven", "argument OP: must be like 0.07 or 7%, got 'seven'"),
    ("wa inf", "argument OP: must be > 0, as 0.07 or 7%, got 'inf'"),
    ("wa 0.07 --hot-space 20%", "--hot-writes and --hot-space go together"),
    ("wa 0.07 --hot-writes 180% --hot-space 20%", "--hot-writes must be"),
    ("wa 0.07 --trim 60%", "--trim must be"),
    ("wa 0.07 --pages-per-block 0", "--pages-per-block must be a finite number >= 1"),
    ("years --tbw 600TB", "the following arguments are required: --load"),
    ("years --load 30GB/day", "give one of --tbw, --dwpd, --flash and --pe-cycles"),
    ("years --load 30GB/day --tbw 1TB --dwpd 3", "give one of --tbw, --dwpd, --flash"),
    ("years --load 30GB/day --dwpd 3", "--dwpd takes --capacity too"),
    ("years --load 30GB/day --tbw 1TB --wa 3", "--wa goes with --flash"),
    ("years --load 30GB/day --tbw 1TB --warranty 3", "--warranty goes with --dwpd"),
    ("years --load 30GB/day --dwpd 1 --capacity 1TB --warranty 0", "--warranty must be"),
    ("years --load 30GB/day --flash 1TiB", "--flash and --pe-cycles go together"),
    ("years --load 30GB --tbw 600TB", "argument --load: must be like 20GB/day"),
    ("years --load 30GB/day --flash 1TiB --pe-cycles -3", "--pe-cycles must be"),
    ("replay nofile --op 7%", "nofile: No such file or directory"),
    ("replay nofile", "the following arguments are required: --op"),
])  # fmt: skip
def test_what_cannot_be_answered_is_told_in_a_line(run, line, told):
    status, out, err = run(line)
    assert (status, out) == (3, "")
    said = re.sub(r"^usage:.*?(?=^flashwear:)", "", err, flags=re.DOTALL | re.MULTILINE)
    assert said.count("\n") == 1
    assert told in err
    status, out, err = run(line, "--json")
    assert (status, err) == (3, "")
    assert told in json.loads(out)["errors"][0]["error"]


def test_columns_are_named_on_the_line(run, tmp_path):
    path = tmp_path / "spc.csv"
    path.write_text(
        "".join(f"0,{n * 7919 % 999 * 8},4096,{'Wr'[n % 4 == 3]},{n}\n" for n in range(4000))
    )
    places = ["--columns", "offset=1,size=2,op=3,time=4", "--unit", "512,1"]
    status, out, err = run("replay --op 0.2", str(path), *places)
    assert (status, err) == (0, "")
    assert "4000 requests in 4000 lines: 3000 writes of 12288000 bytes" in out
    status, out, err = run("replay --op 0.2", str(path))
    assert "and --columns op=2,offset=4,size=5 where what stands in another form" in err
    for wrong in (("--columns", "op"), ("--columns", "op=x"), ("--unit", "sector")):
        assert run("replay --op 0.2", str(path), *wrong)[0] == 3


@pytest.mark.parametrize(("text", "told"), [
    ("", "the trace must hold at least one line, got an empty file"),
    ("a,b\n", "is no trace: not fio, msr, alibaba, blkparse"),
    ("fio version 2 iolog\nsda read 0 4096\n", "holds no write"),
    ("fio version 2 iolog\nsda write 0 40960\n", "is too short: it touches 10 pages, and a drive"),
])  # fmt: skip
def test_a_file_that_cannot_be_replayed_is_named(run, tmp_path, text, told):
    path = tmp_path / "file"
    path.write_text(text)
    status, out, err = run("replay --op 0.07", str(path))
    assert (status, out) == (3, "")
    assert told in err


@pytest.fixture
def folder(tmp_path):
    for name in NAMES:
        shutil.copy(RECORDED / f"{name}.json", tmp_path)
    return tmp_path


def test_rounds_are_printed_as_a_table_and_drawn(folder, capsys, monkeypatch):
    for end, given in (("before", OLD), ("after", (OLD[0] + HOST, OLD[1] + 3 * HOST))):
        (folder / end).write_text(report(*given))
    plots = folder / "rounds.svg"
    given = ["--before", str(folder / "before"), "--after", str(folder / "after")]
    assert cli.main(["bench", str(folder), *given, "--svg", str(plots), "--span", "2MB"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "conform" not in out
    ratio = re.search(r"Write amplification between the reports: ([\d.]+), from", out)[1]
    assert float(ratio) == pytest.approx(3, rel=0.01)
    assert "By theory, not known to have settled:" in out
    rows = [line.split() for line in out.splitlines() if line[:5].strip().isdigit()]
    assert [int(number) for number, *_ in rows] == [*range(1, len(NAMES) + 1)]
    for row, one in zip(rows, bench.rounds(RUNS).rounds, strict=True):
        assert float(row[1].replace(",", "")) == pytest.approx(one.iops, abs=0.5)
        assert float(row[2]) == pytest.approx(one.bytes_written / one.seconds / 1e6, rel=1e-3)
        assert float(row[3]) == pytest.approx(1000 * one.latency_s, rel=5e-3)
        assert float(row[4]) == pytest.approx(1000 * one.percentiles_s[50], rel=5e-3)
        assert row[5:] == ["-"] * 4
    svg = plots.read_text()
    for text in ("Convergence: first window to round", "Last five rounds: steady", "10 % above",
                 "10 % below", "Writes per second", "Round"):  # fmt: skip
        assert text in svg
    drawn = [mark.get("aria-roledescription") for mark in ElementTree.parse(plots).iter()]
    assert drawn.count("point") == len(NAMES) + 5
    assert drawn.count("line mark") == 4
    assert cli.main(["bench", str(folder), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["window"]["steady"] is True
    assert len(found["rounds"]) == len(NAMES)
    monkeypatch.setattr(cli._rounds, "_MOST_FILES", len(NAMES))
    assert cli.main(["bench", str(folder)]) == 0
    monkeypatch.setattr(cli._rounds, "_MOST_FILES", len(NAMES) - 1)
    assert cli.main(["bench", str(folder)]) == 3
    for name in NAMES[5:]:
        (folder / f"{name}.json").unlink()
    assert cli.main(["bench", str(folder)]) == 1


def test_a_round_that_is_none_and_an_empty_folder_are_named(folder, capsys):
    for broken in ("", "{}"):
        (folder / "round_3.json").write_text(broken)
        assert cli.main(["bench", str(folder)]) == 3
        assert capsys.readouterr().err.startswith("flashwear: round_3.json ")
    (folder / "empty").mkdir()
    assert cli.main(["bench", str(folder / "empty")]) == 3
    assert "must hold 1 to 1,000 files *.json, got 0" in capsys.readouterr().err
    for line, told in (([folder, folder], "or one FOLDER, got 2 of them"),
                       ([folder, "--html", "x"], "--html is of one run alone"),
                       ([*"abc", "--op", "0.1"], "--op is of rounds alone")):  # fmt: skip
        assert cli.main(["bench", *map(str, line)]) == 3
        assert told in capsys.readouterr().err
