"""Make data/replays.csv and data/traces.csv: public block traces on drives as large as they are.

``python benchmarks/replays.py FOLDER`` reads the files of `TRACES` from the folder, each at the
path REPOSITORY/FILE, and writes both tables to ``data/``. No trace is kept: the tables hold what is
computed from them, with their hashes. Ten minutes on one core.
"""

import argparse
import hashlib
import io
import itertools
import math
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from flashwear import ftl, traces, wa, workloads

DATA = Path(__file__).parents[1] / "data"
OPS = (0.07, 0.15, 0.28)
POLICIES = {
    "FIFO": {"policy": "fifo"},
    "greedy": {"policy": "greedy"},
    "detected": {"policy": "cost_benefit", "frontier": "detected", "temperatures": 5},
}
SETTLE, MEASURE = 20, 10


class File(NamedTuple):
    """A trace in a repository, and what is known of it."""

    repository: str
    commit: str
    path: str
    licence: str
    content: str
    pages_per_block: int


TRACES = {"virtual machine": File("1a1a11a/libCacheSim", "aa0fc40914b2", "data/cloudPhysicsIO.csv",
                                  "GPL-3.0", "two hours of a virtual machine, CloudPhysics", 64),
          "TPC-C": File("CMU-SAFARI/MQSim", "7ec40e3b", "traces/tpcc-small.trace", "MIT",
                        "transactions on 14 disks, shortened", 16),
          "YCSB on ext4": File("MsClaudz/SSD-Simulator", "35a0f5b649a2",
                               "traces/blkparseout_ext4.txt", "none", "a key-value benchmark", 16),
          "YCSB on F2FS": File("MsClaudz/SSD-Simulator", "35a0f5b649a2",
                               "traces/blkparseout_f2fs.txt", "none", "a key-value benchmark",
                               16)}  # fmt: skip


def read(path: Path) -> traces.Trace:
    """Read a file of one of the three formats."""
    if path.suffix == ".txt":
        return traces.read_blkparse(path, action="D")
    if path.suffix == ".csv":
        table = pd.read_csv(path, dtype=str)
        kind = table["op"].map({"2a": "write", "28": "read"})
        if kind.isna().any():
            raise ValueError(
                f"op must be 2a or 28 in each row, got {set(table['op'][kind.isna()])}"
            )
        rows = zip(kind, 512 * table["lbn"].astype(int), table["size"], strict=True)
    else:
        table = pd.read_csv(path, sep=r"\s+", header=None)
        _, disk, sector, sectors, kind = (table[name] for name in table)
        kind = kind.map({0: "write", 1: "read"})
        rows = zip(kind, 512 * (sector + disk * 2**36), 512 * sectors, strict=True)
    log = "\n".join(f"volume {kind} {offset} {size}" for kind, offset, size in rows)
    return traces.read_fio(io.BytesIO(f"fio version 2 iolog\n{log}\n".encode()), strict=True)


def written(trace: traces.Trace) -> traces.Trace:
    """Return the writes of a trace on a drive that has only the pages which it writes."""
    records = trace.records[trace.records["operation"] == workloads.WRITE]
    return replace(trace, records=records).compact()


def orders(trace: traces.Trace, seed: int) -> dict[str, tuple[workloads.Replay, float, float]]:
    """Return the trace and what keeps less and less of its order, with drive writes to run.

    Requests, or pages, are drawn from those of the trace, each draw independent of the others. A
    shuffled loop has every page as often as the trace, in an order of no meaning that comes again.
    """
    rng = np.random.default_rng(seed)
    records, needed = trace.records, (SETTLE + MEASURE) * trace.user_pages
    total = int(records["count"].sum())
    pages = np.concatenate([np.arange(p, p + n) for _, p, n in records.tolist()])
    single = np.ones(needed + 1, workloads.RECORD)
    single["operation"], single["page"] = workloads.WRITE, rng.choice(pages, single.size)
    shuffled = np.ones(pages.size, workloads.RECORD)
    shuffled["operation"], shuffled["page"] = workloads.WRITE, rng.permutation(pages)
    again = math.ceil(needed / total) + 1
    drawn = rng.choice(records, math.ceil(1.1 * needed / total * records.size) + 100)
    loops = workloads.Replay(records, repeat=again)
    length = total / trace.user_pages
    found = {
        "looped": (loops, SETTLE, MEASURE),
        "shuffled, looped": (workloads.Replay(shuffled, repeat=again), SETTLE, MEASURE),
        "requests in no order": (workloads.Replay(drawn), SETTLE, MEASURE),
        "pages in no order": (workloads.Replay(single), SETTLE, MEASURE),
    }
    if length > 2:  # after a drive write, so that no page is as the fill has put it by then
        found["once"] = (loops, 1.0, 0.99 * length - 1)
        found["once, pages in no order"] = (found["pages in no order"][0], 1.0, 0.99 * length - 1)
    return found


def told(found: traces.Summary, policy: str, op: float, block: int) -> dict[str, float]:
    """Return write amplification by closed forms that know more and more of a trace."""
    rank = np.unique(np.geomspace(1, found.pages + 1, 400).round().astype(int))
    zipf = [(np.arange(a, b) ** -found.exponent).sum() for a, b in itertools.pairwise(rank)]
    own = found.writes_per_page * found.pages_with
    classes = {"uniform": ([1.0], [1.0]), "JESD219": wa.JESD219,
               "hot and cold": ([found.write_share, 1 - found.write_share],
                                [found.space_share, 1 - found.space_share]),
               "Zipf": (np.array(zipf) / np.sum(zipf), np.diff(rank) / found.pages),
               "own rates": (own / own.sum(), found.pages_with / found.pages)}  # fmt: skip
    formula = wa.fifo_mixed if policy == "FIFO" else lambda *rest: wa.greedy_mixed(*rest, block)
    return {name: float(formula(op, *map(np.array, shares))) for name, shares in classes.items()}


def main() -> None:
    """Write both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="with REPOSITORY/FILE in it")
    folder = parser.parse_args().folder
    about, replays = [], []
    for name, file in TRACES.items():
        path = folder / file.repository / file.path
        trace = written(read(path))
        found = traces.summary(trace)
        about.append({"trace": name, "content": file.content, "repository": file.repository,
                      "commit": file.commit, "file": file.path, "licence": file.licence,
                      "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
                      "requests": trace.records.size, "page_writes": found.page_writes,
                      "pages": found.pages, "most_writes": int(found.writes_per_page[-1]),
                      "write_share": round(found.write_share, 4),
                      "space_share": round(found.space_share, 4),
                      "exponent": round(found.exponent, 3),
                      "sequential_share": round(found.sequential_share, 4),
                      "mean_run": round(found.mean_run, 1)})  # fmt: skip
        loads = orders(trace, 2012)
        for policy in POLICIES:
            for op in OPS:
                figures = {}
                for order, (load, settle, measure) in loads.items():
                    run = ftl.simulate(found.pages, op, pages_per_block=file.pages_per_block,
                                       workload=load, warmup_drive_writes=settle,
                                       drive_writes=measure, seed=2012, progress=False,
                                       **POLICIES[policy])  # fmt: skip
                    figures[order] = run.wa
                    if order == "pages in no order" and policy != "detected":
                        figures |= told(found, policy, run.effective_op, file.pages_per_block)
                replays += [
                    {"trace": name, "policy": policy, "op": op, "by": by, "wa": round(value, 4)}
                    for by, value in figures.items()
                ]
                print(name, policy, op, {by: round(value, 2) for by, value in figures.items()})
    pd.DataFrame(about).to_csv(DATA / "traces.csv", index=False, lineterminator="\n")
    pd.DataFrame(replays).to_csv(DATA / "replays.csv", index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
