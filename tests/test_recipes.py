"""The recipes of "In your own code": each alone, short, and without a warning."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[1] / "book" / "reference" / "your-own-code.md"
RECIPES = dict(
    re.findall(
        r"^## (.+?)\n.*?^```\{code-cell\} ipython3\n(.*?)^```",
        PAGE.read_text("utf-8"),
        re.DOTALL | re.MULTILINE,
    )
)


def test_there_are_fourteen_or_more():
    assert len(RECIPES) >= 14


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_is_short_and_runs_alone(name, tmp_path):
    code = RECIPES[name]
    assert len([line for line in code.splitlines() if line.strip()]) < 20
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
