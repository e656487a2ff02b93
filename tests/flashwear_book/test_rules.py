"""Sentences of pages that state a rule, each on a grid over the whole domain that it states."""

import itertools

import numpy as np
import pytest

from flashwear import capacity, drives, wa
from flashwear.queueing import bounds, work
from flashwear.queueing.requests import Access
from flashwear.reliability import ecc, rber, retention
from flashwear.steady import drive_writes
from flashwear.units import GB, GIB, TB
from flashwear_book import owners, tables
from flashwear_book.runs import kept_result

CLIENT = GIB / GB - 1
SPARE = np.linspace(0.05, 1, 96)
CATALOGUE = [drives.load(key) for key in drives.names()]


@pytest.mark.parametrize(("spare", "most"), [(SPARE, 1.9), (np.linspace(0.05, 1.5, 60), 2.0)])
def test_a_filled_drive_is_settled_once_its_capacity_is_programmed_twice(spare, most):
    # steady-state: up to the size of the drive; ten-numbers: up to 150 %
    points = np.arange(0, 4, 0.001)
    rounds = [wa.settled(points, wa.after_fill(s, points).wa, wa.fifo(s)) for s in spare]
    assert 1.3 < min(rounds) < 1.4
    assert max(rounds) < most
    assert wa.settled(points, wa.after_fill(2.0, points).wa, wa.fifo(2.0)) > most


def test_speed_falls_below_the_final_one_swings_and_settles_later_with_more_spare_flash():
    # steady-state, In short, and the caption that more spare flash settles later but for steps
    points = np.arange(0, 4, 0.0005)
    for spare in SPARE[::5]:
        course, final = wa.after_fill(spare, points).wa, wa.fifo(spare)
        cliff = course.argmax()
        dip = cliff + np.diff(course[cliff:]).argmax()  # where it rises fastest is past the dip
        assert course[cliff] > 1.2 * final
        assert course[cliff:dip].min() < 0.98 * final
        assert course[dip:].max() > final
    needed = drive_writes(SPARE)
    assert (needed / SPARE).min() > 1.4
    assert (needed / SPARE).max() < 3.2
    assert 0.1 < (1 - needed / np.maximum.accumulate(needed)).max() < 0.2
    kept = kept_result("settling").table.query("policy == 'greedy' and op < 0.21")
    writes = kept.pivot_table(index="op", columns="pages_per_block", values="writes_5")
    assert (writes[64] / writes[1024]).between(0.55, 0.65).all()


def test_twice_the_spare_flash_more_than_halves_the_copies():
    # amplification
    spare = np.geomspace(1e-3, 10, 200)
    assert (wa.fifo(2 * spare) - 1 < (wa.fifo(spare) - 1) / 2).all()


def test_choosing_the_emptiest_block_saves_next_to_nothing_on_drives_of_the_catalogue():
    # amplification: "on real drives"
    for drive in CATALOGUE:
        block = work.layout(drive).block
        held = (drive.superblocks - drive.high_blocks) * block * drive.map_bytes
        spare = capacity.over_provisioning(held, drive.user_bytes)
        assert wa.greedy(spare, min(block, 10_000_000)) > 0.995 * wa.fifo(spare), drive.name


LOADS = np.linspace(0.51, 0.99, 25)  # "x/(100 - x)", as far as the sliders go


def test_even_writes_are_the_mildest_random_load_of_a_drive_that_mixes_and_cleans_in_order():
    # hot-cold
    shares = np.linspace(0.01, 0.99, 15)
    spare, write, space = np.meshgrid(np.geomspace(0.01, 20, 12), shares, shares)
    mixed = wa.fifo_mixed(spare, hot_write_share=write, hot_space_share=space)
    assert (mixed >= wa.fifo(spare) * (1 - 1e-12)).all()
    assert (mixed <= (1 + spare) / spare).all()


def test_the_emptiest_of_small_blocks_saves_less_with_skew_than_under_even_writes():
    # hot-cold, of its load of 90/10 with 10 % of spare flash; 7.6 and 5.3 % of the bytes
    even = wa.greedy(0.1, 64) / wa.fifo(0.1)
    skewed = wa.d_choices_mixed(0.1, 1e4, 64, 0.9, 0.1) / wa.fifo_mixed(0.1, 0.9, 0.1)
    assert 0.07 < 1 - even < 0.08
    assert 0.045 < 1 - skewed < 0.06


def test_a_drive_that_mixes_gives_hot_data_too_much_and_the_square_root_rule_is_near_the_best():
    # hot-cold, over both sliders of its chart
    for spare, hot in itertools.product(np.linspace(0.05, 1, 8), LOADS):
        best = wa.separated(spare, hot, 1 - hot)
        ruled = wa.separated(spare, hot, 1 - hot, spare_share=wa.square_root_split(hot, 1 - hot))
        wait = hot / (1 - hot) * (1 + spare) / wa.fifo_mixed(spare, hot, 1 - hot)
        mixed = (1 - hot) / spare * (wait / -np.expm1(-wait) - 1)
        assert mixed > best.spare_share
        assert ruled.wa < 1.015 * best.wa


def test_half_of_the_trims_obeyed_are_half_of_the_empty_space():
    # trim, of a drive that drops each TRIM with probability 1/2
    share = np.linspace(0.01, 0.49, 49)
    seen = share / 2 / (1 - share / 2)
    empty = 1 - wa.trim_occupancy(share)
    assert 1 - wa.trim_occupancy(seen) == pytest.approx(empty / 2, rel=1e-12)


def test_ten_degrees_cost_about_three_quarters_of_the_time_between_20_and_50():
    # bits
    for cool in np.linspace(20, 40, 41):
        assert retention.equivalent(1.0, cool, cool + 10) == pytest.approx(0.25, abs=0.04)
    assert retention.equivalent(1.0, 60, 70) > 0.3


def test_three_months_at_40_buy_cycles_only_where_heat_does_less_than_the_standard_says():
    # bits, for all activation energies from next to none to above the standard's
    time, warm = retention.ENTERPRISE
    year = retention.CLIENT.retention_s
    as_hard = np.array([retention.equivalent(time, warm, 30, ea_ev=e)
                        for e in np.linspace(0.1, 1.1, 21)]) / year  # fmt: skip
    assert (np.diff(as_hard) > 0).all()
    flash, limit = rber.load("mlc-20nm"), ecc.Bch(1024, 40).rber_limit(1e-15)
    cycles = np.array([rber.cycles_at(flash, limit, share * year) for share in as_hard])
    client = rber.cycles_at(flash, limit, year)
    assert (np.diff(cycles) < 0).all()
    assert cycles[-1] == pytest.approx(client, rel=0.03)
    assert cycles[0] > 1.3 * client


def test_reads_gain_from_depth_and_writes_stop_early_on_all_drives_of_the_catalogue():
    # queueing: "any drive with many dies and a write buffer"
    for drive in CATALOGUE:
        size = max(4096, drive.map_bytes)
        reads, writes = (bounds.bound(drive, Access(size, read_share=share), 32).knee
                         for share in (1.0, 0.0))  # fmt: skip
        assert writes < min(4, reads / 5), drive.name


def test_ratings_of_four_bits_are_half_of_those_of_three_and_mostly_grow_with_the_capacity():
    # ten-beliefs
    fills = owners.rated_fills()
    middle = fills.groupby("bits").median()
    assert middle[4] == pytest.approx(middle[3] / 2)
    assert fills[4].max() == pytest.approx(middle[3])
    rated = tables.model_ratings().groupby(["line", "user_gb"]).tbw_tb.median()
    lines = [one for _, one in rated.groupby("line") if len(one) > 1]
    grow = [one.is_monotonic_increasing and one.is_unique for one in lines]
    assert 0.8 < np.mean(grow) < 1
    assert owners.rated_bytes("870 QVO 1TB") / TB == pytest.approx(fills[4, "Samsung 870 QVO"])


def test_an_untold_deletion_costs_more_the_fuller_the_drive_and_little_if_a_tenth_is_empty():
    # ten-beliefs: a hundredth of a client drive, not told
    used = np.linspace(0.5, 0.99, 50)
    cost = wa.fifo((1 + CLIENT) / (used + 0.01) - 1) / wa.fifo((1 + CLIENT) / used - 1) - 1
    assert (np.diff(cost) > 0).all()
    assert cost[used < 0.901].max() < 0.06
