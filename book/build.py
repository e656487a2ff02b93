"""Build the book: check the data, execute what has to be, write the pages, and say what is done."""

import contextlib
import io
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import click
from jupyter_book.cli.main import build
from sphinx.util.console import nocolor

ROOT = Path(__file__).resolve().parents[1]
OPTIONS = ["--config", "_config.yml", "--path-output", "build", "-q", "-W", "-n", "--keep-going"]


def check_data() -> None:
    """End with what is wrong if a table is not as `datapackage.json` describes it."""
    command = [sys.executable, "-m", "frictionless", "validate", "data/datapackage.json"]
    done = subprocess.run(
        [*command, "--limit-errors", "20"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(done.stdout + done.stderr)


def main() -> None:
    """Run the command."""
    start = time.monotonic()
    check_data()
    colours = sys.stderr.isatty() and "NO_COLOR" not in os.environ
    if not colours:
        nocolor()
    said = io.StringIO()  # paths and a farewell; Sphinx itself only warns
    try:
        with contextlib.redirect_stdout(said):
            build.main(["book", *OPTIONS], standalone_mode=False)
    except (click.ClickException, RuntimeError) as error:
        told = f"{said.getvalue()}\n{error}"
        sys.exit(told if colours else re.sub(r"\x1b\[\d*m", "", told))
    minutes, seconds = divmod(round(time.monotonic() - start), 60)
    print(f"The book took {minutes} min {seconds} s.")


if __name__ == "__main__":
    main()
