"""What the search page says beside titles, and which pages come first: from disk, too.

Sphinx fetches the text of each page that it found, which a browser refuses on file://. So the prose
of each page goes into a script, with what ``book/search.toml`` says readers ask. The first sentences
of a page are also its description in the head.
"""

import html
import json
import re
import tomllib
from pathlib import Path

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError

from fresh_install import ROOT

ASKED = ROOT / "book" / "search.toml"
SCRIPT = "search-texts.js"
_LEAST, _MOST = 60, 160  # characters of a description
OPENS, CLOSES = "\N{LEFT WHITE SQUARE BRACKET}", "\N{RIGHT WHITE SQUARE BRACKET}"
_REFERENCE = re.compile(rf"{OPENS}([\w-]+){CLOSES}")
_FIRST_ONLY = "reference/api/"  # pages of which the first sentences are kept and no more


def note(app: Sphinx, doctree: nodes.document) -> None:
    """Keep the paragraphs of a page, first those of its box *In short*, if it has one."""
    boxes = [p for box in doctree.findall(nodes.admonition) for p in box.findall(nodes.paragraph)]
    paragraphs = [*boxes[:1], *doctree.findall(nodes.paragraph)]
    texts = [" ".join(text_of(paragraph).split()) for paragraph in paragraphs]
    first = next((number for number, text in enumerate(texts) if len(text) >= _LEAST), 0)
    last = first + 1 if app.env.docname.startswith(_FIRST_ONLY) else None
    kept(app.env)[app.env.docname] = list(dict.fromkeys(texts[first:last]))


def text_of(paragraph: nodes.paragraph) -> str:
    """Return the text of a paragraph; a reference that shows a title stands as its label in brackets.

    What that title is, is known when all pages are read.
    """
    copy = paragraph.deepcopy()
    for reference in list(copy.findall(pending_xref)):
        if reference["reftype"] in ("ref", "numref", "doc") and not reference.get("refexplicit"):
            reference.replace_self(nodes.Text(OPENS + reference["reftarget"] + CLOSES))
    return str(copy.astext())


def with_titles(app: Sphinx, text: str) -> str:
    """Return a text with the titles of what it refers to.

    Numbers of figures are left out: an excerpt needs none.
    """
    labels = app.env.domaindata["std"]["labels"]
    return _REFERENCE.sub(lambda found: labels.get(found[1], ("", "", "this"))[2] or "this", text)


def shortened(text: str) -> str:
    """Return as many whole words as fit.

    >>> shortened("word " * 100)[-9:]
    'word word…'
    """
    if len(text) <= _MOST:
        return text
    return text[:_MOST].rpartition(" ")[0] + "…"


def kept(env: BuildEnvironment) -> dict[str, list[str]]:
    """Return the paragraphs by page."""
    if not hasattr(env, "kept_paragraphs"):
        env.kept_paragraphs = {}
    return env.kept_paragraphs


def asked(pages: set[str]) -> list[tuple[str, str]]:
    """Return pairs of a phrase and a page; refuse a page that the book does not have."""
    table = tomllib.loads(ASKED.read_text(encoding="utf-8"))
    if missing := set(table) - pages:
        raise ExtensionError(f"{ASKED.name} must name pages of the book, got {sorted(missing)}")
    return [(phrase, page) for page, phrases in table.items() for phrase in phrases]


def write(app: Sphinx, exception: Exception | None) -> None:
    """Write the script beside the built pages."""
    if exception is not None:
        return
    titles = {page: title.astext() for page, title in app.env.titles.items()}
    texts = {
        page: with_titles(app, "\n".join(paragraphs)) for page, paragraphs in kept(app.env).items()
    }
    known = {"texts": texts, "titles": titles, "asked": asked(set(titles))}
    text = f"window.flashwearSearch = {json.dumps(known, ensure_ascii=False)};\n"
    (Path(app.outdir) / "_static" / SCRIPT).write_text(text, encoding="utf-8")


def describe(app: Sphinx, page: str, template: str, context: dict, doctree: object) -> None:
    """Say in the head of a page what it is about."""
    if first := kept(app.env).get(page):
        words = html.escape(shortened(with_titles(app, first[0])))
        context["metatags"] = (
            f'{context["metatags"]}<meta name="description" content="{words}" />\n'
        )


def forget(app: Sphinx, env: BuildEnvironment, page: str) -> None:
    """Drop a page that is read again."""
    kept(env).pop(page, None)


def merge(app: Sphinx, env: BuildEnvironment, pages: list[str], other: BuildEnvironment) -> None:
    """Take over what another process kept."""
    kept(env).update({page: kept(other)[page] for page in pages if page in kept(other)})


def setup(app: Sphinx) -> dict[str, bool | int]:
    """Register with Sphinx."""
    app.connect("doctree-read", note)
    app.connect("html-page-context", describe)
    app.connect("env-purge-doc", forget)
    app.connect("env-merge-info", merge)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "env_version": 4}
