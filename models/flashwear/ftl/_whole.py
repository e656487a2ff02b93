"""What keeps a drive whole: its lock, what is undone, and its copies."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from flashwear.ftl import arrays
from flashwear.ftl._figures import Figures
from flashwear.ftl.policy import Chooser, Policy


class Whole(Figures):
    """A drive that threads may share, and that is restored if the user's own policy raises."""

    _lock: threading.RLock
    _is_whole: bool
    _policy: Policy | None
    _chooser: Chooser | None

    def _let_choose(self) -> None:
        """Let compiled code find the user's own policy."""
        self._chooser = None if self._policy is None else Chooser(self._policy, self.arrays)
        if self._chooser is not None:
            self.arrays.rules.policy_code = self._chooser.address

    @contextmanager
    def _step_by_step(self) -> Iterator[None]:
        """Do what is made of several steps: if it breaks off, the drive is not whole."""
        with self._lock:
            self._check_whole()
            self._is_whole = False
            yield
            self._is_whole = True

    @contextmanager
    def _undone(self, may_choose: bool = True) -> Iterator[None]:
        """Put all back as it was if the user's own policy breaks off what is done."""
        if self._chooser is None or not may_choose:
            yield
            return
        kept = self._copied()
        try:
            yield
        except BaseException:
            self.arrays = kept
            self._let_choose()
            self._is_whole = True
            raise

    def _check_choice(self) -> None:
        """Raise what is wrong with a choice of the user's own policy."""
        if self._chooser is not None and self.arrays.counts.refused:
            raise self._chooser.refusal()

    def _copied(self) -> arrays.Arrays:
        return arrays.Arrays._make(array.copy() for array in self.arrays)

    def _check_whole(self) -> None:
        if not self._is_whole:
            raise RuntimeError("the drive must be thrown away: a write or fold of it broke off")

    def __getstate__(self) -> dict[str, object]:
        with self._lock:
            own = {"arrays": self._copied(), "_lock": None, "_chooser": None}
        return vars(self) | own

    def __setstate__(self, kept: dict[str, object]) -> None:
        vars(self).update(kept, _lock=threading.RLock())
        self.arrays = self._copied()  # what is set in a record that was unpickled is lost, in NumPy
        self._let_choose()
