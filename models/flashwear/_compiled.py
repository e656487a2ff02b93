"""Compile inner loops with numba."""

import functools
import os
from collections.abc import Callable
from typing import Any, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile `function` with numba when it is first called.

    Importing a module that uses this loads nothing. Without numba the function runs as
    written, with the same results, only slower. The machine code is kept on disk if
    ``NUMBA_CACHE_DIR`` names a folder (numba does not notice a change in a function
    that the compiled one calls, so that folder should be one for each state of the code).
    """
    chosen: list[Callable[..., Any]] = []

    @functools.wraps(function)
    def call(*arguments: Any) -> Any:
        if not chosen:
            try:
                import numba
            except ImportError:
                chosen.append(function)
            else:
                cache = bool(os.environ.get("NUMBA_CACHE_DIR"))
                chosen.append(numba.njit(function, cache=cache))
        return chosen[0](*arguments)

    return cast(Function, call)


def jit(function: Function) -> Function:
    """Compile `function` with numba, which must be installed; compiled code may call it.

    It must not make an array: none is counted (`_nrt`), because counting the references to the
    thirty arrays of a simulated drive in each call takes longer than the call. The machine code is
    kept as by :func:`compiled`.
    """
    import numba

    options: dict[str, Any] = {"cache": bool(os.environ.get("NUMBA_CACHE_DIR")), "_nrt": False}
    return cast(Function, numba.njit(**options)(function))
