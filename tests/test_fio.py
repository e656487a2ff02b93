"""fio's JSON output and its logs."""

import csv
import gzip
import io
import json
import random
import re
from pathlib import Path

import numpy as np
import pytest

from flashwear import fio
from refusals import refusals

RECORDED = Path(__file__).parent / "fio_outputs"  # printed by fio: benchmarks/fio_outputs.py
TRUTH = {row["file"]: int(row["device_bytes"])
         for row in csv.DictReader((RECORDED / "truth.csv").read_text().splitlines())}  # fmt: skip


def side(written=8 * 2**20, seconds=4, **more):
    made = {"io_bytes": written, "io_kbytes": written // 1024, "runtime": 1000 * seconds,
            "bw": written // 1024 // seconds, "iops": written / 4096 / seconds,
            "total_ios": written // 4096, "lat_ns": {"mean": 2e5},
            "clat_ns": {"percentile": {"50.000000": 150_000, "99.000000": 900_000}}}  # fmt: skip
    return made | more


def output(*jobs, version="fio-3.33", options=None):
    return json.dumps({"fio version": version, "timestamp": 1_700_000_000,
                       "global options": options or {}, "jobs": list(jobs)}).encode()  # fmt: skip


def job(name="one", **more):
    return {"jobname": name, "job options": {"rw": "randwrite"}, "write": side()} | more


def read(text):
    return fio.read(io.BytesIO(text))


def log(rows, kind="bw", *others):
    return fio.read_log(*(file(r) for r in (rows, *others)), kind=kind)


def file(rows):
    return io.BytesIO("".join(", ".join(map(str, row)) + "\n" for row in rows).encode())


def test_the_figures_of_a_job_are_in_bytes_and_seconds():
    run = read(output(job(), job("two"), options={"bs": "4k", "size": "64M"}))
    write = run.jobs[0].write
    assert (write.bytes, write.requests, write.seconds) == (2**23, 2048, 4.0)
    assert write.bytes_per_s == pytest.approx(2**21)
    assert write.iops == pytest.approx(512)
    assert write.latency_s == pytest.approx(2e-4)
    assert write.percentiles_s == {50.0: pytest.approx(1.5e-4), 99.0: pytest.approx(9e-4)}
    assert run.bytes_written == 2**24
    assert run.jobs[1].options == {"bs": "4k", "size": "64M", "rw": "randwrite"}
    assert run.jobs[0].read.requests == 0
    assert run.jobs[0].read.latency_s is None


@pytest.mark.parametrize("name", ["plain", "map_unsaid", "map_off", "map_on", "unified_both",
                                  "book", "ramp", "ramp_longer"])  # fmt: skip
def test_what_fio_printed_is_what_the_device_took_but_for_a_ramp_shorter_than_the_run(name):
    run = fio.read(RECORDED / f"{name}.json")
    assert (run.outputs, run.ramped) == (1, "ramp" in name)
    share = run.bytes_written / TRUTH[f"{name}.json"]
    assert share < 0.75 if name == "ramp" else share == 1


@pytest.mark.parametrize(("value", "ramped"), [
    ("0", False), ("0s", False), ("", False), ("1s", True), ("900", True), ("10m", True),
])  # fmt: skip
def test_a_ramp_of_no_time_is_none(value, ramped):
    assert read(output(job(), options={"ramp_time": value})).ramped == ramped


def test_the_last_of_several_outputs_is_read():
    text = (RECORDED / "status.json").read_text()
    counts = [int(n) for n in re.findall(r'"write" : \{\s+"io_bytes" : (\d+)', text)]
    assert counts[2] < counts[1]  # at the end of the ramp
    run = fio.read(RECORDED / "status.json")
    assert (run.outputs, run.bytes_written) == (5, counts[4])
    noisy = text.replace("\n{", "\nfio: a warning\n{") + "done\n"
    assert read(noisy.encode()) == run
    with pytest.raises(ValueError, match="file is torn: line "):
        read(text[:-40].encode())


@pytest.mark.parametrize(("name", "free"), [
    ("plain", None), ("map_unsaid", None), ("map_off", True), ("map_on", False), ("book", True),
])  # fmt: skip
def test_the_output_tells_of_a_map_or_does_not(name, free):
    assert fio.read(RECORDED / f"{name}.json").jobs[0].free_of_map is free


def test_an_option_without_a_value_is_on():
    assert read(output(job(), options={"norandommap": ""})).jobs[0].free_of_map


def test_version_2_counts_kib_and_microseconds():
    old = side(lat={"mean": 200.0}, clat={"percentile": {"99.000000": 900}}, io_bytes=8192)
    for name in ("io_kbytes", "lat_ns", "clat_ns"):
        del old[name]
    new, run = read(output(job())), read(output(job(write=old), version="fio-2.21"))
    assert run.jobs[0].write.bytes == new.jobs[0].write.bytes
    assert run.jobs[0].write.latency_s == pytest.approx(new.jobs[0].write.latency_s)
    assert run.jobs[0].write.percentiles_s == {99.0: pytest.approx(9e-4)}


def test_what_fio_prints_before_the_json_is_passed_over():
    warned = b"fio: this platform does not support {affinity}\nnote: both iodepth >= 1\n"
    assert read(warned + output(job())).bytes_written == 2**23
    assert read(gzip.compress(output(job()))).version == "fio-3.33"


@pytest.mark.parametrize(("size", "span"), [
    ("64M", 2**26), ("64m", 2**26), ("1.5g", 3 * 2**29), ("4096", 4096), ("10GiB", 10 * 2**30),
    ("50%", None), ("", None), ("all", None),
])  # fmt: skip
def test_the_span_is_the_size_of_the_job(size, span):
    assert read(output(job(), options={"size": size})).jobs[0].span_bytes == span


def test_decimal_units_where_the_job_asks_for_them():
    run = read(output(job(), options={"size": "1g", "kb_base": "1000"}))
    assert run.jobs[0].span_bytes == 10**9
    run = read(output(job(), options={"size": "1gi", "kb_base": "1000"}))
    assert run.jobs[0].span_bytes == 2**30


test_what_is_no_output_of_fio_is_named = refusals([
    (b"", "file holds no JSON of fio: run it with --output-format=json"),
    (b"fio: no such file\n", "file holds no JSON"),
    (output(job())[:-40], "file is torn: line 1: "),
    (b"{}", 'file is no output of fio: it has no list "jobs"'),
    (output(), "must hold 1 to 10,000 jobs, got 0"),
    (output(job(write=side(runtime=-1))), r"no output of fio.*expected a number >= 0, got -1"),
    (output(job(write=side(iops="many"))), "expected a number >= 0, got 'many'"),
    (output(job(write=[1])), "file is no output of fio"),
    (output("job"), "file is no output of fio"),
    (b"[" * 10**6, "holds no JSON"),
    (b'{"jobs":' + b"[" * 10**6, "nested too deep|is torn"),
    (b"\x1f\x8bnonsense", "the gzip file is broken"),
    *(((RECORDED / f"{name}.json").read_bytes(), "holds reads and writes as one sum")
      for name in ("unified_mixed", "unified_1")),
], by=read)  # fmt: skip


def test_what_is_no_file_is_named():
    with pytest.raises(TypeError, match="source must be a path or a binary file, got dict"):
        fio.read({})
    with pytest.raises(TypeError, match="got one of text"):
        fio.read(io.StringIO("{}"))


def test_means_of_several_jobs_add_up():
    first = [(1000 * t, 1000, 1, 0) for t in range(1, 11)]
    second = [(500 * t, 3000, 1, 0, 0, 0) for t in range(1, 21)]  # twice as often, with an offset
    found = log(first, "bw", second)
    assert (found.jobs, found.per_request) == (2, False)
    assert found.bytes_per_s(1.0) == pytest.approx(np.full(10, 4000 * 1024.0))
    assert found.bytes_per_s(2.5) == pytest.approx(np.full(4, 4000 * 1024.0))


def test_directions_are_kept_apart():
    rows = [(1000 * t, value, at, 0) for t in range(1, 6) for at, value in ((0, 70), (1, 30))]
    found = log(rows, "iops")
    assert found.iops(1.0, "read") == pytest.approx(np.full(5, 70.0))
    assert found.iops(1.0) == pytest.approx(np.full(5, 30.0))
    assert found.iops(1.0, "trim") == pytest.approx(np.zeros(5))


def test_a_pause_is_not_filled_with_the_mean_after_it():
    rows = [(1000 * t, 1000, 1, 0) for t in [*range(1, 6), *range(105, 111)]]
    total = log(rows).bytes_per_s(1.0).sum() / 1024
    assert total == pytest.approx(11 * 1000, rel=0.06)


@pytest.mark.parametrize("kind", ["bw", "iops", "lat", "clat"])
def test_single_requests_give_bytes_requests_and_percentiles(kind):
    rng = np.random.default_rng(5)
    times = np.sort(rng.integers(1, 10_000, 5_000))
    times[-1] = 10_000
    values = rng.integers(10_000, 900_000, 5_000)
    rows = [(t, v, 1, 4096, 77) for t, v in zip(times, values, strict=True)]
    random.Random(1).shuffle(rows)
    found = log(rows, kind)
    assert found.per_request
    assert found.bytes_per_s(2.0).sum() * 2 == pytest.approx(5_000 * 4096)
    assert found.iops(2.0).sum() * 2 == pytest.approx(5_000)
    if kind in ("lat", "clat"):
        wanted = np.percentile(values, [50, 99]) * 1e-9
        assert found.percentile([50, 99]) == pytest.approx(wanted)
        assert found.percentile(50) == pytest.approx(wanted[0])


def test_the_kind_is_told_by_the_name(tmp_path):
    for name in ("a_bw.1.log", "a_clat.12.log", "a_iops.log"):
        (tmp_path / name).write_bytes(file([(1000, 5, 1, 0)]).read())
    assert fio.read_log(tmp_path / "a_bw.1.log").kind == "bw"
    assert fio.read_log(tmp_path / "a_clat.12.log").kind == "clat"
    assert fio.read_log(tmp_path / "a_iops.log").kind == "iops"
    with pytest.raises(ValueError, match="logs must be of one kind, got bw, clat"):
        fio.read_log(tmp_path / "a_bw.1.log", tmp_path / "a_clat.12.log")


MEANS = [(1000 * t, 5, 1, 0) for t in range(1, 101)]


test_what_a_log_does_not_hold_is_refused = refusals([
    (lambda: fio.read_log(kind="bw"), "sources must hold a log, got none"),
    (lambda: fio.read_log(file(MEANS)), "the name does not tell the kind of log: give kind"),
    (lambda: log(MEANS, "speed"), "kind must be one of bw, iops"),
    (lambda: log([]), "file is empty"),
    (lambda: log([("one", 2, 1, 0)]), "file is no log of fio"),
    (lambda: log([(1, 2, 1)]), "file is no log of fio"),
    (lambda: log([(1, 2, 1, 0), (2, 2, 3, 0)]), "file, row 2: no row of a log"),
    (lambda: log([(1, -2, 1, 0)]), "file, row 1: no row of a log"),
    (lambda: log([(1, 2, 1, 0), (2, -2, 1, 0)]), "file, row 2: no row of a log"),
    (lambda: log(MEANS, "bw", MEANS[:80]), "must be of one run: they end after 80 and after 100 s"),
    (lambda: log(MEANS, "lat").bytes_per_s(), "bytes take a log of bw"),
    (lambda: log(MEANS, "bw").iops(), "requests take a log of iops"),
    (lambda: log(MEANS, "bw").percentile(99), "percentiles take a log of latencies, got one of bw"),
    (lambda: log(MEANS, "lat").percentile(99), "this log holds means"),
    (lambda: log([(5, 9, 0, 4096)], "lat").percentile(99), "the log holds no write"),
    (lambda: log(MEANS).bytes_per_s(0), "seconds must be .* > 0, got 0"),
    (lambda: log(MEANS).bytes_per_s(101), "seconds must divide the 100 s of the log"),
    (lambda: log(MEANS).bytes_per_s(1e-9), "seconds must divide the 100 s of the log"),
    (lambda: log(MEANS).bytes_per_s(1, "writes"), "side must be one of read, write, trim"),
])  # fmt: skip


def test_a_log_is_shown_in_a_line():
    assert repr(log(MEANS, "bw", MEANS)) == "<Log of bw: 200 means of 2 jobs in 100 s>"


def test_rows_of_requests_and_of_means_are_no_log_of_single_requests():
    one = log([(t, 9, 1, 4096) for t in range(1, 200)], "lat")
    assert one.percentile(50) > 0
    mixed = log([(t, 9, 1, 4096 * (t % 2)) for t in range(1, 200)], "lat")
    with pytest.raises(ValueError, match="this log holds means"):
        mixed.percentile(50)
