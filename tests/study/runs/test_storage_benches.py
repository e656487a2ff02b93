"""The study of the storage benches at a small scale."""

import pytest

from flashwear.study.runs.storage_benches import storage_bench


def test_a_point_is_the_same_each_time_and_its_shares_are_shares():
    one, other = (storage_bench("m600-256gb", "light empty", 3, 1.0) for _ in range(2))
    assert one == other
    for name in ("over_10ms", "over_100ms", "cache_share"):
        assert 0 <= one[name] <= 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("m600-256gb", "medium empty", 0, 1.0), "case must be one of"),
        (("m600-256gb", "light empty", -1, 1.0), "draw must be"),
        (("m600-256gb", "light empty", 0, 0.0), "coarser must be"),
        (("no drive", "light empty", 0, 1.0), "name must be one of"),
    ],
)
def test_bad_points_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        storage_bench(*arguments)
