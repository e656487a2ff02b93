"""The end of drives that lose block after block, against draws, limits and a simulated drive."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from flashwear import ftl
from flashwear.reliability import strength, wear_path
from flashwear.reliability.retirement import FAMILIES
from flashwear.reliability.spares import bad_blocks, erases_at_end, share_ended
from proving import examples
from refusals import refusals

DRAWS = 4000
families = st.sampled_from(FAMILIES)


def drawn_ends(blocks, spares, spread, family, drive_spread, seed=0):
    """Sort the endurance of the blocks of many drives, and take the one that ends each drive."""
    rng = np.random.default_rng(seed)
    limits = strength(spread, family).rvs((DRAWS, blocks), random_state=rng)
    ends = np.sort(limits, axis=1)[:, spares]
    sigma = np.sqrt(np.log1p(drive_spread**2))
    return ends * rng.lognormal(-(sigma**2) / 2, sigma, DRAWS)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(("blocks", "spares", "spread", "drive_spread"), [
    (50, 0, 0.1, 0.0), (200, 13, 0.2, 0.0), (200, 13, 0.2, 0.1), (300, 66, 0.05, 0.2),
])  # fmt: skip
def test_order_statistics_agree_with_draws(family, blocks, spares, spread, drive_spread):
    ends = drawn_ends(blocks, spares, spread, family, drive_spread)
    shares = np.array([0.03, 0.25, 0.5, 0.75, 0.97])
    at = erases_at_end(shares, blocks, spares, spread, family, drive_spread=drive_spread)
    seen = (ends[:, None] <= at).mean(axis=0)
    # four standard errors of a share among so many draws
    error = 4 * np.sqrt(shares * (1 - shares) / DRAWS)
    assert (np.abs(seen - shares) < error).all()
    computed = share_ended(at, blocks, spares, spread, family, drive_spread=drive_spread)
    assert computed == pytest.approx(shares, abs=1e-9)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_number_of_bad_blocks_agrees_with_draws(family):
    rng = np.random.default_rng(1)
    limits = strength(0.2, family).rvs((DRAWS, 300), random_state=rng)
    counts = (limits <= 0.7).sum(axis=1)
    expected = bad_blocks(0.7, 300, 0.2, family)
    assert counts.mean() == pytest.approx(expected, abs=4 * counts.std() / np.sqrt(DRAWS))


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("op", [0.07, 0.28, 0.72])
def test_with_many_blocks_every_drive_ends_where_the_path_of_wear_does(family, op):
    blocks = 10**8
    spares = round(blocks * op / (1 + op))
    ends = erases_at_end([0.01, 0.5, 0.99], blocks, spares, 0.1, family)
    path = wear_path(op, 0.1, family)
    assert ends == pytest.approx([path.erases[-1]] * 3, rel=1e-4)


def test_without_spares_the_weakest_block_ends_a_drive_and_batches_scatter_by_their_factor():
    # of n draws the least exceeds x with probability S(x) ** n
    blocks, weak = 500, strength(0.15)
    ages = np.array([0.4, 0.5, 0.6])
    assert share_ended(ages, blocks, 0, 0.15) == pytest.approx(1 - weak.sf(ages) ** blocks)
    # 100,000 blocks leave no scatter of their own: the end is the factor times a constant
    share, width = 0.03, 0.2
    alone = erases_at_end(0.5, 100_000, 20_000, 0.1)
    sigma = np.sqrt(np.log1p(width**2))
    quantile = np.exp(-1.8807936 * sigma - sigma**2 / 2)
    found = erases_at_end(share, 100_000, 20_000, 0.1, drive_spread=width)
    assert found == pytest.approx(alone * quantile, rel=1e-4)


@examples(40)
@given(st.integers(2, 3000), st.floats(0.0, 0.9), st.floats(0.01, 0.5), families,
       st.sampled_from([0.0, 0.05, 0.3]), st.floats(0.1, 1.4))  # fmt: skip
def test_age_ends_drives_and_spares_save_them(blocks, part, spread, family, drive_spread, age):
    spares = int(part * (blocks - 1))
    options = {"spread": spread, "family": family, "drive_spread": drive_spread}
    ended = share_ended(age, blocks, spares, **options)
    assert 0 <= ended <= 1 + 1e-12
    assert share_ended(age * 1.05, blocks, spares, **options) >= ended - 1e-9
    if spares + 1 < blocks:
        assert share_ended(age, blocks, spares + 1, **options) <= ended + 1e-9


@pytest.mark.parametrize("seed", range(3))
def test_a_simulated_drive_ends_with_the_block_after_its_last_spare(seed):
    # FIFO erases blocks in turn: when the drive stops, the blocks left have been erased as often
    # as the block bore whose failure took the last spare, give or take the turn under way
    blocks, pages, cycles, reserve = 256, 32, 150, 8
    users = int(blocks * pages / 1.28)
    limits = strength(0.15).rvs(blocks, random_state=np.random.default_rng(seed))
    limits = np.maximum(1, np.rint(cycles * limits))
    run = ftl.simulate(users, blocks * pages / users - 1, pages_per_block=pages, policy="fifo",
                       reserve_blocks=reserve, endurance=limits, warmup_drive_writes=0,
                       drive_writes=10_000, history_stride=users, seed=seed)  # fmt: skip
    assert run.worn_out
    needed = -(-users // pages) + reserve
    last = np.sort(limits)[blocks - needed]
    left = limits > last + 1
    assert run.erases[left].mean() == pytest.approx(last, abs=2)


test_values_outside_the_domain_are_named = refusals([
    (lambda: bad_blocks(1, 0, 0.1), "blocks must be a whole number >= 1 .* got 0"),
    (lambda: share_ended(1, 10, 10, 0.1), "spares must be a whole number .* <= 9, got 10"),
    (lambda: share_ended(1, 10, 2, 0.1, "gumbel"), "family must be one of .* got 'gumbel'"),
    (lambda: share_ended(1, 10, 2, 0.1, drive_spread=2), "drive_spread must be .* got 2"),
])  # fmt: skip
