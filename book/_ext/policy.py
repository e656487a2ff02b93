"""Give each page a Content-Security-Policy: the browser refuses what the page has no use for.

Scripts, styles, fonts and pictures come from the folder of the book (``file:`` where it is opened
from disk), of inline scripts only those that were built in run, no text is compiled, and nothing
connects, frames or starts a worker. Some things no policy covers: a page may lead to another, let a
name be looked up, or call by WebRTC.
"""

import base64
import hashlib
import html
import re
from pathlib import Path

from sphinx.application import Sphinx

_FIRST = '<meta charset="utf-8" />'
_POLICY = '<meta http-equiv="Content-Security-Policy"'
_OWN = "'self' file:"
_SCRIPT = re.compile(r"<script\b([^>]*)>(.*?)</script>", re.DOTALL)
_ELSEWHERE = re.compile(r"\b(?:src|type)=")  # in its own file, or data
_HANDLER = re.compile(r'<[a-z][^<>]*\son[a-z]+="([^"]*)"')
_ENGINES = ('id="fw-my-drive"', 'id="fw-which"')  # of the pages that compile WebAssembly


def with_policy(page: str) -> str:
    """Return a page with its policy before anything that loads."""
    scripts = {text for told, text in _SCRIPT.findall(page) if not _ELSEWHERE.search(told)}
    handlers = {html.unescape(text) for text in _HANDLER.findall(_SCRIPT.sub("", page))}
    run = [_OWN, *sorted(hashed(text) for text in scripts | handlers)]
    run += ["'unsafe-hashes'"] * bool(handlers)  # else hashes are of scripts alone
    run += ["'wasm-unsafe-eval'"] * any(one in page for one in _ENGINES)
    rules = (
        f"default-src {_OWN}",  # fonts, and the next page, which Firefox fetches beforehand
        f"script-src {' '.join(run)}",
        f"style-src {_OWN} 'unsafe-inline'",
        f"img-src {_OWN} data:",
        *(f"{kind}-src 'none'" for kind in ("connect", "frame", "media", "object", "worker")),
        f"form-action {_OWN}",
        "base-uri 'none'",
    )
    return page.replace(_FIRST, f'{_FIRST}\n    {_POLICY} content="{"; ".join(rules)}" />', 1)


def hashed(text: str) -> str:
    """Return what a policy names an inline script by."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def write_policies(app: Sphinx, exception: Exception | None) -> None:
    """Put its policy into each page that was written."""
    if exception is not None:
        return
    for path in Path(app.outdir).rglob("*.html"):
        page = path.read_text(encoding="utf-8")
        if _FIRST in page and _POLICY not in page:
            path.write_text(with_policy(page), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("build-finished", write_policies)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
