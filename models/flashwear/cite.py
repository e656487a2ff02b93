"""How to cite the library, one of its functions, and the work that an equation is from."""

import inspect
import re
import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

_CITED = re.compile(r":cite:\w+:`([^`]+)`")
_ENTRY = re.compile(r"^@\w+\{([^,]+),$")


class Release(NamedTuple):
    """What ``CITATION.cff`` says of this release."""

    title: str
    version: str
    date: str
    """As 2026-11-27."""
    author: str


def release() -> Release:
    """Return title, version, date and author of this release.

    Examples
    --------
    >>> release().author
    'The Flash Wear authors'
    """
    pairs = re.findall(r'^[ -]*([a-z-]+): "?([^"\n]+)', _read("CITATION.cff"), re.MULTILINE)
    said = dict(pairs)
    return Release(said["title"], said["version"], said["date-released"], said["name"])


def entry(key: str, title: str, note: str = "") -> str:
    r"""Return a BibTeX entry of a part of this release.

    Examples
    --------
    >>> print(entry("flashwear-prices", "What does a terabyte cost?").splitlines()[0])
    @misc{flashwear-prices,
    """
    _, version, date, author = release()
    fields = {"author": f"{{{author}}}", "title": f"{{{title}}}", "year": date[:4],
              "version": version, "note": note}  # fmt: skip
    body = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items() if value)
    return f"@misc{{{key},\n{body}\n}}"


def bibtex(*parts: object) -> str:
    r"""Return BibTeX entries of this release, of parts of it, and of what their equations are from.

    Parameters
    ----------
    *parts : function, class or module
        Public parts of the library; without one only the release is cited.

    Returns
    -------
    str
        The release first, then each part, followed by the works that its docstring cites.

    Raises
    ------
    ValueError
        For what is no function, class or module of the library.

    Examples
    --------
    >>> from flashwear import wa
    >>> print(*(line for line in bibtex(wa.fifo_mixed).splitlines() if line[:1] == "@"), sep="\n")
    @misc{flashwear,
    @misc{flashwear-wa-fifo_mixed,
    @inproceedings{desnoyers2012,
    """
    title = release().title
    entries = {"flashwear": entry("flashwear", title)}
    for part in parts:
        name = _public_name(part)
        key = name.replace(".", "-")
        entries[key] = entry(key, name, f"Part of {title}")
        known = dict(_works())
        for cited in _CITED.findall(inspect.getdoc(part) or ""):
            entries |= {each: known[each] for each in re.split(r"\s*,\s*", cited)}
    return "\n\n".join(entries.values())


def named(name: str) -> object:
    """Return the part of the library that a name such as ``wa.greedy`` stands for.

    Raises
    ------
    ValueError
        If there is none.

    Examples
    --------
    >>> named("wa.fifo").__name__
    'fifo'
    """
    words = name.removeprefix(f"{__package__}.").split(".")
    found: object = sys.modules[__package__]
    for word in words:
        found = None if word.startswith("_") else getattr(found, word, None)
    if found is None:
        raise ValueError(f"name must be of a part as wa.greedy, got {name[:60]!r}")
    return found


def _public_name(part: object) -> str:
    """Return the name by which users reach a part, as flashwear.wa.fifo."""
    name = getattr(part, "__qualname__", "")
    module = str(part.__name__ if inspect.ismodule(part) else getattr(part, "__module__", ""))
    words = module.split(".")
    if words[:1] != [__package__] or not (name or inspect.ismodule(part)):
        raise ValueError(
            f"parts must be functions, classes or modules of {__package__}, got {part!r}"
        )
    outer = name.partition(".")[0]  # the class of a method
    for length in range(1, len(words)):
        place = ".".join(words[:length])
        one = getattr(sys.modules[place], outer, None) if outer else None
        if one is not None and one is getattr(sys.modules[module], outer, None):
            return f"{place}.{name}"
    return ".".join(filter(None, (module, name)))


def _works() -> Iterator[tuple[str, str]]:
    """Yield key and entry of each work that the library or the book cites."""
    lines: list[str] = []
    for line in _read("references.bib").splitlines():
        begun = _ENTRY.match(line)
        lines = [line] if begun else [*lines, line]
        if line == "}":
            found = _ENTRY.match(lines[0])
            assert found is not None
            yield found[1], "\n".join(lines)


def _read(name: str) -> str:
    """Return a text that is installed with the package, or lies in the checkout."""
    root = Path(__file__).parents[2]
    places = (files("flashwear") / "data" / name, root / name, root / "book" / name)
    return next(place for place in places if place.is_file()).read_text(encoding="utf-8")
