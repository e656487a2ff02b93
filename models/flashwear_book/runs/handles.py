"""The gain if a host labels its streams by placement handles, by load, policy and wrong labels."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from flashwear import ftl, wa
from flashwear.sweeps import Study
from flashwear.workloads import Own

Batch = tuple[NDArray[np.int64], NDArray[np.int64]]

WAYS = ("single", "initially", "persistently")
"""One frontier for all writes; or a handle for each stream, with copies mixed; or not mixed."""

_DRAWN = 4096
_SPARE = (0.07, 0.15, 0.28)


def _frontier(way: str, streams: int) -> str | ftl.Handles:
    names = tuple(f"stream {number}" for number in range(streams))
    return way if way == "single" else ftl.Handles(names, way)


def two_classes(
    write_share: float,
    space_share: float,
    op: float,
    policy: str,
    way: str,
    wrong: float,
    user_pages: int,
    seed: int,
) -> dict[str, float]:
    """Simulate a drive whose host labels pages as hot or cold, and some of them wrongly.

    `write_share`, `space_share`: shares of the hot pages in the writes and in the pages. `op`:
    over-provisioning over user pages, all blocks counted. `policy`, `way`: cleaning policy of the
    drive; and "single" (all pages together), or a handle for each label, with copies mixed
    ("initially") or not ("persistently"). `wrong`: share of the pages that have a random label,
    which stays the same for each page. `user_pages`, `seed`: pages that the host can address, and
    seed of the run.

    Result: ``wa`` as simulated; ``mixed`` and ``separated``, the closed forms of greedy cleaning
    for one pool, and for two pools with the best division of the spare flash.
    """

    def batches(pages: int, seed: int) -> Iterator[Batch]:
        rng = np.random.default_rng(seed)
        hot = round(space_share * pages)
        named = np.where(np.arange(pages) < hot, 1, 0)
        guessed = rng.random(pages) < wrong
        named[guessed] = rng.random(int(guessed.sum())) < space_share
        while True:
            high = rng.random(_DRAWN) < write_share
            page = np.where(
                high, rng.integers(hot, size=_DRAWN), rng.integers(hot, pages, size=_DRAWN)
            )
            yield page, named[page]

    run = ftl.simulate(user_pages, op, pages_per_block=64, policy=policy,
                       frontier=_frontier(way, 2), workload=Own(batches, streams=2),
                       warmup_drive_writes=20, drive_writes=6, seed=seed,
                       progress=False)  # fmt: skip
    shares = (write_share, space_share)
    return {
        "wa": run.wa,
        "mixed": wa.greedy_mixed(run.effective_op, *shares, 64),
        "separated": float(wa.separated(run.effective_op, *shares, "greedy", 64).wa),
    }


def log_and_random(
    random_share: float, op: float, way: str, write_share: float, user_pages: int, seed: int
) -> dict[str, float]:
    """Simulate a cache that writes large objects to a cyclic log and small ones at random.

    On small drives ``wa`` is higher, so a rerun takes drives of full size.

    `random_share`: share of the pages that small objects take. `op`: over-provisioning over user
    pages, all blocks counted. `way`: how data are placed: "single" (all together), or a handle for
    each kind of object, with copies mixed ("initially") or not ("persistently"). `write_share`:
    share of the writes that goes to small objects. `user_pages`, `seed`: pages that the host can
    address, and seed of the run.

    Result: ``wa`` as simulated, and ``form``, the closed form if the log is never copied and all
    spare flash belongs to the small objects.
    """

    def batches(pages: int, seed: int) -> Iterator[Batch]:
        rng = np.random.default_rng(seed)
        small = round(random_share * pages)
        place = 0
        while True:
            stream = (rng.random(_DRAWN) < write_share).astype(np.int64)
            page = rng.integers(small, size=_DRAWN)
            logged = stream == 0
            count = int(logged.sum())
            page[logged] = small + (place + np.arange(count)) % (pages - small)
            place += count
            yield page, stream

    run = ftl.simulate(user_pages, op, pages_per_block=64, frontier=_frontier(way, 2),
                       workload=Own(batches, streams=2), warmup_drive_writes=12, drive_writes=6,
                       seed=seed, progress=False)  # fmt: skip
    of_small = wa.greedy(run.effective_op / random_share, 64)
    return {"wa": run.wa, "form": 1 + write_share * (of_small - 1)}


OBJECTS = ((4, 90), (4, 90), (32, 180), (16, 90), (16, 90), (2, 90), (2, 90), (2, 90), (1, 45))
"""MiB of an object and GiB of all, for each of the nine workers of a published test
(:cite:t:`lmcache2026`): two of chat, one of long context, two of shared prefixes, three of random
prompts, one of metadata."""

_CLASSES = (0, 0, 1, 2, 2, 3, 3, 3, 4)
_CAPACITY_GIB = 960
_UNIT_MIB = 2  # of the simulated drive; objects of 1 MiB go by pairs
_RECLAIM_GIB = 16


def objects(spare_gib: float, mix: float, way: str, seed: int) -> dict[str, float]:
    """Simulate the published test of a cache for language models, on a drive with reclaim units.

    `spare_gib`: flash of the drive beyond the 960 GiB of the test; not published. `mix`: share of
    the objects that replace a random object instead of the oldest of their writer; not published.
    `way`: how data are placed: "single" (all together), or a handle for each kind of object, with
    copies mixed ("initially", as on the drive of the test) or not ("persistently"). `seed`: seed
    of the run.

    Result: ``wa`` in the last of four drive writes that follow a fill in order.
    """
    size = np.array([max(mib // _UNIT_MIB, 1) for mib, _ in OBJECTS])
    count = np.array([gib * 1024 // _UNIT_MIB for _, gib in OBJECTS]) // size
    first = np.append(0, np.cumsum(size * count))[:-1]

    def batches(pages: int, seed: int) -> Iterator[Batch]:
        rng = np.random.default_rng(seed)
        chance = 1 / size / (1 / size).sum()  # as many bytes by each worker
        oldest = np.zeros(len(size), np.int64)
        while True:
            worker = rng.choice(len(size), size=_DRAWN, p=chance)
            place = rng.integers(count[worker])
            for one in range(len(size)):
                mine = np.flatnonzero((worker == one) & (rng.random(_DRAWN) >= mix))
                place[mine] = (oldest[one] + np.arange(mine.size)) % count[one]
                oldest[one] += mine.size
            run = size[worker]
            start = first[worker] + place * run
            within = np.arange(run.sum()) - np.repeat(np.cumsum(run) - run, run)
            yield np.repeat(start, run) + within, np.repeat(np.array(_CLASSES)[worker], run)

    pages = _CAPACITY_GIB * 1024 // _UNIT_MIB
    run = ftl.simulate(pages, spare_gib / _CAPACITY_GIB,
                       pages_per_block=_RECLAIM_GIB * 1024 // _UNIT_MIB, frontier=_frontier(way, 5),
                       workload=Own(batches, streams=5), warmup_drive_writes=3, drive_writes=1,
                       seed=seed, progress=False)  # fmt: skip
    return {"wa": run.wa}


STUDIES = (Study(name="handles", function=two_classes,
                 grid={"write_share": [0.9], "space_share": [0.1], "op": list(_SPARE),
                       "policy": ["greedy", "cost_benefit"], "way": list(WAYS),
                       "wrong": [0.0, 0.2, 0.5], "user_pages": [131_072]},
                 reduced={"op": [0.28], "policy": ["greedy"], "user_pages": [32_768]},
                 keys=("op", "policy", "way", "wrong"), tolerance={"wa": 0.05}, seed=45),
           Study(name="handles_log", function=log_and_random,
                 grid={"random_share": [0.02, 0.04, 0.07, 0.1, 0.2, 0.4], "op": list(_SPARE),
                       "way": list(WAYS), "write_share": [0.5], "user_pages": [131_072]},
                 reduced={"random_share": [0.04, 0.4], "op": [0.28]},
                 keys=("random_share", "op", "way"), tolerance={"wa": 0.1}, seed=46),
           Study(name="handles_objects", function=objects,
                 grid={"spare_gib": [200, 205, 210, 215, 220, 225, 230, 235, 240, 250, 260],
                       "mix": [0.05, 0.075, 0.1, 0.11, 0.12, 0.13, 0.14, 0.15], "way": list(WAYS)},
                 reduced={"spare_gib": [215], "mix": [0.1]}, keys=("spare_gib", "mix", "way"),
                 tolerance={"wa": 0.25}, seed=47))  # fmt: skip
