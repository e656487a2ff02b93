"""Blank space and the SLC cache in compiled code: what is opened, cleaned and folded."""

from flashwear._compiled import inlined, inner
from flashwear.ftl.arrays import MAIN, OWN, SHARED, Arrays
from flashwear.ftl.blocks import victim
from flashwear.ftl.slc import free_to_clean, fully_invalid, oldest_cached, shut, used
from flashwear.ftl.steps import open_as, room
from flashwear.queueing.plan import COPY, HOST
from flashwear.queueing.twin._stations import Machine

WAIT = -1


@inlined
def programs_of(m: Machine, block: int) -> int:
    """Return how many program units of data a superblock holds; fewer in SLC mode."""
    return m.plan.slc_programs if m.block[block].slc else m.plan.data_programs


@inlined
def enough(m: Machine, a: Arrays, now: int) -> bool:
    """Return whether blank space suffices, counting what victims have already given back.

    If the host waits for a shared superblock in SLC mode, one more blank superblock is needed.
    """
    goal = m.plan.high_units
    if m.state.host_waits and a.counts.in_shared < a.rules.most_shared:
        goal += m.plan.data_programs * m.plan.unit
    if m.state.blank < goal:
        return False
    if m.plan.slc_programs > 0 and folds(m, a, now):
        return can_spare(m, a)
    return can_place(m, a)


@inlined
def can_place(m: Machine, a: Arrays) -> bool:
    """Return whether the host's superblock has room, or a new one can be spared for it."""
    return a.position[HOST] < a.stop[HOST] or can_spare(m, a)


@inlined
def can_spare(m: Machine, a: Arrays) -> bool:
    """Return whether the victim's copies still fit after the host takes one more superblock.

    A victim in the cache's own blocks gives no superblock back to the pool, so there must be room
    for the copies of another victim too.
    """
    block_units = m.plan.data_programs * m.plan.unit
    left = block_units
    block = m.state.victim
    if block >= 0:
        left = (programs_of(m, block) - m.state.next_scan) * m.plan.unit
        if m.block[block].slc and a.block[block].mode == OWN:
            left += block_units
    return room_for_copies(m, a) - block_units >= left


@inlined
def room_for_copies(m: Machine, a: Arrays) -> int:
    """Return how many blank map units are left for copies beyond those already in flight."""
    pool = a.counts.free * (m.plan.data_programs * m.plan.unit)
    return room(a, COPY) + pool - m.state.in_flight


@inlined
def host_mode(m: Machine, a: Arrays) -> int:
    """Return the kind of superblock (MAIN, SHARED, OWN) for the host's next write, or WAIT."""
    if m.plan.slc_programs == 0:
        return MAIN
    if a.position[HOST] < a.stop[HOST]:
        return a.block[a.opened[HOST]].mode
    return next_mode(m, a)


@inner
def next_mode(m: Machine, a: Arrays) -> int:
    """Return the kind of superblock (MAIN, SHARED, OWN) that the host opens next, or WAIT."""
    shut(a, HOST)
    mode = MAIN
    if a.counts.free_own > 0:
        mode = OWN
    elif (
        a.counts.in_shared < a.rules.most_shared
        and m.state.blank - m.plan.data_programs * m.plan.unit >= m.plan.high_units
        and can_spare(m, a)
    ):
        mode = SHARED
    if used(a) <= a.rules.fold_to:
        a.counts.folding = 0
    elif mode == MAIN:
        a.counts.folding = 1
    if a.rules.direct:
        return MAIN if a.counts.folding else mode
    m.state.host_waits = mode == MAIN
    return WAIT if mode == MAIN else mode


@inner
def open_for_host(m: Machine, a: Arrays, mode: int) -> None:
    """Open a superblock of kind `mode` for the host; one in SLC mode adds less blank space."""
    open_as(a, HOST, mode)
    m.block[a.opened[HOST]].slc = mode != MAIN
    if mode == SHARED:
        m.state.blank -= (m.plan.data_programs - m.plan.slc_programs) * m.plan.unit


@inner
def idle(m: Machine, now: int) -> bool:
    """Return whether the host has been idle for long enough to fold."""
    if m.plan.idle_ns < 0 or m.state.issued != m.state.completed:
        return False
    return now - m.state.quiet_since >= m.plan.idle_ns


@inner
def folds(m: Machine, a: Arrays, now: int) -> bool:
    """Return whether the cache is to be folded even if blank space suffices."""
    return a.counts.folding != 0 or m.state.host_waits != 0 or idle(m, now)


@inner
def next_victim(m: Machine, a: Arrays, now: int) -> int:
    """Return the superblock to clean now; -1 if none is needed or its copies would not fit."""
    if not enough(m, a, now):
        return forced(m, a)
    return to_fold(m, a, now) if m.plan.slc_programs > 0 else -1


@inner
def forced(m: Machine, a: Arrays) -> int:
    """Return the victim when blank space is short: one without data, of the cache, or by policy."""
    if a.rules.most_shared > 0:
        block = if_programmed(m, fully_invalid(a))
        if block >= 0:
            return block
        block = a.oldest[SHARED]
        if block >= 0:
            if room_for_copies(m, a) < m.plan.slc_programs * m.plan.unit:
                return -1  # its copies would have no room
            return if_programmed(m, block)
    if a.oldest[MAIN] < 0 or room_for_copies(m, a) < m.plan.data_programs * m.plan.unit:
        return -1  # no closed block, or its copies would have no room
    return victim(a)


@inner
def to_fold(m: Machine, a: Arrays, now: int) -> int:
    """Return the superblock to fold next, or -1 if there is none.

    A full cache is folded down to ``fold_to``. For a host that waits, superblocks are folded one by
    one. An idle drive erases superblocks without live pages, one by one, then folds all others.
    """
    under_way = used(a) - a.counts.held
    full = a.counts.folding != 0 and a.counts.held > a.rules.fold_to
    if full or (m.state.host_waits != 0 and under_way == 0):
        return if_programmed(m, oldest_cached(a))
    if not idle(m, now):
        return -1  # neither the cache nor a host that waits asks for it
    shut(a, HOST)
    block = free_to_clean(a)
    if block < 0:
        block = oldest_cached(a)
    elif a.counts.under_way > 0:
        return -1  # one is being cleaned: the next after it
    return if_programmed(m, block)


@inner
def if_programmed(m: Machine, block: int) -> int:
    """Return the given superblock if all of its programs are finished, else -1."""
    return block if block >= 0 and m.block[block].starting == 0 else -1


@inlined
def goes_on(m: Machine, a: Arrays, now: int) -> bool:
    """Return whether to read more of the victim: to gain space, or to finish folding it."""
    if not enough(m, a, now):
        return True
    if m.plan.slc_programs == 0:
        return False
    return a.valid[m.state.victim] == 0 or folds(m, a, now)


@inlined
def waits_for_turn(m: Machine, a: Arrays, now: int) -> bool:
    """Return whether the host must wait because it is folding's turn to program."""
    if m.state.folded > 0:
        return True
    if m.plan.slc_programs == 0 or not m.state.host_ended_row:
        return False
    block = m.state.victim
    return block >= 0 and m.block[block].slc and goes_on(m, a, now)


@inner
def must_go_on(m: Machine, a: Arrays, now: int) -> bool:
    """Return whether a program unit that copies fill only in part must be written out now."""
    if not enough(m, a, now):
        return True
    return m.plan.slc_programs > 0 and used(a) > a.counts.held and folds(m, a, now)


@inlined
def credit(m: Machine, a: Arrays, block: int, p: int) -> int:
    """Return the blank map units credited when program unit `p` of a victim has been read."""
    if not m.block[block].slc:
        return m.plan.unit
    if a.block[block].mode == OWN:
        return 0
    whole, parts = m.plan.data_programs * m.plan.unit, m.plan.slc_programs
    return whole * (p + 1) // parts - whole * p // parts
