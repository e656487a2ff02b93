"""A replay does the same in both models, bit by bit, and its scores are what is said of them."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_drives import MIB, caches, drive, slc
from tiny_drives import contents

from flashwear.ftl import verify
from flashwear.study import benches, replays
from proving import examples

PART = 3000


def small(name, part=PART):
    """Return a bench with the shares of a published one and few requests."""
    bench = benches.load(name)
    sums = {key: getattr(bench, key) / part for key in ("read_bytes", "write_bytes")}
    counts = {key: getattr(bench, key) // part for key in ("reads", "writes")}
    return replace(bench, **sums, **counts)


@examples(12)
@given(st.data())
def test_both_models_agree_in_every_score_and_every_page(data):
    device = drive(reads_first=data.draw(st.booleans()))
    if data.draw(st.booleans()):
        device = replace(device, pages_per_block=24, **data.draw(caches()))
    bench = small(data.draw(st.sampled_from(["heavy", "light"])))
    guess = benches.Assumed(
        footprint=data.draw(st.sampled_from([3e6, 12e6])),
        run_length=6,
        burst=data.draw(st.sampled_from([1.0, 5.0, 100.0])),
        idle_s=data.draw(st.sampled_from([1e-9, 1e-4, 0.025])),
        mixed_share=data.draw(st.sampled_from([0.0, 0.5, 1.0])),
    )
    options = {
        "fill": data.draw(st.sampled_from(["none", "sequential"])),
        "seed": data.draw(st.integers(0, 9)),
    }
    one, other = (
        outcome(device, bench, guess, model=model, **options) for model in ("reference", "twin")
    )
    if isinstance(one, str) or isinstance(other, str):
        assert one == other
        return
    pairs = zip(*(contents(scores.pop("ftl")) for scores in (one, other)), strict=True)
    assert one == other
    assert all(ours.tobytes() == theirs.tobytes() for ours, theirs in pairs)


def outcome(device, bench, guess, **options):
    """Return the scores, or the error that the run ends with."""
    try:
        result = replays.replay(device, bench, guess, **options)
    except (RuntimeError, ValueError) as error:
        return f"{type(error).__name__}: {str(error)[:30]}"
    verify(result.ftl)
    return dict(vars(result))


def test_one_request_at_a_time_takes_the_sum_of_its_services():
    # an empty drive reads nothing from the flash: command and link, 3 us + 1 us + bytes at 512 MB/s
    bench = replace(
        small("light"),
        reads=100,
        read_bytes=100 * 20_000.0,
        writes=1,
        write_bytes=4000.0,
        size_shares={},
        depth_shares={"1": 1.0},
    )
    guess = benches.Assumed(footprint=12e6, run_length=6, burst=10)
    result = replays.replay(drive(), bench, guess)
    services = 100 * (3e-6 + 1e-6) + (4e-6 + 1e-6) + result.total_bytes / 512e6
    assert result.busy_s == pytest.approx(services, rel=1e-4)
    assert result.service_s == pytest.approx(services / 101, rel=1e-4)
    assert result.mb_per_s == pytest.approx(result.total_bytes / services / 1e6, rel=1e-4)
    assert result.over_10ms == 0


def test_pauses_are_no_part_of_the_data_rate():
    bench, guess = small("heavy"), benches.Assumed(footprint=12e6, run_length=6, burst=50)
    runs = [replays.replay(drive(), bench, replace(guess, idle_s=s)) for s in (0.01, 0.025)]
    pauses = [run.elapsed_s - run.busy_s for run in runs]
    assert pauses[1] == pytest.approx(2.5 * pauses[0])
    assert runs[1].busy_s <= runs[0].busy_s * 1.01  # longer pauses empty the buffer


def test_one_burst_is_a_closed_loop():
    bench = replace(small("light"), depth_shares={"4-5": 0.5, "6-10": 0.5})
    guess = benches.Assumed(footprint=12e6, run_length=6, burst=65_536, idle_s=1e-9)
    (burst,) = replays.stream(bench, guess, drive().user_bytes)
    result = replays.replay(drive(), bench, guess)
    # by Little's law, but for the tail of the burst
    mean = result.service_s * result.ios / result.busy_s
    assert mean == pytest.approx(burst.depth, rel=0.03)


def test_a_full_drive_is_slower():
    bench, guess = small("heavy"), benches.Assumed(footprint=12e6, run_length=6)
    rates = [
        replays.replay(drive(), bench, guess, fill=fill).mb_per_s for fill in ("none", "sequential")
    ]
    assert rates[1] < rates[0]


def test_shares_of_slow_requests_are_counted_one_by_one():
    result = replays.replay(
        drive(program_s=(0.05,)), small("heavy"), benches.Assumed(footprint=12e6, run_length=6)
    )
    assert 0 < result.over_100ms < result.over_10ms < 1


def test_scaled_drives_keep_the_time_after_which_they_are_idle():
    # a pause of 25 ms must not count as 25 ms times 1/scale
    device = slc(
        user_bytes=160 * MIB,
        pages_per_block=256,
        cache_idle_s=0.05,
        cache_direct=True,
        bits_per_cell=2,
    )
    guess = benches.Assumed(footprint=100e6, run_length=6, burst=20)
    result = replays.replay(device, small("light", 200), guess, scale=0.25)
    assert result.cache_writes > 0
    assert result.fold_copies == 0
    sooner = replays.replay(
        replace(device, cache_idle_s=0.01), small("light", 200), guess, scale=0.25
    )
    assert sooner.fold_copies > 0


def test_a_drive_that_takes_few_requests_is_asked_for_few_at_a_time():
    bench = replace(small("light"), depth_shares={"21-32": 1.0})
    guess = benches.Assumed(footprint=12e6, run_length=6, burst=65_536, idle_s=1e-9)
    result = replays.replay(drive(queue_limit=4), bench, guess)
    assert result.service_s * result.ios / result.busy_s == pytest.approx(4, rel=0.03)
