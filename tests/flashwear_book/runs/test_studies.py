"""The function of each study, run again at one point."""

import numpy as np
import pandas as pd
import pytest

from flashwear.sweeps import sweep
from flashwear_book.runs import STUDIES, kept_result

# half a minute for a point, and two whose function another study has
LONG = {"engines_rocksdb", "new_lines_priors", "power_cuts_cached"}
FIRST = {"engines_drive"}  # whose last point is a minute
# figures that grow with the run, or are errors that shrink with it; the seed of a point
OF_SIZE = {
    "seed", "error", "low", "high", "noise", "off_fifo", "life_sd", "steadiness", "fastest",
    "at_rest_none", "hit_none", "commits", "asked_bytes", "log_bytes", "file_bytes", "log_pages",
    "written_pages",
    "checkpoints", "log_syncs", "file_syncs", "log_blocks", "file_blocks", "written_bytes",
    "meta_bytes", "pages", "drive_writes", "wa_error",
}  # fmt: skip
QUICK = {  # whose reduced grid takes some two seconds at most
    "price_bootstrap", "skewed_writes", "trimmed_writes", "settling", "settling_scale",
    "skewed_measured", "ranges", "ranges_sizes", "ranges_sister", "wear_scale", "closed_forms",
    "ratings", "scaling", "queue_depths", "desktop_depths", "mixes", "consistency", "one_terabyte",
    "client_tests", "transfers", "cache_sweeps", "cache_rules", "cache_trim", "cache_bursts",
    "cache_consistency", "cache_spans", "map_cache_spans", "handles", "handles_log",
    "handles_objects", "handles_units",
}  # fmt: skip
OF_LINES = {"new_lines", "new_capacities", "mechanisms", "groups"}  # of one line instead of all


@pytest.mark.parametrize("name", [name for name in STUDIES if name not in LONG])
def test_points_of_a_study_come_out_as_they_are_kept(name):
    study, kept = STUDIES[name], kept_result(name)
    for package in ("apsw", "lmdb", "rocksdict") if name.startswith("engines_") else ():
        pytest.importorskip(package)
    grid, at = {**study.grid, **study.reduced}, 0 if name in FIRST else -1
    points = grid if name in QUICK else {key: [values[at]] for key, values in grid.items()}
    rerun = sweep(study.function, points, seed=study.seed, n_jobs=1)
    study.verify(kept, rerun)
    # at the last point the others say the same on a smaller drive or in fewer draws
    both = rerun.merge(kept.table, on=list(study.keys), suffixes=("", "_kept")).tail(1)
    for figure in set(rerun) - {*study.grid, *OF_SIZE} if name not in OF_LINES else ():
        if pd.api.types.is_numeric_dtype(both[figure]) and f"{figure}_kept" in both:
            found, expected = both[figure].astype(float), both[f"{figure}_kept"].astype(float)
            np.testing.assert_allclose(found, expected, rtol=0.5, err_msg=figure)
