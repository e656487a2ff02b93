"""The firmware's handling of requests: reads, the write buffer and its flush."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial

import simpy

from flashwear.ftl import steps
from flashwear.ftl.arrays import OWN
from flashwear.queueing.plan import HOST
from flashwear.queueing.reference._blocks import Blocks
from flashwear.queueing.reference._cleaning import Cleaning
from flashwear.queueing.reference.cache import WAIT, Cache
from flashwear.queueing.reference.request import Request
from flashwear.queueing.reference.stations import Network, Read


class Firmware:
    """The drive's firmware: requests and write buffer, on top of blocks, cache and cleaning.

    `network` has the drive's stations (link, controller, channels, dies) and their clock.
    """

    def __init__(self, network: Network) -> None:
        self.network, self.plan, self.counts = network, network.plan, network.counts
        self.blocks = Blocks(network)
        self.cache = Cache(self.blocks)
        self.cleaning = Cleaning(self.blocks, self.cache)
        self.a = self.blocks.a
        network.decide = self.decide
        plan = self.plan
        self.map_pages = [-1] * plan.map_slots  # those in DRAM
        self.entries: deque[tuple[int, int, int]] = deque()  # sequence number, page, when
        self.sequence = 0
        self.waiting: dict[int, int] = {}  # sequence number of a page that waits in the buffer
        self.used = 0
        self.writes: deque[tuple[Request, simpy.Event]] = deque()
        self.barrier = -1  # entries before this one do not wait for others
        self.host_programs = [0] * plan.dies
        self.turns = self.cleaning.turns

    def on_flash(self, page: int) -> int:
        """Return the flash slot of map unit `page`, or -1 if it is in DRAM or holds no data."""
        slot = int(self.a.l2p[page])
        if page in self.waiting or slot < 0:
            return -1
        block, program = self.blocks.where(slot)
        done = self.blocks.programmed[block * self.plan.data_programs + program]
        return slot if done else -1

    # what requests ask

    def to_look_up(self, request: Request) -> list[Read]:
        """Return the reads of map pages that a request needs and DRAM does not hold."""
        plan = self.plan
        if not plan.map_slots:
            return []
        units = request.units(plan)
        reads = []
        for page in range(units[0] // plan.map_entries, units[-1] // plan.map_entries + 1):
            if self.map_pages[page % plan.map_slots] != page:
                self.map_pages[page % plan.map_slots] = page
                reads.append(Read(page % plan.dies, 1, plan.read_ns))
        self.counts["map_reads"] += len(reads)
        return reads

    def to_read(self, request: Request) -> list[Read]:
        """Return the flash reads that a read request needs."""
        reads: list[Read] = []
        last = None
        for page in request.units(self.plan):
            slot = self.on_flash(page)
            if slot < 0:
                self.counts["buffer_reads"] += page in self.waiting or int(self.a.l2p[page]) >= 0
                continue
            place = self.blocks.where(slot)
            if place == last:
                reads[-1] = reads[-1]._replace(units=reads[-1].units + 1)
            else:
                reads.append(self.blocks.read_of(*place))
            last = place
        self.counts["flash_reads"] += len(reads)
        return reads

    def to_modify(self, request: Request) -> list[Read]:
        """Return the flash reads of map units that a write changes only in part."""
        units = request.units(self.plan)
        reads = []
        for page in sorted({units[0], units[-1]}):
            slot = -1 if request.covers(page, self.plan) else self.on_flash(page)
            if slot >= 0:
                reads.append(self.blocks.read_of(*self.blocks.where(slot)))
        self.counts["modify_reads"] += len(reads)
        return reads

    def trim(self, request: Request) -> None:
        """Unmap the map units that a request covers entirely."""
        for page in request.units(self.plan):
            if request.covers(page, self.plan):
                self.waiting.pop(page, None)
                steps.unmap(self.a, page)
        self.network.wake()
        self.blocks.watcher.trimmed(request)

    def join(self, request: Request) -> simpy.Event:
        """Queue a write for room in the buffer; return the event that fires when it is accepted."""
        done = self.network.env.event()
        self.writes.append((request, done))
        self.network.wake()
        return done

    # what the firmware decides

    def decide(self) -> None:
        """Admit, flush and clean until nothing more can be done at this time."""
        while self.admit() | self.flush(self.mode_to_write) | self.cleaning.clean():
            pass
        if self.entries and not self.oldest_is_due():
            self.network.wake_at(self.entries[0][2] + self.plan.age_ns, self.network.clock)
        self.cache.watch_idle()

    def admit(self) -> bool:
        """Accept queued writes into the buffer as long as they fit; return whether any did."""
        changed = False
        while self.writes:
            request, done = self.writes[0]
            pages = request.units(self.plan)
            new = sum(page not in self.waiting for page in pages)
            if self.used + new > self.plan.buffer_units:
                break
            if not self.cleaning.admits(new, self.used, len(self.entries)):
                break
            self.writes.popleft()
            for page in pages:
                if page in self.waiting:
                    self.counts["merged"] += 1
                else:
                    self.waiting[page] = self.sequence
                    self.entries.append((self.sequence, page, self.network.now))
                    self.sequence += 1
            self.used += new
            done.succeed()
            self.network.completed()
            self.blocks.watcher.admitted(request)
            changed = True
        return changed

    def oldest_is_due(self) -> bool:
        """Return whether the buffer's oldest data must be programmed, even in a unit not filled."""
        sequence, _, since = self.entries[0]
        return sequence < self.barrier or since + self.plan.age_ns <= self.network.now

    def mode_to_write(self) -> int:
        """Return the kind of superblock that takes host data now.

        It is MAIN, in SLC mode SHARED (of the main area) or OWN (the cache's own), or WAIT if none
        can.
        """
        return WAIT if self.cleaning.waits_for_turn() else self.cache.mode_to_write()

    def flush(self, mode_to_write: Callable[[], int]) -> bool:
        """Send data from the buffer to the flash by program units; return whether any was sent.

        `mode_to_write` is called before each unit and returns the kind of superblock that takes it:
        MAIN, in SLC mode SHARED (of the main area) or OWN (the cache's own), or WAIT for none.
        """
        plan, blocks, changed = self.plan, self.blocks, False
        while self.entries and (len(self.entries) >= plan.unit or self.oldest_is_due()):
            mode = mode_to_write()
            if mode == WAIT:
                break
            if blocks.room(HOST) == 0:
                self.cache.open_for_host(mode)
            block, number = blocks.where(int(self.a.position[HOST]))
            die = blocks.position(number) % plan.dies
            if self.host_programs[die] >= plan.programs_per_die:
                break
            entries = 0
            for _ in range(plan.unit):
                if not self.entries:
                    blocks.pad(HOST)
                    continue
                sequence, page, _ = self.entries.popleft()
                entries += 1
                if self.waiting.get(page) == sequence:
                    del self.waiting[page]
                    steps.place(self.a, page, HOST)
                else:  # trimmed meanwhile
                    blocks.pad(HOST)
            if mode != OWN:
                blocks.free_units -= plan.unit
            self.host_programs[die] += 1
            self.turns.host_begins(number, blocks.programs(block))
            blocks.starting[block] += 1
            blocks.start(block, number, partial(self.written, block, die, entries))
            changed = True
        return changed

    def written(self, block: int, die: int, entries: int) -> None:
        """Note that a program unit of host data is on flash, and free its space in the buffer.

        It holds `entries` map units, and lies in superblock `block` on die `die`.
        """
        self.used -= entries
        self.host_programs[die] -= 1
        self.turns.host_under_way -= 1
        self.counts["programs"] += 1
        self.counts["cache_programs"] += self.blocks.is_slc(block)

    @property
    def emptied(self) -> bool:
        """Whether no data is left in the buffer, and none is being programmed."""
        return not self.entries and not self.turns.host_under_way
