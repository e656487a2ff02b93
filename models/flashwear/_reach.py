"""What a result depends on: the definitions that its code reaches, as a digest.

A digest changes when the result may have changed: with a reached function, class or constant, not
with a docstring, a comment or an annotation, nor with a definition that is not reached. It is read
from the source and runs nothing:

- a reference to a name, also through imports and packages that hand it on, reaches its definition;
- a class is reached whole, and so is a module that is used other than by ``module.name``;
- with any name of a module, its other top-level statements are reached;
- what belongs to neither this package nor those of the roots is not followed.
"""

import ast
import hashlib
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]
_PACKAGE = __name__.partition(".")[0]

# decorators that do nothing beside what they return
_PLAIN = {"abc", "contextlib", "dataclasses", "enum", "functools", "numba", "typing"}
_ANNOTATIONS = {"annotation", "returns"}
_UNSEEN = {"ctx", "kind", "type_comment"}

_DEFINITION = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

Target = tuple[str, str | None]
"""What an imported name stands for: a name in a module, or the module."""
Reference = tuple[str, str | None]
"""A module and a name in it: "" for its top-level statements, None for the whole module."""


def digest(
    roots: Iterable[str],
    *,
    sources: Mapping[str, str] | None = None,
    stops: Collection[str] = (),
) -> str:
    """Return the first 16 hexadecimal digits of a SHA-256 of all that is reached.

    Parameters
    ----------
    roots : iterable of str
        ``"module:name"`` for a definition or constant, ``"module"`` for a whole module.
    sources : mapping of str to str, optional
        Source by module name, in place of that in the package or beside it.
    stops : collection of str
        ``"module:name"`` of what is not followed; only its name is part of the digest.

    Raises
    ------
    ValueError
        If a root is not there, or a source is not Python.
    """
    found = reached(roots, sources=sources, stops=stops)
    text = "".join(f"{key}\0{found[key]}\0" for key in sorted(found))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def reached(
    roots: Iterable[str],
    *,
    sources: Mapping[str, str] | None = None,
    stops: Collection[str] = (),
) -> dict[str, str]:
    """Return what is reached, as normalised syntax by ``"module:name"``; see :func:`digest`."""
    roots = list(roots)
    packages = frozenset({_PACKAGE, *(re.split("[.:]", root)[0] for root in roots)})
    code = _Code(packages, sources) if sources else _installed(packages)
    waiting: list[Reference] = []
    for root in roots:
        start, _, wanted = root.partition(":")
        loaded = code.module(start)
        if loaded is None or (wanted and wanted not in loaded.names):
            raise ValueError(f"roots must be definitions or modules with source, got {root!r}")
        waiting += code.follow(start, [wanted] if wanted else [])
    known: set[Reference] = set()
    found: dict[str, str] = {}
    while waiting:
        reference = waiting.pop()
        if reference in known:
            continue
        known.add(reference)
        module, name = reference
        if f"{module}:{name}" in stops:
            found[f"{module}:{name}"] = ""
            continue
        loaded = code.module(module)
        assert loaded is not None
        if name is None:
            waiting += [(module, name) for name in ("", *loaded.definitions)]
            for bound in loaded.imports:
                waiting += code.follow(module, [bound], whole=False)
            continue
        if name not in {"", *loaded.definitions}:  # bound by a statement
            waiting.append((module, ""))
            continue
        found[f"{module}:{name}"] = loaded.text(name)
        waiting.append((module, ""))
        waiting += code.references(module, name)
    return found


class _Module:
    """The source of a module, taken apart."""

    def __init__(self, name: str, source: str, *, is_package: bool) -> None:
        self.name = name
        self.package = name if is_package else name.rpartition(".")[0]
        self.definitions: dict[str, list[ast.AST]] = {}
        self.imports: dict[str, list[Target]] = {}
        self.statements: list[ast.AST] = []
        self.types: set[str] = set()
        self._texts: dict[str, str] = {}
        self._uses: dict[str, list[tuple[str, list[str]]]] = {}
        try:
            tree = ast.parse(source)
        except SyntaxError as error:
            raise ValueError(f"source of {name} must be Python: {error}") from None
        self._take(tree.body)

    def _take(self, body: list[ast.stmt]) -> None:
        for node in body:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                self._bind(node)
            elif _is_overload(node):
                continue
            elif isinstance(node, ast.AnnAssign) and _chain(node.annotation)[-1:] == ["TypeAlias"]:
                self.types.update(_chain(node.target))
            elif isinstance(node, _DEFINITION):
                self.definitions.setdefault(node.name, []).append(node)
                if any(self._acts(decorator) for decorator in node.decorator_list):
                    self.statements.append(node)
            elif isinstance(node, ast.If) and _is_for_types_only(node):
                self._take(node.orelse)
            elif not _is_text(node) and not _is_list_of_names(node):
                for inner in ast.walk(node):
                    if isinstance(inner, (ast.Import, ast.ImportFrom)):
                        self._bind(inner)
                self.statements.append(node)

    def _bind(self, node: ast.Import | ast.ImportFrom) -> None:
        for name, target in imported(node, self.package):
            self.imports.setdefault(name, []).append(target)

    def _acts(self, decorator: ast.expr) -> bool:
        """Return whether a decorator may do something when the module is imported."""
        node = decorator.func if isinstance(decorator, ast.Call) else decorator
        root = "".join(_chain(node)[:1])
        modules = {module.partition(".")[0] for module, _ in self.imports.get(root, [])}
        return bool(modules - {*_PLAIN, _PACKAGE})  # none: a builtin, or of this module

    def _nodes(self, name: str) -> list[ast.AST]:
        return self.definitions[name] if name else self.statements

    def text(self, name: str) -> str:
        """Return a definition, or the statements, as plain syntax, and what its names mean."""
        if name not in self._texts:
            nodes = self._nodes(name)
            read = {chain[0] for node in nodes for chain in _chains(node)}
            meant = [f"{bound}={self.imports[bound]}" for bound in sorted(read & {*self.imports})]
            self._texts[name] = "\n".join([*map(_normalised, nodes), *meant])
        return self._texts[name]

    def uses(self, name: str) -> list[tuple[str, list[str]]]:
        """Return what a definition uses, or the statements do: a module and names from there."""
        if name not in self._uses:
            self._uses[name] = [use for node in self._nodes(name) for use in self._used_by(node)]
        return self._uses[name]

    def _used_by(self, node: ast.AST) -> Iterator[tuple[str, list[str]]]:
        local = [
            bound
            for inner in ast.walk(node)
            if isinstance(inner, (ast.Import, ast.ImportFrom))
            for bound in imported(inner, self.package)
        ]
        used: set[str] = set()
        for chain in _chains(node):
            used.add(chain[0])
            for name, (target, attribute) in local:
                if name == chain[0]:
                    yield target, chain[1:] if attribute is None else [attribute, *chain[1:]]
            if chain[0] in self.names:
                yield self.name, chain
        for name, (target, attribute) in local:
            if name not in used:  # imported for what the module does then
                yield target, [] if attribute is None else [attribute]

    @cached_property
    def assigned(self) -> set[str]:
        """Names that statements bind."""
        return {
            inner.id
            for node in self.statements
            for inner in ast.walk(node)
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store)
        }

    @cached_property
    def names(self) -> set[str]:
        """All names of the module."""
        return {*self.definitions, *self.imports, *self.assigned, *self.types}


@cache
def _parsed(name: str, source: str, is_package: bool) -> _Module:
    return _Module(name, source, is_package=is_package)


class _Code:
    """Modules of some packages by name, a few with another source."""

    def __init__(self, packages: frozenset[str], sources: Mapping[str, str] | None = None) -> None:
        self._packages = packages
        self._sources = sources or {}
        self._modules: dict[str, _Module | None] = {}
        self._references: dict[tuple[str, str], list[Reference]] = {}
        if sources and not any(self._file(name) for name in sources):  # others do not refer to them
            installed = _installed(packages)
            self._modules.update(installed._modules)
            self._references = installed._references

    def _file(self, module: str) -> Path | None:
        return _file(module) if module.partition(".")[0] in self._packages else None

    def module(self, name: str) -> _Module | None:
        """Return a module, None if it is of another package and has no source."""
        if name not in self._modules:
            path = self._file(name)
            source = self._sources.get(name)
            if source is None and path is not None:
                source = path.read_text(encoding="utf-8")
            is_package = path is not None and path.name == "__init__.py"
            self._modules[name] = None if source is None else _parsed(name, source, is_package)
        return self._modules[name]

    def references(self, module: str, name: str) -> list[Reference]:
        """Return what a definition of a module refers to, or its statements do."""
        loaded = self.module(module)
        assert loaded is not None
        if module in self._sources:
            return [found for use in loaded.uses(name) for found in self.follow(*use)]
        if (module, name) not in self._references:
            found = dict.fromkeys(one for use in loaded.uses(name) for one in self.follow(*use))
            self._references[module, name] = list(found)
        return self._references[module, name]

    def follow(self, module: str, chain: list[str], *, whole: bool = True) -> list[Reference]:
        """Return what ``module.chain[0].chain[1]...`` refers to.

        With `whole`, a chain that ends at a module stands for all of it.
        """
        loaded = self.module(module)
        if loaded is None:
            return []
        if not chain:
            return [(module, None)] if whole else []
        name, *rest = chain
        if name in loaded.definitions:
            return [(module, name)]
        # a package may import its own submodule by name
        targets = [target for target in loaded.imports.get(name, []) if target != (module, name)]
        if targets:
            return [
                reference
                for target, attribute in targets
                for reference in self.follow(
                    target, rest if attribute is None else [attribute, *rest], whole=whole
                )
            ]
        if name in loaded.assigned:
            return [(module, name)]
        if name in loaded.types:
            return []
        if self.module(f"{module}.{name}") is not None:
            return self.follow(f"{module}.{name}", rest, whole=whole)
        return [(module, None)]  # a name that is made at run time


@cache
def _installed(packages: frozenset[str]) -> _Code:
    return _Code(packages)


@cache
def _file(module: str) -> Path | None:
    """Return where the source of a module is, without loading any of this package."""
    if module.partition(".")[0] == _PACKAGE:
        path = _ROOT.joinpath(*module.split("."))
        return next(
            (one for one in (path.with_suffix(".py"), path / "__init__.py") if one.is_file()), None
        )
    try:
        spec = sys.modules[module].__spec__ if module in sys.modules else find_spec(module)
    except (ImportError, ValueError):  # no such module, or none with a name
        return None
    origin = getattr(spec, "origin", None)
    return Path(origin) if origin and origin.endswith(".py") else None


def reread() -> None:
    """Forget the sources read so far: files may have changed."""
    _installed.cache_clear()
    _file.cache_clear()


def imported(node: ast.Import | ast.ImportFrom, package: str) -> list[tuple[str, Target]]:
    """Return the names that an import binds, and what each stands for."""
    if isinstance(node, ast.Import):
        return [
            (alias.asname, (alias.name, None))
            if alias.asname
            else (alias.name.partition(".")[0], (alias.name.partition(".")[0], None))
            for alias in node.names
        ]
    base = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
    module = ".".join([*base, *([node.module] if node.module else [])])
    return [(alias.asname or alias.name, (module, alias.name)) for alias in node.names]


def _chain(node: ast.AST) -> list[str]:
    """Return ``["a", "b"]`` for ``a.b``; nothing for what does not begin with a name."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return [node.id, *reversed(names)] if isinstance(node, ast.Name) else []


def _chains(node: ast.AST) -> Iterator[list[str]]:
    """Yield every name that is read but in annotations, with the attributes taken of it."""
    if _is_overload(node) or (isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)):
        return
    if chain := _chain(node):
        yield chain
        return
    for field, value in ast.iter_fields(node):
        if field not in _ANNOTATIONS:
            for part in value if isinstance(value, list) else [value]:
                if isinstance(part, ast.AST):
                    yield from _chains(part)


def _normalised(value: object, *, in_class: bool = False) -> str:
    """Write syntax without what does not act, alike in all versions of Python."""
    if isinstance(value, list):
        parts = [_normalised(part, in_class=in_class) for part in value]
        return f"[{','.join(filter(None, parts))}]"
    if not isinstance(value, ast.AST):
        return repr(value)
    if _is_text(value) or _is_overload(value):
        return ""
    if isinstance(value, ast.AnnAssign) and not in_class:  # the fields of a data class are typed
        if value.value is None:
            return ""
        value = ast.Assign(targets=[value.target], value=value.value)
    parts = [
        f"{field}={_normalised(part, in_class=isinstance(value, ast.ClassDef))}"
        for field, part in ast.iter_fields(value)
        if field not in _UNSEEN
        and (field not in _ANNOTATIONS or isinstance(value, ast.AnnAssign))
        and part is not None
        and part != []
    ]
    return f"{type(value).__name__}({','.join(parts)})"


def _is_text(node: ast.AST) -> bool:
    """Return whether a statement is a docstring."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _is_overload(node: ast.AST) -> bool:
    """Return whether a function only says to a type checker how another may be called."""
    return isinstance(node, ast.FunctionDef) and any(
        _chain(decorator)[-1:] == ["overload"] for decorator in node.decorator_list
    )


def _is_list_of_names(node: ast.AST) -> bool:
    return isinstance(node, ast.Assign) and _chain(node.targets[0]) == ["__all__"]


def _is_for_types_only(node: ast.If) -> bool:
    return _chain(node.test)[-1:] == ["TYPE_CHECKING"]
