"""What is loaded of other packages, and what says which of them are to be installed."""

import re
import subprocess
import sys
import time

import pytest

from flashwear import drives, smart, sweeps, tables
from flashwear._shown import patience
from flashwear.queueing import fluid
from flashwear.reliability import rber
from flashwear_book import tables as book_tables

WITHOUT = """
import sys
for name in {names}:
    sys.modules[name] = None
try:
    import flashwear.{module}
except ImportError as error:
    print(error)
"""
TOLD = 'missing: pip install "flashwear[{}]"'


@pytest.mark.parametrize(("module", "package"), [
    *((name, "numba llvmlite") for name in
      ("ftl", "queueing.twin", "queueing.procedures")),
    ("queueing.reference", "simpy"),
])  # fmt: skip
def test_simulations_say_what_to_install(module, package):
    code = WITHOUT.format(names=package.split(), module=module)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"{package.split()[0]} {TOLD.format('sim')}"


def test_a_recorded_table_is_read_without_a_compiler_that_only_its_use_asks_for():
    code = """
import sys
sys.modules["numba"] = None
import pandas as pd
from flashwear import traces, workloads
frame = pd.DataFrame({"operation": ["W", "R"], "offset": [0, 4096], "size": [4096, 8192]})
trace = traces.from_frame(frame)
print(trace.bytes_written, trace.bytes_read)
try:
    workloads.Uniform().stream(10, 0).fill(trace.records["page"].copy())
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["4096 8192", f"numba {TOLD.format('sim')}"]


def test_a_bare_install_can_be_looked_at_and_says_what_is_missing_when_it_is_used():
    code = """
import sys
for name in ("numba", "llvmlite", "simpy", "pandas", "joblib"):
    sys.modules[name] = None
import inspect, pydoc
from flashwear import *
import flashwear
assert not hasattr(ftl, "simulate") and hasattr(wa, "fifo")
assert {"ftl", "wa"} <= dict(inspect.getmembers(flashwear)).keys()
assert "ftl" in pydoc.render_doc(flashwear)
for use in ("ftl.simulate", "predict.speeds", "queueing.twin.run"):
    try:
        eval("flashwear." + use)
    except AttributeError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [f"numba {TOLD.format('sim')}"] * 3


def test_what_takes_long_says_so_and_what_does_not_is_silent(capsys, monkeypatch):
    monkeypatch.delenv("FLASHWEAR_BOOK", raising=False)
    for text, wait_s in (("slowly", 0.001), ("quickly", 60)):
        with patience(text, wait_s):
            time.sleep(0.1)
    assert capsys.readouterr().err == "flashwear: slowly\n"


@pytest.mark.parametrize("package", ["joblib", "pandas"])
def test_a_sweep_says_what_to_install(package, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=f"{package} missing: pip install"):
        sweeps.sweep(dict, {"a": [1]})


@pytest.mark.parametrize(("call", "extra"), [
    (lambda: fluid.consistency(None), "sim"),
    (lambda: rber.parameters("tlc-3d"), "tables"),
    (lambda: drives.parameters("mx500-1000gb"), "tables"),
    (tables.prices_2014, "tables"),
    (book_tables.documents, "tables"),
    (lambda: smart.fleet([]), "field"),
])  # fmt: skip
def test_a_table_says_what_to_install(call, extra, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=re.escape("pandas " + TOLD.format(extra))):
        call()


@pytest.mark.parametrize(("code", "unneeded"), [
    *((f"import flashwear{name}", "pandas scipy.optimize scipy.stats numba altair simpy joblib")
      for name in ("", ".endurance", ".tables")),
    ("import flashwear.wa, flashwear.host, flashwear.capacity, flashwear.pricing", "scipy numba"),
    ("from flashwear.queueing import bounds", "simpy numba pandas"),
    ("import flashwear.steady as s; s.snia([1]*5), s.advice([1e8]*9, 60, 1e12, 0.1)",
     "scipy numba pandas"),
    ("from flashwear_book import claims; claims.ledger()", "numba scipy flashwear.queueing"),
])  # fmt: skip
def test_what_needs_little_loads_little(code, unneeded):
    code = f"import sys; {code}; print(set({unneeded.split()}) & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
