"""What modelled drives may be rated for."""

import pytest

from flashwear import drives, wa
from flashwear.reliability import ecc, jedec, rber
from flashwear.reliability import rating as limits


@pytest.mark.parametrize("application", [jedec.CLIENT, jedec.ENTERPRISE])
def test_a_rating_is_that_of_the_geometry(application):
    flash, code, load = rber.load("mlc-20nm"), ecc.Bch(1024, 66), {"waf": 2.0, "spread": 0.1}
    for name in ("m600-256gb", "m500dc-480gb", "s3700-200gb"):
        drive = drives.load(name)
        found = drives.supported_rating(drive, 5000, flash, code, application, **load)
        size = drive.raw_bytes, drive.user_bytes
        stripe = {"stripe": drive.stripe}
        same = limits.rating(*size, 5000, flash, code, application, **load, **stripe)
        assert found == same, name


def test_parity_and_kept_blocks_amplify_the_default_load_of_a_rating():
    drive, flash = drives.load("m500dc-480gb"), rber.load("mlc-20nm")
    found = drives.supported_rating(drive, 5000, flash, ecc.Bch(1024, 40), jedec.CLIENT)
    left = (1 - drive.high_blocks / drive.superblocks) * drive.raw_bytes * drive.stripe
    op = left / (drive.stripe + 1) / drive.user_bytes - 1
    waf = wa.fifo(op) * (drive.stripe + 1) / drive.stripe
    assert found.limits["wear"] == pytest.approx(drive.raw_bytes * 5000 / waf, rel=1e-9)
