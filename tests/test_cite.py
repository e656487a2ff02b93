"""How the library and the sources of its equations are cited."""

import re

import pytest
from pybtex.database import parse_string

import flashwear
from flashwear import cite, wa
from flashwear.cli import main
from test_types import public


def test_every_public_part_gives_the_entries_that_its_docstring_cites():
    named = public()  # keys do not tell Fit from fit
    parts = {n.lower(): one for n, one in named if one.__module__.startswith("flashwear.")}.values()

    found = parse_string(cite.bibtex(*parts), "bibtex").entries
    cited = "".join(one.__doc__ or "" for one in parts)
    keys = {key for keys in re.findall(r":cite:\w+:`([^`]+)`", cited) for key in keys.split(",")}
    assert len(keys) > 20
    assert keys == {key for key in found if not key.startswith("flashwear")}
    assert found["flashwear"].fields["version"] == flashwear.__version__
    assert all(entry.fields["title"] for entry in found.values())


def test_a_part_has_the_name_by_which_it_is_reached(capsys):
    entries = parse_string(cite.bibtex(wa.fifo_mixed, flashwear.wa), "bibtex").entries
    assert list(entries)[:2] == ["flashwear", "flashwear-wa-fifo_mixed"]
    assert "flashwear-wa" in entries
    assert main(["--cite"]) == 0
    assert capsys.readouterr().out == cite.bibtex() + "\n"
    assert main(["--cite", "wa.greedy", "flashwear.wa"]) == 0
    assert capsys.readouterr().out == cite.bibtex(wa.greedy, flashwear.wa) + "\n"
    for name in ("greed", "wa.", "__doc__", "wa.greedy.x", "units.GB"):
        assert main(["--cite", name]) == 3
        assert "--cite" in capsys.readouterr().err


@pytest.mark.parametrize("other", [3, len, "wa", None, pytest.raises])
def test_what_is_not_of_the_library_is_refused(other):
    with pytest.raises(
        ValueError, match="parts must be functions, classes or modules of flashwear"
    ):
        cite.bibtex(other)
