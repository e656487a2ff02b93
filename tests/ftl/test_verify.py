"""verify() lets a sound drive pass, and finds each kind of damage done to one."""

import numpy as np
import pytest

from flashwear.ftl import State, arrays, verify
from flashwear.workloads import OPERATION_SHIFT, TRIM

PAGE, OTHER = 100, 101  # two pages that hold data


def used_drive():
    """Return a drive with free, open, closed and retired blocks, and pages that were trimmed."""
    limits = np.where(np.arange(120) % 40 == 7, 2, 1_000)
    state = State(600, op=0.6, pages_per_block=8, frontier="gc", endurance=limits, reserve_blocks=4)
    rng = np.random.default_rng(0)
    state.run(np.concatenate((rng.permutation(600), rng.integers(600, size=3_000))))
    state.run(np.arange(0, 60, 7) | TRIM << OPERATION_SHIFT)
    assert set(state.arrays.block["status"]) == {0, 1, 2, 3}
    return state


def block_of(a, page):
    return a.l2p[page] >> a.rules.shift


def first(a, status):
    return int(np.flatnonzero(a.block["status"] == status)[0])


def count(name, by=1):
    def change(a):
        a.counts[name] += by

    return change


def put(field, where, value):
    """Return a change of an array, or of a field of the blocks' records."""

    def change(a):
        array = a.block[field] if field in arrays.BLOCK.names else getattr(a, field)
        array[where(a) if callable(where) else where] = value(a) if callable(value) else value

    return change


def oldest(a):
    return a.oldest[arrays.MAIN]


def newest(a):
    return a.newest[arrays.MAIN]


def slide(a):
    a.position[0] += 1
    a.stop[0] += 1


def one_live_page_to_another_block(a):
    full = np.flatnonzero(a.block["status"] == arrays.CLOSED)
    a.valid[full[0]] -= 1
    a.valid[full[-1]] += 1


def a_cleaning_of_more_pages(a):
    a.cleaned[3] -= 1
    a.cleaned[4] += 1


def no_note_of_the_emptiest(a):
    few = np.flatnonzero((a.block["status"] == arrays.CLOSED) & (a.valid < a.counts.threshold))
    assert few.size
    a.node_block[a.node_block == few[0]] = oldest(a) if oldest(a) != few[0] else newest(a)


def stack_to_a_ring(a):
    top = a.head.max()
    a.node_next[top] = top


DAMAGE = {
    "a page mapped where another lies": put("l2p", PAGE, lambda a: a.l2p[OTHER]),
    "a page mapped nowhere": put("l2p", PAGE, -1),
    "a page mapped beyond the last slot": put("l2p", PAGE, 2**30),
    "a page mapped before the first slot": put("l2p", PAGE, -7),
    "a trimmed page mapped": put("l2p", 0, lambda a: a.l2p[PAGE]),
    "a page beyond the last": put("l2p", 600, 0),
    "a slot that holds another page": put("p2l", lambda a: a.l2p[PAGE], OTHER),
    "a block that counts a page less": put("valid", lambda a: block_of(a, PAGE),
                                           lambda a: a.valid[block_of(a, PAGE)] - 1),
    "live pages counted in the wrong block": one_live_page_to_another_block,
    "a block with data in the pool": put("pool", 0, lambda a: block_of(a, PAGE)),
    "a block twice in the pool": put("pool", 1, lambda a: a.pool[0]),
    "a pool too short": count("free", -1),
    "a full block called free": put("status", oldest, arrays.FREE),
    "a free block called closed": put("status", lambda a: a.pool[0], arrays.CLOSED),
    "a retired block called free": put("status", lambda a: first(a, arrays.RETIRED), arrays.FREE),
    "a good block too many": count("good"),
    "a frontier on a closed block": put("opened", 0, oldest),
    "two frontiers exchanged": put("opened", [0, 1], lambda a: a.opened[[1, 0]]),
    "a frontier that skips a slot": put("position", 0, lambda a: a.position[0] + 1),
    "a frontier beside its block": slide,
    "an open block of the wrong frontier": put("frontier_of", lambda a: a.opened[0], 1),
    "the order broken forwards": put("newer", oldest, -1),
    "the order closed to a ring": put("newer", newest, oldest),
    "the order broken backwards": put("older", newest, -1),
    "the order without its start": put("oldest", arrays.MAIN, newest),
    "the order without its end": put("newest", arrays.MAIN, oldest),
    "a block that closed after the newest": put("stamp", oldest, 10**9),
    "an erase of a block too many": put("erases", 0, lambda a: a.block["erases"][0] + 1),
    "an erase too many": count("erases"), "a cleaning of more pages": a_cleaning_of_more_pages,
    "a copy too many": count("copies"), "a host write too many": count("host_writes"),
    "a mapped page too many": count("mapped"),
    "a block worn at no price": put("wear", 0, lambda a: a.block["wear"][0] + 0.5),
    "a block retired before its limit": put("limit", lambda a: first(a, arrays.RETIRED), 1e9),
    "a block in service past its limit": put("limit", oldest, 0.5),
    "a release too many": count("releases"), "a page of parity too many": count("parity"),
    "trims of pages never written": count("trims", 10**6),
    "trims below none": count("trims", -(10**6)),
    "more copies of levelling than copies": count("levelled", 10**6),
    "a pool in the wrong order": put("pool_key", [0, 1], lambda a: a.pool_key[[1, 0]]),
    "two free blocks released at once": put("pool_key", 0, lambda a: a.pool_key[1]),
    "a free block released in the future": put("pool_key", 1, 10**9),
    "a block on no stack": no_note_of_the_emptiest, "a stack closed to a ring": stack_to_a_ring,
    "a stack that ends beyond all nodes": put("node_next", lambda a: a.head.max(), 10**6),
    "a node that is lost": put("counts", "spare_node", lambda a: a.node_next[a.counts.spare_node]),
    "a lowest stack above the emptiest block": count("lowest", 10**6)}  # fmt: skip


def test_a_sound_drive_passes_and_the_message_names_page_and_slot():
    verify(used_drive())
    verify(State(5, op=5, pages_per_block=2))
    state = used_drive()
    slot = int(state.arrays.l2p[OTHER])
    state.arrays.l2p[PAGE] = slot
    with pytest.raises(AssertionError, match=f"page {PAGE} is mapped to slot {slot}, .* {OTHER}$"):
        verify(state)


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_damage_is_found(damage):
    state = used_drive()
    damage(state.arrays)
    with pytest.raises(AssertionError):
        verify(state)
