"""What stands where a number or a report is due is refused by name, in the rooms of real drives."""

import dataclasses
import inspect
import math
import re
import types

import dask.array
import numpy as np
import pint
import pytest
import reports

from flashwear import bench, smart, steady, wa, watch
from flashwear.reliability import retention
from test_arguments import EXAMPLES, FUNCTIONS, HOT
from test_bench import BEFORE, outcome

NEW = smart.parse(reports.nvme(health={"percentage_used": 5, "power_on_hours": 9_000}))
OLD = dataclasses.replace(NEW, power_on_hours=8_000, time_s=None)
RUN = outcome(1e12)
NUMBERS = {"forecast rated_bytes": lambda x: smart.forecast(NEW, x),
           "forecast bytes_per_day": lambda x: smart.forecast(NEW, bytes_per_day=x),
           "forecast until_percent": lambda x: smart.forecast(NEW, until_percent=x),
           "verdict rated_bytes": lambda x: smart.verdict(NEW, x),
           "verdict warn_percent": lambda x: smart.verdict(NEW, warn_percent=x),
           "verdict bytes_per_day": lambda x: smart.verdict(NEW, bytes_per_day=x),
           "findings rated_bytes": lambda x: smart.findings(NEW, x),
           "between rated_bytes": lambda x: smart.between(OLD, NEW, x),
           "between until_percent": lambda x: smart.between(OLD, NEW, until_percent=x),
           "bench span_bytes": lambda x: bench.bench(BEFORE, RUN, BEFORE, span_bytes=x),
           "bench sequential_wa": lambda x: bench.bench(BEFORE, RUN, BEFORE, sequential_wa=x),
           "steady within": lambda x: steady.drive_writes(0.1, within=x),
           "watch seconds": watch.watch,
           "watch every": lambda x: watch.watch(1, every=x)}  # fmt: skip
REPORTS = {
    f"{name} report": getattr(smart, name)
    for name in ("forecast", "verdict", "findings", "among", "in_field", "life_rows")
} | {
    "between old": lambda x: smart.between(x, NEW),
    "between new": lambda x: smart.between(OLD, x),
    "written old": lambda x: smart.written(x, NEW),
    "verdict since": lambda x: smart.verdict(NEW, since=x or "none"),
    "bench before": lambda x: bench.bench(x, RUN, BEFORE),
    "bench after": lambda x: bench.bench(BEFORE, RUN, x),
    "bench run": lambda x: bench.bench(BEFORE, x, BEFORE),
}
HOSTILE = [True, math.nan, math.inf, -1, 0, "5", [1.0, 2.0], {}, 1j, object(),
           5 * pint.UnitRegistry().byte]  # fmt: skip
NO_REPORTS = [
    None, 5, "Device Model: X", b"x", {}, [NEW], types.SimpleNamespace(model="X"), Ellipsis,
]  # fmt: skip


@pytest.mark.parametrize("value", HOSTILE, ids=lambda value: type(value).__name__ + str(value)[:9])
@pytest.mark.parametrize("call", NUMBERS)
def test_what_is_no_number_above_0_is_refused_by_name(call, value):
    with pytest.raises(ValueError, match=call.split()[1]):
        NUMBERS[call](value)


@pytest.mark.filterwarnings("ignore")  # of overflow, at 1e300
@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_error_of_a_closed_form_names_an_argument_of_its_own(name):
    parameters = inspect.signature(FUNCTIONS[name]).parameters
    needed = {p for p, one in parameters.items() if one.default is one.empty}
    given = {p: (EXAMPLES | HOT)[p] for p in (needed | HOT.keys()) & parameters.keys()
             if p in EXAMPLES | HOT}  # fmt: skip
    others = []
    for argument in parameters.keys() - {"arguments"}:
        for value in (-1, 0, 1e300, 1e-300, math.nan, "x", np.array(["a", "b"])):
            try:
                FUNCTIONS[name](**given | {argument: value})
            except (TypeError, ValueError) as error:
                if re.match(r"\w+", str(error))[0] not in parameters:
                    others.append((argument, value, error))
    assert others == []


def test_a_hint_of_a_unit_works():
    units = pint.UnitRegistry(autoconvert_offset_to_baseunit=True)
    for name, value, call in (
        ("time_s", units.Quantity(2, "hour"), lambda x: retention.equivalent(x, 40, 30)),
        ("from_c", units.Quantity(300, "kelvin"), lambda x: retention.equivalent(1e6, x, 30)),
        ("seconds", units.Quantity(1, "minute"), lambda x: steady.advice([1e8] * 9, x, 1e12, 0.1)),
    ):
        with pytest.raises(ValueError, match=f"{name} must be a plain number") as told:
            call(value)
        call(eval(str(told.value).partition("give ")[2], {name: value}))


def test_a_lazy_array_is_refused_with_what_keeps_it_lazy():
    lazy = dask.array.from_array(np.array([0.07, 0.28]), chunks=1)
    with pytest.raises(ValueError, match=r"op must be .*a lazy array of Dask"):
        wa.fifo(lazy)
    meta = np.array((), float)
    assert dask.array.map_blocks(wa.fifo, lazy, meta=meta).compute() == pytest.approx(
        wa.fifo([0.07, 0.28])
    )


@pytest.mark.parametrize("value", NO_REPORTS, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("call", REPORTS)
def test_what_is_no_report_is_refused_by_name(call, value):
    with pytest.raises(ValueError, match=f"{call.split()[1]} must be a"):
        REPORTS[call](value)


def test_numbers_of_numpy_are_numbers():
    one, same = (smart.forecast(NEW, kind(1e15)) for kind in (float, np.float64))
    assert one == same
    one, same = (smart.verdict(NEW, warn_percent=kind(50)) for kind in (int, np.int64))
    assert one == same
