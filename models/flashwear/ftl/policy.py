"""Cleaning policies of your own: a Python function, or one that numba compiles."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias, cast

import numba
import numpy as np
from numba.extending import intrinsic, is_jitted, overload
from numpy.typing import NDArray

from flashwear._extras import plain_numba
from flashwear.ftl.arrays import FREE, NO_BLOCK, NOT_CLOSED, OPEN, Arrays

_PART = 256
_NO_ANSWER = -(2**63)


class Blocks(NamedTuple):
    """What a cleaning policy may read: arrays with an element for each block, and ``writes``.

    Notes
    -----
    A policy looks at all blocks each time a block is cleaned. It takes up to 3 times the CPU time
    of the built-in greedy policy if compiled and calling :func:`first_least`, in Python 3 to 15
    times (``benchmarks/own_policy.py``).

    Examples
    --------
    >>> import numba
    >>> from flashwear import ftl
    >>> @numba.njit
    ... def greedy(blocks):
    ...     return ftl.first_least(blocks.live)
    >>> def slow(blocks):
    ...     return blocks.live.argmin()
    >>> arguments = dict(user_pages=5000, op=0.28, pages_per_block=32)
    >>> [round(ftl.simulate(policy=p, **arguments).wa, 2) for p in ("greedy", greedy, slow)]
    [2.34, 2.38, 2.38]
    """

    live: NDArray[Any]
    """Live pages; for a free, open or retired block, one more than the pages of a block."""
    closed_at: NDArray[np.int64]
    """Pages that the host had written when the block became full."""
    erases: NDArray[np.int32]
    """Erases of the block."""
    frontier: NDArray[np.uint8]
    """The frontier that filled the block."""
    writes: int
    """Pages that the host has written by now."""


Policy: TypeAlias = Callable[[Blocks], int]


def first_least(values: NDArray[Any]) -> int:
    """Return the index of the first smallest number: ``argmin`` for a compiled policy.

    In compiled code it takes a quarter of the time of ``argmin`` or less.

    Examples
    --------
    >>> import numpy as np
    >>> first_least(np.array([3, 1, 2, 1], np.int32))
    1
    """
    return int(values.argmin())


def _by_parts(values: NDArray[Any]) -> int:
    """Find the least of each part several elements at a time, and search only one part for it."""
    least, start = values[0], 0
    for first in range(0, values.size, _PART):
        part = values[first : first + _PART]
        here = least
        for i in range(part.size):
            value = part[i]
            here = value if value < here else here
        if here < least:
            least, start = here, first
    part = values[start : start + _PART]
    for i in range(part.size):
        if part[i] == least:
            return start + i
    return start


overload(first_least, strict=False)(lambda values: _by_parts)


def blocks_of(a: Arrays) -> Blocks:
    """Return what a cleaning policy may read of the drive with the arrays `a` at this moment."""
    live, closed_at, erases, frontier = map(
        _constant_view, (a.valid, a.block["stamp"], a.block["erases"], a.frontier_of)
    )
    return Blocks(live, closed_at, erases, frontier, int(a.counts.host_writes))


def _constant_view(field: NDArray[Any]) -> NDArray[Any]:
    view = field.view()
    view.flags.writeable = False
    return view


class Chooser:
    """The user's own cleaning policy, as machine code that the compiled loop calls.

    `policy` is a function that gets :class:`Blocks` and returns the block to clean, `a` the arrays
    of the drive.
    """

    def __init__(self, policy: Policy, a: Arrays) -> None:
        self.policy, self._arrays = policy, a
        self._answer: object = None
        self._error: BaseException | None = None
        if is_jitted(policy):
            _check(policy, cast(Any, numba.typeof)(blocks_of(a)))
        if is_jitted(policy) and not plain_numba():
            self._code = _compiled(policy, cast(Any, numba.typeof)(a))
            self.address = int(self._code.address)
        else:
            self._code = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(self._ask)
            self.address = cast(int, ctypes.cast(self._code, ctypes.c_void_p).value)

    def _ask(self, _: int | None) -> int:
        """Ask a Python function; what it raises waits until the loop has returned."""
        try:
            self._answer = self.policy(blocks_of(self._arrays))
        except BaseException as error:
            self._error = error
            return _NO_ANSWER
        answer: Any = self._answer
        return int(answer) if _is_whole(answer) and abs(int(answer)) < 2**63 else _NO_ANSWER

    def refusal(self) -> BaseException:
        """Return the exception that says why the policy's last choice was not accepted."""
        a, name = self._arrays, _named(self.policy)
        choice, why = int(a.counts.choice), int(a.counts.refused)
        blocks, pages = int(a.rules.blocks), int(a.mode_pages[0])
        if choice == _NO_ANSWER:
            if is_jitted(self.policy):
                self._ask(None)
            if self._error is not None:
                return self._error
            if not _is_whole(self._answer):
                return ValueError(f"policy {name} must return an integer, got {self._answer!r}")
        if why == NO_BLOCK:
            got = self._answer if choice == _NO_ANSWER else choice
            return ValueError(
                f"policy {name} must return the number of a block, in [0, {blocks}), got {got}"
            )
        if why == NOT_CLOSED:
            kind = {FREE: "free", OPEN: "open"}.get(int(a.block["status"][choice]), "retired")
            return ValueError(
                f"policy {name} must return a block that can be cleaned, one with "
                f"live <= {pages}, got {choice}, which is {kind}"
            )
        return ValueError(
            f"policy {name} must return a block with a page to free: none of the last "
            f"{int(a.counts.in_vain)} choices had one, the last being block {choice}"
        )


def _named(policy: object) -> str:
    return getattr(policy, "__name__", None) or repr(policy)


def _is_whole(answer: object) -> bool:
    return isinstance(answer, (int, np.integer)) and not isinstance(answer, bool)


def _constant(_: Any, array: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return arguments[0]

    return array.copy(readonly=True)(array), generate


_read_only = cast(Callable[[Any], Any], intrinsic(_constant))


def _check(policy: Any, kind: Any) -> None:
    """Raise ValueError unless numba can make an integer of blocks of this kind by a policy."""
    try:
        policy.compile((kind,))
    except numba.errors.NumbaError as error:
        raise ValueError(f"policy {_named(policy)} must be a function of Blocks, {error}") from None
    answer = policy.overloads[(kind,)].signature.return_type
    if not isinstance(answer, numba.types.Integer):
        raise ValueError(f"policy {_named(policy)} must return an integer, got {answer}")


@functools.lru_cache(maxsize=256)
def _compiled(policy: Any, kind: Any) -> Any:
    """Compile what calls a policy with the blocks of a drive whose arrays are of this kind."""
    no_answer = _NO_ANSWER

    def blocks(a: Arrays) -> Blocks:
        return Blocks(
            _read_only(a.valid),
            _read_only(a.block.stamp),
            _read_only(a.block.erases),
            _read_only(a.frontier_of),
            a.counts.host_writes,
        )

    bare: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    told = numba.njit(**bare)(blocks)

    def choice(a: Arrays) -> int:
        try:
            return policy(told(a))  # type: ignore[no-any-return]
        except Exception:
            return no_answer

    return numba.cfunc(numba.types.int64(kind))(choice)
