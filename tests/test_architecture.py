"""What the guides of the house name is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("guide", ["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md"])
def test_every_path_that_a_guide_names_is_there(guide):
    text = (ROOT / guide).read_text("utf-8")
    models = ROOT / "models"
    known = [ROOT, models, models / "flashwear", models / "flashwear_book" / "runs"]
    named = {path for path in re.findall(r"`([\w./-]+(?:/|\.\w{2,4}))`", text) if "/" in path}
    assert named
    missing = [path for path in named if not any((folder / path).exists() for folder in known)]
    assert not missing
