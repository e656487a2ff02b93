import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, strategies as st

from flashwear import endurance
from flashwear.wa.cache import slc_cache, slc_dynamic_wear, slc_static_tbw, slc_waf
from refusals import refusals

ops = st.floats(1e-4, 20)
shares = st.floats(1e-6, 1 - 1e-6)
caches = st.floats(0, 1)
ROUNDING = 1e-12  # what may be lost in a few thousand operations, with room to spare


@given(ops, caches, shares, shares)
def test_the_result_solves_the_equation(op, cache, write, space):
    result = slc_cache(op, cache, write, space)
    with mp.workdps(40):
        r = [mp.mpf(write), 1 - mp.mpf(write)]
        f = [mp.mpf(space), 1 - mp.mpf(space)]

        def right(w):
            return mp.fsum(x * mp.exp(-cache * x / y) / -mp.expm1(-x / y * (1 + mp.mpf(op)) / w)
                           for x, y in zip(r, f, strict=True))  # fmt: skip

        # the right side rises more slowly than the left: signs change across the root
        low, high = mp.mpf(result) * (1 - ROUNDING), mp.mpf(result) * (1 + ROUNDING)
        assert right(low) > low
        assert right(high) < high


def test_a_cache_that_outlasts_all_writes_moves_nothing_and_its_wear_is_counted():
    # one page in 10,000 takes all writes, the cache holds 5 %: exp(-500) of them move
    assert slc_cache(0.1, 0.05, 1, 1e-4) == pytest.approx(0, abs=1e-200)
    assert slc_cache(0.1, 0.05, 1, 1e-5) == 0
    assert slc_waf(0.1, 0.05, 1, 1e-5) == 1
    assert slc_waf(0.1, 0.05) == 1 + slc_cache(0.1, 0.05)
    held = -np.expm1(-0.1)  # of uniform writes, a cache of 10 % holds 9.5 %
    assert slc_cache(-held * 0.999, 0.1) > 1000
    with pytest.raises(ValueError, match=r"op must be > minus the share .* held"):
        slc_cache(-held, 0.1)
    # 100 blocks of 3 MB TLC or 1 MB SLC; 1000 MB from the host, 2000 MB moved:
    # 1000 SLC cycles and 666.7 TLC cycles in all, of 100 x 40,000 and 100 x 2,000
    worn = 1000 / 1 / (100 * 40_000) + 2000 / 3 / (100 * 2000)
    wear = slc_dynamic_wear(2, bits_per_cell=3, pe_cycles=2000, slc_pe_cycles=40_000)
    assert 1000 / endurance.tbw(300, 2000, waf=wear) == pytest.approx(worn)
    assert slc_dynamic_wear(0, 3, 1000, 1000) == 3  # the room alone
    # 6 GB x 30,000 = 180 TB; 256 GB x 1,500 / W = 384 TB / W
    life = slc_static_tbw([0, 1, 3, 6], 256e9, 1500, 6e9, 30_000)
    np.testing.assert_allclose(life, np.array([180, 180, 128, 64]) * 1e12)


test_values_outside_the_domain_are_named = refusals([
    (lambda: slc_cache(0, 0), "op must be > minus the share .* got 0 with 0 held"),
    (lambda: slc_cache([0.1, -0.3], [[0], [0.2]]), r"got -0.3 with 0 held$"),
    (lambda: slc_waf(0.1, 0.1, 2, 0.5), "write_share must be .* <= 1, got 2"),
])  # fmt: skip
