"""The studies of speed: which drives and tests, at what scale, and the tolerance of a rerun."""

from flashwear import drives
from flashwear.predict import TESTS
from flashwear.queueing import procedures
from flashwear.study import protocols
from flashwear.study.runs import _reads, closed_forms, short_tests, speeds, times
from flashwear.sweeps import Study

TIMING = (
    Study(
        name="times",
        function=times.of_drive,
        grid={"drive": drives.names()},
        reduced={"drive": ["m600-256gb", "mx300-750gb"]},
        keys=("drive",),
        # the fit ends when its steps are small, not when there are none
        tolerance={"write_unit_s": 1e-7, "program_s": 1e-5},
        reads=_reads.speeds,
    ),
    Study(
        name="closed_forms",
        function=closed_forms.compared,
        grid={"drive": closed_forms.DRIVES, "test": list(TESTS)},
        reduced={"drive": ["m600-128gb", "mx300-1050gb"]},
        keys=("drive", "test"),
        tolerance={"log_ratio": 0.005},
        seed=2032,
        reads=_reads.modelled,
    ),
    Study(
        name="ratings",
        function=speeds.rating,
        grid={"drive": speeds.RATED, "case": list(protocols.RATINGS), "scale": [1.0]},
        reduced={"drive": ["m600-256gb", "m500dc-480gb", "p400m-200gb"], "scale": [1 / 64]},
        keys=("drive", "case"),
        tolerance={"log_iops": 0.05},
        seed=2019,
        reads=_reads.modelled,
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
        reads=_reads.modelled,
    ),
    Study(
        name="queue_depths",
        function=speeds.queue_depth,
        grid={
            "drive": ["m500dc-480gb", "m500dc-800gb", "s3500-480gb"],
            "pattern": list(protocols.ENTERPRISE),
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
        reads=_reads.modelled,
    ),
    Study(
        name="desktop_depths",
        function=speeds.desktop_depth,
        grid={
            "drive": ["mx200-500gb", "mx200-1000gb", "mx300-750gb"],
            "pattern": list(protocols.DESKTOP),
            "depth": list(procedures.DEPTHS),
            "scale": [1.0],
        },
        reduced={"drive": ["mx300-750gb"], "depth": [1, 4, 32], "scale": [1 / 64]},
        keys=("drive", "pattern", "depth"),
        tolerance={"log_iops": 0.05},
        seed=2024,
        reads=_reads.modelled,
    ),
    Study(
        name="mixes",
        function=speeds.mixed,
        grid={
            "drive": ["mx200-500gb", "mx200-1000gb", "mx300-750gb"],
            "order": list(protocols.MIXED),
            "read_share": list(protocols.READ_SHARES),
            "scale": [1.0],
        },
        reduced={"read_share": [1.0, 0.4, 0.0], "scale": [1 / 64]},
        keys=("drive", "order", "read_share"),
        tolerance={"log_iops": 0.05},
        seed=2022,
        reads=_reads.modelled,
    ),
    Study(
        name="consistency",
        function=speeds.consistency,
        grid={
            "drive": list(speeds.MEASURED),
            "spare": list(protocols.SPARE),
            "scale": [1.0],
        },
        reduced={"drive": ["m600-256gb", "m600-1024gb"], "scale": [1 / 64]},
        keys=("drive", "spare"),
        tolerance={"log_mean": 0.05},
        seed=2023,
        reads=_reads.modelled,
    ),
    Study(
        name="bands",
        function=speeds.banded,
        grid={"drive": list(speeds.MEASURED), "draw": list(range(speeds.DRAWS)), "scale": [1 / 64]},
        reduced={"drive": ["m600-256gb", "m600-1024gb"], "draw": [0, 1]},
        keys=("drive", "draw"),
        tolerance={"log_mean": 0.001},
        reads=_reads.banded,
    ),
    Study(
        name="one_terabyte",
        function=speeds.one_terabyte,
        grid={
            "drive": ["m600-256gb", "m600-1024gb"],
            "copy_us": [0.0, 5.0, 15.0],
            "map_held": [1.0, 0.5],
            "scale": [1.0],
        },
        reduced={"copy_us": [0.0, 5.0], "map_held": [1.0], "scale": [1 / 64]},
        keys=("drive", "copy_us", "map_held"),
        tolerance={"log_mean": 0.05},
        reads=_reads.modelled,
    ),
    Study(
        name="client_tests",
        function=short_tests.client,
        grid={"drive": short_tests.DRIVES, "test": list(protocols.CLIENT), "scale": [1.0]},
        # at 1/64 random writes come out up to 3 % faster
        reduced={"drive": ["m600-256gb", "mx100-256gb"], "scale": [1 / 16]},
        keys=("drive", "test"),
        tolerance={"log_mb": 0.02},
        seed=2031,
        reads=_reads.modelled,
    ),
    Study(
        name="transfers",
        function=short_tests.transfer,
        grid={
            "drive": [*short_tests.DRIVES, "mx200-500gb", "mx300-750gb"],
            "kind": ["read", "write"],
            "kib": list(protocols.TRANSFER_KIB),
            "scale": [1 / 16],
        },
        reduced={"drive": ["m600-256gb", "mx100-256gb"], "kib": [0.5, 4.0, 128.0]},
        keys=("drive", "kind", "kib"),
        tolerance={"mb_per_s": 0.001},
        reads=_reads.modelled,
    ),
)
