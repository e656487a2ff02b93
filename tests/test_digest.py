"""What a digest changes with: the syntax of modules that are imported, and nothing else."""

import ast
import random
import shutil
from pathlib import Path

import pytest

import flashwear
from flashwear import _digest, tables
from flashwear.sweeps._study import no_result
from flashwear_book.runs import STUDIES
from flashwear_book.runs._reads import fitted

MODELS = Path(flashwear.__file__).parents[1]
MODULES = {".".join(path.relative_to(MODELS).with_suffix("").parts).removesuffix(".__init__"): path
           for path in MODELS.glob("*/**/*.py")}  # fmt: skip
CELLS = "from flashwear import wa\nwa.trim_op(0.1, 0.2)"


def source(module):
    return MODULES[module].read_text("utf-8")


def digest(cells=CELLS, **options):
    return _digest.digest(["cells"], sources={"cells": cells, **options})


def changed(module, cells=CELLS):
    """Whether another statement in a module changes the digest of some cells."""
    more = f"{source(module)}\n_more = 1\n"
    return digest(cells, **{module: more}) != digest(cells)


@pytest.mark.parametrize(("cells", "reached", "spared"), [
    (CELLS, "wa.trim", "wa.skew"),
    (CELLS, "_domain", "units"),  # which trim imports, and which it does not
    ("from flashwear.wa import trim_op", "wa.trim", "wa.skew"),
    ("from flashwear.wa.trim import trim_op", "wa.trim", "wa.skew"),
    ("import flashwear as fw\nfw.wa.trim_op(0.1, 0.2)", "wa.trim", "wa.skew"),
    ("import flashwear.wa.trim as t\nt.trim_op(0.1, 0.2)", "wa.trim", "wa.skew"),
    ("def f():\n    from flashwear.wa import trim_op", "wa.trim", "wa.skew"),
    ("from flashwear import wa\nvars(wa)[name]", "wa.skew", "ftl.kernel"),
    ("from flashwear import wa\nw = wa\nwa.trim_op", "wa.skew", "ftl.kernel"),
    ("from flashwear import queueing\nqueueing.bounds", "queueing.bounds", "queueing.twin"),
    ("from flashwear import ftl\nftl.simulate", "workloads._simple", "workloads._foreseen"),
    (
        "try:\n    from flashwear.wa import fifo as f\n"
        "except ImportError:\n    from flashwear.wa import trim_op as f",
        "wa.uniform",
        "wa.skew",
    ),
    (
        "def f():\n    from flashwear.wa import trim_op as g\n"
        "def h():\n    from flashwear.wa import fifo as g",
        "wa.trim",
        "wa.skew",
    ),
])  # fmt: skip
def test_an_import_reaches_a_module_and_a_package_that_hands_on_is_followed_by_name(
    cells, reached, spared
):
    assert changed(f"flashwear.{reached}", cells)
    assert not changed(f"flashwear.{spared}", cells)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("def trim_op", "# so\ndef trim_op"),
        ('"""', '"""Again. '),
        ("\n\n", "\n\n\n\n"),
        ("op: ArrayLike", "op: float"),
        ("ValueError(", "ValueError('other words' or "),
    ],
)
def test_docstrings_comments_types_and_words_of_errors_do_not_count(old, new):
    text = source("flashwear.wa.trim")
    assert old in text
    assert digest(**{"flashwear.wa.trim": text.replace(old, new, 1)}) == digest()


def test_a_warning_does_not_count_and_what_stands_beside_one_does():
    def text(branch):
        return _digest.reached(["cells"], sources={"cells": f"def f(x):\n{branch}    return x\n"})

    warns = "    if x:\n        warn('so')\n    elif x is None:\n        warn('or so')\n"
    assert text(warns) == text("")
    assert text(warns + "    else:\n        x = 1\n") != text("")
    assert text(warns.replace("warn('so')", "x = warn('so')")) != text("")
    assert text("    raise ValueError('so')\n") != text("    raise TypeError('so')\n") != text("")


def test_what_a_name_is_handed_on_as_counts_and_imports_for_type_checkers_do_not():
    package = source("flashwear.wa")
    changed = package.replace("__all__ = [", "__all__ = ['x', ")
    assert digest(**{"flashwear.wa": changed}) == digest()
    other = package + "\nfrom flashwear.wa.trim import trim_variance as trim_op\n"
    assert digest(**{"flashwear.wa": other}) != digest()
    cells = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    {}\nelse:\n    import json\n"
    none = _digest.reached(["cells"], sources={"cells": cells.format("pass")})
    some = _digest.reached(["cells"], sources={"cells": cells.format("from flashwear import wa")})
    assert set(none) == set(some) == {"cells"}


@pytest.mark.parametrize(
    "package", ["flashwear.queueing", "flashwear_book", "flashwear_book.field", "flashwear.wa"]
)
def test_a_package_as_a_root_stands_for_all_modules_in_it(package):
    names = {name for name in MODULES if f"{name}.".startswith(f"{package}.")}
    assert len(names) > 2
    assert names <= set(_digest.reached([package]))


def test_another_package_is_followed_where_that_is_asked_for_and_a_stop_is_not():
    sources = {"cells": "from flashwear_book import slc"}
    assert "flashwear_book.slc" not in _digest.reached(["cells"], sources=sources)
    found = _digest.reached(["cells"], sources=sources, packages=["flashwear_book"])
    assert {"flashwear_book.slc", "flashwear.wa.cache"} <= found.keys()
    whole = _digest.reached(["flashwear.ftl.kernel"])
    short = _digest.reached(["flashwear.ftl.kernel"], stops={"flashwear.workloads._streams"})
    assert short["flashwear.workloads._streams"] == ""
    assert set(short) <= set(whole)


@pytest.mark.parametrize("root", ["nowhere", "flashwear.nothing", "sys"])
def test_a_root_without_source_and_a_source_that_is_not_python_are_refused(root):
    with pytest.raises(ValueError, match=f"roots must be modules .* got '{root}'"):
        _digest.digest([root])
    with pytest.raises(ValueError, match="source of cells must be Python"):
        digest("def made(:")


def test_no_module_is_found_by_a_relative_or_a_star_import():
    """Both would be followed less exactly than by name."""
    for name, path in MODULES.items():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom):
                assert node.level == 0, name
                assert "*" not in {alias.name for alias in node.names}, name


# -- the hashes of the kept studies ----------------------------------------------------------------


def hashes(sources=None):
    return {name: study.hash(sources) for name, study in STUDIES.items()}


@pytest.fixture(scope="module")
def today():
    return hashes()


def test_a_changed_drive_makes_stale_the_studies_that_use_it_and_forms_claims_and_notes_none(
    today, copied
):
    package = source("flashwear.wa")
    sources = {"flashwear.wa": "from flashwear.wa.newest import newest\n" + package,
               "flashwear.wa.newest": "def newest(op):\n    return 1.0\n"}  # fmt: skip
    assert hashes(sources) == today
    path = copied / "drives.toml"
    path.write_text(path.read_text("utf-8").replace('note = "', 'note = "so '), "utf-8")
    claims = (copied / "claims.csv").read_text("utf-8").splitlines()
    more = [*claims, claims[-1].replace("P4-", "P4-9", 1), ""]
    (copied / "claims.csv").write_text("\n".join(more), "utf-8")
    assert hashes() == today
    path = copied / "drives.toml"
    text = path.read_text("utf-8")
    start = text.index("[drives.m600-256gb]")
    block = text[start : text.index("\n[", start)].replace("m600-256gb]", "m600-9999gb]")
    path.write_text(f"{text}\n{block}\n", "utf-8")
    fits = {name for name, study in STUDIES.items() if study.reads is fitted} | {"bands"}
    assert {name for name, key in hashes().items() if key != today[name]} == fits
    path = copied / "drives.toml"
    text = path.read_text("utf-8")
    start = text.index("[flash.micron-3d-tlc-384gbit]")
    altered = text[start:].replace("erase_s = { value = ", "erase_s = { value = 1", 1)
    path.write_text(text[:start] + altered, "utf-8")
    stale = {name for name, value in hashes().items() if value != today[name]}
    assert {"ratings", "cache_spans", "times"} <= stale
    assert not {"queue_depths", "power_cuts", "uniform_writes"} & stale


@pytest.fixture
def copied(tmp_path, monkeypatch):
    folder = tmp_path / "data"
    shutil.copytree(tables.data_folder(), folder)
    monkeypatch.setattr(tables, "data_folder", lambda: folder)
    return folder


def constants(text):
    return [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant)
            and type(node.value) in (int, float)]  # fmt: skip


@pytest.mark.proof
def test_thirty_changed_constants_make_every_study_stale_that_imports_them(today):
    chance = random.Random(14)
    places = [(study.name, module, constant) for study in STUDIES.values()
              for stops in [no_result(study.function.__module__)]
              for module in _digest.reached([study.function.__module__], stops=stops)
              if module in MODULES and module not in stops
              for constant in constants(source(module))]  # fmt: skip
    for name, module, constant in chance.sample(places, 30):
        lines = source(module).splitlines(keepends=True)
        line = lines[constant.lineno - 1].encode()  # columns are of bytes
        start, end = constant.col_offset, constant.end_col_offset
        altered = line[:start] + repr(2 * constant.value + 1).encode() + line[end:]
        lines[constant.lineno - 1] = altered.decode()
        mutated = STUDIES[name].hash({module: "".join(lines)})
        assert mutated != today[name], f"{name}: {module}, line {constant.lineno}"
