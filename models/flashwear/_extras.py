"""What is loaded only when it is used: submodules, and packages that a plain install leaves out."""

import functools
import os
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

_NUMBA_TRIED = (0, 68)


@functools.cache
def plain_numba() -> bool:
    """Return whether to use numba's public interface alone: on request, or if numba is too new."""
    require("sim", "numba")
    if os.environ.get("FLASHWEAR_PLAIN_NUMBA") == "1":
        return True
    import logging
    from importlib.metadata import version

    installed = version("numba")
    if tuple(map(int, installed.split(".")[:2])) <= _NUMBA_TRIED:
        return False
    logging.getLogger("flashwear").warning(  # a warning could end a program that makes them errors
        "flashwear was not tried with numba %s, so compiling takes three times as long, once; "
        "results are the same",
        installed,
    )
    return True


def require(extra: str, *packages: str) -> None:
    """Raise ImportError, with the command to install `extra`, if one of `packages` is missing.

    Examples
    --------
    >>> require("sim", "numpy", "nonesuch")
    Traceback (most recent call last):
    ImportError: nonesuch missing: pip install "flashwear[sim]"
    """
    if missing := [name for name in packages if find_spec(name) is None]:
        raise ImportError(f'{", ".join(missing)} missing: pip install "flashwear[{extra}]"')


def lazily(package: str) -> Callable[[str], ModuleType]:
    """Return a ``__getattr__`` that imports a submodule of a package when it is first used."""

    def attribute(name: str) -> ModuleType:
        path = f"{package}.{name}"
        if name.startswith("_") or find_spec(path) is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return import_module(path)

    return attribute
