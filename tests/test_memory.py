"""What does not fit into memory is refused before any of it is taken."""

import subprocess
import sys

import numpy as np
import pytest

from flashwear import _memory, ftl
from flashwear.cli import main
from flashwear.ftl import arrays

LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (4_000_000_000, 4_000_000_000))
from flashwear import ftl
try:
    ftl.simulate(2**30, 0.07, fill="none")
except MemoryError as error:
    print(error)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.parametrize(("blocks", "pages"), [(500, 64), (140_000, 7), (3, 4096)])
def test_the_bytes_that_a_drive_needs_are_those_of_its_arrays(monkeypatch, blocks, pages):
    asked = []
    monkeypatch.setattr(_memory, "check", lambda what, needed: asked.append(needed))
    made = arrays.allocate(blocks * pages // 2, blocks, pages, 2)
    fields = [getattr(made, name) for name in made._fields]
    taken = sum(field.nbytes for field in fields if isinstance(field, np.ndarray))
    few = 8 * (2 * arrays.TRAIL + 1024)  # what no drive has more of
    assert taken - few <= asked[0] <= taken + 2 * blocks


def test_a_drive_too_large_is_refused_before_its_first_array(monkeypatch):
    monkeypatch.setattr(_memory, "available", lambda: 1e6)
    monkeypatch.setattr(np, "full", None)  # nothing is made
    with pytest.raises(MemoryError, match=(
        r"^a drive of 1,000,000 pages of the user, in 10,000 blocks, must fit into memory: that "
        r"takes 0\.0[0-9]* GB, and there are 0\.001 GB$"
    )):  # fmt: skip
        ftl.simulate(1_000_000, 0.28, pages_per_block=128)


@pytest.mark.skipif(sys.platform != "linux", reason="a limit of addresses, as Linux keeps it")
def test_a_limit_of_addresses_counts():
    done = subprocess.run([sys.executable, "-c", LIMITED], capture_output=True, text=True,
                          check=True)  # fmt: skip
    told, peak_kib = done.stdout.splitlines()
    assert told.startswith("a drive of 1,073,741,824 pages of the user, in ")
    assert int(peak_kib) < 1_000_000


def test_something_is_available():
    assert _memory.available() > 10e6


def test_a_command_says_in_a_line_that_memory_is_short(monkeypatch, capsys, tmp_path):
    log = tmp_path / "disk.iolog"
    log.write_text("fio version 2 iolog\n" + "sda write 0 4096000\n" * 9, encoding="utf-8")
    monkeypatch.setattr(_memory, "available", lambda: 1.0)
    assert main(["replay", "--op", "0.5", str(log)]) == 3
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("flashwear: a drive of 1,000 pages of the user")
