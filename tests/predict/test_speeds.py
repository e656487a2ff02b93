"""Speeds of a drive: what a reader asks for, and what they must not be."""

import hashlib
import json
from dataclasses import replace

import numpy as np
import pytest

from flashwear import drives
from flashwear.predict import TESTS, speeds
from flashwear.queueing import work
from flashwear_book import fresh, tables
from refusals import refusals

M600 = drives.load("m600-128gb")
COLUMNS = ["unit", "median", "low_50", "high_50", "low_90", "high_90", "limit"]
US = 1e-6


def assembled(**changes):
    parts = {"controller": "samsung-mgx", "flash": "samsung-32l-tlc-128gbit", "dies": 16,
             "user_bytes": 249_999_998_976}  # fmt: skip
    return drives.assemble(**{**parts, **changes})


def test_a_drive_that_nobody_saw_has_a_row_for_each_test_and_one_seed_gives_the_same():
    found = speeds(assembled(cache="samsung-turbowrite"))
    assert list(found) == COLUMNS
    assert list(found.index) == [*TESTS, "steady write amplification"]
    assert set(found.unit) == {"MB/s", "IOPS", "1"}
    values = found[["low_90", "low_50", "median", "high_50", "high_90"]].to_numpy(float)
    assert np.isfinite(values).all()
    assert (values > 0).all()
    assert (np.diff(values, axis=1) >= 0).all()
    assert set(found.limit[:-1]) <= set(work.STATIONS)
    assert not {"cache write", "folding write"} & set(speeds("mx100-256gb").index)
    for line in ("850-evo", "860-qvo", "970-evo", "bx200", "bx300"):  # kept for another test
        kept = [name for name in drives.names() if drives.load(name).line == line]
        assert (speeds(kept[0]).high_90 > 0).all()
    one, again, other = (speeds(M600, seed=seed) for seed in (1, 1, 2))
    assert one.equals(again)
    assert not one.equals(other)
    assert other["median"].to_numpy() == pytest.approx(one["median"].to_numpy(), rel=0.06)


@pytest.mark.parametrize("name", ["850-evo-250gb", "970-evo-1000gb", "p410m-200gb", "320-300gb"])
def test_no_speed_goes_much_beyond_the_link(name):
    drive = drives.load(name)
    found = speeds(drive)
    for test in TESTS:
        if test in found.index:
            size = TESTS[test].protocol.access.size / (1e6 if found.unit[test] == "MB/s" else 1)
            most = size if found.unit[test] == "MB/s" else 1.0
            most /= TESTS[test].work_on(drive).fixed_s[0]
            assert found.high_90[test] < 1.06 * most


def test_more_dies_write_in_proportion_and_less_spare_means_fewer_steady_writes():
    rates = [speeds(assembled(dies=dies, user_bytes=32_000_000_000)).loc["direct write", "median"]
             for dies in (4, 8, 64)]  # fmt: skip
    assert rates[1] / rates[0] == pytest.approx(2, rel=0.1)
    assert rates[2] / rates[1] < 6  # of 8: the link
    drive = assembled()
    tight = replace(drive, user_bytes=int(drive.user_bytes * 1.04) // 4096 * 4096)
    loose, close = speeds(drive), speeds(tight)
    last = "steady write amplification"
    assert close.loc[last, "median"] > loose.loc[last, "median"]
    steady = "random write, steady"
    assert close.loc[steady, "median"] < loose.loc[steady, "median"]


def test_an_unknown_controller_and_a_line_left_out_are_wider():
    parts = {"flash": "micron-16nm-mlc-128gbit", "user_bytes": 240_000_000_000}
    known = speeds(assembled(controller="marvell-88ss9189", **parts), draws=20_000)
    unknown = speeds(
        assembled(
            controller=None,
            channels=8,
            link_bytes_per_s=5.7e8,
            link_overhead_s=1e-6,
            queue_limit=32,
            **parts,
        ),
        draws=20_000,
    )
    for test in ("random read", "random write, fresh", "random write, depth 1"):
        width = [np.log(each.high_90[test] / each.low_90[test]) for each in (known, unknown)]
        assert width[1] > width[0]
    width = [
        np.log(found.high_90 / found.low_90)["random write, fresh"]
        for found in (speeds("pm971-512gb"), speeds("pm971-512gb", without="pm971"))
    ]
    assert width[1] > 1.3 * width[0]


def test_folding_is_in_turn_with_the_host_and_random_reads_wait_for_each_other():
    # 2 x 4096 / v + s_w + s_c for a unit: two programs, one unit written and one copied
    needed = TESTS["folding write"].work_on(M600)
    times = dict.fromkeys(work.TIMES, 0.0) | {
        "program_s": 1600 * US, "read_unit_s": 5 * US, "write_unit_s": 8 * US,
    }  # fmt: skip
    seconds = needed.seconds(list(times.values()))[work.STATIONS.index("die")]
    erased = 32 * (5 + 2 * 8) * US + 2 * 32 / 8 / 8 * 1600 * US
    assert seconds == pytest.approx(erased + needed.fixed_s[work.STATIONS.index("die")])
    alone = TESTS["random read, depth 1"].work_on(M600)
    deep = TESTS["random read"].work_on(M600)
    die, read = work.STATIONS.index("die"), work.TIMES.index("read_s")
    assert alone.counts[die, read] == pytest.approx(1 / 8)
    assert deep.counts[die, read] == pytest.approx((1 + 7 / 64) / 8)


def test_fresh_writes_are_to_their_span_and_a_drive_that_waits_folds_in_both_tests():
    dramless = replace(drives.load("mx500-250gb"), map_cache_bytes=2**20)
    test = TESTS["random write, fresh"]
    assert test.protocol.access_on(dramless).span == pytest.approx(8e9 / dramless.user_bytes)
    small = replace(dramless, map_cache_bytes=9 * 2**20)  # holds the map of 8 GB
    die, read = work.STATIONS.index("die"), work.TIMES.index("read_s")
    assert test.work_on(small).counts[die, read] == 0
    assert test.work_on(dramless).counts[die, read] > 0
    folds = replace(M600, cache_direct=False)
    direct, folding = (TESTS[name].work_on(folds) for name in ("direct write", "folding write"))
    assert (direct.counts == folding.counts).all()
    assert (TESTS["direct write"].work_on(M600).counts != folding.counts).any()


test_what_cannot_be_asked_is_refused = refusals([
    (("850-evo",), {}, "name must be one of m600-128gb, .*, got '850-evo'"),
    ((3,), {}, "drive must be a Drive or the name of one, got 3"),
    ((M600,), {"draws": 10}, "draws must be a whole number >= 100 and <= 100000, got 10"),
    ((replace(M600, user_bytes=M600.data_bytes - 4096),), {}, "high_blocks must leave more"),
    ((M600,), {"draws": 1.5}, "draws must be a whole number"),
    ((M600,), {"seed": -1}, "seed must be a whole number >= 0, got -1"),
    ((M600,), {"without": ["m600"]}, "without must be the name of a line or None, got "),
    ((replace(M600, map_bytes=512),), {}, "drive must have map units of a multiple of 4096 .*512"),
    ((replace(M600, policy="windowed"),), {}, "policy must be one of greedy, fifo, "),
    ((M600,), {"without": "850-evo"}, "without must be a line with figures, one of 320, "),
], by=lambda arguments, options: speeds(*arguments, **options))  # fmt: skip


def test_a_small_write_at_random_programs_its_whole_map_unit_and_one_in_order_does_not():
    coarse = replace(M600, map_bytes=16384, user_bytes=M600.user_bytes // 16384 * 16384)
    for name in ("random write, fresh", "random write, steady", "sequential write"):
        times = 4 if name.startswith("random") else 1
        fine, found = (TESTS[name].write_amplification(drive) for drive in (M600, coarse))
        assert found == pytest.approx(times * fine)
        program = work.TIMES.index("slc_program_s" if "fresh" in name else "program_s")
        counts = [TESTS[name].work_on(drive).counts[3, program] for drive in (M600, coarse)]
        assert counts[1] == pytest.approx(times * counts[0])
    assert TESTS["random read"].write_amplification(coarse) == 1
    slower, usual = speeds(coarse), speeds(M600)
    assert slower["median"]["random write, steady"] < usual["median"]["random write, steady"] / 2


def test_the_predictions_of_unseen_lines_are_those_of_their_digest_and_of_the_fit():
    described = json.loads((tables.data_folder() / "datapackage.json").read_text("utf-8"))
    hashed = {each["path"]: each["hash"] for each in described["resources"] if "hash" in each}
    assert sorted(hashed) == ["fresh_predictions.csv", "reserved_predictions.csv"]
    for path, digest in hashed.items():
        content = (tables.data_folder() / path).read_bytes()
        assert digest == f"sha256:{hashlib.sha256(content).hexdigest()}"
    sets = tables.line_sets().groupby("set").line.agg(set)
    kept = tables.reserved_predictions().set_index(["drive", "test"])
    assert set(kept.line) == sets["reserved"]
    found = speeds("p3-1000gb")["median"].drop("steady write amplification")
    assert kept.loc["p3-1000gb", "median"].to_numpy() == pytest.approx(found.to_numpy(), rel=0.05)
    later = tables.fresh_predictions().set_index(["line", "capacity_gb", "test"])
    assert set(later.index.unique("line")) == sets["fresh"] | sets["out"]
    found = speeds(fresh.made()["Kioxia BG6", 2048])["median"].drop("steady write amplification")
    at = later.loc[("Kioxia BG6", 2048), "median"]
    assert at.to_numpy() == pytest.approx(found.to_numpy(), rel=0.05)


def test_the_scores_of_fresh_lines_are_those_of_today():
    kept = tables.first_scores().query("set == 'fresh'").set_index(["guess", "part"])
    found = fresh.scores().set_index(["guess", "part"])
    assert found.held.to_numpy() == pytest.approx(kept.held.to_numpy(), abs=1)
    assert found.rms.to_numpy() == pytest.approx(kept.rms.to_numpy(), abs=0.02)
