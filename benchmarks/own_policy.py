"""Time a cleaning policy of the user's own against the built-in one that chooses alike.

Greedy drives under uniform writes, from few blocks to many: the built-in policy, one that numba
compiles, and for the smallest a function in Python. Each time is CPU time per page that the host
writes, requests drawn included: medians of segments run in turns; ratios are medians over pairs.
Last, the time to compile a second policy.
"""

import argparse
import statistics
import time
from typing import Any

import numba
import numpy as np

from flashwear import ftl, workloads
from flashwear.ftl.arrays import AHEAD

BLOCKS = [256, 1024, 4096, 16_384, 65_536]
PAGES = [128, 512]
OP = 0.28
BATCH = 65_536


@numba.njit
def emptiest(blocks: ftl.Blocks) -> int:
    """Return the lowest number among the blocks with the fewest live pages."""
    best = 0
    for block in range(1, blocks.live.size):
        if blocks.live[block] < blocks.live[best]:
            best = block
    return best


@numba.njit
def by_parts(blocks: ftl.Blocks) -> int:
    """Return the same, found several blocks at a time."""
    return ftl.first_least(blocks.live)


@numba.njit
def oldest(blocks: ftl.Blocks) -> int:
    """Return the block that is full longest."""
    most = blocks.live.max()
    best = -1
    for block in range(blocks.live.size):
        if blocks.live[block] < most and (
            best < 0 or blocks.closed_at[block] < blocks.closed_at[best]
        ):
            best = block
    return best


def in_python(blocks: ftl.Blocks) -> int:
    """Return the lowest number among the blocks with the fewest live pages."""
    return int(blocks.live.argmin())


class Drive:
    """A drive that was filled and overwritten once."""

    def __init__(self, blocks: int, pages: int, policy: Any) -> None:
        user = int(blocks * pages / (1 + OP))
        op = blocks * pages / user - 1
        self.state = ftl.State(user, op, pages_per_block=pages, policy=policy)
        self.words = np.zeros(BATCH + AHEAD, np.int64)
        self.stream = workloads.Sequential().stream(user, 0)
        self.write(user)
        self.stream = workloads.Uniform().stream(user, 0)
        self.write(user)

    def write(self, writes: int) -> float:
        """Write so many pages; return the CPU seconds of each."""
        start, left = time.process_time(), writes
        while left > 0:
            size = self.stream.fill(self.words[: min(BATCH, left)])
            self.state.run_padded(self.words, size)
            left -= size
        return (time.process_time() - start) / writes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    print("pages   blocks  greedy  emptiest  by parts  in Python   fifo    oldest")
    for pages in PAGES:
        for blocks in BLOCKS:
            policies: dict[str, Any] = {"greedy": "greedy", "emptiest": emptiest}
            policies |= {"by parts": by_parts, "in Python": in_python}
            policies |= {"fifo": "fifo", "oldest": oldest}
            drives = {name: Drive(blocks, pages, policy) for name, policy in policies.items()}
            times: dict[str, list[float]] = {name: [] for name in drives}
            for _ in range(rounds):
                for name, drive in drives.items():
                    times[name].append(drive.write(50_000 if name == "in Python" else 500_000))
            cells = []
            for name, segments in times.items():
                base = times["fifo" if name in ("fifo", "oldest") else "greedy"]
                if segments is base:
                    cells.append(f"{statistics.median(segments) * 1e9:5.1f} ns")
                else:
                    pairs = zip(segments, base, strict=True)
                    cells.append(f"{statistics.median(one / other for one, other in pairs):8.2f}")
            print(f"{pages:5} {blocks:8}  " + "  ".join(cells), flush=True)

    @numba.njit
    def second(blocks: ftl.Blocks) -> int:
        return int(np.argmin(blocks.live))

    start = time.perf_counter()
    ftl.State(1000, 0.5, policy=second, pages_per_block=16).run(np.arange(3000) % 1000)
    print(f"a second policy, compiled and run: {time.perf_counter() - start:.2f} s")


if __name__ == "__main__":
    main()
