"""The stations of a drive in SimPy, and the order of simultaneous events."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator
from typing import Any, NamedTuple, TypeAlias

import simpy
from simpy.events import NORMAL, EventPriority

from flashwear.queueing.plan import Prepared
from flashwear.queueing.result import COUNTED

Process: TypeAlias = Generator[simpy.Event, Any, None]

ERASE = -1
"""In place of the row of a program: the die erases."""

# ranks: 0 and 1 are SimPy's own, for what follows at once; the firmware comes after all that ends
_FIRST_STATION, _DECIDE, _GRANT = 2, EventPriority(10**9), EventPriority(10**9 + 1)


class Alarm(simpy.Timeout):
    """A timeout after `delay` ns; alarms that end at the same time fire in order of `rank`."""

    def __init__(self, env: simpy.Environment, rank: EventPriority, delay: int) -> None:
        self.rank = rank
        super().__init__(env, delay)


class Clock(simpy.Environment):
    """SimPy's event loop, in which alarms of the same time fire by rank."""

    def schedule(
        self, event: simpy.Event, priority: EventPriority = NORMAL, delay: float = 0
    ) -> None:
        """Schedule an event `delay` ns from now; an alarm takes its rank in place of `priority`."""
        super().schedule(event, event.rank if isinstance(event, Alarm) else priority, delay)


class Read(NamedTuple):
    """A read of ``units`` map units of one page of die ``die``, which takes the die ``ns`` ns."""

    die: int
    units: int
    ns: int


class Task(NamedTuple):
    """A program or erase operation of a die on its part of superblock ``block``.

    ``row`` is the page of each block that is programmed, or :data:`ERASE`; ``number`` counts the
    program units of data in the superblock, and is -1 for parity and for an erase.
    """

    block: int
    row: int  # of the program, or ERASE
    number: int  # among the programs of data; -1: parity, or an erase


class Job(NamedTuple):
    """A piece of service in a station's queue: it takes ``ns`` and joined the queue at ``joined``.

    The event ``done`` fires at its end. ``task`` is a program or erase that may be suspended, None
    for anything else. ``first`` is the length of a first part in ns and the event at its end.
    """

    done: simpy.Event
    ns: int
    joined: int
    task: Task | None  # which may be suspended; None: a read, a transfer or a command
    first: tuple[int, simpy.Event] | None = None  # time of a first part, and its end


class Station:
    """A server with a first-come, first-served queue.

    `network` has all stations of the drive, and `number` is that of this one among them.
    """

    def __init__(self, network: Network, number: int) -> None:
        self.network, self.number = network, number
        self.queue: deque[Job] = deque()
        self.job: Job | None = None
        self.began = self.due = 0
        self.busy = self.waited = self.jobs = self.longest = 0

    def serve(self, ns: int, task: Task | None = None) -> simpy.Event:
        """Queue a job of `ns` nanoseconds; return the event at its end.

        `task` is the program or erase operation that it belongs to, if any.
        """
        return self._join(self.queue, ns, task)

    def serve_in_parts(self, first_ns: int, rest_ns: int) -> tuple[simpy.Event, simpy.Event]:
        """Queue a service of `first_ns`, then `rest_ns` ns; return the end events of both parts."""
        if rest_ns == 0:
            done = self.serve(first_ns)
            return done, done
        first = self.network.env.event()
        job = Job(
            self.network.env.event(), first_ns + rest_ns, self.network.now, None, (first_ns, first)
        )
        return first, self._add(self.queue, job)

    def _join(self, queue: deque[Job], ns: int, task: Task | None) -> simpy.Event:
        return self._add(queue, Job(self.network.env.event(), ns, self.network.now, task))

    def _add(self, queue: deque[Job], job: Job) -> simpy.Event:
        queue.append(job)
        self.longest = max(self.longest, self.waiting)
        self.network.wake(self)
        return job.done

    @property
    def waiting(self) -> int:
        """Jobs in the queue."""
        return len(self.queue)

    def grant(self) -> None:
        """Begin the next job, if one waits and the station is idle."""
        if self.job is None and self.queue:
            self._begin(self.queue.popleft())

    def _begin(self, job: Job) -> None:
        self.jobs += 1
        self.waited += self.network.now - job.joined
        if job.first is not None:
            self._go_on_after(*job.first)
        self._work(job, job.ns)

    def _go_on_after(self, ns: int, first: simpy.Event) -> None:
        def ring(_: simpy.Event) -> None:
            first.succeed()

        self.network.at(self.network.now + ns, self.number).callbacks.append(ring)

    def _work(self, job: Job, ns: int) -> None:
        self.job, self.began = job, self.network.now
        self.due = self.began + ns
        self.network.at(self.due, self.number).callbacks.append(self._end)

    def _end(self, _: simpy.Event) -> None:
        self.busy += self.network.now - self.began
        job, self.job = self.job, None
        self.network.wake(self)
        if job is not None:
            job.done.succeed()

    def busy_until(self, now: int) -> int:
        """Return how long the station was busy until `now`, in ns, the current service included."""
        return self.busy + (now - self.began if self.job is not None else 0)


class Die(Station):
    """A die, which may serve host reads first, and suspend programs and erases for them.

    `network` has all stations of the drive, and `number` is that of this one among them.
    """

    def __init__(self, network: Network, number: int) -> None:
        super().__init__(network, number)
        self.reads: deque[Job] = deque()
        self.suspended: tuple[Job, int] | None = None

    @property
    def waiting(self) -> int:
        """Jobs that wait at the die, host reads and others."""
        return len(self.queue) + len(self.reads)

    def read(self, ns: int) -> simpy.Event:
        """Queue a host read of `ns` nanoseconds at the die; return the event at its end."""
        return self._join(self.reads if self.network.plan.reads_first else self.queue, ns, None)

    @property
    def task(self) -> Task | None:
        """The program or erase that the die performs, suspended or not."""
        if self.job is None or self.job.task is None:
            return self.suspended[0].task if self.suspended is not None else None
        return self.job.task

    def grant(self) -> None:
        """Begin a host read, else resume what was suspended, else begin the next job."""
        plan = self.network.plan
        if self.job is not None and self.job.task and self.reads and plan.suspend_ns >= 0:
            self.busy += self.network.now - self.began
            self.suspended = self.job, self.due - self.network.now
            self.job = None
            self.network.counts["suspends"] += 1
        if self.job is not None:
            return
        if self.reads:
            self._begin(self.reads.popleft())
        elif self.suspended is not None:
            job, left = self.suspended
            self.suspended = None
            self._work(job, left + plan.suspend_ns)
        else:
            super().grant()

    def _end(self, event: simpy.Event) -> None:
        if self.job is not None and self.due == self.network.now:
            super()._end(event)
        else:  # the end of a service that was suspended meanwhile
            self.network.wake(self)


class Network:
    """The stations of a drive (link, controller, channels and dies), and their common clock.

    `run` has the drive's parameters and state, and the host's requests.
    """

    def __init__(self, run: Prepared) -> None:
        self.plan, self.run, self.env = run.plan, run, Clock()
        plan = run.plan
        self.counts = dict.fromkeys(COUNTED, 0)
        self.link, self.controller = Station(self, 0), Station(self, 1)
        self.channels = [Station(self, 2 + i) for i in range(plan.channels)]
        self.dies = [Die(self, 2 + plan.channels + i) for i in range(plan.dies)]
        # numbers of the clocks, after those of the stations: age, arrivals, slots, idle
        self.clock = 2 + plan.channels + plan.dies
        self.alarms: set[int] = set()  # clocks that are to wake the firmware
        self.awake: dict[int, Station] = {}
        self.woken = False
        self.outstanding = self.quiet = 0  # requests not completed; when the last one was
        self.decide: Callable[[], None]  # what the firmware does at the end of an instant

    # time

    @property
    def now(self) -> int:
        """Nanoseconds since the start of the simulation."""
        return int(self.env.now)

    def at(self, time: int, number: int) -> Alarm:
        """Return an event that fires at `time` ns; events at one time fire in order of `number`."""
        return Alarm(self.env, EventPriority(_FIRST_STATION + number), time - self.now)

    def wake_at(self, time: int, clock: int) -> None:
        """Set alarm clock number `clock` to wake the firmware at `time` in ns, unless it is set."""

        def ring(_: simpy.Event) -> None:
            self.alarms.remove(clock)
            self.wake()

        if clock not in self.alarms:
            self.alarms.add(clock)
            self.at(time, clock).callbacks.append(ring)

    def completed(self) -> None:
        """Note that a request is completed now, so that one fewer is outstanding."""
        self.outstanding -= 1
        self.quiet = self.now

    def wake(self, station: Station | None = None) -> None:
        """Let the firmware act and then `station` start a job, after all else at this instant."""
        if station is not None:
            self.awake[station.number] = station
        if not self.woken:
            self.woken = True
            Alarm(self.env, _DECIDE, 0).callbacks.append(lambda _: self.decide())
            Alarm(self.env, _GRANT, 0).callbacks.append(self.grant)

    def grant(self, _: simpy.Event) -> None:
        """Let idle stations begin their next jobs, in the order of their numbers."""
        self.woken = False
        awake, self.awake = self.awake, {}
        for number in sorted(awake):
            awake[number].grant()

    # ways through the stations

    def fetch(self, reads: list[Read]) -> Process:
        """Carry out all the given flash reads in parallel, and end with the last of them."""
        if len(reads) == 1:
            yield from self.read(reads[0])
        elif reads:
            yield self.env.all_of([self.env.process(self.read(read)) for read in reads])

    def read(self, read: Read) -> Process:
        """Carry out one flash read: on the die first, then over its channel."""
        yield self.dies[read.die].read(read.ns)
        yield self.transfer(read.die, read.units)

    def transfer(self, die: int, units: int) -> simpy.Event:
        """Move `units` map units over the channel of a die; return the event at its end."""
        ns = self.plan.transfer_overhead_ns + units * self.plan.transfer_ns
        return self.channels[die % self.plan.channels].serve(ns)

    def program(self, die: int, task: Task, slc: bool, then: Callable[[], None]) -> Process:
        """Transfer a program unit to die `die`, program it, and call `then`.

        `task` is the program operation; `slc` says whether it is in SLC mode.
        """
        yield self.transfer(die, self.plan.unit)
        kind = task.row % self.plan.kinds
        ns = self.plan.slc_program_ns if slc else int(self.run.program_ns[kind])
        yield self.dies[die].serve(ns, task)
        then()
