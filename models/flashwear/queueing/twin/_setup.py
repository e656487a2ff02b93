"""The initial arrays of the compiled model."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from flashwear._compiled import zero_record
from flashwear.ftl import arrays
from flashwear.queueing import requests as io
from flashwear.queueing.plan import Plan, Prepared, blank_units, idle_clock, key_bits
from flashwear.queueing.result import BINS
from flashwear.queueing.twin import _stations as stations

BATCH = 65_536
"""Number of requests that are drawn at a time."""


def _margin(plan: Plan) -> int:
    """Return the most operations that one instant can begin, reckoned generously.

    Requests look for their reads after the controller, or when a channel brings the last page of
    the map: at most one for each of these stations, and for each slot; such a request reads one
    page of the map or of the flash for each of its map units. Programs of the host are limited for
    each die. Cleaning reads stop at `copy_units`, and each read is of one unit at least. Copies
    come from one channel or the controller each and fill at most one program unit, and one may be
    padded. Each program may bring one of parity. Each block is erased once.

    What is under way from earlier instants is no part of this: the machine asks for more
    operations before an instant if fewer than this many are spare. Beside parity, which nothing
    limits, it is limited in the same way.
    """
    largest = min(-(-io.MOST_SECTORS // plan.unit_sectors) + 1, plan.user_units)
    requests = min(plan.queue_depth, 1 + plan.channels) * largest
    programs = plan.dies * plan.programs_per_die + plan.channels + 2
    return requests + 2 * programs + plan.copy_units + plan.dies * plan.blocks


def machine(run: Prepared, record: bool) -> stations.Machine:
    """Return the machine at the start of a run."""
    plan, a = run.plan, run.state.arrays
    count = stations.CHANNEL + plan.channels + plan.dies
    bits = key_bits(plan)
    program_ns, parity_die, parity_ns = _programs(run)
    pu_shift = int(plan.data_programs - 1).bit_length()
    margin = _margin(plan)
    slots = plan.queue_depth
    op = np.zeros(slots + 2 * margin + 1, stations.OPERATION)
    op["next"] = np.arange(1, op.size + 1)
    op["next"][-2:] = -1
    op["kind"][:slots] = -1
    station = np.zeros(count, stations.STATION)
    for name in ("current", "held", "head", "tail", "first", "last"):
        station[name] = -1
    node = np.zeros(plan.copy_units + plan.unit, stations.NODE_OF)
    node["next"] = np.append(np.arange(1, node.size), -1)
    state = zero_record(stations.STATE)
    state.admit_first = state.victim = state.filled_from = -1
    state.spare_op, state.ops = slots, slots + 1
    state.blank = blank_units(plan, a)
    block = np.zeros(plan.blocks, stations.BLOCK_OF)
    in_cache = np.isin(a.block["status"], (arrays.OPEN, arrays.CACHED))
    block["slc"] = in_cache & (a.block["mode"] != arrays.MAIN)
    sectors = plan.unit_sectors
    recorded = BATCH + 2 * slots if record else 0
    return stations.Machine(
        plan=plan,
        bits=bits,
        sector_shift=sectors.bit_length() - 1 if sectors & (sectors - 1) == 0 else -1,
        pu_shift=pu_shift,
        per_unit=-(-(2**40) // plan.unit),
        idle_clock=idle_clock(plan),
        margin=margin,
        slot_shift=int(a.rules.shift),
        think=plan.think_ns > 0,
        open_loop=run.interarrivals is not None,
        counts=zero_record(stations.COUNTS),
        state=state,
        l2p=a.l2p,
        key=np.full(2 << bits, stations.NEVER, np.int64),
        touched=np.zeros(count, np.int64),
        station=station,
        op=op,
        entry=np.zeros(plan.buffer_units, stations.ENTRY_OF),
        bucket=np.full(2 << plan.buffer_units.bit_length(), -1, np.int64),
        block=block,
        node=node,
        programmed=np.ones(plan.blocks << pu_shift, np.bool_),
        busy=np.zeros(plan.dies, np.int64),
        die=_position(plan) % plan.dies,
        row=_position(plan) // plan.dies,
        program_ns=program_ns,
        parity_die=parity_die,
        parity_ns=parity_ns,
        tags=np.full(max(1, plan.map_slots), -1, np.int64),
        words=np.zeros(BATCH + slots + stations.AHEAD, np.int64),
        interarrivals=np.zeros(0, np.int64) if run.interarrivals is None else run.interarrivals,
        guess=np.zeros(3, np.int64),
        histogram=np.zeros(3 * BINS, np.int64),
        completion=np.full(recorded, -1, np.int64),
        latency=np.full(recorded, -1, np.int64),
        kinds=np.zeros(recorded, np.int8),
    )


def _position(plan: Plan) -> NDArray[np.int64]:
    """Return the position of each program unit in its superblock, parity counted in."""
    p = np.arange(plan.data_programs)
    return p + p // plan.stripe if plan.stripe else p


def _programs(run: Prepared) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the times of programs, and die and time of the parity that follows (-1: none).

    First for the program units of a main superblock, then for those of one in SLC mode.
    """
    plan = run.plan
    p, position = np.arange(plan.data_programs), _position(plan)
    program_ns = run.program_ns[position // plan.dies % plan.kinds]
    parity_ns = run.program_ns[(position + 1) // plan.dies % plan.kinds]
    slc_ns = np.full(p.size, plan.slc_program_ns)
    parity_die = []
    for programs in (plan.data_programs, plan.slc_programs):
        last = p + 1 == programs
        ends = ((p + 1) % plan.stripe == 0) | last if plan.stripe else np.zeros(p.size, bool)
        parity_die.append(np.where(ends, (position + 1) % plan.dies, -1))
    return (
        np.concatenate((program_ns, slc_ns)),
        np.concatenate(parity_die),
        np.concatenate((parity_ns, slc_ns)),
    )


def grown(m: stations.Machine) -> stations.Machine:
    """Return the machine with a pool of twice as many operations."""
    size = m.op.size
    op = np.zeros(2 * size, stations.OPERATION)
    op[:size] = m.op
    # the last one of all stays apart; that of before becomes a spare one
    op["next"][size - 1 : -2] = np.arange(size, op.size - 1)
    op["next"][-2] = m.state.spare_op
    m.state.spare_op = size - 1
    return m._replace(op=op)
