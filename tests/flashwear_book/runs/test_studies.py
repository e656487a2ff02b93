"""Kept studies: their points are those of the code, and some of them come out again."""

import numpy as np
import pandas as pd
import pytest

from flashwear.sweeps import sweep
from flashwear_book.runs import STUDIES, kept_result

M600, MX100, MX300 = "m600-256gb", "mx100-256gb", "mx300-750gb"
# points that take some two seconds at most, by the keys of the study
POINTS = {
    "price_bootstrap": [(2016,)],
    "uniform_writes": [("FIFO", 1.0, 16), ("greedy", 0.28, 16), ("best of 2", 1.0, 16),
                       ("best of 5", 0.5, 16), ("best of 10", 1.0, 64), ("random", 1.0, 16)],
    "skewed_writes": [("FIFO", 0.2, 0.07, 16), ("greedy", 0.2, 0.28, 16),
                      ("best of 10", 0.05, 0.28, 16)],
    "trimmed_writes": [("greedy", 0.2, 0.28, 64)],
    "settling": [("FIFO", 0.05, 64), ("best of 10", 0.1, 1024)],
    "settling_scale": [("FIFO", 0.0737, 256, 1_000_000)],
    "skewed_turn": [("90/10", 0.18, "in order", "fifo", "single", 64)],
    "skewed_greedy": [("JESD219", 0.28, "spread", "greedy", "gc", 1024)],
    "skewed_ages": [("6 choices", 0.2)],
    "skewed_loads": [("age 0.5", 0.2, "rest 0.9"), ("6 choices", 0.2, "Zipf 1")],
    "placements": [("FIFO", "uniform", 0.07), ("windowed", "80/20", 0.15),
                   ("best of 10", "95/5", 0.28), ("foreseen", "95/5", 0.5),
                   ("known, greedy", "Zipf", 0.5)],
    "ranges": [("superblocks of 0.25 GiB", 2), ("5 GiB less flash", 1), ("5 GiB more flash", 1),
               ("second half trimmed", 2), ("second half trimmed when due", 1),
               ("FIFO, empty first", 4), ("frontier per range", 4)],
    "ranges_sizes": [("superblocks of 1.8 GiB", 4096, 894.253)],
    "ranges_sister": [("base", 1)],
    "wear_out": [("half at rest", 0.2)],
    "wear_scale": [(100, 256)],
    "times": [(M600,), (MX300,), ("s3700-200gb",)],
    "closed_forms": [("m600-128gb", "sequential read"), ("bx200-960gb", "cache write"),
                     ("mx500-2000gb", "folding write"), ("mx300-1050gb", "random read"),
                     ("5210-1920gb", "random read, depth 1"), ("pm863-1920gb", "sequential write"),
                     ("bx100-120gb", "random write, steady"), ("990-evo-2000gb", "direct write"),
                     ("p3-4000gb", "random write, fresh"), ("bx100-120gb", "cache write")],
    "ratings": [("m600-128gb", "sequential read"), ("p400m-100gb", "random write, fresh")],
    "scaling": [("m500dc-480gb", "random write, steady", 1 / 16)],
    "desktop_depths": [("mx200-500gb", "sequential_write", 8)],
    "mixes": [("mx200-500gb", "random", 0.4)],
    "bands": [("m500dc-480gb", 15)],
    "client_tests": [("m600-128gb", "sequential write, full"),
                     ("mx100-128gb", "random write at depth 32, full")],
    "transfers": [(M600, "write", 0.5), (MX300, "read", 64.0)],
    "cache_sweeps": [("m600-128gb", "as modelled")],
    "cache_rules": [("m600-128gb", "no cache"), ("m600-128gb", "45 % of the cells"),
                    ("m600-128gb", "folded to half"), (M600, "folded to a tenth")],
    "cache_trim": [("as modelled", 2.0), ("no cache", 0.25)],
    "cache_bursts": [("m600-128gb", 0.0, 0.0), ("840-evo-250gb", 0.2, 60.0), (M600, 0.4, 3600.0)],
    "cache_spans": [(MX300, "sequential write, empty", "no cache"),
                    (MX300, "sequential write, full", "45 % of the cells")],
    "layers": [("pages in place", True, False, 0.07),
               ("records of 128 KiB copied", True, False, 0.07),
               ("levelled, files of 1", False, True, 0.28),
               ("levelled, files of 1/4", True, False, 0.07),
               ("tiered, files of 1/4", True, False, 0.07)],
    "engines_lmdb": [(16, 200, 10)],
    "map_cache": [(0.8, 1 / 8, 0.28, 1024, 64, 0.5)],
    "map_cache_limits": [(0.8, 1 / 8, 1024, 64, "in order", 512)],
    "map_cache_spans": [(1 / 8, 1024), (1 / 4, 0), (1 / 64, 64)],
    "handles": [(0.07, "greedy", "single", 0.0), (0.28, "greedy", "persistently", 0.5)],
    "handles_log": [(0.04, 0.15, "initially"), (0.4, 0.28, "persistently")],
    "handles_objects": [(230, 0.14, "single"), (220, 0.12, "initially")],
    "handles_units": [(0.15, 16, 1), (0.28, 48, 4), (0.07, 24, 8)],
    "handles_alignment": [(2.0, 0.5, 0.28, "persistently"), (2.5, 0.0, 0.28, "initially")],
}  # fmt: skip
SHORT = {"ranges", "ranges_sizes"}  # two draws, of which the first is kept by itself
# of those whose points take long, a part at a reduced scale
REDUCED = ("queue_depths", "consistency", "one_terabyte", "power_cuts", "engines_sqlite")
GROWING = {  # with the run
    "steadiness", "at_rest_none", "hit_none", "commits", "asked_bytes", "log_bytes", "file_bytes",
    "log_pages", "written_pages", "checkpoints", "log_syncs", "file_syncs", "log_blocks",
    "file_blocks",
}  # fmt: skip


OF_TABLES = {  # which are stale when tables that they do not name as a drive have changed
    "cache_trim", "groups", "mechanisms", "new_capacities", "new_lines", "new_lines_priors",
    "power_cuts", "power_cuts_cached", "price_bootstrap",
}  # fmt: skip


def same(found, kept, where):
    """Hold a text, a number or a series against what is kept, NaN by NaN."""
    if isinstance(found, str):
        assert found == ("" if pd.isna(kept) else kept), where
    else:
        found, kept = np.asarray(found, float), np.asarray(kept, float)
        np.testing.assert_allclose(found, kept, rtol=6e-6, atol=1e-12, err_msg=where)


@pytest.mark.parametrize("name", STUDIES)
def test_points_seeds_and_tolerances_are_those_of_the_kept_table(name):
    study, kept = STUDIES[name], kept_result(name)
    points = sweep(lambda **_: {"nothing": 0}, study.grid, seed=study.seed, n_jobs=1)
    points = points.drop(columns="nothing")
    pd.testing.assert_frame_equal(kept.table[list(points)], points, check_dtype=False)
    assert kept.about["tolerance"] == study.tolerance
    rerun = {**study.grid, **study.reduced}
    assert study.reduced.keys() <= study.grid.keys()
    for key, values in rerun.items():
        assert key not in study.keys or set(values) <= set(study.grid[key])
        assert key in study.keys or (len(study.grid[key]) == 1 and values[0] <= study.grid[key][0])
    assert (study.reads is not None) == ("drive" in study.grid or name in OF_TABLES)
    if drives := study.grid.get("drive"):
        read = str(study.reads(study.grid))
        assert all(repr(drive) in read for drive in drives)


@pytest.mark.parametrize("name", POINTS)
def test_some_points_come_out_as_they_are_kept(name):
    study, kept = STUDIES[name], kept_result(name)
    keys = list(study.keys)
    for values in POINTS[name]:
        for package in ("lmdb",) if name.startswith("engines_") else ():
            pytest.importorskip(package)
        (row,) = kept.table[(kept.table[keys] == list(values)).all(axis=1)].to_dict("records")
        point = {key: row[key] for key in [*study.grid, *(["seed"] if "seed" in row else [])]}
        short = {"draws": 2} if name in SHORT else {}
        found = study.function(**point | short)
        for figure in ["one"] if short else found:
            told = row.get(figure)
            if isinstance(found[figure], np.ndarray):
                told = kept.series[figure][(kept.series[keys] == list(values)).all(axis=1)]
            same(found[figure], told, f"{figure} at {values}")


@pytest.mark.parametrize("name", REDUCED)
def test_a_point_at_a_reduced_scale_comes_near_what_is_kept(name):
    study, kept = STUDIES[name], kept_result(name)
    if name.startswith("engines_"):
        pytest.importorskip("apsw")
    points = {key: values[-1:] for key, values in {**study.grid, **study.reduced}.items()}
    rerun = sweep(study.function, points, seed=study.seed, n_jobs=1)
    study.verify(kept, rerun)
    both = rerun.merge(kept.table, on=list(study.keys), suffixes=("", "_kept"))
    for figure in set(rerun) - {*study.grid, "seed", *GROWING}:
        if pd.api.types.is_numeric_dtype(both[figure]) and f"{figure}_kept" in both:
            close = pytest.approx(both[f"{figure}_kept"].item(), rel=0.5, nan_ok=True)
            assert both[figure].item() == close, figure
