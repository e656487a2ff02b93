"""Where the built book is, and its pages."""

from pathlib import Path

HTML = Path(__file__).resolve().parents[2] / "build" / "_build" / "html"
NOT_BUILT = f"no book in {HTML}: run `make book` first"


def page_names(*needles: str) -> list[str]:
    """Name the built pages whose HTML holds all of the given texts."""
    return [
        path.relative_to(HTML).as_posix()
        for path in sorted(HTML.rglob("*.html"))
        if "_static" not in path.parts
        and all(needle in path.read_text(encoding="utf-8") for needle in needles)
    ]


def prose_pages(*needles: str) -> list[str]:
    """Name the pages that hold all of the texts and are no source code."""
    return [name for name in page_names(*needles) if not name.startswith("_modules")]
