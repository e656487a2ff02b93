"""Notebooks as readers take them away: values, citations and references as plain text.

Outside the book nothing resolves its roles and directives. The notebooks that it offers hold what
they would show; all of them, the wheels and the locked requirements make one archive.
"""

import ast
import hashlib
import re
import zipfile
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import nbformat
from pybtex.database import parse_file

from fresh_install import ROOT

_ROLE = re.compile(r"\{([a-z:-]+)\}`([^`]+)`")
_NAMED = re.compile(r"(.+?)\s*<([^<>]+)>", re.DOTALL)
_FENCE = re.compile(
    r"^(`{3,}|:{3,})\{([a-z-]+)\}[ \t]*([^\n]*)\n(.*?)^\1[ \t]*$", re.MULTILINE | re.DOTALL
)
_OPTIONS = re.compile(r"\A(?::[a-z-]+:.*\n)+")
_LABEL = re.compile(r"^:label: *(\S+)$", re.MULTILINE)
_TARGET = re.compile(r"^\([\w-]+\)=(?:\n|\Z)", re.MULTILINE)
_HEADING = re.compile(r"^\(([\w-]+)\)=\n+#+ +(.+)$", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]+)\]\((?:#[\w-]+|[\w./-]+\.md)\)")  # to another place of the book
_RUN = re.compile(r" \*\*Run it:\*\* \{nb-download\}`[^`]*`\.")  # the notebook is there
_LARGE = re.compile(r"\[([^\]\n]*)\]\{\.fw-number\}")
_SPEC = re.compile(r'<script type="application/json">.*?</script>', re.DOTALL)  # beside its picture
_CODE = {"func", "meth", "attr", "class", "mod", "data"}

README = """\
The chapters of Flash Wear as executed notebooks. To run them again (Python 3.11 or newer):

  python3 -m venv lab && lab/bin/pip install -r requirements.txt && lab/bin/jupyter lab notebooks

Each notebook that starts prints "Kernel is running over TCP without encryption": it is harmless, since
the kernel can be reached from this machine only.
"""

TO_RUN = """\
*To run this again: `notebooks.zip` on the page "How to cite, reuse and rerun" holds this notebook,
the packages that it imports and, in `README.txt`, the one command that installs all.*"""


def glued(notebook: nbformat.NotebookNode) -> dict[str, str]:
    """Return the values that the cells of an executed notebook hand to its text."""
    values = {}
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            about = output.get("metadata", {}).get("scrapbook")
            if about is None:
                continue
            value = output.data.get(f"{about.mime_prefix}text/plain")
            if value is not None:
                values[about.name] = str(ast.literal_eval(value)) if value[0] in "'\"" else value
    return values


def as_read(notebook: nbformat.NotebookNode, values: Mapping[str, str]) -> nbformat.NotebookNode:
    """Return a notebook whose text is what the page shows, captions under their charts."""
    made = nbformat.v4.new_notebook(metadata=notebook.metadata)
    made.cells.append(nbformat.v4.new_markdown_cell(TO_RUN, id="to-run"))
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = text(cell.source, values)
            if not cell.source:
                continue
        for output in cell.get("outputs", ()):
            if html := output.get("data", {}).get("text/html"):
                output.data["text/html"] = _SPEC.sub("", html)
        made.cells.append(cell)
        shown = cell.metadata.pop("mystnb", {})
        if caption := shown.get("figure", {}).get("caption"):
            words = nbformat.v4.new_markdown_cell(text(caption, values), id=f"{cell.id}-caption")
            made.cells.append(words)
    return made


def text(source: str, values: Mapping[str, str]) -> str:
    """Return Markdown without what only the book understands.

    Examples
    --------
    >>> text("(a)=\\n# T\\n{glue:text}`n` of {term}`drives <SSD>`", {"n": "3"})
    '# T\\n3 of drives'
    """
    source = _FENCE.sub(_directive, source)
    source = _TARGET.sub("", source)
    source = _RUN.sub("", _LINK.sub(r"\1", source))
    source = _ROLE.sub(lambda role: _role(role[1], role[2], values), source)
    return _LARGE.sub(r"**\1**", source).strip()


def _directive(found: re.Match[str]) -> str:
    _, name, title, body = found.groups()
    label = _LABEL.search(body)
    body = _OPTIONS.sub("", body).strip("\n")
    if name == "math":
        tag = f"\n\\tag{{{label[1]}}}" if label else ""
        return f"$$\n{body}{tag}\n$$"
    if name == "admonition":
        quoted = [f"**{title}**", "", *body.split("\n")]
        return "\n".join(f"> {line}".rstrip() for line in quoted) + "\n"
    if name.endswith("-start"):
        kind = name.removesuffix("-start").capitalize()
        return f"**{kind}**" + (f" ({title})\n" if title and kind == "Exercise" else "\n")
    return "" if name.endswith("-end") else body


def _role(name: str, content: str, values: Mapping[str, str]) -> str:
    named = _NAMED.fullmatch(content)
    shown, target = (named[1], named[2]) if named else (content, content)
    if name == "glue:text":
        if target not in values:
            raise ValueError(f"no cell gives the value {target!r}")
        return values[target]
    if name in ("cite:p", "cite:t"):
        works = [_works()[key.strip()] for key in target.split(",")]
        if name == "cite:p":
            return f"({'; '.join(', '.join(work) for work in works)})"
        return " and ".join(f"{authors} ({year})" for authors, year in works)
    if name == "eq":
        return f"({target})"
    if name == "numref":
        return shown if named else "the chart"
    if name == "ref":
        return shown if named else f"*{_titles().get(target, target)}*"
    if name == "minutes":
        return "some minutes"
    if name in _CODE:
        return f"`{shown.rpartition('.')[2] if shown.startswith('~') else shown}`"
    return shown


@cache
def _titles() -> dict[str, str]:
    """Return the headings of the book by their labels."""
    pages = (path.read_text(encoding="utf-8") for path in (ROOT / "book").rglob("*.md"))
    return {label: title.strip() for page in pages for label, title in _HEADING.findall(page)}


@cache
def _works() -> dict[str, tuple[str, str]]:
    """Return authors and year of each reference."""
    works = {}
    for key, entry in parse_file(ROOT / "book" / "references.bib").entries.items():
        persons = entry.persons.get("author") or entry.persons.get("editor") or []
        names = [" ".join(map(str, person.rich_last_names)) for person in persons]
        many = len(names) > 2
        authors = f"{names[0]} et al." if many else " and ".join(names)
        works[key] = (authors or key, entry.fields.get("year", "n.d."))
    return works


def pack(notebooks: Mapping[str, Path], wheels: Iterable[Path], archive: Path) -> None:
    """Write the notebooks by their names, wheels and the locked requirements into one archive."""
    files = {f"notebooks/{name}": path.read_bytes() for name, path in notebooks.items()}
    locked = (ROOT / "requirements-lab.txt").read_bytes()
    for wheel in wheels:
        files[wheel.name] = wheel.read_bytes()
        digest = hashlib.sha256(files[wheel.name]).hexdigest()  # where one has a hash, all must
        locked += f"./{wheel.name} --hash=sha256:{digest}\n".encode()
    files["requirements.txt"] = locked
    files["README.txt"] = README.encode()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as made:
        for name in sorted(files):
            entry = zipfile.ZipInfo(f"flash-wear/{name}")
            made.writestr(entry, files[name], zipfile.ZIP_DEFLATED, compresslevel=9)
