"""Make data/why.csv: what ``flashwear why`` says of databases and programs, and what devices took.

``python benchmarks/why.py`` makes a loop device with partitions as root, on which databases
(:mod:`databases`), a program that syncs the lines of its log, and one that copies files each write
to partitions of their own, some at once. While they do, the drive is watched; the kernel's counts
of the partitions are the truth, of which the watch is told nothing. Some ten minutes.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import pandas as pd
from databases import DATA, ENGINES, MAKE, Devices, Setting, run, settings

from flashwear import host, watch, why

# a database as in databases.py or none, and what writes beside it
SETTINGS = Path(__file__).with_name("why_settings.txt").read_text("utf-8")
PLACES = ("data", "log", "logger", "copier")
LOG = ("log", "flushes", "binlog")  # parts of a database that lie on the partition of its log
BESIDE = {  # programs that name themselves
    "logger": """
import os, sys, time
open("/proc/self/comm", "w").write("logger")
file = os.open(sys.argv[1] + "/lines", os.O_CREAT | os.O_APPEND | os.O_WRONLY)
while True:
    os.write(file, b"x" * 119 + b"\\n")
    os.fsync(file)
    time.sleep(0.002)
""",
    "copier": """
import os, sys, time
open("/proc/self/comm", "w").write("copier")
number = 0
while True:
    with open(f"{sys.argv[1]}/copy{number % 20}", "wb") as file:
        for _ in range(300):
            file.write(os.urandom(1 << 13))
    number += 1
    time.sleep(0.1)
""",
}
ALONE_S = 20


class Watching(Devices):
    """Partitions of one drive, which is watched from the first count of its bytes to the second."""

    def __init__(self, file_system: str, folder: Path) -> None:
        image = folder / "image"
        with image.open("wb") as file:
            file.truncate(6 << 30)
        self._drive = run("losetup", "-f", "--show", str(image))
        undo = [("losetup", "-d", self._drive), ("partx", "-d", self._drive)]
        sizes = "".join(",1400M\n" for _ in PLACES)
        run("sfdisk", "-q", "--no-reread", "--no-tell-kernel", self._drive,
            input=f"label: gpt\n{sizes}")  # fmt: skip
        run("partx", "-a", self._drive)
        super().__init__(file_system, folder, PLACES)
        self._undo = undo + self._undo
        self._stop, self.seen, self.counts = threading.Event(), None, []
        self._thread = threading.Thread(target=self._watch)

    def _mount(self, name: str) -> Path:
        place = self._folder / name
        place.mkdir()
        device = f"{self._drive}p{PLACES.index(name) + 1}"
        run(*MAKE[self.file_system], device)
        run("mount", device, str(place))
        self._undo.append(("umount", str(place)))
        self._stats[name] = Path("/sys/class/block") / Path(device).name / "stat"
        return place

    def _watch(self) -> None:
        def sleep(seconds: float) -> None:
            if self._stop.wait(seconds):
                raise KeyboardInterrupt

        watch._sleep = sleep
        self.seen = watch.watch(1e6, drive=Path(self._drive).name)

    def taken(self) -> dict[str, int]:
        """Return the bytes that each partition has taken, and begin or end to watch."""
        if not self.counts:
            os.sync()
            self._thread.start()
            time.sleep(0.3)
        else:
            for place in self.places.values():
                run("sync", "-f", str(place))
            time.sleep(1.2)
            self._stop.set()
            self._thread.join()
        found = {name: 512 * int(stat.read_text().split()[6]) for name, stat in self._stats.items()}
        self.counts.append(found)
        return found


def counted(setting: Setting, beside: list[str]) -> list[dict[str, object]]:
    """Return rows of the table: each partition that something writes to, and the whole."""
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(dir=memory) as name, ExitStack() as stack:
        os.chmod(name, 0o755)
        devices = Watching(setting.file_system, Path(name))
        stack.callback(devices.close)
        for program in beside:
            place = str(devices.places[program])
            process = subprocess.Popen([sys.executable, "-c", BESIDE[program], place])
            stack.callback(process.wait)
            stack.callback(process.kill)
        if setting.engine == "none":
            time.sleep(1)
            devices.taken()
            time.sleep(ALONE_S)
            devices.taken()
            texts = ("", "")
        else:
            texts = ENGINES[setting.engine][1](setting, devices, random.Random(0)).texts
        engines = [host.engine_writes(texts[1], texts[0])] if texts[0] else []
        found = why.explain(devices.seen, engines)
        said: Counter[tuple[str, str]] = Counter()
        for part in found.parts:
            if part.what == "journal":
                place = Path(part.who.partition(" on ")[2]).name
            elif part.what:
                place = "log" if part.what in LOG else "data"
            elif part.who in BESIDE:
                place = part.who
            else:
                place = "data" if setting.engine == "SQLite" else "elsewhere"
            said[place, part.what or "program"] += part.bytes
        before, after = devices.counts
        for name, count in after.items():
            if count > before[name]:
                said[name, "device"] = count - before[name]
        said["all", "device"] = sum(after.values()) - sum(before.values())
        said["all", "not explained"] = found.unexplained - found.excess
        said["all", "seconds"] = found.seconds
        said["all", "rows"] = found.rows
        what = " ".join(map(str, setting)).strip() if setting.engine != "none" else "none"
        named = {"engine": what, "beside": " ".join(beside) or "none",
                 "file_system": setting.file_system}  # fmt: skip
        return [
            {**named, "place": place, "what": what_for, "bytes": round(count)}
            for (place, what_for), count in said.items()
        ]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--line", help="count one setting and keep nothing")
    given = parser.parse_args()
    rows: list[dict[str, object]] = []
    for line in (given.line or SETTINGS).strip().splitlines():
        first, _, beside = line.partition("|")
        (setting,) = settings(first)
        found = counted(setting, beside.split())
        for row in found:
            print(*row.values(), sep=" | ", flush=True)
        rows += found
        if not given.line:
            pd.DataFrame(rows).to_csv(DATA / "why.csv", index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
