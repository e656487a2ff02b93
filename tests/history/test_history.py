"""Dated reports: who a drive is, what is kept, what changed, and what no failure may lose."""

import gzip
import json
import os
import random
import signal
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest
import reports
from dated import DAY, KEY, NOW, report, sata

from flashwear import history, smart
from flashwear.history import Source
from flashwear.history._change import judged
from flashwear.history._store import _MIGRATIONS

FIELD = Path(__file__).parents[3] / "shared" / "reports"


def source(content, name="a.json"):
    return Source(name, "db7", "nvme0", content)


def rows(*contents):
    return [row for content in contents for row in history.rows(content, key=KEY)]


@pytest.fixture
def store(tmp_path):
    with history.History(tmp_path / "history", write=True) as made:
        yield made


def record(store, *contents, **more):
    return store.record(map(source, contents), key=KEY, **{"now": NOW, **more})


def test_a_drive_has_one_name_by_its_key_in_any_process_and_no_serial_number_is_told(tmp_path):
    text = reports.nvme("Micron_7300_MTFDHBG3T8TDF").replace("PRIVATE-SERIAL-1", "S1ABC2345")
    (one,), (other,) = rows(report()), rows(text.encode())
    assert one.drive == other.drive  # of another layout and version
    assert len(one.drive) == 16
    code = "import sys; from flashwear import history\n" \
           "print(history.rows(sys.stdin.buffer.read(), key=b'k' * 32)[0].drive)"  # fmt: skip
    done = subprocess.run([sys.executable, "-c", code], input=report(), capture_output=True,
                          check=True)  # fmt: skip
    assert done.stdout.decode().strip() == one.drive
    others = [history.rows(report("S1ABC2346"), key=KEY)[0].drive,
              history.rows(report(), key=b"l" * 32)[0].drive, history.rows(report())[0].drive,
              history.rows(sata(), key=KEY)[0].drive]  # fmt: skip
    assert len({one.drive, *others}) == 5
    (told,) = history.rows(report(), "/r/S1ABC2345.json", device="S1ABC2345", key=KEY, serials=True)
    assert (told.serial, told.file, told.device) == ("S1ABC2345", "/r/....json", "...")
    assert "S1ABC2345" not in json.dumps(one.as_dict())


def test_a_key_file_is_made_once_for_its_owner_alone(tmp_path):
    path = tmp_path / "etc" / "key"
    assert history.make_key(path)
    assert not history.make_key(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    key = history.read_key(path)
    assert key == history.read_key(path)
    path.chmod(0o640)
    with pytest.raises(ValueError, match=f"chmod 600 {path}"):
        history.read_key(path)
    for content in (b"", b"x" * 15, b"x" * 5000):
        path.write_bytes(content)
        path.chmod(0o600)
        with pytest.raises(ValueError, match="must have 16 to 4096 bytes"):
            history.read_key(path)
    assert [name.name for name in path.parent.iterdir()] == ["key"]


def test_what_is_not_known_is_none_and_never_0():
    zero = dict.fromkeys(("percentage_used", "power_on_hours", "available_spare", "media_errors",
                          "data_units_written", "available_spare_threshold"), 0)  # fmt: skip
    (row,) = rows(reports.nvme_json(health=zero).encode())
    assert row.status == 3
    figures = (
        "life_used_percent", "host_bytes_written", "power_on_hours", "spare_percent",
        "media_errors", "interface_errors", "reallocated_blocks", "temperature_celsius",
    )  # fmt: skip
    assert {getattr(row, name) for name in figures} == {None}
    (row,) = rows(
        reports.nvme_json(health={"percentage_used": 2**90, "media_errors": 2**64}).encode()
    )
    assert (row.life_used_percent, row.media_errors) == (None, None)
    (new,) = rows(report(hours=0, used=0))
    assert (new.media_errors, new.power_on_hours, new.life_used_percent) == (0, 0, 0)


@pytest.mark.skipif(not FIELD.is_dir(), reason="a collection of reports is not here")
def test_a_row_has_the_verdict_of_the_report_and_no_input_ends_in_an_error_of_ours():
    for path in FIELD.iterdir():
        content = path.read_bytes()
        for found in (content, content[: len(content) // 2], gzip.compress(content), content * 2):
            for row in history.rows(found, path.name, key=KEY):
                assert "not understood" not in (row.error or "")
        try:
            drives, _ = smart.read_states(path)
        except smart.Unreadable:
            continue
        told = [smart.verdict(report).status for states in drives for report in states]
        assert [row.status for row in history.rows(content, key=KEY) if not row.error] == told


def test_the_same_report_twice_is_one_row_in_any_order_and_files_are_for_their_owner(store):
    contents = [report(days=days, used=20 - days, hours=5000 - 24 * days) for days in range(5)]
    contents += [report("S2DEF4567", days) for days in range(3)]
    random.Random(3).shuffle(contents)
    assert record(store, *contents)[:3] == (8, 8, 2)
    assert record(store, *reversed(contents), *contents)[:3] == (16, 0, 2)
    drive = rows(report())[0].drive
    kept = store.reports(drive)
    assert [row.life_used_percent for row in kept] == [16, 17, 18, 19, 20]
    again = sorted(rows(*contents), key=lambda row: row.taken_at)
    host = {"host": "db7", "device": "nvme0", "file": "a.json"}
    assert kept == [row._replace(**host) for row in again if row.drive == drive]
    assert list(store.raw(drive, [NOW])) == [report(used=20, hours=5000)]
    for path in (store.path, store.path + ".raw"):
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    base = sqlite3.connect(store.path)
    assert base.execute("pragma journal_mode").fetchone() == ("delete",)
    assert (
        "S1ABC" not in base.execute("select group_concat(file || drive) from report").fetchone()[0]
    )
    base.close()


def test_what_names_no_drive_or_no_time_or_one_to_come_is_not_recorded(store):
    text = report().decode()
    bad = [b"nothing", text.replace("S1ABC2345", "").encode(),
           report(days=-2), json.dumps(json.loads(text) | {"local_time": {}}).encode()]  # fmt: skip
    done = record(store, *bad, report(days=-0.5))
    assert (done.reports, done.new) == (1, 1)
    assert not store.lost()  # all are of one place, and the last is a report
    store.record([source(b"x", "bad.json")], key=KEY, now=NOW)
    assert [(row.file, row.status) for row in store.lost()] == [("bad.json", 3)]
    record(store, report(), now=NOW + 8 * DAY)
    assert not store.lost()
    assert [why.partition(" (")[0] for _, why in done.lost] == [
        "the text holds no report of smartctl",
        "it names no serial number, so that it is not known of which drive it is",
        "its clock is more than a day ahead", "it tells no time",
    ]  # fmt: skip


def test_all_of_90_days_are_kept_and_of_earlier_weeks_the_last(store):
    days = [*range(0, 200, 2), 91.25, 150.5]
    record(store, *(report(days=day, used=50) for day in days))
    times = [NOW - int(day * DAY) for day in days]
    weeks = {}
    for at in sorted(times):
        if at < NOW - 90 * DAY:
            weeks[at // (7 * DAY)] = at
    last = [at for week, at in weeks.items()
            if not any(other > at and other // (7 * DAY) == week for other in times)]  # fmt: skip
    kept = [row.taken_at for row in store.reports(rows(report())[0].drive)]
    assert kept == sorted([at for at in times if at >= NOW - 90 * DAY] + last)
    (count,) = store._base.execute("select count(*) from kept.raw").fetchone()
    assert count == len(kept)
    assert len(store.reports(rows(report())[0].drive, 30)) == 16


def test_a_drive_is_retired_until_it_reports_again_and_an_unknown_one_changes_nothing(store):
    record(store, report(days=9), report("S2DEF4567", 1))
    gone, here = store.drives()
    with pytest.raises(ValueError, match=r"drive must be one of .*, got 'abc'"):
        store.retire([gone, "abc"])
    assert store.drives() == [gone, here]
    store.retire([gone])
    assert store.drives() == [here]
    record(store, report(days=9))
    assert store.drives() == [here]
    record(store, report(days=8.9))  # by a clock behind that of the one who took it out
    assert store.drives() == [gone, here]


def told(store):
    return {(row.file, row.status): row.text for row in store.lost()}


def test_the_alarm_of_a_report_that_cannot_be_recorded_stays_until_one_is_or_it_is_retired(store):
    failing = {"critical_warning": 8, "media": 7}
    text = report(**failing).decode()
    bad = [text.replace("S1ABC2345", "").encode(), report(days=-2, **failing),
           json.dumps(json.loads(text) | {"local_time": {}}).encode(),
           report(days=400, hours=1500, **failing)]  # fmt: skip
    record(store, report(), report("S2DEF4567", media=3, days=1))
    for number, content in enumerate(bad):
        done = store.record([source(content, f"{number}.json")], key=KEY, now=NOW)
        assert (done.reports, len(done.lost)) == (0, 1)
    assert done.lost[0][1].startswith("it is dated before a report of fewer hours")
    assert list(told(store)) == [(f"{number}.json", 2) for number in range(4)]
    assert told(store)["0.json", 2].startswith("the drive accepts no more writes")
    (ahead,) = (row for row in store.lost() if row.file == "1.json")
    assert (ahead.drive, ahead.media_errors) == (rows(report())[0].drive, 7)
    assert [one.word for one in ahead.findings][-1] == "not_recorded"
    for place in (source(b"x", "0.json")._replace(device="nvme1"), source(b"x", "5.json")):
        store.record([place], key=KEY, now=NOW)
    assert len(store.lost()) == 6  # by host, device and name
    record(store, report(), now=NOW + 8 * DAY)
    assert list(told(store)) == [(f"{number}.json", 2) for number in range(4)]
    store.record([source(report(), "1.json")], key=KEY, now=NOW)
    nameless, _, late = (row.drive for row in store.lost())
    store.retire([nameless, "2.json"])
    assert [row.drive for row in store.lost()] == [late]


def place(store, name, content, **more):
    return store.record([source(content, name)], key=KEY, **{"now": NOW, **more})


def test_what_cannot_be_read_or_is_of_another_drive_ends_no_alarm(store):
    nameless = report(critical_warning=8).decode().replace("S1ABC2345", "").encode()
    for name in ("one.json", "-"):
        place(store, name, nameless)
    place(store, "one.json", b"junk")
    place(store, "-", report("S2DEF4567"))
    place(store, "one.json", b"junk", now=NOW + 9 * DAY)
    assert list(told(store)) == [("-", 2), ("one.json", 2)]
    both = b"[" + nameless + b"," + report("S3DEF4567") + b"]"
    place(store, "both.json", both)
    assert ("both.json", 2) in told(store)
    well = report().decode().replace("S1ABC2345", "").encode()
    place(store, "well.json", well)
    place(store, "gone.json", b"junk")
    record(store, report("S2DEF4567"), now=NOW + 9 * DAY)
    assert ("well.json", 3) in told(store)  # it is not known that it went
    assert ("gone.json", 3) not in told(store)


@pytest.mark.parametrize("hours", [1000, 1001, None])
def test_an_alarm_that_is_dated_back_is_told_whatever_its_date(store, hours):
    health = {} if hours is None else {"hours": hours}
    record(store, report())
    old = report(days=400, critical_warning=8, **health)
    if hours is None:
        old = old.replace(b'"power_on_hours": 1000', b'"power_on_hours": null')
    place(store, "back.json", old)
    assert list(told(store)) == [("back.json", 2)]
    assert (
        place(store, "c.json", report(days=30, hours=280, critical_warning=8)).new == 1
    )  # of then


def test_a_clock_that_was_ahead_takes_no_report_away_and_retiring_drops_what_is_to_come(store):
    for days in range(60):
        record(store, report(days=days, hours=9000 - 24 * days))
    drive = rows(report())[0].drive
    record(store, report(days=-365, hours=9001), now=NOW + 365 * DAY)
    assert len(store.reports(drive)) == 61
    store.retire([drive], now=NOW)
    assert len(store.reports(drive)) == 60
    assert record(store, report(days=-0.1, hours=9002)).new == 1
    assert store.drives() == [drive]


def test_a_name_that_is_no_text_is_recorded(store):
    assert store.record([Source("a\udcff.json", "h\udcff", None, b"x")], key=KEY, now=NOW).lost
    assert record(store, report()).new == 1
    assert "\\udcff" in store.lost()[0].file


def test_errors_that_rise_after_a_counter_fell_are_told():
    counts = ((20, 60), (9, 60), (3, 0), (0, 40))
    found = changed(*(sata(days=days, blocks=count) for days, count in counts))
    assert found.rises == {"reallocated_blocks": 40}


def test_of_two_reports_of_one_second_the_worse_counts(store):
    for contents in (
        (report(), report(media=3)),
        (report("S2X34567", media=3), report("S2X34567")),
    ):
        assert record(store, *contents).new == 1
    assert [store.reports(drive)[0].media_errors for drive in store.drives()] == [3, 3]


def test_reports_by_another_key_are_refused(store):
    record(store, report())
    for act in (lambda key: store.record([], key=key), store.read_again):
        act(KEY)
        with pytest.raises(ValueError, match=r"key must be the one with which .* was recorded"):
            act(b"l" * 32)


def test_reports_are_read_again_after_a_rule_was_mended(store):
    record(store, report(), report("S2DEF4567"))
    assert store.read_again(KEY) == 0
    store._base.execute("update report set life_used_percent = 99, status = 1, text = 'wrong'")
    assert store.read_again(KEY) == 2
    assert [store.reports(drive)[0].life_used_percent for drive in store.drives()] == [10, 10]
    record(store, report("S3NORAW99"), raw=False)
    assert store.read_again(KEY) == 0


def changed(*contents, **more):
    return history.change(rows(*contents), **more)


def test_wear_a_month_is_between_reports_and_its_range_holds_what_rounding_hides():
    month = 365 / 12
    for true in (0.1, 0.9, 2.0, 7.7):
        for days in (7, 30, 90):
            start = 40.6
            old = report(days=days, used=int(start))
            new = report(used=int(start + true * days / month), hours=1000 + 24 * days)
            low, middle, high = changed(old, new).wear_per_month
            assert low - 1e-9 <= true <= high + 1e-9
            assert low <= middle <= high
            assert high - low <= 2 * month / days + 1e-9
    found = changed(report(days=400, used=5), report(days=60, used=40), report(used=44, hours=2440))
    assert found.wear_per_month[1] == pytest.approx(4 / (60 / month))  # not of its whole life
    assert found.host_bytes_per_day == pytest.approx(1440 * 512e6 / 60)
    assert changed(report(days=6), report(used=11)).wear_per_month is None
    assert changed(report()) is None
    with pytest.raises(ValueError, match="days must be > 0, got 0"):
        history.change([], 0)


def test_a_counter_that_fell_begins_anew_and_other_firmware_is_told():
    found = changed(report(days=80, used=50, hours=9000), report(days=40, used=3, hours=100),
                    report(used=4, hours=900, firmware="F2"))  # fmt: skip
    assert found.since == NOW - 40 * DAY
    assert found.wear_per_month[1] == pytest.approx(365 / 12 / 40)
    assert found.fell == ("hours under power", "bytes written by the host", "life used")
    assert found.firmware == ("F1", "F2")
    assert found.sentences()[:2] == [
        "hours under power, bytes written by the host, life used fell: another drive, or a reset",
        "firmware changed from F1 to F2"]  # fmt: skip


def test_errors_that_rose_alarm_for_a_week_and_a_silent_drive_until_it_is_retired():
    reports_ = rows(report(days=20), report(days=8, media=3), report(media=5))
    found = judged(reports_[-1], history.change(reports_), NOW, 2 * DAY)
    assert found.status == 1
    assert found.text == ("5 errors could not be corrected; 2 more errors that could not be "
                          "corrected since 2026-11-10")  # fmt: skip
    assert judged(reports_[0], None, NOW - 19 * DAY, 2 * DAY) == reports_[0]
    late = judged(reports_[0], None, NOW, 2 * DAY)
    assert (late.status, late.text) == (1, "no report for 20 days")
    for used, days, told in ((80, 30, True), (50, 30, False), (80, 5, False), (100, 30, False)):
        two = rows(report(days=days, used=used - 15), report(used=used, hours=40_000))
        soon = judged(two[-1], history.change(two), NOW, None)
        assert ("15 % of its life a month, all used by 2026-12-" in soon.text) == told, used
        assert soon.status or not told
    for old, new, status in (
        ({"link": 50}, {"link": 50}, 0),
        ({"link": 50}, {"link": 51}, 1),
        ({"link": 2}, {"link": 9}, 0),
        ({"blocks": 1}, {"blocks": 2}, 1),
    ):
        two = rows(sata(days=3, **old), sata(hours=1072, **new))
        assert judged(two[-1], history.change(two), NOW, None).status == status, (old, new)


KILLED = """
import os, signal, sqlite3, sys
from flashwear import history
from flashwear.history import _store
at, seen = int(sys.argv[2]), 0

def trace(statement):
    global seen
    seen += 1
    if seen == at:
        os.kill(os.getpid(), signal.SIGKILL)

real = sqlite3.connect
def connect(*a, **k):
    base = real(*a, **k)
    base.set_trace_callback(trace)
    return base
_store.sqlite3.connect = connect
contents = [open(name, "rb").read() for name in sys.argv[3:]]
with history.History(sys.argv[1], write=True) as store:
    store.record([history.Source("a", None, None, one) for one in contents], key=b"k" * 32)
print(seen)
"""


def test_killed_at_any_statement_a_store_is_whole_and_the_next_run_ends_it(tmp_path):
    names = []
    for number, days in enumerate((100, 99, 1)):  # of which retention takes one away
        names.append(str(tmp_path / f"{number}.json"))
        Path(names[-1]).write_bytes(report(days=days, used=10 + number, hours=1000 + number))

    def run(place, at):
        return subprocess.run([sys.executable, "-c", KILLED, place, str(at), *names],
                              capture_output=True, text=True, check=False)  # fmt: skip

    count = int(run(str(tmp_path / "whole"), 0).stdout)
    ends = [at for at in range(1, count + 1) if at % 3 == 0 or at > count - 4 or at < 9]
    for at in ends:
        place = str(tmp_path / f"at{at}")
        assert run(place, at).returncode == -signal.SIGKILL
        left = sqlite3.connect(place)
        assert left.execute("pragma integrity_check").fetchall() == [("ok",)]
        tables = {name for (name,) in left.execute("select name from sqlite_master")}
        version = left.execute("pragma user_version").fetchone()[0]
        assert (version == len(_MIGRATIONS)) == ({"drive", "report"} <= tables)
        if version:
            assert left.execute("select count(*) from report").fetchone()[0] in (0, 2, 3)
        left.close()
        assert run(place, 0).returncode == 0
        with history.History(place) as store:
            drive = rows(report())[0].drive
            found = [row.life_used_percent for row in store.reports(drive)]
            assert found == [11, 12] or found == [10, 11, 12]
            assert len(list(store.raw(drive, [NOW - DAY]))) == 1


def test_two_writers_at_once_lose_nothing(tmp_path):
    code = KILLED.replace("for one in contents", "for one in contents * 40")
    names = []
    for number in range(6):
        path = tmp_path / f"{number}.json"
        path.write_bytes(report(days=number, used=30 - number, hours=9000 - number))
        names.append(str(path))
    place = str(tmp_path / "store")
    both = [subprocess.Popen([sys.executable, "-c", code, place, "0", *names[half::2]])
            for half in range(2)]  # fmt: skip
    assert [one.wait() for one in both] == [0, 0]
    with history.History(place) as store:
        assert len(store.reports(*store.drives())) == 6


def test_a_full_disk_or_one_that_may_not_be_written_is_said_and_changes_nothing(tmp_path):
    place = tmp_path / "store"
    with history.History(place, write=True) as store:
        record(store, report(days=1))
        pages = store._base.execute("pragma page_count").fetchone()[0]
        store._base.execute(f"pragma max_page_count={pages}")
        many = [report(f"S{number:08}X7", days=1) for number in range(300)]
        with pytest.raises(OSError, match="full"):
            record(store, *many)
        assert len(store.drives()) == 1
    with history.History(place, write=True) as store:
        assert record(store, *many).new == 300
    with history.History(place) as store, pytest.raises(OSError, match="readonly"):
        store.retire(store.drives()[:1])


def test_other_files_and_newer_versions_are_refused(tmp_path, monkeypatch):
    for name, statement, said in (
        ("other", "create table a(b)", "is an SQLite file, but no history"),
        ("newer", "pragma user_version=9", "is of version 9"),
    ):
        base = sqlite3.connect(tmp_path / name)
        base.execute(statement)
        base.execute("create table if not exists c(d)")
        base.commit()
        base.close()
        for write in (False, True):
            with pytest.raises(ValueError, match=said):
                history.History(tmp_path / name, write=write)
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 36, 9))
    with pytest.raises(OSError, match=r"needs SQLite 3.37 or newer, got 3\."):
        history.History(tmp_path / "old", write=True)
    monkeypatch.undo()
    (tmp_path / "text").write_text("no base")
    with pytest.raises(ValueError, match="must be a history"):
        history.History(tmp_path / "text")
    with pytest.raises(OSError, match="not a database"):
        history.History(tmp_path / "text", write=True)
    assert (tmp_path / "text").read_text() == "no base"


def test_a_store_needs_the_standard_library_alone(tmp_path):
    code = f"""import sys
from flashwear import cli
status = cli.main(["rack", "record", {str(tmp_path / "a.json")!r}, "--history",
                   {str(tmp_path / "h")!r}, "--key", {str(tmp_path / "k")!r}])
print(status, [m for m in ("numpy", "pandas", "pyarrow", "joblib") if m in sys.modules])
"""
    (tmp_path / "a.json").write_bytes(report())
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "1 reports of 1 drives, 1 of them new\n0 []\n"
