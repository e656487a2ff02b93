"""Drives as a simulation needs them: geometry, timing, controller, and where each figure is from.

A :class:`Drive` holds plain numbers. ``data/drives.toml`` is a catalogue of controllers, flash and
SLC caches, and of the drives of the book, which are made of them. Every parameter has its origin:
"stated" (by a document of the study or a data sheet), "literature" (of the same generation of
flash, or a standard), "calibrated" (by the fit of :mod:`flashwear.predict`) or "assumed" (with a
band). ::

    drives.load("m600-256gb")
    drives.assemble(controller="marvell-88ss9189", flash="micron-16nm-mlc-128gbit",
                    dies=16, user_bytes=240_000_000_000, stripe=15)
"""

from flashwear.drives._catalogue import (
    assemble,
    caches,
    controllers,
    flashes,
    load,
    names,
    parameters,
    usual_program_s,
)
from flashwear.drives._drive import MOST_COMMANDS, POLICIES, Drive

__all__ = ["MOST_COMMANDS", "POLICIES", "Drive", "assemble", "caches", "controllers", "flashes",
           "load", "names", "parameters", "usual_program_s"]  # fmt: skip
