"""The recipes of "In your own code": each alone, short, and without a warning."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[1] / "book" / "reference" / "your-own-code.md"
RECIPES = dict(re.findall(r"^## (.+?)\n.*?^```(?:\{code-cell\} i)?python3?\n(.*?)^```",
                          PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE))  # fmt: skip


def test_there_are_fourteen_or_more():
    assert len(RECIPES) >= 14


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_is_short_and_runs_alone(name, tmp_path, monkeypatch, capsys):
    code = RECIPES[name]
    assert len([line for line in code.splitlines() if line.strip()]) < 20
    monkeypatch.chdir(tmp_path)
    exec(compile(code, name, "exec"), {"__name__": "recipe"})
    assert capsys.readouterr().out.strip()
