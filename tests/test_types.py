"""What a type checker and ``help()`` see of the public functions."""

import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from itertools import chain
from pathlib import Path

import pytest

import flashwear
import flashwear_book

SNIPPET = """
from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

from flashwear import endurance, energy, pricing, wa
from flashwear.reliability import ecc, retention

many = np.array([0.1, 0.2])

assert_type(wa.fifo(0.1), float)
assert_type(wa.fifo(np.float64(0.1)), float)
assert_type(wa.fifo(many), NDArray[np.float64])
assert_type(wa.fifo([0.1, 0.2]), NDArray[np.float64])
assert_type(wa.greedy(0.1, many), NDArray[np.float64])
assert_type(wa.greedy(0.1, pages_per_block=None), float)
assert_type(wa.fifo_mixed(0.1, [0.8, 0.2], [0.2, 0.8]), Any)  # a float if these are classes
assert_type(wa.op_for(2.0, wa.greedy, pages_per_block=64), float)
assert_type(endurance.tbw(1e12, [1000, 3000]), NDArray[np.float64])
assert_type(pricing.price_per_gb(many, 1e9), NDArray[np.float64])
assert_type(energy.program(2).cost(), float)
assert_type(ecc.Bch(512, 40).uber(many), NDArray[np.float64])
assert_type(retention.acceleration(1.1, many, 66), NDArray[np.float64])
"""
WRONG = """
from flashwear import ftl, wa

text: str = wa.fifo(0.1)
text = wa.greedy_mixed(0.1, 0.8, 0.2)
text = wa.fifo([0.1, 0.2])
ftl.simulate(100, 0.3, polcy="fifo")
ftl.replicate(100, 0.3, windw=3)
"""

DOCUMENTED = sorted(
    name
    for page in (Path(__file__).parents[1] / "book" / "reference" / "api").glob("*.md")
    for name in re.findall(r"automodule:: (flashwear(?:_book)?\.[\w.]+)", page.read_text("utf-8"))
)


@pytest.mark.parametrize("first", [["flashwear.wa"], []])
def test_every_documented_module_is_reached_by_attribute(first):
    assert len(DOCUMENTED) > 40
    check = f"for name in {first + DOCUMENTED}: assert eval(name).__name__ == name"
    code = f"import flashwear, flashwear_book\n{check}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_floats_give_a_float_arrays_an_array_and_every_documented_module_has_a_type(tmp_path):
    (tmp_path / "right.py").write_text(SNIPPET)
    (tmp_path / "wrong.py").write_text(WRONG)
    reached = [f"m{n}: int = {name}" for n, name in enumerate(DOCUMENTED)]
    (tmp_path / "reached.py").write_text("\n".join(["import flashwear, flashwear_book", *reached]))
    files = ["right.py", "wrong.py", "reached.py"]
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", *files]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    checked = done.stdout
    assert "right.py" not in checked
    refused = [
        line.split(":")[1]
        for line in checked.splitlines()
        if "wrong.py:" in line and "error:" in line
    ]
    assert refused == list("45678")
    found = re.findall(r"reached.py.*error: Incompatible types.*has type Module", checked)
    assert len(found) == len(DOCUMENTED), checked


def public():
    """Yield the functions, classes and methods of public modules."""
    packages = [(flashwear.__path__, "flashwear."), (flashwear_book.__path__, "flashwear_book.")]
    for found in chain.from_iterable(pkgutil.walk_packages(*package) for package in packages):
        if any(part.startswith("_") for part in found.name.split(".")):
            continue
        module = importlib.import_module(found.name)
        for name, one in vars(module).items():
            if name.startswith("_") or getattr(one, "__module__", None) != found.name:
                continue
            if inspect.isfunction(one):
                yield f"{found.name}.{name}", one
            elif inspect.isclass(one):
                if not issubclass(one, tuple):  # nobody writes the call of a record
                    yield f"{found.name}.{name}", one
                for method, function in inspect.getmembers(one, inspect.isfunction):
                    if not method.startswith("_"):
                        yield f"{found.name}.{name}.{method}", function


def test_signatures_are_short():
    # a few take many parameters: these may take a line of 42 characters for each
    long = {name: len(text) for name, one in public()
            if len(text := str(inspect.signature(one))) > max(
                240, 42 * len(inspect.signature(one).parameters))}  # fmt: skip
    assert not long
