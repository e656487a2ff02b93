"""Time the simulated flash translation layer, and weigh it.

Three tables. *Scale*: a greedy drive under uniform writes in a steady state, from small to large,
beside the same algorithm in C (`ftl.c`, where there is a compiler), and beside the floor: random
read-modify-writes of an int32 array as large as the drive's map, fetched ahead as the drive does.
*Features*: the same drive with one thing switched on, and what that costs against the same load
without it. *Replicas*: several seeds on all cores against the same on one.

Times are CPU times of this process (of replicas: wall times), compilation excluded, requests drawn
included: medians of segments that are run in turns, so that other work on the machine falls on all
sides alike; ratios are medians over pairs of segments. Compare figures of one run only.
"""

import argparse
import csv
import ctypes
import itertools
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from flashwear import ftl, workloads
from flashwear._random import jit, seeded
from flashwear.ftl.arrays import AHEAD, prefetch

COLUMNS = {
    "table": "scale, feature or replicas", "case": "what is switched on",
    "user_pages": "pages the host can address",
    "spare": "spare factor: physical less user pages, over physical pages",
    "wa": "write amplification of the timed segments",
    "host_writes_per_s": "pages written by the host per CPU second",
    "flash_writes_per_s": "pages programmed per CPU second",
    "drawing": "share of the CPU time in which the requests were drawn",
    "c_wa": "write amplification of the drive in C",
    "c_host_writes_per_s": "pages written by the host per CPU second by the same algorithm in C",
    "of_c": "host writes over these", "floor_per_s": "read-modify-writes per CPU second",
    "of_floor": "flash writes over these",
    "growth": "CPU time per flash write over that of the smallest size, at the same spare factor",
    "floor_growth": "CPU time per read-modify-write over that of the smallest size",
    "bytes_per_page": "peak resident memory for the drive, per physical page (Linux only)",
    "host_cost": "CPU time per host write over that without the feature",
    "flash_cost": "CPU time per flash write over that without the feature",
    "kernel_cost": "CPU time per host write over that without the feature, drawing left out",
    "speedup": "wall time on one core over that on all", "c_speedup": "the same of drives in C",
    "cores": "of the machine"}  # fmt: skip
SIZES = [1_000_000, 2_946_560, 16_000_000, 67_108_864, 250_000_000]
SPARES = [0.07, 0.28]
FEATURE_PAGES = 2_946_560
REPLICAS, REPLICA_PAGES = 4, [2_946_560, 16_000_000]
BATCH = 65_536
C_BATCH = 256  # of ftl.c
UPDATES = 20_000_000
PAGES_PER_BLOCK = 128
WARMUP_DRIVE_WRITES = 1.0

UNIFORM = workloads.Uniform()
SKEWED = workloads.HotCold(0.8, 0.2)
FEATURES: dict[str, tuple[dict[str, Any], workloads.Workload, str]] = {
    # name: options of the drive, its load, and the case it is compared with
    "off": ({}, UNIFORM, "off"),
    "off, skewed": ({}, SKEWED, "off, skewed"),
    "trim": ({}, workloads.Trimmed(UNIFORM, 0.1), "off"),
    "frontier gc": ({"frontier": "gc"}, UNIFORM, "off"),
    "frontier hot_cold": ({"frontier": "hot_cold"}, SKEWED, "off, skewed"),
    "frontier detected": ({"frontier": "detected"}, SKEWED, "off, skewed"),
    "d_choices": ({"policy": "d_choices"}, UNIFORM, "off"),
    "fifo": ({"policy": "fifo"}, UNIFORM, "off"),
    "windowed": ({"policy": "windowed"}, UNIFORM, "off"),
    "dynamic levelling": ({"wear_levelling": "dynamic"}, UNIFORM, "off"),
    "static levelling": ({"wear_levelling": "static"}, UNIFORM, "off"),
    "stripe": ({"stripe": 127}, UNIFORM, "off"),
    "endurance": ({"endurance": 1e9}, UNIFORM, "off"),
    "SLC cache": (
        {"frontier": "gc", "cache": ftl.SlcCache(share=0.02, direct=False)},
        UNIFORM,
        "frontier gc",
    ),
}


class Reference:
    """A drive in C, filled in order and then written `WARMUP_DRIVE_WRITES` times."""

    def __init__(self, library: ctypes.CDLL, pages: int, spare: float) -> None:
        self._c, blocks = library, int(pages / (1 - spare) / PAGES_PER_BLOCK)
        start = int(seeded(1, 2)[0])
        self._drive = ctypes.c_void_p(library.filled(pages, blocks, PAGES_PER_BLOCK, start))
        self.seconds: list[float] = []
        self._host = 0
        self._write(int(WARMUP_DRIVE_WRITES * pages))
        self._before = self._flash_writes()

    def _write(self, writes: int) -> None:
        self._c.overwrite(self._drive, ctypes.c_int64(writes))

    def _flash_writes(self) -> int:
        return int(self._c.flash_writes(self._drive))

    def segment(self, writes: int) -> None:
        """Time so many writes of the host, whole batches."""
        whole = writes // C_BATCH * C_BATCH
        self.seconds.append(timed(self._write, whole) / whole)
        self._host += whole

    def write_amplification(self) -> float:
        """Return that of all segments."""
        return (self._flash_writes() - self._before) / self._host

    def discard(self) -> None:
        """Free its memory."""
        self._c.discard(self._drive)


def reference_in_c(folder: Path) -> ctypes.CDLL | None:
    """Compile `ftl.c` into a folder; None where that cannot be done."""
    command = shlex.split(os.environ.get("CC", "cc"))
    if not command or shutil.which(command[0]) is None:
        print("no C compiler: set CC to one for the reference in C", file=sys.stderr)
        return None
    made = folder / "ftl.so"
    source = Path(__file__).with_suffix(".c")
    flags = ["-O3", "-march=native", "-shared", "-fPIC"]
    done = subprocess.run([*command, *flags, str(source), "-o", str(made)], check=False)
    if done.returncode:
        print(f"{command[0]} does not compile {source.name}", file=sys.stderr)
        return None
    library = ctypes.CDLL(str(made))
    library.flash_writes.restype = ctypes.c_uint64
    library.filled.restype = ctypes.c_void_p
    library.filled.argtypes = [ctypes.c_int32] * 3 + [ctypes.c_uint64]
    return library


@jit
def scatter(cells: NDArray[np.int32], words: NDArray[np.int64], size: int) -> None:
    for i in range(size):
        prefetch(cells, words[i + AHEAD])
        cells[words[i]] += 1


def update(cells: NDArray[np.int32], words: NDArray[np.int64], stream: workloads.Stream) -> float:
    """Update random cells, `UPDATES` in all; give the CPU seconds of one, its drawing included."""
    start = time.process_time()
    for left in range(UPDATES, 0, -BATCH):
        scatter(cells, words, stream.fill(words[: min(left, BATCH)]))
    return (time.process_time() - start) / UPDATES


@dataclass
class Times:
    """CPU seconds for one write each, segment by segment, and how many were written in all."""

    host: list[float] = field(default_factory=list)
    flash: list[float] = field(default_factory=list)
    drawing: list[float] = field(default_factory=list)
    writes: tuple[int, int] = (0, 0)

    def figures(self) -> dict[str, float]:
        """Return the medians as columns."""
        return {
            "wa": self.writes[1] / self.writes[0],
            "host_writes_per_s": 1 / statistics.median(self.host),
            "flash_writes_per_s": 1 / statistics.median(self.flash),
            "drawing": statistics.median(self.drawing),
        }


class Drive:
    """A drive that was filled in order and then written `WARMUP_DRIVE_WRITES` times."""

    def __init__(
        self, pages: int, spare: float, options: dict[str, Any], load: workloads.Workload
    ) -> None:
        if options.get("frontier") == "hot_cold":
            options = options | {"temperatures": load.temperatures}
        self.state = ftl.State(pages, spare / (1 - spare), **options)
        self.words = np.zeros(BATCH + AHEAD, np.int64)
        self.times = Times()
        self._write(workloads.Sequential().stream(pages, 0), pages)
        self.stream = load.stream(pages, 0)
        self._write(self.stream, int(WARMUP_DRIVE_WRITES * pages))

    def _write(self, stream: workloads.Stream, writes: int) -> float:
        """Write so many pages; give the CPU seconds that drawing them took."""
        drawing = 0.0
        target = self.state.host_writes + writes
        while (missing := target - self.state.host_writes) > 0:
            start = time.process_time()
            size = stream.fill(self.words[: min(missing, BATCH)])
            drawing += time.process_time() - start
            self.state.run_padded(self.words, size)
        return drawing

    def segment(self, writes: int) -> None:
        """Time so many writes of the host."""
        host, flash = self.state.host_writes, self.state.flash_writes
        start = time.process_time()
        drawing = self._write(self.stream, writes)
        seconds = time.process_time() - start
        host, flash = self.state.host_writes - host, self.state.flash_writes - flash
        self.times.host.append(seconds / host)
        self.times.flash.append(seconds / flash)
        self.times.drawing.append(drawing / seconds)
        self.times.writes = self.times.writes[0] + host, self.times.writes[1] + flash


def timed(function: Callable[..., object], *arguments: Any) -> float:
    start = time.process_time()
    function(*arguments)
    return time.process_time() - start


def memory() -> dict[str, int]:
    """Return what /proc says about this process's memory, in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    sizes = [line.split() for line in lines if line.endswith(" kB")]
    return {name.rstrip(":"): int(size) * 1024 for name, size, _ in sizes}


def bytes_per_page(pages: int, spare: float) -> float:
    """Return the peak memory of a drive, filled and overwritten for a while; NaN if it is hidden.

    It is hidden where the compiler took more before.
    """
    if not Path("/proc/self/status").exists():
        return float("nan")

    def run(pages: int) -> ftl.State:
        state = ftl.State(pages, spare / (1 - spare))
        words = np.zeros(BATCH + AHEAD, np.int64)
        loads = ((workloads.Sequential(), pages), (UNIFORM, int(pages * spare * 2)))
        for load, writes in loads:
            stream = load.stream(pages, 0)
            for left in range(writes, 0, -BATCH):
                state.run_padded(words, stream.fill(words[: min(left, BATCH)]))
        return state

    run(10_000)
    before = memory()
    state = run(pages)
    peak = memory()["VmHWM"]
    if peak <= before["VmHWM"]:
        return float("nan")
    return (peak - before["VmRSS"]) / (state.blocks * state.pages_per_block)


def many_blocks() -> None:
    """Compile what drives of 2**17 blocks and more run."""
    ftl.State(300_000, 0.3, pages_per_block=2).run(np.zeros(1, np.int64))


def in_a_process_of_its_own(function: Callable[..., Any], *arguments: Any) -> Any:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()


def scale(pages: int, spare: float, rounds: int, c: ctypes.CDLL | None) -> dict[str, Any]:
    """Time a greedy drive, the one in C and the floor in turns."""
    weight = in_a_process_of_its_own(bytes_per_page, pages, spare)
    drive = Drive(pages, spare, {}, UNIFORM)
    reference = Reference(c, pages, spare) if c else None
    cells, words = np.ones(pages, np.int32), np.zeros(BATCH + AHEAD, np.int64)
    stream = UNIFORM.stream(pages, 1)
    writes = max(2_000_000, pages // 25)
    floor = []
    for _ in range(rounds):
        drive.segment(writes)
        if reference:
            reference.segment(writes)
        floor.append(update(cells, words, stream))
    row: dict[str, Any] = {"table": "scale", "case": "off", "user_pages": pages, "spare": spare}
    row |= drive.times.figures() | {"bytes_per_page": weight}
    row["floor_per_s"] = 1 / statistics.median(floor)
    row["of_floor"] = ratio(floor, drive.times.flash)
    if reference:
        row["c_host_writes_per_s"] = 1 / statistics.median(reference.seconds)
        row["of_c"] = ratio(reference.seconds, drive.times.host)
        row["c_wa"] = reference.write_amplification()
        reference.discard()
    return row


def ratio(ours: list[float], theirs: list[float]) -> float:
    """Return the median ratio of two lists of segments that were run in turns."""
    return statistics.median(one / other for one, other in zip(ours, theirs, strict=True))


def features(pages: int, spare: float, rounds: int) -> list[dict[str, Any]]:
    """Time all features in turns."""
    drives = {
        name: Drive(pages, spare, options, load) for name, (options, load, _) in FEATURES.items()
    }
    for _ in range(rounds):
        for drive in drives.values():
            drive.segment(2_000_000)
    rows = []
    for name, drive in drives.items():
        off = drives[FEATURES[name][2]].times
        row: dict[str, Any] = {"table": "feature", "case": name}
        row |= {"user_pages": pages, "spare": spare} | drive.times.figures()
        row["host_cost"] = ratio(drive.times.host, off.host)
        row["flash_cost"] = ratio(drive.times.flash, off.flash)
        kernel = (1 - row["drawing"]) / (1 - off.figures()["drawing"])
        row["kernel_cost"] = row["host_cost"] * kernel
        rows.append(row)
    return rows


def replicas(pages: int, spare: float, rounds: int, c: ctypes.CDLL | None) -> dict[str, Any]:
    """Time runs of several seeds on one core and on all, in turns, and so those in C.

    What the drives in C gain says what the cores leave each other of caches and memory.
    """
    cores = os.cpu_count() or 1
    walls: dict[str, list[float]] = {name: [] for name in ("one", "all", "c_one", "c_all")}
    drives = [Reference(c, pages, spare) for _ in range(cores)] if c else []
    for _ in range(rounds):
        for name, n_jobs in (("one", 1), ("all", -1)):
            start = time.perf_counter()
            ftl.replicate(
                pages, spare / (1 - spare), replicas=REPLICAS, n_jobs=n_jobs, progress=False
            )
            walls[name].append(time.perf_counter() - start)
        for name, threads in (("c_one", 1), ("c_all", cores)):
            start = time.perf_counter()
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(lambda drive: drive.segment(2 * pages), drives))
            walls[name].append(time.perf_counter() - start)
    row: dict[str, Any] = {"table": "replicas", "case": "off", "user_pages": pages, "spare": spare}
    row |= {"cores": cores, "speedup": ratio(walls["one"], walls["all"])}
    if c:
        row["c_speedup"] = ratio(walls["c_one"], walls["c_all"])
        for drive in drives:
            drive.discard()
    return row


def compile_all() -> None:
    """Compile what will be timed."""
    for options, load, _ in FEATURES.values():
        Drive(10_000, 0.28, options, load).segment(1000)
    update(np.ones(10, np.int32), np.zeros(BATCH + AHEAD, np.int64), UNIFORM.stream(10, 0))
    many_blocks()
    ftl.replicate(10_000, 0.3, replicas=2)


def show(row: dict[str, Any], columns: list[str]) -> None:
    """Print a row; rates in millions."""
    cells = []
    for name in columns:
        value = row.get(name, float("nan"))
        if name.endswith("_per_s"):
            value /= 1e6
        digits = {"user_pages": "11,d", "spare": "6.2f"}.get(name, "9.3g")
        cells.append(f"{value:18}" if isinstance(value, str) else f"{value:{digits}}")
    print(" ".join(cells), flush=True)


def main() -> None:
    columns = "\n".join(f"  {name:20}{meaning}" for name, meaning in COLUMNS.items())
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog=f"columns of FILE (empty where they say nothing of a row):\n{columns}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--sizes", type=at_least(10_000), nargs="+", default=SIZES,
                        help="user pages of the table of scale")  # fmt: skip
    parser.add_argument(
        "--rounds", type=at_least(1), default=9, help="segments, of which the median counts"
    )
    parser.add_argument("--quick", action="store_true", help="two small sizes, three rounds")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write the rows there too")
    options = parser.parse_args()
    if options.csv and not options.csv.parent.is_dir():
        parser.error(f"--csv must be in a folder that exists, got {options.csv}")
    sizes, rounds = (SIZES[:2], 3) if options.quick else (sorted(options.sizes), options.rounds)

    rows: list[dict[str, Any]] = []
    compile_all()
    with tempfile.TemporaryDirectory() as folder:
        c = reference_in_c(Path(folder))
    print("Scale: rates in millions per CPU second")
    print(
        "      pages  spare        wa      host     flash   drawing      C wa    C host      of C"
        "     floor of floor    growth   floor's bytes/page"
    )
    shown = ["user_pages", "spare", *list(COLUMNS)[4:16]]
    for spare in SPARES:
        least: dict[str, Any] = {}
        for pages in sizes:
            row = scale(pages, spare, rounds, c)
            least = least or row
            row["growth"] = least["flash_writes_per_s"] / row["flash_writes_per_s"]
            row["floor_growth"] = least["floor_per_s"] / row["floor_per_s"]
            show(row, shown)
            rows.append(row)

    print(f"\nFeatures, {FEATURE_PAGES:,} pages: rates in millions per CPU second")
    print(
        "case                spare        wa      host     flash   drawing host cost flash cost "
        "kernel cost"
    )
    for spare in SPARES:
        for row in features(FEATURE_PAGES, spare, rounds):
            show(row, ["case", "spare", *list(COLUMNS)[4:8], *list(COLUMNS)[16:19]])
            rows.append(row)

    print(f"\nReplicas, {REPLICAS} seeds: wall time on one core over that on {os.cpu_count()}")
    print("      pages  spare   speedup   C speedup")
    for spare, pages in itertools.product(SPARES, REPLICA_PAGES[: 1 if options.quick else None]):
        row = replicas(pages, spare, max(1, rounds // 3), c)
        show(row, ["user_pages", "spare", "speedup", "c_speedup"])
        rows.append(row)

    if options.csv:
        with options.csv.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(COLUMNS), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


def at_least(least: int) -> Callable[[str], int]:
    """Return the type of an argument that is a whole number from `least` on."""

    def whole(text: str) -> int:
        if (value := int(text)) < least:
            raise argparse.ArgumentTypeError(f"must be >= {least}, got {value}")
        return value

    return whole


if __name__ == "__main__":
    main()
