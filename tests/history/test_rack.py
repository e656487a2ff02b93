"""``flashwear rack`` and ``fleet`` for a monitoring system: statuses, lines, samples, files."""

import io
import json
import os
import re
import stat
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import jsonschema
import pytest
import reports
from dated import KEY, report, sata
from test_fleet_page import FILES

from flashwear import cli, history
from flashwear.cli import _limits
from flashwear.history import _sources

SCHEMA = json.loads((Path(__file__).parents[2] / "data" / "drive.schema.json").read_text())
SAMPLE = re.compile(r'(flashwear_[a-z_]+)(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)+)\})? (\S+)')


def dated(*words, **more):
    return report(*words, now=time.time(), **more)


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    Path("key").write_bytes(KEY)
    Path("key").chmod(0o600)

    def run(line, *more):
        status = cli.main([*line.split(), *more])
        return status, *capsys.readouterr()

    return run


def put(**contents):
    for name, content in contents.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(content)


def test_the_status_is_that_of_the_worst_and_stands_first(run):
    put(ok=dated(), worn=dated("S2", used=95), bad=dated("S3", critical_warning=4),
        open=reports.ata("NEW", "1", None, {9: 5}).encode(), text=b"no report",
        disk=FILES["disk"].encode())  # fmt: skip
    for names, status, said in (
        ("ok", 0, "OK - Micron_7300_MTFDHBG3T8TDF (ok): nothing found: 10 % of its rated life"),
        ("worn", 1, "WARNING - Micron_7300_MTFDHBG3T8TDF (worn): 95 % of its rated life is used"),
        ("bad", 2, "CRITICAL - Micron_7300_MTFDHBG3T8TDF (bad): the drive "),
        ("open", 3, "UNKNOWN - NEW (open): the report has no trusted count of wear"),
        ("text", 3, "UNKNOWN - text: the text holds no report of smartctl"),
        ("none", 3, "UNKNOWN - none: not readable: No such file or directory"),
        ("disk", 3, "UNKNOWN - WDC WD40EFRX (disk): a hard disk"),
        ("ok disk", 0, "OK - Micron_7300_MTFDHBG3T8TDF (ok)"),  # of which nothing is to be said
        ("ok open", 3, "UNKNOWN - 1 unknown, 1 ok of 2 drives"),
        ("ok text", 3, "UNKNOWN - 1 unknown, 1 ok of 2 drives"),
        ("ok open worn", 1, "WARNING - 1 warning, 1 unknown, 1 ok of 3 drives"),
        ("text bad worn", 2, "CRITICAL - 1 critical, 1 warning, 1 unknown of 3 drives"),
        ("--unknown 0 ok open", 0, "OK - 1 unknown, 1 ok of 2 drives"),
        ("--unknown 2 ok open", 2, "CRITICAL - 1 unknown, 1 ok of 2 drives"),
    ):  # fmt: skip
        found, out, err = run(f"rack check {names}")
        assert (found, err) == (status, ""), names
        assert out.startswith(f"FLASHWEAR {said}"), out
    _, out, _ = run("rack check ok worn bad text")
    head, *lines = out.splitlines()
    assert head.endswith("| 'drives'=4;;;0 'critical'=1;;;0 'warning'=1;;;0 'unknown'=1;;;0 "
                         "'ok'=1;;;0 'stale'=0;;;0 'life_used_max'=95%;;;0")  # fmt: skip
    assert [line.split()[0] for line in lines] == ["[CRITICAL]", "[WARNING]", "[UNKNOWN]"]
    told = json.loads(run("rack check ok text --json")[1])
    jsonschema.validate(told["drives"][0], SCHEMA)
    assert told["errors"] == [{"file": "text", "error": "the text holds no report of smartctl"}]


def test_wrong_usage_and_crashes_print_a_line_for_the_monitor_too(run, monkeypatch):
    for line in ("rack check", "rack check a -w life=3", "rack check a --stale 4", "rack check a "
                 "--limits none", "rack check a --key none", "rack check --scan"):  # fmt: skip
        monkeypatch.setenv("PATH", "/nowhere")
        status, out, err = run(line)
        assert status == 3
        assert out.startswith("FLASHWEAR UNKNOWN - ")
        assert out.count("\n") == 1
        assert "flashwear: " in err
    monkeypatch.setattr(history, "sources", lambda *_: 1 / 0)
    assert run("rack check a")[1].startswith("FLASHWEAR UNKNOWN - internal error")


def test_performance_data_has_what_is_known_and_a_model_cannot_forge_it(run):
    evil = json.loads(dated()) | {"model_name": "X | 'life_used'=0%\n[OK]"}
    put(
        ok=dated(spare=1),
        evil=json.dumps(evil).encode(),
        bare=b"Device Model: X\nSerial Number: A1",
    )
    _, out, _ = run("rack check ok -w life_used=80 -c life_used=90 --max-age 2d")
    _, data = out.rstrip().split(" | ")
    age = re.search(r" 'report_age'=(\d+)s;172800;;0$", data)
    assert int(age[1]) < 60
    assert data.removesuffix(age[0]) == (
        "'life_used'=10%;80;90;0 'spare'=100%;;10:;0;100 'written'=512000000000B;;;0 "
        "'power_on'=3600000s;;;0 'media_errors'=0;;;0")  # fmt: skip
    _, out, _ = run("rack check evil")
    assert out.count("|") == 1
    assert out.count("\n") == 1
    assert "|" not in run("rack check bare")[1]


def test_ranges_are_those_of_the_guidelines():
    for text, good, bad in (("10", (0, 10), (-1, 10.1)), ("10:", (10, 1e9), (9.9,)),
                            ("~:10", (-1e9, 10), (11,)), ("10:20", (10, 20), (9, 21)),
                            ("@10:20", (9, 21), (10, 20)), ("-5:5", (-5, 5), (-6, 6))):  # fmt: skip
        found = _limits.a_range(text)
        assert not any(map(found.alarms, good)), text
        assert all(map(found.alarms, bad)), text
    for text in ("", "x", "20:10", "1:2:3", "@", "1e5", "٣"):
        with pytest.raises(Exception, match="must be a range"):
            _limits.a_range(text)


def test_limits_and_acknowledgements_by_command_model_and_drive(run):
    put(three=dated(used=10, media=3), four=dated("S4DEF4567", used=10, media=4))
    drive = history.rows(dated(), key=history.read_key("key"))[0].drive
    for words, status in (
        ("three", 1), ("three --accept media_errors=3", 0), ("four --accept media_errors=3", 1),
        ("three --accept media_errors=3 -w life_used=9", 1), ("three -c media_errors=2", 2),
        ("three --accept media_errors=3 -c spare=101:", 2), ("three -w life_used=10", 1),
        ("three --limits a.toml --key key", 0), ("four --limits a.toml --key key", 1),
        ("three --limits a.toml --key key -w temperature=@0:", 0),  # of which nothing is known
        ("three --limits b.toml", 2), ("four --limits b.toml -c life_used=10", 1),
    ):  # fmt: skip
        Path("a.toml").write_text(f'["{drive}"]\naccept = {{media_errors = 3}}\n')
        Path("b.toml").write_text(
            'warning = {life_used = "5"}\n["Micron_7300*"]\n'
            'critical = {life_used = "9"}\naccept = {past_life = true}\n'
        )
        assert run(f"rack check {words}")[0] == status, words
    for word in ("read_only", "failed", "media_errors", "nothing", "past_life=3", "spare_low"):
        assert "argument --accept: must " in run(f"rack check three --accept {word}")[2]
    for text in ("x = 3", "[", '["*"]\nwarn = 3', 'warning = {life = "3"}', "accept = 3",
                 '["M*"]\nwarning = 3', "\0"):  # fmt: skip
        Path("a.toml").write_text(text)
        told = run("rack check three --limits a.toml")[2]
        assert told.startswith("flashwear: limits of a.toml: ")
        assert "attribute" not in told
    put(dead=dated(critical_warning=8))
    assert run("rack check dead -w life_used=100 --accept past_life")[0] == 2


def test_age_is_that_of_the_report_and_a_drive_at_two_paths_is_one_by_its_newest(run):
    put(old=dated(days=3, used=95, hours=900), new=dated())
    os.utime("new", (0, 0))
    assert run("rack check old")[0] == 1
    for words, status in (("new --max-age 2d", 0), ("old --max-age 2d", 1), ("old new", 0),
                          ("new old", 0), ("new old --max-age 1h", 0)):  # fmt: skip
        assert run(f"rack check {words}")[0] == status, words
    put(late=dated(days=3))
    for stale, status in enumerate((0, 1, 2, 3)):
        found, out, _ = run(f"rack check late --max-age 36h --stale {stale}")
        assert found == status
        assert "3.0 days" in out or not stale


def samples(text):
    """Return the samples of an exposition by name and labels, of which none stands there twice."""
    found = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            name, labels, value = SAMPLE.fullmatch(line).groups()
            assert (name, labels) not in found
            found[name, labels] = float(value)
    return found


def test_an_export_is_whole_without_duplicates_and_tells_nothing_that_is_not_known(run):
    evil = json.loads(dated("S9EVIL123")) | {
        "model_name": 'A "b"\\c\n}',
        "firmware_version": "\ud800é",
    }
    put(**{"db7/a.json": dated(), "db8/copy.json": dated(days=1),
           "db8/b.json": sata("S4EVNX0M000001"), "evil": json.dumps(evil).encode(),
           "nameless": FILES["unknown"].encode(), "none": b"x", "x.prom": b"before"})  # fmt: skip
    mask = os.umask(0o077)  # in spite of which the collector must read it
    try:
        status, out, err = run(
            "rack export db7 db8 evil nameless nameless none --key key -o x.prom"
        )
    finally:
        os.umask(mask)
    assert (status, out, err) == (0, "", "flashwear: none: the text holds no report of smartctl\n")
    text = Path("x.prom").read_text("utf-8")
    assert text.endswith("\n")
    assert stat.S_IMODE(Path("x.prom").stat().st_mode) == 0o644
    assert not list(Path().glob(".*"))
    found = samples(text)
    drives = {labels for name, labels in found if name == "flashwear_drive_status"}
    assert len(drives) == 4
    key = history.read_key("key")
    one, ssd = (f'drive="{history.rows(content, key=key)[0].drive}"'
                for content in (dated(), sata("S4EVNX0M000001")))  # fmt: skip
    assert found["flashwear_drive_life_used_ratio", one] == 0.1
    assert found["flashwear_drive_host_written_bytes_total", one] == 1000 * 1000 * 512_000
    assert found["flashwear_drive_power_on_seconds_total", one] == 3_600_000
    assert found["flashwear_drive_spare_threshold_ratio", one] == 0.1
    assert found["flashwear_drive_media_errors_total", one] == 0
    assert abs(found["flashwear_drive_report_timestamp_seconds", one] - time.time()) < 60
    assert ("flashwear_drive_temperature_celsius", one) not in found
    assert ("flashwear_drive_media_errors_total", ssd) not in found
    assert ("flashwear_drive_spare_ratio", ssd) not in found
    assert found["flashwear_reports_failed", None] == 1
    assert "S1ABC2345" not in text
    assert 'serial="S1ABC2345"' in run("rack export db7 --key key --serials")[1]
    out = run("rack export db7 --key key --openmetrics")[1]
    assert out.endswith("# EOF\n")
    assert "# TYPE flashwear_drive_media_errors counter\n" in out
    series = [name for name, labels in found if labels and one in labels]
    assert len(series) <= 15


def test_an_export_takes_the_place_of_no_source_no_device_and_of_nothing_for_nothing(run):
    put(a=dated(), none=b"x", **{"x.prom": b"before"})
    assert run("rack record a --history h --key key")[0] == 0
    whole = Path("h").read_bytes()
    for words, told in (("h -o h", "output must be no source"),
                        ("h -o /dev/null", "must be a regular file"), ("none -o x.prom", "none"),
                        ("absent -o x.prom", "absent")):  # fmt: skip
        status, out, err = run(f"rack export {words} --key key")
        assert (status, out) == (3, "")
        assert told in err
    assert Path("h").read_bytes() == whole
    assert Path("x.prom").read_bytes() == b"before"


def test_a_report_without_a_time_or_of_tomorrow_is_too_old(run):
    timeless = json.loads(dated())
    del timeless["local_time"]
    put(timeless=json.dumps(timeless).encode(), ahead=dated(days=-3), now=dated())
    for name, status in (("timeless", 1), ("ahead", 1), ("now", 0)):
        assert run(f"rack check {name} --max-age 2d")[0] == status
        assert run(f"rack check {name}")[0] == 0


def test_an_export_that_fails_keeps_the_file_before(run, monkeypatch):
    put(a=dated(), **{"x.prom": b"before"})
    from flashwear.cli import _rack_run

    monkeypatch.setattr(_rack_run, "exposition", lambda *_: iter([1 / 1, 1 / 0]))
    assert run("rack export a --key key -o x.prom")[0] == 3
    assert Path("x.prom").read_bytes() == b"before"
    assert not list(Path().glob(".*"))


def test_a_history_is_recorded_checked_exported_and_retired_by_commands(run):
    put(a=dated(days=40, used=8), b=dated(days=9, used=9, hours=2000),
        c=dated(used=10, hours=2200, media=2),
        gone=dated("S2GONE", days=9), bad=b"x")  # fmt: skip
    line = "rack record a b c gone --history h --key key"
    assert run(line)[:2] == (0, "4 reports of 2 drives, 4 of them new\n")
    assert run(line)[:2] == (0, "4 reports of 2 drives, 0 of them new\n")
    status, out, err = run("rack record a bad --history h --key key --json")
    assert (status, json.loads(out)["new"], err) == (3, 0, "")
    assert run("rack check h --accept media_errors=2 --max-age 99d")[0] == 3  # for "bad"
    assert samples(run("rack export h --key key")[1])["flashwear_reports_failed", None] == 1
    put(bad=dated(days=40, used=8))
    assert run("rack record bad --history h --key key")[0] == 0
    status, out, _ = run("rack check h")
    assert status == 1
    first, second = out.splitlines()[1:]
    drive = first.split()[1]
    assert first.endswith("no report for 9.0 days")
    assert "2 more errors that could not be corrected since" in second
    status, out, _ = run("rack check h --accept media_errors=2 -c report_age=604800")
    assert (status, out.splitlines()[1].split()[0]) == (2, "[CRITICAL]")
    assert run(f"rack retire {drive} --history h")[0] == 0
    assert run("rack check h --accept media_errors=2")[0] == 0
    assert "required: --history" in run("rack retire abc")[2]
    assert run("rack retire abc --history h")[2] == "flashwear: drive must be one of h, got 'abc'\n"
    for words in ("retire abc", "reread --key key"):
        assert "none must be a history" in run(f"rack {words} --history none")[2]
        assert not Path("none").exists()
    assert run("rack reread --history h --key key")[1] == "0 reports are read otherwise now\n"
    assert len(samples(run("rack export h")[1])) > 10
    assert not history.default_key().exists()  # a history has its names already
    told = run("smart c --history h --key key")[1]
    assert "In its history        2 more errors that could not be corrected since" in told
    assert re.search(r"\n +1\.5 % of its life a month \(0\.76 to 2\.3\), by 40 days\n", told)
    assert json.loads(run("smart c --history h --key key --json")[1])["drives"][0]["history"][
        "change"
    ]
    status, out, _ = run("fleet h --jsonl - --html h.html -o h.csv -q -j 1")
    assert status == 1
    jsonschema.validate(json.loads(out), SCHEMA)
    page = Path("h.html").read_text()
    assert "2 more errors that could not be corrected since" in page
    assert "1.5 % of its life a month" in page
    assert "flashwear: none must be a history" in run("smart c --history none --key key")[2]


def test_a_history_tells_the_alarm_of_what_it_cannot_record(run):
    failing = json.loads(dated(critical_warning=8)) | {"serial_number": ""}
    put(a=dated(), b=json.dumps(failing).encode())
    assert run("rack record a b --history h --key key")[0] == 3
    status, out, _ = run("rack check h")
    assert status == 2
    assert "the drive accepts no more writes" in out
    drive = next(line.split()[1] for line in out.splitlines() if line.startswith("[CRIT"))
    found = samples(run("rack export h")[1])
    assert found["flashwear_drive_status", f'drive="{drive}"'] == 2
    Path("h.raw").write_bytes(b"junk")
    assert run("rack check h")[0] == 2
    assert run(f"rack retire {drive} --history h")[0] == 3  # which would write there
    Path("h.raw").unlink()
    assert run(f"rack retire {drive} --history h")[0] == 0
    assert run("rack check h")[0] == 0
    assert "must be the one with which h was" in run("rack record a --history h --key other")[2]


def test_of_two_reports_of_one_drive_whose_order_is_not_sure_the_worse_counts(run):
    undated = json.loads(dated(critical_warning=8))
    del undated["local_time"]
    put(a=dated(days=1), b=json.dumps(undated).encode(), ahead=dated(days=-30),
        bad=dated(critical_warning=8), well=dated(hours=20_000),
        old=dated(days=3, used=95))  # fmt: skip
    for words, status in (("a b", 2), ("b a", 2), ("ahead bad", 2), ("bad ahead", 2),
                          ("bad well", 2), ("old well", 0)):  # fmt: skip
        assert run(f"rack check {words}")[0] == status, words
    for host, name in (("h1", "bad"), ("h2", "well")):  # of one serial number
        assert run(f"rack record {name} --host {host} --history h --key key")[0] == 0
    assert run("rack check h")[0] == 2


def test_a_scan_that_fails_is_told_by_the_history_until_one_succeeds(run, monkeypatch):
    put(a=dated())
    assert run("rack record a --history h --key key")[0] == 0
    monkeypatch.setenv("PATH", "/nowhere")
    assert run("rack record --scan --history h --key key")[0] == 3
    assert samples(run("rack export h")[1])["flashwear_reports_failed", None] == 1
    monkeypatch.setattr(history, "scan", list)
    assert run("rack record --scan a --history h --key key")[0] == 0
    assert run("rack check h")[0] == 0


def test_limits_twice_counts_that_are_not_known_and_serials_are_no_way_round(run):
    put(huge=dated(media=2**64), a=dated(), late=dated("S2LATE99", days=9),
        disk=FILES["disk"].encode())  # fmt: skip
    assert "must be given once for each" in run("rack check a -w spare=10: -w spare=20:")[2]
    assert run("rack check huge --accept media_errors=3")[0] != 0
    ahead = dated("S3AHEAD99", days=-3, critical_warning=8)
    put(ahead=ahead)
    assert run("rack record a ahead --history h --key key --serials")[0] == 3
    assert "S3AHEAD99" not in run("rack check h --json")[1] + run("rack export h")[1]
    for output in ("h", "h.raw", "key"):
        assert "output must be no" in run(f"rack export a --key key -o {output}")[2]
    assert run("rack check h --key none")[0] == 2  # which needs none


def test_lines_of_json_are_of_the_schema_and_the_status_of_all_outputs_is_one(run):
    put(**{f"r/{name}": text.encode() for name, text in FILES.items()}, **{"r/none": b"x"})
    status, out, _ = run("fleet r --jsonl - --key key -q")
    told = [json.loads(line) for line in out.splitlines()]
    for one in told:
        jsonschema.validate(one, SCHEMA)
    assert (
        status == run("fleet r -o t.csv -q -j 1")[0] == run("fleet r --html t.html -q -j 1")[0] == 2
    )
    assert [one["file"] for one in told if one["error"]] == ["none"]
    assert {one["life_used_percent"] for one in told if one["device"] in ("march", "june")} == {26}
    Path("r/failed").unlink()
    assert run("fleet r --jsonl x.jsonl --key key -q")[0] == 1
    assert run("fleet r -o t.csv -q -j 1")[0] == 1
    for name in ("past", "none", "unknown", "disk"):
        Path("r", name).unlink()
    for words, status in (("", 0), ("--warn 50", 1), ("--warn 50 --model Micron", 3)):
        for kind in ("--jsonl x.jsonl --key key", "-o t.csv", "--html t.html"):
            assert run(f"fleet r {kind} -q {words}")[0] == status, kind
    closed = {**told[0], "more": 1}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(closed, SCHEMA)
    assert SCHEMA["required"] == list(SCHEMA["properties"])
    assert {*SCHEMA["properties"]} == {"schema", "verdict", *history.Row._fields}


SMARTCTL = """#!/bin/sh
echo "$@" >> {log}
case "$*" in
  "--scan-open -j") echo '{{"devices": [{{"name": "/dev/nvme7", "type": "nvme"}},
    {{"name": "/dev/bus/0", "type": "megaraid,3"}},
    {{"name": "/dev/x", "type": "scsi", "open_error": "no"}}]}}';;
  *nvme*) cat {report}; exit 64;;
  *megaraid*) exit 2;;
  *) sleep 60;;
esac
"""


def test_devices_are_read_by_smartctl_with_their_types_and_one_that_hangs_is_left(
    run, tmp_path, monkeypatch
):
    put(report=dated())
    program = tmp_path / "bin" / "smartctl"
    program.parent.mkdir()
    program.write_text(SMARTCTL.format(log=tmp_path / "log", report=tmp_path / "report"))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    monkeypatch.setattr(_sources, "_PATIENCE_S", 4)
    status, out, _ = run("rack check --scan /dev/hangs --json")
    told = json.loads(out)
    assert status == 3
    assert [(one["device"], one["host"]) for one in told["drives"]] == [
        ("nvme7", os.uname().nodename)
    ]
    assert {one["error"] for one in told["errors"]} == {
        "smartctl says nothing, and ends with status 2",
        "smartctl gave no answer within 4 s",
    }
    assert Path("log").read_text().splitlines() == [
        "--scan-open -j", "-x -j /dev/hangs", "-x -j -d nvme /dev/nvme7",
        "-x -j -d megaraid,3 /dev/bus/0", "-x -j -d scsi /dev/x"]  # fmt: skip


def test_standard_input_archives_and_pipes_are_sources(run, tmp_path):
    put(a=dated())
    with tarfile.open("all.tar.gz", "w:gz") as archive:
        archive.add("a", "db9/nvme0.json")
    told = json.loads(run("rack check all.tar.gz --json")[1])["drives"]
    assert [(one["host"], one["device"]) for one in told] == [("db9", "nvme0")]
    words = [sys.executable, "-m", "flashwear", "rack", "check"]
    for name in ("-", "/dev/stdin"):
        done = subprocess.run([*words, name], input=dated(), capture_output=True, check=False)
        assert done.stdout.startswith(b"FLASHWEAR OK - Micron_7300_MTFDHBG3T8TDF"), done
    many = io.BytesIO(b"{" * 5_000_000).getvalue()
    done = subprocess.run([*words, "-"], input=many, capture_output=True, check=False)
    assert done.returncode == 3
    assert done.stdout.startswith(b"FLASHWEAR UNKNOWN - -: a report must have at most")
