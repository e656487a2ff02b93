"""The parts of `make prove`: each proof in one of them, and what is recorded of it."""

import re
from pathlib import Path

import pytest

import prove

TESTS = Path(__file__).parent
PROOF = re.compile(r"mark\.(proof|hypothesis)\b|^from hypothesis import .*\bgiven\b", re.MULTILINE)


def test_every_proof_is_in_one_part():
    for path in TESTS.rglob("test_*.py"):
        if PROOF.search(path.read_text(encoding="utf-8")):
            tops = [
                top
                for part in prove.PARTS.values()
                for top in part.tests
                if path.is_relative_to(prove.ROOT / top)
            ]
            assert len(tops) == 1, f"{path} is in {tops}"


def test_everything_that_a_part_names_is_there():
    for part in prove.PARTS.values():
        assert all((prove.ROOT / name).exists() for name in part.tests + part.reads)
        assert len(part.digest()) == 16


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.setattr(prove, "TABLE", tmp_path / "proved.csv")
    prove.TABLE.write_text(",".join(prove.COLUMNS) + "\n")
    return prove.TABLE


def test_parts_are_recorded_in_order_and_say_whether_they_are_of_today(table, capsys):
    for name, digest in (("wa", prove.PARTS["wa"].digest()), ("ftl", "0" * 16)):
        prove.record(name, digest=digest, passed_on="2026-01-02", tests=3, seconds=4)
    assert [line.split(",")[0] for line in table.read_text().splitlines()] == ["part", "ftl", "wa"]
    assert prove.main(["--status", "wa", "ftl", "smart"]) == 0
    assert [line.split(maxsplit=1)[1] for line in capsys.readouterr().out.splitlines()] == [
        "passed on 2026-01-02, code of today",
        "passed on 2026-01-02, older code",
        "never passed",
    ]


def test_what_has_not_passed_is_run_and_a_named_part_always(table, monkeypatch, capsys):
    ran = []
    monkeypatch.setattr(prove, "run", lambda name: ran.append(name) or name != "ftl")
    prove.record("wa", digest=prove.PARTS["wa"].digest(), passed_on="", tests=3, seconds=4)
    assert prove.main([]) == 1
    assert set(ran) == prove.PARTS.keys() - {"wa"}
    assert "failed: ftl" in capsys.readouterr().out
    ran.clear()
    assert prove.main(["wa"]) == 0
    assert ran == ["wa"]


def test_an_unknown_part_is_named_in_a_line(capsys):
    assert prove.main(["walk"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("prove: PART must be of wa, ")
    assert line.endswith("got 'walk'")
