import re

import numpy as np
import pytest
from drawing import TRACE, drawn, operation, page, temperature

from flashwear.workloads import READ, RECORD, TRIM, WRITE, Replay, Span


def test_a_trace_is_replayed_page_by_page_as_it_was_given_on_drives_that_hold_it():
    # written out by hand from TRACE
    pages = [3, 4, 5, 6, 7, 0, 4, 5, 90]
    operations = [WRITE] * 5 + [READ] + [TRIM] * 2 + [WRITE]
    requests = drawn(Replay(TRACE, repeat=2), 100, 91)
    assert page(requests).tolist() == pages * 2
    assert operation(requests).tolist() == operations * 2
    assert not temperature(requests).any()
    given_array = np.array(TRACE)
    records = np.array([tuple(row) for row in TRACE], RECORD)
    by_columns, by_records = Replay(given_array), Replay(records)
    given_array[:], records["page"] = 0, 0
    for workload in (by_columns, by_records):
        assert workload.trace.tolist() == [tuple(row) for row in TRACE]
        assert not workload.trace.flags.writeable
        assert workload.pages_needed == 91
    assert Replay(by_records.trace).trace is by_records.trace
    with pytest.raises(ValueError, match="user_pages must be >= 91, which the trace needs, got 90"):
        Replay(TRACE).stream(90, 0)
    with pytest.raises(ValueError, match="user_pages must be >= 91"):
        Span(Replay(TRACE), 0.5).stream(100, 0)


def test_a_replay_ends_and_stays_ended_and_a_long_record_goes_over_batches():
    stream = Replay([[WRITE, 0, 10]]).stream(10, 0)
    batch = np.full(7, -1)
    assert [stream.fill(batch), stream.fill(batch)] == [7, 3]
    assert batch.tolist() == [7, 8, 9, 3, 4, 5, 6]
    assert [stream.fill(batch), stream.fill(batch)] == [0, 0]
    assert batch.tolist() == [7, 8, 9, 3, 4, 5, 6]
    stream = Replay([[WRITE, 5, 2**31]]).stream(2**32 - 1, 0)
    batch = np.empty(1000, np.int64)
    for start in (5, 1005):
        assert stream.fill(batch) == 1000
        np.testing.assert_array_equal(batch, np.arange(start, start + 1000))


@pytest.mark.parametrize(("trace", "message"), [
    ([[3, 0, 1]], "operation >= 0 and <= 2, got 3 in record 0"),
    ([[0, -1, 1]], "page >= 0 and <= 1099511627775, got -1"),
    ([[0, 2**40, 1]], "page >= 0 and <= 1099511627775, got 1099511627776"),
    (np.array([[0, 2**63, 1]], np.uint64), "page .* got 9223372036854775808"),
    ([[0, 0, 0]], "count >= 1 and <= 1099511627776, got 0"),
    ([[0, 0, 2**41]], "count >= 1 and <= 1099511627776, got 2199023255552"),
    ([[0.0, 0.0, 1.0]], "three columns, got float64"),
    ([[0, 0]], re.escape("got int64 of shape (1, 2)")),
    (np.empty((0, 3), int), "hold at least one record, got none"),
    ("trace.csv", "three columns"),
])  # fmt: skip
def test_a_bad_trace_is_refused(trace, message):
    with pytest.raises(ValueError, match=f"trace must .*{message}"):
        Replay(trace)
