"""Make four tables from logs of SSD-iq, a benchmark of drives that count flash writes.

``python benchmarks/measured_wa.py FOLDER data`` reads the logs below from the folder ``paper`` of
https://github.com/gabriel-haas/ssdiq-pub at commit 8a0a3f4. The logs have no licence: none is kept,
and the tables hold what is computed from them, with their hashes.

``measured_wa.csv`` has the write amplification: bytes that the flash has programmed, by the drive's
own counter, over bytes that the host has written, for each tenth of a fill of the part of the drive
that is written. ``measured_blocks.csv`` has what the 7450 MAX says of its free blocks, in whole per
cent: when the reading fell, in bytes that the host had written since the drive was empty.
``measured_wear.csv`` has the state of the P5520 in each of its runs, and when it began to clean;
``measured_loads.csv`` has its speeds under loads without the counter.
"""

import argparse
import hashlib
import io
import re
from pathlib import Path

import numpy as np
import pandas as pd

MAX, PRO = "Micron 7450 MAX 800GB", "Micron 7450 PRO 960GB"
P5520 = "Solidigm P5520 1.92TB"
LOGS = {
    "finalop02b/iob-log-mp0op02.csv": MAX,
    "finalwa28/iob-log-mp0-finalwa28znstrim.csv": MAX,
    "finalwa30/iob-log-mp0-finalwa30znstrimzonesize8GBz1to32.csv": MAX,
    "finalinit07/iob-log-init07-san-seq-uni.csv": P5520,
    "finalinit07/iob-log-init07-san-seqshuffle-uni.csv": P5520,
    "finalinit07/iob-log-init07-san-none-zipf.csv": P5520,
    "finalinit07/iob-log-init07-san-seq-zipf.csv": P5520,
    "finalinit07/iob-log-init07-san-seqshuffle-zipf.csv": P5520,
    "finalinit12/iob-log-init12-noshuffle-zipf-san-seq-zipf.csv": P5520,
    "finalini10/iob-log-init10-fiozipf-none-with-erase-san-none-fiozipf.csv": P5520,
    "finalinit07/iob-log-init07-san-none-fiozipf.csv": P5520,
    "finalinit07/iob-log-init07-san-seq-fiozipf.csv": P5520,
    "finalinit07/iob-log-init07-san-seqshuffle-fiozipf.csv": P5520,
    "finalinit09/iob-log-init09-fiozipf-san-none-fiozipf.csv": P5520,
    "finalinit09/iob-log-init09-fiozipf-san-seq-fiozipf.csv": P5520,
    "finalinit09/iob-log-init09-fiozipf-san-seqshuffle-fiozipf.csv": P5520,
}
SPEEDS = {
    "finalop02b/iob-stats-id{}-m0op02.csv": 4,
    "finalwa28/iob-stats-id{}-m0-finalwa28znstrim.csv": 1,
    "finalwa30/iob-stats-id{}-m0-finalwa30znstrimzonesize8GBz1to32.csv": 1,
}
"""What each thread wrote on the PRO, whose logs with the counter could not be had."""
UNCOUNTED = (
    "finalinit12/iob-stats-id0-init12-noshuffle-zipf-san-none-zipf.csv",
    "finalwa14/iob-stats-id0-i1-finalwa14rozipf.csv",
)
"""Speeds of the P5520 in runs whose logs with the counter could not be had."""
LOADS = {"uniform": "random", "sequential": "in order", "sequential-noshuffle": "in order",
         "sequential-shuffle": "in order, shuffled", "zns-noshuffle": "zones",
         "zipf-shuffle": "Zipf 0.8, shuffled", "zipf-noshuffle": "Zipf 0.8",
         "fiozipf-shuffle": "fio's Zipf 0.8"}  # fmt: skip
SPAN, THREADS = 1788.5, 4
"""GiB of the P5520, and threads of which a file without a header has the first."""
BIN = 0.1
EVEN = 2
"""Per cent of free blocks above which each fall of the reading is of new data alone."""


def described(run: int, part: pd.DataFrame, span: float) -> dict[str, object]:
    """Return what is written in a run of a log."""
    load = LOADS[part["pattern"].iloc[0]]
    details = str(part["patternDetails"].iloc[0]) if load == "zones" else ""
    zones, pages = [*re.findall(r"\d+", details), "", ""][:2]
    return {
        "run": run,
        "load": load,
        "zones": zones,
        "range_mib": pages and f"{int(pages) / 2:g}",  # of 512 KiB
        "span_gib": span,
    }


def readings(host: np.ndarray, flash: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return where a counter was read: one renewed once a minute, and not between runs, is so then.

    Both ends follow from the two renewals next to them.
    """
    new = 1 + np.flatnonzero(np.diff(flash))
    if new.size > host.size / 2:
        return host, flash
    ends = [
        np.polyval(np.polyfit(host[near], flash[near], 1), host[end])
        for near, end in ((new[:2], 0), (new[-2:], -1))
    ]
    return (
        np.concatenate([host[:1], host[new], host[-1:]]),
        np.concatenate([ends[:1], flash[new], ends[1:]]),
    )


def rows_of(log: pd.DataFrame) -> pd.DataFrame:
    """Return the write amplification of each run of a log, by tenths of a fill."""
    parts = []
    for run, (_, part) in enumerate(log.groupby("hash", sort=True), 1):
        span = part["usedfilesize"].iloc[0] * 2**30
        host = part["writesTotal"].to_numpy(float) * part["bs"].iloc[0]
        flash = part["physicalMediaUnitsWrittenBytes"].to_numpy(float)
        ends = BIN * np.arange(0, round(host[-1] / span / BIN) + 1)
        at = np.interp(ends, *(points / span for points in readings(host, flash))) * span
        seconds = np.interp(ends, host / span, part["exacttime"].to_numpy(float))
        parts.append(pd.DataFrame({
            **described(run, part, part["usedfilesize"].iloc[0]), "fills": ends[1:].round(1),
            "wa": (np.diff(at) / (BIN * span)).round(4),
            "mib_per_s": (BIN * span / 2**20 / np.diff(seconds)).round(1)}))  # fmt: skip
    return pd.concat(parts)


def speeds_of(threads: list[pd.DataFrame]) -> pd.DataFrame:
    """Return the rate of host writes of each run but the fills, by tenths of a fill."""
    steps = pd.concat(threads)
    steps = steps[steps["pattern"].isin(["uniform", "zns-noshuffle"])]
    keys = ["hash", "filesizeGib", "pattern", "patternDetails"]
    sums = steps.groupby([*keys, "time"], as_index=False, dropna=False).agg(
        {"writeMibs": "sum", "timeDiff": "mean"}
    )
    parts = []
    for run, (_, part) in enumerate(sums.groupby("hash", sort=True), 1):
        span = part["filesizeGib"].iloc[0]
        seconds = np.concatenate([[0], part["timeDiff"].cumsum()])
        host = np.concatenate([[0], (part["writeMibs"] * part["timeDiff"]).cumsum()]) / 1024
        ends = BIN * np.arange(0, int(host[-1] / span / BIN + 1e-9) + 1)
        at = np.interp(ends, host / span, seconds)
        parts.append(pd.DataFrame({
            **described(run, part, span), "fills": ends[1:].round(1), "wa": np.nan,
            "mib_per_s": (BIN * span * 1024 / np.diff(at)).round(1)}))  # fmt: skip
    return pd.concat(parts)


def blocks_of(log: pd.DataFrame) -> pd.DataFrame:
    """Return when the reading of free blocks fell, in each run after a fill."""
    parts = []
    for run, (_, part) in enumerate(log.groupby("hash", sort=True), 1):
        if LOADS[part["pattern"].iloc[0]] == "in order":
            continue
        span = part["usedfilesize"].iloc[0]
        host = part["writesTotal"].to_numpy(float) * part["bs"].iloc[0] / 2**30
        flash = part["physicalMediaUnitsWrittenBytes"].to_numpy(float) / 2**30
        free = part["percentFreeBlocks"].to_numpy()
        falls = {low: int(np.argmax(free <= low)) for low in range(free[0] - 1, free.min() - 1, -1)}
        even = [low for low in falls if low > EVEN]
        at = [falls[low] for low in even]
        late = pd.Series(free[host > 0.7 * host[-1]])
        last = late.mode().iloc[0]
        parts.append({**described(run, part, span), "free_first": free[0],
                      "step_gib": round(-np.polyfit(even, host[at], 1)[0], 2),
                      "step_programmed_gib": round(-np.polyfit(even, flash[at], 1)[0], 2),
                      "at_2_gib": round(span + host[falls[2]], 1),
                      "at_1_gib": round(span + host[falls[1]], 1) if 1 in falls else "",
                      "free_late": last,
                      "share_late": round((late == last).mean(), 3)})  # fmt: skip
    return pd.DataFrame(parts)


def cleaning(part: pd.DataFrame) -> float:
    """Return the fills after which the host's rate is first below 3/4 of what it was, if ever.

    The drive then begins to clean. This was set before the runs called fiozipf were read.
    """
    host = part["writesTotal"].to_numpy(float) * part["bs"].iloc[0]
    rate = part["writesMBs"].rolling(15).mean()
    slow = np.flatnonzero(rate.iloc[30:] < 0.75 * rate.iloc[20:100].mean())
    return float(host[30 + slow[0]] / part["usedfilesize"].iloc[0] / 2**30) if slow.size else np.nan


def wear_of(log: pd.DataFrame) -> pd.DataFrame:
    """Return the state of the drive in each run of a log."""
    parts = []
    for run, (hashed, part) in enumerate(log.groupby("hash", sort=True), 1):
        first, last = part.iloc[0], part.iloc[-1]
        span = first["usedfilesize"]
        filling = LOADS[first["pattern"]].startswith("in order")
        parts.append({**described(run, part, span), "started": hashed,
                      "fills": round(last["writesTotal"] * first["bs"] / span / 2**30, 3),
                      "programmed_tb": round(first["physicalMediaUnitsWrittenBytes"] / 1e12, 1),
                      "erases_least": first["minUserDataEraseCount"],
                      "erases_most": first["maxUserDataEraseCount"],
                      "erases_least_end": last["minUserDataEraseCount"],
                      "erases_most_end": last["maxUserDataEraseCount"],
                      "free_first": first["percentFreeBlocks"],
                      "cleans_at": "" if filling else round(cleaning(part), 4)})  # fmt: skip
    return pd.DataFrame(parts).drop(columns=["zones", "range_mib"])


def load_of(pattern: str, details: str) -> str:
    """Return the name of a load: Zipf's law by its exponent, or the share that is cold or rests."""
    if not pattern.startswith("zones"):
        return (
            re.sub(r"[\d.]+", f"{float(details):g}", LOADS[pattern]) if details else LOADS[pattern]
        )
    cold, writes = re.findall(r"[\d.]+", details)[:2]
    return f"{'cold' if float(writes) else 'rest'} {float(cold):g}, shuffled"


def steps_of(data: bytes) -> pd.DataFrame:
    """Return the speeds of a run, of all threads, also from a file without a header."""
    if data.startswith(b"hash"):
        return pd.read_csv(io.BytesIO(data))
    names = {0: "hash", 4: "timeDiff", 7: "pattern", 8: "patternDetails", 14: "writeMibs"}
    steps = pd.read_csv(io.BytesIO(data), header=None, low_memory=False).rename(columns=names)
    return steps.assign(writeMibs=THREADS * steps["writeMibs"])


def uncounted(steps: pd.DataFrame) -> pd.DataFrame:
    """Return the rate of each run but the fills by whole fills, and when the drive began to clean.

    The rate of a step is then first below 3/4 of what it was; this was set before it was read.
    """
    parts = []
    steps = steps[~steps["pattern"].str.startswith("sequential")]
    for run, (hashed, part) in enumerate(steps.groupby("hash", sort=True), 1):
        rate = part["writeMibs"].to_numpy()
        seconds = np.append(0, part["timeDiff"].cumsum())
        host = np.append(0, (rate * part["timeDiff"]).cumsum()) / 1024 / SPAN
        ends = np.arange(int(host[-1] + 0.005) + 1)
        before = rate[(host[1:] > 0.02) & (host[1:] < 0.1)].mean()
        slow = np.flatnonzero((host[1:] > 0.02) & (rate < 0.75 * before))
        details = part["patternDetails"].fillna("").astype(str).iloc[0].strip('"')
        parts.append(pd.DataFrame({
            "drive": P5520, "run": run, "load": load_of(part["pattern"].iloc[0], details),
            "span_gib": SPAN, "started": hashed,
            "cleans_at": round(host[slow[0]], 4) if slow.size else np.nan, "fills": ends[1:],
            "mib_per_s": (SPAN * 1024 / np.diff(np.interp(ends, host, seconds))).round(1),
        }))  # fmt: skip
    return pd.concat(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("logs", type=Path, help="the folder paper of the repository")
    parser.add_argument("tables", type=Path, help="the folder that the tables go to")
    options = parser.parse_args()
    measured, blocks, wear = [], [], []
    for name, drive in LOGS.items():
        data = (options.logs / name).read_bytes()
        log = pd.read_csv(io.BytesIO(data), skipinitialspace=True, low_memory=False)
        log.columns = log.columns.str.strip()
        found = [(measured, rows_of(log))]
        if drive == MAX:
            found.append((blocks, blocks_of(log)))
        if drive == P5520:
            found.append((wear, wear_of(log)))
        for tables, table in found:
            table.insert(0, "drive", drive)
            table["log"], table["sha256"] = name, hashlib.sha256(data).hexdigest()
            tables.append(table)
    for name, threads in SPEEDS.items():
        files = [options.logs / name.format(thread) for thread in range(threads)]
        table = speeds_of([pd.read_csv(file) for file in files])
        table.insert(0, "drive", PRO)
        hashed = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
        table["log"], table["sha256"] = name.format("*"), hashed
        measured.append(table)
    loads = []
    for name in UNCOUNTED:
        data = (options.logs / name).read_bytes()
        loads.append(uncounted(steps_of(data)))
        loads[-1]["log"], loads[-1]["sha256"] = name, hashlib.sha256(data).hexdigest()
    made = {"wa": measured, "blocks": blocks, "wear": wear, "loads": loads}
    for name, tables in made.items():
        path = options.tables / f"measured_{name}.csv"
        pd.concat(tables).to_csv(path, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
