"""Time the closed forms of write amplification.

Prints the CPU seconds per million evaluations, the best of several interleaved rounds,
and their ratio to the time of one exponential function on as many numbers in the same run.
"""

import argparse
import time
from collections.abc import Callable

import numpy as np

from flashwear import wa

MILLION = 1_000_000


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--pages", type=int, nargs="+", default=[16, 64, 256, 4096], help="pages per block"
    )
    parser.add_argument("--rounds", type=int, default=5, help="rounds, the best of which counts")
    parser.add_argument(
        "--points", type=int, default=MILLION, help="evaluations of a vectorised form per round"
    )
    parser.add_argument(
        "--slow-points", type=int, default=100, help="evaluations of an iterated form per round"
    )
    options = parser.parse_args()

    rng = np.random.default_rng(0)
    many = rng.uniform(0.01, 1.0, options.points)
    few = rng.uniform(0.01, 1.0, options.slow_points)
    cases: dict[str, tuple[int, Callable[[], object]]] = {
        "numpy.exp": (many.size, lambda: np.exp(many)),
        "fifo": (many.size, lambda: wa.fifo(many)),
    }
    for b in options.pages:
        cases[f"greedy, b = {b}"] = many.size, lambda b=b: wa.greedy(many, b)
    for b in options.pages:
        cases[f"d_choices, d = 10, b = {b}"] = few.size, lambda b=b: wa.d_choices(few, 10, b)

    for _, run in cases.values():  # imports and compilation are not timed
        run()
    best = dict.fromkeys(cases, float("inf"))
    for _ in range(options.rounds):
        for name, (points, run) in cases.items():
            start = time.process_time()
            run()
            best[name] = min(best[name], (time.process_time() - start) / points * MILLION)

    print(f"{'':28}{'s per million':>15}{'to numpy.exp':>15}")
    for name, seconds in best.items():
        print(f"{name:28}{seconds:15.4g}{seconds / best['numpy.exp']:15.4g}")


if __name__ == "__main__":
    main()
