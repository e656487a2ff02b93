"""Callbacks of the firmware for models that track more than times."""

from __future__ import annotations

from flashwear.queueing.reference.request import Request


class Watcher:
    """Methods that the firmware calls after each event; here they do nothing, for subclasses."""

    def admitted(self, request: Request) -> None:
        """Take note of a write request that the buffer has just accepted."""

    def trimmed(self, request: Request) -> None:
        """Take note of a TRIM request that has just been carried out."""

    def begun(self, block: int, number: int) -> None:
        """Take note that program unit `number` of superblock `block` is sent to its die."""

    def programmed(self, block: int, number: int) -> None:
        """Take note that program unit `number` of superblock `block` has been programmed."""

    def moved(self, page: int, source: int) -> None:
        """Take note that cleaning has copied map unit `page` from flash slot `source` elsewhere."""

    def may_erase(self, block: int) -> bool:
        """Return whether the firmware may erase superblock `block`, whose live data are copied."""
        return True

    def erased(self, block: int, die: int) -> None:
        """Take note that the blocks of superblock `block` on one die have been erased."""
