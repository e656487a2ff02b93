"""The events of the queueing model in compiled code: stations, buffer, flushing and cleaning.

Time is whole nanoseconds. Every station, timer and thinking host slot has at most one event to
come, so events are the leaves of a tree of minima instead of a heap: the key of a leaf is time and
number of the station in one word, that of a node the smaller of the two below it. A suspended
operation has no event until it is resumed.

All that waits or is under way is a record of `op`, in a list through `next`: first the host's
slots, one for the request of each, then operations of the flash, taken from a list of spare ones.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from flashwear._compiled import inlined, jit
from flashwear.ftl._arrays import OLDEST, POOL, SHIFT, Arrays, prefetch
from flashwear.ftl._kernel import other
from flashwear.ftl.steps import begin, finish, move, open_if_full, pad, place, room
from flashwear.queueing._plan import COPY, HOST, KEEP, Plan
from flashwear.queueing.requests import COUNT_MASK, COUNT_SHIFT, KIND_SHIFT, SECTOR, SECTOR_MASK
from flashwear.workloads import OPERATION_SHIFT, READ, TRIM, WRITE

# what an operation is, beside WRITE 0, TRIM 1 and READ 2 of the host; programs and erases are last
DATA, MAP, MODIFY, CLEAN, PROGRAM, COPIED, PARITY, ERASE = range(3, 11)

LINK, CONTROLLER, CHANNEL = 0, 1, 2  # numbers of stations; dies follow the channels, then timers

# what `count` holds: first what a result counts, then the state of the machine
(
    MERGED,
    BUFFER_READS,
    FLASH_READS,
    COPY_READS,
    MAP_READS,
    MODIFY_READS,
    PROGRAMS,
    COPY_PROGRAMS,
    PARITY_PROGRAMS,
    ERASES,
    SUSPENDS,
    PADDED,
    STARTED,
    NOW,
    ISSUED,
    COMPLETED,
    WORD,  # next request of the batch
    WORDS,  # requests in the batch
    EXHAUSTED,  # no batch comes after this one
    ARRIVED,
    DUE,  # arrival time of the next request to be issued
    FREE_SLOT,  # no slot below it is free
    SPARE,  # first spare operation
    OPS,  # operations in use
    SPARE_NODE,
    TOUCHED,  # stations that may begin a job when the instant ends
    ENTRY,  # oldest entry of the buffer
    ENTRIES,
    USED,  # map units of the buffer
    ADMIT,  # first and last request that wait for room in the buffer, -1 if none
    ADMIT_LAST,
    ADMIT_NEW,  # least room that the first one takes
    TIMER,  # whether the age timer runs
    BLANK,  # map units of blank space
    VICTIM,
    SCAN,  # next program unit of the victim
    COPY_BUSY,
    IN_FLIGHT,
    FILLED,  # map units in the open program unit of copies, and where they are from
    FILLED_FROM,
    NO_ROOM,
    OVERFLOW,  # 1 + the pool that was too small
) = range(42)
COUNTS = 42

RESULTS = ERASES + 3
"""Counters that a result has, from the first."""

PAUSED, IDLE, ENDED, MORE, GROW, FAILED = range(6)
"""Why the machine returns: time is up; no event to come; last request completed; the batch of
requests or the pool of operations runs low; it cannot go on."""

POOLS = ("operations", "entries of the buffer", "sources of copies")

NEVER = 2**63 - 1

AHEAD = 12  # requests that are looked ahead; the batch is longer by as much

STATION = np.dtype(
    [
        ("current", np.int64),  # operation served, -1 if idle
        ("held", np.int64),  # suspended operation, -1 if none
        ("head", np.int64),  # queue
        ("tail", np.int64),
        ("first", np.int64),  # queue of reads of the host, where they go first
        ("last", np.int64),
        ("waiting", np.int64),
        ("longest", np.int64),
        ("touched", np.int64),
        ("remaining", np.int64),  # of the suspended operation
        ("since", np.int64),
        ("due", np.int64),
        ("busy", np.int64),
        ("wait", np.int64),
        ("jobs", np.int64),
    ],
    align=True,
)

OPERATION = np.dtype(
    [
        ("next", np.int64),
        ("kind", np.int64),
        ("units", np.int64),  # map units
        ("owner", np.int64),  # request, block; of copies the first node of their sources
        ("die", np.int64),
        ("left", np.int64),  # reads that a request waits for; units to count at the end
        ("page", np.int64),  # first map unit of a request; program unit
        ("joined", np.int64),
        ("service", np.int64),
        ("since", np.int64),  # issue of a request; time to program
        ("number", np.int64),
        ("word", np.int64),
    ],
    align=True,
)

ENTRY_OF = np.dtype(
    [("page", np.int64), ("next", np.int64), ("admitted", np.int64)],  # page -1: cancelled
    align=True,
)

BLOCK_OF = np.dtype(
    [
        ("pending", np.int64),  # copies on their way
        ("erasing", np.int64),  # dies that erase it
        ("starting", np.int64),  # program units begun and not yet programmed
        ("scanned", np.int64),
    ],
    align=True,
)

NODE_OF = np.dtype([("block", np.int64), ("units", np.int64), ("next", np.int64)], align=True)

Ints = NDArray[np.int64]


class Machine(NamedTuple):
    """A drive at work; `count` is indexed by the constants above."""

    plan: Plan
    bits: int  # of a key below the time
    sector_shift: int  # -1: sectors of a map unit are no power of two
    pu_shift: int  # program unit: number of block << pu_shift | number in the block
    per_unit: int  # 2**40 over map units of a program unit, rounded up
    margin: int  # operations that one instant may begin
    think: bool
    open_loop: bool
    count: Ints
    key: Ints
    touched: Ints
    station: Any  # records of STATION
    op: Any  # records of OPERATION, the last to be overwritten when there is no other
    entry: Any  # records of ENTRY_OF: the ring of the buffer
    bucket: Ints  # entries by hash of their page
    block: Any  # records of BLOCK_OF
    node: Any  # records of NODE_OF
    programmed: NDArray[np.bool_]  # by program unit
    busy: Ints  # programs of the host by die
    die: Ints  # by program unit of a block
    program_ns: Ints
    parity_die: Ints  # of the parity that follows, -1 if none
    parity_ns: Ints
    tags: Ints  # pages of the map that are held
    words: Ints
    gaps: Ints
    guess: Ints  # shift of the last latency of each kind
    histogram: Ints
    completion: Ints
    latency: Ints
    kinds: NDArray[np.int8]


# ---------------------------------------------------------------- events and stations


@inlined
def schedule(key: Ints, leaf: int, value: int) -> None:
    """Give a leaf of the tree a key."""
    i = (key.size >> 1) + leaf
    key[i] = value
    while i > 1:
        value = min(value, key[i ^ 1])
        i >>= 1
        key[i] = value


@inlined
def touch(m: Machine, s: int) -> None:
    """Note that a station may begin a job when the instant ends."""
    if not m.station[s].touched:
        m.station[s].touched = 1
        m.touched[m.count[TOUCHED]] = s
        m.count[TOUCHED] += 1


@inlined
def join(m: Machine, s: int, o: int, service: int, now: int) -> None:
    """Put a job at the end of the queue of a station."""
    m.op[o].service = service
    m.op[o].joined = now
    m.op[o].next = -1
    if m.station[s].head < 0:
        m.station[s].head = o
    else:
        m.op[m.station[s].tail].next = o
    m.station[s].tail = o
    m.station[s].waiting += 1
    m.station[s].longest = max(m.station[s].longest, m.station[s].waiting)
    touch(m, s)


@inlined
def join_die(m: Machine, o: int, service: int, now: int) -> None:
    """Put a job at the end of a queue of its die."""
    s = CHANNEL + m.plan.channels + m.op[o].die
    if not (m.plan.reads_first and m.op[o].kind < CLEAN):
        join(m, s, o, service, now)
        return
    m.op[o].service = service
    m.op[o].joined = now
    m.op[o].next = -1
    if m.station[s].first < 0:
        m.station[s].first = o
    else:
        m.op[m.station[s].last].next = o
    m.station[s].last = o
    m.station[s].waiting += 1
    m.station[s].longest = max(m.station[s].longest, m.station[s].waiting)
    touch(m, s)


@inlined
def join_channel(m: Machine, o: int, now: int) -> None:
    """Put a transfer into the queue of the channel of its die."""
    service = m.plan.transfer_overhead_ns + m.op[o].units * m.plan.transfer_ns
    join(m, CHANNEL + m.op[o].die % m.plan.channels, o, service, now)


@inlined
def join_link(m: Machine, o: int, now: int) -> None:
    """Put the data of a request into the queue of the link."""
    size = (m.op[o].word >> COUNT_SHIFT & COUNT_MASK) * SECTOR
    picoseconds = np.uint64(size * m.plan.link_ps_per_byte)
    join(m, LINK, o, m.plan.link_overhead_ns + np.int64(picoseconds // np.uint64(1000)), now)


@inlined
def grant(m: Machine, s: int, now: int) -> None:
    """Let a station begin its next job, if it may."""
    current = m.station[s].current
    if current >= 0:
        if m.station[s].first < 0 or m.plan.suspend_ns < 0 or m.op[current].kind < PROGRAM:
            return
        m.count[SUSPENDS] += 1
        m.station[s].held = current
        m.station[s].remaining = m.station[s].due - now
        m.station[s].busy += now - m.station[s].since
    o = m.station[s].first
    if o >= 0:
        m.station[s].first = m.op[o].next
    elif m.station[s].held >= 0:
        m.station[s].current = m.station[s].held
        m.station[s].held = -1
        m.station[s].since = now
        due = now + m.station[s].remaining + m.plan.suspend_ns
        m.station[s].due = due
        schedule(m.key, s, due << m.bits | s)
        return
    else:
        o = m.station[s].head
        if o < 0:
            return
        m.station[s].head = m.op[o].next
    m.station[s].waiting -= 1
    m.station[s].wait += now - m.op[o].joined
    m.station[s].jobs += 1
    m.station[s].current = o
    m.station[s].since = now
    due = now + m.op[o].service
    m.station[s].due = due
    schedule(m.key, s, due << m.bits | s)


@inlined
def new(m: Machine, owner: int, die: int) -> int:
    """Take an operation from the spare ones; its kind and units are still to be set."""
    o = m.count[SPARE]
    if o < 0:  # cannot be, see _margin in twin.py
        m.count[OVERFLOW] = 1
        o = m.op.size - 1
    else:
        m.count[SPARE] = m.op[o].next
    m.count[OPS] += 1
    m.op[o].owner = owner
    m.op[o].die = die
    return o


@inlined
def drop(m: Machine, o: int) -> None:
    """Give an operation back."""
    m.op[o].next = m.count[SPARE]
    m.count[SPARE] = o
    m.count[OPS] -= 1


# ---------------------------------------------------------------- the host


@inlined
def unit_of(m: Machine, sector: int) -> int:
    """Give the map unit of a sector."""
    if m.sector_shift >= 0:
        return sector >> m.sector_shift
    return sector // m.plan.unit_sectors


@inlined
def issue(m: Machine, a: Arrays, slot: int, since: int, now: int) -> bool:
    """Issue the next request in a slot, if there is one."""
    number = m.count[ISSUED]
    if number == m.plan.last_request or m.count[WORD] == m.count[WORDS]:
        return False
    word = m.words[m.count[WORD]]
    m.count[WORD] += 1
    m.count[ISSUED] = number + 1
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
    ahead = m.words[m.count[WORD] + AHEAD] & SECTOR_MASK
    prefetch(a.l2p, unit_of(m, ahead))
    if kind == WRITE:
        join_link(m, slot, now)
    elif kind == READ:
        join(m, CONTROLLER, slot, m.plan.read_command_ns, now)
    else:
        join(m, CONTROLLER, slot, m.plan.write_command_ns, now)
    return True


@jit
def issue_arrived(m: Machine, a: Arrays, now: int) -> None:
    """Issue requests that have arrived while slots are free."""
    slot = m.count[FREE_SLOT]
    while slot < m.plan.queue_depth and m.count[ISSUED] < m.count[ARRIVED]:
        if m.op[slot].kind < 0:
            due = m.count[DUE]
            if not issue(m, a, slot, due, now):
                break
            if m.count[ISSUED] < m.gaps.size:
                m.count[DUE] = due + m.gaps[m.count[ISSUED]]
        slot += 1
    m.count[FREE_SLOT] = slot


@jit
def arrive(m: Machine, a: Arrays, timer: int, now: int) -> None:
    """Let a request of an open loop arrive."""
    m.count[ARRIVED] += 1
    if m.count[ARRIVED] < m.gaps.size and m.count[ARRIVED] != m.plan.last_request:
        schedule(m.key, timer, (now + m.gaps[m.count[ARRIVED]]) << m.bits | timer)
    issue_arrived(m, a, now)


@inlined
def complete(m: Machine, a: Arrays, slot: int, now: int) -> None:
    """Complete a request; its slot goes on."""
    latency = now - m.op[slot].since
    kind = m.op[slot].kind
    shift = m.guess[kind]
    while latency >> shift >= 128:
        shift += 1
    while shift > 0 and latency >> shift < 64:
        shift -= 1
    m.guess[kind] = shift
    m.histogram[kind * (m.histogram.size // 3) + (shift << 6) + (latency >> shift)] += 1
    m.count[COMPLETED] += 1
    if m.completion.size:
        m.completion[m.op[slot].number] = now
        m.latency[m.op[slot].number] = latency
    if m.open_loop:
        m.op[slot].kind = -1
        m.count[FREE_SLOT] = min(m.count[FREE_SLOT], slot)
        issue_arrived(m, a, now)
    elif m.think:
        timer = CHANNEL + m.plan.channels + m.plan.dies + 2 + slot
        schedule(m.key, timer, (now + m.plan.think_ns) << m.bits | timer)
    else:
        issue(m, a, slot, now, now)


@jit
def trim(m: Machine, a: Arrays, slot: int) -> None:
    """Forget the map units that lie in a trim as a whole."""
    sector = m.op[slot].word & SECTOR_MASK
    end = sector + (m.op[slot].word >> COUNT_SHIFT & COUNT_MASK)
    for page in range(unit_of(m, sector + m.plan.unit_sectors - 1), unit_of(m, end)):
        i = waiting(m, page)
        if i >= 0:
            forget(m, page, i)
            m.entry[i].page = -1
        other(a, page | TRIM << OPERATION_SHIFT)


@jit
def read_map(m: Machine, slot: int, now: int) -> int:
    """Begin to read the pages of the map that a request needs and DRAM does not hold."""
    page = m.op[slot].page
    first = page // m.plan.map_entries
    last = (page + m.op[slot].units - 1) // m.plan.map_entries
    left = 0
    for part in range(first, last + 1):
        place_of = part % m.plan.map_slots
        if m.tags[place_of] != part:
            m.tags[place_of] = part
            o = new(m, slot, part % m.plan.dies)
            m.op[o].kind, m.op[o].units = MAP, 1
            join_die(m, o, m.plan.read_ns, now)
            left += 1
    m.count[MAP_READS] += left
    m.op[slot].left = left
    return left


@inlined
def in_flash(m: Machine, a: Arrays, page: int) -> int:
    """Give the program unit that a map unit must be read from: -1 none, -2 it is in DRAM."""
    slot = np.int64(a.l2p[page])
    if slot < 0:
        return -1
    block = slot >> a.rules[SHIFT]
    place_in = slot - (block << a.rules[SHIFT])
    pu = block << m.pu_shift | place_in * m.per_unit >> 40
    if m.block[block].starting and not m.programmed[pu]:
        return -2
    return pu


@inlined
def look_read(m: Machine, a: Arrays, slot: int, now: int) -> None:
    """Begin the reads of the flash that a read needs."""
    page = m.op[slot].page
    left = 0
    before = np.int64(-1)
    o = 0
    for u in range(page, page + m.op[slot].units):
        if waiting(m, u) >= 0:
            m.count[BUFFER_READS] += 1
            continue
        pu = in_flash(m, a, u)
        if pu < 0:
            m.count[BUFFER_READS] += pu == -2
        elif pu == before:
            m.op[o].units += 1
        else:
            before = pu
            o = new(m, slot, m.die[pu & (1 << m.pu_shift) - 1])
            m.op[o].kind, m.op[o].units = DATA, 1
            join_die(m, o, m.plan.read_ns, now)
            left += 1
    m.count[FLASH_READS] += left
    m.op[slot].left = left
    if left == 0:
        join_link(m, slot, now)


@jit
def look_write(m: Machine, a: Arrays, slot: int, now: int) -> None:
    """Begin the reads that a write of a part of a map unit needs."""
    sector = m.op[slot].word & SECTOR_MASK
    end = sector + (m.op[slot].word >> COUNT_SHIFT & COUNT_MASK)
    page, units = m.op[slot].page, m.op[slot].units
    left = 0
    first_whole = page * m.plan.unit_sectors == sector
    last_whole = (page + units) * m.plan.unit_sectors == end
    if not first_whole or (units == 1 and not last_whole):
        left += modify(m, a, slot, page, now)
    if units > 1 and not last_whole:
        left += modify(m, a, slot, page + units - 1, now)
    m.op[slot].left = left
    if left == 0:
        queue_up(m, slot)


@jit
def modify(m: Machine, a: Arrays, slot: int, page: int, now: int) -> int:
    """Begin to read a map unit of which a part is written, if it is in the flash."""
    if waiting(m, page) >= 0:
        return 0
    pu = in_flash(m, a, page)
    if pu < 0:
        return 0
    m.count[MODIFY_READS] += 1
    o = new(m, slot, m.die[pu & (1 << m.pu_shift) - 1])
    m.op[o].kind, m.op[o].units = MODIFY, 1
    join_die(m, o, m.plan.read_ns, now)
    return 1


@inlined
def look(m: Machine, a: Arrays, slot: int, now: int) -> None:
    """Go on with a request whose map is there."""
    if m.op[slot].kind == READ:
        look_read(m, a, slot, now)
    else:
        look_write(m, a, slot, now)


# ---------------------------------------------------------------- the buffer


@inlined
def hashed(m: Machine, page: int) -> int:
    """Give the bucket of a page."""
    return (page * 0x9E3779B1 >> 15) & (m.bucket.size - 1)


@inlined
def waiting(m: Machine, page: int) -> int:
    """Give the entry of a page in the buffer, -1 if there is none."""
    if m.count[ENTRIES] == 0:
        return -1
    i = m.bucket[hashed(m, page)]
    while i >= 0 and m.entry[i].page != page:
        i = m.entry[i].next
    return i


@inlined
def forget(m: Machine, page: int, entry: int) -> None:
    """Take an entry out of its bucket."""
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
    """Let a write wait for room in the buffer."""
    m.op[slot].next = -1
    if m.count[ADMIT] < 0:
        m.count[ADMIT] = slot
        m.count[ADMIT_NEW] = 0
    else:
        m.op[m.count[ADMIT_LAST]].next = slot
    m.count[ADMIT_LAST] = slot


@inlined
def admit(m: Machine, a: Arrays, now: int) -> bool:
    """Take writes into the buffer while they fit.

    While the first one waits, nothing enters the buffer, so the room it needs can only grow.
    """
    did = False
    while m.count[ADMIT] >= 0:
        if m.count[USED] + m.count[ADMIT_NEW] > m.plan.buffer_units:
            break
        slot = m.count[ADMIT]
        page = m.op[slot].page
        end = page + m.op[slot].units
        if m.count[USED] + end - page > m.plan.buffer_units:
            needed = 0
            for u in range(page, end):
                needed += waiting(m, u) < 0
            m.count[ADMIT_NEW] = needed
            if m.count[USED] + needed > m.plan.buffer_units:
                break
        m.count[ADMIT] = m.op[slot].next
        m.count[ADMIT_NEW] = 0
        for u in range(page, end):
            if waiting(m, u) >= 0:
                m.count[MERGED] += 1
            else:
                push(m, u, now)
                prefetch(a.l2p, u)
        complete(m, a, slot, now)
        did = True
    return did


@inlined
def push(m: Machine, page: int, now: int) -> None:
    """Put a map unit into the buffer."""
    if m.count[ENTRIES] == m.entry.size:  # cannot be: entries <= used <= buffer_units
        m.count[OVERFLOW] = 2
        return
    i = m.count[ENTRY] + m.count[ENTRIES]
    if i >= m.entry.size:
        i -= m.entry.size
    h = hashed(m, page)
    m.entry[i].page = page
    m.entry[i].next = m.bucket[h]
    m.entry[i].admitted = now
    m.bucket[h] = i
    m.count[ENTRIES] += 1
    m.count[USED] += 1


@inlined
def flush(m: Machine, a: Arrays, now: int) -> bool:
    """Program entries of the buffer, whole program units or old ones."""
    unit = m.plan.unit
    did = False
    while m.count[ENTRIES] > 0:
        taken = min(unit, m.count[ENTRIES])
        if taken < unit and m.entry[m.count[ENTRY]].admitted + m.plan.age_ns > now:
            break
        if m.count[BLANK] - unit < m.plan.low_units:
            break
        if not open_if_full(a, HOST, KEEP):
            break
        block = a.opened[HOST]
        p = (a.position[HOST] - (block << a.rules[SHIFT])) * m.per_unit >> 40
        die = m.die[p]
        if m.busy[die] >= m.plan.programs_per_die:
            break
        for _ in range(taken):
            i = m.count[ENTRY]
            page = m.entry[i].page
            if page >= 0:
                forget(m, page, i)
                place(a, page, HOST)
            else:
                pad(a, HOST)
                m.count[PADDED] += 1
            m.count[ENTRY] = i + 1 if i + 1 < m.entry.size else 0
            m.count[ENTRIES] -= 1
        for _ in range(taken, unit):
            pad(a, HOST)
            m.count[PADDED] += 1
        m.busy[die] += 1
        m.count[BLANK] -= unit
        m.block[block].starting += 1
        m.programmed[block << m.pu_shift | p] = False
        program(m, PROGRAM, block, p, taken, block, now)
        did = True
    return did


@inlined
def program(m: Machine, kind: int, block: int, p: int, left: int, owner: int, now: int) -> None:
    """Send a program unit to its die, and the parity that follows it."""
    o = new(m, owner, m.die[p])
    m.op[o].kind, m.op[o].units = kind, m.plan.unit
    m.op[o].left = left
    m.op[o].page = block << m.pu_shift | p
    m.op[o].since = m.program_ns[p]
    join_channel(m, o, now)
    if m.parity_die[p] >= 0:
        o = new(m, block, m.parity_die[p])
        m.op[o].kind, m.op[o].units = PARITY, m.plan.unit
        m.op[o].since = m.parity_ns[p]
        join_channel(m, o, now)


# ---------------------------------------------------------------- cleaning


@jit
def fetch(m: Machine, a: Arrays, block: int, p: int) -> None:
    """Ask for the map of the pages of a program unit before it is needed."""
    if p < m.plan.data_programs:
        first = (np.int64(block) << a.rules[SHIFT]) + p * m.plan.unit
        for slot in range(first, first + m.plan.unit):
            prefetch(a.l2p, a.p2l[slot])


@jit
def clean(m: Machine, a: Arrays, now: int) -> bool:
    """Read live pages of victims while there is too little blank space."""
    did = False
    unit, data = m.plan.unit, m.plan.data_programs
    while True:
        if m.count[VICTIM] < 0:
            if m.count[BLANK] >= m.plan.high_units and a.counts[POOL] > KEEP:
                return did
            space = room(a, COPY) + a.counts[POOL] * (data * unit) - m.count[IN_FLIGHT]
            if a.counts[OLDEST] < 0 or space < data * unit:
                if m.count[IN_FLIGHT] == 0 and m.count[FILLED] > 0:
                    pad_copies(m, a, now)
                    did = True
                return did
            m.count[VICTIM] = begin(a)
            m.count[SCAN] = 0
            did = True
            for p in range(2):
                fetch(m, a, m.count[VICTIM], p)
        block = m.count[VICTIM]
        while m.count[SCAN] < data:
            if m.count[COPY_BUSY] >= m.plan.copy_units:
                return did
            if m.count[BLANK] >= m.plan.high_units and a.counts[POOL] > KEEP:
                return did
            p = m.count[SCAN]
            fetch(m, a, block, p + 2)
            first = (block << a.rules[SHIFT]) + p * unit
            live = 0
            for slot in range(first, first + unit):
                live += a.l2p[a.p2l[slot]] == slot
            m.count[SCAN] = p + 1
            m.count[BLANK] += unit
            did = True
            if live:
                m.block[block].pending += live
                m.count[COPY_BUSY] += live
                m.count[IN_FLIGHT] += live
                m.count[COPY_READS] += 1
                o = new(m, block, m.die[p])
                m.op[o].kind, m.op[o].units = CLEAN, live
                m.op[o].page = p
                join_die(m, o, m.plan.read_ns, now)
        m.block[block].scanned = 1
        if m.block[block].pending == 0:
            erase(m, block, now)
        m.count[VICTIM] = -1


@jit
def copy(m: Machine, a: Arrays, o: int, now: int) -> None:
    """Place the pages of a program unit of a victim that are still live."""
    block, p, live = m.op[o].owner, m.op[o].page, m.op[o].units
    drop(m, o)
    first = (block << a.rules[SHIFT]) + p * m.plan.unit
    moved = 0
    for slot in range(first, first + m.plan.unit):
        page = a.p2l[slot]
        if a.l2p[page] != slot:
            continue
        if not open_if_full(a, COPY, 0):
            m.count[NO_ROOM] = 1
            return
        if m.count[FILLED] == 0:
            to = a.opened[COPY]
            q = (a.position[COPY] - (to << a.rules[SHIFT])) * m.per_unit >> 40
            m.programmed[to << m.pu_shift | q] = False
            m.block[to].starting += 1
        move(a, page, slot, COPY)
        note_source(m, block)
        m.count[BLANK] -= 1
        m.count[FILLED] += 1
        moved += 1
        if m.count[FILLED] == m.plan.unit:
            program_copies(m, a, now)
    m.count[IN_FLIGHT] -= live
    if moved < live:
        m.count[COPY_BUSY] -= live - moved
        copied(m, block, live - moved, now)


@jit
def note_source(m: Machine, block: int) -> None:
    """Note that a map unit of the open program unit of copies came from a block."""
    n = m.count[FILLED_FROM]
    if n >= 0 and m.node[n].block == block:
        m.node[n].units += 1
        return
    i = m.count[SPARE_NODE]
    if i < 0:  # cannot be: each stands for one of at most copy_units + unit units on their way
        m.count[OVERFLOW] = 3
        return
    m.count[SPARE_NODE] = m.node[i].next
    m.node[i].block = block
    m.node[i].units = 1
    m.node[i].next = n
    m.count[FILLED_FROM] = i


@jit
def program_copies(m: Machine, a: Arrays, now: int) -> None:
    """Send the open program unit of copies, which is full, to its die."""
    block = a.opened[COPY]
    p = ((a.position[COPY] - 1 - (block << a.rules[SHIFT])) * m.per_unit) >> 40
    program(m, COPIED, block, p, m.count[FILLED], m.count[FILLED_FROM], now)
    m.count[FILLED], m.count[FILLED_FROM] = 0, -1


@jit
def pad_copies(m: Machine, a: Arrays, now: int) -> None:
    """Fill up the open program unit of copies without data, and send it."""
    for _ in range(m.count[FILLED], m.plan.unit):
        pad(a, COPY)
        m.count[PADDED] += 1
        m.count[BLANK] -= 1
    program_copies(m, a, now)


@jit
def copied(m: Machine, block: int, units: int, now: int) -> None:
    """Count copies of a victim that are done; erase it after the last one."""
    m.block[block].pending -= units
    if m.block[block].scanned and m.block[block].pending == 0:
        erase(m, block, now)


@jit
def erase(m: Machine, block: int, now: int) -> None:
    """Erase a block on all dies."""
    m.block[block].erasing = m.plan.dies
    for die in range(m.plan.dies):
        o = new(m, block, die)
        m.op[o].kind, m.op[o].units = ERASE, 0
        join_die(m, o, m.plan.erase_ns, now)


# ---------------------------------------------------------------- what follows a service


@inlined
def commanded(m: Machine, a: Arrays, o: int, now: int) -> int:
    """Go on after the controller; give the request that is completed, -1 if none is."""
    kind = m.op[o].kind
    if kind == CLEAN:
        copy(m, a, o, now)
    elif kind == TRIM:
        trim(m, a, o)
        return o
    elif m.plan.map_slots == 0 or read_map(m, o, now) == 0:
        look(m, a, o, now)
    return -1


@inlined
def transferred(m: Machine, a: Arrays, o: int, now: int) -> None:
    """Go on after a channel."""
    kind = m.op[o].kind
    if kind >= PROGRAM:
        join_die(m, o, m.op[o].since, now)
        return
    if kind == CLEAN:
        if m.plan.copy_ns > 0:
            join(m, CONTROLLER, o, m.plan.copy_ns * m.op[o].units, now)
        else:
            copy(m, a, o, now)
        return
    slot = m.op[o].owner
    drop(m, o)
    m.op[slot].left -= 1
    if m.op[slot].left == 0:
        if kind == DATA:
            join_link(m, slot, now)
        elif kind == MAP:
            look(m, a, slot, now)
        else:
            queue_up(m, slot)


@inlined
def programmed(m: Machine, o: int, now: int) -> None:
    """Count a program that is done."""
    kind = m.op[o].kind
    if kind == PARITY:
        m.count[PARITY_PROGRAMS] += 1
        drop(m, o)
        return
    pu = m.op[o].page
    m.programmed[pu] = True
    m.block[pu >> m.pu_shift].starting -= 1
    if kind == PROGRAM:
        m.count[PROGRAMS] += 1
        m.count[USED] -= m.op[o].left
        m.busy[m.op[o].die] -= 1
    else:
        m.count[COPY_PROGRAMS] += 1
        n = m.op[o].owner
        while n >= 0:
            m.count[COPY_BUSY] -= m.node[n].units
            copied(m, m.node[n].block, m.node[n].units, now)
            after = m.node[n].next
            m.node[n].next = m.count[SPARE_NODE]
            m.count[SPARE_NODE] = n
            n = after
    drop(m, o)


@inlined
def served(m: Machine, a: Arrays, o: int, now: int) -> None:
    """Go on after a die."""
    kind = m.op[o].kind
    if kind < PROGRAM:
        join_channel(m, o, now)
    elif kind < ERASE:
        programmed(m, o, now)
    else:
        m.count[ERASES] += 1
        block = m.op[o].owner
        drop(m, o)
        m.block[block].erasing -= 1
        if m.block[block].erasing == 0:
            finish(a, block)
            m.block[block].scanned = 0


@inlined
def event(m: Machine, a: Arrays, s: int, now: int) -> None:
    """Handle an event with what follows from it at once."""
    dies = CHANNEL + m.plan.channels
    timer = dies + m.plan.dies
    if s < timer:
        o = m.station[s].current
        m.station[s].current = -1
        m.station[s].busy += now - m.station[s].since
        touch(m, s)
        done = -1
        if s >= dies:
            served(m, a, o, now)
        elif s >= CHANNEL:
            transferred(m, a, o, now)
        elif s == CONTROLLER:
            done = commanded(m, a, o, now)
        elif m.op[o].kind == READ:
            done = o
        else:
            join(m, CONTROLLER, o, m.plan.write_command_ns, now)
        if done >= 0:
            complete(m, a, done, now)
    elif s == timer:
        m.count[TIMER] = 0
    elif s == timer + 1:
        arrive(m, a, s, now)
    else:
        issue(m, a, s - timer - 2, now, now)


@inlined
def settle(m: Machine, a: Arrays, now: int) -> None:
    """End an instant: buffer and cleaning as far as they can, then jobs begin."""
    again = True
    while again:
        again = False
        if m.count[ADMIT] >= 0:
            again = admit(m, a, now)
        if m.count[ENTRIES] > 0:
            again = flush(m, a, now) or again
        if m.count[BLANK] < m.plan.high_units or a.counts[POOL] <= KEEP:
            again = clean(m, a, now) or again
    if m.count[ENTRIES] > 0 and m.count[TIMER] == 0:
        old = m.entry[m.count[ENTRY]].admitted + m.plan.age_ns
        if old > now:  # an old entry needs no event: it goes as soon as something lets it
            m.count[TIMER] = 1
            timer = CHANNEL + m.plan.channels + m.plan.dies
            schedule(m.key, timer, old << m.bits | timer)
    for i in range(m.count[TOUCHED]):
        s = m.touched[i]
        m.station[s].touched = 0
        grant(m, s, now)
    m.count[TOUCHED] = 0


@inlined
def start(m: Machine, a: Arrays, now: int) -> None:
    """Issue the first requests, or set the clock of the first arrival."""
    m.count[STARTED] = 1
    if m.open_loop:
        timer = CHANNEL + m.plan.channels + m.plan.dies + 1
        m.count[DUE] = m.gaps[0]
        schedule(m.key, timer, m.gaps[0] << m.bits | timer)
        return
    for slot in range(m.plan.queue_depth):
        if not issue(m, a, slot, now, now):
            return


@jit
def advance(m: Machine, a: Arrays, until: int) -> int:
    """Handle the events up to a time, that time included; say why it ended.

    An instant begins only if the batch has a request for each slot, or is the last one, and if
    there are operations for all that it may begin.
    """
    mask = (1 << m.bits) - 1
    while True:
        if m.count[WORDS] - m.count[WORD] < m.plan.queue_depth and not m.count[EXHAUSTED]:
            return MORE
        if m.op.size - m.count[OPS] < m.margin:
            return GROW
        if m.count[NO_ROOM] or m.count[OVERFLOW]:
            return FAILED
        if m.count[COMPLETED] == m.plan.last_request:
            return ENDED
        now = m.count[NOW]
        if not m.count[STARTED]:
            start(m, a, now)
        else:
            key = m.key[1]
            if key == NEVER:
                return IDLE
            now = key >> m.bits
            if now > until:
                return PAUSED
            m.count[NOW] = now
            while key >> m.bits == now:
                s = key & mask
                schedule(m.key, s, NEVER)
                event(m, a, s, now)
                key = m.key[1]
        settle(m, a, now)
