"""A digest of the modules that the code of a result imports.

The digest changes with the syntax of a module that is reached, not with docstrings, comments, types
of arguments, warnings and the words of errors. It is read from the source and runs nothing:

- an import reaches a module of this package or of that of a root, wherever it stands but for type
  checkers;
- a package whose ``__init__`` only hands names on is followed by name: ``from flashwear.wa import
  fifo``, or ``wa.fifo``, reaches ``flashwear.wa.uniform`` and not the rest of the package;
- such a package that is used otherwise stands for all modules in it;
- a module that is found by a name made at run time is not seen.
"""

import ast
import hashlib
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache, cached_property
from importlib.util import find_spec, resolve_name
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).resolve().parents[1]

Chain = tuple[str, ...]
"""A name and the attributes taken from it in turn: ``("study", "runs")`` is ``study.runs``."""
_UNSEEN = {"ctx", "kind", "type_comment", "annotation", "returns"}
"""Fields of syntax that change no result; the fields of a class are no such annotations."""


def digest(
    roots: Iterable[str],
    *,
    sources: Mapping[str, str] | None = None,
    stops: Collection[str] = (),
    packages: Collection[str] = (),
) -> str:
    """Return 16 hexadecimal digits that change with the code that some modules run and import.

    Parameters
    ----------
    roots : iterable of str
        Names of modules. A package whose ``__init__`` only imports names stands for all its
        modules.
    sources : mapping of str to str, optional
        Source text by name of module, to be used instead of the module's file.
    stops : collection of str
        Modules that are not followed; only their names are part of the digest.
    packages : collection of str
        Packages that are followed beside this one and those of the roots.

    Raises
    ------
    ValueError
        If a root is not there, or a source is not Python.

    Examples
    --------
    >>> len(digest(["flashwear.wa"]))
    16
    """
    found = reached(roots, sources=sources, stops=stops, packages=packages)
    text = "".join(f"{name}\0{found[name]}\0" for name in sorted(found))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def reached(
    roots: Iterable[str],
    *,
    sources: Mapping[str, str] | None = None,
    stops: Collection[str] = (),
    packages: Collection[str] = (),
) -> dict[str, str]:
    """Return, by name, the syntax trees as text of all modules that some modules import.

    A name that a package only passes on is an entry too: ``"package:name"`` with its definition.

    Examples
    --------
    >>> sorted(reached(["flashwear.capacity"]))
    ['flashwear._columns', 'flashwear._domain', 'flashwear.capacity', 'flashwear.units']
    """
    roots = list(roots)
    followed = {__package__, *packages, *(root.partition(".")[0] for root in roots)}
    search = _Search(sources or {}, followed)
    waiting: list[str] = []
    for root in roots:
        if search.module(root) is None:
            raise ValueError(f"roots must be modules with source, got {root!r}")
        waiting += search.follow(root, ())
    done: set[str] = set()
    while waiting:
        name = waiting.pop()
        module = search.module(name)
        if name in done or module is None:
            continue
        done.add(name)
        search.found[name] = ""
        if name not in stops:
            search.found[name] = module.text
            for place, chain in module.uses:
                waiting += search.follow(place, chain)
    return search.found


def reread() -> None:
    """Forget the cached sources, as files may have changed."""
    _installed.cache_clear()


class _Search:
    """Modules by name, and what was found of them."""

    def __init__(self, sources: Mapping[str, str], packages: Collection[str]) -> None:
        self._sources = sources
        self._packages = packages
        self.found: dict[str, str] = {}

    def module(self, name: str) -> "_Module | None":
        if name in self._sources:
            file = _file(name)
            is_package = file is not None and file.name == "__init__.py"
            return _Module(name, self._sources[name], is_package=is_package)
        return _installed(name) if name.partition(".")[0] in self._packages else None

    def follow(self, name: str, chain: Chain) -> Iterator[str]:
        """Yield the modules that ``name.chain[0].chain[1]...`` may refer to."""
        module = self.module(name)
        if module is None:
            return
        if not chain:
            yield from _inside(name) if module.hands_on else [name]
            return
        first, *rest = chain
        inner = f"{name}.{first}"
        handed_on = module.imports.get(first, set()) - {(name, (first,))} if module.hands_on else ()
        for place, attributes in sorted(handed_on):
            self.found[f"{name}:{first}"] = f"{place}.{'.'.join(attributes)}"
            yield from self.follow(place, (*attributes, *rest))
        is_inside = not handed_on and self.module(inner) is not None
        if is_inside:
            yield from self.follow(inner, tuple(rest))
        if not module.hands_on or not (handed_on or is_inside):
            yield name  # which has it of its own


class _Module:
    """The source of a module, taken apart."""

    def __init__(self, name: str, source: str, *, is_package: bool) -> None:
        try:
            self._tree = ast.parse(source)
        except SyntaxError as error:
            raise ValueError(f"source of {name} must be Python: {error}") from None
        self._package = name if is_package else name.rpartition(".")[0]
        self.hands_on = is_package and not any(map(_defines, self._tree.body))

    @cached_property
    def text(self) -> str:
        return _plain(self._tree)

    @cached_property
    def imports(self) -> dict[str, set[tuple[str, Chain]]]:
        """The modules, and names in them, that imported names may refer to."""
        found: dict[str, set[tuple[str, Chain]]] = {}
        for node in _nodes(self._tree):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                for name, meant in self._bound(node):
                    found.setdefault(name, set()).add(meant)
        return found

    def _bound(self, node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, tuple[str, Chain]]]:
        for alias in node.names:
            if isinstance(node, ast.ImportFrom):
                base = resolve_name("." * node.level + (node.module or ""), self._package)
                yield alias.asname or alias.name, (base, (alias.name,))
            else:
                yield alias.asname or alias.name, (alias.name, ())

    @cached_property
    def uses(self) -> set[tuple[str, Chain]]:
        """Modules and the names used from them."""
        chains: dict[str, set[Chain]] = {}
        for first, *rest in _chains(self._tree):
            chains.setdefault(first, set()).add(tuple(rest))
        return {
            (place, (*attributes, *rest))
            for name, meant in self.imports.items()
            for place, attributes in meant
            for rest in chains.get(name, {()})
        }


@cache
def _installed(name: str) -> _Module | None:
    file = _file(name)
    if file is None:
        return None
    source = file.read_text(encoding="utf-8")
    return _Module(name, source, is_package=file.name == "__init__.py")


def _file(name: str) -> Path | None:
    """Return where the source of a module is, without loading any of this package."""
    if name.partition(".")[0] == __package__:
        path = _ROOT.joinpath(*name.split("."))
        files = (path / "__init__.py", path.with_suffix(".py"))
        return next((file for file in files if file.is_file()), None)
    try:
        spec = sys.modules[name].__spec__ if name in sys.modules else find_spec(name)
    except (ImportError, ValueError):  # no such module, or none with a name
        return None
    origin = spec.origin if spec is not None else None
    return Path(origin) if origin and origin.endswith(".py") else None


def _inside(package: str) -> Iterator[str]:
    """Yield the modules of a package."""
    file = _file(package)
    assert file is not None
    for path in sorted(file.parent.rglob("*.py")):
        parts = path.relative_to(file.parent).with_suffix("").parts
        yield ".".join((package, *parts)).removesuffix(".__init__")


def _defines(node: ast.stmt) -> bool:
    """Return whether a statement defines anything that others may use."""
    if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
        return any(map(_defines, node.orelse))
    if isinstance(node, ast.Assign):
        return not all(isinstance(name, ast.Name) and name.id[0] == "_" for name in node.targets)
    return not isinstance(node, (ast.Import, ast.ImportFrom, ast.Expr)) and not (
        isinstance(node, ast.FunctionDef) and node.name[0] == "_"
    )


def _nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield all parts of syntax but what is for type checkers only."""
    yield node
    parts: Iterable[ast.AST] = ast.iter_child_nodes(node)
    if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
        parts = node.orelse
    for part in parts:
        yield from _nodes(part)


def _chains(node: ast.AST) -> Iterator[list[str]]:
    """Yield ``["a", "b"]`` for each ``a.b`` that is read."""
    names: list[str] = []
    inner = node
    while isinstance(inner, ast.Attribute):
        names.append(inner.attr)
        inner = inner.value
    if isinstance(inner, ast.Name):
        if isinstance(inner.ctx, ast.Load):
            yield [inner.id, *reversed(names)]
    else:
        for part in ast.iter_child_nodes(inner):
            yield from _chains(part)


def _plain(value: Any) -> str:
    """Return syntax as text, without docstrings, alike in all versions of Python."""
    if isinstance(value, list):
        return f"[{','.join(_plain(part) for part in value if not _does_nothing(part))}]"
    if not isinstance(value, ast.AST):
        return repr(value)
    if isinstance(value, ast.JoinedStr):  # Python 3.12.1 ends some with an empty text
        value = ast.JoinedStr([part for part in value.values if getattr(part, "value", 0) != ""])
    if isinstance(value, ast.Raise) and isinstance(value.exc, ast.Call):
        value = ast.Raise(value.exc.func)
    unseen = {"ctx"} if isinstance(value, ast.AnnAssign) else _UNSEEN
    parts = [
        f"{field}={_plain(part)}"
        for field, part in ast.iter_fields(value)
        if part is not None and part != [] and field not in unseen
    ]
    return f"{type(value).__name__}({','.join(parts)})"


def _does_nothing(node: object) -> bool:
    """Return whether a statement is a docstring or a warning, perhaps under an if."""
    if isinstance(node, ast.If):
        return all(map(_does_nothing, [*node.body, *node.orelse]))
    if not isinstance(node, ast.Expr):
        return False
    called = node.value.func if isinstance(node.value, ast.Call) else None
    return getattr(called, "id", "") == "warn" or isinstance(getattr(node.value, "value", 0), str)
