"""What named streams gain, and where they cost: the kept tables and the published test."""

import pytest

from flashwear_book.runs import handles, kept_result

LOGS = kept_result("handles_log").table.set_index(["random_share", "op", "way"])


def test_pages_named_at_random_and_copies_that_go_back_to_a_log_cost_copies():
    runs = [handles.two_classes(0.9, 0.1, 0.28, "cost_benefit", "persistently", wrong, 20_000, 1)
            for wrong in (0.0, 0.5, 1.0)]  # fmt: skip
    # seen 1.40 by a closed form of 1.40, 2.2 and 2.8 by a closed form without names of 3.3
    assert runs[0]["wa"] == pytest.approx(runs[0]["separated"], rel=0.03)
    assert runs[0]["wa"] + 0.5 < runs[1]["wa"] < runs[2]["wa"] - 0.3
    assert runs[2]["wa"] < runs[2]["mixed"]
    for op, most in ((0.07, 0.02), (0.15, 0.07), (0.28, 0.1)):
        row = LOGS.loc[most, op, "initially"]
        # seen within 1 %; nothing is fitted
        assert row.wa == pytest.approx(row.form, rel=0.02)
        assert LOGS.wa[most, op, "single"] > 2
    assert LOGS.wa[0.1, 0.07, "persistently"] > 2 * LOGS.wa[0.1, 0.07, "initially"]
    # another size and seed
    again = handles.log_and_random(0.1, 0.07, "persistently", 0.5, 65_536, seed=9)
    assert again["wa"] > 2 * LOGS.wa[0.1, 0.07, "initially"]
