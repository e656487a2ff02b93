"""Time the reader of SMART reports.

Prints reports per second, of the clock and of processor time, and the peak memory of each process,
for an archive or folder of reports; without one, for an archive of 20,000 reports of our own.
"""

import argparse
import os
import resource
import subprocess
import sys
import tarfile
import tempfile
import time
from io import BytesIO
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "smart"))
import reports

from flashwear import smart

# what a full report holds besides the tables that are read
PADDING = "General Purpose Log Directory Version 1\n" + "0x00       GPL,SL  R/O      1  Log\n" * 100


def made(path: Path, count: int) -> Path:
    attributes = dict.fromkeys((*range(1, 20), 173, 177, 202, 246, 247, 248), 10**9)
    drive = ("Crucial_CT750MX300SSD1", "M0CR011", 750 * 10**9)
    with tarfile.open(path, "w:xz", preset=1) as archive:
        for index in range(count):
            counters = attributes | {246: 10**9 + index}
            text = reports.ata(*drive, counters, {"sectors_written": index}) + PADDING
            member = tarfile.TarInfo(str(index))
            member.size = len(text)
            archive.addfile(member, BytesIO(text.encode()))
    return path


def measure(source: Path, jobs: int) -> None:
    smart.fleet(source.parent / "empty", jobs=jobs, progress=False)  # processes start, modules load
    before, start = os.times(), time.perf_counter()
    table = smart.fleet(source, jobs=jobs, progress=False)
    seconds = time.perf_counter() - start
    if jobs > 1:  # their time and memory count when they have ended
        from joblib.externals.loky import get_reusable_executor

        get_reusable_executor().shutdown(wait=True)
    used = sum(os.times()[:4]) - sum(before[:4])
    peaks = [
        resource.getrusage(who).ru_maxrss // 1024
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    ]
    memory = " + ".join(map(str, peaks[: 1 + (jobs > 1)]))
    count = int(table["error"].isna().sum())
    print(
        f"{jobs:9}{count:10,}{count / seconds:9,.0f}{count / used:20,.0f}{memory:>12}", flush=True
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("source", type=Path, nargs="?", help="a folder or a tar archive")
    parser.add_argument("--jobs", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        measure(options.source, options.jobs[0])
        return

    columns = ("processes", "reports", "per s", "per s of processor", "peak MiB")
    print("{:>9}{:>10}{:>9}{:>20}{:>12}".format(*columns), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "reports"
        (Path(folder) / "empty").mkdir()
        if options.source:
            source.symlink_to(options.source.resolve())
        else:
            made(source, 20_000)
        for jobs in options.jobs:  # each in a process of its own, for its memory
            command = [sys.executable, __file__, str(source), "--one", "--jobs", str(jobs)]
            subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
