"""The flash side of the queueing model in compiled code: programs, cleaning and erases."""

import numpy as np

from flashwear._compiled import inlined, inner
from flashwear.ftl.arrays import MAIN, OWN, Arrays, prefetch
from flashwear.ftl.steps import begin_with, move, open_if_full, pad, place
from flashwear.queueing.plan import COPY, HOST
from flashwear.queueing.twin._cache import (
    WAIT,
    can_place,
    credit,
    goes_on,
    host_mode,
    must_go_on,
    next_victim,
    open_for_host,
    programs_of,
    waits_for_turn,
)
from flashwear.queueing.twin._host import forget, number_of
from flashwear.queueing.twin._stations import (
    CLEAN,
    COPIED,
    ERASE,
    PARITY,
    PROGRAM,
    Machine,
    drop,
    join_channel,
    join_die,
    new,
    read,
    read_ns,
)


@inlined
def flush(m: Machine, a: Arrays, now: int) -> bool:
    """Program buffer entries that fill a program unit or have waited too long."""
    unit = m.plan.unit
    did = False
    while m.state.entries > 0:
        taken = min(unit, m.state.entries)
        if taken < unit and m.entry[m.state.first_entry].admitted + m.plan.age_ns > now:
            break  # less than a unit, and young enough to wait for more
        if waits_for_turn(m, a, now):
            break  # it is the turn of folding
        mode = host_mode(m, a)
        if mode == WAIT:
            break  # until the cache can take another superblock
        if mode != OWN and m.state.blank - unit < m.plan.low_units:
            break  # too little blank space: until cleaning gains some
        if mode == MAIN and not can_place(m, a):
            break  # a superblock opened now could leave the copies no room
        if a.position[HOST] == a.stop[HOST]:
            open_for_host(m, a, mode)
        block = a.opened[HOST]
        p = number_of(m, a.position[HOST])
        die = m.die[p]
        if m.busy[die] >= m.plan.programs_per_die:
            break  # the die has as many programs as it may
        for _ in range(taken):
            i = m.state.first_entry
            page = m.entry[i].page
            if page >= 0:
                forget(m, page, i)
                place(a, page, HOST)
            else:
                blank(m, a, HOST, 1)
            m.state.first_entry = i + 1 if i + 1 < m.entry.size else 0
            m.state.entries -= 1
        blank(m, a, HOST, unit - taken)
        m.busy[die] += 1
        m.state.host_under_way += 1
        after = p + 1
        m.state.host_ended_row = after == programs_of(m, block) or m.row[after] != m.row[p]
        if mode != OWN:
            m.state.blank -= unit
        m.block[block].starting += 1
        m.programmed[block << m.pu_shift | p] = False
        program(m, PROGRAM, block, p, taken, block, now)
        did = True
    return did


@inlined
def blank(m: Machine, a: Arrays, frontier: int, units: int) -> None:
    """Leave the next `units` map units of a frontier's open superblock without data."""
    for _ in range(units):
        pad(a, frontier)
    m.counts.padded += units


@inlined
def program(m: Machine, kind: int, block: int, p: int, left: int, owner: int, now: int) -> None:
    """Queue the programming of unit `p` of a superblock, and of parity once its stripe is full."""
    i = p + m.block[block].slc * m.plan.data_programs
    o = new(m, kind, m.plan.unit, owner, m.die[p])
    m.op[o].left = left
    m.op[o].page = block << m.pu_shift | p
    m.op[o].since = m.program_ns[i]
    join_channel(m, o, now)
    if m.parity_die[i] >= 0:
        o = new(m, PARITY, m.plan.unit, block, m.parity_die[i])
        m.op[o].since = m.parity_ns[i]
        join_channel(m, o, now)


@inner
def fetch(m: Machine, a: Arrays, block: int, p: int) -> None:
    """Load into the processor cache the map entries of the pages of a program unit."""
    if p < m.plan.data_programs:
        first = (np.int64(block) << a.rules.shift) + p * m.plan.unit
        for slot in range(first, first + m.plan.unit):
            prefetch(a.l2p, a.p2l[slot])


@inner
def clean(m: Machine, a: Arrays, now: int) -> bool:
    """Read live pages of victims while blank space is short or the cache is folded."""
    did = False
    unit = m.plan.unit
    while True:
        if m.state.victim < 0:
            block = next_victim(m, a, now)
            if block < 0:
                if m.state.in_flight == 0 and m.state.filled > 0 and must_go_on(m, a, now):
                    pad_copies(m, a, now)
                    did = True
                return did  # none is needed, or its copies would have no room
            begin_with(a, block)
            m.state.victim = block
            m.state.next_scan = 0
            did = True
            for p in range(2):
                fetch(m, a, block, p)
        block = m.state.victim
        while m.state.next_scan < programs_of(m, block):
            if m.state.copy_busy >= m.plan.copy_units:
                return did  # as many copies under way as may be: until some are programmed
            if not goes_on(m, a, now) and not (m.state.folded > 0 and folds_on(m, block)):
                return did  # enough blank space, and no fold or row of one to finish
            p = m.state.next_scan
            fetch(m, a, block, p + 2)
            first = (block << a.rules.shift) + p * unit
            live = 0
            for slot in range(first, first + unit):
                live += a.l2p[a.p2l[slot]] == slot
            if live and m.block[block].slc:
                if not may_fold(m):
                    return did  # the row of this turn is complete, or the host still programs
                take_turn(m, a)
            m.state.blank += credit(m, a, block, p)
            m.state.next_scan = p + 1
            did = True
            if live:
                m.block[block].pending += live
                m.state.copy_busy += live
                m.state.in_flight += live
                m.counts.copy_reads += 1
                o = read(m, CLEAN, live, block, m.die[p], read_ns(m, block), now)
                m.op[o].page = p
        m.block[block].scanned = 1  # to its end: erased once the copies are durable; then the next
        copied(m, block, 0, now)
        m.state.victim = -1


@inner
def copy(m: Machine, a: Arrays, o: int, now: int) -> None:
    """Rewrite the pages that are still live after operation `o` has read a program unit."""
    block, p, live = m.op[o].owner, m.op[o].page, m.op[o].units
    drop(m, o)
    first = (block << a.rules.shift) + p * m.plan.unit
    moved = 0
    for slot in range(first, first + m.plan.unit):
        page = a.p2l[slot]
        if a.l2p[page] != slot:
            continue  # overwritten or trimmed since it was read
        if not open_if_full(a, COPY, 0):
            m.state.no_room = 1  # `advance` then fails
            return
        if m.state.filled == 0:
            to = a.opened[COPY]
            m.programmed[to << m.pu_shift | number_of(m, a.position[COPY])] = False
            m.block[to].starting += 1
        move(a, page, slot, COPY)
        note_source(m, block)
        m.state.blank -= 1
        m.state.filled += 1
        moved += 1
        if m.state.filled == m.plan.unit:
            program_copies(m, a, now)
    m.state.in_flight -= live
    if moved < live:
        m.state.copy_busy -= live - moved
        copied(m, block, live - moved, now)
    end_turn(m)


@inlined
def folds_on(m: Machine, block: int) -> bool:
    """Return whether folding must go on with the victim: its turn covers one unit on every die."""
    return m.block[block].slc and may_fold(m)


@inlined
def may_fold(m: Machine) -> bool:
    """Return whether folding may read another program unit, at most one per die in its turn."""
    if m.state.folded == 0:
        return m.state.host_under_way == 0
    first = m.state.folded_from
    p = first + m.state.folded
    return p < m.plan.data_programs and m.row[p] == m.row[first]


@inlined
def take_turn(m: Machine, a: Arrays) -> None:
    """Note that folding reads a program unit, which begins its turn unless it has begun."""
    if m.state.folded == 0:
        has_room = a.position[COPY] < a.stop[COPY]
        m.state.folded_from = number_of(m, a.position[COPY]) if has_room else 0
    m.state.folded += 1
    m.state.host_ended_row = 0


@inlined
def end_turn(m: Machine) -> None:
    """End the turn of folding once none of its reads and programs is in flight."""
    if m.state.in_flight == 0 and m.state.copies_under_way == 0:
        m.state.folded = 0


@inner
def note_source(m: Machine, block: int) -> None:
    """Remember that the next map unit in the program unit of copies came from this superblock."""
    n = m.state.filled_last
    if m.state.filled_from >= 0 and m.node[n].block == block:
        m.node[n].units += 1
        return  # the last unit came from the same block
    i = m.state.spare_node
    if i < 0:  # cannot be: each stands for one of at most copy_units + unit units on their way
        m.state.overflow = 3
        return
    m.state.spare_node = m.node[i].next
    m.node[i].block = block
    m.node[i].units = 1
    m.node[i].next = -1
    if m.state.filled_from < 0:
        m.state.filled_from = i
    else:
        m.node[n].next = i
    m.state.filled_last = i


@inner
def program_copies(m: Machine, a: Arrays, now: int) -> None:
    """Send the program unit of copies, which is full, to its die at time `now` in ns."""
    block = a.opened[COPY]
    p = number_of(m, a.position[COPY] - 1)
    m.state.copies_under_way += 1
    program(m, COPIED, block, p, m.state.filled, m.state.filled_from, now)
    m.state.filled, m.state.filled_from = 0, -1


@inner
def pad_copies(m: Machine, a: Arrays, now: int) -> None:
    """Fill the rest of the program unit of copies with units without data, and send it."""
    units = m.plan.unit - m.state.filled
    blank(m, a, COPY, units)
    m.state.blank -= units
    program_copies(m, a, now)


@inner
def copied(m: Machine, block: int, units: int, now: int) -> None:
    """Note that `units` copies of a victim are on flash, and erase it after the last one."""
    m.block[block].pending -= units
    if m.block[block].scanned and m.block[block].pending == 0:
        erase(m, block, now)


@inner
def erase(m: Machine, block: int, now: int) -> None:
    """Queue the erase of a superblock at all dies."""
    m.block[block].erasing = m.plan.dies
    for die in range(m.plan.dies):
        join_die(m, new(m, ERASE, 0, block, die), m.plan.erase_ns, now)


@inlined
def programmed(m: Machine, o: int, now: int) -> None:
    """Note that program operation `o` is finished, and that its data are on flash."""
    kind = m.op[o].kind
    if kind == PARITY:
        m.counts.parity_programs += 1
        drop(m, o)
        return  # nothing waits for parity
    pu = m.op[o].page
    m.programmed[pu] = True
    m.block[pu >> m.pu_shift].starting -= 1
    if kind == PROGRAM:
        m.counts.programs += 1
        m.counts.cache_programs += m.block[pu >> m.pu_shift].slc
        m.state.buffered -= m.op[o].left
        m.busy[m.op[o].die] -= 1
        m.state.host_under_way -= 1
    else:
        m.counts.copy_programs += 1
        n = m.op[o].owner
        while n >= 0:
            m.state.copy_busy -= m.node[n].units
            copied(m, m.node[n].block, m.node[n].units, now)
            after = m.node[n].next
            m.node[n].next = m.state.spare_node
            m.state.spare_node = n
            n = after
        m.state.copies_under_way -= 1
        end_turn(m)
    drop(m, o)
