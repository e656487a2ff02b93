"""The built book: where it is, its pages, and what stands in them."""

import functools
from html.parser import HTMLParser
from pathlib import Path

HTML = Path(__file__).resolve().parents[2] / "build" / "_build" / "html"
NOT_BUILT = f"no book in {HTML}: run `make book` first"


def script(name: str) -> str:
    """Return a function that pages run, from beside this file."""
    return Path(__file__).with_name(f"{name}.js").read_text(encoding="utf-8")


@functools.cache
def sources() -> dict[str, str]:
    """Return the HTML of each built page by its name."""
    return {path.relative_to(HTML).as_posix(): path.read_text(encoding="utf-8")
            for path in sorted(HTML.rglob("*.html")) if "_static" not in path.parts}  # fmt: skip


def page_names(*needles: str) -> list[str]:
    """Name the built pages whose HTML holds all of the given texts."""
    return [name for name, source in sources().items() if all(text in source for text in needles)]


def prose_pages(*needles: str) -> list[str]:
    """Name the pages that hold all of the texts and are no source code."""
    return [name for name in page_names(*needles) if not name.startswith("_modules")]


def opened_pages() -> list[str]:
    """Name the pages that are opened: of the pages of code one, since they differ in it only."""
    names = page_names("<html")  # all but index.html, which only leads on
    code = [name for name in names if name.startswith("_modules/flashwear")]
    return [name for name in names if name not in code[1:]]


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {name: value or "" for name, value in attrs}))


@functools.cache
def tags(page: str) -> list[tuple[str, dict[str, str]]]:
    parser = _Tags()
    parser.feed(sources()[page])
    return parser.found
