"""Time the queueing model.

Prints, for random reads of 4 KiB on a full drive (no cleaning) and for random writes in a steady
state at a write amplification of about 2, the requests per second of CPU time, and what the load is
in the model: write amplification, requests per second of its own time, busiest station. CPU times
of this process, compilation and filling of the drive excluded: the best of several rounds, the
loads in turn. Compare figures of one run only.
"""

import argparse
import time

import numpy as np

from flashwear.drives import Drive
from flashwear.queueing import requests as io
from flashwear.queueing import twin
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
    parser.add_argument("--rounds", type=int, default=3, help="rounds, the best of which counts")
    parser.add_argument("--ios", type=int, default=2_000_000, help="requests of a round")
    parser.add_argument("--scale", type=int, default=1, help="size of the drive, in units of 4 GB")
    options = parser.parse_args()

    chosen = drive(options.scale)
    best: dict[str, tuple[float, Result]] = {}
    for number in range(options.rounds):
        for name, (access, share, writes) in LOADS.items():
            ios = max(1, int(options.ios * share))
            plan = planned(chosen, 32, None, ios, 0.0)
            start = prepared(plan, chosen, access, number, "sequential", writes, 1.0)
            if not number and name == next(iter(LOADS)):
                twin.run(chosen, access, ios=100)
            began = time.process_time()
            result = twin.carry_out(start, False, lambda now, completed: None)
            spent = (time.process_time() - began) / ios
            if name not in best or spent < best[name][0]:
                best[name] = spent, result

    print(f"{'':18}{'M IO/s':>9}{'ns per IO':>11}{'WA':>7}{'simulated IO/s':>16}{'busiest':>12}")
    for name, (spent, result) in best.items():
        rate = result.ios / result.elapsed_s
        wa = result.wa if np.isfinite(result.wa) else 1.0
        print(
            f"{name:18}{1e-6 / spent:9.2f}{spent * 1e9:11.0f}{wa:7.2f}{rate:16.0f}"
            f"{result.bottleneck:>12}"
        )


if __name__ == "__main__":
    main()
