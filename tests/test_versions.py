"""The Pythons and packages that `make versions` tries."""

import subprocess
from types import SimpleNamespace

import pytest

import versions


def test_every_python_of_the_classifiers_has_a_case_and_the_oldest_and_newest_packages_one():
    assert versions.named()[0] == versions.PROJECT["requires-python"].removeprefix(">=")
    assert versions.named() == [f"3.{minor}" for minor in range(11, 11 + len(versions.named()))]
    found = [case.name for case in versions.cases(["3.11", "3.12", "3.13"])]
    assert found == ["3.11-pinned", "3.12-pinned", "3.13-pinned", "3.11-lowest", "3.13-newest"]
    assert list(versions.cases([])) == []


@pytest.mark.parametrize("packages", ["pinned", "lowest", "newest"])
def test_a_case_installs_its_packages_and_then_runs_the_tests(packages, tmp_path):
    case = versions.Case("name", "3.11", packages)
    words = [" ".join(command) for command in versions.commands(case, "/python", tmp_path)]
    assert words[0].startswith(f"{versions.UV} venv")
    assert ("-r requirements.txt" in words[1]) is (packages == "pinned")
    assert any("--resolution lowest-direct" in line for line in words) is (packages == "lowest")
    assert words[-1].startswith(f"{tmp_path}/bin/python -m pytest ")


def test_a_case_that_fails_is_told_with_its_log_and_the_others_are_tried(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(versions, "FOLDER", tmp_path)
    monkeypatch.setattr(
        versions, "path_of", lambda python: None if python == "3.12" else f"/bin/{python}"
    )

    def done(command, stdout, **_):
        print("3 passed", file=stdout, flush=True)
        return SimpleNamespace(returncode=int(str(tmp_path / "3.13-pinned") in str(command[0])))

    monkeypatch.setattr(subprocess, "run", done)
    assert versions.main([]) == 1
    missing, first, second, *rest = capsys.readouterr().out.splitlines()
    assert missing == "3.12: not on this machine, not tried"
    assert first.startswith("3.11-pinned    ... 3 passed (")
    assert second.startswith(f"3.13-pinned    ... FAILED at ruff, see {tmp_path}")
    assert len(rest) == 2
    assert versions.main(["2.7-pinned"]) == 2
    assert "CASE must be of 3.11-pinned, 3.13-pinned" in capsys.readouterr().err
