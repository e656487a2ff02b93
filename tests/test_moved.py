import importlib
import subprocess
import sys

import pytest

from flashwear import _moved


@pytest.mark.parametrize(
    "code",
    [
        "from flashwear.claims import ledger, VERDICTS",
        "from flashwear import claims; claims.verdicts",
        "import flashwear; flashwear.charts.tell",
        "import flashwear.studies; flashwear.studies.STUDIES",
    ],
)
def test_an_old_name_works_and_warns_where_it_is_used(code):
    done = subprocess.run(
        [sys.executable, "-W", "always", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "since version 1.0" in done.stderr


@pytest.mark.parametrize("old", _moved.RENAMED)
def test_a_renamed_function_is_the_new_one(old):
    sys.modules.pop(old, None)
    with pytest.warns(DeprecationWarning, match="goes with the next version"):
        module = importlib.import_module(old)
    for name, place in _moved.RENAMED[old].items():
        home, _, attribute = place.rpartition(".")
        assert getattr(module, name) is getattr(importlib.import_module(home), attribute)


def test_a_name_that_never_was_is_missing():
    with pytest.raises(ModuleNotFoundError, match=r"flashwear\.studios"):
        importlib.import_module("flashwear.studios")
