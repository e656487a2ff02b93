import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, strategies as st

from flashwear.wa.pools import separated, square_root_split, square_root_wa
from flashwear.wa.skew import JESD219, fifo_mixed, greedy_mixed
from flashwear.wa.uniform import fifo, greedy, greedy_desnoyers
from memory import Traced
from proving import examples
from refusals import refusals

ops = st.floats(1e-4, 20)
shares = st.floats(1e-9, 1 - 1e-9)
pages = st.integers(2, 300)
LOADS = [(0.8, 0.2), (0.9, 0.1), (0.9, 0.05), JESD219]
ROUNDING = 1e-12  # what may be lost in a few thousand operations, with room to spare


def printed_equation(op, write, space):
    with mp.workdps(60):
        r, f = ([mp.mpf(x) / mp.fsum(share) for x in share] for share in (write, space))
        alpha = 1 + mp.mpf(op)

        def excess(a):  # the limit of a term without writes is (f/alpha) A
            terms = (x / mp.expm1(x / y * alpha / a) if x else y * a / alpha
                     for x, y in zip(r, f, strict=True))  # fmt: skip
            return 1 + mp.fsum(terms) - a

        ends = alpha / (2.01 * (alpha - 1)), alpha / (alpha - 1) + 1
        return mp.findroot(excess, ends, solver="anderson", tol=1e-80, maxsteps=300)


@given(st.data(), ops, st.integers(2, 4))
@examples(60)
def test_fifo_solves_the_printed_equation_at_any_skew(data, op, count):
    # shares over nine orders of magnitude, so that a class may be 1e9 times the mean
    def draw():
        logs = data.draw(st.lists(st.floats(-9, 0), min_size=count, max_size=count))
        return 10 ** np.array(logs) / np.sum(10 ** np.array(logs))

    write, space = draw(), draw()
    exact = printed_equation(op, write, space)
    assert fifo_mixed(op, write, space) == pytest.approx(float(exact), rel=ROUNDING)


def test_a_class_never_written_takes_room_and_the_authors_value_comes_out():
    write, space = [0.7, 0.3, 0.0], [0.1, 0.4, 0.5]
    exact = printed_equation(0.2, write, space)
    assert fifo_mixed(0.2, write, space) == pytest.approx(float(exact), rel=ROUNDING)
    no_pages = fifo_mixed(0.2, [0.8, 0.2, 0], [0.3, 0.7, 0])  # of no pages either: nothing changes
    assert no_pages == pytest.approx(fifo_mixed(0.2, 0.8, 0.3), rel=ROUNDING)
    assert no_pages == pytest.approx(fifo_mixed(0.2, [0.2, 0.6, 0.2], [0.7, 0.225, 0.075]))
    # alpha 1.0914, 72.58 % of writes to 14.2 % of pages: 6.5900, from inputs of four digits.
    # Between half a unit in the last place of each the result moves by 0.006.
    low = fifo_mixed(0.09145, 0.72575, 0.14205)
    high = fifo_mixed(0.09135, 0.72585, 0.14195)
    assert low < 6.59 < high
    assert high - low < 0.01


@given(ops, shares, shares)
def test_classes_written_alike_are_one_class_and_one_may_be_cut_in_two(op, write, space):
    assert fifo_mixed(op, space, space) == pytest.approx(fifo(op), rel=ROUNDING)
    parts = [1 - write, write / 4, 3 * write / 4], [1 - space, space / 4, 3 * space / 4]
    assert fifo_mixed(op, *parts) == pytest.approx(fifo_mixed(op, write, space), rel=ROUNDING)


@given(ops, shares, shares, pages)
def test_greedy_of_one_class_is_the_closed_form_and_of_large_blocks_fifo(op, write, space, size):
    expected = greedy_desnoyers(op, size)
    assert greedy_mixed(op, space, space, size) == pytest.approx(expected, rel=ROUNDING)
    assert greedy_mixed(op, write, space) == fifo_mixed(op, write, space)
    large = greedy_mixed(op, write, space, 10**7)
    # k - 1 = 5e-8 of the pages is spare that FIFO does not have: at most (k - 1)(1 + op)/op
    assert large == pytest.approx(fifo_mixed(op, write, space), rel=6e-8 * (1 + 1 / op))


@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize(("policy", "size"), [("fifo", None), ("greedy", None), ("greedy", 64)])
def test_the_same_spare_in_each_pool_is_the_uniform_drive(load, policy, size):
    uniform = fifo(0.13) if size is None else greedy(0.13, size)
    pools = separated(0.13, *load, policy, size, spare_share=load[1])
    assert pools.wa == pytest.approx(uniform, rel=ROUNDING)


@given(ops, shares, shares, shares)
def test_pools_add_up_by_their_writes(op, write, space, spare):
    pools = separated(op, write, space, spare_share=spare)
    hot, cold = op * spare / space, op * (1 - spare) / (1 - space)
    assert pools.wa == pytest.approx(write * fifo(hot) + (1 - write) * fifo(cold), rel=ROUNDING)
    assert pools.spare_share == spare


@given(ops, shares, shares, shares, pages)
def test_no_split_beats_the_best_split(op, write, space, spare, size):
    best = separated(op, write, space).wa
    assert best <= separated(op, write, space, spare_share=spare).wa * (1 + ROUNDING)
    assert best <= fifo(op) * (1 + ROUNDING) <= fifo_mixed(op, write, space) * (1 + 2 * ROUNDING)
    best = separated(op, write, space, "greedy", size).wa
    given_split = separated(op, write, space, "greedy", size, spare_share=spare).wa
    assert best <= given_split * (1 + ROUNDING)
    assert best <= greedy(op, size) * (1 + ROUNDING)


@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize("op", [0.02, 0.3])
def test_the_best_fifo_split_gives_a_page_the_same_worth_everywhere(load, op):
    # the slope of r A(p op / f) over p, by central differences with 40 digits of the FIFO balance
    def slope(ratio):
        with mp.workdps(40):

            def wa(x):
                a = 1 + mp.mpf(x)
                return a / (a + mp.lambertw(-a * mp.exp(-a)).real)

            return float((wa(ratio + mp.mpf("1e-12")) - wa(ratio - mp.mpf("1e-12"))) / 2e-12)

    write, space = (np.array(s) if np.ndim(s) else np.array([s, 1 - s]) for s in load)
    spare = separated(op, write, space).spare_share
    worth = [r / f * slope(p * op / f) for r, f, p in zip(write, space, spare, strict=True)]
    # the worth goes as about p**-2: 1e-6 on the share is 2e-6 on it
    assert worth == pytest.approx([worth[0]] * len(worth), rel=2e-6)


@pytest.mark.parametrize("size", [4, 64])
def test_the_best_greedy_split_is_that_of_a_fine_grid(size):
    grid = np.linspace(0, 1, 100_001)
    wa = separated(0.1, 0.8, 0.2, "greedy", size, spare_share=grid).wa
    best = separated(0.1, 0.8, 0.2, "greedy", size)
    assert best.spare_share == pytest.approx(grid[wa.argmin()], abs=1e-5)  # one step
    assert best.wa <= wa.min() * (1 + ROUNDING)


def test_a_given_split_comes_back_and_pools_of_one_page_per_block_write_once():
    # the victim is empty: nothing is copied, and any split will do
    pools = separated(0.1, 0.8, 0.2, "greedy", 1)
    assert (pools.wa, pools.spare_share) == (1, 0.2)
    both = separated(0.1, 0.8, 0.2, "greedy", [1, 4])
    four = separated(0.1, 0.8, 0.2, "greedy", 4)
    assert both.wa == pytest.approx([1, four.wa], rel=ROUNDING)
    assert both.spare_share == pytest.approx([0.2, four.spare_share], rel=ROUNDING)
    assert separated([0.1, 0.2, 0.3], 0.8, 0.2, spare_share=0.4).spare_share.tolist() == [0.4] * 3
    pools = separated([0.1, 0.2, 0.3], [0.8, 0.2], [0.2, 0.8], spare_share=[0.4, 0.6])
    assert pools.spare_share.tolist() == [[0.4, 0.6]] * 3


def test_the_best_split_of_many_classes_takes_little_memory_and_gives_the_unwritten_little():
    space = np.full(1000, 1e-3)
    write = np.random.default_rng(0).dirichlet(np.ones(1000))
    with Traced() as memory:
        pools = separated(0.1, write, space, "greedy", 64)
    # 1000 x 63 pieces of half a megabyte, a dozen at a time
    assert memory.peak < 20e6
    assert pools.wa < separated(0.1, write, space).wa
    assert pools.wa < separated(0.1, write, space, "greedy", 64, space).wa
    # two pages per block, WA = 2 (1 - op) up to 1/2: all spare to the hot pool
    pools = separated(0.02, 0.9, 0.1, "greedy", 2)
    assert pools.spare_share == 1
    assert pools.wa == pytest.approx(0.9 * 2 * (1 - 0.2) + 0.1 * 2)
    pools = separated(0.1, [0.8, 0.2, 0], [0.1, 0.2, 0.7])
    assert pools.spare_share[2] == 0
    assert pools.wa == pytest.approx(separated(0.1 / 0.3, 0.8, 1 / 3).wa, rel=ROUNDING)


@pytest.mark.parametrize("op", [1e-18, 1e-50, 1e-99])
def test_the_best_split_holds_for_next_to_no_spare(op):
    best = separated(op, *JESD219)
    assert best.wa == pytest.approx(square_root_wa(op, *JESD219), rel=ROUNDING)
    assert best.spare_share == pytest.approx(square_root_split(*JESD219), rel=ROUNDING)


def test_no_result_is_below_one_by_rounding():
    op = np.geomspace(10, 1e4, 3001)
    assert fifo_mixed(183, 0.8, 0.2) == 1
    assert fifo_mixed(op, 0.8, 0.2).min() == 1
    assert separated(op, 0.8, 0.2).wa.min() == 1
    assert separated(op, *JESD219, "greedy", 8).wa.min() == 1
    assert greedy_mixed(1e-9, 0.9, 0.05, 16) == 16  # nor above the pages of a block
    assert greedy_mixed(0.01, 0.8, 0.2, 1) == 1


@pytest.mark.parametrize(("kind", "digits"), [(np.float32, 1e-6), (np.float16, 1e-2)])
def test_shares_of_fewer_digits_are_taken_as_they_are(kind, digits):
    # 0.9 + 0.1 is 0.9999999776 in single precision
    write, space = np.array([0.9, 0.1], kind), np.array([0.05, 0.95], kind)
    assert fifo_mixed(0.1, write, space) == pytest.approx(fifo_mixed(0.1, 0.9, 0.05), rel=digits)
    given_split = separated(0.1, write, space, spare_share=write)
    assert given_split.spare_share.sum() == pytest.approx(1, rel=ROUNDING)
    with pytest.raises(ValueError, match="write_share must sum to 1"):
        fifo_mixed(0.1, write.astype(float), space)


@pytest.mark.parametrize("load", LOADS)
def test_the_errors_of_the_square_root_rule_are_those_stated(load):
    def excess(op):
        spare = square_root_split(*load)
        return separated(op, *load, spare_share=spare).wa / separated(op, *load).wa - 1

    assert 0 <= excess(0.1) < 0.0004
    assert 0 <= excess(0.25) < 0.004
    assert 0 <= excess(1) < 0.014
    # the expansion is exact as op goes to 0: its first term left out is of the order of op
    tiny = separated(1e-6, *load)
    assert square_root_wa(1e-6, *load) == pytest.approx(tiny.wa, rel=1e-10)
    assert tiny.spare_share == pytest.approx(square_root_split(*load), rel=1e-5)
    stated = {(0.8, 0.2): [0.006, 0.025], (0.9, 0.05): [0.032, 0.097]}  # to a tenth of a per cent
    if load is not JESD219 and load in stated:
        below = 1 - square_root_wa([0.1, 0.25], *load) / separated([0.1, 0.25], *load).wa
        assert below == pytest.approx(stated[load], abs=5e-4)


def test_arrays_hold_classes_last_and_scalars_are_the_hot_class():
    op = np.array([[0.1], [0.2], [0.3]])
    write, space = [[0.8, 0.2], [0.9, 0.1]], [0.2, 0.8]
    assert fifo_mixed(op, write, space).shape == (3, 2)
    assert greedy_mixed(op, write, space, [32, 64]).shape == (3, 2)
    assert fifo_mixed(op, 0.8, 0.2).shape == (3, 1)
    first = fifo_mixed(0.1, 0.8, 0.2)
    assert fifo_mixed(0.1, write, space)[0] == pytest.approx(first, rel=ROUNDING)
    for policy in ("fifo", "greedy"):
        pools = separated(op, write, space, policy, [32, 64])
        assert pools.wa.shape == (3, 2)
        assert pools.spare_share.shape == (3, 2, 2)
        one = separated(0.2, 0.9, space[0], policy, 64)
        assert (type(one.wa), type(one.spare_share)) == (float, float)
        assert pools.wa[1, 1] == pytest.approx(one.wa, rel=ROUNDING)
        assert pools.spare_share[1, 1, 0] == pytest.approx(one.spare_share, rel=1e-10)
        assert separated([], 0.9, 0.2, policy, 64).wa.shape == (0,)
    assert square_root_split(write, space).shape == (2, 2)
    assert square_root_wa(op, write, space).shape == (3, 2)
    assert type(fifo_mixed(0.1, 0.8, 0.2)) is float
    assert separated(0.1, 0.8, 0.2, spare_share=[0.3, 0.5]).wa.shape == (2,)


def test_the_jedec_shares_sum_to_one_and_stay_as_they_are():
    for share in JESD219:
        assert share.sum() == pytest.approx(1)
        with pytest.raises(ValueError, match="read-only"):
            share[0] = 1


test_values_outside_the_domain_are_named = refusals([
    (lambda: fifo_mixed(0.1, 1.2, 0.2), "write_share must be .* <= 1, got 1.2"),
    (lambda: fifo_mixed(0.1, 0.8, 0), "space_share must be > 0 for a class that is written"),
    (lambda: fifo_mixed(0.1, [0.8, 0.3], [0.2, 0.8]), "write_share must sum to 1 .* got 1.1"),
    (lambda: fifo_mixed(0.1, [0.8, 0.2], 0.2), "must be two scalars or two arrays"),
    (lambda: fifo_mixed(0.1, [0.8, 0.2], [0.2, 0.3, 0.5]), r"shapes \(2,\) and \(3,\)"),
    (lambda: greedy_mixed(0.1, 0.8, 0.2, 1.5), "pages_per_block must be a whole number"),
    (lambda: separated(0.1, 0.8, 0.2, "best"), "policy must be .* got 'best'"),
    (lambda: separated(0.1, 0.8, 0.2, spare_share=1), "spare_share must be > 0 for a class"),
    (lambda: separated(0.1, [0.8, 0.2], [0.2, 0.8], spare_share=[1.0]), r"per class .* \(1,\)"),
    (lambda: separated(0.1, *JESD219, "greedy", 64, spare_share=[0.5, 0.5]),
     r"spare_share must have one value per class on the last axis, got shape \(2,\) for 3"),
])  # fmt: skip
