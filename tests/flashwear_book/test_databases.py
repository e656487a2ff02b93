"""What databases were counted to write at a device, against what the closed forms say."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from flashwear_book import databases, tables

COUNTED = tables.database_writes()
FORMS = COUNTED.apply(lambda row: float(databases.form(row).total), axis=1)
SHORT = (
    "PostgreSQL ext4 append 20000 100 1 2000", "InnoDB xfs random 20000 100 1 20000",
    "SQLite xfs insert_random 20000 100 1 1500 journal=wal", "LMDB ext4 append 20000 100 5 500",
    "RocksDB xfs random 30000 216 20 1500",
)  # fmt: skip


WORST = {"PostgreSQL": (0.79, 1.06), "InnoDB": (0.82, 1.34), "SQLite": (0.87, 1.09),
         "LMDB": (0.96, 1.03), "RocksDB": (0.64, 1.14)}  # fmt: skip


@pytest.mark.parametrize("engine", WORST)
def test_a_form_says_what_reached_a_device(engine):
    rows = COUNTED[COUNTED.engine == engine]
    assert len(rows) >= 12
    assert set(rows.load) == {"random", "append", "insert_random"}
    assert set(rows.file_system) == {"ext4", "xfs", "btrfs"}
    off = (FORMS[rows.index] / rows["median"] - 1).abs()
    assert off.median() <= 0.1
    assert (FORMS[rows.index] / rows["median"]).between(*WORST[engine]).all()
    assert (off <= 0.25).mean() >= 0.9
    twice = np.abs(np.log(rows.apply(databases.twice, axis=1) / rows["median"]))
    assert np.abs(np.log(FORMS[rows.index] / rows["median"])).mean() < twice.mean() / 3
    assert ((rows.most - rows.least) / rows["median"]).median() < 0.05  # the runs agree


@pytest.mark.proof
@pytest.mark.skipif(os.geteuid() != 0, reason="takes root, for loop devices")
@pytest.mark.parametrize("setting", SHORT, ids=lambda line: line.partition(" ")[0])
def test_a_short_count_of_today_is_what_the_form_says(setting):
    script = Path(__file__).parents[2] / "benchmarks" / "databases.py"
    done = subprocess.run(
        [sys.executable, script, "--setting", setting], capture_output=True, text=True, timeout=600
    )
    if "FileNotFoundError" in done.stderr or "ModuleNotFoundError" in done.stderr:
        pytest.skip(done.stderr.splitlines()[-1])
    assert done.returncode == 0, done.stderr
    counted, form = (float(done.stdout.split(word)[1].split()[0]) for word in ("counted", "form"))
    assert form == pytest.approx(counted, rel=0.2)
