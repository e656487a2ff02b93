"""What owners have."""

import numpy as np

from flashwear_book import owners
from refusals import refusals


def test_shares_of_drives_are_ends_of_their_models():
    models = owners.consumer_models()
    assert models.daily_bytes.notna().all()
    low, all_ = owners.daily_bytes([0, 1])
    assert (low, all_) == (models.daily_bytes.min(), models.daily_bytes.max())
    half = owners.daily_bytes(0.5)
    below = models.daily_bytes <= half
    less = models.drives[models.daily_bytes < half].sum()
    assert models.drives[below].sum() >= models.drives.sum() / 2 > less


test_shares_outside_one_and_names_of_no_model_or_of_several_are_refused = refusals([
    (lambda: owners.daily_bytes(-0.1), "shares must be"),
    (lambda: owners.daily_bytes(1.0000001), "shares must be"),
    (lambda: owners.daily_bytes(np.nan), "shares must be"),
    (lambda: owners.daily_bytes("half"), "shares must be"),
    (lambda: owners.rated_bytes("870 EVO"), "model must be the end of one name of a rated model"),
    (lambda: owners.rated_bytes("EVO 1TB"), "model must be the end of one name of a rated model"),
    (lambda: owners.rated_bytes("no drive"), "model must be the end of one name of a rated model"),
])  # fmt: skip
