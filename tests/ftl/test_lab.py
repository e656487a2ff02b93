"""The lab for courses: a solution passes, a skeleton does not, and each fault fails in its step."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LAB = ROOT / "book" / "reference" / "lab"
CHAPTER = (ROOT / "book" / "chapters" / "ftl.md").read_text(encoding="utf-8")
FORTY_LINES = re.search(r"^class Drive:.*?(?=^```)", CHAPTER, re.DOTALL | re.MULTILINE)[0]
SOLUTION = (Path(__file__).parent / "lab_solution.py").read_text(encoding="utf-8")
TESTS = LAB / "test_ftl_lab.py"


def graded(folder, solution=SOLUTION, forty_lines=FORTY_LINES, *options):
    """Run the tests of the lab as students do; give what pytest says."""
    (folder / "forty_lines.py").write_text(f"from collections import deque\n\n{forty_lines}")
    (folder / "ftl_lab.py").write_text(solution)
    (folder / TESTS.name).write_bytes(TESTS.read_bytes())
    command = [sys.executable, "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider", *options]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300).stdout


def outcomes(said, outcome):
    """Give the steps of the tests that came out so, one for each test."""
    return re.findall(rf"^{outcome} test_ftl_lab\.py::test_step_(\d)", said, re.MULTILINE)


@pytest.mark.parametrize(("solution", "all_of_it", "none"), [
    (SOLUTION, "PASSED", "FAILED"),
    ((LAB / "ftl_lab.py").read_text(encoding="utf-8"), "FAILED", "PASSED"),
], ids=["solution", "skeleton"])  # fmt: skip
def test_the_chapter_and_a_solution_pass_each_step_and_the_skeleton_none(
    tmp_path, solution, all_of_it, none
):
    said = graded(tmp_path, solution)
    assert set(outcomes(said, all_of_it)) == {"1", "2", "3", "4", "5"}, said
    assert not outcomes(said, f"(?:{none}|ERROR|SKIPPED)"), said


def test_no_step_needs_the_library():
    loaded = re.findall(r"^\s*(?:from|import) (\w+)", TESTS.read_text("utf-8"), re.M)
    assert set(loaded) - sys.stdlib_module_names == {"ftl_lab", "numpy", "pytest"}


FAULTS = {  # what is written instead of what, and the step that must find it
    "overwrites": ("slot = self.open * self.pages + self.used",
                   "slot = self.slot_of[page]\n        if slot < 0:\n"
                   "            slot = self.open * self.pages + self.used", 1),
    "no label": ("self.slot_of[page], self.page_in[slot] = slot, page",
                 "self.slot_of[page] = slot", 1),
    "page lost on copy": ("                self.program(page)\n", "", 2),
    "stale pages copied": ("if self.slot_of[page] == slot:", "if True:", 2),
    "no block in reserve": ("while not self.free:", "while False:", 2),
    "copies not counted": ("                self.copies += 1\n", "", 2),
    "of equal blocks the newest": ("min(self.full, key", "min(reversed(self.full), key", 2),
    "TRIM forgets the map": ("        self.slot_of[page] = -1", "        pass", 3),
    "FIFO is greedy": ('if self.policy == "greedy":', "if True:", 4),
    "amplification with all copies": ("before = drive.copies", "before = 0", 4),
    "hot and cold in one block": ("if self.is_hot[page] != self.turned:", "if False:", 5),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found_in_its_step(fault, tmp_path):
    old, new, step = FAULTS[fault]
    assert (SOLUTION + FORTY_LINES).count(old) == 1
    said = graded(tmp_path, SOLUTION.replace(old, new), FORTY_LINES.replace(old, new), "-x")
    assert outcomes(said, "FAILED") == [str(step)], said
