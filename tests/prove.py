"""Run the long proofs, part by part, and record in tests/proved.csv which code each passed on.

Without a name it runs each part that has not passed on the code of today, so that an interrupted
run goes on where it stopped. A part that is named is run in any case. A version is proven when all
parts are current; one that is newer than the last proven one must not be released before.
"""

import argparse
import csv
import datetime
import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from packaging.version import Version

from flashwear import __version__, _digest

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "tests" / "proved.csv"
COLUMNS = ("part", "digest", "version", "passed_on", "tests", "seconds")
EVERYWHERE = ("tests/conftest.py", "tests/proving.py")


class Part(NamedTuple):
    """What a part proves, where its tests are, and what they rest on."""

    proves: str
    tests: tuple[str, ...]
    modules: tuple[str, ...]
    reads: tuple[str, ...] = ()  # other files and folders

    def digest(self) -> str:
        """Return a digest of the modules, tests and files of the part as they are now."""
        found = hashlib.sha256(_digest.digest(self.modules).encode())
        for name in (*EVERYWHERE, *self.tests, *self.reads):
            top = ROOT / name
            for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
                if path.is_file() and "__pycache__" not in path.parts:
                    found.update(f"{path.relative_to(ROOT).as_posix()}\0".encode())
                    found.update(path.read_bytes())
        return found.hexdigest()[:16]


def part(proves: str, tests: str, modules: str, reads: str = "") -> Part:
    return Part(proves, tuple(f"tests/{name}" for name in tests.split()),
                tuple(name if name.startswith("flashwear") else f"flashwear.{name}"
                      for name in modules.split()), tuple(reads.split()))  # fmt: skip


PARTS = {
    "wa": part("formulas of write amplification against sums, digits and draws",
               "wa test_steady.py", "wa steady"),
    "reliability": part(
        "formulas of errors, life, energy and price against draws and exact sums",
        "reliability endurance test_capacity.py test_energy.py test_pricing.py test_units.py",
        "reliability endurance capacity energy pricing units", "data/flash_errors.toml"),
    "workloads": part("loads and traces against plain readers and draws", "workloads traces",
                      "workloads traces", "data/workloads.csv data/traces.csv tests/fio_outputs"),
    "ftl": part("the translation layer against a plain model, step by step", "ftl", "ftl wa"),
    "queueing": part("the twin against its reference, event by event, and against laws of queues",
                     "queueing", "queueing", "data/drives.toml"),
    "predict": part("fits and scores against plain statistics, and the catalogue that they read",
                    "predict test_catalogue.py", "predict drives",
                    "data/drives.toml data/speeds.csv"),
    "smart": part(
        "reports of any text are read or refused, and a test between two says what it can",
        "smart test_bench.py test_drop.py", "smart bench fio cli",
        "data models/flashwear/cli/_fleet_page.css models/flashwear/cli/_fleet_page.js"),
    "history": part(
        "monitoring programs take what we write, and each line of the page for a rack runs",
        "history", "history smart cli",
        "data/alert_rules.yml data/drive.schema.json book/rack.md tests/smart/reports.py"),
    "fio": part(
        "what fio prints today is read and judged as what was recorded", "test_fio.py",
        "fio bench steady",
        "benchmarks/fio_outputs.py tests/fio_outputs tests/test_bench.py tests/test_rounds.py "
        "book/reference/api/fio.md"),
    "field": part(
        "a public collection of reports gives the committed tables, and page and command agree",
        "field", "smart cli flashwear_book.field",
        "data/smart_families.csv data/smart_fits.csv data/smart_rules.csv data/field_models.csv "
        "book/my-drive.md"),
    "studies": part(
        "kept studies come out again at a reduced scale, and claims follow their tables",
        "flashwear_book test_sweeps.py test_cluster.py test_digest.py", "flashwear_book sweeps",
        "tests/checked.py data benchmarks/databases.py benchmarks/databases_innodb.sql "
        "benchmarks/databases_postgres.sql"),
    "package": part(
        "wheel and compiled code in processes of their own", "test_package.py test_compiled.py",
        "flashwear_book",
        "book/_ext/fresh_install.py pyproject.toml models/flashwear_book/pyproject.toml "
        "models/build_hooks.py"),
    "book": part("every page of the built book in a browser, and every command that one prints",
                 "book test_stranger.py", "flashwear_book", "book data")}  # fmt: skip


def recorded() -> dict[str, dict[str, str]]:
    with TABLE.open(encoding="utf-8", newline="") as file:
        return {row["part"]: row for row in csv.DictReader(file)}


def record(name: str, **figures: object) -> None:
    rows = recorded() | {name: {"part": name, **figures}}
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[key] for key in sorted(rows))


def is_current(name: str) -> bool:
    """Say whether a part has passed on the code of today."""
    row = recorded().get(name)
    return row is not None and row["digest"] == PARTS[name].digest()


def state(name: str) -> str:
    """Return in a line when a part last passed, and whether on the code of today."""
    row = recorded().get(name)
    if row is None:
        return "never passed"
    code = "code of today" if is_current(name) else "older code"
    return f"passed on {row['passed_on']}, version {row['version']}, {code}"


def may_be_released() -> int:
    """Say in a line how much of this version is proven; 1 if it is newer than what was proven."""
    rows, old = recorded(), [name for name in PARTS if not is_current(name)]
    versions = [Version(rows[name]["version"]) if name in rows else Version("0") for name in PARTS]
    told = f"{len(PARTS) - len(old)} of {len(PARTS)} parts have passed on the code of today"
    if not old or Version(__version__) <= min(versions):
        print(f"proofs: {told}; version {__version__} was proven")
        return 0
    print(f"proofs: {told}; version {__version__} is newer than {min(versions)}, the last that was "
          f"proven: run make prove (due: {', '.join(old)})")  # fmt: skip
    return 1


def run(name: str) -> bool:
    """Run a part, say how it ended, and return whether it did not fail."""
    chosen = PARTS[name]
    print(f"{name}: {chosen.proves} ...", flush=True)
    digest = chosen.digest()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-m", "proof or hypothesis"]
        command += ["-n", "auto", "--dist", "worksteal", f"--junitxml={report}", *chosen.tests]
        done = subprocess.run(command, cwd=ROOT, env=os.environ | {"FLASHWEAR_PROVE": "1"},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False)  # fmt: skip
        suite = ElementTree.parse(report).find("testsuite").attrib if report.is_file() else {}
    tests, skipped = int(suite.get("tests", 0)), int(suite.get("skipped", 0))
    seconds = float(suite.get("time", 0))
    told = f"({tests} tests, {seconds / 60:.1f} minutes)"
    if done.returncode:
        print(f"{done.stdout}\n{name}: FAILED {told}", flush=True)
        return False
    if skipped:
        reasons = [line for line in done.stdout.splitlines() if line.startswith("SKIPPED")]
        print(*reasons, f"{name}: not recorded, {skipped} skipped {told}", sep="\n", flush=True)
        return True
    passed_on = datetime.datetime.now(datetime.UTC).date().isoformat()
    figures = {"passed_on": passed_on, "tests": tests, "seconds": round(seconds)}
    record(name, digest=digest, version=__version__, **figures)
    print(f"{name}: passed {told}", flush=True)
    return True


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="prove.py", description=__doc__,
        epilog="\n".join(f"  {name:12} {each.proves}" for name, each in PARTS.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("parts", nargs="*", metavar="PART", help="of those listed below")
    parser.add_argument(
        "--status", action="store_true", help="say when each part last passed; 1 if one is due"
    )
    parser.add_argument(
        "--release", action="store_true", help="say whether this version may be released, else 1"
    )
    given = parser.parse_args(arguments)
    unknown = [name for name in given.parts if name not in PARTS]
    if unknown:
        print(f"prove: PART must be of {', '.join(PARTS)}, got {unknown[0]!r}", file=sys.stderr)
        return 2
    if given.release:
        return may_be_released()
    names = given.parts or list(PARTS)
    if given.status:
        for name in names:
            print(f"{name:12} {state(name)}")
        return 0 if all(map(is_current, names)) else 1
    due = given.parts or [name for name in PARTS if not is_current(name)]
    failed = [name for name in due if not run(name)]
    print(f"failed: {', '.join(failed)}" if failed else "no part failed", end="; ")
    print("not run: " + (", ".join(name for name in PARTS if name not in due) or "none"))
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("prove: interrupted; the parts that have passed are recorded")
