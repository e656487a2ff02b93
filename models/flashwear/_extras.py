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


class MissingPackageError(ImportError):
    """A package that is needed is not installed."""


def require(extra: str, *packages: str) -> None:
    """Raise ImportError, with the command to install `extra`, if one of `packages` is missing.

    Examples
    --------
    >>> require("sim", "numpy", "nonesuch")
    Traceback (most recent call last):
    flashwear._extras.MissingPackageError: nonesuch missing: pip install "flashwear[sim]"
    """
    if missing := [name for name in packages if find_spec(name) is None]:
        raise MissingPackageError(f'{", ".join(missing)} missing: pip install "flashwear[{extra}]"')


class MissingExtraError(AttributeError):
    """A name of a module that cannot be imported without a package that is not installed."""


class _Absent(ModuleType):
    """Stands for such a module: it can be looked at, and says what to install when it is used."""

    def __getattr__(self, name: str) -> object:
        raise MissingExtraError(self.__doc__)


def lazily(package: str) -> Callable[[str], ModuleType]:
    """Return a ``__getattr__`` that imports a submodule of a package when it is first used.

    If a package is missing for that, it returns a module without names, so that ``import *``,
    ``hasattr``, ``help`` and the like work.
    """

    def attribute(name: str) -> ModuleType:
        path = f"{package}.{name}"
        if name.startswith("_") or find_spec(path) is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        try:
            return import_module(path)
        except MissingPackageError as error:
            return _Absent(path, str(error))

    return attribute
