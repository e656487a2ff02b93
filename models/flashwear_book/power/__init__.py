"""Data lost in a power cut, by formulas and by stopping the reference model at an instant.

``powerloss`` and ``capacitors`` have the formulas, ``powercut`` simulates.
"""

from typing import TYPE_CHECKING

from flashwear._extras import lazily

if TYPE_CHECKING:  # what loads lazily
    from flashwear_book.power import (
        capacitors as capacitors,
        powercut as powercut,
        powerloss as powerloss,
    )
else:
    __getattr__ = lazily(__name__)
