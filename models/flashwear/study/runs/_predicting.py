"""The studies of predicted speeds."""

from flashwear.study.runs import _reads, mechanisms, predictions
from flashwear.sweeps import Study

_FIRST = {"first_crps": 0.02}
ALL = predictions.ALL

PREDICTING = (
    Study(
        name="new_lines",
        function=predictions.new_lines,
        grid={"by": ["model", *predictions.RIVALS], "widened": [1.0], "most": [ALL]},
        reduced={"by": ["model", "constant"], "most": [1]},
        keys=("by", "widened"),
        tolerance=_FIRST,
        seed=2026,
        reads=_reads.speeds,
    ),
    Study(
        name="new_lines_priors",
        function=predictions.new_lines,
        grid={"by": ["model"], "widened": [0.5, 1.0, 2.0], "most": [ALL]},
        reduced={"widened": [2.0], "most": [1]},
        keys=("by", "widened"),
        tolerance=_FIRST,
        seed=2026,
        reads=_reads.speeds,
    ),
    Study(
        name="new_capacities",
        function=predictions.new_capacities,
        grid={"by": ["model", *predictions.SIBLINGS], "most": [ALL]},
        reduced={"most": [1]},
        keys=("by",),
        tolerance=_FIRST,
        seed=2027,
        reads=_reads.speeds,
    ),
    Study(
        name="frozen_lines",
        function=predictions.frozen_lines,
        grid={"by": ["model", *predictions.RIVALS]},
        reduced={},
        keys=("by",),
        tolerance={"rms": 0.005, "crps": 0.003, "cover_90": 0.02},
        seed=2029,
        reads=_reads.speeds,
    ),
    Study(
        name="mechanisms",
        function=mechanisms.tried,
        grid={"step": [-1, *range(len(mechanisms.MECHANISMS))], "most": [ALL]},
        reduced={"step": [-1], "most": [1]},
        keys=("step",),
        tolerance={"first": 0.003},
        reads=_reads.speeds,
    ),
    Study(
        name="groups",
        function=mechanisms.without_group,
        grid={"group": list(mechanisms.GROUPS), "most": [ALL]},
        reduced={"most": [1]},
        keys=("group",),
        tolerance={"first": 0.003},
        reads=_reads.speeds,
    ),
)
