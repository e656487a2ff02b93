"""What does not fit into memory is refused before any of it is taken."""

import pytest

from flashwear import _memory
from flashwear.cli import main
from flashwear.ftl import State, simulate


def test_what_needs_more_memory_than_there_is_is_refused_before_any_is_taken(monkeypatch):
    assert _memory.available() > 10e6
    monkeypatch.setattr(_memory, "available", lambda: 2e9)
    _memory.check("a thing", 2e9)
    with pytest.raises(MemoryError, match=r"^a thing must .*: that takes 3 GB, and there are 2 GB"):
        _memory.check("a thing", 3e9)
    monkeypatch.setattr(_memory, "available", lambda: 8e9)
    monkeypatch.setattr("flashwear.ftl.arrays.np.full", lambda *_, **__: pytest.fail("an array"))
    with pytest.raises(MemoryError, match=r"^a drive of 1,073,741,824 user pages in 8,975,810 bl"):
        simulate(2**30, 0.07, fill="none")


def test_a_command_says_in_a_line_that_memory_is_short(monkeypatch, capsys, tmp_path):
    log = tmp_path / "disk.iolog"
    log.write_text("fio version 2 iolog\nsda write 0 4096\n" * 9, encoding="utf-8")
    monkeypatch.setattr("flashwear.traces._tracefile._PIECE", 1)
    monkeypatch.setattr(_memory, "available", lambda: 1.0)
    assert main(["replay", "--op", "0.5", str(log)]) == 3
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("flashwear: a trace of 1 requests or more must fit into memory")


@pytest.mark.parametrize(
    ("user_pages", "pages_per_block"), [(1_000_000, 2), (1_000_000, 600), (3_000_000, 4_096)]
)
def test_a_drive_asks_for_the_memory_that_its_arrays_then_take(
    monkeypatch, user_pages, pages_per_block
):
    asked = []
    monkeypatch.setattr(_memory, "check", lambda what, needed: asked.append(needed))
    state = State(user_pages, 0.1, pages_per_block=pages_per_block)
    taken = sum(array.nbytes for array in state.arrays)
    assert asked == [pytest.approx(taken, rel=0.02)]  # of 1,000,000 pages: 17 kB of a trail, 2 %
