"""What the guides of the house say is so."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "benchmarks"))
import architecture  # noqa: E402

MADE = "make it again: python benchmarks/architecture.py"


def test_the_picture_is_that_of_the_imports():
    assert architecture.PICTURE.read_text("utf-8") == architecture.drawn(architecture.rooms()), MADE


def test_the_rooms_are_described_as_at_their_doors():
    rows = architecture.rooms()
    assert architecture.TEXT.read_text("utf-8") == architecture.written(rows), MADE
    assert all(architecture.sentence(room) for row in rows for room in row)


@pytest.mark.parametrize("guide", ["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md"])
def test_every_path_that_a_guide_names_is_there(guide):
    text = (ROOT / guide).read_text("utf-8")
    known = [ROOT, ROOT / "models" / "flashwear", ROOT / "models" / "flashwear" / "study" / "runs"]
    named = {path for path in re.findall(r"`([\w./-]+(?:/|\.\w{2,4}))`", text) if "/" in path}
    assert named
    missing = [path for path in named if not any((folder / path).exists() for folder in known)]
    assert not missing
