"""The power fails at thousands of instants, and what is promised is kept."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from small_drives import MIB, accesses, caches, drive, drives, slc

from flashwear import workloads
from flashwear.drives import load
from flashwear.ftl import verify
from flashwear.queueing import reference
from flashwear.queueing.requests import Access
from flashwear_book.power import capacitors, powercut, powerloss
from flashwear_book.runs.power import cached, part
from proving import examples
from refusals import refusals

WRITES = Access(4096)
MS = 1e-3
PAIRED = {"program_s": (1e-3, 2e-3)}
KINDS = {"static": {"cache_share": 0.0, "cache_own_blocks": 4}, "dynamic": {},
         "hybrid": {"cache_own_blocks": 2, "cache_fold_to": 0.5}}  # fmt: skip


def one_die(**changes):
    """Return a drive of one die: 40 us to fill a program of four units, 1 or 2 ms to program it."""
    return drive(dies=1, user_bytes=6 * MIB, **PAIRED, **changes)


def instants(seed, count, until):
    return np.sort(np.random.default_rng(seed).uniform(0, until, count))


# times that can be added up by hand


def test_a_cut_takes_the_pages_of_a_cell_together_and_in_a_lower_page_nothing_at_rest():
    # 16 KiB in order: link 1 + 32 us, controller 4 us, channel 40 us: programs of rows 0, 1, 2, ...
    # start at 77 us, 1077 us, 3077 us, ...
    access = Access(16384, "sequential")
    at = [0.5 * MS, 1.07 * MS, 1.08 * MS, 3.07 * MS, 3.08 * MS, 4.07 * MS, 4.08 * MS]
    table = powercut.losses(one_die(), access, at, fill="none", queue_depth=1)
    lost = table[table.protection == "none"]
    assert lost.at_rest.tolist() == [0, 0, 16384, 16384, 0, 0, 16384]
    assert lost.older.tolist() == [0, 0, 1, 1, 0, 0, 1]
    assert (table[table.protection != "none"].at_rest == 0).all()
    apart = powercut.losses(one_die(), access, at, distance=3, fill="none", queue_depth=1)
    assert apart[apart.protection == "none"].at_rest.tolist() == [0, 0, 0, 0, 0, 0, 16384]
    # what was acknowledged is lost but for the programs that are finished
    finished = np.array([0, 0, 1, 1, 2, 2, 3]) * 16384
    for cut, done in zip(
        powercut.cuts(one_die(), access, at, fill="none", queue_depth=1), finished, strict=True
    ):
        written = int((cut.acknowledged >= 0).sum()) * 4096
        assert cut.lost("lower") == (written - done, 0) == (cut.held_bytes, 0)
        assert cut.lost("none").in_flight == written - done
        assert cut.lost("finish").in_flight == written - done - 16384
        assert cut.lost("full") == (0, 0)
    device = drive(dies=1, user_bytes=6 * MIB, program_s=(1e-3, 1e-3, 1e-3), bits_per_cell=3)
    at = np.arange(1, 8) * MS - 0.5 * MS
    access = Access(16384, "sequential")
    table = powercut.losses(device, access, at, fill="none", queue_depth=1)
    lost = table[table.protection == "none"].at_rest / 16384
    assert lost.tolist() == [0, 1, 2, 0, 1, 2, 0]
    # a superblock of eight programs of 300 us from 77 us on, then pages of 1 and 2 ms
    device = slc(dies=1, user_bytes=6 * MIB, cache_share=0.0, cache_own_blocks=1, **PAIRED)
    at = [0.23 * MS, 0.53 * MS, 2.47 * MS, 2.48 * MS, 3.47 * MS, 3.48 * MS]
    access = Access(16384, "sequential")
    table = powercut.losses(device, access, at, fill="none", queue_depth=1)
    lost = table[table.protection == "none"]
    assert lost.slc.tolist() == [1, 1, 1, 0, 0, 0]
    assert lost.older.tolist() == [0, 0, 0, 0, 0, 1]
    assert lost.at_rest.tolist() == [0, 0, 0, 0, 0, 16384]


def test_what_is_folded_is_there_until_its_copies_are():
    # 288 map units fill four superblocks in SLC mode; an idle drive folds them, each to nine
    # rows: the last is one of lower pages, which the next superblock's upper pages can take along
    device = slc(cache_idle_s=1 * MS, pages_per_block=18, **KINDS["static"], **PAIRED)
    load = workloads.Replay([[workloads.WRITE, 0, 288]])
    at = np.arange(30, 200, 0.5) * MS
    cuts = list(powercut.cuts(device, load, at, fill="none", queue_depth=1))
    assert_kept(cuts)
    folding = [cut for cut in cuts if cut.older and not cut.held_bytes]
    assert len(folding) > 30
    for cut in folding:
        for protection in powerloss.PROTECTIONS[1:]:
            np.testing.assert_array_equal(cut.read_back[protection], cut.acknowledged)
    # an upper page with copies takes others with it, whose sources stand but for the last ones
    lost = sum(cut.lost("none").at_rest for cut in folding)
    # which one row in nine holds
    taken = 16384 * sum(cut.older for cut in folding)
    assert lost / taken == pytest.approx(1 / 9, abs=0.03)
    assert max(cuts[-1].rows) == -1


def test_a_flush_is_broken_by_the_next_upper_page_and_what_was_trimmed_comes_back():
    # two writes of 16 KiB a pause apart; the flush in between waits for the first program
    access = Access(16384, "sequential")
    options = {"fill": "none", "queue_depth": 1, "think_s": 5 * MS, "flush_s": 0.5 * MS}
    before, during, after = powercut.cuts(one_die(), access, [4 * MS, 6 * MS, 9 * MS], **options)
    assert before.broken("none") == 0
    assert before.flushed[:4].min() > 0
    assert during.broken("none") == during.lost("none").at_rest == 16384
    assert [during.broken(each) for each in powerloss.PROTECTIONS[1:]] == [0, 0, 0]
    assert after.broken("none") == 0
    trims = workloads.Replay([[workloads.WRITE, 0, 8], [workloads.TRIM, 0, 4]])
    options = {"fill": "none", "queue_depth": 1, "think_s": 5 * MS}
    early, late = powercut.cuts(one_die(), trims, [38 * MS, 90 * MS], **options)
    assert early.returned("lower") == 0
    assert [late.returned(each) for each in powerloss.PROTECTIONS] == [4 * 4096] * 3 + [0]
    assert late.lost("none") == (0, 0)


# what holds for any drive, at any instant


@examples(150)
@given(st.data())
def test_every_promise_is_kept_at_every_cut(data):
    device = data.draw(drives() | drives(caches()))
    pages = device.user_bytes // 4096
    load = data.draw(accesses(device.user_bytes))
    if pages >= 20 and data.draw(st.booleans()):
        load = workloads.Trimmed(workloads.Uniform(), 0.2)
    at = instants(data.draw(st.integers(0, 99)), 20, data.draw(st.sampled_from([1e-4, 1e-3, 5e-3])))
    options = {"distance": 1 + len(device.program_s) * data.draw(st.integers(0, 2)),
               "flush_s": data.draw(st.sampled_from([None, 1e-6, 1e-5, 1e-4])),
               "queue_depth": data.draw(st.sampled_from([1, 8, 32])),
               "seed": data.draw(st.integers(0, 9)),
               "think_s": data.draw(st.sampled_from([0.0, 1e-6, 1e-4])),
               "fill": data.draw(st.sampled_from(["sequential", "sequential", "none"])),
               "random_drive_writes": data.draw(st.sampled_from([0.0, 1.0, 3.0]))}  # fmt: skip
    assert_kept(powercut.cuts(device, load, at, **options))


def assert_kept(cuts):
    """Check the order of what is known before the cut, and of what can be read after it."""
    for cut in cuts:
        assert (cut.flushed <= cut.durable).all()
        assert (cut.durable <= cut.acknowledged).all()
        found = cut.read_back
        assert (found["none"] <= found["lower"]).all()
        assert (found["lower"] <= found["finish"]).all()
        for protection in ("lower", "finish", "full"):
            assert cut.lost(protection).at_rest == cut.broken(protection) == 0
        holds = cut.acknowledged >= 0
        # the map found on flash is that of the finished programs, which were noted one by one
        safe = holds & (cut.durable >= 0)
        assert np.array_equal(found["lower"][safe], cut.durable[safe])
        assert (found["finish"][holds] <= cut.acknowledged[holds]).all()
        assert cut.lost("lower").in_flight <= cut.held_bytes
        assert cut.lost("full") == (0, 0)


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.proof) for n in (1, 2))])
def test_every_promise_is_kept_while_the_drive_cleans(seed):
    device = drive(stripe=7, copies_per_die=4, suspend_s=20e-6, **PAIRED)
    load = Access(4096, read_share=0.2)
    options = {"random_drive_writes": 2.0, "flush_s": 2 * MS, "seed": seed, "distance": 3}
    kept = list(powercut.cuts(device, load, instants(seed, 400, 0.4), **options))
    assert_kept(kept)
    assert sum(cut.broken("none") > 0 for cut in kept) > 20
    assert sum(cut.lost("none").at_rest > 0 for cut in kept) > 100


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("direct", [True, False])
def test_a_drive_that_folds_keeps_every_promise_and_can_still_flush(kind, direct):
    slow = {"slc_program_s": 1e-3, "copies_per_die": 4, "stripe": 5, **PAIRED}
    device = slc(
        user_bytes=6 * MIB, cache_direct=direct, cache_idle_s=2 * MS, **KINDS[kind], **slow
    )
    load = Access(4096, read_share=0.2, rate=1_000.0)
    options = {"random_drive_writes": 0.5, "flush_s": 2 * MS, "distance": 3}
    kept = list(powercut.cuts(device, load, instants(1, 200, 0.4), **options))
    assert_kept(kept)
    assert sum(cut.slc > 0 for cut in kept) > 20
    assert sum(cut.older > 0 for cut in kept) > 20
    assert sum(cut.broken("none") > 0 for cut in kept) > 3
    device = slc(cache_direct=direct, user_bytes=10 * MIB, **KINDS[kind], **KEPT, **PAIRED)
    flushes_in_time(device, cuts=4, random_drive_writes=1.0)


@pytest.mark.filterwarnings("ignore:requests arrive faster")  # than a drawn drive serves
@examples(50)
@given(st.data())
def test_the_cuts_do_not_change_the_run(data):
    device = data.draw(drives() | drives(caches()))
    load = data.draw(accesses(device.user_bytes))
    options = {"seed": 3, "random_drive_writes": data.draw(st.sampled_from([0.0, 2.0]))}
    end = data.draw(st.sampled_from([1e-4, 2e-3]))
    model = powercut._Model(device, load, end, ordered_erases=False, **options)
    for time in instants(1, 5, end):
        model.go(round(time * 1e9))
        model.cut(time)
    model.go(round(end * 1e9))
    result = reference.run(device, load, duration_s=end, **options)
    np.testing.assert_array_equal(model.host.histogram, result.histogram)
    assert model.network.counts == result.counts
    state = model.network.run.state
    np.testing.assert_array_equal(state.arrays.l2p, result.ftl.arrays.l2p)
    np.testing.assert_array_equal(state.arrays.p2l, result.ftl.arrays.p2l)
    verify(state)


def test_an_erase_that_does_not_wait_for_newer_versions_breaks_the_promise():
    # hardly a spare superblock, quick erases and many programs that wait
    tight = {"blocks_per_plane": 18, "dies": 4, "programs_per_die": 16, "erase_s": 1e-4}
    device = drive(low_blocks=2, high_blocks=2.5, **tight, **PAIRED)
    load, at = Access(65536, "sequential"), instants(1, 400, 1.0)
    for ordered in (True, False):
        kept = powercut.cuts(device, load, at, flush_s=MS, ordered_erases=ordered)
        lost = [cut.broken("lower") for cut in kept]
        assert (max(lost) == 0) is ordered
        assert sum(size > 0 for size in lost) < 40


# closed form beside simulation


M600 = cached(part(load("m600-256gb"), superblocks=24, rows=32), "none")
PROGRAM = M600.planes * M600.page_bytes


@pytest.mark.parametrize("rate", [300.0, 3_000.0, 20_000.0])
def test_a_host_below_what_the_drive_can_do(rate):
    at = 0.05 + np.random.default_rng(2).exponential(3 * MS, 200).cumsum()
    load = Access(4096, rate=rate)
    table = powercut.losses(M600, load, at, fill="none")
    lost = table[table.protection == "none"]
    bytes_per_s = rate * 4096
    # each unit of the host is at risk for as long, padded programs or not
    at_rest = powerloss.exposed(bytes_per_s, M600.program_s)
    assert lost.at_rest.mean() == pytest.approx(at_rest, abs=4 * lost.at_rest.std() / 200**0.5)
    if rate > 1000:  # slower hosts leave programs that are padded
        seen = lost.programs * PROGRAM
        formula = powerloss.under_way(bytes_per_s, M600.program_s)
        assert seen.mean() == pytest.approx(formula, abs=4 * seen.std() / 200**0.5)
    waiting = powerloss.gathered(rate, PROGRAM // 4096, M600.buffer_age_s) * 4096
    transfer = PROGRAM / M600.channel_bytes_per_s + M600.channel_overhead_s
    held = waiting + bytes_per_s * (np.mean(M600.program_s) + transfer)
    assert lost.in_flight.mean() == pytest.approx(held, abs=4 * lost.in_flight.std() / 200**0.5)


def test_a_host_that_the_drive_cannot_follow():
    at = 0.05 + np.random.default_rng(3).exponential(4 * MS, 100).cumsum()
    load = Access(131_072, "sequential")
    table = powercut.losses(M600, load, at, fill="none", queue_depth=4)
    lost = table[table.protection == "none"]
    # the buffer is full but for less than a request, and all dies are busy
    assert lost.held.min() > M600.buffer_bytes - 131_072
    most = M600.dies * PROGRAM / np.mean(M600.program_s)
    assert lost.programs.mean() == pytest.approx(M600.dies, rel=0.01)
    spread = lost.older.std() / 100**0.5
    older = powerloss.exposed(most, M600.program_s) / PROGRAM
    assert lost.older.mean() == pytest.approx(older, abs=4 * spread)


@pytest.mark.proof
def test_what_cleaning_moves_is_hardly_at_risk():
    at = 0.05 + np.random.default_rng(4).exponential(3 * MS, 100).cumsum()
    device = cached(part(load("m600-256gb"), superblocks=32, rows=64), "none")
    table = powercut.losses(device, WRITES, at, random_drive_writes=2.0)
    lost = table[table.protection == "none"]
    result = reference.run(device, WRITES, duration_s=float(at[-1]), random_drive_writes=2.0)
    programs = np.array([result.counts["programs"], result.counts["copy_programs"]])
    host, copies = powerloss.exposed(programs * PROGRAM / at[-1], device.program_s)
    spread = PROGRAM * lost.older.std() / 100**0.5
    assert lost.older.mean() * PROGRAM == pytest.approx(host + copies, abs=4 * spread)
    # copies lose their source as a whole superblock, one row in many
    spread = lost.at_rest.std() / 100**0.5
    assert host - 4 * spread < lost.at_rest.mean() < host + copies / 4 + 4 * spread


def test_a_cache_leaves_endangered_what_has_another_copy():
    at = 0.4 + np.random.default_rng(5).exponential(3 * MS, 60).cumsum()
    access = Access(131_072, "sequential")
    lost = {}
    for cache in ("none", "all writes"):
        device = cached(part(load("m600-256gb"), superblocks=24, rows=32), cache)
        table = powercut.losses(device, access, at, distance=3, queue_depth=1)
        assert (table[table.protection != "none"].at_rest == 0).all()
        lost[cache] = table[table.protection == "none"]
    assert (lost["none"].at_rest == lost["none"].older * PROGRAM).all()
    folded = lost["all writes"]
    # copies of three of 16 rows in SLC mode stand alone at most, once their source is erased
    assert 0 < folded.at_rest.mean() < 3 / 16 * PROGRAM * folded.older.mean()
    assert folded.slc.mean() > 1


# with capacitors


@pytest.mark.parametrize("access", [WRITES, Access(131_072, "sequential")])
def test_energy_for_the_bound_saves_all(access):
    bound = capacitors.flush_time(M600.buffer_bytes, M600.program_s, M600.dies, PROGRAM)
    for time in instants(5, 8, 0.06) + 0.03:
        cut, took = powercut.on_capacitors(M600, access, time, bound, fill="none")
        assert 0 < took <= bound
        assert cut.lost("none") == (0, 0)
        assert max(cut.rows) == -1


def test_without_energy_it_is_a_plain_cut():
    time = 0.04
    (plain,) = powercut.cuts(M600, WRITES, [time], fill="none")
    cut, took = powercut.on_capacitors(M600, WRITES, time, 0.0, fill="none")
    assert np.isnan(took)
    assert cut.lost("none") == plain.lost("none")
    # energy for some of it saves some of it
    less, took = powercut.on_capacitors(M600, WRITES, time, 2 * MS, fill="none")
    assert np.isnan(took)
    assert 0 < less.lost("none").in_flight < plain.lost("none").in_flight


# the blank superblocks that are kept must hold what the buffer holds
KEPT = {"low_blocks": 4, "high_blocks": 5, "buffer_bytes": 17 << 16}


def flushes_in_time(device, cuts, **options):
    bound = capacitors.flush_time(device.buffer_bytes, device.program_s, 2, 16384) + device.erase_s
    for seed in range(cuts):
        cut, took = powercut.on_capacitors(device, WRITES, 0.2 + 0.011 * seed, bound, seed=seed,
                                           **options)  # fmt: skip
        assert took <= bound
        assert cut.lost("none") == (0, 0)


def test_a_drive_that_cleans_can_still_flush():
    flushes_in_time(drive(**KEPT, **PAIRED), cuts=8, random_drive_writes=2.0)
    full = drive(buffer_bytes=2 * MIB, **PAIRED)
    cut, took = powercut.on_capacitors(full, WRITES, 0.2, 1.0, random_drive_writes=2.0)
    assert np.isnan(took)
    assert cut.lost("none").in_flight > 0


test_bad_input_is_named = refusals([
    (lambda: powercut.cuts(drive(), WRITES, [0.2, 0.1]), "at_s must be a row of instants"),
    (lambda: powercut.cuts(drive(), WRITES, [-1.0]), "at_s must be a finite number >= 0"),
    (lambda: powercut.cuts(drive(), WRITES, [0.1], flush_s=0.0), "flush_s must be a finite"),
    (lambda: powercut.cuts(drive(**PAIRED), WRITES, [0.1], distance=2),
     "distance must be 1 more than a multiple of 2"),
    (lambda: powercut.cuts(drive(), WRITES, [0.1], span=2.0), "span must be a finite number"),
    (lambda: powercut.on_capacitors(drive(), WRITES, 0.1, -1.0), "hold_s must be a finite"),
    (lambda: next(powercut.cuts(drive(), WRITES, [0.0])).lost("some"),
     "protection must be one of none, lower, finish, full"),
])  # fmt: skip
