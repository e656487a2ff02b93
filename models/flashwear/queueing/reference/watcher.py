"""Where a model of more than times can listen to the firmware."""

from __future__ import annotations

from flashwear.queueing.reference.request import Request


class Watcher:
    """What the firmware tells of itself; this one makes nothing of it."""

    def admitted(self, request: Request) -> None:
        """Note a write that the buffer has taken."""

    def trimmed(self, request: Request) -> None:
        """Note a trim."""

    def begun(self, block: int, number: int) -> None:
        """Note a program of data that is sent on its way."""

    def programmed(self, block: int, number: int) -> None:
        """Note a program of data that is done."""

    def moved(self, page: int, source: int) -> None:
        """Note a live map unit that cleaning has given a new slot."""

    def may_erase(self, block: int) -> bool:
        """Say whether a victim whose copies are all safe may be erased."""
        return True

    def erased(self, block: int, die: int) -> None:
        """Note that the part of a superblock on a die is erased."""
