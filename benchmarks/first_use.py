"""Time the first use of compiled code: ``python benchmarks/first_use.py``.

Each run is a process of its own with an empty folder of compiled code, then one with what the first
has left there; "plain" keeps to what numba promises. Wall and CPU seconds from the call to its
result, imports before it not counted. Use it on a quiet machine.
"""

import os
import subprocess
import sys
import tempfile
from itertools import product

CODE = """
import time
{imports}
wall, processor = time.perf_counter(), time.process_time()
{run}
print(f"{{time.perf_counter() - wall:7.2f}} {{time.process_time() - processor:7.2f}}")
"""
RUNS = {
    "ftl.simulate": ("from flashwear import ftl", "ftl.simulate(50_000, op=0.28)"),
    "queueing.twin.run": (
        "from flashwear import drives\nfrom flashwear.queueing import twin",
        "twin.run(drives.load('m600-256gb').scaled(1 / 64), 'uniform', ios=2000)",
    ),
    "queueing.reference.run": (
        "from flashwear import drives\nfrom flashwear.queueing import reference",
        "reference.run(drives.load('m600-256gb').scaled(1 / 64), 'uniform', ios=2000)",
    ),
}


def main() -> None:
    print("                                first: wall, CPU    again: wall, CPU")
    for (name, (imports, run)), plain in product(RUNS.items(), ("", "1")):
        with tempfile.TemporaryDirectory() as folder:
            own = {"NUMBA_CACHE_DIR": folder, "FLASHWEAR_PLAIN_NUMBA": plain}
            environment = os.environ | own | {"FLASHWEAR_BOOK": "quiet"}
            code = CODE.format(imports=imports, run=run)
            times = [
                subprocess.run(
                    [sys.executable, "-c", code],
                    env=environment,
                    capture_output=True,
                    text=True,
                    check=True,
                ).stdout.strip()
                for _ in range(2)
            ]
        mode = "plain" if plain else ""
        print(f"{name:24} {mode:5}  {times[0]:>16}    {times[1]:>16}", flush=True)


if __name__ == "__main__":
    main()
