"""Record what fio prints, and what it wrote: the files of ``tests/fio_outputs``.

``python benchmarks/fio_outputs.py`` runs fio on a loop device of 16 MiB, once for each option that
changes the form of its outputs or what they count, and once with the job file of the book (less
time, depth and bytes). ``truth.csv`` holds beside each case the bytes that the kernel counted on
the device. ``blkparse.txt`` is what blkparse prints of the kernel's events (blktrace's own files
need more rights). As root; two minutes. Names after it run these cases alone, and leave the table.
"""

import argparse
import csv
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "book" / "workshop" / "steady-state.md"
SIZE = 16 * 2**20
SECTOR = 512  # of the kernel's counters, whatever the device has
TRACING = Path("/sys/kernel/tracing")
COUNTS = {"read": 2, "written": 6, "discarded": 13}  # columns of /sys/block/loopN/stat
JOB = """[random]
direct=1
ioengine=psync
rw=randwrite
bs=4k
size=100%
clat_percentiles=0
"""
PACED = "rate_iops=500\ntime_based\nruntime="
TIMED = JOB + PACED + "2\n"
HALVES = "size=8m\nnumjobs=2\n"
FILL = JOB.replace("random]", "fill]").replace("randwrite", "write").replace("4k", "256k")
LOGGED = TIMED + "write_bw_log=log\nlog_avg_msec=200\n"
OF_ALL = "numjobs=2\nper_job_logs=0\n"
EACH = TIMED.replace("500", "100") + "write_bw_log=log\n"
BINS = JOB.replace("clat_percentiles=0\n", "") + "runtime=1\ntime_based\nrate_iops="
RATES = (800, 400, 250, 200, 190, 205, 200, 195)  # what a drive that slows down would give


class Case(NamedTuple):
    """A job file, and how it is run."""

    job: str
    options: tuple[str, ...] = ()
    form: str = "json"
    server: bool = False


def mixed(job: str) -> str:
    """Return a job that reads, too."""
    return job.replace("randwrite", "randrw")


CASES = {
    "plain": Case(JOB), "map_unsaid": Case(JOB + "norandommap\n" + PACED + "2\n"),
    "map_off": Case(JOB + "norandommap=1\n" + PACED + "2\n"),
    "map_on": Case(JOB + "norandommap=0\n" + PACED + "2\n"), "ramp": Case(TIMED + "ramp_time=1\n"),
    "ramp_longer": Case(TIMED + "ramp_time=3\n"),
    "status": Case(JOB + PACED + "1\nramp_time=1\n", ("--status-interval=1",)),
    "unified": Case(mixed(JOB) + "unified_rw_reporting=1\n"),
    "unified_both": Case(mixed(JOB) + "unified_rw_reporting=both\n"),
    "unified_log": Case(mixed(LOGGED) + "unified_rw_reporting=1\n", form="terse"),
    "mixed": Case(mixed(JOB) + "rwmixwrite=30\n"), "fill": Case(FILL),
    "buffered": Case(JOB.replace("direct=1", "direct=0") + "norandommap=1\nio_size=32m\n"),
    "halves": Case(JOB.replace("100%", "50%") + "io_size=75%\n"), "loops": Case(JOB + "loops=2\n"),
    "offset": Case(JOB.replace("100%", "4m") + "offset=8m\n"),
    "increments": Case(JOB + HALVES + "offset_increment=8m\n"),
    "increments_grouped": Case(JOB + HALVES + "offset_increment=50%\ngroup_reporting=1\n"),
    "grouped": Case(JOB + "numjobs=2\ngroup_reporting\n"),
    "two_jobs": Case(JOB + "[beside]\n" + JOB.partition("\n")[2]),
    "stonewall": Case(FILL + "stonewall\n"
                      + TIMED.replace("[random]", "[random]\nstonewall\nnorandommap=1")),
    "rate": Case(JOB + "rate=4m\n"), "trims": Case(JOB.replace("randwrite", "randtrim")),
    "trim_write": Case(JOB.replace("randwrite", "trimwrite")),
    "verify": Case(JOB + "verify=crc32c\n"),
    "zones": Case(JOB + "zonemode=strided\nzonesize=1m\nzonerange=2m\nio_size=8m\n"),
    "skewed": Case(TIMED + "norandommap=1\nrandom_distribution=zoned:80/20:20/80\n"),
    "error": Case(
        JOB
        + "[check]\ndirect=1\nrw=read\nsize=4k\nverify=pattern\nverify_pattern=0xab\nstonewall\n"),
    "server": Case(JOB, server=True), "servers": Case(JOB + "numjobs=2\n", server=True),
    "percentiles": Case(JOB.replace("clat_percentiles=0\n", "") + "rate_iops=2000\n"),
    "bins": Case(mixed(BINS) + "400\nnumjobs=2\n", form="json+"),
    **{f"round_{n}": Case(f"{BINS}{rate}\n", form="json+") for n, rate in enumerate(RATES, 1)},
    "normal": Case(JOB, form="normal"), "terse": Case(JOB, form="terse"),
    "both_forms": Case(JOB, form="normal,json"), "log": Case(LOGGED + "numjobs=2\n"),
    "log_mixed": Case(mixed(LOGGED)), "log_of_all": Case(LOGGED + OF_ALL),
    "log_epoch": Case(LOGGED + "log_unix_epoch=1\nnumjobs=2\n", form="terse"),
    "log_most": Case(LOGGED + "log_max_value=1\n", form="terse"),
    "log_requests": Case(EACH + "write_lat_log=log\nwrite_iops_log=log\n", form="terse"),
    "log_requests_of_all": Case(EACH + OF_ALL + "log_offset=1\n", form="terse"),
    "log_histogram": Case(TIMED + "write_hist_log=log\nlog_hist_msec=1000\n",
                          form="terse")}  # fmt: skip


def job_of_book() -> str:
    """Return the job file that the book prints, short enough for a record."""
    text = re.search(r"^\[random\]\n(?:.+\n)+?(?=```)", PAGE.read_text("utf-8"), re.MULTILINE)[0]
    for name, value in {"runtime": "2", "iodepth": "1"}.items():
        text = re.sub(rf"^{name}=.*", f"{name}={value}", text, flags=re.MULTILINE)
    text = re.sub(r"^filename=.*\n", "", text, flags=re.MULTILINE)
    return f"{text}rate_iops=500\nclat_percentiles=0\n"


def counted(device: str) -> list[int]:
    """Return the bytes read from, written to and discarded on a device since it was made."""
    subprocess.run(["sync"], check=True)
    fields = Path(f"/sys/block/{Path(device).name}/stat").read_text().split()
    return [int(fields[at]) * SECTOR for at in COUNTS.values()]


def run(name: str, case: Case, device: str, folder: Path, out: Path) -> list[int]:
    """Keep what fio printed, and return the bytes that the device counted."""
    for old in folder.iterdir():
        old.unlink()
    (folder / "job.fio").write_text(case.job.replace("=log\n", f"={name}\n"))
    call = ["fio", f"--output-format={case.form}", *case.options]
    if case.server:
        job = (folder / "job.fio").read_text() + f"filename={device}\n"
        (folder / "job.fio").write_text(job)
        server = subprocess.Popen(["fio", "--server=sock:server"], cwd=folder)
        time.sleep(1)
        call += ["--client=sock:server", "job.fio"]
    else:
        call += [f"--filename={device}", "job.fio"]
    before = counted(device)
    done = subprocess.run(call, cwd=folder, capture_output=True, text=True, check=False)
    after = counted(device)
    if case.server:
        server.terminate()
        server.wait()
    ending = "json" if "json" in case.form else "txt"
    (out / f"{name}.{ending}").write_text(done.stdout)
    for log in sorted(folder.glob(f"{name}_*.log")):
        if text := log.read_text():  # that of the time to submit is empty
            (out / log.name).write_text(text)
    print(f"{name:>20} {done.returncode}", *(f"{n:>12,}" for n in after), flush=True)
    return [new - old for old, new in zip(before, after, strict=True)]


def traced(device: str, out: Path) -> list[int]:
    """Keep the events of reads, writes and discards in blkparse's words, and return the bytes."""
    if not (TRACING / "current_tracer").exists():
        subprocess.run(["mount", "-t", "tracefs", "tracefs", str(TRACING)], check=True)
    enable = Path(f"/sys/block/{Path(device).name}/trace/enable")
    options, tracer = TRACING / "trace_options", TRACING / "current_tracer"
    tracer.write_text("blk")
    for option in ("bin", "nocontext-info"):
        options.write_text(option)
    before = counted(device)
    enable.write_text("1")
    for rw in ("randrw", "randtrim"):
        shape = [f"--rw={rw}", "--bs=8k", "--size=16m", "--io_size=200k", f"--filename={device}"]
        subprocess.run(["fio", "--name=a", "--direct=1", *shape, "--output=/dev/null"], check=True)
    after = counted(device)
    enable.write_text("0")
    with subprocess.Popen(["cat", str(TRACING / "trace_pipe")], stdout=subprocess.PIPE) as cat:
        time.sleep(1)
        cat.terminate()
        events = cat.stdout.read()
    for option in ("nobin", "context-info"):
        options.write_text(option)
    tracer.write_text("nop")
    text = subprocess.run(["blkparse", "-i", "-"], input=events, capture_output=True, check=True)
    (out / "blkparse.txt").write_bytes(text.stdout)
    return [new - old for old, new in zip(before, after, strict=True)]


def main() -> None:
    """Write the outputs and the truth."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="*", metavar="CASE")
    parser.add_argument("--out", type=Path, default=ROOT / "tests" / "fio_outputs")
    options = parser.parse_args()
    options.out.mkdir(exist_ok=True)
    version = subprocess.run(["fio", "--version"], capture_output=True, text=True, check=True)
    cases = {**CASES, "book": Case(job_of_book())}
    rows = []
    with tempfile.TemporaryDirectory() as name:
        image, folder = Path(name) / "drive", Path(name) / "runs"
        folder.mkdir()
        image.write_bytes(bytes(SIZE))
        loop = ["losetup", "--find", "--show", str(image)]
        device = subprocess.run(loop, capture_output=True, text=True, check=True).stdout.strip()
        try:
            for case in options.cases or cases:
                found = run(case, cases[case], device, folder, options.out)
                rows.append((case, version.stdout.strip(), *found))
            if not options.cases and shutil.which("blkparse"):
                rows.append(("blkparse", "", *traced(device, options.out)))
        finally:
            subprocess.run(["losetup", "--detach", device], check=True)
    if options.cases:
        return
    with open(options.out / "truth.csv", "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(("case", "fio", *COUNTS))
        table.writerows(rows)


if __name__ == "__main__":
    main()
