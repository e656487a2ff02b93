"""Make data/measured_wa.csv from logs of SSD-iq, a benchmark of drives that count flash writes.

``python benchmarks/measured_wa.py FOLDER > data/measured_wa.csv`` reads the logs below from the
folder ``paper`` of https://github.com/gabriel-haas/ssdiq-pub at commit 8a0a3f4. The logs have no
licence: none is kept, and the table holds what is computed from them, with their hashes. Write
amplification is bytes that the flash has programmed, by the drive's own counter, over bytes that
the host has written, for each tenth of a fill of the part of the drive that is written.
"""

import argparse
import hashlib
import sys
from pathlib import Path

import numpy as np
import pandas as pd

LOGS = {
    "finalop02b/iob-log-mp0op02.csv": "Micron 7450 MAX 800GB",
    "finalwa30/iob-log-mp0-finalwa30znstrimzonesize8GBz1to32.csv": "Micron 7450 MAX 800GB",
    "finalinit07/iob-log-init07-san-seq-uni.csv": "Solidigm P5520 1.92TB",
    "finalinit07/iob-log-init07-san-seqshuffle-uni.csv": "Solidigm P5520 1.92TB",
}
SPEEDS = {"finalop02b/iob-stats-id{}-m0op02.csv": "Micron 7450 PRO 960GB"}
"""Drives of which the log with the counter could not be had: what each of 4 threads wrote."""
LOADS = {
    "uniform": "random",
    "sequential": "in order",
    "sequential-noshuffle": "in order",
    "sequential-shuffle": "in order, shuffled",
    "zns-noshuffle": "zones",
}
BIN = 0.1


def rows_of(log: pd.DataFrame) -> pd.DataFrame:
    """Return the write amplification of each run of a log, by tenths of a fill."""
    parts = []
    for run, (_, part) in enumerate(log.groupby("hash", sort=True), 1):
        span = part["usedfilesize"].iloc[0] * 2**30
        host = part["writesTotal"].to_numpy(float) * part["bs"].iloc[0]
        flash = part["physicalMediaUnitsWrittenBytes"].to_numpy(float)
        ends = BIN * np.arange(0, round(host[-1] / span / BIN) + 1)
        at = np.interp(ends, host / span, flash)
        seconds = np.interp(ends, host / span, part["exacttime"].to_numpy(float))
        details = str(part["patternDetails"].iloc[0])
        parts.append(
            pd.DataFrame(
                {
                    "run": run,
                    "load": LOADS[part["pattern"].iloc[0]],
                    "zones": details.split()[1] if "activeZones" in details else "",
                    "span_gib": part["usedfilesize"].iloc[0],
                    "fills": ends[1:].round(1),
                    "wa": (np.diff(at) / (BIN * span)).round(4),
                    "mib_per_s": (BIN * span / 2**20 / np.diff(seconds)).round(1),
                }
            )
        )
    return pd.concat(parts)


def speeds_of(threads: list[pd.DataFrame]) -> pd.DataFrame:
    """Return the rate of host writes of each random run, by tenths of a fill."""
    steps = pd.concat(threads)
    steps = steps[steps["pattern"] == "uniform"]
    sums = steps.groupby(["hash", "filesizeGib", "time"], as_index=False)[
        ["writeMibs", "timeDiff"]
    ].agg({"writeMibs": "sum", "timeDiff": "mean"})
    parts = []
    for run, ((_, span), part) in enumerate(sums.groupby(["hash", "filesizeGib"], sort=True), 1):
        seconds = np.concatenate([[0], part["timeDiff"].cumsum()])
        host = np.concatenate([[0], (part["writeMibs"] * part["timeDiff"]).cumsum()]) / 1024
        ends = BIN * np.arange(0, int(host[-1] / span / BIN + 1e-9) + 1)
        at = np.interp(ends, host / span, seconds)
        parts.append(
            pd.DataFrame(
                {
                    "run": run,
                    "load": "random",
                    "zones": "",
                    "span_gib": span,
                    "fills": ends[1:].round(1),
                    "wa": np.nan,
                    "mib_per_s": (BIN * span * 1024 / np.diff(at)).round(1),
                }
            )
        )
    return pd.concat(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="the folder paper of the repository")
    folder = parser.parse_args().folder
    tables = []
    for name, drive in LOGS.items():
        data = (folder / name).read_bytes()
        log = pd.read_csv(folder / name, skipinitialspace=True, low_memory=False)
        log.columns = log.columns.str.strip()
        table = rows_of(log)
        table.insert(0, "drive", drive)
        table["log"], table["sha256"] = name, hashlib.sha256(data).hexdigest()
        tables.append(table)
    for name, drive in SPEEDS.items():
        files = [folder / name.format(thread) for thread in range(4)]
        table = speeds_of([pd.read_csv(file) for file in files])
        table.insert(0, "drive", drive)
        hashed = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
        table["log"], table["sha256"] = name.format("*"), hashed
        tables.append(table)
    pd.concat(tables).to_csv(sys.stdout, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
