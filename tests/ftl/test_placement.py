"""Placement handles: named frontiers, isolated for a while or for good."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, strategies as st
from test_against_plain import follow, pair
from tiny_drives import phases, requests

from flashwear.ftl import Handles, State, simulate, verify
from flashwear.workloads import Logs
from proving import examples

ISOLATION = ("initially", "persistently")


@st.composite
def handled(draw):
    """Arguments of a State with 1 to 6 handles, some with no block beyond the fewest that work."""
    handles = Handles(tuple("abcdef"[: draw(st.integers(1, 6))]), draw(st.sampled_from(ISOLATION)),
                      draw(st.integers(1, 4)))  # fmt: skip
    pages = draw(st.integers(2, 6))
    unit = pages * handles.unit_blocks
    fewest = min(handles.frontiers, 2)
    reserve = draw(st.integers(fewest, fewest + 3))
    full = draw(st.integers(3, 15))
    user_pages = full * unit - draw(st.integers(0, unit - 1))
    blocks = full + handles.frontiers + reserve + draw(st.integers(0, 8))
    return {"user_pages": user_pages, "op": blocks * unit / user_pages - 1,
            "pages_per_block": pages, "frontier": handles, "reserve_blocks": reserve,
            "policy": draw(st.sampled_from(["greedy", "fifo", "cost_benefit"])),
            "wear_levelling": draw(st.sampled_from(["none", "dynamic", "static"])),
            "level_threshold": draw(st.integers(1, 4)),
            "endurance": draw(st.none() | st.integers(1, 12))}  # fmt: skip


def test_copies_are_counted_by_the_handle_whose_blocks_they_leave():
    names = Handles(("hot", "cold"), "persistently")
    drive = State(400, 0.3, pages_per_block=8, frontier=names, seed=2)
    owner, copies, random = {}, [0, 0], np.random.default_rng(2)
    later = random.integers(np.where(random.random(8000) < 0.8, 40, 400))
    for page in [*range(400), *later.tolist()]:
        for step in drive.write(page, int(page >= 40)):
            handle = int(page >= 40)
            if step.kind == "copy":
                handle = owner[step.source[0]]
                copies[handle] += 1
            if step.kind != "erase":
                owner[step.block] = handle
    counted = drive.arrays.cleaned.reshape(-1, 9) @ np.arange(9)
    assert counted.tolist() == copies
    assert min(copies) > 100


def test_a_snapshot_tells_what_each_block_holds_and_for_which_handle():
    drive = State(500, 0.5, pages_per_block=8, frontier=Handles(("even", "odd"), "persistently"))
    pages = np.random.default_rng(3).permutation(np.arange(5000) % 500)
    for page in pages.tolist():
        drive.write(page, page % 2)
    now = drive.snapshot()
    placed = np.array([drive.read(page)[0].block for page in range(500)])
    assert now.live.tolist() == np.bincount(placed, minlength=drive.blocks).tolist()
    assert now.frontier[placed].tolist() == [0, 1] * 250
    closed = now.status == "closed"
    assert ((now.age >= 0) == closed).all()
    assert now.age.max() > now.age[closed].min() >= 0
    assert (now.live[now.status == "free"] == 0).all()
    assert ((now.frontier < 0) == (now.status == "free")).all()
    assert sorted(now.frontier[now.status == "open"]) == [0, 1]
    assert now.erases.tolist() == drive.erases.tolist()
    assert not now.slc.any()


@examples(150)
@given(handled(), phases())
def test_every_operation_is_that_of_the_plain_model(arguments, load):
    state, plain = pair(arguments)
    follow(state, plain, requests(load, state))


@pytest.mark.parametrize("isolation", ISOLATION)
def test_each_of_128_handles_has_a_block_of_its_own(isolation):
    names = tuple(f"handle {i}" for i in range(128))
    drive = State(4000, 1.0, pages_per_block=8, frontier=Handles(names, isolation))
    blocks = {drive.write(i, name)[-1].block for i, name in enumerate(names)}
    assert len(blocks) == 128
    assert drive.write(5000 % 4000, "handle 127")[-1].block in blocks
    rng = np.random.default_rng(0)
    drive.run(rng.integers(4000, size=40_000) | rng.integers(128, size=40_000) << 40)
    assert drive.copies > 0
    verify(drive)


def test_logs_apart_need_no_copies_and_a_unit_of_several_blocks_is_one():
    load = Logs([0.7, 0.2, 0.1])
    arguments = {"user_pages": 6000, "op": 0.28, "pages_per_block": 32, "workload": load}
    assert simulate(**arguments).wa > 1.1
    for isolation in ISOLATION:
        handles = Handles(("a", "b", "c"), isolation)
        assert simulate(frontier=handles, check=True, **arguments).wa < 1.01
    one = State(600, 0.5, pages_per_block=4, frontier=Handles(("a",), unit_blocks=4))
    other = State(600, 0.5, pages_per_block=16, frontier=Handles(("a",)))
    pages = np.random.default_rng(0).integers(600, size=4000)
    assert one.run(pages) == other.run(pages) == 4000
    assert one.blocks == other.blocks
    assert (one.erases == other.erases).all()
    drive = State(600, 0.5, pages_per_block=8, frontier=Handles(("a", "b")))
    for again in (pickle.loads(pickle.dumps(drive)), copy.deepcopy(drive)):
        assert again.write(0, "b") == copy.deepcopy(drive).write(0, "b")


@pytest.mark.parametrize(("names", "more", "kind", "message"), [
    ((), {}, ValueError, "names must be 1 to 128 names"),
    (("a", "a"), {}, ValueError, "names must be .*none twice"),
    (tuple(map(str, range(129))), {}, ValueError, "names must be 1 to 128 names"),
    ("ab", {}, TypeError, "names must be a tuple of str, got 'ab'"),
    ((1, 2), {}, TypeError, "names must be a tuple of str"),
    (("a",), {"isolation": "never"}, ValueError, "isolation must be one of initially"),
    (("a",), {"unit_blocks": 0}, ValueError, "unit_blocks must"),
])  # fmt: skip
def test_what_can_be_no_handles_is_refused(names, more, kind, message):
    with pytest.raises(kind, match=message):
        Handles(names, **more)


def test_a_handle_that_the_drive_has_not_is_refused():
    drive = State(600, 0.5, pages_per_block=8, frontier=Handles(("a", "b")))
    with pytest.raises(ValueError, match="handle must be one of a, b, got 'c'"):
        drive.write(0, "c")
    with pytest.raises(ValueError, match="temperature must"):
        drive.write(0, 2)  # that of copies
    with pytest.raises(ValueError, match="temperatures below 2, got 2"):
        drive.run([2 << 40])
    with pytest.raises(ValueError, match="frontier must have a handle for each of 3 streams"):
        simulate(600, 0.5, pages_per_block=8, frontier=Handles(("a", "b")),
                 workload=Logs([0.5, 0.3, 0.2]))  # fmt: skip
