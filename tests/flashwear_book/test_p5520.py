"""Rules of cleaning held against the P5520: what was chosen by its runs, and what then failed."""

import numpy as np
import pytest

from flashwear import ftl
from flashwear_book import p5520, tables
from flashwear_book.runs import aged

BEST, SHUFFLED = "age 0.3", "init07-san-(?:none|seq|seqshuffle)-zipf"


@pytest.fixture(scope="module")
def scores():
    return p5520.scores([BEST, "age 0", "age 1", "mixed, age 0"])


def test_ranks_collide_as_the_product_with_the_constant_says():
    pages, exponent = 3577 * 2**7, 0.8
    ranks = np.arange(pages, dtype=np.uint64)
    place = ranks * np.uint64(0x61C8864680B583EB) % np.uint64(pages)
    rate = np.bincount(place.astype(int), np.arange(1, pages + 1.0) ** -exponent, pages)
    hottest = np.sort(rate / rate.sum())[::-1].cumsum()
    write, space = aged.hashed_classes(pages, exponent)
    assert space[-1] == pytest.approx(np.mean(rate == 0), abs=0.003)
    ends = np.round(space.cumsum() * pages).astype(int)
    far = ends > 100  # an integral for the sum is off at the first ranks
    np.testing.assert_allclose(write.cumsum()[far], hottest[ends[far] - 1], atol=0.02)


@pytest.mark.parametrize(("rule", "builtin"), [("age 0", "greedy"), ("age 1", "cost_benefit")])
def test_weights_of_zero_and_one_are_the_policies_of_that_name(rule, builtin):
    level = aged.aged_drive(rule, 0.2, blocks=64, seed=2)["uniform"]
    run = ftl.simulate(64 * 1024, 0.2, pages_per_block=1024, policy=builtin, frontier="gc",
                       warmup_drive_writes=1, drive_writes=2, seed=2)  # fmt: skip
    assert level == pytest.approx(run.wa, rel=0.01)


def test_one_weight_meets_the_runs_that_it_was_chosen_by_and_greedy_does_not(scores):
    known = scores[scores.log.str.contains(SHUFFLED) & (scores.spare == "uniform")]
    worst = known.groupby("rule").off.max()
    assert worst[BEST] < 0.025
    assert worst[["age 0", "age 1", "mixed, age 0"]].min() > 0.05


def test_the_unshuffled_run_is_met_only_with_the_spare_flash_of_its_own_cliff(scores):
    off = scores[scores.log.str.contains("noshuffle")].set_index(["rule", "spare"]).off
    assert off[BEST, "own"] < 0.05 < 0.1 < off[BEST, "uniform"]
    assert off["age 0", "own"] > 0.1
    assert off["mixed, age 0", "own"] > 0.1


def test_the_first_prediction_is_rejected_by_a_drive_that_hardly_copies(scores):
    runs = p5520.runs()
    fio = runs[runs.load == "fio's Zipf 0.8"]
    assert len(fio) == 7
    assert fio.cleans_at.isna().all()
    off = scores[scores.log.isin(fio.log) & (scores.spare == "uniform")].off
    assert off.min() > 0.1


def test_the_second_prediction_rejects_every_weight_and_confirms_no_rule():
    kept = p5520.loads(["age 0", "age 0.2", BEST, "age 0.5", "age 1", "time left", "6 choices"])
    kept["miss"] = (kept.told / kept.seen - 1) ** 2
    off = kept[kept.spare == "uniform"].groupby("rule").miss.mean() ** 0.5
    assert off.drop("6 choices").min() > 0.1
    assert 0.05 < off["6 choices"] < 0.1
    rest = kept[(kept.rule == "age 0.5") & (kept.spare == "uniform")]
    assert rest[rest.load.isin(["rest 0.2", "rest 0.4", "rest 0.6"])].miss.max() ** 0.5 < 0.05


def test_the_drives_level_moves_between_loads_that_every_rule_tells_alike():
    table = tables.measured_loads().query("fills in (2, 3, 4)").groupby("load").mib_per_s.mean()
    assert table["random"] / table["Zipf 0.2, shuffled"] > 1.1
    for rule in ("age 0", BEST, "age 1", "6 choices"):
        like = [aged.aged_load(rule, 0.2, load, 64, 3)["last"] for load in ("uniform", "Zipf 0.2")]
        assert like[1] == pytest.approx(like[0], rel=0.03)
