"""The function of each study, run again at one point."""

import pytest

from flashwear.sweeps import sweep
from flashwear_book.runs import STUDIES, kept_result

# half a minute for a point, and two whose function another study has
LONG = {"engines_rocksdb", "new_lines_priors", "power_cuts_cached"}
FIRST = {"engines_drive"}  # whose last point is a minute


@pytest.mark.parametrize("name", [name for name in STUDIES if name not in LONG])
def test_a_point_of_a_study_comes_out_as_it_is_kept(name):
    study = STUDIES[name]
    for package in ("apsw", "lmdb", "rocksdict") if name.startswith("engines_") else ():
        pytest.importorskip(package)
    at = 0 if name in FIRST else -1
    point = {key: [values[at]] for key, values in {**study.grid, **study.reduced}.items()}
    study.verify(kept_result(name), sweep(study.function, point, seed=study.seed, n_jobs=1))
