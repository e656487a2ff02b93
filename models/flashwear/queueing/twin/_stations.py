"""The parts of the compiled queueing model: arrays, events, stations and queues.

Time is in whole nanoseconds. Every station, timer and thinking host slot has at most one coming
event, so events are the leaves of a tree of minima instead of a heap. The key of a leaf packs the
time and the number of the station into one word, that of a node is the smaller of the two keys
below it. A suspended operation has no event until it is resumed.

Everything that waits or is in progress is a record of `op`; queues are linked through `next`. The
first records are the requests in the host's slots, the others flash operations, taken from a list
of spare records. In all functions, `m` is the machine, `s` a station, `o` a record, `now` in ns.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from flashwear._compiled import by_pointer, inlined, whole_numbers
from flashwear.queueing.plan import Plan
from flashwear.queueing.requests import COUNT_MASK, COUNT_SHIFT, SECTOR
from flashwear.queueing.result import COUNTED

# what an operation is, beside WRITE 0, TRIM 1 and READ 2 of the host; programs and erases are last
DATA, MAP, MODIFY, CLEAN, PROGRAM, COPIED, PARITY, ERASE = range(3, 11)

LINK, CONTROLLER, CHANNEL = 0, 1, 2  # numbers of stations; dies follow the channels, then timers

COUNTS = whole_numbers(*COUNTED)

STATE = whole_numbers(
    "started",
    "now",
    "issued",
    "completed",
    "next_word",  # next request of the batch, and the end of the batch
    "words_end",
    "exhausted",  # no batch comes after this one
    "arrived",
    "next_arrival",  # time at which the next request to be issued arrives
    "free_slot",  # no slot below it is free
    "spare_op",  # first spare operation
    "ops",  # operations in use
    "spare_node",
    "touched",  # stations that may begin a job when the instant ends
    "first_entry",  # oldest entry of the buffer
    "entries",
    "buffered",  # map units of the buffer that are in use
    "admit_first",  # first and last request that wait for room in the buffer, -1 if none
    "admit_last",
    "admit_room",  # least room that the first one takes
    "age_timer",  # whether it runs
    "blank",  # map units of blank space
    "victim",
    "next_scan",  # next program unit of the victim
    "copy_busy",
    "in_flight",
    "filled",  # map units in the open program unit of copies, and where they are from
    "filled_from",
    "filled_last",
    "no_room",
    "overflow",  # 1 + the pool that was too small
    "host_waits",  # until the cache can take a superblock
    "quiet_since",  # when the last request was completed
    "idle_timer",  # whether it runs
    "host_under_way",  # programs of the host, and of copies
    "copies_under_way",
    "host_ended_row",  # with its last program, unless folding had its turn since
    "folded",  # programs read from the cache in this turn of folding, and the number of the program
    "folded_from",  # of a superblock that it goes on with
)

PAUSED, IDLE, ENDED, MORE, GROW, FAILED = range(6)
"""Why the machine returns: time is up; no event to come; last request completed; the batch of
requests or the pool of operations runs low; it cannot go on."""

POOLS = ("operations", "entries of the buffer", "sources of copies")

NEVER = 2**63 - 1

REST = -1

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
        ("rest", np.int64),  # of a service in parts, after the first; REST when that is under way
        ("parts", np.int64),  # ways that a request has to go to its end
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
        ("slc", np.int64),  # whether it is in SLC mode
    ],
    align=True,
)

NODE_OF = np.dtype([("block", np.int64), ("units", np.int64), ("next", np.int64)], align=True)

Ints = NDArray[np.int64]


@by_pointer
class Machine(NamedTuple):
    """State of a simulated drive during a run, in arrays for compiled code; see the comments."""

    plan: Plan
    bits: int  # of a key below the time
    sector_shift: int  # -1: sectors of a map unit are no power of two
    pu_shift: int  # program unit: number of block << pu_shift | number in the block
    per_unit: int  # 2**40 over map units of a program unit, rounded up
    idle_clock: int  # number of the clock of idle times among the clocks
    margin: int  # operations that one instant may begin
    slot_shift: int  # of a slot of the map: its block
    think: bool
    open_loop: bool
    counts: Any  # record of COUNTS
    state: Any  # record of STATE
    l2p: NDArray[np.int32]  # the map, as the layer below has it
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
    row: Ints
    program_ns: Ints  # by program unit of a main block, then of one in SLC mode; so the next
    parity_die: Ints  # of the parity that follows, -1 if none
    parity_ns: Ints
    tags: Ints  # pages of the map that are held
    words: Ints
    interarrivals: Ints
    guess: Ints  # shift of the last latency of each kind
    histogram: Ints
    completion: Ints
    latency: Ints
    kinds: NDArray[np.int8]


@inlined
def schedule(key: Ints, leaf: int, value: int) -> None:
    """Set the key of a leaf in the tree of next events, and update the minima above it."""
    i = (key.size >> 1) + leaf
    key[i] = value
    while i > 1:
        value = min(value, key[i ^ 1])
        i >>= 1
        key[i] = value


@inlined
def at(m: Machine, s: int, time: int) -> None:
    """Schedule the next event of station or clock `s` for `time` in ns."""
    schedule(m.key, s, time << m.bits | s)


@inlined
def clock(m: Machine) -> int:
    """Return the number of the first clock: buffer age; then arrivals, think times, idle time."""
    return CHANNEL + m.plan.channels + m.plan.dies


@inlined
def touch(m: Machine, s: int) -> None:
    """Note that a station may start a job at the end of this instant."""
    if not m.station[s].touched:
        m.station[s].touched = 1
        m.touched[m.state.touched] = s
        m.state.touched += 1


@inlined
def join(m: Machine, s: int, o: int, service: int, now: int) -> None:
    """Append job `o`, which takes `service` ns, to the queue of station `s`."""
    if m.station[s].head < 0:
        m.station[s].head = o
    else:
        m.op[m.station[s].tail].next = o
    m.station[s].tail = o
    joined(m, s, o, service, now)


@inlined
def join_die(m: Machine, o: int, service: int, now: int) -> None:
    """Append job `o`, which takes `service` ns, to one of the queues of its die."""
    s = CHANNEL + m.plan.channels + m.op[o].die
    if not (m.plan.reads_first and m.op[o].kind < CLEAN):
        join(m, s, o, service, now)
        return
    if m.station[s].first < 0:
        m.station[s].first = o
    else:
        m.op[m.station[s].last].next = o
    m.station[s].last = o
    joined(m, s, o, service, now)


@inlined
def joined(m: Machine, s: int, o: int, service: int, now: int) -> None:
    """Record that job `o`, which takes `service` ns, has joined the queue of station `s`."""
    m.op[o].service = service
    m.op[o].joined = now
    m.op[o].next = -1
    m.station[s].waiting += 1
    m.station[s].longest = max(m.station[s].longest, m.station[s].waiting)
    touch(m, s)


@inlined
def join_channel(m: Machine, o: int, now: int) -> None:
    """Put operation `o` into the queue of its die's channel, to transfer its data."""
    service = m.plan.transfer_overhead_ns + m.op[o].units * m.plan.transfer_ns
    join(m, CHANNEL + m.op[o].die % m.plan.channels, o, service, now)


@inlined
def wire_ns(m: Machine, sectors: int) -> int:
    """Return how long a request of so many sectors takes on the host link, in nanoseconds."""
    return m.plan.link_overhead_ns + sectors * SECTOR * m.plan.link_fs_per_byte // 10**6


@inlined
def sectors_of(m: Machine, o: int) -> int:
    """Return how many sectors request `o` has."""
    return m.op[o].word >> COUNT_SHIFT & COUNT_MASK


@inlined
def join_link(m: Machine, o: int, now: int) -> None:
    """Put request `o` into the queue of the host link, to transfer its data."""
    join(m, LINK, o, wire_ns(m, sectors_of(m, o)), now)


@inlined
def grant(m: Machine, s: int, now: int) -> None:
    """Start the next job of a station, if it may begin."""
    current = m.station[s].current
    if current >= 0:
        if m.station[s].first < 0 or m.plan.suspend_ns < 0 or m.op[current].kind < PROGRAM:
            return  # busy, with what is not suspended
        m.counts.suspends += 1
        m.station[s].held = current
        m.station[s].remaining = m.station[s].due - now
        m.station[s].busy += now - m.station[s].since
    o = m.station[s].first
    if o >= 0:
        m.station[s].first = m.op[o].next
    elif m.station[s].held >= 0:
        o = m.station[s].held
        m.station[s].held = -1
        work(m, s, o, m.station[s].remaining + m.plan.suspend_ns, now)
        return  # it goes on with what was suspended, which has been counted
    else:
        o = m.station[s].head
        if o < 0:
            return  # nothing waits
        m.station[s].head = m.op[o].next
    m.station[s].waiting -= 1
    m.station[s].wait += now - m.op[o].joined
    m.station[s].jobs += 1
    work(m, s, o, m.op[o].service, now)


@inlined
def work(m: Machine, s: int, o: int, service: int, now: int) -> None:
    """Let station `s` serve job `o` for `service` ns from now on."""
    m.station[s].current = o
    m.station[s].since = now
    m.station[s].due = now + service
    at(m, s, now + service)


@inlined
def new(m: Machine, kind: int, units: int, owner: int, die: int) -> int:
    """Take a flash operation from the free list, set its fields, and return its number."""
    o = m.state.spare_op
    if o < 0:  # cannot be, see _margin in _setup.py
        m.state.overflow = 1
        o = m.op.size - 1
    else:
        m.state.spare_op = m.op[o].next
    m.state.ops += 1
    m.op[o].kind = kind
    m.op[o].units = units
    m.op[o].owner = owner
    m.op[o].die = die
    return o


@inlined
def read(m: Machine, kind: int, units: int, owner: int, die: int, ns: int, now: int) -> int:
    """Queue a flash read of `units` map units, of `ns` nanoseconds, at a die; return its number."""
    o = new(m, kind, units, owner, die)
    join_die(m, o, ns, now)
    return o


@inlined
def read_ns(m: Machine, block: int) -> int:
    """Return how long it takes to read a page of a superblock, in nanoseconds."""
    return m.plan.slc_read_ns if m.block[block].slc else m.plan.read_ns


@inlined
def drop(m: Machine, o: int) -> None:
    """Return the record of operation `o`, which is finished, to the free list."""
    m.op[o].next = m.state.spare_op
    m.state.spare_op = o
    m.state.ops -= 1
