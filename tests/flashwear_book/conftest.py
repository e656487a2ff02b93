"""What the tests of the study share."""

import pandas as pd
import pytest

from flashwear_book import claims


@pytest.fixture(scope="session")
def verdicts() -> pd.DataFrame:
    """Return the verdicts from the tables as they are, by id."""
    return claims.verdicts().set_index("id")
