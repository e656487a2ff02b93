"""What is loaded of other packages, and what says which of them are to be installed."""

import re
import subprocess
import sys

import pytest

from flashwear import drives, smart, sweeps, tables
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
      ("ftl", "workloads", "traces", "queueing.twin", "queueing.procedures")),
    ("queueing.reference", "simpy"),
])  # fmt: skip
def test_simulations_say_what_to_install(module, package):
    code = WITHOUT.format(names=package.split(), module=module)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"{package.split()[0]} {TOLD.format('sim')}"


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
    ("import flashwear.wa", "scipy numba"),
    ("from flashwear.queueing import bounds", "simpy numba pandas"),
    ("import flashwear.steady as s; s.snia([1]*5), s.advice([1e8]*9, 60, 1e12, 0.1)",
     "scipy numba pandas"),
    ("from flashwear_book import claims; claims.ledger()", "numba scipy flashwear.queueing"),
])  # fmt: skip
def test_what_needs_little_loads_little(code, unneeded):
    code = f"import sys; {code}; print(set({unneeded.split()}) & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
