"""Links of the built book: inside, they lead somewhere; from outside, nothing is loaded."""

import functools
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from bs4 import BeautifulSoup
from built import HTML

MAX_BYTES = 600_000  # of a page
MAX_SITE_BYTES = 33_000_000  # without the engine, which is loaded on demand, and the editions
MAX_ENGINE_BYTES = 9_000_000
LOADING = {
    "script": "src",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "audio": "src",
    "embed": "src",
    "object": "data",
    "link": "href",
}


@functools.cache
def soup(path: Path) -> BeautifulSoup:
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


@functools.cache
def anchors(path: Path) -> frozenset[str]:
    return frozenset(tag.get("id") or tag["name"] for tag in soup(path).select("[id], a[name]"))


def is_remote(url: str) -> bool:
    return url.startswith("//") or urlsplit(url).scheme not in {"", "data", "blob"}


def broken(path: Path, href: str) -> str | None:
    """Say what is wrong with a link on a page, if anything is."""
    parts = urlsplit(href)
    if is_remote(href):
        good = parts.scheme in {"http", "https"} and re.fullmatch(r"[\w.-]+\.\w+", parts.netloc)
        return None if good and not re.search(r"\s", href) else "not a valid address"
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if not target.is_file():
        return "no such file"
    fragment = unquote(parts.fragment)
    if fragment and target.suffix == ".html" and fragment not in anchors(target):
        return "no such anchor"
    return None


def test_links(html_file):
    path = HTML / html_file
    links = [tag["href"] for tag in soup(path).select("a[href], area[href]")]
    refresh = soup(path).select('meta[http-equiv="Refresh" i]')
    links += [tag["content"].partition("url=")[2] for tag in refresh]
    bad = {href: reason for href in links if (reason := broken(path, href))}
    assert not bad


def test_nothing_is_loaded_from_outside(html_file):
    path = HTML / html_file
    loaded = [
        tag[attribute]
        for name, attribute in LOADING.items()
        for tag in soup(path).find_all(name)
        if tag.get(attribute) and "canonical" not in tag.get("rel", [])
    ]
    assert not [url for url in loaded if is_remote(url)]
    missing = [url for url in loaded if not url.startswith("data:") and broken(path, url)]
    assert not missing


def test_style_sheets_load_nothing_from_outside(html):
    remote = re.compile(r"(url\(|@import)\s*[\"']?(https?:)?//", re.IGNORECASE)
    sheets = list(html.rglob("*.css"))
    assert sheets
    assert not [sheet for sheet in sheets if remote.search(sheet.read_text(encoding="utf-8"))]


def test_page_weight(html_file):
    assert (HTML / html_file).stat().st_size < MAX_BYTES


def test_site_weight(html):
    engine = (html / "_static" / "my-drive-engine.js").stat().st_size
    assert engine < MAX_ENGINE_BYTES
    editions = sum(path.stat().st_size for path in html.glob("flash-wear.*"))
    whole = sum(path.stat().st_size for path in html.rglob("*") if path.is_file())
    assert whole - engine - editions < MAX_SITE_BYTES
