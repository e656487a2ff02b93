"""Compare the results of two checkouts of which each has built its book.

``python benchmarks/same_book.py OLD NEW`` compares the kept tables, the verdicts on all claims, and
all that the cells of the pages print: glued values, tables, texts, and charts with their data,
which are not rounded. It names each difference and exits with 1 if there is one.
"""

import argparse
import csv
import subprocess
from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path

from bs4 import BeautifulSoup

SITE = Path("build/_build/html")
SELECTORS = {
    "value": "span.pasted-text",
    "chart": "figure.fw-chart script",
    "table": ".cell_output table",
    "text": ".cell_output pre",
}
VERDICTS = """
try:
    from flashwear_book import claims
except ImportError:  # as it was up to 1.1
    from flashwear.study import claims
print(claims.verdicts().to_csv(index=False), end="")
"""


Contents = dict[str, list[str]]


def kept_tables(checkout: Path) -> Contents:
    """Return the text of each kept table."""
    folder = checkout / "data" / "results"
    return {f"table {path.stem}": [path.read_text("utf-8")] for path in folder.glob("*.csv")}


def verdicts(checkout: Path) -> Contents:
    """Return what comes out of each claim."""
    command = [checkout.resolve() / ".venv" / "bin" / "python", "-c", VERDICTS]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=checkout)
    return {f"verdict {row['id']}": [str(row)] for row in csv.DictReader(done.stdout.splitlines())}


def printed(checkout: Path) -> Contents:
    """Return what the cells of each page print, its glued values, and its charts."""
    found = {}
    for path in sorted((checkout / SITE).rglob("*.html")):
        if "_static" in path.parts or "_modules" in path.parts:
            continue
        page = path.relative_to(checkout / SITE).with_suffix("").as_posix()
        soup = BeautifulSoup(path.read_text("utf-8"), "html.parser")
        for kind, selector in SELECTORS.items():
            found[f"{kind}s of {page}"] = [
                part.get_text(" ", strip=True) for part in soup.select(selector)
            ]
    return found


def contents(checkout: Path) -> Contents:
    """Return all that is compared, by name."""
    return kept_tables(checkout) | verdicts(checkout) | printed(checkout)


def differences(old: list[str], new: list[str]) -> Iterator[tuple[str, str]]:
    """Yield what stands in the one and in the other, where they differ."""
    for what, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if what != "equal":
            yield " | ".join(old[a:b]), " | ".join(new[c:d])


def main() -> int:
    """Compare the two."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    options = parser.parse_args()
    old, new = contents(options.old), contents(options.new)
    count = 0
    for name in sorted(old.keys() | new.keys()):
        for before, after in differences(old.get(name, []), new.get(name, [])):
            count += 1
            print(f"{name}\n  old: {before[:300]!r}\n  new: {after[:300]!r}")
    print(f"{sum(map(len, old.values()))} items compared, {count} differences")
    return int(count > 0)


if __name__ == "__main__":
    raise SystemExit(main())
