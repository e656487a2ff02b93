"""The short tests whose results the reviews draw as bars, on the modelled drives."""

from dataclasses import replace
from typing import Any

import numpy as np

from flashwear import drives
from flashwear._domain import one_of
from flashwear.sweeps import Study
from flashwear.units import KIB
from flashwear_book import protocols
from flashwear_book.runs._reads import modelled

DRIVES = ["m600-128gb", "m600-256gb", "m600-512gb", "m600-1024gb", "mx100-128gb", "mx100-256gb",
          "mx100-512gb"]  # fmt: skip
"""The drives of the client tests of 2014 that are modelled."""


def client(drive: str, test: str, scale: float, seed: int) -> dict[str, Any]:
    """Simulate a test that the reviews of client drives of 2014 used.

    `drive` names a drive of the catalogue, `test` a test of
    :data:`flashwear_book.protocols.CLIENT`, such as "random read, full" (a full drive); `scale` is
    the size of the simulated drive over that of the real one, in (0, 1].

    Result: ``mb_per_s`` and its natural logarithm ``log_mb``; ``wa``, the write amplification;
    ``bottleneck``, the busiest station, and its ``utilisation``, the share of time it is busy.
    """
    one_of("test", test, list(protocols.CLIENT))
    found = protocols.CLIENT[test].figures(
        drives.load(drive), seed=seed, scale=scale, progress=False
    )
    figures: dict[str, Any] = {
        name: found[name] for name in ("mb_per_s", "wa", "bottleneck", "utilisation")
    }
    return {**figures, "log_mb": float(np.log(figures["mb_per_s"]))}


def transfer(drive: str, kind: str, kib: float, scale: float, seed: int = 0) -> dict[str, Any]:
    """Simulate a step of the ATTO benchmark: 256 MiB in order, in requests of `kib` KiB.

    `kind` is "read" or "write", `scale` the size of the simulated drive over the real one's, in (0,
    1]. The drive holds nothing but the file that is read.

    Result: ``mb_per_s``, and ``bottleneck``, the busiest station.
    """
    one_of("kind", kind, list(protocols.TRANSFERS))
    if isinstance(kib, bool) or kib not in protocols.TRANSFER_KIB:
        sizes = ", ".join(f"{size:g}" for size in protocols.TRANSFER_KIB)
        raise ValueError(f"kib must be one of {sizes}, got {kib!r}")
    test = protocols.TRANSFERS[kind]
    step = replace(test, access=replace(test.access, size=round(kib * KIB)))
    result = step.run(drives.load(drive).scaled(scale), seed=seed, record=False, progress=False)
    rate = result.ios * step.access.size / result.elapsed_s / 1e6
    return {"mb_per_s": rate, "bottleneck": result.bottleneck}


STUDIES = (
    Study(
        name="client_tests",
        function=client,
        grid={"drive": DRIVES, "test": list(protocols.CLIENT), "scale": [1.0]},
        # at 1/64 random writes come out up to 3 % faster
        reduced={"drive": ["m600-256gb", "mx100-256gb"], "scale": [1 / 16]},
        keys=("drive", "test"),
        tolerance={"log_mb": 0.02},
        seed=2031,
        reads=modelled,
    ),
    Study(
        name="transfers",
        function=transfer,
        grid={
            "drive": [*DRIVES, "mx200-500gb", "mx300-750gb"],
            "kind": ["read", "write"],
            "kib": list(protocols.TRANSFER_KIB),
            "scale": [1 / 16],
        },
        reduced={"drive": ["m600-256gb", "mx100-256gb"], "kib": [0.5, 4.0, 128.0]},
        keys=("drive", "kind", "kib"),
        tolerance={"mb_per_s": 0.001},
        reads=modelled,
    ),
)
