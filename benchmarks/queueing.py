"""Time the queueing model: compiled, and in SimPy.

For random reads of 4 KiB on a full drive (no cleaning) and for random writes in a steady state at a
write amplification of about 2: the requests per second of CPU time of the compiled model and of
the SimPy reference, their ratio, and of how many requests the two give the same completion time,
to the nanosecond; and what the load is in the model: write amplification, requests per second of
its own time, busiest station. CPU times of this process, compilation and filling of the drive
excluded: the best of several rounds, models and loads in turn. Compare figures of one run only.
"""

import argparse
import copy
import time
from collections.abc import Callable

import numpy as np

from flashwear import ftl
from flashwear.drives import Drive
from flashwear.queueing import reference, twin
from flashwear.queueing import requests as io
from flashwear.queueing.plan import planned, prepared
from flashwear.queueing.result import Result


def drive(scale: int) -> Drive:
    """Return a drive of 16 dies whose steady random writes have a write amplification near 2."""
    blocks, pages = 64, 128 * scale
    raw = 16 * 2 * 16384 * pages * blocks
    return Drive(
        name="benchmark",
        user_bytes=int(raw * 0.72) // 4096 * 4096,
        dies=16,
        planes=2,
        page_bytes=16384,
        pages_per_block=pages,
        blocks_per_plane=blocks,
        channels=8,
        channel_bytes_per_s=333e6,
        read_s=50e-6,
        program_s=(500e-6, 1500e-6),
        erase_s=3e-3,
        link_overhead_s=1e-6,
        read_command_s=2e-6,
        write_command_s=2e-6,
        buffer_bytes=1 << 23,
    )


LOADS = {
    "reads, QD 32": (io.Access(4096, read_share=1.0), 1.0, 0.0),
    "writes, steady": (io.Access(4096), 0.35, 3.0),
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--rounds", type=at_least_one, default=3, help="rounds, the best of which counts"
    )
    parser.add_argument("--ios", type=at_least_one, default=2_000_000, help="requests of a round")
    parser.add_argument(
        "--reference-ios", type=at_least_one, default=40_000, help="requests of a round in SimPy"
    )
    parser.add_argument(
        "--scale", type=at_least_one, default=1, help="size of the drive, in units of 4 GB"
    )
    options = parser.parse_args()

    chosen = drive(options.scale)
    twin.run(chosen, io.Access(4096), ios=100)  # compiles
    print(
        f"{'':18}{'M IO/s':>9}{'SimPy k IO/s':>14}{'ratio':>8}{'same times':>22}{'WA':>7}"
        f"{'simulated IO/s':>16}{'busiest':>12}"
    )
    for name, (access, share, writes) in LOADS.items():
        many, few = max(1, int(options.ios * share)), max(1, int(options.reference_ios * share))
        fast, slow, same = [], [], 0
        for seed in range(options.rounds):
            start = filled(chosen, access, writes, seed)
            spent, result = timed(twin.run, chosen, access, start, many, seed, False)
            fast.append(spent)
            _, ours = timed(twin.run, chosen, access, start, few, seed)
            spent, theirs = timed(reference.run, chosen, access, start, few, seed)
            slow.append(spent)
            assert ours.completion_s is not None
            same += int((ours.completion_s == theirs.completion_s).sum())
        rate = result.ios / result.elapsed_s
        wa = result.wa if np.isfinite(result.wa) else 1.0
        equal = f"{same:,} of {few * options.rounds:,}"
        print(
            f"{name:18}{1e-6 / min(fast):9.2f}{1e-3 / min(slow):14.1f}{min(slow) / min(fast):8.0f}"
            f"{equal:>22}{wa:7.2f}{rate:16.0f}{result.bottleneck:>12}",
            flush=True,
        )


def filled(chosen: Drive, access: io.Access, writes: float, seed: int) -> ftl.State:
    """Return a drive that was filled in order and then written at random, in no time."""
    plan = planned(chosen, 32, None, 1, 0.0)
    return prepared(plan, chosen, access, seed, "sequential", writes, 1.0).state


def timed(
    run: Callable[..., Result],
    chosen: Drive,
    access: io.Access,
    start: ftl.State,
    ios: int,
    seed: int,
    record: bool = True,
) -> tuple[float, Result]:
    """Return the CPU seconds of a request, and the result, of a drive in a given state."""
    state = copy.deepcopy(start)
    began = time.process_time()
    result = run(chosen, access, ios=ios, seed=seed, state=state, record=record, progress=False)
    return (time.process_time() - began) / ios, result


def at_least_one(text: str) -> int:
    """Return the whole number that an argument gives."""
    if (value := int(text)) < 1:
        raise argparse.ArgumentTypeError(f"must be >= 1, got {value}")
    return value


if __name__ == "__main__":
    main()
