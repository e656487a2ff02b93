"""HTML that extensions and the theme write wrong, put right: `make prove` validates each page."""

import re
from pathlib import Path

from sphinx.application import Sphinx

# blocks in a summary or a pre, ids twice on a page, styles amid a page, signs no address may have
_SUMMARY = re.compile(r'<p class="((?:collapsed|expanded) admonition-title)">(.*?)</p>', re.DOTALL)
_SAME_ID = re.compile(r' id="(?:exercise|solution)-content"')
_FRAME_STYLE = re.compile(r"<style (?:scoped>.*?|type=\"text/css\">\s*)</style>\s*", re.DOTALL)
_RETURNED = re.compile(
    r'(<dd class="field-(?:odd|even)">)<p>(<(?:ul|p|dl)\b.*?)\n</p>\n(?=</dd>)', re.DOTALL
)  # blocks in a paragraph
_CITED = re.compile(
    r'(<span class="bibtex-citation") id="(\w+)"'
)  # numbered anew in each docstring
_CODE = re.compile(r"<pre>.*</pre>", re.DOTALL)
_DOI = re.compile(r'href="https://doi\.org/[^"]*"')


def mend(app: Sphinx, page: str, template: str, context: dict, doctree: object) -> None:
    """Put the body of a page right."""
    body = _SUMMARY.sub(r'<span class="\1">\2</span>', context.get("body", ""))
    if page.startswith("_modules/"):
        body = _CODE.sub(lambda code: re.sub(r"(</?)div\b", r"\1span", code[0]), body)
    body = _FRAME_STYLE.sub("", _SAME_ID.sub("", body))
    body = body.replace('<table border="1"', "<table")
    body = _RETURNED.sub(r"\1\2\n", body)
    body = _CITED.sub(_Once(), body)
    if page == "_modules/index":
        body = body.replace("</li>\n<ul>", "\n<ul>").replace("</ul><li>", "</ul></li><li>")
    context["body"] = _DOI.sub(
        lambda link: link[0].replace("&lt;", "%3C").replace("&gt;", "%3E"), body
    )


class _Once:
    """Keep an id where it stands first."""

    def __init__(self) -> None:
        self.seen: set[str] = set()

    def __call__(self, found: re.Match[str]) -> str:
        is_new = found[2] not in self.seen
        self.seen.add(found[2])
        return found[0] if is_new else found[1]


def mended_style(style: str) -> str:
    """Return a style sheet of MyST-NB for summaries as `mend` leaves them."""
    return style.replace("summary>p.", "summary>span.")


def write_template(theme: Path, folder: Path) -> None:
    """Write the search field of the theme without an attribute that only Safari knows."""
    file = "components/search-field.html"
    text = (theme / file).read_text(encoding="utf-8")
    target = folder.parent / file  # layouts include it as ../components
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text.replace(' autocorrect="off"', ""), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("html-page-context", mend)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
