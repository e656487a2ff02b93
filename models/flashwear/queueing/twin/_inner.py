"""Compiled functions that only compiled functions call.

The event loop hands thirty arrays from function to function. A function that Python need not call
compiles in half the time, and one that is copied wherever it is called hands over nothing.
"""

import os
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def inner(function: Function) -> Function:
    """Compile `function`, to be called by compiled code only."""
    return _compiled(function)


def inlined(function: Function) -> Function:
    """Compile `function` as :func:`inner` does, for a copy of it wherever it is called."""
    return _compiled(function, forceinline=True)


def _compiled(function: Function, **more: bool) -> Function:
    options: dict[str, Any] = {
        "cache": bool(os.environ.get("NUMBA_CACHE_DIR")),
        "_nrt": False,
        "no_cpython_wrapper": True,
        "no_cfunc_wrapper": True,
    }
    return cast(Function, numba.njit(**options | more)(function))
