"""What owners have."""

import numpy as np
import pytest

from flashwear_book import owners


def test_shares_of_drives_are_ends_of_their_models():
    models = owners.consumer_models()
    assert models.daily_bytes.notna().all()
    low, all_ = owners.daily_bytes([0, 1])
    assert (low, all_) == (models.daily_bytes.min(), models.daily_bytes.max())
    half = owners.daily_bytes(0.5)
    below = models.daily_bytes <= half
    assert (
        models.drives[below].sum()
        >= models.drives.sum() / 2
        > models.drives[models.daily_bytes < half].sum()
    )


@pytest.mark.parametrize("bad", [-0.1, 1.0000001, np.nan, "half"])
def test_shares_outside_one_are_refused(bad):
    with pytest.raises(ValueError, match="shares must be"):
        owners.daily_bytes(bad)


@pytest.mark.parametrize("bad", ["870 EVO", "EVO 1TB", "no drive"])
def test_a_model_must_be_one(bad):
    with pytest.raises(ValueError, match="model must be the end of one name of a rated model"):
        owners.rated_bytes(bad)
