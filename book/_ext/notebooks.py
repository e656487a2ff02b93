"""Notebooks of the book as they are read."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

import nbformat
from myst_nb.core.read import create_nb_reader
from sphinx.environment import BuildEnvironment


@dataclass(frozen=True)
class Source:
    """A notebook as it is read."""

    name: str
    path: Path
    notebook: nbformat.NotebookNode

    @property
    def is_offered(self) -> bool:
        """Whether readers may download it: it must then run in an empty folder."""
        return any("{nb-download}" in cell.source for cell in self.notebook.cells)


def read(env: BuildEnvironment, name: str) -> Source | None:
    """Read a page; None if it is no notebook."""
    path = Path(env.doc2path(name))
    text = path.read_text(encoding="utf-8")
    reader = create_nb_reader(str(path), env.myst_config, env.mystnb_config, text)
    if reader is None:
        return None
    notebook = reader.read(text)
    for place, cell in enumerate(notebook.cells):  # else the ids are others each time
        cell.id = hashlib.sha256(f"{place} {cell.source}".encode()).hexdigest()[:8]
    if not any(cell.cell_type == "code" for cell in notebook.cells):
        return None
    return Source(name, path, notebook)
