"""Sweeps on a Dask cluster: one scheduler and two workers, each a process of its own."""

import dataclasses
import os
import signal
import time
from pathlib import Path

import joblib
import pandas as pd
import pytest
from distributed import Client, LocalCluster

from flashwear import sweeps
from flashwear.study import runs
from flashwear.study.__main__ import main


def meet(place, folder):
    """Say which process this is, once another one has come too."""
    Path(folder, str(place)).touch()
    deadline = time.monotonic() + 120
    while len(os.listdir(folder)) < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    return {"process": os.getpid(), "met": len(os.listdir(folder)) == 2}


def deadly(width, victim):
    """Kill the first process that gets to width 5."""
    if width == 5 and not Path(victim).exists():
        Path(victim).write_text(str(os.getpid()))
        os.kill(os.getpid(), signal.SIGKILL)
    return {"twice": 2 * width, "process": os.getpid()}


def noted(width, log, obstacle):
    with open(log, "a") as file:
        file.write(f"{width}\n")
    if width == 8 and Path(obstacle).exists():
        raise InterruptedError(obstacle)
    return {"twice": 2 * width}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    options = {"host": "127.0.0.1", "dashboard_address": None, "memory_limit": 0}
    folder = str(tmp_path_factory.mktemp("dask"))
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, local_directory=folder, **options) as both,
        Client(both) as client,
    ):
        yield client


@pytest.fixture
def dask(cluster):
    cluster.wait_for_workers(2, timeout=60)
    with joblib.parallel_config(backend="dask"):
        yield cluster


def test_a_sweep_uses_the_workers_of_a_cluster_at_once_and_shows_its_progress(
    dask, tmp_path, capfd
):
    table = sweeps.sweep(meet, {"place": [1, 2], "folder": [str(tmp_path)]}, progress=True)
    assert table["met"].all()
    assert set(table["process"]) == set(dask.run(os.getpid).values())
    assert "2/2" in capfd.readouterr().err


def test_a_worker_killed_in_a_sweep_loses_no_result(dask, tmp_path):
    before = set(dask.run(os.getpid).values())
    victim = tmp_path / "victim"
    table = sweeps.sweep(deadly, {"width": list(range(12)), "victim": [str(victim)]})
    assert table["width"].tolist() == list(range(12))
    assert table["twice"].tolist() == list(range(0, 24, 2))
    killed = int(victim.read_text())
    assert killed in before
    assert table["process"][5] != killed


def test_a_broken_run_on_a_cluster_goes_on_where_it_stopped(dask, tmp_path, monkeypatch):
    # The last of nine points fails. Two workers hold four points at most before one is finished, so
    # that some are by then; those that still run are waited for.
    monkeypatch.chdir(tmp_path)
    log, obstacle = tmp_path / "log", tmp_path / "obstacle"
    obstacle.touch()
    grid = {"width": list(range(9)), "log": [str(log)], "obstacle": [str(obstacle)]}
    with pytest.raises(sweeps.SweepError, match="InterruptedError"):
        sweeps.sweep(noted, grid, cache="cache")
    while any(dask.processing().values()):
        time.sleep(0.01)
    assert len(log.read_text().split()) > 1
    obstacle.unlink()
    table = sweeps.sweep(noted, grid, cache=tmp_path / "cache")
    assert table["twice"].tolist() == list(range(0, 18, 2))
    assert sorted(log.read_text().split(), key=int) == [*map(str, range(8)), "8", "8"]


def test_studies_are_made_on_the_cluster_at_an_address(cluster, tmp_path, monkeypatch, capsys):
    grid = {"year": [2014, 2016], "resamples": [100]}
    small = dataclasses.replace(runs.STUDIES["price_bootstrap"], grid=grid)
    monkeypatch.setitem(runs.STUDIES, small.name, small)
    cluster.wait_for_workers(2, timeout=60)
    where = ["--folder", str(tmp_path / "kept"), "--cache", str(tmp_path / "points")]
    assert main([small.name, *where, "--scheduler", cluster.scheduler.address]) == 0
    assert "on 2 processes" in capsys.readouterr().out
    pd.testing.assert_frame_equal(
        small.load(tmp_path / "kept").table, small.run(full=True, n_jobs=1)
    )
