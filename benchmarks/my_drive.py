"""Ask the page *My drive* and the command about the same reports, and compare.

``python benchmarks/my_drive.py REPORTS [-n COUNT]`` draws reports from a collection (a folder, or
an archive as `tarfile` reads it), opens the built page in Chromium without a network, and compares
status, answer and errors of each, word for word. It prints the time to start, the time of a report
and what differs.
"""

import argparse
import contextlib
import io
import random
import shutil
import sys
import tarfile
import time
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import sync_playwright

from flashwear.cli import main as command

PAGE = Path(__file__).parents[1] / "build" / "_build" / "html" / "my-drive.html"
LOAD = """async (address) => {
    const script = document.createElement("script");
    script.src = address;
    await new Promise((done) => { script.onload = done; document.head.append(script); });
    window.judge = await window.flashwearEngine();
}"""
JUDGE = "(bytes) => window.judge(new Uint8Array(bytes))"


def reports(place: Path) -> Iterator[bytes]:
    """Yield the files of a collection."""
    if place.is_dir():
        yield from (path.read_bytes() for path in sorted(place.rglob("*")) if path.is_file())
        return
    with tarfile.open(place) as archive:
        for member in archive:
            if member.isfile() and (file := archive.extractfile(member)):
                yield file.read()


def drawn(place: Path, count: int) -> list[bytes]:
    """Return some reports, each as likely as any other, in one pass."""
    rng, kept = random.Random(0), []
    for index, report in enumerate(reports(place)):
        if index < count:
            kept.append(report)
        elif (at := rng.randrange(index + 1)) < count:
            kept[at] = report
    return kept


def told(report: bytes) -> list[object]:
    """Return what the command says: exit status, standard output and errors."""
    out, err, stdin = io.StringIO(), io.StringIO(), sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(report))
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = command(["smart", "-"])
    finally:
        sys.stdin = stdin
    return [status, out.getvalue(), err.getvalue()]


def main() -> int:
    """Compare and print; return 1 if an answer differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("reports", type=Path, help="a folder or an archive")
    parser.add_argument("-n", type=int, default=1024, help="how many of them (%(default)s)")
    options = parser.parse_args()
    chosen = drawn(options.reports, options.n)
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium)
        page = browser.new_context(offline=True).new_page()
        page.goto(PAGE.as_uri())
        start = time.perf_counter()
        page.evaluate(LOAD, f"{PAGE.parent.as_uri()}/_static/my-drive-engine.js")
        ready = time.perf_counter()
        answers = [page.evaluate(JUDGE, list(report)) for report in chosen]
        done = time.perf_counter()
        browser.close()
    apart = [at for at, report in enumerate(chosen) if answers[at] != told(report)]
    each = 1e3 * (done - ready) / len(chosen)
    print(f"start {ready - start:.1f} s, {each:.0f} ms a report with its way there")
    print(f"{len(chosen) - len(apart)} of {len(chosen)} reports get the same answer, word for word")
    for at in apart[:3]:
        print(answers[at], told(chosen[at]), sep="\n")
    return 1 if apart else 0


if __name__ == "__main__":
    sys.exit(main())
