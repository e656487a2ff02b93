"""simulate(): what a run does, counts and shows."""

import pickle

import numpy as np
import pytest

from flashwear.ftl import Result, State, simulate, simulation, verify
from flashwear.workloads import READ, TRIM, WRITE, HotCold, Replay

SMALL = {"user_pages": 2_000, "op": 0.3, "pages_per_block": 16}


def run(**settings) -> Result:
    return simulate(**{**SMALL, **settings})


def figures(result):
    """Return all that a result says except how long it took."""
    named = vars(result) | {"state": [array.tobytes() for array in result.state.arrays]}
    del named["seconds"]
    return {name: getattr(value, "tobytes", lambda v=value: v)() for name, value in named.items()}


@pytest.mark.parametrize("settings", [
    {},
    {"policy": "random", "fill": "random"},
    {"policy": "d_choices", "trim_share": 0.1},
    {"frontier": "hot_cold", "workload": HotCold(0.8, 0.2)},
    {"frontier": "detected", "workload": "jesd219"},
])  # fmt: skip
def test_a_seed_makes_the_run(settings):
    one, again, other = (figures(run(**settings, seed=seed)) for seed in (1, 1, 2))
    assert one == again
    assert one["wa"] != other["wa"]
    assert one["state"] != other["state"]


def test_a_policy_draws_its_own_numbers_and_check_verifies_the_drive(monkeypatch):
    # a load that draws none, so that only the policy can tell two seeds apart
    same_load = {"workload": Replay([[WRITE, 0, 2_000], [WRITE, 0, 700]] * 20), "policy": "random"}
    assert run(**same_load, seed=1).wa != run(**same_load, seed=2).wa
    seen = []
    monkeypatch.setattr(simulation, "verify", seen.append)
    unchecked = run()
    assert seen == []
    checked = run(check=True)
    assert seen == [checked.state]
    assert checked.wa == unchecked.wa


@pytest.mark.parametrize("fill", ["sequential", "random", "none"])
@pytest.mark.parametrize("trim_share", [0, 0.2])
def test_the_history_adds_up(fill, trim_share):
    result = run(fill=fill, trim_share=trim_share, warmup_drive_writes=1.5, drive_writes=2.25,
                 stripe=5, op=0.6, history_stride=77)  # fmt: skip
    state = result.state
    filled = 0 if fill == "none" else 2_000
    assert state.host_writes == filled + 3_000 + 4_500
    assert result.host_writes == 4_500
    assert result.history_host.sum() == state.host_writes
    assert result.history_flash.sum() == state.flash_writes
    measured = slice(-result.measured_steps, None)
    assert result.history_host[measured].sum() == result.host_writes
    assert result.history_flash[measured].sum() == result.flash_writes
    assert result.wa == result.flash_writes / result.host_writes
    assert result.history_drive_writes[-1] == state.host_writes / 2_000
    assert (np.diff(result.history_drive_writes) >= 0).all()
    # a step is 77 requests, fewer only where a part of the run ends
    requests = result.history_host.max()
    assert requests <= 77
    assert (requests < 77) == (trim_share > 0 and fill == "none")
    assert result.cleaned.sum() == result.block_erases
    copies = int(result.frontier_copies.sum())
    assert result.host_writes + copies <= result.flash_writes
    assert result.flash_reads == copies
    assert (result.trims > 0) == (trim_share > 0)
    assert result.worn_out is False
    verify(state)


def test_a_run_until_it_knows_says_if_it_was_not_steady():
    def window(user_pages, seed):
        rng, first = np.random.default_rng(seed), 0
        while True:
            pages = (first + rng.integers(user_pages // 10, size=64)) % user_pages
            far = rng.random(64) < 0.1
            pages[far] = rng.integers(user_pages, size=far.sum())
            first = (first + 8) % user_pages
            yield pages

    with pytest.warns(UserWarning, match="write amplification was not steady"):
        simulate(20_000, 0.28, pages_per_block=64, workload=window, drive_writes=None)


def test_reads_and_trims_are_counted_and_the_measured_part_has_a_thousand_steps():
    trace = [[WRITE, 0, 100], [READ, 50, 100], [TRIM, 90, 20]]
    with pytest.warns(UserWarning, match=r"the workload ended after 100 of 2,000 page writes"):
        result = run(workload=Replay(trace), fill="none", warmup_drive_writes=0)
    assert result.host_writes == 100
    assert result.flash_reads == 50  # the other pages hold nothing
    assert result.trims == 10
    assert result.wa == 1
    assert not result.worn_out
    result = run(drive_writes=3.0)
    assert result.measured_steps == 1_000
    assert (result.history_host[-1_000:] == 6).all()
    assert run(drive_writes=0.001).measured_steps == 2


@pytest.mark.parametrize("trace", [[[WRITE, 0, 10]], [[READ, 0, 2_000]]])
def test_a_trace_that_ends_before_measuring_measures_nothing(trace):
    with pytest.warns(UserWarning, match=r"the workload ended after \d+ of 8,000 page writes"):
        result = run(workload=Replay(trace))
    assert np.isnan(result.wa)
    assert np.isnan(result.interval.low)
    assert not result.worn_out
    assert "nothing was measured" in result.interval_reason
    assert "wore out" not in result.interval_reason


def test_the_history_is_a_table_figures_come_as_one_row_and_equal_ones_are_equal_results():
    result = run()
    history = result.history
    assert list(history) == ["drive_writes", "wa", "measured"]
    assert len(history) == result.history_host.size
    assert history["measured"].sum() == result.measured_steps
    assert history["measured"].is_monotonic_increasing
    measured = history[history["measured"]]
    assert measured["wa"].mean() == pytest.approx(result.wa)  # all its steps are as long
    import pandas as pd

    runs = [run(policy=policy, drive_writes=30, seed=3) for policy in ("greedy", "fifo")]
    table = pd.concat([result.to_frame() for result in runs], ignore_index=True)
    assert len(table) == 2
    for column in ("user_pages", "op", "pages_per_block"):
        assert table[column][0] == getattr(runs[0].state, column)
    same = ("wa", "wlf", "host_writes", "flash_writes", "flash_reads", "block_erases", "worn_out")
    for column in (*same, "seconds"):
        assert table[column].tolist() == [getattr(result, column) for result in runs]
    assert (table["wa_low"] < table["wa"]).all()
    assert (table["wa"] < table["wa_high"]).all()
    assert table["steady"].tolist() == [result.steady.reached for result in runs]
    arguments = {"user_pages": 1000, "op": 0.5, "pages_per_block": 16}
    one, other = simulate(**arguments), simulate(**arguments)
    assert one == other
    assert one == pickle.loads(pickle.dumps(one))
    assert (one == simulate(seed=1, **arguments)) is False
    assert one != 1
    assert len(repr(one)) < 250
    assert f"{one.host_writes:,}" in one._repr_html_()


@pytest.mark.parametrize("writes", [1, 5])
def test_a_very_short_run_has_a_result(writes):
    short = run(drive_writes=writes / 2_000)
    assert short.host_writes == writes
    one_step = run(history_stride=10**9)
    assert one_step.measured_steps == 1
    for result in (short, one_step):
        assert np.isnan(result.interval.low)
        assert not result.steady.reached
    row = run(op=9.0, drive_writes=1, warmup_drive_writes=0).to_frame()
    assert (row["block_erases"].tolist(), row["wa"].tolist()) == ([0], [1])


def test_a_worn_out_drive_ends_the_run_and_too_early_it_measures_nothing():
    result = run(endurance=5, warmup_drive_writes=0, drive_writes=1_000, reserve_blocks=4)
    assert result.worn_out
    assert result.state.worn_out
    assert result.host_writes + 2_000 == result.state.host_writes < 20_000
    assert result.history_host.sum() == result.state.host_writes
    assert result.wa > 1
    result = run(endurance=5, warmup_drive_writes=1_000, reserve_blocks=4)
    assert result.worn_out
    assert result.host_writes == 0
    assert np.isnan(result.wa)
    assert "wore out" in result.interval_reason
    assert not result.steady.reached
    assert np.isnan(result.to_frame()["wa"][0])
    assert result.measured_steps == 0
    assert (result.history_host > 0).all()


def test_options_reach_the_drive_and_it_is_filled_as_asked():
    def filled(fill):
        state = run(fill=fill, warmup_drive_writes=0, drive_writes=0.0005, op=1.0).state
        return state.arrays.l2p[:-1]

    in_order = np.arange(2_000)
    assert np.count_nonzero(filled("sequential") == in_order) >= 1_999
    at_random = filled("random")
    assert (at_random >= 0).all()
    assert np.count_nonzero(at_random == in_order) < 10  # one on average
    assert len(set(at_random.tolist())) == 2_000
    assert np.count_nonzero(filled("none") >= 0) == 1
    limits = np.full(162, 1_000)
    options = {"stripe": 7, "wear_levelling": "static", "level_threshold": 3, "window": 9}
    result = run(policy="windowed", endurance=limits, reserve_blocks=5, **options)
    twin = State(**SMALL, policy="windowed", endurance=limits, reserve_blocks=5, **options)
    assert (result.state.arrays.rules == twin.arrays.rules).all()
    assert (result.state.arrays.block["limit"] == limits).all()


def test_progress_goes_to_stderr_where_asked_for_or_long_except_while_a_book_is_built(
    capsys, monkeypatch
):
    run(progress=True)
    assert "host writes: 100%" in capsys.readouterr().err
    run(progress=False)
    run()
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(simulation, "_LONG", 1_000)
    monkeypatch.delenv("FLASHWEAR_BOOK", raising=False)
    run()
    assert "host writes" in capsys.readouterr().err
    monkeypatch.setenv("FLASHWEAR_BOOK", "1")
    run()
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.filterwarnings("ignore:write amplification was not steady")
def test_without_a_length_a_run_ends_when_its_interval_is_narrow_or_at_its_cap(seed):
    result = simulate(5000, 0.28, pages_per_block=32, drive_writes=None, seed=seed)
    low, high = result.wa_interval
    assert 0 < high - low <= 0.02 * result.wa
    assert 8 <= result.host_writes / 5000 <= 64
    long = simulate(5000, 0.28, pages_per_block=32, drive_writes=100, seed=seed + 5)
    assert low - 0.01 * result.wa < long.wa < high + 0.01 * result.wa
    capped = simulate(100, 0.5, pages_per_block=4, drive_writes=None, trim_share=0.3, seed=seed)
    assert capped.host_writes == 64 * 100
