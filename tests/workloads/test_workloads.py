import numpy as np
import pytest
from drawing import (
    ALL,
    RANDOM,
    TRACE,
    assert_distribution,
    assert_share,
    drawn,
    operation,
    page,
    temperature,
)
from hypothesis import given, strategies as st

from flashwear import wa, workloads
from flashwear.workloads import (
    JESD219,
    PAGE_MASK,
    READ,
    TRIM,
    WRITE,
    HotCold,
    Mixed,
    Replay,
    Sequential,
    Span,
    Trimmed,
    Uniform,
    Zipf,
)
from flashwear_book import tables
from refusals import refusals


@pytest.mark.parametrize("workload", ALL, ids=repr)
def test_requests_do_not_depend_on_how_they_are_cut(workload):
    # more than two of the batches that composite streams take ahead
    whole = drawn(workload, 20_000, 1000)
    cut = drawn(workload, 20_000, 1000, batches=[1, 7, 4096, 0, 8191, 8192, 3])
    assert whole.size == 20_000
    np.testing.assert_array_equal(whole, cut)


@pytest.mark.parametrize("workload", RANDOM, ids=repr)
def test_a_seed_repeats_its_requests_and_another_gives_others(workload):
    first, again, other = (drawn(workload, 2000, 100_000, seed=seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(first, again)
    assert (first != other).mean() > 0.1


@given(st.sampled_from(ALL), st.integers(91, 5000), st.integers(0, 2**70), st.booleans())
def test_every_request_is_a_page_a_class_and_an_operation_that_exist(workload, pages, seed, in_use):
    requests = drawn(workload, 500, pages, seed=seed, in_use=in_use)
    assert requests.size == 500
    assert page(requests).max() < pages
    assert temperature(requests).max() < workload.temperatures
    assert set(operation(requests)) <= {WRITE, TRIM, READ}
    assert requests.min() >= 0


def test_every_page_has_its_share_also_of_the_largest_drive_and_of_small_classes():
    requests = drawn(Uniform(), 1_000_000, 30)
    assert_distribution(requests[::2] * 30 + requests[1::2], np.full(900, 1 / 900))
    pages = 2**32 - 1
    requests = drawn(Uniform(), 1_000_000, pages)
    assert_distribution(requests * 64 // pages, np.full(64, 1 / 64))
    # none of the last 2**-15 of the pages: a chance of exp(-30)
    assert requests.max() > pages * (1 - 2**-15)
    requests = drawn(HotCold((0.5, 0.5), (0.5, 0.5)), 1000, 10)
    np.testing.assert_array_equal(temperature(requests), page(requests) < 5)
    assert (drawn(HotCold((0.3, 0.7, 0), (0.2, 0.3, 0.5)), 100_000, 100) & PAGE_MASK).max() == 49
    assert (drawn(HotCold((0, 1), (0.9, 0.1)), 100_000, 100) & PAGE_MASK).min() == 90
    assert set(page(drawn(HotCold(1, 1), 1000, 3))) == {0, 1, 2}
    requests = drawn(HotCold((0.4, 0.3, 0.2, 0.1), (0.49, 0.01, 0.01, 0.49)), 10_000, 10)
    owners = [set(temperature(requests[page(requests) == p]).tolist()) for p in range(10)]
    # the second and third are the hottest, and end at the pages after 4.9
    assert owners == [{1}] * 5 + [{3}, {2}] + [{0}] * 3


@pytest.mark.parametrize(("write", "space"), [
    (0.8, 0.2),
    ((0.5, 0.3, 0.2), (0.05, 0.15, 0.8)),
    ((0.1, 0.0, 0.6, 0.3), (0.4, 0.3, 0.1, 0.2)),
    (tuple(np.arange(1, 257) / 32896), (1 / 256,) * 256),
])  # fmt: skip
def test_each_class_gets_its_share_of_writes_spread_evenly_over_its_share_of_pages(write, space):
    pages = 12_800
    requests = drawn(HotCold(write, space), 1_000_000, pages)
    shares = np.atleast_1d(write), np.atleast_1d(space)
    if len(shares[0]) == 1:
        shares = tuple(np.append(share, 1 - share) for share in shares)
    sizes = np.rint(shares[1] * pages).astype(int)
    kind = np.repeat(np.arange(sizes.size), sizes)[page(requests)]
    assert_distribution(kind, shares[0])
    assert_distribution(page(requests), np.repeat(shares[0] / sizes, sizes))
    # by hand: the rank of the writes per page, coldest first
    heat = shares[0] / sizes
    rank = np.array([(heat < h).sum() for h in heat])
    np.testing.assert_array_equal(temperature(requests), rank[kind])


@pytest.mark.parametrize("space", [(0.98, 0.01, 0.01), (0.01, 0.98, 0.01), (0.01, 0.01, 0.98)])
@pytest.mark.parametrize("pages", [3, 4, 10])
def test_every_class_of_a_small_drive_has_a_page(space, pages):
    requests = drawn(HotCold((0.4, 0.3, 0.3), space), 1000, pages)
    kind = np.unique(temperature(requests))
    assert kind.tolist() == [0, 1, 2]
    # the large class has all the others
    owners = {p: set(temperature(requests[page(requests) == p])) for p in range(pages)}
    assert all(len(classes) == 1 for classes in owners.values())
    sizes = sorted(sum(classes == {k} for classes in owners.values()) for k in kind.tolist())
    assert sizes == [1, 1, pages - 2]


def test_names_stand_for_workloads_which_read_as_they_are_written():
    assert workloads.by_name("jesd219") is JESD219
    np.testing.assert_array_equal(JESD219.write_share, wa.JESD219[0])
    np.testing.assert_array_equal(JESD219.space_share, wa.JESD219[1])
    assert JESD219.temperatures == 3
    assert workloads.named("uniform") == workloads.by_name("uniform") == Uniform()
    assert workloads.named("sequential") == Sequential()
    assert workloads.named("jesd219") == JESD219
    mine = Zipf(1.1)
    assert workloads.named(mine) is mine
    for workload in RANDOM:
        assert eval(repr(workload)) == workload
    assert repr(Replay(TRACE)) == "Replay(<4 records>, repeat=1)"
    array = HotCold(np.array([0.5, 0.5]), [0.2, 0.8])
    assert array == HotCold((0.5, 0.5), (0.2, 0.8))
    assert hash(array) == hash(HotCold((0.5, 0.5), (0.2, 0.8)))
    assert Uniform().temperatures == Zipf(1).temperatures == Replay(TRACE).temperatures == 1
    for make in (lambda w: Mixed(w, 0.5), lambda w: Span(w, 0.5), lambda w: Trimmed(w, 0.1)):
        assert make(JESD219).temperatures == 3
    for load in tables.loads().itertuples():
        requests = np.empty(100, np.int64)
        assert workloads.named(load.workload).stream(1000, seed=0).fill(requests) == 100


@pytest.mark.parametrize("exponent", [1e-9, 0.99, 1 - 1e-9, 1.0, 1 + 1e-9, 2.5, 20.0])
@pytest.mark.parametrize("pages", [2, 1000])
def test_zipf_has_the_probabilities_of_its_ranks(exponent, pages):
    weight = np.arange(1, pages + 1) ** -exponent
    # enough draws to see one per cent more or less of the first rank's weight
    assert_distribution(drawn(Zipf(exponent), 2_000_000, pages), weight / weight.sum())


@pytest.mark.parametrize("exponent", [0.5, 1.0, 1.5])
def test_zipf_on_the_largest_drive(exponent):
    pages, count = 2**32 - 1, 400_000
    requests = drawn(Zipf(exponent), count, pages)
    below = 1000
    head = np.arange(1, below) ** -exponent

    def rest(first):
        """The sum from rank `first` on by Euler and Maclaurin: off by less than first**-3."""
        x = np.array([first, pages + 0.0])
        area = np.log(x) if exponent == 1 else x ** (1 - exponent) / (1 - exponent)
        end, slope = x**-exponent, exponent * x ** (-exponent - 1)
        return area[1] - area[0] + end.sum() / 2 + (slope[0] - slope[1]) / 12

    total = head.sum() + rest(below)
    middle = pages // 2
    assert_share((requests == 0).sum(), count, 1 / total)
    assert_share((requests < below - 1).sum(), count, head.sum() / total)
    assert_share((requests >= middle - 1).sum(), count, rest(middle) / total)
    assert requests.max() < pages


@pytest.mark.parametrize("exponent", [50.0, 1000.0, 1e300])
def test_zipf_with_a_huge_exponent_is_its_first_page(exponent):
    # rank 2 has a probability below 2**-50
    assert not drawn(Zipf(exponent), 10_000, 2**32 - 1).any()


test_bad_input_is_refused = refusals([
    (lambda: HotCold(1.2, 0.2), "write_share must be a finite number >= 0 and <= 1, got 1.2"),
    (lambda: HotCold(0.5, 0), "space_share must be > 0 for a class that is written"),
    (lambda: HotCold((0.5, 0.4), (0.5, 0.5)), "write_share must sum to 1"),
    (lambda: HotCold((1.0,), (0.5, 0.5)), "write_share and space_share must be two scalars"),
    (lambda: HotCold([1 / 257] * 257, [1 / 257] * 257), "at most 256 classes"),
    (lambda: Zipf(0), "exponent must be a finite number > 0, got 0"),
    (lambda: Zipf([1.0, 2.0]), "exponent must be one number"),
    (lambda: Mixed("uniform", 0.5), "random must be a Workload, got 'uniform'"),
    (lambda: Span(Uniform(), 0), "share must be a finite number > 0 and <= 1, got 0"),
    (lambda: Span(None, 0.5), "workload must be a Workload, got None"),
    (lambda: Trimmed(Uniform(), 0.5), "trim_share must be < 0.5, got 0.5"),
    (lambda: Trimmed(Uniform(), -0.1), "trim_share must be a finite number >= 0, got -0.1"),
    (lambda: Trimmed(Uniform, 0.1), "workload must be a Workload"),
    (lambda: Replay(TRACE, repeat=0), "repeat must be a whole number >= 1, got 0"),
    (lambda: workloads.by_name("zipf"), "one of jesd219, sequential, uniform, got 'zipf'"),
    *((lambda pages=pages: Uniform().stream(pages, 0),
       f"user_pages must be a whole number .* got {pages!r}") for pages in (0, 2**32, 1.5, "7")),
    (lambda: Sequential().stream(10, -1), "seed must be a whole number >= 0, got -1"),
    (lambda: Sequential().stream(10, 0.5), "seed must be a whole number >= 0, got 0.5"),
    *((lambda array=array: Uniform().stream(10, 0).fill(array),
       "requests must be a contiguous array of int64")
      for array in (np.zeros(4), np.zeros(4, "i4"), np.zeros((2, 2), int), np.zeros(8, int)[::2])),
    (lambda: JESD219.stream(2, 0), "user_pages must be >= 3, the number of classes, got 2"),
    (lambda: workloads.named([]), r"one of jesd219, sequential, uniform, got \[\]"),
])  # fmt: skip
