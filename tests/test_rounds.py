"""A folder of fio's outputs as the rounds of a test."""

import json
import re
import shutil
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from flashwear import bench, cli, smart, steady
from refusals import refusals
from test_fio import OLD, RECORDED, TRUTH, recorded, report

NAMES = [f"round_{number}" for number in range(1, 9)]
RUNS = [recorded(name) for name in NAMES]
HOST = sum(TRUTH[name]["written"] for name in NAMES)
FRAMED = {"before": smart.parse(report(*OLD)), "span_bytes": 2**20,
          "after": smart.parse(report(OLD[0] + HOST, OLD[1] + 3 * HOST))}  # fmt: skip


def test_rounds_are_what_the_device_took_in_order_and_their_bins_are_merged():
    found = bench.rounds(RUNS[::-1])
    assert [one.bytes_written for one in found.rounds] == [TRUTH[n]["written"] for n in NAMES]
    speeds = [one.iops for one in found.rounds]
    assert found.window == steady.snia(speeds)
    assert found.window.steady
    assert found.iops == pytest.approx(np.mean(speeds[-5:]))
    assert (found.settled, found.bench) == (None, None)
    found = bench.rounds(RUNS)
    bins = [(at, n) for run in RUNS[-5:] for at, n in run.jobs[0].write.bins.items()]
    every = np.sort(np.repeat(*map(np.array, zip(*bins, strict=True))))
    assert found.percentiles_s[50] == every[int(np.ceil(every.size / 2)) - 1]
    assert every.size < 1000 < 5 * every.size  # too few for 99 %, but not ten times
    assert found.percentiles_s[99] is None
    two = recorded("bins")
    merged = bench.rounds([two] * 5).rounds[0]
    assert merged.percentiles_s[50] is not None
    assert sum(job.write.requests for job in two.jobs) < 1000
    assert merged.percentiles_s[99] is None
    enough = replace(two, jobs=two.jobs * 2)
    assert bench.rounds([enough] * 5).rounds[0].percentiles_s[99] is not None


def test_clauses_are_met_or_not_or_not_to_be_seen_and_counters_say_what_they_leave_out():
    def met(runs):
        return {clause.name: clause.met for clause in bench.rounds(runs).clauses}

    found = met(RUNS)
    assert found["each combination runs for a minute"] is False
    assert found["tracked are random writes of 4 KiB"] is True
    assert found["purge, and twice the capacity in order by 128 KiB"] is None
    assert met(RUNS[:5])["a window passes within 25 rounds"] is False
    late = [replace(run, time_s=None) for run in [RUNS[0], RUNS[7]] * 12 + RUNS[3:]]
    assert bench.rounds(late).window.last > 25
    assert met(late)["a window passes within 25 rounds"] is False
    assert met(late)["five rounds range over at most 20 % of their mean"] is True
    found = bench.rounds(RUNS, **FRAMED)
    assert found.bench.wa[0] <= 3 <= found.bench.wa[1]
    assert found.bench.op is not None
    assert found.bench.drive_writes == pytest.approx(HOST / 2**20, rel=0.01)
    assert found.settled is None
    assert "the pace was given to fio" in found.reason
    options = {key: value for key, value in RUNS[0].jobs[0].options.items() if key != "rate_iops"}
    free = [replace(run, jobs=(replace(run.jobs[0], options=options),)) for run in RUNS]
    assert bench.rounds(free, **FRAMED).settled is True
    assert bench.rounds(free, op=0.28, span_bytes=2**20).settled is True
    assert bench.rounds(free, op=0.28, span_bytes=2**30).settled is False
    assert bench.rounds(free[:5], op=0.28, span_bytes=2**20, start="settled").settled is False


test_what_are_no_rounds_is_named = refusals([
    (lambda: bench.rounds(RUNS[:4]), "runs must be 5 Runs or more, as fio.read gives, got 4"),
    (lambda: bench.rounds(RUNS, before=FRAMED["before"]), "must be given both, or none"),
    (lambda: bench.rounds(RUNS, job="b"), "job must be one of random, got 'b'"),
    (lambda: bench.rounds([recorded("stonewall")] * 5), "round 1 wrote in 2 groups"),
    (lambda: bench.rounds([recorded("trims")] * 5), "round 1 wrote nothing"),
    (lambda: bench.rounds(RUNS, op=9, span_bytes=2**20), "op must be .* <= 4, got 9"),
    (lambda: bench.rounds(RUNS, op=0.1), "span_bytes must be given"),
    (lambda: bench.rounds(RUNS, start="new"), "start must be one of"),
])  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    for name in NAMES:
        shutil.copy(RECORDED / f"{name}.json", tmp_path)
    return tmp_path


def test_the_command_prints_a_table_and_draws_plots(folder, capsys):
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
    assert len([line for line in out.splitlines() if line[:5].strip().isdigit()]) == len(NAMES)
    drawn = [mark.get("aria-roledescription") for mark in ElementTree.parse(plots).iter()]
    assert drawn.count("point") == len(NAMES) + 5
    assert drawn.count("line mark") == 4
    assert cli.main(["bench", str(folder), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["window"]["steady"] is True
    assert len(found["rounds"]) == len(NAMES)
    for name in NAMES[5:]:
        (folder / f"{name}.json").unlink()
    assert cli.main(["bench", str(folder)]) == 1


def test_a_file_that_is_none_and_an_empty_folder_are_named(folder, capsys):
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
