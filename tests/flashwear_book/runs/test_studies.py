"""The function of each study, run again at one point."""

import numbers

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
OF_LINES = {"new_lines", "new_capacities", "mechanisms", "groups"}  # of one line instead of all


@pytest.mark.parametrize("name", [name for name in STUDIES if name not in LONG])
def test_a_point_of_a_study_comes_out_as_it_is_kept(name):
    study, kept = STUDIES[name], kept_result(name)
    for package in ("apsw", "lmdb", "rocksdict") if name.startswith("engines_") else ():
        pytest.importorskip(package)
    at = 0 if name in FIRST else -1
    point = {key: [values[at]] for key, values in {**study.grid, **study.reduced}.items()}
    rerun = sweep(study.function, point, seed=study.seed, n_jobs=1)
    study.verify(kept, rerun)
    # the others say the same on a smaller drive or in fewer draws; 0.43 at most was seen
    (row,) = kept.table.merge(rerun[list(study.keys)], on=list(study.keys)).to_dict("records")
    for figure, value in rerun.drop(columns=[*study.grid, *OF_SIZE], errors="ignore").items():
        one = value.iloc[0]
        if figure in row and isinstance(one, numbers.Real) and name not in OF_LINES:
            assert one == pytest.approx(row[figure], rel=0.5, nan_ok=True), figure
