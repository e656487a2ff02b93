"""Make data/synced_writes.csv: what reaches a device when a program writes and syncs.

``python benchmarks/synced_writes.py`` makes file systems on loop devices in a temporary folder, as
root, and counts the bytes that arrive there; some eight minutes. Writes are paced, since a device
in memory is done within a tick of the clock that stamps files. ``--fit`` prints the settings from
which the constants of :func:`flashwear.host.synced_write` were read, and keeps nothing.
"""

import argparse
import itertools
import os
import random
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd

DATA = Path(__file__).parents[1] / "data"
FILE_SYSTEMS = {
    "ext4": ("ext4", ""), "ext4, data=journal": ("ext4", "data=journal"),
    "XFS": ("xfs", ""), "btrfs": ("btrfs", ""),
}  # fmt: skip
WAYS = (("overwrite", False), ("overwrite", True), ("append", True), ("create", False))
FITTED = (100, 4_096, 65_536)
# named before any of them was counted
SIZES = {"overwrite": (700, 8_192, 20_000, 300_000), "append": (700, 8_192, 20_000, 300_000),
         "create": (700, 8_192, 20_000, 300_000), "replace": (700, 20_000, 300_000)}  # fmt: skip
MAKE = {
    "ext4": ["mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0"],
    "xfs": ["mkfs.xfs", "-q", "-f"],
    "btrfs": ["mkfs.btrfs", "-q", "-f"],
}
FILLED, OPERATIONS, PAUSE_S, REPEATS = 16 << 20, 100, 0.008, 3


def run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@contextmanager
def mounted(kind: str, options: str, folder: Path) -> Iterator[tuple[Path, Path]]:
    """Yield a folder on a new file system, and the counters of its device."""
    image, place = folder / "image", folder / "mounted"
    with image.open("wb") as file:
        file.truncate(2 << 30)
    place.mkdir(exist_ok=True)
    device = run("losetup", "-f", "--show", str(image))
    try:
        run(*MAKE[kind], device)
        run("mount", *(["-o", options] if options else []), device, str(place))
        try:
            yield place, Path("/sys/block") / Path(device).name / "stat"
        finally:
            run("umount", str(place))
    finally:
        run("losetup", "-d", device)
        image.unlink()


def write(place: Path, load: str, size: int, data_only: bool, seed: int) -> None:
    """Write and sync as a program does."""
    chance, sync = random.Random(seed), os.fdatasync if data_only else os.fsync
    content = chance.randbytes(size)
    folder = os.open(place, os.O_RDONLY)
    file = os.open(place / "file", os.O_RDWR)
    for number in range(OPERATIONS):
        time.sleep(PAUSE_S)
        if load in ("create", "replace"):
            path = place / ("new" if load == "replace" else f"new{number}")
            new = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
            os.write(new, content)
            sync(new)
            os.close(new)
            if load == "replace":
                path.rename(place / "replaced")
                os.fsync(folder)
            continue
        at = chance.randrange(FILLED // size) * size if load == "overwrite" else None
        os.pwrite(file, content, FILLED + number * size if at is None else at)
        sync(file)
    os.close(file)
    os.close(folder)


def counted(kind: str, options: str, load: str, size: int, data_only: bool, seed: int) -> float:
    """Return the bytes that arrive at the device for an operation."""
    with (
        tempfile.TemporaryDirectory() as folder,
        mounted(kind, options, Path(folder)) as (place, stat),
    ):
        with (place / "file").open("wb") as file:
            for _ in range(FILLED >> 20):
                file.write(random.Random(seed).randbytes(1 << 20))
        os.sync()
        before = int(stat.read_text().split()[6])
        write(place, load, size, data_only, seed)
        return 512 * (int(stat.read_text().split()[6]) - before) / OPERATIONS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--fit", action="store_true", help="count the settings of the fit")
    fit = parser.parse_args().fit
    rows = []
    for (name, (kind, options)), (load, data_only) in itertools.product(
        FILE_SYSTEMS.items(), (*WAYS, ("replace", False))
    ):
        for size in FITTED if fit else SIZES[load]:
            found = [counted(kind, options, load, size, data_only, seed) for seed in range(REPEATS)]
            rows.append((name, load, size, "fdatasync" if data_only else "fsync", *sorted(found)))
            print(*rows[-1], flush=True)
    columns = ["file_system", "load", "write_bytes", "sync", "least", "median", "most"]
    table = pd.DataFrame(rows, columns=columns)
    if not fit:
        table["kernel"] = os.uname().release.partition("-")[0]
        table.round(0).to_csv(DATA / "synced_writes.csv", index=False, float_format="%.0f")


if __name__ == "__main__":
    main()
