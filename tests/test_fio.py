"""fio's JSON output and its logs."""

import csv
import gzip
import io
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import reports

from flashwear import bench, fio, smart
from refusals import refusals

# printed by fio: benchmarks/fio_outputs.py
RECORDED = Path(os.environ.get("FIO_OUTPUTS") or Path(__file__).parent / "fio_outputs")
TRUTH = {row["case"]: {side: int(row[side]) for side in ("read", "written", "discarded")}
         for row in csv.DictReader((RECORDED / "truth.csv").read_text().splitlines())}  # fmt: skip
CAPACITY = 750_156_374_016
PAGE_BYTES = 16_384  # of the counters below
PLAIN = (RECORDED / "plain.json").read_bytes()


def report(host, flash, **more):
    """Return a report of a drive that counts pages of the host (247) and copies (248)."""
    host, flash = int(host), int(flash)
    attributes = {9: 900, 246: host // 512, 247: host // PAGE_BYTES,
                  248: (flash - host) // PAGE_BYTES}  # fmt: skip
    text = reports.ata("Crucial_CT750MX300SSD1", "M0CR060", CAPACITY, attributes, **more)
    return re.sub("Local Time is:.*\n", "", text)  # it is not that of the recorded runs


OLD = 40e12 + 7 * 512, 90e12 + 3 * PAGE_BYTES  # bytes of host and flash before the run


def framed(run, host, wa=4.0):
    """Return a run between reports of a drive that counts what the host wrote."""
    flash = OLD[1] + wa * host
    return smart.parse(report(*OLD)), run, smart.parse(report(OLD[0] + host, flash))


def recorded(name):
    return fio.read(RECORDED / f"{name}.json")


def changed(name="plain", version="fio-3.33", side=None, **options):
    """Return what fio printed with other options, or other results of its writes."""
    made = json.loads((RECORDED / f"{name}.json").read_text())
    made["fio version"] = version
    for job in made["jobs"]:
        job["job options"] |= options
        job["write"] |= side or {}
    return as_json(made)


def as_json(made):
    return json.dumps(made).encode()


def read(text):
    return fio.read(io.BytesIO(text))


def log(rows, kind="bw", *others):
    return fio.read_log(*(file(r) for r in (rows, *others)), kind=kind)


def file(rows):
    return io.BytesIO("".join(", ".join(map(str, row)) + "\n" for row in rows).encode())


# What the reference says of fio's options holds for what fio printed

PAGE = Path(__file__).parents[1] / "book" / "reference" / "api" / "fio.md"
ROWS = [[cell.strip().replace("`", "") for cell in line.split("|")[1:-1]]
        for line in PAGE.read_text("utf-8").splitlines()
        if re.match(r"\| .*\| [a-z_0-9, ]+ \|$", line)]  # fmt: skip
SIDES = ("read", "write", "trim")


def test_the_reference_has_a_row_for_each_recorded_case():
    named = [case for *_, cases in ROWS for case in cases.split(", ")]
    others = {"plain", "blkparse", *(f"round_{n}" for n in range(2, 9))}
    assert sorted(named) == sorted(set(TRUTH) - others)


@pytest.mark.parametrize(("outcome", "case"), [
    (outcome, case) for _, outcome, cases in ROWS for case in cases.split(", ")
])  # fmt: skip
def test_what_fio_printed_is_read_told_or_refused_as_the_reference_says(outcome, case):
    logs = sorted(one for kind in ("bw", "iops", "lat", "clat", "slat")
                  for one in RECORDED.glob(f"{case}_{kind}*.log"))  # fmt: skip
    output = next(RECORDED.glob(f"{case}.*"))
    how, _, sentence = outcome.partition(": ")
    if how == "refused":
        with pytest.raises(ValueError, match=re.escape(sentence)):
            fio.read_log(*logs) if logs else fio.read(output)
        return
    written = TRUTH[case]["written"]
    if output.suffix == ".json":
        run = fio.read(output)
        sums = [sum(getattr(job, side).bytes for job in run.jobs) for side in SIDES]
        assert (sums == list(TRUTH[case].values())) == (how != "short")
        if sentence:
            found = bench.bench(*framed(run, written), span_bytes=2**20)
            assert sentence in "; ".join(found.doubts)
    for path in logs:
        assert fio.read_log(path).time_s[-1] < 3
    if logs:
        found = fio.read_log(*(path for path in logs if "_bw." in path.name))
        # a log of means has lost its last window
        assert 0.84 * written < found.bytes_per_s(0.1).sum() * 0.1 <= 1.01 * written


@pytest.mark.proof
@pytest.mark.skipif(not shutil.which("fio") or os.geteuid(), reason="takes fio, and root for loops")
def test_what_fio_prints_today_is_read_as_what_was_recorded(tmp_path):
    root = Path(__file__).parents[1]
    script = root / "benchmarks" / "fio_outputs.py"
    subprocess.run([sys.executable, script, "--out", tmp_path], check=True, timeout=600)
    tests = [f"tests/test_{name}.py" for name in ("fio", "bench", "rounds")]
    command = [sys.executable, "-m", "pytest", "-q", "-m", "not proof", *tests]
    environment = os.environ | {"FIO_OUTPUTS": str(tmp_path)}
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_the_figures_of_a_job_are_in_bytes_and_seconds_and_its_bins_hold_each_request():
    run = recorded("percentiles")
    printed = json.loads((RECORDED / "percentiles.json").read_text())["jobs"][0]["write"]
    write = run.jobs[0].write
    assert (write.bytes, write.requests) == (printed["io_bytes"], printed["total_ios"])
    assert write.seconds == printed["runtime"] / 1000
    assert write.bytes_per_s == pytest.approx(printed["bw_bytes"], rel=1e-3)
    assert write.iops == pytest.approx(printed["iops"])
    assert write.latency_s == pytest.approx(printed["lat_ns"]["mean"] * 1e-9)
    percentile = printed["clat_ns"]["percentile"]["99.000000"]
    assert write.percentiles_s[99.0] == pytest.approx(percentile * 1e-9)
    assert run.jobs[0].options["rw"] == "randwrite"
    assert run.jobs[0].options["filename"].startswith("/dev/loop")  # of the global options
    assert run.jobs[0].read.requests == 0
    assert run.jobs[0].read.latency_s is None
    for job in recorded("bins").jobs:
        for side in (job.read, job.write):
            assert sum(side.bins.values()) == side.requests
            at, count = np.array(sorted(side.bins.items())).T
            for percent, latency in side.percentiles_s.items():
                upto = at[np.searchsorted(np.cumsum(count), side.requests * percent / 100)]
                assert upto == pytest.approx(latency)


def test_groups_and_the_last_of_several_outputs_are_read_and_what_is_around_them_is_not():
    run = recorded("stonewall")
    assert [(job.name, job.group) for job in run.jobs] == [("fill", 0), ("random", 1)]
    assert run.only("random").bytes_written == run.jobs[1].write.bytes
    with pytest.raises(ValueError, match="job must be one of fill, random, got 'test'"):
        run.only("test")
    assert [job.name for job in recorded("servers").jobs] == ["random"] * 2
    text = (RECORDED / "status.json").read_text()
    counts = [int(n) for n in re.findall(r'"write" : \{\s+"io_bytes" : (\d+)', text)]
    assert counts[2] < TRUTH["status"]["written"]  # without the ramp
    run = recorded("status")
    assert (run.outputs, run.bytes_written) == (3, counts[2])
    noisy = text.replace("\n{", "\nfio: a warning\n{") + "done\n"
    assert read(noisy.encode()) == run
    with pytest.raises(ValueError, match="file is torn: line "):
        read(text[:-40].encode())
    warned = b"fio: this platform does not support {affinity}\nnote: both iodepth >= 1\n"
    assert read(warned + PLAIN) == read(gzip.compress(PLAIN)) == recorded("plain")


def test_an_option_without_a_value_is_on_and_a_ramp_of_no_time_none():
    assert recorded("map_unsaid").jobs[0].free_of_map is None
    assert read(changed(norandommap="")).jobs[0].free_of_map
    for value, ramped in (("0", False), ("0s", False), ("", False), ("1s", True), ("900", True),
                          ("10m", True)):  # fmt: skip
        assert read(changed(ramp_time=value)).ramped == ramped, value


def test_version_2_counts_kib_and_microseconds():
    made = json.loads(changed("percentiles", version="fio-2.21"))
    old = made["jobs"][0]["write"]
    old["io_bytes"] = old.pop("io_kbytes")
    for name in ("lat", "clat"):
        kept = old.pop(f"{name}_ns")
        shown = {at: value / 1000 for at, value in kept.get("percentile", {}).items()}
        old[name] = {"mean": kept["mean"] / 1000, "percentile": shown}
    one, other = (run.jobs[0].write for run in (recorded("percentiles"), read(as_json(made))))
    assert one.bytes == other.bytes
    assert one.latency_s == pytest.approx(other.latency_s)
    assert one.percentiles_s == pytest.approx(other.percentiles_s)


@pytest.mark.parametrize(("size", "span", "base"), [
    ("64M", 2**26, {}), ("64m", 2**26, {}), ("1.5g", 3 * 2**29, {}), ("4096", 4096, {}),
    ("10GiB", 10 * 2**30, {}), ("50%", 5 * 10**8, {}), ("", None, {}), ("all", None, {}),
    ("4k", 2**12, {}), ("2t", 2**41, {}), ("1p", 2**50, {}), ("100%", 10**9, {}),
    ("1000%", None, {}), ("3kb", 3000, {"kb_base": "1000"}), ("3kb", 3072, {"kb_base": "1024"}),
    ("1g", 10**9, {"kb_base": "1000"}), ("1gi", 2**30, {"kb_base": "1000"}),
])  # fmt: skip
def test_an_amount_is_in_units_of_fio_or_of_the_job_or_of_the_device(size, span, base):
    assert read(changed(size=size, **base)).jobs[0].bytes_of("size", 10**9) == span


def test_options_tell_of_the_load_its_pace_and_its_ramp():
    for options, random in (
        ({}, True), ({"rw": "randrw"}, True), ({"rw": "write"}, False), ({"rw": "rw"}, False),
        ({"random_distribution": "random"}, True), ({"random_distribution": "zipf:1"}, False),
        ({"percentage_random": "100"}, True), ({"percentage_random": "99"}, False),
        ({"zonemode": "none"}, True), ({"zonemode": "zbd"}, False),
    ):  # fmt: skip
        assert read(changed(**options)).jobs[0].random == random, options
    for name in ("rate", "rate_iops", "rate_process", "thinktime"):
        assert read(changed(**{name: "1"})).jobs[0].limited
    assert not read(changed()).jobs[0].limited
    seconds = {"90": 90, "90s": 90, "2m": 120, "1.5h": 5400, "1d": 86_400, "250ms": 0.25,
               "50us": 5e-5, "soon": 0, "0": 0}  # fmt: skip
    for told, expected in seconds.items():
        assert read(changed(ramp_time=told)).ramp_s == pytest.approx(expected), told
    two = json.loads(changed("stonewall"))
    two["jobs"][1]["job options"] |= {"ramp_time": "7", "direct": "0"}
    two["jobs"][0]["write"]["runtime"], two["jobs"][1]["write"]["runtime"] = 3000, 2000
    run = read(as_json(two))
    assert (run.ramp_s, run.seconds, run.direct, run.ramped) == (7, 3, False, True)
    two["jobs"][1]["write"]["io_bytes"] = 0  # and so past the page cache or not
    assert read(as_json(two)).direct


def test_what_an_output_leaves_out_is_nothing():
    for one, name in ((recorded("plain"), "jobs"), (recorded("plain").jobs[0], "name"),
                      (recorded("plain").jobs[0].write, "iops"), (log(MEANS), "kind")):  # fmt: skip
        with pytest.raises(AttributeError, match="cannot assign"):
            setattr(one, name, 5)
    for name in ("jobs", "client_stats"):  # one server of a client has no sum
        run = read(as_json({name: [{"jobname": "All clients"}], "timestamp": "now"}))
        (job,) = run.jobs
        assert (run.version, run.time_s, run.outputs, run.seconds) == ("", None, 1, 0)
        assert (job.options, job.group, job.error, job.free_of_map) == ({}, 0, 0, None)
        for side in (job.read, job.write, job.trim):
            assert side == fio._json.Side(0, 0, 0.0, 0.0, 0.0, None, {}, {})
    assert len(read(as_json({"client_stats": [{"jobname": "All clients"}, {}]})).jobs) == 1
    assert len(read(as_json({"jobs": [{"jobname": "All clients"}, {}]})).jobs) == 2


def test_a_file_is_read_up_to_its_limit_packed_or_not():
    for packed in (bytes, gzip.compress):
        assert fio._source.content(io.BytesIO(packed(b"twelve bytes")), 40) == b"twelve bytes"
    with pytest.raises(ValueError, match="file must have at most 40 bytes, got more"):
        fio._source.content(io.BytesIO(gzip.compress(bytes(1000))), 40)
    long = io.BytesIO(bytes(99))
    with pytest.raises(ValueError, match="at most 11 bytes"):
        fio._source.content(long, 11)
    assert long.tell() == 12  # no more than it takes to say so
    assert len(fio._source.content(io.BytesIO(bytes(11)), 11)) == 11
    assert len(read(b'{"jobs": [' + b"{}," * 9_999 + b"{}]}").jobs) == 10_000


test_what_is_no_output_of_fio_is_named = refusals([
    (b"", "file holds no JSON of fio: run it with --output-format=json"),
    (b"fio: no such file\n", "file holds no JSON"),
    (PLAIN[:-40], "file is torn: line "),
    (b"{}", 'file is no output of fio: it has no list "jobs"'),
    (b'{"jobs": []}', 'it has no list "jobs" with a job'),
    (b'{"jobs": [' + b"{}," * 10_000 + b"{}]}", "must hold at most 10,000 jobs, got 10,001"),
    (changed(side={"runtime": -1}), r"no output of fio.*expected a number >= 0, got -1"),
    (changed(side={"clat_ns": {"bins": {"nan": 1}}}), "expected a number >= 0, got nan"),
    (changed(side={"iops": "many"}), "expected a number >= 0, got 'many'"),
    (b'{"jobs": [{"write": [1]}]}', "file is no output of fio"),
    (b'{"jobs": ["job"]}', "file is no output of fio"),
    (b"[" * 10**6, "holds no JSON"),
    (b'{"jobs":' + b"[" * 10**6, "nested too deep|is torn"),
    (b"\x1f\x8bnonsense", "the gzip file is broken"),
], by=read)  # fmt: skip
test_what_is_no_file_is_named = refusals([
    (lambda: fio.read({}), "source must be a path or a binary file, got dict"),
    (lambda: fio.read(io.StringIO("{}")), "got one of text"),
], error=TypeError)  # fmt: skip


@pytest.mark.parametrize("kind", ["bw", "iops", "lat", "clat"])
def test_single_requests_give_bytes_requests_and_percentiles(kind):
    path, written = RECORDED / f"log_requests_{kind}.1.log", TRUTH["log_requests"]["written"]
    found, last = fio.read_log(path), 1.001 * np.loadtxt(path, delimiter=",")[-1, 0] / 1000
    assert found.per_request
    assert found.time_s.size == written / 4096
    assert found.bytes_per_s(last / 1.002).sum() * last / 1.002 >= 0.99 * written
    assert found.iops(last / 1.002).sum() * last / 1.002 >= 0.99 * written / 4096
    if "lat" in kind:
        values = np.loadtxt(path, delimiter=",")[:, 1] * 1e-9
        assert found.percentile([50, 99]) == pytest.approx(np.percentile(values, [50, 99]))


def test_directions_are_kept_apart_and_the_kind_is_told_by_the_name():
    found = fio.read_log(RECORDED / "log_mixed_bw.1.log")
    for side, amount in (("read", "read"), ("write", "written")):
        total = found.bytes_per_s(0.2, side)[:9].sum() * 0.2
        assert total == pytest.approx(0.9 * TRUTH["log_mixed"][amount], rel=0.1)
    logs = {kind: RECORDED / f"log_requests_{kind}.1.log" for kind in ("bw", "clat", "lat", "iops")}
    for kind, path in logs.items():
        assert fio.read_log(path).kind == kind
    with pytest.raises(ValueError, match="logs must be of one kind, got bw, clat"):
        fio.read_log(logs["bw"], logs["clat"])


MEANS = [(1000 * t, 5, 1, 0) for t in range(1, 101)]
REQUESTS = [(800 * n // 400, 1000 * (n % 97), n % 3 % 2, 1 + n % 5) for n in range(1, 401)]


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
    (lambda: log(MEANS, "bw", MEANS[:88]), "must be of one run: they end after 88 and after 100 s"),
    (lambda: log(REQUESTS, "lat").percentile(-1), "percent must be .* >= 0"),
    (lambda: log(REQUESTS, "lat").percentile(101), "percent must be .* <= 100"),
    (lambda: log([(1, 2, 1, 0, 0, 0, 0, 0)]), "at most 7 columns, got 8: a histogram"),
    (lambda: log(MEANS[:3] + MEANS[:3]), "file goes back in time"),
    (lambda: log([(2, 1, 1, 0), (1, 1, 1, 4096)]), "file goes back in time"),
    (lambda: log(REQUESTS).bytes_per_s(0.8 / 10_000_001), "1 to 10,000,000 steps"),
    (lambda: log(MEANS, "lat").bytes_per_s(), "bytes take a log of bw"),
    (lambda: log(MEANS, "bw").iops(), "requests take a log of iops"),
    (lambda: log(MEANS, "bw").percentile(99), "percentiles take a log of latencies, got one of bw"),
    (lambda: log(MEANS, "lat").percentile(99), "this log holds means"),
    (lambda: log([(5, 9, 0, 4096)], "lat").percentile(99), "side must be read, which the log"),
    (lambda: log([(5, 900, 0, 4096)], "iops"), "1 for each request, .* means the size 0; got 900"),
    (lambda: log(MEANS).bytes_per_s(1, "trim"), "side must be write, which the log holds"),
    (lambda: log(MEANS).bytes_per_s(0), "seconds must be .* > 0, got 0"),
    (lambda: log(MEANS).bytes_per_s(101), "seconds must divide the 100 s of the log"),
    (lambda: log(MEANS).bytes_per_s(1e-9), "seconds must divide the 100 s of the log"),
    (lambda: log(MEANS).bytes_per_s(1, "writes"), "side must be one of read, write, trim"),
])  # fmt: skip


def test_requests_and_means_are_counted_in_steps_of_each_direction():
    assert log(REQUESTS).per_request
    assert log(REQUESTS[::-1]).time_s.tolist() == log(REQUESTS).time_s.tolist()
    time, value, direction, size = np.array(REQUESTS).T
    for number, side in enumerate(SIDES[:2]):
        for step in (0.125, 0.25):
            ends = np.arange(1, int(0.8 / step + 1e-9) + 1) * step * 1000
            rows = [(direction == number) & (time >= end - 1000 * step) & (time < end)
                    for end in ends]  # fmt: skip
            rows[-1] |= (direction == number) & (time == ends[-1])  # the last holds its end
            expected = [size[row].sum() / step for row in rows]
            assert log(REQUESTS).bytes_per_s(step, side) == pytest.approx(expected)
            expected = [row.sum() / step for row in rows]
            assert log(REQUESTS).iops(step, side) == pytest.approx(expected)
        of = value[direction == number] * 1e-9
        expected = [of.min(), np.median(of), of.max()]
        assert log(REQUESTS, "lat").percentile([0, 50, 100], side) == pytest.approx(expected)
    rows = [(500 * t, t * (side + 1), side, 0, 0, 0, 0) for t in range(1, 9) for side in (0, 1)]
    for number, side in enumerate(SIDES[:2]):
        expected = np.array([1.5, 3.5, 5.5, 7.5]) * (number + 1)
        assert log(rows, "iops").iops(1.0, side) == pytest.approx(expected)
        assert log(rows, "bw", rows).bytes_per_s(1.0, side) == pytest.approx(2 * 1024 * expected)
    whole = log(MEANS, "iops")
    assert whole.iops() == pytest.approx(np.full(100, 5))  # writes, a second each
    assert log(MEANS).bytes_per_s() == pytest.approx(np.full(100, 5 * 1024))
    assert log(REQUESTS, "lat").percentile(100) == pytest.approx(value[direction == 1].max() * 1e-9)
    assert whole != log(MEANS, "iops")  # two logs are the same only if they are one
    assert log(MEANS, "bw", MEANS[:89]).jobs == 2


def test_times_of_the_unix_clock_begin_with_the_run():
    def ends(*tables):
        files = [file([(at, 1, 1, size) for at, size in rows]) for rows in tables]
        return fio.read_log(*files, kind="bw").time_s.tolist()

    epoch = 10**12
    means = [(epoch + at, 0) for at in (0, 500, 1000)]
    assert ends(means) == [0.5, 1.0, 1.5]
    late = [(epoch + at, 0) for at in (250, 1250)]
    assert ends(means, late) == ends(late, means) == [1.0, 1.25, 1.5, 2.0, 2.25]
    requests = [(epoch + at, 4096 * (at != 500)) for at in (0, 500, 1000)]
    assert ends(requests) == [0, 0.5, 1.0]
    assert ends([(epoch, 0)]) == [0.0]
    assert ends([(epoch - 1, 0)]) == [(epoch - 1) / 1000]


def test_a_log_of_means_is_shown_in_a_line_and_is_none_of_single_requests():
    assert repr(log(MEANS, "bw", MEANS)) == "<Log of bw: 200 means of 2 jobs in 100 s>"
    rows = [(1000 * t, 1000, 1, 0) for t in [*range(1, 6), *range(105, 111)]]
    total = log(rows).bytes_per_s(1.0).sum() / 1024
    assert total == pytest.approx(11 * 1000, rel=0.06)
    one = log([(t, 9, 1, 4096) for t in range(1, 200)], "lat")
    assert one.percentile(50) > 0
    mixed = log([(t, 9, 1, 4096 * (t % 2)) for t in range(1, 200)], "lat")
    with pytest.raises(ValueError, match="this log holds means"):
        mixed.percentile(50)
