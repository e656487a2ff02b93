"""How flash fails, in closed form: worn-out blocks, and the end of the drive."""

from typing import TYPE_CHECKING

from flashwear._extras import lazily
from flashwear.reliability.retirement import WearPath, strength, wear_path

__all__ = ["WearPath", "strength", "wear_path"]

if TYPE_CHECKING:  # what loads lazily
    from flashwear.reliability import (
        disturb as disturb,
        ecc as ecc,
        jedec as jedec,
        ldpc as ldpc,
        passes as passes,
        raid as raid,
        rating as rating,
        rber as rber,
        retention as retention,
        retirement as retirement,
        spares as spares,
        voltage as voltage,
    )
else:
    __getattr__ = lazily(__name__)
