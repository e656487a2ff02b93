"""The loop over the events of the queueing model in compiled code."""

from flashwear._compiled import inlined, inner, jit
from flashwear.ftl.arrays import Arrays
from flashwear.ftl.steps import finish
from flashwear.queueing.twin._cache import enough
from flashwear.queueing.twin._flash import clean, copy, flush, programmed
from flashwear.queueing.twin._host import (
    admit,
    arrive,
    complete,
    issue,
    look,
    queue_up,
    read_map,
    trim,
)
from flashwear.queueing.twin._stations import (
    CHANNEL,
    CLEAN,
    CONTROLLER,
    DATA,
    ENDED,
    ERASE,
    FAILED,
    GROW,
    IDLE,
    LINK,
    MAP,
    MORE,
    NEVER,
    PAUSED,
    PROGRAM,
    REST,
    Machine,
    at,
    clock,
    drop,
    grant,
    join,
    join_channel,
    join_die,
    join_link,
    schedule,
    touch,
)
from flashwear.workloads import READ, TRIM, WRITE


@inlined
def commanded(m: Machine, a: Arrays, o: int, now: int) -> int:
    """Continue operation `o` after the controller; return it if a request is completed, else -1."""
    kind = m.op[o].kind
    if kind == CLEAN:
        copy(m, a, o, now)
    elif kind == TRIM:
        trim(m, a, o)
        return o
    elif kind == READ:
        look_up(m, o, now)
    else:
        arrived(m, o, now)
    return -1


@inlined
def look_up(m: Machine, o: int, now: int) -> None:
    """Look up request `o` in the map, and read the map pages that DRAM does not hold."""
    if m.plan.map_slots == 0 or read_map(m, o, now) == 0:
        look(m, o, now)


@inlined
def arrived(m: Machine, o: int, now: int) -> None:
    """Continue write `o` once both its data have arrived and its command has been processed."""
    m.op[o].parts -= 1
    if m.op[o].parts == 0:
        look_up(m, o, now)


@inlined
def read_out(m: Machine, o: int) -> int:
    """Return read `o` if now both the controller and the link have served it, else -1."""
    m.op[o].parts -= 1
    return o if m.op[o].parts == 0 else -1


@inlined
def to_controller(m: Machine, o: int, now: int) -> None:
    """Put write `o` into the queue of the controller at time `now` in ns."""
    service = m.plan.write_command_ns + m.op[o].units * m.plan.write_unit_ns
    join(m, CONTROLLER, o, service, now)


@inlined
def in_parts(m: Machine, s: int, o: int) -> bool:
    """Return whether station `s` serves request `o` in two parts."""
    if s > CONTROLLER or m.op[o].rest == 0:
        return False
    return m.op[o].kind == (READ if s == CONTROLLER else WRITE)


@inlined
def served_in_part(m: Machine, s: int, o: int, now: int) -> int:
    """Continue after one part of a service by station `s`; return a completed read, or -1."""
    if m.op[o].rest > 0:
        at(m, s, now + m.op[o].rest)
        m.op[o].rest = REST
        if s == LINK:
            to_controller(m, o, now)
        else:
            look_up(m, o, now)
        return -1
    m.op[o].rest = 0
    free(m, s, now)
    if s == CONTROLLER:
        return read_out(m, o)
    arrived(m, o, now)
    return -1


@inlined
def free(m: Machine, s: int, now: int) -> None:
    """Make station `s` idle at time `now` in ns, and let it start another job."""
    m.station[s].current = -1
    m.station[s].busy += now - m.station[s].since
    touch(m, s)


@inlined
def transferred(m: Machine, a: Arrays, o: int, now: int) -> None:
    """Continue operation `o`, whose data have been transferred over a channel."""
    kind = m.op[o].kind
    if kind >= PROGRAM:
        join_die(m, o, m.op[o].since, now)  # data to program
        return
    if kind == CLEAN:
        if m.plan.copy_ns > 0:
            join(m, CONTROLLER, o, m.plan.copy_ns * m.op[o].units, now)
        else:
            copy(m, a, o, now)
        return
    slot = m.op[o].owner  # the request that waits for this read
    drop(m, o)
    m.op[slot].left -= 1
    if m.op[slot].left == 0:
        if kind == DATA:
            join_link(m, slot, now)
        elif kind == MAP:
            look(m, slot, now)
        else:
            queue_up(m, slot)


@inlined
def served(m: Machine, a: Arrays, o: int, now: int) -> None:
    """Continue operation `o`, which its die has finished at time `now` in ns."""
    kind = m.op[o].kind
    if kind < PROGRAM:
        join_channel(m, o, now)
    elif kind < ERASE:
        programmed(m, o, now)
    else:
        m.counts.erases += 1
        block = m.op[o].owner
        m.counts.slc_erases += m.block[block].slc
        drop(m, o)
        m.block[block].erasing -= 1
        if m.block[block].erasing == 0:
            finish(a, block)
            m.block[block].scanned = 0
            m.block[block].slc = 0


@inner
def fill_queue(m: Machine, now: int) -> None:
    """Issue a request in every slot of the host's queue at time `now` in ns."""
    for slot in range(m.plan.queue_depth):
        if not issue(m, slot, now, now):
            return  # fewer requests than slots


@inlined
def event(m: Machine, a: Arrays, s: int, now: int) -> None:
    """Handle the event of station or clock `s`: the end of a service, or the clock's time."""
    dies = CHANNEL + m.plan.channels
    timer = clock(m)
    if s < timer:
        o = m.station[s].current
        done = -1
        if in_parts(m, s, o):
            done = served_in_part(m, s, o, now)
            if done >= 0:
                complete(m, done, now)
            return
        free(m, s, now)
        if s >= dies:
            served(m, a, o, now)
        elif s >= CHANNEL:
            transferred(m, a, o, now)
        elif s == CONTROLLER:
            done = commanded(m, a, o, now)
        elif m.op[o].kind == READ:
            done = read_out(m, o)
        else:
            to_controller(m, o, now)
        if done >= 0:
            complete(m, done, now)
    elif s == timer:
        m.state.age_timer = 0
    elif s == timer + 1:
        if m.open_loop:
            arrive(m, s, now)
        else:
            fill_queue(m, now)
    elif s == timer + m.idle_clock:
        m.state.idle_timer = 0
    else:
        issue(m, s - timer - 2, now, now)


@inlined
def settle(m: Machine, a: Arrays, now: int) -> None:
    """End an instant: advance the buffer and cleaning as far as possible, then start jobs."""
    again = True
    while again:
        again = False
        if m.state.admit_first >= 0:
            again = admit(m, a, now)
        if m.state.entries > 0:
            again = flush(m, a, now) or again
        if m.plan.slc_programs or not enough(m, a, now):
            again = clean(m, a, now) or again
    if m.state.entries > 0 and m.state.age_timer == 0:
        old = m.entry[m.state.first_entry].admitted + m.plan.age_ns
        if old > now:  # an old entry needs no event: it goes as soon as something lets it
            m.state.age_timer = 1
            at(m, clock(m), old)
    if m.plan.idle_ns >= 0 and m.state.issued == m.state.completed:
        due = m.state.quiet_since + m.plan.idle_ns
        if due > now and m.state.idle_timer == 0:
            m.state.idle_timer = 1
            at(m, clock(m) + m.idle_clock, due)
    for i in range(m.state.touched):
        s = m.touched[i]
        m.station[s].touched = 0
        grant(m, s, now)
    m.state.touched = 0


@inlined
def start(m: Machine, now: int) -> None:
    """Issue the first requests, or set the clock of the first arrival."""
    m.state.started = 1
    if m.open_loop:
        m.state.next_arrival = m.interarrivals[0]
        at(m, clock(m) + 1, m.interarrivals[0])
    elif m.plan.start_ns > 0:
        at(m, clock(m) + 1, m.plan.start_ns)
    else:
        fill_queue(m, now)


@jit
def advance(m: Machine, a: Arrays, until: int) -> int:
    """Handle the events up to and including time `until` in ns; return why it stopped, as a code.

    An instant is begun only if the batch has a request for each slot (or is the last batch), and if
    the pool has an operation for everything that may begin in it.
    """
    mask = (1 << m.bits) - 1
    while True:
        if m.state.words_end - m.state.next_word < m.plan.queue_depth and not m.state.exhausted:
            return MORE  # requests are needed
        if m.op.size - m.state.ops < m.margin:
            return GROW  # operations are needed
        if m.state.no_room or m.state.overflow:
            return FAILED  # no superblock is free for copies, or a pool was too small
        if m.state.completed == m.plan.last_request:
            return ENDED  # all requests are completed
        now = m.state.now
        if not m.state.started:
            start(m, now)
        else:
            key = m.key[1]
            if key == NEVER:
                return IDLE  # no event is scheduled
            now = key >> m.bits
            if now > until:
                return PAUSED  # the next event is later than `until`
            m.state.now = now
            while key >> m.bits == now:
                s = key & mask
                schedule(m.key, s, NEVER)
                event(m, a, s, now)
                key = m.key[1]
        settle(m, a, now)
