import ast
import random
import shutil
import textwrap
from pathlib import Path

import pytest

import flashwear
from flashwear import _reach, drives, tables
from flashwear.study.runs import STUDIES
from flashwear.sweeps._study import _NO_RESULT

PACKAGE = Path(flashwear.__file__).parent
MODULES = {
    ".".join(("flashwear", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(
        ".__init__"
    ): path
    for path in PACKAGE.rglob("*.py")
}

TOY = '''
"""A module."""
import functools
from other import helper, table as rows
import other

__all__ = ["made"]
LIMIT = 3
UNITS = {"a": 1}
UNITS["b"] = 2


def made(value: int, more=LIMIT) -> int:
    """Say what."""
    return helper(value) + other.second(rows[0])  # so


def unused():
    return 1


class Kind:
    """A class."""

    field: int

    def method(self):
        return unused()
'''
OTHER = """
from third import far

table = [1, 2]


def helper(value):
    from third import near

    return near(value)


def second(value):
    return Odd().value


class Odd:
    value = 5

    def other(self):
        return far()


def third_one():
    return 3
"""
THIRD = """
def near(value):
    return value


def far():
    return 7


def nowhere():
    return 8
"""
SOURCES = {"toy": TOY, "other": OTHER, "third": THIRD}


def digest(*roots, **changed):
    # every module is a root's own, so that imports between them are followed
    return _reach.digest(roots or ["toy:made"], sources=SOURCES | changed)


@pytest.fixture(autouse=True)
def one_package(monkeypatch):
    """Let the three modules be followed as modules of one package are."""
    follow = _reach._Code.module

    def module(self, name):
        return follow(self, name) if name in SOURCES or name.startswith("flashwear") else None

    monkeypatch.setattr(_reach._Code, "module", module)


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        ("toy", "LIMIT = 3", "LIMIT = 4"),
        ("toy", "+ other", "- other"),
        ("toy", "more=LIMIT", "more=5"),
        ("toy", 'UNITS["b"] = 2', 'UNITS["b"] = 3'),
        ("other", "near(value)", "near(-value)"),
        ("other", "table = [1, 2]", "table = [1, 3]"),
        ("other", "value = 5", "value = 6"),
        ("other", "return far()", "return far() + 1"),
        ("third", "return value", "return value + 1"),
        ("third", "return 7", "return 9"),
    ],
)
def test_what_is_reached_changes_the_digest(module, old, new):
    assert old in SOURCES[module]
    assert digest(**{module: SOURCES[module].replace(old, new)}) != digest()


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        ("toy", '"""Say what."""', '"""Say it."""'),
        ("toy", '    """Say what."""\n', ""),
        ("toy", '"""A module."""', ""),
        ("toy", "# so", "# or so"),
        ("toy", "value: int", "value: float"),
        ("toy", "-> int", "-> float"),
        ("toy", "LIMIT = 3", "LIMIT: int = 3"),
        ("toy", "    return helper", "    extra: int\n    return helper"),
        ("toy", "LIMIT = 3", "LIMIT = 3\nNumber: TypeAlias = int | float"),
        ("toy", "\ndef made", "\n@overload\ndef made(value: int) -> int: ...\ndef made"),
        ("toy", '__all__ = ["made"]', '__all__ = ["made", "unused"]'),
        ("toy", "def unused():\n    return 1", "def unused():\n    return 2"),
        ("toy", "import functools", "import functools, itertools"),
        ("other", "return 3", "return 4"),
        ("third", "return 8", "return 9"),
        ("third", "def nowhere", "def elsewhere"),
    ],
)
def test_what_is_not_reached_or_does_not_act_leaves_it(module, old, new):
    assert old in SOURCES[module]
    assert digest(**{module: SOURCES[module].replace(old, new)}) == digest()


def test_a_type_that_code_names_is_not_followed_further():
    toy = "from other import Number\n\n\ndef made(value):\n    return cast(Number, value)\n"
    other = "from typing import TypeAlias\n\nNumber: TypeAlias = int\n" + OTHER
    before = digest(toy=toy, other=other)
    assert digest(toy=toy, other=other.replace("return 3", "return 4")) == before
    assert digest(toy=toy, other=other.replace("= int", "= float")) == before


def test_an_overload_of_a_method_leaves_the_digest_of_its_class():
    stub = "    @overload\n    def method(self) -> int: ...\n"
    toy = "from typing import overload\n" + TOY
    changed = toy.replace("    def method", stub + "    def method")
    assert changed.count("def method") == 2
    assert digest("toy:Kind", toy=changed) == digest("toy:Kind")


def test_a_class_is_reached_whole():
    before = digest("toy:Kind")
    assert digest("toy:Kind", toy=TOY.replace("return unused()", "return 0")) != before
    assert digest("toy:Kind", toy=TOY.replace("field: int", "field: float")) != before
    assert digest("toy:Kind", toy=TOY.replace('"""A class."""', '"""Another."""')) == before
    # and what its methods call
    changed = TOY.replace("def unused():\n    return 1", "def unused():\n    return 2")
    assert digest("toy:Kind", toy=changed) != before


@pytest.mark.parametrize("use", ["getattr(other, name)()", "call(other)", "vars(other)[name]"])
def test_a_module_that_is_used_by_name_is_reached_whole(use):
    toy = f"import other\n\n\ndef made(name, call):\n    return {use}\n"
    before = digest(toy=toy)
    assert digest(toy=toy, other=OTHER.replace("return 3", "return 4")) != before


def test_an_import_inside_a_function_for_its_effect_reaches_the_module_whole():
    toy = "def made():\n    import other\n"
    before = digest(toy=toy)
    assert digest(toy=toy, other=OTHER.replace("return 3", "return 4")) != before


def test_a_decorator_from_elsewhere_may_register_what_nobody_names():
    toy = "import strange\n\n\n@strange.register\ndef hook():\n    return 1\n\n\n"
    toy += "def made():\n    return 2\n"
    assert digest(toy=toy) != digest(toy=toy.replace("return 1", "return 3"))
    plain = toy.replace("strange.register", "functools.cache").replace("strange", "functools")
    assert digest(toy=plain) == digest(toy=plain.replace("return 1", "return 3"))


@pytest.mark.parametrize("place", ["", "    "])
def test_what_an_imported_name_stands_for_counts(place):
    toy = "{top}\n\ndef made(x):\n{inside}\n    return near(x)\n"
    lines = ["from math import floor as near", "from math import ceil as near"]
    one, two = (
        toy.format(top="" if place else line, inside=place and place + line) for line in lines
    )
    assert digest(toy=one) != digest(toy=two)


def test_a_name_that_may_stand_for_two_things_reaches_both():
    toy = "try:\n    from other import third_one as pick\nexcept ImportError:\n"
    toy += "    from other import second as pick\n\n\ndef made():\n    return pick()\n"
    for changed in ("return 3", "value = 5"):
        assert digest(toy=toy) != digest(toy=toy, other=OTHER.replace(changed, changed + " + 1"))


def test_a_stop_is_not_followed():
    whole = _reach.reached(["toy:made"], sources=SOURCES)
    short = _reach.reached(["toy:made"], sources=SOURCES, stops={"other:helper"})
    assert short["other:helper"] == ""
    assert whole.keys() - short.keys() == {"third:near"}


def test_unpacking_keeps_its_place():
    one, two = (
        textwrap.dedent(f"def made(k, v):\n    return {text}\n")
        for text in ("{**k, 'a': v}", "{'a': k, **v}")
    )
    assert digest(toy=one) != digest(toy=two)


@pytest.mark.parametrize("root", ["nowhere", "toy:nothing", "numpy:mean"])
def test_a_root_without_source_is_refused(root):
    with pytest.raises(ValueError, match=f"roots must be definitions .* got '{root}'"):
        digest(root)


def test_a_source_that_is_not_python_is_refused():
    with pytest.raises(ValueError, match="source of toy must be Python"):
        digest(toy="def made(:")


# -- the hashes of the kept studies ----------------------------------------------------------------


def hashes(sources=None):
    return {name: study.hash(sources) for name, study in STUDIES.items()}


@pytest.fixture(scope="module")
def today():
    return hashes()


def without_words(source):
    """Return a module without docstrings, comments, overloads and annotations of functions."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            node.body = [one for one in body if not _reach._is_text(one)] or [ast.Pass()]
            if node.body != body and len(node.body) == 1 and isinstance(node.body[0], ast.Pass):
                node.body = body  # a body of words alone
        if isinstance(node, ast.FunctionDef):
            node.returns = None
            for argument in ast.walk(node.args):
                if isinstance(argument, ast.arg):
                    argument.annotation = None
    return ast.unparse(tree)


def test_no_docstring_comment_or_annotation_makes_a_study_stale(today):
    sources = {name: without_words(path.read_text("utf-8")) for name, path in MODULES.items()}
    assert hashes(sources) == today


def test_a_new_closed_form_makes_no_study_stale(today):
    package = MODULES["flashwear.wa"].read_text("utf-8")
    uniform = MODULES["flashwear.wa.uniform"].read_text("utf-8")
    sources = {
        "flashwear.wa": package.replace("__all__ = [", '__all__ = [\n    "newest",').replace(
            "from flashwear.wa.trim",
            "from flashwear.wa.newest import newest\nfrom flashwear.wa.trim",
        ),
        "flashwear.wa.newest": "def newest(op):\n    return 1.0\n",
        "flashwear.wa.uniform": uniform + "\n\ndef one_more(op):\n    return 2.0\n",
    }
    assert sources["flashwear.wa"].count("newest") == 3
    assert hashes(sources) == today


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """Return a copy of the data, which the tables are then read from."""
    folder = tmp_path / "data"
    shutil.copytree(tables.data_folder(), folder)
    monkeypatch.setattr(tables, "data_folder", lambda: folder)
    return folder


def test_a_new_claim_and_a_new_drive_make_no_study_stale(today, copied):
    drives = (copied / "drives.toml").read_text("utf-8")
    start = drives.index("[drives.m600-256gb]")
    block = drives[start : drives.index("\n[", start)].replace("m600-256gb]", "m600-9999gb]")
    (copied / "drives.toml").write_text(f"{drives}\n{block}\n", "utf-8")
    claims = (copied / "claims.csv").read_text("utf-8").splitlines()
    (copied / "claims.csv").write_text(
        "\n".join([*claims, claims[-1].replace("P4-", "P4-9", 1), ""]), "utf-8"
    )
    assert hashes() == today


def test_a_changed_drive_makes_stale_the_studies_that_load_it(today, copied):
    path = copied / "drives.toml"
    text = path.read_text("utf-8")
    start = text.index("[flash.micron-3d-tlc-384gbit]")
    changed = text[start:].replace("erase_s = { value = ", "erase_s = { value = 1", 1)
    path.write_text(text[:start] + changed, "utf-8")
    stale = {name for name, value in hashes().items() if value != today[name]}
    assert {"ratings", "cache_spans", "times", "storage_bench"} <= stale
    assert not {"queue_depths", "power_cuts", "uniform_writes"} & stale


def test_another_calibration_makes_stale_the_studies_of_its_drives_but_not_itself(today, copied):
    path = copied / "results" / "times.csv"
    text = path.read_text("utf-8")
    time = repr(drives.load("mx300-750gb").read_command_s)
    assert time in text
    path.write_text(text.replace(time, "7e-06"), "utf-8")
    stale = {name for name, value in hashes().items() if value != today[name]}
    assert {"ratings", "cache_spans", "storage_bench"} <= stale
    assert not {"times", "queue_depths", "uniform_writes"} & stale


def test_a_note_on_a_drive_makes_no_study_stale(today, copied):
    path = copied / "drives.toml"
    text = path.read_text("utf-8")
    assert 'note = "' in text
    path.write_text(text.replace('note = "', 'note = "so '), "utf-8")
    assert hashes() == today


def numbers(source, name):
    """Return the number constants of a definition, or of the statements, that are not in words."""
    tree = ast.parse(source)
    defined = (ast.FunctionDef, ast.ClassDef)
    nodes = [
        node
        for node in tree.body
        if (node.name == name if isinstance(node, defined) else not name)
        and not (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test))
    ]
    return [
        part
        for node in nodes
        for part in ast.walk(node)
        if isinstance(part, ast.Constant) and type(part.value) in (int, float)
    ]


def test_thirty_changed_constants_that_are_reached_make_every_study_stale_that_reaches_them(today):
    random_ = random.Random(14)
    places = []
    for study in STUDIES.values():
        root = f"{study.function.__module__}:{study.function.__qualname__}"
        for key in _reach.reached([root], stops=_NO_RESULT):
            module, _, name = key.partition(":")
            source = MODULES[module].read_text("utf-8")
            places += [(study.name, module, constant) for constant in numbers(source, name)]
    for name, module, constant in random_.sample(places, 30):
        lines = MODULES[module].read_text("utf-8").splitlines(keepends=True)
        line = lines[constant.lineno - 1].encode()  # columns are of bytes
        start, end = constant.col_offset, constant.end_col_offset
        changed = line[:start] + repr(constant.value + 1).encode() + line[end:]
        lines[constant.lineno - 1] = changed.decode()
        mutated = STUDIES[name].hash({module: "".join(lines)})
        assert mutated != today[name], f"{name}: {module}, line {constant.lineno}"
