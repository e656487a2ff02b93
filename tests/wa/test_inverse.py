import numpy as np
import pytest
from hypothesis import given, strategies as st

from flashwear import wa
from refusals import refusals

HOT = {"write_share": 0.8, "space_share": 0.2}
CLASSES = dict(zip(("write_share", "space_share"), wa.JESD219, strict=True))
MODELS = [
    (wa.fifo, {}), (wa.fifo_small_op, {}), (wa.greedy, {"pages_per_block": 64}),
    (wa.greedy_desnoyers, {"pages_per_block": 64}), (wa.random, {}), (wa.agarwal_marrow, {}),
    (wa.xiang_kurkoski, {}), (wa.fifo_mixed, HOT), (wa.fifo_mixed, CLASSES),
    (wa.greedy_mixed, {**HOT, "pages_per_block": 64}), (wa.separated, HOT),
    (wa.separated, {**CLASSES, "policy": "greedy", "pages_per_block": 64}),
    (wa.square_root_wa, HOT),
    (wa.slc_cache, {"cache_share": 0.02}), (wa.d_choices, {"d": 10, "pages_per_block": 32}),
]  # fmt: skip


@pytest.mark.parametrize(("model", "arguments"), MODELS)
def test_the_model_at_the_result_has_the_target(model, arguments):
    target = np.array([1.05, 1.3, 2.0, 7.0])
    value = model(wa.op_for(target, model, **arguments), **arguments)
    # 1e-12 as stated, plus the 1e-9 of an iterated mean field
    limit = 1e-9 if model is wa.d_choices else 1e-12
    np.testing.assert_allclose(getattr(value, "wa", value), target, rtol=limit)


@given(st.floats(1.0001, 1e5))
def test_random_cleaning_and_a_very_large_target_are_inverted_by_hand(target):
    # 1/(2 op) + 2/3, whose first term left out is of the order of op, against a target of 1e8
    assert wa.op_for(1e8) == pytest.approx(0.5 / (1e8 - 2 / 3), rel=1e-12)
    # the target less 1 has lost up to 4 digits at 1.0001
    assert wa.op_for(target, wa.random) == pytest.approx(1 / (target - 1), rel=1e-11)


def test_arguments_broadcast_with_the_target_and_none_is_asked_far_below_the_root():
    target = np.array([[1.5], [2.0], [3.0]])
    ops = wa.op_for(target, wa.greedy, pages_per_block=[16, 256])
    assert ops.shape == (3, 2)
    assert ops[1, 1] == pytest.approx(wa.op_for(2.0, wa.greedy, pages_per_block=256), rel=1e-12)
    two_loads = wa.op_for(
        2.0, wa.fifo_mixed, write_share=[[0.5, 0.5], [0.8, 0.2]], space_share=[0.3, 0.7]
    )
    assert two_loads.shape == (2,)
    assert type(wa.op_for(2.0)) is float
    assert wa.op_for([2.0, 3.0]).shape == (2,)
    # with 64 pages per block this one settles down to op = 0.001 only
    load = {"d": 10, "pages_per_block": 64, **HOT}
    found = wa.op_for(8, wa.d_choices_mixed, **load)
    assert 0.06 < found < 0.07
    assert wa.d_choices_mixed(found, **load) == pytest.approx(8, rel=1e-9)
    # 16/15 (1 + op)/op = 3 at 16/29; 1.067 is out of reach, 1.08 far up at 80
    found = wa.op_for([[3], [1.08]], lambda op: wa.random(op) * 16 / 15)
    np.testing.assert_allclose(found, [[16 / 29], [80]], rtol=1e-9)
    # the cache writes too: 1 is for it, and the main area gets down to 1 far above op = 1
    both = wa.op_for(2, wa.slc_waf, cache_share=0.05)
    assert wa.slc_waf(both, 0.05) == pytest.approx(2, rel=1e-12)
    assert both > 1


@pytest.mark.parametrize("own", [
    lambda op: wa.trim_op(op, 0.1),
    lambda op: wa.parity_op(op, 15),  # stripes of 15 + 1 need op >= 1/15, where fifo() has no limit
])  # fmt: skip
def test_a_model_of_ones_own_is_inverted_above_its_own_floor(own):
    found = wa.op_for(2.0, lambda op: wa.fifo(own(op)))
    assert own(found) == pytest.approx(wa.op_for(2.0), rel=1e-12)


test_what_no_op_gives_is_refused = refusals([
    (lambda: wa.op_for(float("inf")), "target_wa .* got inf"),
    # the write amplification of 16 pages per block stays below 16
    (lambda: wa.op_for([2, 20], wa.greedy, pages_per_block=16), "in the model's reach .* got 20"),
    (lambda: wa.op_for(5, wa.slc_cache, cache_share=0.2), "reach for op >= 1e-06, got 5"),
    # trimmed, even a drive without any spare writes less than this
    (lambda: wa.op_for(9.0, lambda op: wa.fifo(wa.trim_op(op, 0.1))), "in the model's reach"),
    (lambda: wa.op_for([3, 1.05], lambda op: wa.random(op) * 16 / 15), "op <= 1e\\+06, got 1.05"),
    # what the cache lets through is written, however much is spare: 1 + exp(-0.05)
    (lambda: wa.op_for(1.95, wa.slc_waf, cache_share=0.05), "reach for op <= 1e\\+06, got 1.95"),
    (lambda: wa.op_for(2, lambda op: np.nan * op), "in the model's reach .* got 2"),
])  # fmt: skip
