"""What stands where a number or a report is due is refused by name, in the rooms of real drives."""

import dataclasses
import math
import types

import numpy as np
import pint
import pytest
import reports

from flashwear import bench, smart, steady, watch
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
