"""Compare the results of two checkouts of which each has built its book.

``python benchmarks/same_book.py OLD NEW`` compares the kept tables, the verdicts on all claims, and
all that the cells of the pages print: glued values, tables, texts, and charts with their data,
which are not rounded. It names each difference and exits with 1 if there is one.
"""

import argparse
import csv
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from bs4 import BeautifulSoup

SITE = Path("build/_build/html")
SELECTORS = {
    "value": "span.pasted-text",
    "chart": "figure.fw-chart script",
    "table": ".cell_output table",
    "text": ".cell_output pre",
}
VERDICTS = "from flashwear import claims; print(claims.verdicts().to_csv(index=False), end='')"


def kept_tables(checkout: Path) -> dict[str, str]:
    """Return the text of each kept table."""
    folder = checkout / "data" / "results"
    return {f"table {path.stem}": path.read_text("utf-8") for path in folder.glob("*.csv")}


def verdicts(checkout: Path) -> dict[str, str]:
    """Return what comes out of each claim."""
    command = [checkout.resolve() / ".venv" / "bin" / "python", "-c", VERDICTS]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=checkout)
    return {f"verdict {row['id']}": str(row) for row in csv.DictReader(done.stdout.splitlines())}


def printed(checkout: Path) -> Iterator[tuple[str, str]]:
    """Yield what the cells of each page print, its glued values, and its charts with their data."""
    for path in sorted((checkout / SITE).rglob("*.html")):
        if "_static" in path.parts or "_modules" in path.parts:
            continue
        page = path.relative_to(checkout / SITE).with_suffix("").as_posix()
        soup = BeautifulSoup(path.read_text("utf-8"), "html.parser")
        for kind, selector in SELECTORS.items():
            for number, found in enumerate(soup.select(selector)):
                yield f"{page}: {kind} {number + 1}", found.get_text(" ", strip=True)


def contents(checkout: Path) -> dict[str, str]:
    """Return all that is compared, by name."""
    return kept_tables(checkout) | verdicts(checkout) | dict(printed(checkout))


def main() -> int:
    """Compare the two."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    options = parser.parse_args()
    old, new = contents(options.old), contents(options.new)
    different = [name for name in old.keys() | new.keys() if old.get(name) != new.get(name)]
    for name in sorted(different):
        print(name)
        print(f"  old: {old.get(name, '(none)')[:300]!r}")
        print(f"  new: {new.get(name, '(none)')[:300]!r}")
    counts = Counter(name.rpartition(" ")[0].rpartition(" ")[2] for name in old)
    print(f"compared: {', '.join(f'{n} {kind}s' for kind, n in counts.items())}")
    print(f"{len(different)} different")
    return int(bool(different))


if __name__ == "__main__":
    raise SystemExit(main())
