"""Settings of the whole suite."""

import os

import pytest
from hypothesis import settings

from proving import fewer

collect_ignore = ["ftl/lab_solution.py"]  # it imports what test_lab.py cuts out of the chapter

# the same examples in every run, and no time limit for one: a busy machine is not a failure
settings.register_profile("flashwear", deadline=None, derandomize=True, max_examples=fewer(100))
settings.load_profile("flashwear")

# one process a core: threads of BLAS wait for each other, and a fit took six times as long
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


@pytest.fixture
def write(tmp_path):
    def write(text):
        path = tmp_path / "drives.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write
