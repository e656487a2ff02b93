"""How flash fails, in closed form: worn-out blocks, and the end of the drive."""

from typing import TYPE_CHECKING

from flashwear._extras import lazily
from flashwear.reliability.retirement import WearPath, strength, wear_path

__all__ = ["WearPath", "strength", "wear_path"]

if TYPE_CHECKING:  # what loads lazily
    from flashwear.reliability import disturb as disturb
    from flashwear.reliability import ecc as ecc
    from flashwear.reliability import jedec as jedec
    from flashwear.reliability import ldpc as ldpc
    from flashwear.reliability import passes as passes
    from flashwear.reliability import raid as raid
    from flashwear.reliability import rating as rating
    from flashwear.reliability import rber as rber
    from flashwear.reliability import retention as retention
    from flashwear.reliability import retirement as retirement
    from flashwear.reliability import spares as spares
    from flashwear.reliability import voltage as voltage
else:
    __getattr__ = lazily(__name__)
