import dataclasses
import functools
import gc
import io
import json
import lzma
import os
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from flashwear import _digest, drives, sweeps, tables
from flashwear_book import runs
from flashwear_book.__main__ import _check_same, main
from refusals import refusals


def area(width, height):
    return {"area": width * height}


def draw(kind, seed):
    return {"value": seed}


def noted(width, log):
    with open(log, "a") as file:
        file.write(f"{width}\n")
    return {"twice": 2 * width}


def clash(width):
    return {"width": width}


def ragged(width):
    return {"area": width} if width == 1 else {"areas": width}


def bare(width):
    return width


def test_a_sweep_has_one_row_for_each_point_in_order_and_no_progress_bar_unless_asked_for(capfd):
    table = sweeps.sweep(area, {"width": [1, 2], "height": [3, 5]}, n_jobs=1)
    assert table.to_dict("list") == {"width": [1, 1, 2, 2], "height": [3, 5, 3, 5],
                                     "area": [3, 5, 6, 10]}  # fmt: skip
    sweeps.sweep(area, {"width": [1], "height": [1]}, n_jobs=1)
    assert capfd.readouterr() == ("", "")
    sweeps.sweep(area, {"width": [1], "height": [1]}, n_jobs=1, progress=True)
    assert "area" in capfd.readouterr().err


def test_seeds_differ_by_point_and_not_by_processes_order_or_size_of_the_grid():
    one, two = (sweeps.sweep(draw, {"kind": list("abcd")}, seed=7, n_jobs=n) for n in (1, 2))
    pd.testing.assert_frame_equal(one, two)
    assert one["value"].nunique() == 4
    other = sweeps.sweep(draw, {"kind": list("abcd")}, seed=8, n_jobs=1)
    assert not (one["value"] == other["value"]).any()

    def seeds(grid):
        table = sweeps.sweep(lambda kind, size, seed: {"value": seed}, grid, seed=7, n_jobs=1)
        return table.set_index(["kind", "size"])["value"].to_dict()

    first = seeds({"kind": ["a", "b"], "size": [1, 2]})
    assert len(set(first.values())) == 4
    other = seeds({"size": np.array([3, 2, 1]), "kind": ["c", "b", "a"]})
    assert first.items() <= other.items()
    table = sweeps.sweep(draw, {"kind": ["a"], "seed": [1, 2]}, n_jobs=1)
    assert table["value"].tolist() == [1, 2]


@pytest.mark.parametrize("seed", [-1, 1.5, "7", True])
def test_a_seed_that_is_not_a_whole_number_is_refused(seed):
    with pytest.raises(ValueError, match=f"seed must be a whole number >= 0, got {seed!r}"):
        sweeps.sweep(draw, {"kind": ["a"]}, seed=seed, n_jobs=1)


test_a_grid_that_does_not_fit_a_seed_is_refused = refusals([
    *((grid, "grid must hold at least one value") for grid in ({}, {"kind": []})),
    ({"kind": ["a"], "seed": [1]}, 'grid must not hold "seed" when seed is given'),
    ({"kind": ["a", "a"]}, "grid must hold each point once .* got {'kind': 'a'} again"),
    ({"kind": [object()]}, "grid must hold numbers, text, .* got .*object is none of these"),
], by=lambda grid: sweeps.sweep(draw, grid, seed=1, n_jobs=1))  # fmt: skip


def test_a_broken_run_goes_on_and_a_partial_function_runs_but_not_with_a_cache(tmp_path):
    log = str(tmp_path / "log")
    options = {"n_jobs": 1, "cache": tmp_path / "cache"}
    sweeps.sweep(noted, {"width": [1, 2], "log": [log]}, **options)
    table = sweeps.sweep(noted, {"width": [1, 2, 3], "log": [log]}, **options)
    assert table["twice"].tolist() == [2, 4, 6]
    assert Path(log).read_text().split() == ["1", "2", "3"]
    function = functools.partial(area, height=3)
    table = sweeps.sweep(function, {"width": [1, 2]}, n_jobs=1, progress=True)
    assert table["area"].tolist() == [3, 6]
    with pytest.raises(ValueError, match=r"function must be a named function .* got partial"):
        sweeps.sweep(function, {"width": [1, 2]}, n_jobs=1, cache=tmp_path)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_point_that_fails_is_named_those_before_it_are_kept_and_no_worker_warns_later(n_jobs):
    with pytest.raises(sweeps.SweepError) as failure:
        sweeps.sweep(divided, {"by": [2, 4, 0, 1], "number": [8]}, n_jobs=n_jobs)
    message = "divided failed at {'by': 0, 'number': 8}: ZeroDivisionError: division by zero"
    assert str(failure.value) == message
    assert isinstance(failure.value.__cause__, ZeroDivisionError)
    assert failure.value.finished.to_dict("list") == {"by": [2, 4], "number": [8, 8], "q": [4, 2]}
    try:
        sweeps.sweep(divided, {"by": [0, *range(1, 40)], "number": [8]}, n_jobs=n_jobs)
    except sweeps.SweepError as error:
        kept = error
    with warnings.catch_warnings(record=True) as heard:
        del kept
        gc.collect()
    assert not heard


def divided(by, number):
    return {"q": number / by}


test_results_that_make_no_table_are_refused = refusals([
    (clash, "clash returns names that the grid has too: width"),
    (ragged, r"ragged must return the same .* \['area'\] at {'width': 1} and \['areas'\]"),
    (bare, "bare must return a mapping of figures, got 1 at"),
], by=lambda function: sweeps.sweep(function, {"width": [1, 2]}, n_jobs=1))  # fmt: skip


STUDY = sweeps.Study(name="areas", function=area, grid={"width": [1, 2], "height": [10]},
                     reduced={"height": [9]}, keys=("width",), tolerance={"area": 2.5})  # fmt: skip


@pytest.fixture
def kept(tmp_path):
    STUDY.save(STUDY.run(full=True, n_jobs=1), tmp_path)
    return STUDY.load(tmp_path)


def test_a_study_is_saved_with_what_made_it_and_read_back(tmp_path):
    with pytest.raises(ValueError, match=r"areas has no result in .* run make study"):
        STUDY.load(tmp_path)
    table = STUDY.run(full=True, n_jobs=1)
    STUDY.save(table, tmp_path)
    result = STUDY.load(tmp_path)
    pd.testing.assert_frame_equal(result.table, table)
    assert result.current
    assert result.about["grid"] == {"width": [1, 2], "height": [10]}
    assert result.about["seed"] is None
    study = dataclasses.replace(STUDY, grid={"width": np.arange(1, 3), "height": [10]})
    study.save(study.run(full=True, n_jobs=1), tmp_path)
    assert study.load(tmp_path).about["grid"]["width"] == [1, 2]


def curve(width, length=3):
    line = np.linspace(0, 1, length) * width
    return {"area": float(width), "rise": line, "fall": line[::-1]}


CURVES = sweeps.Study(name="curves", function=curve, grid={"width": [2, 1], "length": [3]},
                      reduced={"width": [1]}, keys=("width",), tolerance={"area": 0.0})  # fmt: skip


@pytest.mark.parametrize("length", [3, 20_000])
def test_series_are_kept_in_a_table_of_their_own(tmp_path, length):
    study = dataclasses.replace(CURVES, grid={"width": [2, 1], "length": [length]})
    run = study.run(full=True, n_jobs=1)
    study.save(run, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"curves.csv", "curves.json",
                                                          "curves_series.csv.xz"}  # fmt: skip
    result = study.load(tmp_path)
    assert result.current
    assert list(result.table) == ["width", "length", "area"]
    assert list(result.series) == ["width", "step", "rise", "fall"]
    assert result.series.step.tolist() == [*range(1, length + 1)] * 2
    for name in ("rise", "fall"):
        lines = result.lines(name)
        assert list(lines) == [2, 1]
        for width, line in lines.items():
            np.testing.assert_allclose(line, run[name][run.width == width].item(), rtol=5e-6)
    assert len(study.verify(result, study.run(full=False, n_jobs=1))) == 1
    message = r"name must be one of the series .*'rise', 'fall'.*'area'"
    with pytest.raises(ValueError, match=message):
        result.lines("area")


@pytest.mark.parametrize("fall", [np.zeros(2), np.zeros((3, 1)), 0.0], ids=range(3))
def test_series_that_do_not_fit_and_keys_that_name_two_points_are_refused(fall):
    run = CURVES.run(full=True, n_jobs=1)
    run["fall"] = [np.zeros(3), fall]
    with pytest.raises(ValueError, match=r"curves: series of a point must be rows .*'width': 1"):
        CURVES.split(run)
    study = dataclasses.replace(CURVES, grid={"width": [2], "length": [3, 4]})
    with pytest.raises(ValueError, match=r"curves: keys must name each point once, got \('width',"):
        study.split(study.run(full=True, n_jobs=1))


@pytest.mark.parametrize(("file", "content"), [
    ("curves.json", b"{"), ("curves.csv", b"\xff"), ("curves_series.csv.xz", b"cut"),
])  # fmt: skip
def test_a_broken_result_is_named(tmp_path, file, content):
    study = dataclasses.replace(CURVES, grid={"width": [2, 1], "length": [20_000]})
    study.save(study.run(full=True, n_jobs=1), tmp_path)
    (tmp_path / file).write_bytes(content)
    with pytest.raises(ValueError, match=r"curves: its result in .* is broken: "):
        study.load(tmp_path)


def test_a_result_of_other_code_tables_grid_or_series_is_not_current(kept, tmp_path):
    assert kept.current
    wider = dataclasses.replace(STUDY, grid={"width": [1, 2, 3], "height": [10]})
    assert not wider.load(tmp_path).current
    path, about = tmp_path / "areas.csv", tmp_path / "areas.json"
    text = path.read_text()
    path.write_text(text.replace("20", "21"))
    assert not STUDY.load(tmp_path).current
    path.write_text(text)
    assert STUDY.load(tmp_path).current
    for other in ({}, {"hash": "0123"}):
        about.write_text(json.dumps(other))
        assert not STUDY.load(tmp_path).current
    CURVES.save(CURVES.run(full=True, n_jobs=1), tmp_path)
    path = tmp_path / "curves_series.csv.xz"
    lines = lzma.decompress(path.read_bytes())
    path.write_bytes(lzma.compress(lines.replace(b"2.0", b"2.1")))
    assert not CURVES.load(tmp_path).current


test_a_study_that_cannot_be_kept_or_verified_is_refused = refusals([
    ({"function": functools.partial(area, height=1)}, "function must be a named function"),
    ({"tolerance": {}}, "areas: tolerance must name at least one figure"),
    ({"tolerance": {"area": -1}}, "areas: tolerance of area must be .* >= 0, got -1"),
], by=lambda change: dataclasses.replace(STUDY, **change))  # fmt: skip


def test_a_rerun_is_compared_figure_by_figure_by_the_tolerance_kept_with_the_table(kept):
    comparison = STUDY.verify(kept, STUDY.run(full=False, n_jobs=1))
    assert comparison["difference"].tolist() == [9 - 10, 18 - 20]
    assert comparison["tolerance"].tolist() == [2.5, 2.5]
    zero = dataclasses.replace(kept, table=kept.table.assign(area=0.0))
    assert STUDY.verify(zero, kept.table.assign(area=-1.0))["difference"].tolist() == [-1, -1]
    tight = dataclasses.replace(kept, about=kept.about | {"tolerance": {"area": 1.5}})
    with pytest.raises(ValueError, match="areas: the rerun left its tolerance"):
        STUDY.verify(tight, STUDY.run(full=False, n_jobs=1))
    wide = dataclasses.replace(STUDY, tolerance={"area": 100})
    with pytest.raises(ValueError, match="areas: the rerun left its tolerance"):
        wide.verify(kept, kept.table.assign(area=0))
    for about in ({}, {"tolerance": {}}):
        with pytest.raises(ValueError, match="areas: tolerance must name at least one figure"):
            STUDY.verify(dataclasses.replace(kept, about=about), kept.table)
    broken = dataclasses.replace(kept, table=kept.table.drop(columns="area"))
    with pytest.raises(ValueError, match="areas: the table lacks area"):
        STUDY.verify(broken, kept.table)


@pytest.mark.parametrize(("rerun", "message"), [
    (lambda table: table.assign(area=float("nan")), "the rerun left its tolerance"),
    (lambda table: table.assign(width=[1, 3]), "the rerun has points that the table lacks"),
    (lambda table: table.assign(width=1), "the rerun has two rows for one"),
    (lambda table: table.head(0), "the rerun is empty"),
    (lambda table: pd.DataFrame(), "the rerun is empty"),
    (lambda table: table.drop(columns="area"), "the rerun lacks area"),
    (lambda table: table.drop(columns="width"), "the rerun lacks width"),
])  # fmt: skip
def test_a_rerun_that_cannot_be_compared_is_refused(kept, rerun, message):
    with pytest.raises(ValueError, match=f"areas: {message}"):
        STUDY.verify(kept, rerun(kept.table))


def test_the_hash_follows_what_is_read_and_the_derivation_of_seeds_where_there_are_seeds():
    read = {"price": 1.0}
    study = dataclasses.replace(STUDY, reads=lambda grid: [read, grid["width"]])
    before = study.hash()
    assert before != STUDY.hash()
    read["price"] = 2.0
    assert study.hash() != before
    path = Path(sweeps.__file__).with_name("_sweep.py")
    source = path.read_text(encoding="utf-8").replace("digest()[:4]", "digest()[:5]")
    changed = {"flashwear.sweeps._sweep": source}
    seeded = runs.STUDIES["price_bootstrap"]
    assert seeded.hash(changed) != seeded.hash()
    unseeded = dataclasses.replace(seeded, seed=None)
    assert unseeded.hash(changed) == unseeded.hash()


# -- the studies that are kept ---------------------------------------------------------------------

RESULTS = tables.data_folder() / "results"


@pytest.mark.parametrize("study", runs.STUDIES.values(), ids=lambda study: study.name)
def test_the_committed_result_is_that_of_the_code_and_tables_of_today(study):
    assert study.load(RESULTS).current, "remake it: make study"


def test_every_committed_result_belongs_to_a_study_and_no_other_is_run(capsys):
    files = {f"{name}.{kind}" for name in runs.STUDIES for kind in ("csv", "json")}
    abouts = [json.loads((RESULTS / f"{name}.json").read_text()) for name in runs.STUDIES]
    files |= {about["series"] for about in abouts if "series" in about}
    # benchmarks/ftl.py times a machine: nothing to rerun and compare
    assert {path.name for path in RESULTS.iterdir()} == files | {"benchmark_ftl.csv"}
    with pytest.raises(SystemExit) as stop:
        main(["nothing"])
    assert stop.value.code == 2
    known = ", ".join(runs.STUDIES)
    assert f"STUDY must be one of {known}, got 'nothing'" in capsys.readouterr().err


def called_by(run):
    """Return what a call returns, and the modules whose definitions were called meanwhile."""
    called = set()

    def note(frame, event, argument):
        module = frame.f_globals.get("__name__", "")
        name = frame.f_code.co_qualname.partition(".")[0]
        made = name.startswith(("<", "__"))  # statements, or methods that a data class writes
        if event == "call" and module.startswith("flashwear") and not made:
            called.add(module)

    gc.collect()  # generators that other tests left would be ended, which counts as a call
    sys.setprofile(note)
    try:
        return run(), called
    finally:
        sys.setprofile(None)


def drives_and_tables(monkeypatch, call):
    """Return what a call returns, and the tables and drives that were read meanwhile."""
    read = set()
    table, entries = tables._table, drives._catalogue._entries
    monkeypatch.setattr(tables, "_table", lambda name, *of: read.add(name) or table(name, *of))
    monkeypatch.setattr(
        drives._catalogue, "_entries", lambda name, path: read.add(name) or entries(name, path)
    )
    answer = call()
    monkeypatch.undo()
    return answer, read


@pytest.mark.proof
@pytest.mark.parametrize("study", runs.STUDIES.values(), ids=lambda study: study.name)
def test_a_quick_rerun_stays_within_the_tolerance_and_uses_what_the_hash_covers(study, monkeypatch):
    for package in ("apsw", "lmdb", "rocksdict") if study.name.startswith("engines_") else ():
        pytest.importorskip(package)
    (rerun, called), read = drives_and_tables(
        monkeypatch, lambda: called_by(lambda: study.run(full=False, n_jobs=1))
    )
    study.verify(study.load(RESULTS), rerun)
    covered = _digest.reached([study.function.__module__])
    machinery = ("sweeps._study", "sweeps._sweep", "_compiled", "_extras", "_digest")
    assert called - {f"flashwear.{name}" for name in machinery} <= covered.keys()
    _, declared = drives_and_tables(monkeypatch, study.hash)
    assert read <= declared
    assert set(study.grid.get("drive", [])) <= declared


@pytest.fixture
def small(monkeypatch):
    grid = {"year": [2014, 2016], "resamples": [100]}
    study = dataclasses.replace(runs.STUDIES["price_bootstrap"], grid=grid)
    monkeypatch.setitem(runs.STUDIES, "price_bootstrap", study)
    return study


@pytest.fixture
def command(tmp_path, small, capsys):
    """Return the command on the short study, which returns what it says."""

    def run(*options):
        where = ["--folder", str(tmp_path / "kept"), "--cache", str(tmp_path / "points")]
        status = main([small.name, *where, "--jobs", "1", *options])
        said = capsys.readouterr().out
        assert status == ("make it again" in said)
        return said

    return run


def test_the_command_writes_table_and_description_and_skips_what_is_current(
    command, small, tmp_path
):
    said = command()
    assert "1 of 1 studies to do: about 0 min on 1 processes and 1 of unknown length" in said
    assert "price_bootstrap: 2 rows written" in said
    kept = small.load(tmp_path / "kept")
    assert kept.current
    assert kept.about["seconds"] >= 0
    assert not list((tmp_path / "points").iterdir()), "the points of a finished study are kept"
    assert command() == "all studies are current\n"
    assert "2 rows written" in command("--all")


def test_a_broken_study_goes_on_where_it_stopped(command, small, monkeypatch, tmp_path):
    calls = tmp_path / "calls"
    study = dataclasses.replace(small, function=broken, seed=None)
    monkeypatch.setitem(runs.STUDIES, small.name, study)
    monkeypatch.setenv("CALLS", str(calls))
    with pytest.raises(sweeps.SweepError, match="InterruptedError: 2016"):
        command()
    monkeypatch.setenv("GO_ON", "1")
    assert "2 rows written" in command()
    assert calls.read_text().split() == ["2014", "2016", "2016"]


def broken(year, resamples):
    with open(os.environ["CALLS"], "a") as file:
        file.write(f"{year}\n")
    if year == 2016 and "GO_ON" not in os.environ:
        raise InterruptedError(str(year))
    return dict.fromkeys(("fixed_low", "fixed_high", "per_gb_low", "per_gb_high"), 1.0)


def outdate(folder, column=None):
    """Make a kept result one of other code, and of another figure on request."""
    path = folder / "price_bootstrap.json"
    path.write_text(path.read_text().replace('"hash": "', '"hash": "0'))
    if column:
        table = pd.read_csv(folder / "price_bootstrap.csv")
        table[column] *= 1 + 1e-6
        table.to_csv(folder / "price_bootstrap.csv", index=False)


def test_a_table_that_comes_out_again_is_confirmed_a_long_one_by_a_point_and_is_current_then(
    command, small, tmp_path
):
    command()
    table = (tmp_path / "kept" / "price_bootstrap.csv").read_bytes()
    outdate(tmp_path / "kept")
    assert not small.load(tmp_path / "kept").current
    assert "2 of 2 rows come out as kept" in command("--confirm")
    assert small.load(tmp_path / "kept").current
    assert (tmp_path / "kept" / "price_bootstrap.csv").read_bytes() == table
    outdate(tmp_path / "kept")
    assert "1 of 2 rows come out as kept" in command("--confirm", "--short", "0")


def test_a_table_that_comes_out_otherwise_is_not_confirmed(command, small, tmp_path):
    command()
    outdate(tmp_path / "kept", "fixed_high")
    assert "fixed_high comes out otherwise than kept" in command("--confirm")
    assert not small.load(tmp_path / "kept").current
    path = tmp_path / "kept" / "price_bootstrap.csv"
    pd.read_csv(path).assign(more=1.0).to_csv(path, index=False)
    assert "other figures come out than are kept" in command("--confirm")
    assert not small.load(tmp_path / "kept").current


def test_empty_text_is_as_kept_and_other_text_is_not():
    rerun = pd.DataFrame({"width": [1, 2], "limit": ["link", ""]})
    kept = pd.read_csv(io.StringIO(rerun.to_csv(index=False)))
    _check_same(STUDY, rerun, kept, ["width"])
    with pytest.raises(Exception, match="limit comes out otherwise than kept"):
        _check_same(STUDY, rerun.assign(limit=["link", "die"]), kept, ["width"])


@pytest.mark.parametrize("years", [[2014], [2016, 2014]])
def test_a_table_of_another_grid_is_not_confirmed(command, small, monkeypatch, years):
    command()
    other = dataclasses.replace(small, grid={"year": years, "resamples": [100]})
    monkeypatch.setitem(runs.STUDIES, small.name, other)
    assert "the table is of another grid or seed" in command("--confirm")


def test_a_table_is_not_written_if_code_changes_during_the_run(command, monkeypatch, tmp_path):
    hashes = iter(["before", "after"])
    monkeypatch.setattr(sweeps.Study, "hash", lambda *_: next(hashes))
    with pytest.raises(ValueError, match="code or tables have changed during the run"):
        command("--all")
    assert not list(tmp_path.glob("kept/*"))
    assert not list((tmp_path / "points").iterdir())
