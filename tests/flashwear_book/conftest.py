"""What the tests of the study share."""

from collections.abc import Callable

import pandas as pd
import pytest

from flashwear_book import claims
from flashwear_book.claims import registry

Check = Callable[[registry.Claim], registry.Decision]


@pytest.fixture(scope="session")
def broken_checks() -> dict[str, Exception]:
    """Return what the checks of claims raised when :func:`verdicts` was made, by id."""
    return {}


@pytest.fixture(scope="session")
def verdicts(broken_checks: dict[str, Exception]) -> pd.DataFrame:
    """Return the verdicts from the tables as they are, by id.

    A check that raises is noted, and stands there as what its reason asks for, so that one broken
    check fails one test and not all that look at others.
    """

    def guarded(check: Check) -> Check:
        def run(claim: registry.Claim) -> registry.Decision:
            try:
                return check(claim)
            except Exception as error:
                broken_checks[claim.id] = error
                if claim.reason:
                    return registry.undecided("Broken.")
                return registry.Decision("holds", "arithmetic", how="Broken.")

        return run

    with pytest.MonkeyPatch.context() as patch:
        for id_, check in claims._checks().items():
            patch.setitem(registry.registered, id_, guarded(check))
        return claims.verdicts().set_index("id")
