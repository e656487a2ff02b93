"""Requests of the queueing model in compiled code: issue, map, reads, and the write buffer."""

import numpy as np

from flashwear._compiled import inlined, inner
from flashwear.ftl.arrays import Arrays, prefetch
from flashwear.ftl.steps import unmap
from flashwear.queueing.requests import COUNT_MASK, COUNT_SHIFT, KIND_SHIFT, SECTOR_MASK
from flashwear.queueing.twin._cache import waits_for_turn
from flashwear.queueing.twin._stations import (
    AHEAD,
    CONTROLLER,
    DATA,
    LINK,
    MAP,
    MODIFY,
    Machine,
    at,
    clock,
    join,
    join_link,
    read,
    read_ns,
    sectors_of,
    wire_ns,
)
from flashwear.workloads import READ, WRITE


@inlined
def unit_of(m: Machine, sector: int) -> int:
    """Return the map unit of a sector."""
    if m.sector_shift >= 0:
        return sector >> m.sector_shift
    return sector // m.plan.unit_sectors


@inlined
def issue(m: Machine, slot: int, since: int, now: int) -> bool:
    """Issue the next request, wanted since `since` ns, in a slot; return False if none is left."""
    number = m.state.issued
    if number == m.plan.last_request or m.state.next_word == m.state.words_end:
        return False  # all are issued, or the batch is used up
    word = m.words[m.state.next_word]
    m.state.next_word += 1
    m.state.issued = number + 1
    kind = word >> KIND_SHIFT
    sector = word & SECTOR_MASK
    page = unit_of(m, sector)
    m.op[slot].kind = kind
    m.op[slot].word = word
    m.op[slot].page = page
    m.op[slot].units = unit_of(m, sector + (word >> COUNT_SHIFT & COUNT_MASK) - 1) - page + 1
    m.op[slot].since = since
    m.op[slot].number = number
    if m.kinds.size:
        m.kinds[number] = kind
    ahead = m.words[m.state.next_word + AHEAD] & SECTOR_MASK
    prefetch(m.l2p, unit_of(m, ahead))
    m.op[slot].rest = 0
    m.op[slot].parts = 1
    if kind == WRITE:
        service = wire_ns(m, sectors_of(m, slot))
        if m.plan.write_unit_ns and m.op[slot].units > 1:
            first = (page + 1) * m.plan.unit_sectors - sector
            split(m, slot, service - wire_ns(m, first))
        join(m, LINK, slot, service - m.op[slot].rest, now)
    elif kind == READ:
        split(m, slot, (m.op[slot].units - 1) * m.plan.read_unit_ns)
        join(m, CONTROLLER, slot, m.plan.read_command_ns + m.plan.read_unit_ns, now)
    else:
        join(m, CONTROLLER, slot, m.plan.write_command_ns, now)
    return True


@inlined
def split(m: Machine, slot: int, rest: int) -> None:
    """Let a request go on `rest` ns before its station has finished serving it."""
    if rest > 0:
        m.op[slot].rest = rest
        m.op[slot].parts = 2


@inner
def issue_arrived(m: Machine, now: int) -> None:
    """Issue requests that have arrived, as long as slots are free."""
    slot = m.state.free_slot
    while slot < m.plan.queue_depth and m.state.issued < m.state.arrived:
        if m.op[slot].kind < 0:
            due = m.state.next_arrival
            if not issue(m, slot, due, now):
                break  # no request is left
            if m.state.issued < m.interarrivals.size:
                m.state.next_arrival = due + m.interarrivals[m.state.issued]
        slot += 1
    m.state.free_slot = slot


@inner
def arrive(m: Machine, timer: int, now: int) -> None:
    """Let a request arrive by itself (open loop), and set the timer for the next arrival."""
    m.state.arrived += 1
    if m.state.arrived < m.interarrivals.size and m.state.arrived != m.plan.last_request:
        at(m, timer, now + m.interarrivals[m.state.arrived])
    issue_arrived(m, now)


@inlined
def complete(m: Machine, slot: int, now: int) -> None:
    """Complete the request in a slot at time `now` in ns, and let the slot take the next one."""
    latency = now - m.op[slot].since
    kind = m.op[slot].kind
    shift = m.guess[kind]
    while latency >> shift >= 128:
        shift += 1
    while shift > 0 and latency >> shift < 64:
        shift -= 1
    m.guess[kind] = shift
    m.histogram[kind * (m.histogram.size // 3) + (shift << 6) + (latency >> shift)] += 1
    m.state.completed += 1
    m.state.quiet_since = now
    if m.completion.size:
        m.completion[m.op[slot].number] = now
        m.latency[m.op[slot].number] = latency
    if m.open_loop:
        m.op[slot].kind = -1
        m.state.free_slot = min(m.state.free_slot, slot)
        issue_arrived(m, now)
    elif m.think:
        at(m, clock(m) + 2 + slot, now + m.plan.think_ns)
    else:
        issue(m, slot, now, now)


@inner
def trim(m: Machine, a: Arrays, slot: int) -> None:
    """Unmap the map units that the trim request in a slot covers entirely."""
    sector = m.op[slot].word & SECTOR_MASK
    end = sector + (m.op[slot].word >> COUNT_SHIFT & COUNT_MASK)
    for page in range(unit_of(m, sector + m.plan.unit_sectors - 1), unit_of(m, end)):
        i = waiting(m, page)
        if i >= 0:
            forget(m, page, i)
            m.entry[i].page = -1
        unmap(a, page)


@inner
def read_map(m: Machine, slot: int, now: int) -> int:
    """Start reading map pages that the request in a slot needs and DRAM lacks; return how many."""
    page = m.op[slot].page
    first = page // m.plan.map_entries
    last = (page + m.op[slot].units - 1) // m.plan.map_entries
    left = 0
    for part in range(first, last + 1):
        place_of = part % m.plan.map_slots
        if m.tags[place_of] != part:
            m.tags[place_of] = part
            read(m, MAP, 1, slot, part % m.plan.dies, m.plan.read_ns, now)
            left += 1
    m.counts.map_reads += left
    m.op[slot].left = left
    return left


@inlined
def number_of(m: Machine, slot: np.int64) -> int:
    """Return the number of the program unit that holds a slot, within its block."""
    return (slot & (1 << m.slot_shift) - 1) * m.per_unit >> 40


@inlined
def in_flash(m: Machine, page: int) -> int:
    """Return the program unit to read a map unit from; -1: it holds no data, -2: it is in DRAM."""
    slot = np.int64(m.l2p[page])
    if slot < 0:
        return -1
    block = slot >> m.slot_shift
    pu = block << m.pu_shift | number_of(m, slot)
    if m.block[block].starting and not m.programmed[pu]:
        return -2
    return pu


@inlined
def look(m: Machine, slot: int, now: int) -> None:
    """Continue the request in a slot once all its map pages are in DRAM."""
    if m.op[slot].kind == READ:
        look_read(m, slot, now)
    else:
        look_write(m, slot, now)


@inlined
def look_read(m: Machine, slot: int, now: int) -> None:
    """Start the flash reads that the read request in a slot needs."""
    page = m.op[slot].page
    left = 0
    before = -1
    o = 0
    for u in range(page, page + m.op[slot].units):
        if waiting(m, u) >= 0:
            m.counts.buffer_reads += 1
            continue  # still in the write buffer
        pu = in_flash(m, u)
        if pu < 0:
            m.counts.buffer_reads += pu == -2
        elif pu == before:
            m.op[o].units += 1
        else:
            before = pu
            ns = read_ns(m, pu >> m.pu_shift)
            o = read(m, DATA, 1, slot, m.die[pu & (1 << m.pu_shift) - 1], ns, now)
            left += 1
    m.counts.flash_reads += left
    m.op[slot].left = left
    if left == 0:
        join_link(m, slot, now)


@inner
def look_write(m: Machine, slot: int, now: int) -> None:
    """Start the flash reads of map units that the write in a slot changes only in part."""
    sector = m.op[slot].word & SECTOR_MASK
    end = sector + (m.op[slot].word >> COUNT_SHIFT & COUNT_MASK)
    page, units = m.op[slot].page, m.op[slot].units
    left = 0
    first_whole = page * m.plan.unit_sectors == sector
    last_whole = (page + units) * m.plan.unit_sectors == end
    if not first_whole or (units == 1 and not last_whole):
        left += modify(m, slot, page, now)
    if units > 1 and not last_whole:
        left += modify(m, slot, page + units - 1, now)
    m.op[slot].left = left
    if left == 0:
        queue_up(m, slot)


@inner
def modify(m: Machine, slot: int, page: int, now: int) -> int:
    """Start reading a map unit that a write changes in part; return 1 if it is in flash, else 0."""
    if waiting(m, page) >= 0:
        return 0  # in the buffer
    pu = in_flash(m, page)
    if pu < 0:
        return 0  # without data, or in DRAM until it is programmed
    m.counts.modify_reads += 1
    ns = read_ns(m, pu >> m.pu_shift)
    read(m, MODIFY, 1, slot, m.die[pu & (1 << m.pu_shift) - 1], ns, now)
    return 1


@inlined
def hashed(m: Machine, page: int) -> int:
    """Return the hash bucket of a page."""
    return (page * 0x9E3779B1 >> 15) & (m.bucket.size - 1)


@inlined
def waiting(m: Machine, page: int) -> int:
    """Return the buffer entry that holds a page, or -1 if there is none."""
    if m.state.entries == 0:
        return -1
    i = m.bucket[hashed(m, page)]
    while i >= 0 and m.entry[i].page != page:
        i = m.entry[i].next
    return i


@inlined
def forget(m: Machine, page: int, entry: int) -> None:
    """Remove a buffer entry from its hash bucket."""
    h = hashed(m, page)
    i = m.bucket[h]
    if i == entry:
        m.bucket[h] = m.entry[entry].next
        return
    while m.entry[i].next != entry:
        i = m.entry[i].next
    m.entry[i].next = m.entry[entry].next


@inlined
def queue_up(m: Machine, slot: int) -> None:
    """Queue the write in a slot until the buffer has room for it."""
    m.op[slot].next = -1
    if m.state.admit_first < 0:
        m.state.admit_first = slot
        m.state.admit_room = 0
    else:
        m.op[m.state.admit_last].next = slot
    m.state.admit_last = slot


@inlined
def admit(m: Machine, a: Arrays, now: int) -> bool:
    """Accept writes into the buffer as long as they fit.

    While the first write waits, no data enter the buffer, so the room for it can only grow.
    """
    did = False
    while m.state.admit_first >= 0:
        if m.state.buffered + m.state.admit_room > m.plan.buffer_units:
            break  # the room that it was found to need is still not free
        slot = m.state.admit_first
        page = m.op[slot].page
        end = page + m.op[slot].units
        if m.state.buffered + end - page > m.plan.buffer_units:
            needed = 0
            for u in range(page, end):
                needed += waiting(m, u) < 0
            m.state.admit_room = needed
            if m.state.buffered + needed > m.plan.buffer_units:
                break  # too large, even as units that overwrite an entry take no room
        if m.plan.slc_programs and not admits(m, a, page, end, now):
            break  # until more of the cache is folded
        m.state.admit_first = m.op[slot].next
        m.state.admit_room = 0
        for u in range(page, end):
            if waiting(m, u) >= 0:
                m.counts.merged += 1
            else:
                push(m, u, now)
                prefetch(m.l2p, u)
        complete(m, slot, now)
        did = True
    return did


@inner
def admits(m: Machine, a: Arrays, page: int, end: int, now: int) -> bool:
    """Return whether the buffer may accept map units `page` to `end` while the cache is folded.

    If blank space is short, the buffer accepts units until it holds a program unit for every die,
    and then none until it is the host's turn to program.
    """
    if m.state.folded == 0 and (m.state.victim < 0 or not m.block[m.state.victim].slc):
        return True  # nothing is being folded
    new = 0
    for u in range(page, end):
        new += waiting(m, u) < 0
    if m.state.blank - m.state.in_flight - m.state.entries - new >= m.plan.high_units:
        return True  # there is blank space for all of it
    return m.state.buffered < m.plan.dies * m.plan.unit and not waits_for_turn(m, a, now)


@inlined
def push(m: Machine, page: int, now: int) -> None:
    """Put a map unit that the host has written into the buffer at time `now` in ns."""
    if m.state.entries == m.entry.size:  # cannot be: entries <= used <= buffer_units
        m.state.overflow = 2
        return
    i = m.state.first_entry + m.state.entries
    if i >= m.entry.size:
        i -= m.entry.size
    h = hashed(m, page)
    m.entry[i].page = page
    m.entry[i].next = m.bucket[h]
    m.entry[i].admitted = now
    m.bucket[h] = i
    m.state.entries += 1
    m.state.buffered += 1
