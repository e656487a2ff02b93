"""The way of a filled drive to its steady state."""

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, strategies as st

from flashwear import ftl, wa
from refusals import refusals


def by_small_steps(op, end, steps):
    """Follow the drive with equal steps of pages programmed, each block a step long.

    The block whose turn comes lies op + 1 back; the host fills what cleaning leaves of it, and
    makes outdated the share e**-(host writes since) of the pages it held.
    """
    step = end / steps
    written = np.zeros(steps + 1)
    for i in range(steps):
        since = (i + 0.5) * step - op  # when, counted from the fill, its turn began to be due
        if since < 0:
            live = 0.0  # blank
        elif since < 1:
            live = np.exp(-written[i])  # of the fill
        else:
            live = np.exp(
                np.interp(since - 1, np.arange(i + 1) * step, written[: i + 1]) - written[i]
            )
        written[i + 1] = written[i] + (1 - live) * step
    return written


@pytest.mark.parametrize("op", [0.05, 0.28, 1.0])
def test_the_path_is_that_of_a_drive_followed_block_by_block(op):
    end = 5.0
    errors = []
    for steps in (4_000, 8_000):
        s = np.linspace(0, end, steps + 1)
        found = wa.after_fill(op, s).drive_writes
        errors.append(np.abs(found - by_small_steps(op, end, steps)).max())
    # the scheme is of first order: half the step, half the error
    assert errors[1] < 0.002
    assert errors[1] / errors[0] == pytest.approx(0.5, abs=0.1)


@given(st.floats(0.02, 4), st.floats(0, 1), st.floats(8, 100), st.floats(0.001, 5))
def test_the_host_writes_all_at_first_and_in_the_end_as_steadily_and_never_back(
    op, part, programmed, more
):
    before = wa.after_fill(op, part * op * (1 - 1e-12))
    assert before.wa == pytest.approx(1, abs=1e-8)
    assert before.drive_writes == pytest.approx(part * op, abs=1e-8)
    # the slowest swing dies as it goes round, most slowly at little spare
    assert wa.after_fill(op, programmed).wa == pytest.approx(wa.fifo(op), rel=0.003)
    at = 0.001 + programmed * part / 5
    one, other = wa.after_fill(op, [at, at + more]).drive_writes
    assert one < other <= one + more * (1 + 1e-7)


def test_it_settles_when_the_closed_form_of_the_lag_says_so_and_late_on_a_late_path():
    s, a = [1, 2, 3, 4, 5], [1.0, 2.04, 2.2, 2.04, 1.96]
    assert wa.settled(s, a, 2.0) == 3
    assert wa.settled(s, a, 2.0, tolerance=0.01) == 5
    assert wa.settled(s, a, 2.0, tolerance=0.5) == 0
    assert wa.settled([], [], 2.0) == 0
    s = np.arange(0, 4, 0.001)

    def needed(op):
        return wa.settled(s, wa.after_fill(op, s).wa, wa.fifo(op))

    assert needed(2) == pytest.approx(2.3, abs=0.05)
    op, near = 0.28, 0.02
    final = wa.fifo(op)
    weight = 1 / (1 - (1 + op) * (1 - 1 / final))
    s = np.arange(0, 20, 0.001)
    settled = wa.settled(s, wa.from_blank(op, s).wa, final, near)
    assert settled == pytest.approx(final * np.log(1 / (near * weight * op)), abs=0.002)


test_a_path_that_is_none_is_refused = refusals([
    (([1, 2], [1.0], 2), r"amplification must be a row as long as programmed, got .*\(1,\)"),
    ((1, 1.0, 2), "amplification must be a row"),
    (([1], [0.0], 2), "amplification must be .* > 0, got 0"),
    (([1], [1.0], 0), "final must be .* > 0, got 0"),
    (([1], [1.0], [2]), "final must be one number"),
    (([1], [1.0], 2, -1), "tolerance must be .* >= 0, got -1"),
], by=lambda arguments: wa.settled(*arguments))  # fmt: skip


def exact_from_blank(op, programmed):
    """Return host writes and write amplification by the kernel, in 80 digits."""
    with mp.workdps(80):
        alpha, s = 1 + mp.mpf(op), mp.mpf(programmed)

        def kernel(x):
            terms = int(mp.floor(x / alpha)) if x >= 0 else -1
            return sum((-1) ** n * (x - n * alpha) ** n / mp.factorial(n) * mp.exp(x - n * alpha)
                       for n in range(terms + 1))  # fmt: skip

        now = kernel(s)
        return float(mp.log(now)), float(now / (now - kernel(s - alpha)))


@pytest.mark.parametrize("op", [0.01, 0.28, 4.0])
@pytest.mark.parametrize("programmed", [0.5, 11.9, 12.001, 60.0])
def test_a_drive_that_was_never_filled_agrees_with_80_digits(op, programmed):
    path = wa.from_blank(op, programmed)
    tolerance = 1e-9 if programmed <= 12 else 1e-6
    expected = exact_from_blank(op, programmed)
    assert (path.drive_writes, path.wa) == pytest.approx(expected, rel=tolerance)


def test_a_drive_that_was_never_filled_follows_the_page_by_page_simulation():
    run = ftl.simulate(200_000, 0.28, pages_per_block=64, policy="fifo", fill="none",
                       warmup_drive_writes=0, drive_writes=4, history_stride=20_000, seed=1,
                       progress=False)  # fmt: skip
    flash = run.history_flash.cumsum() / 200_000
    host = run.history_host.cumsum() / 200_000
    left = run.state.op - run.history_blank[-10:].mean() / 200_000
    # blocks of 64 of 256,000 pages, and a pool that takes a few of them
    assert host == pytest.approx(wa.from_blank(left, flash).drive_writes, rel=0.01)


@given(op=st.floats(0.01, 4), programmed=st.floats(0, 100))
def test_no_fill_writes_less_for_the_same_host(op, programmed):
    blank, filled = wa.from_blank(op, programmed), wa.after_fill(op, programmed)
    assert blank.drive_writes >= filled.drive_writes - 1e-6
    assert blank.wa * (1 + 1e-9) >= 1
    assert blank.wa <= wa.fifo(op) * (1 + 1e-6)
