"""The studies whose results the book keeps: ``python -m flashwear.studies`` remakes them.

Each is listed in :data:`STUDIES`; ``make study`` runs them all at full scale and writes
``data/results/``.
"""

import argparse
from pathlib import Path

from flashwear import tables
from flashwear.queueing import procedures
from flashwear.studies import benches, caches, calibration, power, speeds, wearing
from flashwear.studies.formulas import skewed_writes, trimmed_writes, uniform_writes
from flashwear.studies.prices import price_bootstrap
from flashwear.studies.steady import settling, simulated
from flashwear.studies.wearing import wear, wear_out
from flashwear.sweeps import Study

__all__ = [
    "STUDIES",
    "main",
    "price_bootstrap",
    "settling",
    "simulated",
    "skewed_writes",
    "trimmed_writes",
    "uniform_writes",
    "wear",
    "wear_out",
]

STUDIES = {
    study.name: study
    for study in (
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
            data=("prices_2014", "prices_2016"),
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
        Study(
            name="calibration",
            function=calibration.profile,
            grid={
                "fit": list(calibration.FITS),
                "parameter": ["none", *calibration.HELD, *calibration.OTHERS],
                "position": [0.0, 0.5, 1.0],
            },
            reduced={"fit": ["MX300"], "parameter": ["none", "read_s"], "position": [0.5]},
            keys=("fit", "parameter", "position"),
            tolerance={"misfit": 0.01, "read_command_s": 1e-7},
            data=("claims", "external", "drives.toml"),
        ),
        Study(
            name="ratings",
            function=speeds.rating,
            grid={"drive": speeds.RATED, "case": list(speeds.CASES), "scale": [1.0]},
            reduced={"drive": ["m600-256gb", "m500dc-480gb", "p400m-200gb"], "scale": [1 / 64]},
            keys=("drive", "case"),
            tolerance={"log_iops": 0.05},
            seed=2019,
            data=("drives.toml",),
        ),
        Study(
            name="scaling",
            function=speeds.rating,
            grid={
                "drive": ["m600-256gb", "mx300-750gb", "m500dc-480gb", "p400m-200gb"],
                "case": ["sequential write", "random read", "random write, steady"],
                "scale": [1.0, 1 / 4, 1 / 16, 1 / 64, 1 / 256],
            },
            reduced={"scale": [1 / 64, 1 / 256]},
            keys=("drive", "case", "scale"),
            tolerance={"log_iops": 0.001},
            seed=2020,
            data=("drives.toml",),
        ),
        Study(
            name="queue_depths",
            function=speeds.queue_depth,
            grid={
                "drive": ["m500dc-480gb", "m500dc-800gb", "s3500-480gb"],
                "pattern": list(procedures.PATTERNS),
                "depth": list(procedures.DEPTHS),
                "scale": [1.0],
            },
            # writes in order are a transient that small blocks change, by up to 13 %
            reduced={
                "drive": ["m500dc-480gb"],
                "pattern": ["random_write", "random_read", "random_70_30", "sequential_read"],
                "depth": [1, 4, 32],
                "scale": [1 / 64],
            },
            keys=("drive", "pattern", "depth"),
            tolerance={"log_iops": 0.08},
            seed=2021,
            data=("drives.toml",),
        ),
        Study(
            name="desktop_depths",
            function=speeds.desktop_depth,
            grid={
                "drive": ["mx200-500gb", "mx200-1000gb", "mx300-750gb"],
                "pattern": ["random_read", "random_write", "sequential_read", "sequential_write"],
                "depth": list(procedures.DEPTHS),
                "scale": [1.0],
            },
            reduced={"drive": ["mx300-750gb"], "depth": [1, 4, 32], "scale": [1 / 64]},
            keys=("drive", "pattern", "depth"),
            tolerance={"log_iops": 0.05},
            seed=2024,
            data=("drives.toml",),
        ),
        Study(
            name="mixes",
            function=speeds.mixed,
            grid={
                "drive": ["mx200-500gb", "mx200-1000gb", "mx300-750gb"],
                "order": ["sequential", "random"],
                "read_share": [1.0, 0.8, 0.6, 0.4, 0.2, 0.0],
                "scale": [1.0],
            },
            reduced={"read_share": [1.0, 0.4, 0.0], "scale": [1 / 64]},
            keys=("drive", "order", "read_share"),
            tolerance={"log_iops": 0.05},
            seed=2022,
            data=("drives.toml",),
        ),
        Study(
            name="consistency",
            function=speeds.consistency,
            grid={
                "drive": speeds.MEASURED,
                "spare": ["default", "25 % of raw", "25 % of user"],
                "scale": [1.0],
            },
            reduced={"drive": ["m600-256gb", "m600-1024gb"], "scale": [1 / 64]},
            keys=("drive", "spare"),
            tolerance={"log_mean": 0.05},
            seed=2023,
            data=("drives.toml",),
        ),
        Study(
            name="bands",
            function=speeds.banded,
            grid={"drive": speeds.MEASURED, "draw": list(range(40)), "scale": [1 / 64]},
            reduced={"drive": ["m600-256gb", "m600-1024gb"], "draw": [0, 1]},
            keys=("drive", "draw"),
            tolerance={"log_mean": 0.001},
            data=("drives.toml",),
        ),
        Study(
            name="one_terabyte",
            function=speeds.one_terabyte,
            grid={
                "drive": ["m600-256gb", "m600-1024gb"],
                "copy_us": [0.0, 10.0, 15.0, 30.0],
                "map_held": [1.0, 0.5],
                "scale": [1.0],
            },
            reduced={"copy_us": [0.0, 15.0], "map_held": [1.0], "scale": [1 / 64]},
            keys=("drive", "copy_us", "map_held"),
            tolerance={"log_mean": 0.05},
            data=("drives.toml",),
        ),
        Study(
            name="cache_sweeps",
            function=caches.sweep,
            grid={"drive": caches.SWEPT, "variant": ["as modelled"], "scale": [1.0]},
            reduced={"drive": ["m600-128gb", "840-evo-250gb"], "scale": [1 / 64]},
            keys=("drive", "variant"),
            tolerance={"log_mean": 0.02},
            seed=2026,
            data=("drives.toml",),
        ),
        Study(
            name="cache_rules",
            function=caches.sweep,
            grid={
                "drive": ["m600-128gb", "m600-256gb", "mx300-750gb"],
                "variant": list(caches.VARIANTS),
                "scale": [1 / 4],
            },
            reduced={"drive": ["m600-128gb"], "scale": [1 / 64]},
            keys=("drive", "variant"),
            tolerance={"log_mean": 0.02},
            seed=2026,
            data=("drives.toml",),
        ),
        Study(
            name="cache_trim",
            function=caches.trim,
            grid={
                "variant": ["as modelled", "no cache"],
                "idle_s": [0.0, 0.25, 0.5, 1.0, 2.0, 5.0, 60.0, 120.0, 300.0, 600.0],
                "scale": [1 / 16],
            },
            reduced={"idle_s": [0.0, 60.0], "scale": [1 / 64]},
            keys=("variant", "idle_s"),
            tolerance={"log_mean": 0.02},
            seed=2027,
            data=("drives.toml",),
        ),
        Study(
            name="cache_bursts",
            function=caches.burst,
            grid={
                "drive": ["m600-128gb", "m600-256gb", "840-evo-250gb"],
                "fill": [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95],
                "idle_s": [0.0, 10.0, 60.0, 600.0, 3600.0],
                "scale": [1 / 16],
            },
            reduced={"fill": [0.0, 0.5, 0.9], "idle_s": [0.0, 3600.0], "scale": [1 / 64]},
            keys=("drive", "fill", "idle_s"),
            tolerance={"fast_gb": 0.7},
            seed=2028,
            data=("drives.toml",),
        ),
        Study(
            name="cache_minutes",
            function=caches.minutes,
            grid={
                "drive": ["mx300-750gb", "m600-256gb"],
                "variant": list(caches.VARIANTS),
                "scale": [1 / 4],
            },
            reduced={"variant": ["as modelled", "no cache"], "scale": [1 / 64]},
            keys=("drive", "variant"),
            tolerance={"log_mean": 0.05},
            seed=2029,
            data=("drives.toml",),
        ),
        Study(
            name="cache_spans",
            function=caches.spans,
            grid={
                "drive": ["mx300-750gb"],
                "test": list(caches.TESTS),
                "variant": list(caches.VARIANTS),
                "scale": [1 / 4],
            },
            reduced={"variant": ["as modelled", "no cache"], "scale": [1 / 64]},
            keys=("drive", "test", "variant"),
            tolerance={"log_last": 0.05},
            seed=2030,
            data=("drives.toml",),
        ),
        Study(
            name="power_cuts",
            function=power.power_cuts,
            grid={
                "load": list(power.LOADS),
                "cache": ["none"],
                "flush_ms": [0.0, 5.0],
                "cuts": [500],
            },
            reduced={"load": ["in order", "light"], "flush_ms": [5.0], "cuts": [30]},
            keys=("load", "flush_ms"),
            tolerance={
                "at_rest_none": 100.0,
                "at_rest_lower": 0.0,
                "at_rest_finish": 0.0,
                "hit_lower": 0.0,
                "hit_finish": 0.0,
                "in_flight_full": 0.0,
            },
            seed=2025,
            data=("drives.toml",),
        ),
        Study(
            name="power_cuts_cached",
            function=power.power_cuts,
            grid={
                "load": ["in order", "random"],
                "cache": ["all writes"],
                "flush_ms": [0.0, 5.0],
                "cuts": [500],
            },
            reduced={"load": ["in order"], "flush_ms": [5.0], "cuts": [30]},
            keys=("load", "flush_ms"),
            tolerance={
                "at_rest_lower": 0.0,
                "at_rest_finish": 0.0,
                "hit_lower": 0.0,
                "hit_finish": 0.0,
                "in_flight_full": 0.0,
            },
            seed=2026,
            data=("drives.toml",),
        ),
        Study(
            name="storage_bench",
            function=benches.storage_bench,
            grid={
                "drive": benches.DRIVES,
                "case": benches.CASES,
                "draw": list(range(benches.DRAWS)),
                "coarser": [1.0],
            },
            reduced={"drive": ["m600-256gb", "mx100-256gb"], "draw": [0]},
            keys=("drive", "case", "draw"),
            tolerance={"mb_per_s": 0.001, "service_us": 0.001},
            data=("benches", "drives.toml"),
        ),
        Study(
            name="storage_bench_scale",
            function=benches.storage_bench,
            grid={
                "drive": ["m600-256gb", "mx300-750gb", "840-evo-250gb"],
                "case": benches.CASES,
                "draw": [0, 1],
                "coarser": [0.25, 1.0],
            },
            reduced={"drive": ["m600-256gb"], "draw": [0], "coarser": [1.0]},
            keys=("drive", "case", "draw", "coarser"),
            tolerance={"mb_per_s": 0.001, "service_us": 0.001},
            data=("benches", "drives.toml"),
        ),
    )
}
"""All kept studies by name."""


def main(arguments: list[str] | None = None) -> int:
    """Run the studies named on the command line (all by default) and write their tables."""
    parser = argparse.ArgumentParser(prog="python -m flashwear.studies", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="STUDY", help=f"one of {', '.join(STUDIES)}")
    parser.add_argument("--folder", type=Path, default=tables.data_folder() / "results")
    parser.add_argument("--cache", type=Path, help="folder in which a broken run is resumed")
    parser.add_argument("--jobs", type=int, default=-1, help="processes (default: all cores)")
    options = parser.parse_args(arguments)
    for name in options.names or STUDIES:
        if name not in STUDIES:
            parser.error(f"STUDY must be one of {', '.join(STUDIES)}, got {name!r}")
    for name in options.names or STUDIES:
        study = STUDIES[name]
        table = study.run(full=True, n_jobs=options.jobs, cache=options.cache, progress=True)
        study.save(table, options.folder)
        print(f"{name}: {len(table)} rows written to {options.folder / name}.csv")
    return 0
