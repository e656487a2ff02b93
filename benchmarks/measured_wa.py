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
    pd.concat(tables).to_csv(sys.stdout, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
