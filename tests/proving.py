"""How many examples a law is tried on: all of them in `make prove`, an eighth in `make test`."""

import os

from hypothesis import settings

PROVING = os.environ.get("FLASHWEAR_PROVE") == "1"


def fewer(n: int) -> int:
    """Return n in `make prove`, else an eighth of it and at least 5."""
    return n if PROVING else max(5, n // 8)


def examples(n: int) -> settings:
    return settings(max_examples=fewer(n))
