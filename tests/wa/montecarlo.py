"""A drive in a few lines: pages written one by one, blocks cleaned, flash writes counted.

It shares no equation with the models, only the definition of the drive: all blocks are
full but one, the frontier; when that is full a victim is chosen among all blocks, its valid
pages stay and the host fills the rest of it. `op` counts every physical page.
"""

import numpy as np

from flashwear._compiled import compiled

POLICIES = ("fifo", "greedy", "random", "d_choices")


def simulate(op, pages_per_block, policy="greedy", *, d=10, write_share=1.0, space_share=1.0,
             trim_share=0.0, blocks=512, warmup=5.0, drive_writes=10.0, seed=0):  # fmt: skip
    """Return flash page writes per host page write, after `warmup` drive writes.

    A write goes to the first `space_share` of the pages with probability `write_share`;
    with probability `trim_share` a request is a trim of a page in use.
    """
    physical = blocks * pages_per_block
    user = round(physical / (1 + op))
    host, flash = _run(np.random.default_rng(seed), blocks, pages_per_block, user,
                       POLICIES.index(policy), d, round(space_share * user), write_share,
                       trim_share, round(warmup * user),
                       round((warmup + drive_writes) * user))  # fmt: skip
    return flash / host


def simulated(*arguments, **options):
    """Return mean and standard error over four seeds."""
    runs = [simulate(*arguments, seed=seed, **options) for seed in range(4)]
    return np.mean(runs), np.std(runs, ddof=1) / 2


@compiled
def _run(rng, blocks, pages, user, policy, d, hot, hot_writes, trim_share, start, stop):
    physical = blocks * pages
    used = user if user < physical else physical - physical // 10  # pages in use: all that fit
    where = np.arange(user)  # slot of each user page, or -1
    where[used:] = -1
    content = np.full(physical, -1)  # user page in each slot
    content[:used] = where[:used]
    in_use, rank = np.arange(user), np.arange(user)  # to draw a page in use
    valid = np.array([min(pages, max(0, used - i * pages)) for i in range(blocks)])
    frontier, slot, end = 0, 0, 0  # the next free slot and the end of the open block
    host = flash = request = 0
    while request < stop:
        request += 1
        counted = request > start
        if trim_share > 0 and used > 0 and rng.random() < trim_share:
            place = int(rng.random() * used)
            page = in_use[place]
            used -= 1
            last = in_use[used]
            in_use[place], rank[last] = last, place
            in_use[used], rank[page] = page, used
            valid[where[page] // pages] -= 1
            where[page] = -1
            continue
        while slot == end:  # clean until there is room
            if policy == 0:
                victim = (frontier + 1) % blocks
            elif policy == 1:
                victim = int(rng.random() * blocks)
                for i in range(victim + 1, victim + blocks):
                    if valid[i % blocks] < valid[victim]:
                        victim = i % blocks
            else:
                victim = int(rng.random() * blocks)
                for _ in range(1, d if policy == 3 else 1):
                    other = int(rng.random() * blocks)
                    if valid[other] < valid[victim]:
                        victim = other
            frontier = victim
            slot, end = victim * pages, (victim + 1) * pages
            for old in range(slot, end):
                page = content[old]
                if page >= 0 and where[page] == old:
                    content[slot], where[page] = page, slot
                    slot += 1
                    flash += counted
        if hot == user or rng.random() < hot_writes:
            page = int(rng.random() * hot)
        else:
            page = hot + int(rng.random() * (user - hot))
        if where[page] >= 0:
            valid[where[page] // pages] -= 1
        else:
            other = in_use[used]
            in_use[rank[page]], rank[other] = other, rank[page]
            in_use[used], rank[page] = page, used
            used += 1
        content[slot], where[page] = page, slot
        valid[frontier] += 1
        slot += 1
        host += counted
        flash += counted
    return host, flash
