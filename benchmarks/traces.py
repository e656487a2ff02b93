"""Time what it takes to read a trace of ten million requests, sum it up and replay it.

``python benchmarks/traces.py [REQUESTS]`` makes a trace in the CSV format of MSR Cambridge in a
temporary folder, reads it beside a rival that splits the lines and keeps nothing, and runs a
drive with it.
"""

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np

from flashwear import ftl, traces, workloads


def write(path: Path, requests: int) -> None:
    """Write a trace of requests of 4 to 32 KiB, half of them to a tenth of the volume."""
    rng = np.random.default_rng(1)
    with path.open("w") as file:
        for start in range(0, requests, 100_000):
            count = min(100_000, requests - start)
            page = rng.integers(0, np.where(rng.random(count) < 0.5, 100_000, 1_000_000))
            pages = rng.integers(1, 9, count)
            kind = np.where(rng.random(count) < 0.7, "Write", "Read")
            file.writelines(
                f"{128166372003061629 + 10_000 * (start + i)},host,0,{kind[i]},"
                f"{4096 * page[i]},{4096 * pages[i]},413\n"
                for i in range(count)
            )


def split(path: Path) -> int:
    """Split every line and turn its numbers into integers: the least that a reader does."""
    total = 0
    with path.open("rb") as file:
        for line in file:
            fields = line.rstrip().split(b",")
            total += int(fields[0]) + int(fields[4]) + int(fields[5])
    return total


def main() -> None:
    """Print seconds for each step."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("requests", nargs="?", type=int, default=10_000_000)
    requests = parser.parse_args().requests
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.csv"
        write(path, requests)
        ftl.simulate(1000, 0.3, drive_writes=1, workload=workloads.Replay([[0, 0, 1]], 3000))
        steps = {}
        start = time.perf_counter()
        split(path)
        steps["split the lines and no more"] = time.perf_counter() - start
        start = time.perf_counter()
        trace = traces.read_msr(path)
        steps["read"] = time.perf_counter() - start
    start = time.perf_counter()
    trace = trace.compact()
    traces.summary(trace)
    steps["compact and sum up"] = time.perf_counter() - start
    start = time.perf_counter()
    run = ftl.simulate(
        trace.user_pages,
        0.15,
        pages_per_block=256,
        workload=workloads.Replay(trace.records),
        fill="none",
        warmup_drive_writes=0,
        drive_writes=int(0.9 * trace.bytes_written / trace.page_bytes) / trace.user_pages,
        progress=False,
    )
    steps["replay"] = time.perf_counter() - start
    for name, seconds in steps.items():
        print(f"{name:30} {seconds:6.1f} s  {requests / seconds / 1e6:6.2f} M requests/s")
    print(f"{run.state.host_writes:,} pages written, write amplification {run.wa:.2f}")


if __name__ == "__main__":
    main()
