"""A folder of fio's outputs as the rounds of a test."""

from dataclasses import replace

import numpy as np
import pytest

from flashwear import bench, fio, smart, steady
from refusals import refusals
from test_fio import OLD, TRUTH, recorded, report

NAMES = [f"round_{number}" for number in range(1, 9)]
RUNS = [recorded(name) for name in NAMES]
HOST = sum(TRUTH[name]["written"] for name in NAMES)
FRAMED = {"before": smart.parse(report(*OLD)), "span_bytes": 2**20,
          "after": smart.parse(report(OLD[0] + HOST, OLD[1] + 3 * HOST))}  # fmt: skip


def test_rounds_are_what_the_device_took_in_order_and_their_bins_are_merged():
    found = bench.rounds(RUNS[::-1])
    assert [one.bytes_written for one in found.rounds] == [TRUTH[n]["written"] for n in NAMES]
    speeds = [one.iops for one in found.rounds]
    assert found.window == steady.snia(speeds)
    assert found.window.steady
    assert found.iops == pytest.approx(np.mean(speeds[-5:]))
    assert (found.settled, found.bench) == (None, None)
    found = bench.rounds(RUNS)
    bins = [(at, n) for run in RUNS[-5:] for at, n in run.jobs[0].write.bins.items()]
    every = np.sort(np.repeat(*map(np.array, zip(*bins, strict=True))))
    assert found.percentiles_s[50] == every[int(np.ceil(every.size / 2)) - 1]
    assert every.size < 1000 < 5 * every.size  # too few for 99 %, but not ten times
    assert found.percentiles_s[99] is None
    two = recorded("bins")
    merged = bench.rounds([two] * 5).rounds[0]
    assert merged.percentiles_s[50] is not None
    assert sum(job.write.requests for job in two.jobs) < 1000
    assert merged.percentiles_s[99] is None
    enough = replace(two, jobs=two.jobs * 2)
    assert bench.rounds([enough] * 5).rounds[0].percentiles_s[99] is not None


def test_clauses_are_met_or_not_or_not_to_be_seen_and_counters_say_what_they_leave_out():
    def met(runs):
        return {clause.name: clause.met for clause in bench.rounds(runs).clauses}

    found = met(RUNS)
    assert found["each combination runs for a minute"] is False
    assert found["tracked are random writes of 4 KiB"] is True
    assert found["purge, and twice the capacity in order by 128 KiB"] is None
    assert met(RUNS[:5])["a window passes within 25 rounds"] is False
    found = bench.rounds(RUNS, **FRAMED)
    assert found.bench.wa[0] <= 3 <= found.bench.wa[1]
    assert found.bench.op is not None
    assert found.bench.drive_writes == pytest.approx(HOST / 2**20, rel=0.01)
    assert found.settled is None
    assert "the pace was given to fio" in found.reason
    options = {key: value for key, value in RUNS[0].jobs[0].options.items() if key != "rate_iops"}
    free = [replace(run, jobs=(replace(run.jobs[0], options=options),)) for run in RUNS]
    assert bench.rounds(free, **FRAMED).settled is True
    assert bench.rounds(free, op=0.28, span_bytes=2**20).settled is True
    one_limited = [*free[:-1], RUNS[-1]]
    assert bench.rounds(one_limited, op=0.28, span_bytes=2**20).settled is None
    assert "with 30 % to spare" in bench.rounds(free, op=0.3, **FRAMED).reason  # not as it follows
    assert bench.rounds(free, op=0.28, span_bytes=2**30).settled is False
    assert bench.rounds(free[:5], op=0.28, span_bytes=2**20, start="settled").settled is False


NONE = fio._json.Side(0, 0, 0.0, 0.0, 0.0, None, {}, {})


def side(iops, seconds=60.0, latency=1e-3, bins=None):
    requests = int(iops * seconds)
    return replace(NONE, bytes=4096 * requests, requests=requests, seconds=seconds, iops=iops,
                   latency_s=latency, bins=bins or {})  # fmt: skip


def made(*sides, read=NONE, time=None, **options):
    options = {"rw": "randwrite", "bs": "4k", "size": "1g"} | options
    jobs = (fio.Job(str(n), options, 0, 0, read, one, NONE) for n, one in enumerate(sides))
    return fio.Run("", time, tuple(jobs))


def test_a_round_is_the_sum_of_its_jobs_and_waits_as_long_as_their_requests():
    runs = [made(side(1000, latency=2e-3), side(500, 40.0, latency=8e-3), NONE)] * 5
    one = bench.rounds(runs).rounds[0]
    assert (one.bytes_written, one.seconds, one.iops) == (80_000 * 4096, 60, 1500)
    assert one.latency_s == pytest.approx((60_000 * 2e-3 + 20_000 * 8e-3) / 80_000)
    untold = [made(side(1000), side(500, latency=None))] * 5
    assert bench.rounds(untold).rounds[0].latency_s is None
    nothing = made(replace(side(1000), requests=0, latency_s=None))
    assert bench.rounds([nothing] * 5).rounds[0].latency_s is None
    # rounds are in the order of their times where all tell it
    speeds = 5000, 4000, 3000, 3000, 3000, 3000, 3000
    runs = [made(side(iops), time=100 - n) for n, iops in enumerate(speeds)]
    assert bench.rounds(runs).window == steady.snia(speeds[::-1])
    runs[2] = replace(runs[2], time_s=None)
    assert bench.rounds(runs).window == steady.snia(speeds)
    assert bench.rounds(runs).iops == pytest.approx(3000)


def test_a_percentile_is_told_where_ten_requests_lie_beyond_it():
    for percent, least in ((50, 20), (99, 1000), (99.9, 10_000), (99.99, 100_000)):
        for count in (least - 1, least):
            bins = {1e-3: count // 2, 2e-3: count - count // 2 - count // 200, 9e-3: count // 200}
            found = bench.rounds([made(side(500, bins=bins))] * 5).rounds[0].percentiles_s
            every = np.repeat(sorted(bins), [bins[at] for at in sorted(bins)])
            expected = every[max(int(np.ceil(count * percent / 100 - 1e-9)), 1) - 1]
            assert found[percent] == (expected if count == least else None), (percent, count)
    merged = bench.rounds([made(side(500, bins={1e-3: 4}))] * 7)
    assert merged.percentiles_s[50] == 1e-3  # of the last five together
    assert merged.rounds[-1].percentiles_s[50] is None


def test_each_clause_turns_where_the_specification_says():
    def clauses(runs):
        return {one.name: (one.met, one.found) for one in bench.rounds(runs).clauses}

    level = [made(side(3000))] * 5
    for seconds, met in ((59.01, True), (58.99, False), (60.99, True), (61.01, False)):
        runs = [*level, made(replace(side(3000), seconds=seconds))]
        name = "each combination runs for a minute"
        assert clauses(runs)[name] == (
            met, f"{min(seconds, 60):.3g} to {max(seconds, 60):.3g} s")  # fmt: skip
    name = "tracked are random writes of 4 KiB"
    for options, found in (
        ({}, (True, "random requests of 4k")), ({"bs": "4096"}, (True, "random requests of 4096")),
        ({"bs": "8k"}, (False, "random requests of 8k")),
        ({"rw": "write"}, (False, "other requests of 4k")),
        ({"read": side(9)}, (False, "other requests of 4k")),
    ):  # fmt: skip
        assert clauses([made(side(3000), **options)] * 5)[name] == found
    both = [made(side(3000))] * 4 + [made(side(3000), bs="8k")]
    assert clauses(both)[name] == (False, "random requests of 4k, 8k")
    for options, met in (({}, (False, "not told")), ({"direct": "1"}, (True, "direct=1"))):
        assert clauses([made(side(3000), **options)] * 5)["past the page cache"] == met
    for options, met in (({}, None), ({"refill_buffers": "1"}, True)):
        assert clauses([made(side(3000), **options)] * 5)["random data"][0] is met
    for rounds in (25, 26):
        speeds = [3000 if (rounds - n) % 2 else 6000 for n in range(rounds - 5)] + [3000] * 5
        runs = [made(side(iops)) for iops in speeds]
        last = bench.rounds(runs).window.last
        assert last == rounds
        found = clauses(runs)["a window passes within 25 rounds"]
        assert found == (rounds <= 25, f"the first passed in round {rounds}")
    runs = [made(side(iops)) for iops in (1000, 1000, 1240, 1000, 1000)]
    assert clauses(runs)["five rounds range over at most 20 % of their mean"] == (
        False, "the last five over 22.9 %")  # fmt: skip
    runs = [made(side(iops)) for iops in (900, 1100, 1000, 1100, 900)]
    assert clauses(runs)["five rounds range over at most 20 % of their mean"] == (
        True, "the last five over 20 %")  # fmt: skip
    runs = [made(side(iops)) for iops in (1000, 1050, 1100, 1150, 1200)]
    assert clauses(runs)["their line rises or falls by at most 10 % of it"] == (
        False, "the last five by 18.2 %")  # fmt: skip


def test_theory_asks_for_as_much_before_the_last_five_as_the_start_takes():
    op = 0.5
    one = 0.1 * 2**30  # of the span in a round
    level = made(replace(side(3000), bytes=int(one)))
    for start, needed in (
        ("settled", 0.0), ("filled", steady.drive_writes(op)),
        ("blank", steady.drive_writes(op, filled=False)),
    ):  # fmt: skip
        least = int(np.ceil(needed / 0.1))
        assert bench.rounds([level] * (least + 5), op=op, start=start).settled is True
        if least:
            found = bench.rounds([level] * (least + 4), op=op, start=start)
            assert found.settled is False
            told = f"{0.1 * (least - 1):.2g} times the span was written before the last five rounds"
            assert found.reason == f"{told}, and with 50 % to spare {needed:.2g} are needed"
    wide = bench.rounds([level] * 20, op=op, start="settled", span_bytes=2**31)
    assert wide.reason.startswith("0.75 times")
    assert bench.rounds([level] * 5, op=0.01, start="settled").settled
    assert bench.rounds([level] * 5, op=4, start="settled").settled
    assert bench.rounds([level] * 5).reason.endswith("its spare flash, would tell")
    again = made(replace(side(3000), bytes=2**20), size="1m", offset_increment="1m")
    assert bench.rounds([again] * 9, op=op).reason.startswith("4 times the span")  # is no clone
    # what is told beside reports goes to the judgement of the whole run
    given = FRAMED | {"sequential_wa": 1.5, "start": "settled"}
    found = bench.rounds(RUNS, **given).bench
    plain = bench.rounds(RUNS, **FRAMED).bench
    assert found.op[0] == pytest.approx(bench.spare(plain.wa[1] / 1.5, 1, "settled"), rel=1e-6)
    own = {load.load: load.low for load in found.elsewhere}
    full = own["random writes over 100 % of the span"]
    assert full == pytest.approx(plain.wa[0], rel=1e-6)


test_what_are_no_rounds_is_named = refusals([
    (lambda: bench.rounds(RUNS[:4]), "runs must be 5 Runs or more, as fio.read gives, got 4"),
    (lambda: bench.rounds([*RUNS[:5], None]), "runs must be 5 Runs or more"),
    (lambda: bench.rounds(RUNS, before=FRAMED["before"]), "must be given both, or none"),
    (lambda: bench.rounds(RUNS, job="b"), "job must be one of random, got 'b'"),
    (lambda: bench.rounds([recorded("stonewall")] * 5), "round 1 wrote in 2 groups"),
    (lambda: bench.rounds([recorded("trims")] * 5), "round 1 wrote nothing"),
    (lambda: bench.rounds(RUNS, op=4.01, start="settled", span_bytes=2**20), "op must be .* <= 4"),
    (lambda: bench.rounds(RUNS, op=0.0099, start="settled", span_bytes=2**20), "op .* >= 0.01"),
    (lambda: bench.rounds(RUNS, op=0.1), "span_bytes must be given"),
    (lambda: bench.rounds(RUNS, start="new"), "start must be one of"),
])  # fmt: skip
