"""Let ruff read the Python cells of the chapters, each where it stands in its page."""

import subprocess
import sys
from pathlib import Path

from jupytext.myst import myst_to_notebook

BOOK = Path(__file__).resolve().parents[1]


def as_python(page: str) -> str:
    """Return the cells of a page as a module, every line under the number that it has there."""
    notebook = myst_to_notebook(page, add_source_map=True)
    lines = page.splitlines()
    module = [""] * len(lines)
    for cell, start in zip(notebook.cells, notebook.metadata["source_map"], strict=True):
        if cell.cell_type == "code":
            while lines[start].startswith(":"):  # an option, as ":tags: [hide-input]"
                start += 1
            source = cell.source.splitlines()
            end = start + len(source)
            module[start:end] = source
            module[end] = "..."  # so that imports of two cells are not sorted as one block
    return "\n".join(module) + "\n"


def main() -> int:
    """Return 0 if ruff finds nothing in any cell of the book."""
    found = 0
    for path in sorted(BOOK.rglob("*.md")):
        name = path.relative_to(BOOK.parent)
        command = ["ruff", "check", "--quiet", "--extension=md:python", f"--stdin-filename={name}"]
        module = as_python(path.read_text(encoding="utf-8"))
        found |= subprocess.run(
            [sys.executable, "-m", *command, "-"], input=module, text=True, cwd=BOOK.parent
        ).returncode
    return found


if __name__ == "__main__":
    sys.exit(main())
