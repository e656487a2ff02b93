import dataclasses
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from flashwear import studies, sweeps, tables


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


def test_a_sweep_has_one_row_for_each_point_of_the_product_in_order():
    table = sweeps.sweep(area, {"width": [1, 2], "height": [3, 5]}, n_jobs=1)
    assert table.to_dict("list") == {
        "width": [1, 1, 2, 2],
        "height": [3, 5, 3, 5],
        "area": [3, 5, 6, 10],
    }


def test_seeds_differ_by_point_and_not_by_the_number_of_processes():
    one, two = (sweeps.sweep(draw, {"kind": list("abcd")}, seed=7, n_jobs=n) for n in (1, 2))
    pd.testing.assert_frame_equal(one, two)
    assert one["value"].nunique() == 4
    other = sweeps.sweep(draw, {"kind": list("abcd")}, seed=8, n_jobs=1)
    assert not (one["value"] == other["value"]).any()


def test_a_broken_run_goes_on_where_it_stopped(tmp_path):
    log = str(tmp_path / "log")
    options = {"n_jobs": 1, "cache": tmp_path / "cache"}
    sweeps.sweep(noted, {"width": [1, 2], "log": [log]}, **options)
    table = sweeps.sweep(noted, {"width": [1, 2, 3], "log": [log]}, **options)
    assert table["twice"].tolist() == [2, 4, 6]
    assert Path(log).read_text().split() == ["1", "2", "3"]


def test_no_progress_bar_unless_asked_for(capfd):
    sweeps.sweep(area, {"width": [1], "height": [1]}, n_jobs=1)
    assert capfd.readouterr() == ("", "")
    sweeps.sweep(area, {"width": [1], "height": [1]}, n_jobs=1, progress=True)
    assert "area" in capfd.readouterr().err


@pytest.mark.parametrize("grid", [{}, {"width": []}])
def test_an_empty_grid_is_refused(grid):
    with pytest.raises(ValueError, match="grid must hold at least one value"):
        sweeps.sweep(area, grid, n_jobs=1)


def test_a_figure_may_not_take_the_name_of_a_parameter():
    with pytest.raises(ValueError, match="clash returns names that the grid has too: width"):
        sweeps.sweep(clash, {"width": [1]}, n_jobs=1)


STUDY = sweeps.Study(
    name="areas",
    function=area,
    grid={"width": [1, 2], "height": [10]},
    reduced={"height": [9]},
    keys=("width",),
    tolerance={"area": 0.11},
)


def test_a_study_is_saved_with_what_made_it_and_read_back(tmp_path, monkeypatch):
    monkeypatch.setattr(sweeps, "code_hash", lambda module: "0123")
    table = STUDY.run(full=True, n_jobs=1)
    STUDY.save(table, tmp_path)
    result = STUDY.load(tmp_path)
    pd.testing.assert_frame_equal(result.table, table)
    assert result.current
    assert result.about["grid"] == {"width": [1, 2], "height": [10]}
    assert result.about["seed"] is None
    monkeypatch.setattr(sweeps, "code_hash", lambda module: "4567")
    assert not STUDY.load(tmp_path).current


def test_a_missing_result_says_how_to_make_it(tmp_path):
    with pytest.raises(ValueError, match=r"areas has no result in .* run make study"):
        STUDY.load(tmp_path)


def test_a_rerun_within_the_tolerance_is_compared_figure_by_figure():
    table, rerun = (STUDY.run(full=full, n_jobs=1) for full in (True, False))
    comparison = STUDY.verify(table, rerun)
    assert comparison["difference"].round(9).tolist() == [-0.1, -0.1]


def test_a_rerun_outside_the_tolerance_is_refused():
    tight = dataclasses.replace(STUDY, tolerance={"area": 0.09})
    table, rerun = (tight.run(full=full, n_jobs=1) for full in (True, False))
    with pytest.raises(ValueError, match="areas: the rerun left its tolerance"):
        tight.verify(table, rerun)


def test_a_rerun_that_gives_no_number_is_refused():
    table = STUDY.run(full=True, n_jobs=1)
    with pytest.raises(ValueError, match="left its tolerance"):
        STUDY.verify(table, table.assign(area=float("nan")))


def test_a_rerun_at_a_point_that_the_table_lacks_is_refused():
    table = STUDY.run(full=True, n_jobs=1)
    with pytest.raises(ValueError, match="points that the table lacks"):
        STUDY.verify(table.head(1), table)


def test_the_code_hash_follows_imported_modules_only(monkeypatch):
    before = {name: sweeps.code_hash(f"flashwear.{name}") for name in ("pricing", "_domain")}
    read = Path.read_bytes
    monkeypatch.setattr(
        Path, "read_bytes", lambda path: read(path) + b"#" * (path.name == "units.py")
    )
    after = {name: sweeps.code_hash(f"flashwear.{name}") for name in before}
    assert after["pricing"] != before["pricing"]
    assert after["_domain"] == before["_domain"]


def test_the_code_hash_of_what_is_not_a_module_is_refused():
    with pytest.raises(ValueError, match="module must be a Python module with source"):
        sweeps.code_hash("flashwear.nothing")


def test_the_bootstrap_agrees_with_resampling_models_one_by_one():
    # the same statistic the slow way: draw whole models, fit each draw with numpy. The two
    # differ in their draws only; the ends of a 95 % interval from 2,000 resamples have a
    # standard error of 0.06 sigma, so the width (3.9 sigma) has one of 2.2 %, the difference
    # of two widths one of 3 %: 12 % is four of these
    prices = tables.prices_2014()
    models = [group for _, group in prices.groupby("model")]
    random = np.random.default_rng(3)
    slopes = []
    for _ in range(2000):
        drawn = pd.concat([models[i] for i in random.integers(len(models), size=len(models))])
        slopes.append(np.polyfit(drawn["capacity_gb"], drawn["price_usd"], 1)[0])
    slow = np.ptp(np.percentile(slopes, [2.5, 97.5]))
    fast = studies.price_bootstrap(year=2014, resamples=2000, seed=1)["per_gb_width"]
    assert fast == pytest.approx(slow, rel=0.12)


def test_the_command_refuses_an_unknown_study(capsys):
    with pytest.raises(SystemExit) as stop:
        studies.main(["nothing"])
    assert stop.value.code == 2
    assert "STUDY must be one of price_bootstrap, got 'nothing'" in capsys.readouterr().err


def test_the_command_writes_table_and_description(tmp_path, monkeypatch, capsys):
    small = dataclasses.replace(
        studies.STUDIES["price_bootstrap"], grid={"year": [2014], "resamples": [100]}
    )
    monkeypatch.setitem(studies.STUDIES, "price_bootstrap", small)
    assert studies.main(["price_bootstrap", "--folder", str(tmp_path), "--jobs", "1"]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "price_bootstrap.csv",
        "price_bootstrap.json",
    ]
    assert "1 rows written" in capsys.readouterr().out
