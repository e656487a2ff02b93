"""Sweeps on a Dask cluster: one scheduler and two workers, each a process of its own."""

import dataclasses
import os
import time
from pathlib import Path

import joblib
import pandas as pd
import pytest
from distributed import Client, LocalCluster

from flashwear import sweeps
from flashwear_book import runs
from flashwear_book.__main__ import main


def meet(place, folder):
    """Say which process this is, once another one has come too."""
    Path(folder, str(place)).touch()
    deadline = time.monotonic() + 120
    while len(os.listdir(folder)) < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    return {"process": os.getpid(), "met": len(os.listdir(folder)) == 2}


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


def test_studies_are_made_on_the_cluster_at_an_address(cluster, tmp_path, monkeypatch, capsys):
    grid = {"year": [2014, 2016], "resamples": [100]}
    small = dataclasses.replace(runs.STUDIES["price_bootstrap"], grid=grid)
    monkeypatch.setitem(runs.STUDIES, small.name, small)
    cluster.wait_for_workers(2, timeout=60)
    where = ["--folder", str(tmp_path / "kept"), "--cache", str(tmp_path / "points")]
    assert main([small.name, *where, "--scheduler", cluster.scheduler.address]) == 0
    assert "on 2 processes" in capsys.readouterr().out
    kept = small.load(tmp_path / "kept").table
    pd.testing.assert_frame_equal(kept, small.run(full=True, n_jobs=1))
