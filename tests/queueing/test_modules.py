"""What the package offers by name, and what stays inside its parts."""

import re
from pathlib import Path

import pytest

import flashwear.queueing

FOLDER = Path(flashwear.queueing.__file__).parent
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("model", ["twin", "reference"])
def test_what_is_inside_a_model_is_used_by_it_alone(model):
    inside = re.compile(rf"\b{model}\._\w|\b{model} import .*\b_\w")
    for folder in (FOLDER.parent, ROOT / "benchmarks"):
        for path in folder.rglob("*.py"):
            if FOLDER / model not in path.parents:
                assert not inside.search(path.read_text(encoding="utf-8")), path
