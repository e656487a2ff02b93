"""Zones against a plain list of pages, and against blocks that a drive cleans."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from flashwear import wa
from flashwear.ftl import Zones
from proving import examples
from refusals import refusals

ACTIONS = st.lists(st.tuples(st.sampled_from(["write", "write", "finish", "reset"]),
                             st.integers(0, 3), st.integers(1, 12)), max_size=40)  # fmt: skip


@examples(150)
@given(ACTIONS, st.integers(1, 12), st.integers(1, 5), st.integers(1, 4))
def test_zones_are_those_of_a_plain_list_of_pages(actions, capacity, superblock, limit):
    drive = Zones(4, capacity, superblock, limit)
    zones, closed = [[] for _ in range(4)], [False] * 4  # pages: True of the host, False padding
    programmed = erased = 0
    for action, zone, pages in actions:
        if action == "write":
            opened = [z for z in range(4) if zones[z] and not closed[z]]
            fits = not closed[zone] and len(zones[zone]) + pages <= capacity
            if not fits or (not zones[zone] and len(opened) >= limit):
                with pytest.raises(ValueError, match="must be"):
                    drive.write(zone, pages)
                continue
            drive.write(zone, pages)
            zones[zone] += [True] * pages
            programmed += pages
            closed[zone] = len(zones[zone]) == capacity
        elif action == "finish":
            drive.finish(zone)
            while (
                not closed[zone] and len(zones[zone]) < capacity and (len(zones[zone]) % superblock)
            ):
                zones[zone].append(False)
                programmed += 1
            closed[zone] = True
        else:
            drive.reset(zone)
            erased += len({place // superblock for place in range(len(zones[zone]))})
            zones[zone], closed[zone] = [], False
    assert drive.host_writes + drive.padded == programmed
    assert drive.erases.sum() == erased
    assert drive.open == [z for z in range(4) if zones[z] and not closed[z]]
    assert drive.pointer.tolist() == [sum(pages) for pages in zones]
    if drive.host_writes:
        assert drive.wear == erased * superblock / drive.host_writes
        assert drive.wa == programmed / drive.host_writes


def test_a_host_that_cleans_the_emptiest_zone_copies_as_a_drive_does():
    rng, size, user = np.random.default_rng(1), 64, 6_000
    drive = Zones(zones=120, capacity=size)
    held = [[] for _ in range(120)]  # pages in the order in which they were written
    place = np.full(user, -1)
    free, mine, copies = list(range(120)), None, 0

    def put(page):
        nonlocal mine
        if mine is None or drive.full[mine]:
            mine = free.pop()
        drive.write(mine, 1)
        held[mine].append(page)
        place[page] = mine

    start = 0
    for number, page in enumerate([*range(user), *rng.integers(user, size=60_000).tolist()]):
        if number == 36_000:
            start, copies = number, 0
        put(page)
        while len(free) < 2:
            live = np.bincount(place[place >= 0], minlength=120)
            live[[mine, *free]] = size + 1
            victim = int(live.argmin())
            for other in [page for page in dict.fromkeys(held[victim]) if place[page] == victim]:
                copies += 1
                put(other)
            held[victim] = []
            drive.reset(victim)
            free.append(victim)
    measured = 1 + copies / (number + 1 - start)
    assert measured == pytest.approx(wa.greedy((120 - 2) * size / user - 1, size), rel=0.02)
    assert drive.wear == pytest.approx(1, abs=0.05)  # of all that it wrote, copies too
    assert drive.wa == 1


test_what_cannot_be_is_refused = refusals([
    (lambda: Zones(0, 8), "zones must be"),
    (lambda: Zones(4, 0), "capacity must be"),
    (lambda: Zones(4, 8, 0), "superblock must be"),
    (lambda: Zones(4, 8, open_limit=5), "open_limit must be"),
    (lambda: Zones(4, 8).write(4, 1), "zone must be"),
    (lambda: Zones(4, 8).write(0, 9), "pages must be"),
])  # fmt: skip
