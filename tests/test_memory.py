"""What does not fit into memory is refused before any of it is taken."""

import pytest

from flashwear import _memory
from flashwear.cli import main


def test_what_needs_more_than_there_is_is_refused_with_both_figures(monkeypatch):
    monkeypatch.setattr(_memory, "available", lambda: 2e9)
    _memory.check("a thing", 2e9)
    with pytest.raises(MemoryError, match=r"^a thing must .*: that takes 3 GB, and there are 2 GB"):
        _memory.check("a thing", 3e9)


def test_something_is_available():
    assert _memory.available() > 10e6


def test_a_command_says_in_a_line_that_memory_is_short(monkeypatch, capsys, tmp_path):
    log = tmp_path / "disk.iolog"
    log.write_text("fio version 2 iolog\nsda write 0 4096\n" * 9, encoding="utf-8")
    monkeypatch.setattr("flashwear.traces._tracefile._PIECE", 1)
    monkeypatch.setattr(_memory, "available", lambda: 1.0)
    assert main(["replay", "--op", "0.5", str(log)]) == 3
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("flashwear: a trace of 1 requests or more must fit into memory")
