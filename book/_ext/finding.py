"""What the search page says beside titles, and which pages come first: from disk, too.

Sphinx fetches the text of each page that it found, which a browser refuses on file://. So the first
sentences of each page go into a script, with what ``book/search.toml`` says readers ask.
"""

import json
import tomllib
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from fresh_install import ROOT

ASKED = ROOT / "book" / "search.toml"
SCRIPT = "search-texts.js"
_LEAST, _MOST = 60, 240  # characters


def note(app: Sphinx, doctree: nodes.document) -> None:
    """Keep the first sentences of a page: those of its box *In short*, if it has one."""
    boxes = list(doctree.findall(nodes.admonition))
    paragraphs = [p for box in boxes[:1] for p in box.findall(nodes.paragraph)]
    paragraphs += list(doctree.findall(nodes.paragraph))
    texts = (" ".join(paragraph.astext().split()) for paragraph in paragraphs)
    text = next((text for text in texts if len(text) >= _LEAST), "")
    kept(app.env)[app.env.docname] = shortened(text)


def shortened(text: str) -> str:
    """Return as many whole words as fit.

    >>> shortened("word " * 100)[-9:]
    'word word…'
    """
    if len(text) <= _MOST:
        return text
    return text[:_MOST].rpartition(" ")[0] + "…"


def kept(env: BuildEnvironment) -> dict[str, str]:
    """Return the first sentences by page."""
    if not hasattr(env, "first_sentences"):
        env.first_sentences = {}
    return env.first_sentences


def asked(pages: set[str]) -> list[tuple[str, str]]:
    """Return pairs of a phrase and a page; refuse a page that the book does not have."""
    table = tomllib.loads(ASKED.read_text(encoding="utf-8"))
    if missing := set(table) - pages:
        raise ValueError(f"{ASKED.name} must name pages of the book, got {sorted(missing)}")
    return [(phrase, page) for page, phrases in table.items() for phrase in phrases]


def write(app: Sphinx, exception: Exception | None) -> None:
    """Write the script beside the built pages."""
    if exception is not None:
        return
    titles = {page: title.astext() for page, title in app.env.titles.items()}
    known = {"texts": kept(app.env), "titles": titles, "asked": asked(set(titles))}
    text = f"window.flashwearSearch = {json.dumps(known, ensure_ascii=False)};\n"
    (Path(app.outdir) / "_static" / SCRIPT).write_text(text, encoding="utf-8")


def forget(app: Sphinx, env: BuildEnvironment, page: str) -> None:
    """Drop a page that is read again."""
    kept(env).pop(page, None)


def merge(app: Sphinx, env: BuildEnvironment, pages: list[str], other: BuildEnvironment) -> None:
    """Take over what another process kept."""
    kept(env).update({page: kept(other)[page] for page in pages if page in kept(other)})


def setup(app: Sphinx) -> dict[str, bool | int]:
    """Register with Sphinx."""
    app.connect("doctree-read", note)
    app.connect("env-purge-doc", forget)
    app.connect("env-merge-info", merge)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "env_version": 1}
