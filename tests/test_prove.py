"""The parts of `make prove`: each proof in one of them, and what is recorded of it."""

import re
from pathlib import Path

import pytest

import prove

TESTS = Path(__file__).parent
PROOF = re.compile(r"mark\.(proof|hypothesis)\b|^from hypothesis import .*\bgiven\b", re.MULTILINE)


def test_every_proof_is_in_one_part_whose_files_are_there():
    for path in TESTS.rglob("test_*.py"):
        if PROOF.search(path.read_text(encoding="utf-8")):
            tops = [top for part in prove.PARTS.values() for top in part.tests
                    if path.is_relative_to(prove.ROOT / top)]  # fmt: skip
            assert len(tops) == 1, f"{path} is in {tops}"
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
        prove.record(name, digest=digest, version="1.0", passed_on="2026-01-02", tests=3, seconds=4)
    assert [line.split(",")[0] for line in table.read_text().splitlines()] == ["part", "ftl", "wa"]
    assert prove.main(["--status", "wa", "ftl", "smart"]) == 1
    assert [line.split(maxsplit=1)[1] for line in capsys.readouterr().out.splitlines()] == [
        "passed on 2026-01-02, version 1.0, code of today",
        "passed on 2026-01-02, version 1.0, older code",
        "never passed",
    ]
    assert prove.main(["--status", "wa"]) == 0


def test_what_has_not_passed_is_run_and_a_named_part_always(table, monkeypatch, capsys):
    ran = []
    monkeypatch.setattr(prove, "run", lambda name: ran.append(name) or name != "ftl")
    prove.record("wa", digest=prove.PARTS["wa"].digest())
    assert prove.main([]) == 1
    assert set(ran) == prove.PARTS.keys() - {"wa"}
    assert "failed: ftl" in capsys.readouterr().out
    ran.clear()
    assert prove.main(["wa"]) == 0
    assert ran == ["wa"]


@pytest.mark.parametrize(("proven", "old", "status", "said"), [
    ("1.1.1", ["wa"], 0, "12 of 13 parts have passed on the code of today; version 1.1.1 was"),
    ("1.1.0", ["wa"], 1, "version 1.1.1 is newer than 1.1.0, the last that was proven: run make "
     "prove (due: wa)"),
    ("1.1.0", [], 0, "13 of 13 parts have passed on the code of today; version 1.1.1 was proven"),
    ("1.10.0", ["wa"], 0, "version 1.1.1 was proven"),
    (None, [], 1, "newer than 0, the last"),
])  # fmt: skip
def test_a_version_may_be_released_when_all_parts_are_current(
    table, monkeypatch, capsys, proven, old, status, said
):
    monkeypatch.setattr(prove, "__version__", "1.1.1")
    for name in prove.PARTS if proven else ():
        digest = "0" * 16 if name in old else prove.PARTS[name].digest()
        prove.record(name, digest=digest, version=proven)
    assert prove.main(["--release"]) == status
    (line,) = capsys.readouterr().out.splitlines()
    assert said in line


def test_an_unknown_part_is_named_in_a_line(capsys):
    assert prove.main(["walk"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("prove: PART must be of wa, ")
    assert line.endswith("got 'walk'")
