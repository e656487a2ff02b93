"""What the simulated tests ask: read from what their procedures hand to the model.

The procedure runs up to the call of the model and is stopped there, so that nothing is simulated.
"""

import inspect
from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple
from unittest import mock

from flashwear import drives
from flashwear.queueing import procedures, twin
from flashwear.queueing.requests import Access
from flashwear.study.runs import short_tests, speeds
from flashwear.units import GB, KIB

M600, MX300, M500DC, P400M = "m600-256gb", "mx300-750gb", "m500dc-480gb", "p400m-200gb"


class Step(NamedTuple):
    """What the host asks in a step of a simulated test, and what was written before."""

    drive: drives.Drive
    access: Access
    depth: int
    seconds: float
    fill: str
    filled: float
    drive_writes: float

    @property
    def kib(self) -> float:
        """Size of a request in KiB."""
        return self.access.size / KIB

    @property
    def minutes(self) -> float:
        """How long it takes."""
        return self.seconds / 60

    @property
    def span_gb(self) -> float:
        """Addresses that requests go to."""
        return self._gb(self.access.span)

    @property
    def state(self) -> str:
        """What the drive holds, and the addresses that requests go to."""
        holds = "empty" if self.fill == "none" else "filled"
        if self.filled < 1:
            holds += f" with {self._gb(self.filled):g} GB"
        return f"{holds}, {'all addresses' if self.access.span == 1 else f'{self.span_gb:g} GB'}"

    def _gb(self, part: float) -> float:
        return round(part * self.drive.user_bytes / GB, 6)


class _HandedError(Exception):
    """Carries the arguments that a procedure hands on."""


def handed(
    module: ModuleType, name: str, procedure: Callable[..., object], *arguments: Any
) -> dict[str, Any]:
    """Give the arguments with which a procedure calls a function of a module, and stop it there.

    Meanwhile the function is replaced, for other threads too.
    """
    signature = inspect.signature(getattr(module, name))

    def stop(*args: Any, **kwargs: Any) -> None:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        raise _HandedError(bound.arguments)

    with mock.patch.object(module, name, stop):
        try:
            procedure(*arguments)
        except _HandedError as error:
            asked: dict[str, Any] = error.args[0]
            return asked
    raise ValueError(f"{procedure.__name__} must call {name}")


def steps(procedure: Callable[..., object], *arguments: Any) -> list[Step]:
    """Give the steps of a sweep."""
    asked = handed(procedures, "measured", procedure, *arguments)
    names = "seconds", "fill", "filled", "random_drive_writes"
    return [
        Step(asked["drive"], access, depth, *(asked[name] for name in names))
        for _, access, depth in asked["steps"]
    ]


def client(*words: str) -> list[Step]:
    """Give the steps of those client tests that have these words in their names."""
    return [
        steps(short_tests.client, M600, test, 1.0, 0)[0]
        for test in short_tests.CLIENT
        if all(word in test for word in words)
    ]


def desktop(pattern: str) -> Step:
    """Give a step of the desktop tests, at queue depth 1."""
    return steps(speeds.desktop_depth, MX300, pattern, 1, 1.0, 0)[0]


def mixed(order: str) -> Step:
    """Give a step of the mixed tests."""
    return steps(speeds.mixed, MX300, order, 0.5, 1.0, 0)[0]


def enterprise(pattern: str, drive: str = M500DC) -> Step:
    """Give a step of the enterprise tests, at queue depth 1."""
    return steps(speeds.queue_depth, drive, pattern, 1, 1.0, 0)[0]


def rating(case: str) -> Step:
    """Give the step of a rating."""
    return steps(speeds.rating, P400M, case, 1.0, 0)[0]


def long(drive: str) -> Step:
    """Give the one step of the test of consistency."""
    asked = handed(twin, "run", speeds.consistency, drive, "default", 1.0, 0)
    names = "workload", "queue_depth", "duration_s", "fill", "span", "random_drive_writes"
    return Step(asked["drive"], *(asked[name] for name in names))
