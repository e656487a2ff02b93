"""A test with fio, held against the drive's counters and the formulas."""

import dataclasses
import io
import json
import re
from pathlib import Path

import numpy as np
import pytest
import reports

from flashwear import bench, cli, fio, smart, steady, wa
from flashwear_book import tables
from refusals import refusals
from test_fio import CAPACITY, OLD, RECORDED, TRUTH, changed, framed, recorded, report

BEFORE = smart.parse(report(*OLD))
NONE = fio._json.Side(0, 0, 0.0, 0.0, 0.0, None, {}, {})


def output(written, seconds=5000, **options):
    """Return what fio printed, as of a larger drive: with other amounts and options."""
    kib = int(written) // 1024
    side = {"io_bytes": int(written), "io_kbytes": kib, "runtime": 1000 * seconds,
            "bw": kib // seconds, "total_ios": kib // 4}  # fmt: skip
    return changed(side=side, **{"norandommap": "1"} | options).decode()


def outcome(written, seconds=5000, **options):
    return fio.read(io.BytesIO(output(written, seconds, **options).encode()))


def course(op, volume, way=wa.after_fill, steps=1000):
    """Return host writes over the span after equal times, for a drive that programs at a pace."""
    s = np.arange(0, 60, 0.001)
    v = way(op, s).drive_writes
    end = np.interp(volume, v, s)
    return np.interp(np.linspace(0, end, steps + 1), s, v), float(end)


def log(path, seconds):
    """Return a log of bandwidth of a run that took a path of host bytes."""
    rates = np.diff(path) / (seconds / (path.size - 1)) / 1024
    rows = zip(np.linspace(0, seconds, path.size)[1:] * 1000, rates, strict=True)
    text = "".join(f"{t:.0f}, {r:.0f}, 1, 0\n" for t, r in rows)
    return io.BytesIO(text.encode())


def judge(op=0.2, volume=2.0, *, start="filled", with_log=True, **more):
    way = wa.from_blank if start == "blank" else wa.after_fill
    path, programmed = course(op, volume, way)
    host = volume * CAPACITY
    after = report(OLD[0] + host, OLD[1] + programmed * CAPACITY)
    run = outcome(host, 20_000)
    if with_log:
        more["log"] = fio.read_log(log(path * CAPACITY, 20_000), kind="bw")
    return bench.bench(BEFORE, run, smart.parse(after), start=start, **more)


@pytest.mark.parametrize("op", [0.07, 0.2, 0.5])
@pytest.mark.parametrize(("start", "volume"), [("filled", 1.0), ("filled", 3.0), ("blank", 3.0)])
def test_the_spare_flash_of_a_drive_is_found_again(op, start, volume):
    found = judge(op, volume, start=start)
    low, high = found.op
    assert low <= op * (1 + 1e-3)
    assert high >= op * (1 - 1e-3)
    assert high / low < 1.01
    assert found.doubts == ()
    assert found.drive_writes == pytest.approx(volume)


def test_a_run_that_was_long_enough_tells_of_other_loads_and_one_that_was_not_misses_time():
    settled = judge(0.2, 3.0)
    assert settled.advice.settled
    found = {load.load: load for load in settled.elsewhere}
    low, high = settled.op
    assert low < high
    hot_20 = {"hot_write_share": 0.8, "hot_space_share": 0.2}
    for load, form in (
        ("random writes over 50 % of the span, the rest trimmed", lambda op: (1 + op) / 0.5 - 1),
        ("random writes over 75 % of the span, the rest trimmed", lambda op: (1 + op) / 0.75 - 1),
        ("random writes over 100 % of the span", lambda op: op),
        ("80 % of the writes to 20 % of the span", None),
    ):  # fmt: skip
        ends = [wa.fifo(form(op)) if form else wa.fifo_mixed(op, **hot_20) for op in (high, low)]
        assert (found[load].low, found[load].high) == pytest.approx(tuple(ends), rel=1e-9)
    assert len(found) == 4
    short = judge(0.2, 0.4).advice
    assert not short.settled
    assert short.missing_s > 0
    unseen = judge(0.2, 3.0, with_log=False).advice
    assert not unseen.settled
    assert unseen.missing_s == 0
    assert unseen.reason.startswith("written 3 times, and ")
    assert unseen.reason.endswith("; a log says whether the end is level")


def test_cleaning_is_seen_from_five_percent_on_and_a_level_end_by_a_log_of_an_own_pace():
    for ratio, seen in ((1.049, False), (1.051, True)):
        found = bench_of(0.6e12, ratio * 0.6e12)
        assert any("nothing was cleaned yet" in doubt for doubt in found.doubts) != seen
        assert (found.op is None) != seen
    path, programmed = course(0.2, 3.0)
    after = smart.parse(report(OLD[0] + 3 * CAPACITY, OLD[1] + programmed * CAPACITY))
    rows = fio.read_log(log(path * CAPACITY, 20_000), kind="bw")
    found = bench.bench(BEFORE, outcome(3 * CAPACITY, 20_000, rate="1m"), after, log=rows)
    assert (found.advice.settled, found.advice.window) == (False, None)
    assert found.advice.written == pytest.approx(3)
    settled = bench.bench(BEFORE, outcome(3 * CAPACITY, 20_000), after, start="settled")
    assert settled.advice is None  # it was so when the run began
    assert settled.op == pytest.approx(
        [bench.spare(ratio, 3, "settled") for ratio in settled.wa[::-1]], rel=1e-3
    )


def test_ranges_of_jobs_are_told_as_a_count_of_blocks_tells_them():
    rng = np.random.default_rng(5)
    outcomes = set()
    for _ in range(400):
        blocks = np.zeros(200, int)  # that a job wrote to, by how many ranges
        jobs, ranges = [], {}
        for name in range(rng.integers(1, 4)):
            offset, size, step = (int(n) for n in rng.integers([0, 1, 0], [60, 20, 30]))
            clones, amount = int(rng.integers(1, 4)), int(rng.integers(8, 12)) * 4096 * size
            size = min(size, 60) if rng.random() < 0.8 else 100 - offset - step * (clones - 1)
            if size <= 0:
                continue
            options = {"size": str(size), "offset": str(offset), "offset_increment": str(step)}
            summed = bool(rng.integers(2))  # by group_reporting
            for _ in range(1 if summed else clones):
                each = options | ({"numjobs": str(clones)} if summed or clones == 1 else {})
                side = fio._json.Side(amount * (clones if summed else 1), 1, 1, 1, 1, None, {}, {})
                jobs.append(fio.Job(str(name), each, 0, 0, NONE, side, NONE))
            for clone in range(clones):
                place = (offset + step * clone, offset + step * clone + size)
                ranges[place] = ranges.get(place, 0) + amount
        if not jobs:
            continue
        for start, stop in ranges:
            blocks[start:stop] += 1
        density = [amount / (stop - start) for (start, stop), amount in ranges.items()]
        alike = blocks.max() == 1 and max(density) <= 1.2 * min(density)
        run = fio.Run("", None, (*jobs, fio.Job("idle", {}, 0, 0, NONE, NONE, NONE)))
        doubts = []
        assert bench._span.span(run, None, None, doubts) == ((blocks > 0).sum(), alike)
        assert doubts == []
        outcomes.add(alike)
    assert outcomes == {True, False}


def test_a_span_given_or_cut_by_the_capacity_is_told_if_it_is_no_whole_drive():
    def span(capacity, given=None, **options):
        job = fio.Job("a", options, 0, 0, NONE, dataclasses.replace(NONE, bytes=2**30), NONE)
        doubts = []
        found = bench._span.span(fio.Run("", None, (job,)), capacity, given, doubts)
        return *found, doubts

    assert span(None, 5.0, size="9") == (5.0, True, [])
    assert span(1000) == (1000, True, [])
    assert span(1000, size="2000", offset="50") == (950, True, [])
    assert span(1000, size="90%") == (900, True, [])
    for given in ({"size": "899"}, {"offset": "101"}):
        size, alike, (doubt,) = span(1000, **given)
        assert (size, alike) == (899, True)
        assert doubt.startswith("only 90 % of the drive was written: ")
    for options in ({}, {"size": "all"}, {"size": "9", "offset": "5z"},
                    {"size": "9", "offset": "1%"}):  # fmt: skip
        with pytest.raises(ValueError, match="span_bytes must be given: "):
            span(None, **options)
    with pytest.raises(ValueError, match="span_bytes must be given: jobs and report do not"):
        span(1000, offset="1000")
    with pytest.raises(ValueError, match=r"span_bytes must be .* > 0"):
        span(1000, 0)


@pytest.mark.parametrize("start", ["filled", "blank", "settled"])
def test_spare_flash_gives_back_the_mean_that_it_was_found_from(start):
    way = {"filled": wa.after_fill, "blank": wa.from_blank}.get(start)
    for op, volume in ((0.0101, 0.5), (0.3, 5.0), (1.0, 80.0)):
        if way:  # far on, a page costs what it does in the end
            s = np.concatenate([np.arange(0, 4, 5e-4), np.arange(4, 100, 0.02)])
            v = way(op, s).drive_writes
            late = max(volume - v[-1], 0.0) * wa.fifo(op)
            mean = (np.interp(volume, v, s) + late) / volume
        else:
            mean = wa.fifo(op)
        if mean > 1.001:
            assert bench.spare(mean, volume, start) == pytest.approx(op, rel=5e-3), (op, volume)


def test_what_is_written_in_order_too_is_taken_off():
    programmed = course(0.2, 2.0)[1]
    host = 2.0 * CAPACITY
    after = report(OLD[0] + host, OLD[1] + 1.03 * programmed * CAPACITY)
    found = [bench.bench(BEFORE, outcome(host), smart.parse(after), sequential_wa=k)
             for k in (1.0, 1.03)]  # fmt: skip
    assert found[1].op[0] == pytest.approx(0.2, rel=0.01)
    assert found[0].op[1] < 0.195
    loads = {load.load: load for load in found[1].elsewhere}
    for load, without in (
        ("random writes over 100 % of the span", wa.fifo(0.2)),
        ("80 % of the writes to 20 % of the span",
         wa.fifo_mixed(0.2, hot_write_share=0.8, hot_space_share=0.2)),
    ):  # fmt: skip
        assert loads[load].low == pytest.approx(1.03 * without, rel=0.01)


def bench_of(host, flash, grew=None, **options):
    after = report(OLD[0] + (host if grew is None else grew), OLD[1] + flash)
    return bench.bench(BEFORE, outcome(host, **options), smart.parse(after))


@pytest.mark.parametrize(("found", "doubt"), [
    (lambda: bench_of(1e12, 0.7e12), "the drive compresses, or counts a cache apart"),
    (lambda: bench_of(1e12, 3e12, rw="write"), "not all jobs wrote at random"),
    (lambda: bench_of(0.1e12, 0.1001e12), "the spare flash is at least 13.3 %"),
    (lambda: bench_of(1e12, 3e12, random_distribution="zipf:1.2"), "not all jobs wrote at random"),
    (lambda: bench_of(1e12, 3e12, percentage_random=50), "not all jobs wrote at random"),
    (lambda: bench_of(1e12, 3e12, grew=1.1e12), "beside which a file system or other programs"),
    (lambda: bench_of(1e12, 9e12, grew=3e12), "most of it was not written by fio"),
    (lambda: bench_of(1e9, 2e12), "no drive takes more than 1,000"),
    (lambda: bench_of(1e12, 80e12), "no spare flash gives this course"),
    (lambda: bench_of(65_536, 131_072), "the counter of flash writes may count in steps of"),
])  # fmt: skip
def test_what_keeps_a_number_back_is_said(found, doubt):
    answer = found()
    assert any(doubt in told for told in answer.doubts), answer.doubts
    if "beside" not in doubt:
        assert answer.op is None
        assert answer.elsewhere == ()


def test_the_job_file_of_the_book_tells_of_the_map():
    page = Path(__file__).parents[1] / "book" / "workshop" / "steady-state.md"
    job = page.read_text("utf-8").partition("[random]")[2].partition("```")[0]
    printed = fio.read(RECORDED / "book.json").jobs[0].options
    for line in job.split():
        name, _, value = line.partition("=")
        if name not in ("filename", "iodepth", "runtime", "time_based"):
            assert printed[name] == value


# What fio printed, with the truth beside it

CASES = [path.stem for path in sorted(RECORDED.glob("*.json")) if path.stem != "unified"]


def judged(name, ratio, host_step, flash_step, late=0.0, **more):
    """Judge a recorded run with counters that step, and lag by a share of what was written.

    The counters are made so that the device takes `ratio` times what it counted to flash.
    """
    before, after = made(name, ratio, host_step, flash_step, late, more.pop("wait", 300))
    return bench.bench(before, recorded(name), after, **{"span_bytes": 2**20} | more)


def made(name, ratio, host_step, flash_step, late=0.0, wait=300):
    run, written = recorded(name), TRUTH[name]["written"]
    ends = OLD, (OLD[0] + (1 - late) * written, OLD[1] + (1 - late) * ratio * written)
    first = smart.parse(report(*OLD))
    return [dataclasses.replace(first, host_bytes_written=int(host // host_step * host_step),
                                nand_bytes_written=int(flash // flash_step * flash_step),
                                time_s=run.time_s + at)
            for (host, flash), at in zip(ends, (-10, wait), strict=True)]  # fmt: skip


def test_a_run_that_ended_outside_may_be_another_and_narrows_the_interval_after_a_minute():
    before, after = made("plain", 2.0, 512_000, 2**14)
    run = recorded("plain")
    for moved, said in ((0, None), (-20, None), (310, None),
                        (-21, "11 seconds before the first report"),
                        (311, "11 seconds after the second report")):  # fmt: skip
        found = bench.bench(before, dataclasses.replace(run, time_s=run.time_s + moved), after)
        told = [doubt for doubt in found.doubts if doubt.startswith("fio ended")]
        assert [said in doubt for doubt in told] == [True] * (said is not None)
        if said:  # fio's bytes tell nothing then
            least, most = found.wa
            assert most / least > 1.1
    middle = cli._one_run.lines(bench.bench(before, run, after))[0]
    low, high = bench.bench(before, run, after).wa
    assert low * 0.999 <= float(re.search(r"reports: ([\d.]+),", middle)[1]) <= high * 1.001
    widths = {}
    for name in ("loops", "ramp", "buffered"):
        for wait in (0, 59, 60, 300) if name == "loops" else (0, 300):
            low, high = judged(name, 4.0, 2**17, 512, wait=wait).wa
            assert low <= 4 <= high
            widths[name, wait] = high - low
    assert widths["loops", 300] < 0.6 * widths["loops", 0]
    assert widths["loops", 59] == widths["loops", 0]
    assert widths["loops", 60] == widths["loops", 300]
    for name in ("ramp", "buffered"):
        assert widths[name, 300] == widths[name, 0]


STEPS = [(512, 2**14), (512_000, 2**14), (2**20, 2**20)]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize(("host_step", "flash_step"), STEPS)
def test_the_truth_of_a_recorded_run_is_in_the_interval(name, host_step, flash_step):
    written = TRUTH[name]["written"]
    if not written:
        with pytest.raises(ValueError, match="run must hold writes, got none"):
            judged(name, 4.0, host_step, flash_step)
        return
    for ratio in (1.2, 4.0):
        found, grew = (judged(name, ratio, host_step, flash_step),
                       smart.written(*made(name, ratio, host_step, flash_step)))  # fmt: skip
        steps = (grew.host_step, grew.host_bytes), (grew.nand_step, grew.nand_bytes)
        told = sum("counter of" in doubt and "may move by" in doubt for doubt in found.doubts)
        assert told == sum(step > 0.02 * amount > 0 for step, amount in steps)
        if found.wa is None:
            assert told
            continue
        low, high = found.wa
        assert low <= ratio <= high
        (step, host), (flash_step, flash) = steps
        assert low >= (flash - flash_step) / (host + step)
        assert high <= (flash + flash_step) / max(host - step, written * (host <= step))


@pytest.mark.parametrize("name", ["plain", "rate", "loops", "grouped", "servers", "increments"])
@pytest.mark.parametrize("late", [0.005, 0.015, 0.05, 1.0])
def test_a_counter_that_lags_leaves_room_or_is_refused(name, late):
    def judge():
        return judged(name, 4.0, 512, 512, late, wait=0)

    if late > 0.02:
        with pytest.raises(ValueError, match=r"or its counters lag \(wait some minutes\)"):
            judge()
        return
    found = judge()
    assert found.wa[0] <= 4 * (1 - late) + 1e-3
    assert 4 <= found.wa[1] <= 4 * (1 + 2 * late)
    assert any("its counters lag" in doubt for doubt in found.doubts)


@pytest.mark.parametrize("late", [0, 0.012])  # a minute of 83
@pytest.mark.parametrize("gib", [0.4, 1.7, 12.3, 40.9, 4000.5])
def test_steps_of_a_gibibyte_give_their_interval_and_are_told(gib, late):
    unit = 2**30
    for part in np.arange(0, 1, 0.23):  # of a step that had passed before
        host, flash = 70 * unit + part * unit, 90 * unit + (7 * part % 1) * unit
        before, after = (
            dataclasses.replace(BEFORE, host_bytes_written=int(h // unit * unit),
                                nand_bytes_written=int(f // unit * unit), time_s=None)
            for h, f in ((host, flash), (host + (1 - late) * gib * unit,
                                         flash + (1 - late) * 4 * gib * unit))
        )  # fmt: skip
        try:
            found = bench.bench(before, outcome(gib * unit), after)
        except ValueError as error:
            found = error
        if isinstance(found, ValueError):  # the counter has hardly moved
            assert "bytes where fio wrote" in str(found)
            assert gib < 2
            continue
        assert found.wa is None or found.wa[0] <= 4 <= found.wa[1]
        coarse = any("writes may move by 1,073,741,824 bytes" in d for d in found.doubts)
        assert coarse == (gib < 50)
        assert found.wa is not None or gib < 2


def test_fill_and_test_in_one_file():
    run, written = recorded("stonewall"), TRUTH["stonewall"]["written"]
    fill, test = (job.write.bytes for job in run.jobs)
    assert fill + test == written
    both = OLD[0] + written, OLD[1] + 1.03 * fill + 4 * test
    given = {"span_bytes": 2**20, "job": "random"}
    framed_all = bench.bench(BEFORE, run, smart.parse(report(*both)), sequential_wa=1.03, **given)
    assert framed_all.wa[0] == pytest.approx((1.03 * fill + 4 * test) / written, rel=0.01)
    assert 4 <= framed_all.wa[1] < 4.05
    assert framed_all.drive_writes == pytest.approx(test / 2**20, rel=0.01)
    assert any("exec_prerun in a job reads them in between" in d for d in framed_all.doubts)
    for share, seen in ((0.985, True), (0.97, False)):  # a counter may lag by two hundredths
        found = bench.bench(*framed(run, int(share * written)), **given)
        assert any("the counters also saw" in doubt for doubt in found.doubts) == seen
    alone = bench.bench(*framed(run, test), **given)
    assert alone.wa == (pytest.approx(4, rel=0.01), pytest.approx(4, rel=0.01))
    assert alone.op is not None
    before, after = (dataclasses.replace(one, host_bytes_written=None) for one in
                     (BEFORE, smart.parse(report(*both))))  # fmt: skip
    assert bench.bench(before, run, after, **given).wa is None
    # what ran before the judged job, and not in order, could have amplified more
    other = bench.bench(*framed(run, written), span_bytes=2**20, job="fill")
    assert other.wa is None
    with pytest.raises(ValueError, match="job must not run beside others that write, got 'random'"):
        bench.bench(*framed(recorded("two_jobs"), 2**25), job="random")


@pytest.mark.parametrize(("name", "span"), [
    ("plain", 1), ("offset", 1 / 4), ("halves", 1 / 2), ("increments", 1), ("grouped", 1),
    ("increments_grouped", 1), ("two_jobs", 1), ("book", 1),
])  # fmt: skip
def test_sizes_offsets_and_increments_tell_the_span(name, span):
    before, run, after = framed(recorded(name), TRUTH[name]["written"])
    before, after = (dataclasses.replace(one, capacity_bytes=2**24) for one in (before, after))
    assert bench.bench(before, run, after).span_bytes == span * 2**24


def test_ranges_that_overlap_a_pace_that_was_given_and_no_count_of_the_host_say_less():
    for increment, span, alike in (("8m", 2**24, True), ("4m", 3 * 2**22, False)):
        run = recorded("increments")
        for job in run.jobs:
            job.options["offset_increment"] = increment
        found = bench.bench(*framed(run, 2**24))
        assert found.span_bytes == span
        assert any("everywhere alike" in doubt for doubt in found.doubts) != alike
    for name, told in (("rate", True), ("loops", False)):
        found = judged(name, 4.0, 512, 2**14)
        assert found.op is not None
        assert ("the pace was given to fio" in found.advice.reason) == told
    found = judged("plain", 1.05, 512, 2**14)  # as far as the counters can see
    assert found.wa[0] < 1.05 < found.wa[1]
    assert found.op is not None
    for name, told in (("plain", True), ("ramp", False), ("buffered", False), ("stonewall", True)):
        before, after = (dataclasses.replace(one, host_bytes_written=None)
                         for one in made(name, 4.0, 512, 2**14))  # fmt: skip
        found = bench.bench(before, recorded(name), after, span_bytes=2**20)
        assert any("fio's bytes are taken" in doubt for doubt in found.doubts)
        assert (found.wa is not None) == told
        assert any("nobody counted what the host wrote" in d for d in found.doubts) != told
        if told:
            assert found.wa == (pytest.approx(4, rel=0.01), pytest.approx(4, rel=0.01))
        else:
            assert (found.op, found.advice) == (None, None)


def after_a_ramp(volume, ramp):
    """Return a run without its first steps of 1,000, in frames of its whole, and its log."""
    path, programmed = course(0.2, volume)
    rest, seconds = (path[ramp:] - path[ramp]) * CAPACITY, 20 * (1_000 - ramp)
    run = outcome(rest[-1], seconds, ramp_time=20 * ramp)
    after = report(OLD[0] + volume * CAPACITY, OLD[1] + programmed * CAPACITY)
    return (BEFORE, run, smart.parse(after)), fio.read_log(log(rest, seconds), kind="bw")


@pytest.mark.parametrize("volume", [1.0, 3.0])
def test_what_was_written_in_a_ramp_counts_for_the_time_needed(volume):
    whole = judge(0.2, volume)
    given, rows = after_a_ramp(volume, 400)
    found = bench.bench(*given, log=rows)
    assert found.op == pytest.approx(whole.op)
    assert found.advice.written == pytest.approx(found.drive_writes) == pytest.approx(volume)
    assert found.advice.settled == whole.advice.settled
    assert bench.bench(*given).advice.written == pytest.approx(volume)


def test_a_log_of_a_third_of_the_run_is_not_its_log_and_rounds_in_a_ramp_say_nothing():
    given, rows = after_a_ramp(1.0, 800)
    found = bench.bench(*given, log=rows).advice
    assert (found.settled, found.window, found.missing_s) == (False, None, 0)
    assert "reach into the ramp_time" in found.reason
    path, programmed = course(0.2, 2.0)
    after = smart.parse(report(OLD[0] + 2 * CAPACITY, OLD[1] + programmed * CAPACITY))
    given = BEFORE, outcome(2 * CAPACITY, 20_000), after
    for share in (0.51, 1.19, 0.49, 1.21):
        rows = fio.read_log(log(share * path * CAPACITY, 20_000), kind="bw")
        if 0.5 < share < 1.2:
            assert bench.bench(*given, log=rows).advice is not None
            continue
        with pytest.raises(ValueError, match="it is of another run, or not of all its jobs"):
            bench.bench(*given, log=rows)


def test_a_part_of_the_drive_is_told_and_so_is_a_drive_that_counts_no_flash_writes():
    found = bench_of(5e10, 2e11, size="16g")
    assert found.span_bytes == 2**34
    assert any("only 2.3 % of the drive was written" in doubt for doubt in found.doubts)
    assert bench_of(5e10, 2e11, size="50%").span_bytes == CAPACITY / 2
    health = {"data_units_written": 10**8, "power_on_hours": 100}
    before = smart.parse(reports.nvme(health=health))
    after = smart.parse(reports.nvme(health=health | {"data_units_written": 10**8 + 2_000_000}))
    found = bench.bench(before, outcome(2_000_000 * 512_000), after)
    assert found.wa is None
    assert "the drive does not count flash writes" in found.doubts[-1]


OTHER = smart.parse(reports.ata(attributes={9: 900, 246: 10**9}))
test_files_that_do_not_belong_together_are_refused = refusals([
    (lambda: bench_of(0, 1e12), "run must hold writes, got none"),
    (lambda: bench_of(1e12, 3e12, grew=0.5e12), "the drive counted 500,.* bytes where fio wrote"),
    (lambda: bench_of(1e12, -3e12), "flash writes fell from"),
    (lambda: judge(start="new"), "start must be one of filled, blank, settled, got 'new'"),
    (lambda: judge(sequential_wa=0.5), "sequential_wa must be .* >= 1"),
    (lambda: judge(sequential_wa=2.5), "sequential_wa must be .* <= 2"),
    (lambda: judge(with_log=False, log=fio.read_log(log(np.linspace(0, 1e9, 50), 500), kind="bw")),
     "the log holds .* it is of another run"),
    (lambda: bench.bench(BEFORE, outcome(1e12), OTHER), "the reports are of two drives"),
    (lambda: bench.spare(1.0, 2.0), "mean_wa must be .* > 1"),
    (lambda: bench.spare(90.0, 2.0), r"mean_wa must be in \[.*\] after 2 drive writes, got 90"),
    (lambda: bench.spare(3.0, 0), "drive_writes must be .* > 0"),
    (lambda: bench.spare(3.0, 1, "new"), "start must be one of filled, blank, settled, got 'new'"),
])  # fmt: skip


def test_one_span_of_a_real_drive_predicts_the_others():
    measured = tables.measured_wa()
    drive = measured[measured.drive == "Micron 7450 MAX 800GB"]
    own = drive[drive.load == "in order"].groupby("run").wa.mean().mean()
    random = drive[drive.load == "random"]
    late = random[random.fills > 0.7 * random.groupby("run").fills.transform("max") + 0.01]
    settled = late.groupby("span_gib").wa.mean()
    assert len(settled) == 6
    misses = []
    for _, run in random[random.fills < 4.01].groupby("run"):
        span = run.span_gib.iloc[0]
        flash = span * (1 + bench.spare(run.wa.mean() / own, run.fills.max()))
        misses += [own * wa.fifo(flash / s - 1) / level - 1 for s, level in settled.items()]
    assert np.abs(misses).max() < 0.03
    same_for_all = settled.max() / settled.min() - 1
    assert same_for_all > 0.7


@pytest.fixture
def files(tmp_path):
    path, programmed = course(0.2, 3.0)
    (tmp_path / "before").write_text(report(*OLD))
    after = report(OLD[0] + 3 * CAPACITY, OLD[1] + programmed * CAPACITY)
    (tmp_path / "after").write_text(after)
    (tmp_path / "fio.json").write_text(output(3 * CAPACITY, 20_000))
    (tmp_path / "run_bw.1.log").write_bytes(log(path * CAPACITY, 20_000).read())
    return tmp_path


def told(capsys, folder, *more, fio="fio.json"):
    given = [str(folder / name) for name in ("before", fio, "after")]
    status = cli.main(["bench", *given, *more])
    return (status, *capsys.readouterr())


def test_the_command_says_it_in_words_and_as_json_of_one_log_or_of_two(files, capsys):
    status, out, err = told(capsys, files, "--log", str(files / "run_bw.1.log"))
    assert (status, err) == (0, "")
    assert "Spare flash: 20 % over the 750.2 GB that were written." in out
    assert "\nSettled: " in out
    status, out, _ = told(capsys, files, "--json", "--log", str(files / "run_bw.1.log"))
    found = json.loads(out)
    assert found["op"] == [pytest.approx(0.2, rel=2e-3)] * 2
    assert found["advice"]["settled"] is True
    assert found["status"] == 0
    halves = course(0.2, 3.0)[0] * CAPACITY / 2
    logs = [str(files / f"half_bw.{job}.log") for job in (1, 2)]
    for name in logs:
        Path(name).write_bytes(log(halves, 20_000).read())
    status, out, _ = told(capsys, files, "--log", *logs)
    assert (status, "\nSettled: " in out) == (0, True)


def test_the_page_needs_no_network_and_with_a_ramp_draws_the_equation_alone(files, capsys):
    page = files / "bench.html"
    assert told(capsys, files, "--html", str(page), "--log", str(files / "run_bw.1.log"))[0] == 0
    text = page.read_text()
    assert "Spare flash: 20 %" in text
    assert "equation" in text
    for tag in ('src="http', "src='http", 'href="http', "@import"):
        assert tag not in text
    assert not (files / "bench.html.part").exists()
    rows = [json.loads(row) for row in re.findall(r'\{"x": [^{}]*"what": "[a-z]+"\}', text)]
    run, form = ([(row["x"], row["wa"]) for row in rows if row["what"] == what]
                 for what in ("run", "equation"))  # fmt: skip
    assert (len(run), run[-1][0]) == (200, pytest.approx(3))
    assert form[-1][0] == pytest.approx(3.6, rel=0.01)  # a fifth beyond what was written
    assert '"width": 640' in text
    assert '"height": 320' in text
    at, told_wa = np.array(run[20:]).T  # means over a step, 4 % apart where the curve bends
    assert told_wa == pytest.approx(np.interp(at, *np.array(form).T), rel=0.06)
    path = course(0.2, 3.0)[0]
    rest = path[400:] - path[400]
    (files / "fio.json").write_text(output(rest[-1] * CAPACITY, 12_000, ramp_time="2h"))
    (files / "run_bw.1.log").write_bytes(log(rest * CAPACITY, 12_000).read())
    page = files / "bench.html"
    status, out, _ = told(capsys, files, "--html", str(page), "--log", str(files / "run_bw.1.log"))
    assert status == 0
    assert "Spare flash: 20 % over" in out
    assert "in ramp_time, the drive does not" in out
    assert '"what": "equation"' in page.read_text()
    assert '"what": "run"' not in page.read_text()


def test_what_is_told_is_left_out_or_rounded_as_it_is_known():
    given = (10**11, 3 * 10**11, (2.9, 3.1), 2e11, 0.5, (0.2, 0.2), None, (), ("it rained",))
    found = bench.Bench(*given)
    assert cli._one_run.lines(found) == [
        "Write amplification between the reports: 3, from 300 GB to flash for 100 GB of the host.",
        "The counters, and what fio wrote, leave 2.9 to 3.1.",
        "Spare flash: 20 % over the 200 GB that were written.", "Note: it rained.",
    ]  # fmt: skip
    for wa_of, first in (
        ((2.0, 2.87), "between the reports: 2.87, from 300 GB"),  # at most a tenth off
        ((2.0, 2.86), "of the job: 2 to 2.86."), ((3.15, 4.0), "between the reports: 3.15, from"),
        ((3.16, 4.0), "of the job: 3.16 to 4."),
    ):  # fmt: skip
        told = cli._one_run.lines(found._replace(wa=wa_of))
        assert told[0].startswith(f"Write amplification {first}")
        assert len(told) == 4 - (first.startswith("of"))
    other = bench._bench.Elsewhere("a load", 1.5, 2.25)
    advice = steady.advice([1e8] * 60, 60, 1e12, 0.07)
    told = cli._one_run.lines(found._replace(wa=None, op=(0.2, 0.3), elsewhere=(other,),
                                           advice=advice, doubts=()))  # fmt: skip
    assert told == [
        "Spare flash: 20 % to 30 % over the 200 GB that were written.",
        f"Settled: {advice.reason}.",
        "Settled write amplification of other loads on this drive, by the formula:",
        "   1.5 to 2.25  a load",
    ]
    told = cli._one_run.lines(found._replace(advice=advice._replace(settled=False)))
    assert told[3].startswith("Not shown to have settled: ")
    assert cli._one_run.values(found)["advice"] is None
    assert cli._one_run.values(found._replace(advice=advice))["advice"]["window"]["steady"] is True


@pytest.mark.parametrize(("fills", "note"), [
    (1, "the flash took 0.333 times what was written: "),
    (90_000, "the flash took 3e+04 times what was written, and no drive "),  # a torn pair
])  # fmt: skip
def test_no_number_has_a_status_of_its_own(files, capsys, fills, note):
    (files / "after").write_text(report(OLD[0] + 3 * CAPACITY, OLD[1] + fills * CAPACITY))
    status, out, _ = told(capsys, files)
    assert (status, out.count("\n")) == (1, 1)
    assert out.startswith(f"Note: {note}")


def test_a_torn_output_is_told_in_a_line(files, capsys):
    (files / "torn").write_text(output(1e12)[:-30])
    status, out, err = told(capsys, files, fio="torn")
    assert (status, out) == (3, "")
    assert err.startswith("flashwear: torn is torn: line 1: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize(("grew", "ramp", "told"), [
    (10e12, "60", False), (2.01e12, "0", False), (1.99e12, "0", True),
    (3.9e12, "900", False), (3.7e12, "15m", True),  # at most ten times the pace
])  # fmt: skip
def test_a_ramp_excuses_no_more_than_it_can_have_written(grew, ramp, told):
    after = smart.parse(report(OLD[0] + grew, OLD[1] + 3 * grew))
    found = bench.bench(BEFORE, outcome(1e12, ramp_time=ramp), after, span_bytes=CAPACITY)
    assert (found.op is not None) is told
    assert found.wa[0] == pytest.approx(3, rel=0.01)
