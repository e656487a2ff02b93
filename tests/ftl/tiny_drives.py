"""Tiny drives and sequences of requests for hypothesis, and how to carry the requests out."""

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from flashwear.ftl import SlcCache, State, arrays
from flashwear.ftl.state import FRONTIERS, POLICIES
from flashwear.workloads import OPERATION_SHIFT, PAGE_MASK, READ, TEMPERATURE_SHIFT, TRIM, WRITE

LEVELLING = ("none", "dynamic", "static")


@st.composite
def drives(draw, **fixed):
    """Arguments of a State of 5 to 40 blocks, some with no block beyond the fewest that work."""

    def choose(name, strategy):
        return fixed[name] if name in fixed else draw(strategy)

    frontier = choose("frontier", st.sampled_from(sorted(FRONTIERS)))
    policy = choose("policy", st.sampled_from(sorted(POLICIES)))
    wear_levelling = choose("wear_levelling", st.sampled_from(LEVELLING))
    pages = draw(st.integers(2, 16))
    stripe = choose("stripe", st.none() | st.integers(1, 18))
    temperatures = draw(st.integers(2, 5))
    single = 2 if wear_levelling == "static" else 1  # frontiers of "single"
    fewest = single if frontier == "single" else 2
    reserve = draw(st.integers(fewest, fewest + 4))
    frontiers = {"single": single, "gc": 2}.get(frontier, temperatures)
    data = pages if stripe is None else pages - -(-pages // (stripe + 1))
    full = draw(st.integers(3, 20))
    user_pages = full * data - draw(st.integers(0, data - 1))
    blocks = full + frontiers + reserve + draw(st.integers(0, 9))
    endurance = choose("endurance", st.none() | st.integers(1, 12) | st.just("each its own"))
    if endurance == "each its own":
        endurance = draw(st.lists(st.integers(1, 15), min_size=blocks, max_size=blocks))
    return {"user_pages": user_pages, "op": blocks * pages / user_pages - 1,
            "pages_per_block": pages, "policy": policy, "d": draw(st.integers(1, 4)),
            "window": draw(st.sampled_from([1, 2, 5, 50])), "frontier": frontier,
            "temperatures": temperatures, "reserve_blocks": reserve,
            "wear_levelling": wear_levelling, "level_threshold": draw(st.integers(1, 4)),
            "endurance": endurance, "stripe": stripe, "seed": draw(st.integers(0, 3))}  # fmt: skip


@st.composite
def caches(draw, blocks, pages):
    """An SLC cache of any kind, or of no block."""
    kind = draw(st.sampled_from(["none", "static", "dynamic", "dynamic", "hybrid"]))
    own = draw(st.integers(1, 4)) if kind in ("static", "hybrid") else 0
    share = draw(st.floats(0.05, 1)) if kind in ("dynamic", "hybrid") else 0.0
    bits = draw(st.integers(2, min(4, pages)))
    return SlcCache(bits_per_cell=bits, own_blocks=own, share=share, direct=draw(st.booleans()),
                    fold_to=draw(st.sampled_from([1.0, 0.5, 0.0]) | st.floats(0, 1)),
                    slc_wear=draw(st.sampled_from([0.1, 1.0])),
                    pages=draw(st.none() | st.integers(max(1, pages // 2), pages)))  # fmt: skip


@st.composite
def cached_drives(draw, **fixed):
    """Arguments of a State with an SLC cache, some with no block beyond the fewest that work."""
    fixed = {"frontier": "gc", "endurance": None, **fixed}
    levelling = draw(st.sampled_from(["none", "dynamic"]))
    arguments = draw(drives(wear_levelling=levelling, **fixed))
    pages = arguments["pages_per_block"]
    blocks = round((arguments["op"] + 1) * arguments["user_pages"] / pages)
    cache = draw(caches(blocks, pages))
    if arguments["stripe"] is not None and (cache.pages or pages // cache.bits_per_cell) < 2:
        cache = replace(cache, pages=2)  # one of data, one of parity
    more = cache.own_blocks + (cache.share > 0 and not cache.direct)
    op = (blocks + more) * pages / arguments["user_pages"] - 1
    return {**arguments, "op": op, "cache": cache}


@st.composite
def phases(draw):
    """A load in a few strokes: kind, part of the drive it falls on, length in drives, and seed."""
    kinds = st.sampled_from(["random", "sequential", "mixed", "trim", "read"])
    part, length = st.floats(0.05, 1), st.floats(0.1, 3)
    phase = st.tuples(kinds, part, length, st.integers(0, 2**20))
    return draw(st.lists(phase, min_size=1, max_size=5))


def requests(load, state):
    """Return the words of a load, with temperatures that the drive has."""
    words = []
    for kind, part, length, seed in load:
        rng = np.random.default_rng(seed)
        span = max(1, round(part * state.user_pages))
        count = max(1, round(length * state.user_pages))
        page = rng.integers(span, size=count)
        if kind == "sequential":
            page = np.arange(count) % span
        operation = np.full(count, {"trim": TRIM, "read": READ}.get(kind, WRITE))
        if kind == "mixed":
            operation = rng.choice([WRITE, TRIM, READ], size=count, p=[0.7, 0.2, 0.1])
        temperature = rng.integers(state.arrays.rules.handles, size=count)
        words.append(page | temperature << TEMPERATURE_SHIFT | operation << OPERATION_SHIFT)
    return np.concatenate(words)


def taken_apart(word):
    """Return page, temperature and operation of a request."""
    word = int(word)
    return word & PAGE_MASK, word >> TEMPERATURE_SHIFT & 255, word >> OPERATION_SHIFT


def step(state, word):
    """Carry out one request by its own method; give the operations of the flash."""
    page, temperature, operation = taken_apart(word)
    if operation == TRIM:
        return state.trim(page)
    if operation == READ:
        return state.read(page)
    return state.write(page, temperature)


def differing(one: State, other: State):
    """Return the names of the arrays in which two drives differ."""
    pairs = zip(one.arrays._fields, contents(one), contents(other), strict=True)
    return [name for name, ours, theirs in pairs if ours.tobytes() != theirs.tobytes()]


def contents(state: State):
    """Return the arrays of a drive; what lies in work space and in erased pages is no matter."""
    a = state.arrays
    held = a.p2l.copy()
    shift = a.rules.shift
    for block, status in enumerate(a.block["status"]):
        full = status in (arrays.CLOSED, arrays.CACHED)
        start = (block << shift) + (a.mode_pages[a.block["mode"][block]] if full else 0)
        if not full or status == arrays.CACHED:
            held[start : (block + 1) << shift] = -1
    for block, stop in zip(a.opened, a.position, strict=True):
        if block >= 0:
            start = block << shift
            held[start:stop] = a.p2l[start:stop]
    return a._replace(p2l=held, scratch=np.zeros(0))
