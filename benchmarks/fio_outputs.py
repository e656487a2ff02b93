"""Record what fio prints, and what it wrote: the files of ``tests/fio_outputs``.

``python benchmarks/fio_outputs.py`` runs fio on a loop device of 16 MiB, once for each option that
changes the form of its JSON output or what it counts, and once with the job file of the book (less
time, depth and bytes). ``truth.csv`` holds beside each output the bytes that the kernel counted on
the device. As root; half a minute.
"""

import argparse
import csv
import re
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "book" / "workshop" / "steady-state.md"
SIZE = 16 * 2**20
SECTOR = 512  # of the kernel's counters, whatever the device has
JOB = """[random]
direct=1
ioengine=psync
rw=randwrite
bs=4k
size=100%
clat_percentiles=0
"""
TIMED = "time_based\nruntime=2\nrate_iops=500\n"
MIXED = JOB.replace("randwrite", "randrw")
CASES = {
    "plain": (JOB, ()),
    "map_unsaid": (JOB + "norandommap\n" + TIMED, ()),
    "map_off": (JOB + "norandommap=1\n" + TIMED, ()),
    "map_on": (JOB + "norandommap=0\n" + TIMED, ()),
    "ramp": (JOB + TIMED + "ramp_time=1\n", ()),
    "ramp_longer": (JOB + TIMED + "ramp_time=3\n", ()),
    "status": (JOB + TIMED + "ramp_time=2\n", ("--status-interval=1",)),
    "unified_mixed": (MIXED + "unified_rw_reporting=mixed\n", ()),
    "unified_1": (MIXED + "unified_rw_reporting=1\n", ()),
    "unified_both": (MIXED + "unified_rw_reporting=both\n", ()),
}


def job_of_book() -> str:
    """Return the job file that the book prints, short enough for a record."""
    text = re.search(r"^\[random\]\n(?:.+\n)+?(?=```)", PAGE.read_text("utf-8"), re.MULTILINE)[0]
    for name, value in {"runtime": "2", "iodepth": "1"}.items():
        text = re.sub(rf"^{name}=.*", f"{name}={value}", text, flags=re.MULTILINE)
    text = re.sub(r"^filename=.*\n", "", text, flags=re.MULTILINE)
    return f"{text}rate_iops=500\nclat_percentiles=0\n"


def written(device: str) -> int:
    """Return the bytes written to a device since it was made."""
    return int(Path(f"/sys/block/{Path(device).name}/stat").read_text().split()[6]) * SECTOR


def run(job: str, more: tuple[str, ...], device: str, folder: Path) -> tuple[str, int]:
    """Return what fio printed, and what it wrote."""
    (folder / "job.fio").write_text(job)
    before = written(device)
    call = ["fio", "--output-format=json", *more, f"--filename={device}", "job.fio"]
    done = subprocess.run(call, cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout, written(device) - before


def main() -> None:
    """Write the outputs and the truth."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT / "tests" / "fio_outputs")
    out = parser.parse_args().out
    out.mkdir(exist_ok=True)
    version = subprocess.run(["fio", "--version"], capture_output=True, text=True, check=True)
    print(version.stdout.strip())
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        image = folder / "drive"
        image.write_bytes(bytes(SIZE))
        loop = ["losetup", "--find", "--show", str(image)]
        device = subprocess.run(loop, capture_output=True, text=True, check=True).stdout.strip()
        try:
            for case, (job, more) in {**CASES, "book": (job_of_book(), ())}.items():
                text, count = run(job, more, device, folder)
                (out / f"{case}.json").write_text(text)
                rows.append((f"{case}.json", version.stdout.strip(), count))
                print(f"{case:>14} {count:>12,} bytes on the device")
        finally:
            subprocess.run(["losetup", "--detach", device], check=True)
    with open(out / "truth.csv", "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(("file", "fio", "device_bytes"))
        table.writerows(rows)


if __name__ == "__main__":
    main()
