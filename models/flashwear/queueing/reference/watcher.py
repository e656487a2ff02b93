"""Callbacks of the firmware for models that track more than times."""

from __future__ import annotations

from flashwear.queueing.reference.request import Request


class Watcher:
    """Callbacks that the firmware calls when something happens; here they do nothing."""

    def admitted(self, request: Request) -> None:
        """Handle a write that the buffer has accepted."""

    def trimmed(self, request: Request) -> None:
        """Handle a trim that has been carried out."""

    def begun(self, block: int, number: int) -> None:
        """Handle a data program that is sent to its die."""

    def programmed(self, block: int, number: int) -> None:
        """Handle a data program that is finished."""

    def moved(self, page: int, source: int) -> None:
        """Handle a live map unit that cleaning has copied to a new slot."""

    def may_erase(self, block: int) -> bool:
        """Return whether a victim, whose copies are all durable, may be erased."""
        return True

    def erased(self, block: int, die: int) -> None:
        """Handle the erase of a superblock's part on one die."""
