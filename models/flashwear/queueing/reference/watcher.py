"""Callbacks of the firmware for models that track more than times."""

from __future__ import annotations

from flashwear.queueing.reference.request import Request


class Watcher:
    """The callbacks of the firmware; here they do nothing."""

    def admitted(self, request: Request) -> None:
        """Receive a write that the buffer has accepted."""

    def trimmed(self, request: Request) -> None:
        """Receive a trim that is carried out."""

    def begun(self, block: int, number: int) -> None:
        """Receive a program of data that is sent to its die."""

    def programmed(self, block: int, number: int) -> None:
        """Receive a finished program of data."""

    def moved(self, page: int, source: int) -> None:
        """Receive a live map unit that cleaning has copied to a new slot."""

    def may_erase(self, block: int) -> bool:
        """Return whether a victim whose copies are all durable may be erased."""
        return True

    def erased(self, block: int, die: int) -> None:
        """Receive the part of a superblock that one die has erased."""
