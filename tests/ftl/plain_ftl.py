"""The drive of flashwear.ftl once more in plain Python: lists, dicts and nothing else.

Every page that is written carries a version tag from the host's write to wherever cleaning
copies it, so that what the drive reads back is compared by content. No speed is sought: each
question (who is live, who is fewest) is answered by looking at everything.

Where a choice is left open (which of several blocks with the same fewest live pages is cleaned, or
with the same fewest erases levelled), the model is told which block was erased, and asserts
that the choice was allowed.
"""

from flashwear._random import bounded, seeded
from flashwear.ftl import Handles, Operation

RANDOM_STREAM = 2**20


class WornOutError(Exception):
    """The drive cannot take another write."""


class Block:
    def __init__(self):
        self.status = "free"
        self.data = []  # (page, version), in the order of programming
        self.parity = 0  # pages of parity programmed
        self.erases = 0
        self.frontier = 0
        self.closed_at = 0  # host writes
        self.mode = "main"
        self.slc_erases = 0


class PlainDrive:
    def __init__(self, user_pages, blocks, pages_per_block, *, policy="greedy", d=10, window=32,
                 frontier="single", temperatures=2, reserve_blocks=1, wear_levelling="none",
                 level_threshold=16, endurance=None, stripe=None, cache=None, seed=0):  # fmt: skip
        self.policy, self.d, self.window = policy, d, window
        self.arrangement = frontier
        if isinstance(frontier, Handles):
            self.arrangement = frontier.isolation
            temperatures = len(frontier.names) + (frontier.isolation == "initially")
            pages_per_block *= frontier.unit_blocks
        frontiers = {"single": 1 + (wear_levelling == "static"), "gc": 2}.get(
            frontier, temperatures
        )
        self.reserve = reserve_blocks
        self.levelling, self.threshold = wear_levelling, level_threshold
        self.limits = endurance if isinstance(endurance, list) else [endurance] * blocks
        self.stripe = stripe
        self.data_pages = self.of_data(pages_per_block)
        self.slc_pages = own = self.most_shared = self.fold_to = 0
        self.direct = True
        if cache is not None:
            self.slc_pages = self.of_data(cache.pages or pages_per_block // cache.bits_per_cell)
            own = cache.own_blocks
            self.most_shared = int(round(cache.share * (blocks - own), 9))
            self.fold_to = int(round(cache.fold_to * (own + self.most_shared), 9))
            self.direct = cache.direct
        self.has_cache = own + self.most_shared > 0
        self.random = seeded(seed, RANDOM_STREAM)
        self.blocks = [Block() for _ in range(blocks)]
        self.pool = list(range(blocks - own))  # in the order of release
        self.own_free = list(range(blocks - own, blocks))  # in the order of release
        for number in self.own_free:
            self.blocks[number].mode = "own"
        self.closed = []  # main blocks, in the order of closing
        self.cached = []  # blocks in SLC mode, in the order of closing
        self.folding = False
        self.cache_writes = self.fold_copies = 0
        self.open = [None] * frontiers
        self.where = {}  # page -> (block, place)
        self.latest = {}  # page -> version
        self.fewest_good = -(-user_pages // self.data_pages) + frontiers + self.reserve
        self.just_erased = None
        self.erased = []  # by the drive under test in the request at hand, still to come
        self.levelled = self.worn_out = False
        self.host_writes = self.copies = self.parity_writes = 0
        self.erases = self.trims = self.reads = self.levelling_copies = 0
        self.cleaned = [[0] * (pages_per_block + 1) for _ in range(frontiers)]

    @classmethod
    def like(cls, state, arguments):
        """Return the model of a drive that these arguments of a State made."""
        rest = {key: value for key, value in arguments.items() if key != "op"}
        user_pages, pages = rest.pop("user_pages"), rest.pop("pages_per_block")
        return cls(user_pages, state.blocks, pages, **rest)

    def of_data(self, pages):
        """Pages of data in a block, the rest being parity."""
        data = pages
        while self.stripe and data + -(-data // self.stripe) > pages:
            data -= 1
        return data

    # what the host asks

    def write(self, page, temperature=0, erased=()):
        """Write a page; `erased` are the blocks that the drive under test erased meanwhile."""
        self.erased = list(erased)
        frontier = self.frontier_of_host(page, temperature)
        operations = self.make_room(frontier)
        if self.worn_out:
            raise WornOutError
        self.host_writes += 1
        self.latest[page] = self.host_writes
        self.cache_writes += self.blocks[self.open[frontier]].mode != "main"
        return operations + self.program("program", frontier, page, self.host_writes)

    def trim(self, page):
        if self.where.pop(page, None) is not None:
            del self.latest[page]
            self.trims += 1

    def read(self, page):
        if page not in self.where:
            return []
        self.reads += 1
        block, place = self.where[page]
        assert self.blocks[block].data[place] == (page, self.latest[page])
        return [Operation("read", block, place)]

    def assert_nothing_lost(self):
        assert self.where.keys() == self.latest.keys()
        for page, (block, place) in self.where.items():
            assert self.blocks[block].data[place] == (page, self.latest[page])

    # where pages go

    def frontier_of_host(self, page, temperature):
        if self.arrangement in ("hot_cold", "initially", "persistently"):
            return temperature
        if self.arrangement == "detected" and page in self.where:
            return min(self.blocks[self.where[page][0]].frontier + 1, len(self.open) - 1)
        return 0

    def frontier_of_copies(self, victim, levelled=False):
        if levelled and self.arrangement == "single":
            return 1
        own = self.blocks[victim].frontier
        to = {"single": 0, "gc": 1, "hot_cold": own, "detected": max(own - 1, 0)}
        to |= {"initially": len(self.open) - 1, "persistently": own}
        return to[self.arrangement]

    def pages(self, number):
        """Pages of data that a block holds in its mode."""
        return self.data_pages if self.blocks[number].mode == "main" else self.slc_pages

    def room(self, frontier):
        block = self.open[frontier]
        return 0 if block is None else self.pages(block) - len(self.blocks[block].data)

    def program(self, kind, frontier, page, version, source=None):
        number = self.open[frontier]
        block = self.blocks[number]
        place = len(block.data)
        block.data.append((page, version))
        self.where[page] = number, place
        operations = [Operation(kind, number, place, source)]
        full = place + 1 == self.pages(number)
        if self.stripe and (full or (place + 1) % self.stripe == 0):
            operations.append(Operation("parity", number, block.parity))
            block.parity += 1
            self.parity_writes += 1
        return operations

    def close(self, frontier):
        number = self.open[frontier]
        full = self.blocks[number]
        full.status, full.closed_at = "closed", self.host_writes
        (self.closed if full.mode == "main" else self.cached).append(number)
        self.open[frontier] = None

    def open_block(self, frontier, mode="main"):
        if self.open[frontier] is not None:
            self.close(frontier)
        if mode == "own":
            number = self.own_free.pop(0)
            self.blocks[number].status = "open"
            self.open[frontier] = number
            return
        if self.levelling == "none":
            number = self.pool[0]
        else:
            number = min(self.pool, key=lambda free: self.blocks[free].erases)
        self.pool.remove(number)
        self.blocks[number].status, self.blocks[number].mode = "open", mode
        self.blocks[number].frontier = frontier
        self.open[frontier] = number

    # cleaning

    def live(self, number):
        """Places of the live pages of a block."""
        data = self.blocks[number].data
        return [i for i, (page, _) in enumerate(data) if self.where.get(page) == (number, i)]

    def make_room(self, frontier):
        operations = []
        while not self.room(frontier) and not self.worn_out:
            mode = "main"
            if frontier == 0 and self.has_cache:
                while (victim := self.next_to_fold()) is not None:
                    operations += self.clean(victim)
                mode = self.next_mode()
            if not self.pool and mode != "own":
                self.worn_out = True
                break
            self.open_block(frontier, mode)
            while (victim := self.next_to_clean()) is not None:
                operations += self.clean(victim)
        return operations

    def next_to_clean(self):
        if self.levelling == "static" and self.just_erased is not None:
            most, self.just_erased = self.blocks[self.just_erased].erases, None
            least = min(self.blocks[number].erases for number in self.closed)
            resting = [number for number in self.closed if self.blocks[number].erases == least]
            if most - least > self.threshold and any(self.fits(b, True) for b in resting):
                victim = self.erased[0] if self.erased else resting[0]
                assert victim in resting
                self.levelling_copies += len(self.live(victim))
                self.levelled = True
                return victim
        if len(self.pool) >= self.reserve:
            return None
        good = sum(block.status != "retired" for block in self.blocks)
        if good < self.fewest_good:
            self.worn_out = True
            return None
        victim = self.reclaimed()
        if not self.fits(victim):
            self.worn_out = True
            return None
        return victim

    # the cache

    def in_mode(self, mode):
        used = ("open", "closed")
        return sum(block.mode == mode and block.status in used for block in self.blocks)

    def next_mode(self):
        if self.own_free:
            return "own"
        roomy = len(self.pool) > self.reserve
        return "shared" if roomy and self.in_mode("shared") < self.most_shared else "main"

    def shut(self):
        if self.open[0] is not None and not self.room(0):
            self.close(0)

    def next_to_fold(self):
        self.shut()
        victim = self.next_to_clean()
        if victim is not None or self.worn_out:
            return victim
        full = self.next_mode() == "main"
        if self.in_mode("own") + self.in_mode("shared") <= self.fold_to:
            self.folding = False
        elif full:
            self.folding = True
        if self.folding or (full and not self.direct):
            return self.cached[0] if self.cached else self.victim()
        return None

    def fully_invalid(self):
        """A closed main block without live pages: the one that was erased, if it is one."""
        if not self.most_shared:
            return None
        found = [number for number in self.closed if not self.live(number)]
        if found and self.erased:
            assert self.erased[0] in found
            return self.erased[0]
        return found[0] if found else None

    def reclaimed(self):
        if (victim := self.fully_invalid()) is not None:
            return victim
        shared = [number for number in self.cached if self.blocks[number].mode == "shared"]
        return shared[0] if shared else self.victim()

    def fold(self, blocks, erased):
        self.erased = list(erased)
        operations = []
        if not self.has_cache:
            return operations
        self.shut()
        while (victim := self.free_to_clean()) is not None:
            operations += self.clean(victim)
        for _ in range(blocks):
            if not self.cached:
                break
            operations += self.clean(self.cached[0])
            while (victim := self.next_to_clean()) is not None:
                operations += self.clean(victim)
        return operations

    def free_to_clean(self):
        for mode in ("own", "shared"):
            oldest = [number for number in self.cached if self.blocks[number].mode == mode][:1]
            if oldest and not self.live(oldest[0]):
                return oldest[0]
        return self.fully_invalid()

    # how blocks are cleaned

    def fits(self, victim, levelled=False):
        frontier = self.frontier_of_copies(victim, levelled)
        return self.pool or len(self.live(victim)) <= self.room(frontier)

    def clean(self, victim):
        block = self.blocks[victim]
        frontier = self.frontier_of_copies(victim, self.levelled)
        self.levelled = False
        places = self.live(victim)
        operations = []
        (self.closed if block.mode == "main" else self.cached).remove(victim)
        self.erased = self.erased[1:]
        for place in places:
            if not self.room(frontier):
                self.open_block(frontier)
            operations += self.program("copy", frontier, *block.data[place], (victim, place))
        self.copies += len(places)
        if block.mode != "main":
            self.fold_copies += len(places)
            block.slc_erases += 1
        self.cleaned[block.frontier][len(places)] += 1
        self.erases += 1
        self.just_erased = victim
        block.erases += 1
        block.data, block.parity = [], 0
        limit = self.limits[victim]
        if limit is not None and block.erases >= limit:
            block.status = "retired"
        else:
            block.status = "free"
            (self.own_free if block.mode == "own" else self.pool).append(victim)
        return [*operations, Operation("erase", victim)]

    def victim(self):
        if self.policy == "fifo":
            return self.closed[0]
        if self.policy == "random":
            return self.any_closed()
        if self.policy == "d_choices":
            return self.emptiest([self.any_closed() for _ in range(self.d)])
        if self.policy == "windowed":
            return self.emptiest(self.closed[: self.window])
        if self.policy == "cost_benefit":
            return max(self.closed, key=self.merit)
        if self.policy == "lowest":
            return self.emptiest(sorted(self.closed))
        emptiest = self.emptiest(self.closed)
        if not self.erased:
            return emptiest
        assert self.erased[0] in self.closed
        assert len(self.live(self.erased[0])) == len(self.live(emptiest))
        return self.erased[0]

    def emptiest(self, numbers):
        return min(numbers, key=lambda number: len(self.live(number)))

    def any_closed(self):
        while True:
            number = int(bounded(self.random, len(self.blocks)))
            if self.blocks[number].status == "closed" and self.blocks[number].mode == "main":
                return number

    def merit(self, number):
        live = len(self.live(number))
        age = self.host_writes - self.blocks[number].closed_at + 1.0
        return age * (self.pages(number) - live) / (2.0 * live) if live else float("inf")
