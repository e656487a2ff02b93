"""What a trace writes, summed up: against counting by hand and loads of known shares."""

import io
import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

from flashwear import workloads as w
from flashwear.traces import read_fio, summary

ACTIONS = {w.WRITE: "write", w.TRIM: "trim", w.READ: "read"}


def as_trace(records):
    lines = [f"sda {ACTIONS[op]} {4096 * page} {4096 * count}" for op, page, count in records]
    return read_fio(io.BytesIO("\n".join(["fio version 2 iolog", *lines]).encode()))


def drawn(load, pages, writes_per_page, seed=1):
    requests = np.empty(pages * writes_per_page, np.int64)
    load.stream(pages, seed).fill(requests)
    records = np.ones(requests.size, w.RECORD)
    records["operation"], records["page"] = w.WRITE, requests & w.PAGE_MASK
    return replace(as_trace([(w.WRITE, 0, 1)]), records=records)


@given(st.lists(
    st.tuples(st.sampled_from([w.WRITE, w.WRITE, w.TRIM, w.READ]), st.integers(0, 30),
              st.integers(1, 9)),
    max_size=25,
))  # fmt: skip
def test_counts_are_those_of_every_page_by_itself(records):
    trace = as_trace(records)
    written = [p for op, page, count in records if op == w.WRITE for p in range(page, page + count)]
    if not written:
        with pytest.raises(ValueError, match="trace must hold a write, got none"):
            summary(trace)
        return
    found = summary(trace)
    times = np.unique(written, return_counts=True)[1]
    assert (found.page_writes, found.pages) == (len(written), times.size)
    assert found.writes_per_page.tolist() == np.unique(times).tolist()
    assert found.pages_with.tolist() == np.unique(times, return_counts=True)[1].tolist()
    follows = sum(b == a + 1 for a, b in itertools.pairwise(written))
    assert found.sequential_share == pytest.approx(follows / len(written))
    assert found.mean_run == pytest.approx(len(written) / (len(written) - follows))
    assert 0 <= found.space_share <= 1
    assert 0 <= found.write_share <= 1
    assert found.write_share >= found.space_share - 1e-9


@pytest.mark.parametrize("shares", [(0.8, 0.2), (0.95, 0.05), (0.9, 0.1)])
@pytest.mark.parametrize("writes_per_page", [2, 20])
def test_hot_and_cold_are_found_among_the_pages_written(shares, writes_per_page):
    pages = 20_000
    found = summary(drawn(w.HotCold(*shares), pages, writes_per_page))
    rates = writes_per_page * np.array([shares[0] / shares[1], (1 - shares[0]) / (1 - shares[1])])
    seen = pages * np.array([shares[1], 1 - shares[1]]) * -np.expm1(-rates)
    assert found.pages == pytest.approx(seen.sum(), rel=0.01)
    assert found.write_share == pytest.approx(shares[0], abs=0.01)
    assert found.space_share == pytest.approx(seen[0] / seen.sum(), abs=0.01)


@pytest.mark.parametrize("exponent", [0.5, 0.99, 1.5])
def test_the_exponent_of_zipf_is_found(exponent):
    # ranks by count are a little steeper than the true ones where counts are small
    assert summary(drawn(w.Zipf(exponent), 5000, 50)).exponent == pytest.approx(exponent, abs=0.02)


def test_even_writes_have_no_hot_kind_and_writes_in_order_are_one_run_each_time_round():
    for writes in (10, 30, 100):
        found = summary(drawn(w.Uniform(), 5000, writes))
        assert found.write_share == pytest.approx(found.space_share, abs=0.03)
        assert found.exponent == pytest.approx(0.8 / writes**0.5, rel=0.15)
    found = summary(drawn(w.Sequential(), 1000, 5))
    assert found.mean_run == 1000
    assert found.sequential_share == pytest.approx(0.999)
    assert found.exponent == pytest.approx(0, abs=1e-4)
    assert found.write_share == pytest.approx(found.space_share)
    found = summary(as_trace([(w.WRITE, 0, 2**40), (w.WRITE, 5, 1)]))
    assert found.pages == 2**40
    assert found.writes_per_page.tolist() == [1, 2]
    assert found.pages_with.tolist() == [2**40 - 1, 1]


@pytest.mark.parametrize(
    "record", [(w.WRITE, 2**40, 1), (w.WRITE, 5, 2**40), (w.WRITE, -1, 1), (w.WRITE, 0, 0)]
)
def test_pages_beyond_the_address_space_are_refused(record):
    one = as_trace([(w.WRITE, 0, 1)])
    with pytest.raises(ValueError, match=r"pages of a trace must be in \[0, 2\*\*40\)"):
        summary(replace(one, records=np.array([record], w.RECORD)))
