"""Compiled functions that only compiled functions call.

The event loop hands thirty arrays from function to function. A function that Python need not call
compiles in half the time, and one that is copied wherever it is called hands over nothing.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from flashwear._compiled import jit

Function = TypeVar("Function", bound=Callable[..., Any])


def inner(function: Function) -> Function:
    """Compile `function`, to be called by compiled code only."""
    return jit(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def inlined(function: Function) -> Function:
    """Compile `function` as :func:`inner` does, for a copy of it wherever it is called."""
    return jit(function, no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True)
