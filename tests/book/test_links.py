"""Links of the built book: inside, they lead somewhere; from outside, nothing is loaded."""

import functools
import re
from posixpath import dirname, join, normpath
from urllib.parse import unquote, urlsplit

from built import HTML, page_names, sources, tags

import flashwear

MAX_BYTES = 600_000  # of a page
MAX_SITE_BYTES = 30_000_000  # without the engine, which is loaded on demand, and the editions
MAX_ENGINE_BYTES = 10_000_000
LOADING = {"script": "src", "img": "src", "iframe": "src", "source": "src", "video": "src",
           "audio": "src", "embed": "src", "object": "data", "link": "href"}  # fmt: skip


@functools.cache
def anchors(page: str) -> frozenset[str]:
    ids = {of["id"] for _, of in tags(page) if "id" in of}
    return frozenset(ids | {of["name"] for tag, of in tags(page) if tag == "a" and "name" in of})


def is_remote(url: str) -> bool:
    return url.startswith("//") or urlsplit(url).scheme not in {"", "data", "blob"}


def broken(page: str, href: str) -> str | None:
    parts = urlsplit(href)
    if is_remote(href):
        good = parts.scheme in {"http", "https"} and re.fullmatch(r"[\w.-]+\.\w+", parts.netloc)
        return None if good and not re.search(r"\s", href) else "not a valid address"
    path = unquote(parts.path)
    target = normpath(join(dirname(page), path)) if path else page
    if target not in sources() and not (HTML / target).is_file():
        return "no such file"
    fragment = unquote(parts.fragment)
    if fragment and target in sources() and fragment not in anchors(target):
        return "no such anchor"
    return None


def wrong(page: str, links: list[str]) -> list[str]:
    return [f"{page}: {link}: {reason}" for link in links if (reason := broken(page, link))]


def test_every_link_leads_somewhere():
    bad = []
    for page in sources():
        found = tags(page)
        links = [of["href"] for tag, of in found if tag in {"a", "area"} and "href" in of]
        refresh = [of for _, of in found if of.get("http-equiv", "").lower() == "refresh"]
        links += [of["content"].partition("url=")[2] for of in refresh]
        bad += wrong(page, links)
    assert not bad


def test_nothing_is_loaded_from_outside_and_no_page_is_heavy_nor_is_the_site(html):
    bad = []
    for page in sources():
        loaded = [of[LOADING[tag]] for tag, of in tags(page) if of.get(LOADING.get(tag))
                  and "canonical" not in of.get("rel", "")]  # fmt: skip
        bad += [f"{page}: {url}: remote" for url in loaded if is_remote(url)]
        bad += wrong(page, [url for url in loaded if not url.startswith("data:")])
    assert not bad
    remote = re.compile(r"(url\(|@import)\s*[\"']?(https?:)?//", re.IGNORECASE)
    sheets = list(html.rglob("*.css"))
    assert sheets
    assert not [sheet for sheet in sheets if remote.search(sheet.read_text(encoding="utf-8"))]
    unnamed = {of["href"] for page in sources() for tag, of in tags(page) if tag == "link"
               and of.get("rel") == "stylesheet" and "?" not in of["href"]}  # fmt: skip
    assert not unnamed
    weights = {page: (HTML / page).stat().st_size for page in sources()}
    assert {page: weight for page, weight in weights.items() if weight >= MAX_BYTES} == {}
    engine = (html / "_static" / "my-drive-engine.js").stat().st_size
    assert engine < MAX_ENGINE_BYTES
    made = [*html.glob("flash-wear*.*"), *html.glob("slides/*")]
    editions = sum(path.stat().st_size for path in made)
    whole = sum(path.stat().st_size for path in html.rglob("*") if path.is_file())
    assert whole - engine - editions < MAX_SITE_BYTES


def test_a_page_says_in_its_head_what_it_is_about_and_the_inventory_names_the_book():
    pages = [name for name in sources() if name.startswith(("chapters/", "workshop/", "index"))]
    described = page_names('<meta name="description" content="')
    assert set(pages) <= set(described)
    head = (HTML / "objects.inv").read_bytes().splitlines()[1:3]
    assert head == [b"# Project: Flash Wear", f"# Version: {flashwear.__version__}".encode()]
