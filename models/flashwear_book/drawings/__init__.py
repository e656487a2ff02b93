"""Pictures of how a drive works, drawn by code: in the colours of the page, some of them in steps.

Each function returns a :class:`Drawing`, which a notebook shows. In the book, readers go through
the steps of a drawing with buttons or keys, and moving parts are animated.
"""

from flashwear_book.drawings._sheet import Drawing
from flashwear_book.drawings.cells import levels, slc_cache, stripe
from flashwear_book.drawings.drive import anatomy, flash
from flashwear_book.drawings.writes import cleaning, hot_cold, overwrite, trim

__all__ = ["Drawing", "anatomy", "cleaning", "flash", "hot_cold", "levels", "overwrite",
           "slc_cache", "stripe", "trim"]  # fmt: skip
