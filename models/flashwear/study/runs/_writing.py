"""The studies of formulas, prices and the flash translation layer: grids, scales, tolerances."""

from flashwear.study.runs import _reads, placements, wearing
from flashwear.study.runs.formulas import skewed_writes, trimmed_writes, uniform_writes
from flashwear.study.runs.placements import placed
from flashwear.study.runs.prices import price_bootstrap
from flashwear.study.runs.steady import settling
from flashwear.study.runs.wearing import wear_out
from flashwear.sweeps import Study

WRITING = (
    Study(
        name="price_bootstrap",
        function=price_bootstrap,
        grid={"year": [2014, 2016], "resamples": [1_000_000]},
        reduced={"resamples": [2_000]},
        keys=("year",),
        tolerance={
            "fixed_low": 2.7,
            "fixed_high": 2.0,
            "per_gb_low": 0.0042,
            "per_gb_high": 0.0112,
        },
        seed=20140928,
        reads=_reads.prices,
    ),
    Study(
        name="uniform_writes",
        function=uniform_writes,
        grid={
            "model": ["FIFO", "greedy", "best of 2", "best of 5", "best of 10", "random"],
            "op": [0.07, 0.1, 0.28, 0.5, 1.0],
            "pages_per_block": [16, 64, 256],
            "blocks": [16_384],
            "drive_writes": [16.0],
        },
        reduced={"blocks": [2_048], "pages_per_block": [16], "drive_writes": [12.0]},
        keys=("model", "op", "pages_per_block"),
        tolerance={"error": 0.012},
        seed=2012,
    ),
    Study(
        name="skewed_writes",
        function=skewed_writes,
        grid={
            "model": ["FIFO", "greedy", "best of 10"],
            "hot_share": [0.2, 0.1, 0.05],
            "op": [0.07, 0.1, 0.28],
            "pages_per_block": [16, 64],
            "blocks": [16_384],
            "drive_writes": [20.0],
        },
        reduced={"blocks": [2_048], "pages_per_block": [16], "drive_writes": [12.0]},
        keys=("model", "hot_share", "op", "pages_per_block"),
        tolerance={"error": 0.012},
        seed=2013,
    ),
    Study(
        name="trimmed_writes",
        function=trimmed_writes,
        grid={
            "model": ["FIFO", "greedy", "best of 10", "random"],
            "trim_share": [0.1, 0.2, 0.4],
            "op": [0.07, 0.28],
            "pages_per_block": [64],
            "blocks": [8_192],
            "drive_writes": [210.0],
        },
        reduced={"blocks": [2_048], "drive_writes": [12.0]},
        keys=("model", "trim_share", "op", "pages_per_block"),
        tolerance={"error": 0.012},
        seed=2014,
    ),
    Study(
        name="settling",
        function=settling,
        grid={
            "policy": ["FIFO", "greedy", "best of 10"],
            "op": [0.05, 0.0737, 0.1, 0.145, 0.2, 0.28, 0.374, 0.5, 0.72, 0.8, 1.0],
            "pages_per_block": [64, 256, 1024],
            "user_pages": [8_000_000],
        },
        reduced={"user_pages": [500_000], "pages_per_block": [64]},
        keys=("policy", "op", "pages_per_block"),
        tolerance={"over_fifo": 0.008, "peak": 0.2, "writes_at_1": 0.0025},
        seed=2015,
    ),
    Study(
        name="settling_scale",
        function=settling,
        grid={
            "policy": ["FIFO", "greedy"],
            "op": [0.0737, 0.28],
            "pages_per_block": [256],
            "user_pages": [1_000_000, 4_000_000, 16_000_000, 62_500_000],
        },
        reduced={"user_pages": [1_000_000]},
        keys=("policy", "op", "pages_per_block", "user_pages"),
        tolerance={"over_fifo": 0.012, "peak": 0.12, "writes_at_1": 0.0025},
        seed=2016,
    ),
    Study(
        name="placements",
        function=placed,
        grid={
            "case": list(placements.CASES),
            "load": list(placements.LOADS),
            "op": [0.07, 0.15, 0.28, 0.5],
            "pages_per_block": [64],
            "user_pages": [262_144],
        },
        reduced={"load": ["80/20"], "op": [0.28], "user_pages": [65_536]},
        keys=("case", "load", "op"),
        tolerance={"wa": 0.03},
        seed=2022,
    ),
    Study(
        name="wear_out",
        function=wear_out,
        grid={
            "case": list(wearing.CASES),
            "spread": [0.0, 0.1, 0.2],
            "cycles": [300],
            "blocks": [1024],
            "lives": [12],
        },
        reduced={"spread": [0.1], "lives": [2]},
        keys=("case", "spread"),
        tolerance={"life": 0.013, "unused": 0.013},
        seed=2017,
    ),
    Study(
        name="wear_scale",
        function=wear_out,
        grid={
            "case": ["uniform"],
            "spread": [0.1],
            "cycles": [100, 300, 1000, 3000],
            "blocks": [256, 1024, 2048],
            "lives": [12],
        },
        reduced={"cycles": [100, 300], "blocks": [256, 1024], "lives": [2]},
        keys=("cycles", "blocks"),
        tolerance={"life": 0.03, "unused": 0.03},
        seed=2018,
    ),
)
