"""The studies of predicted speeds."""

from flashwear.study.runs import _reads, mechanisms, predictions, sampler
from flashwear.sweeps import Study

_TOLERANCE = {"rms": 0.005, "crps": 0.003, "cover_90": 0.02}

PREDICTING = (
    Study(
        name="new_lines",
        function=predictions.new_lines,
        grid={"by": ["model", *predictions.RIVALS], "widened": [1.0]},
        reduced={"by": ["model"]},
        keys=("by", "widened"),
        tolerance=_TOLERANCE,
        seed=2026,
        reads=_reads.speeds,
    ),
    Study(
        name="new_lines_priors",
        function=predictions.new_lines,
        grid={"by": ["model"], "widened": [0.5, 1.0, 2.0]},
        reduced={"widened": [2.0]},
        keys=("by", "widened"),
        tolerance=_TOLERANCE,
        seed=2026,
        reads=_reads.speeds,
    ),
    Study(
        name="new_capacities",
        function=predictions.new_capacities,
        grid={"by": ["model", *predictions.SIBLINGS]},
        reduced={"by": ["sibling"]},
        keys=("by",),
        tolerance=_TOLERANCE,
        seed=2027,
        reads=_reads.speeds,
    ),
    Study(
        name="mechanisms",
        function=mechanisms.tried,
        grid={"step": [-1, *range(len(mechanisms.MECHANISMS))]},
        reduced={"step": [-1]},
        keys=("step",),
        tolerance={"crps": 0.003, "admitted": 0.0},
        reads=_reads.speeds,
    ),
    Study(
        name="sampler",
        function=sampler.sampled,
        grid={
            "line": ["Samsung 845DC PRO", "Micron M600", "Samsung 960 EVO", "Micron 5210 ION"],
            "samples": [1000],
        },
        reduced={"line": ["Samsung 845DC PRO"], "samples": [60]},
        keys=("line",),
        tolerance={"apart": 0.2},
        seed=2028,
        reads=_reads.speeds,
    ),
)
