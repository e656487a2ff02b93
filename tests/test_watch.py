"""Which program writes: counters of a made /proc, and of this machine."""

import os
import sqlite3
import subprocess
import sys
from dataclasses import FrozenInstanceError
from functools import partial
from pathlib import Path

import pytest

from flashwear import watch
from flashwear.watch import _devices, _processes

MB = 10**6 // 512 * 512


class Machine:
    """A made /proc and a clock that writes something at each look."""

    def __init__(self, root):
        self.root, self.now, self.events = root, 0.0, {}
        self.sectors = {"nvme0n1": 10**6, "nvme0n1p1": 0, "nvme0n1p2": 10**6, "loop0": 9, "sda": 50}
        self.processes, self.groups = {}, {}
        (root / "self").mkdir()
        (root / "self" / "mountinfo").write_text(
            "22 1 259:2 / / rw - ext4 /dev/nvme0n1p2 rw\n23 1 0:21 / /proc rw - proc proc rw\n"
            "24 1 259:2 /x /again rw - ext4 /dev/nvme0n1p2 rw\n25 1 0:22 /\n"
        )
        self.show()

    def start(self, pid, name, written=0, began=1, maps=""):
        self.processes[pid] = [name, written, began, 0, written, maps, 1, 0]
        self.show()

    def write(self, pid, count, *devices, cancelled=0, folio=1, calls=0):
        self.processes[pid][1] += count * folio
        self.processes[pid][3] += cancelled
        self.processes[pid][4] += count
        self.processes[pid][7] += calls
        self.flush(count - cancelled, *devices)

    def flush(self, count, *devices):
        for device in devices or ("nvme0n1", "nvme0n1p2"):
            self.sectors[device] += count // 512

    def end(self, pid):
        del self.processes[pid]
        for file in (self.root / str(pid)).iterdir():
            file.unlink()
        (self.root / str(pid)).rmdir()

    def show(self):
        numbers = {"nvme0n1": (259, 0), "nvme0n1p1": (259, 1), "nvme0n1p2": (259, 2),
                   "loop0": (7, 0), "sda": (8, 0), "sda2": (8, 2), "sdaa": (65, 160),
                   "sdaa1": (65, 161), "dm-0": (253, 0), "dm-1": (253, 1),
                   "md0": (9, 0), "bcache0": (252, 0)}  # fmt: skip
        (self.root / "diskstats").write_text("".join(
            f"{a:4} {b:7} {name} 1 2 3 4 5 6 {self.sectors[name]}{' 8' * (name != 'sda')}\n"
            for name, (a, b) in numbers.items()
            if name in self.sectors
        ))  # fmt: skip
        for pid, (
            name, written, began, cancelled, handed, maps, parent, calls
        ) in self.processes.items():  # fmt: skip
            folder = self.root / str(pid)
            folder.mkdir(exist_ok=True)
            fields = " ".join(["S", str(parent), *["0"] * 17, str(began), "0"])
            (folder / "stat").write_text(f"{pid} ({name}) {fields}\n")
            (folder / "io").write_text(
                f"later: 1: 2\nrchar: 1\nwchar: {handed}\nsyscw: {calls}\nread_bytes: 0\n"
                f"write_bytes: {written}\ncancelled_write_bytes: {cancelled}\n")  # fmt: skip
            (folder / "maps").write_text(maps)
            (folder / "cmdline").write_text(f"/usr/bin/{name}\0--data\0/srv/{name}\0")
            (folder / "cgroup").write_text(self.groups.get(pid, "0::/\n"))

    def sleep(self, seconds):
        self.now += seconds
        for event in self.events.pop(round(self.now), []):
            event()
        self.show()

    def at(self, second, event):
        self.events.setdefault(second, []).append(event)

    def watch(self, seconds=10.0, **options):
        return watch.watch(seconds, proc=self.root, sys=self.root / "sys", **options)

    def block(self, name, on=None, slaves=()):
        """Make what /sys says of a partition on a drive, or of a volume on others."""
        devices = self.root / "sys" / "devices"
        place = devices / on / name if on else devices / name
        place.mkdir(parents=True)
        if on:
            (place / "partition").write_text("1\n")
        for slave in slaves:
            (place / "slaves" / slave).mkdir(parents=True)
        folder = self.root / "sys" / "class" / "block"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).symlink_to(place)

    def journal(self, *told):
        """Tell of the journal of nvme0n1p2: transactions, and blocks of each."""
        place = self.root / "fs" / "jbd2" / "nvme0n1p2-8"
        place.mkdir(parents=True, exist_ok=True)
        (place / "info").write_text("{} transactions (9 requested), each up to 2730 blocks\n"
                                    "average: \n  0ms x\n  {} logged blocks per transaction\n"
                                    .format(*told))  # fmt: skip


def refuse(monkeypatch, name):
    text = _processes.text

    def refused(path):
        if path.name == name:
            raise PermissionError(path)
        return text(path)

    monkeypatch.setattr(_processes, "text", refused)


@pytest.fixture
def machine(tmp_path, monkeypatch):
    made = Machine(tmp_path)
    monkeypatch.setattr(watch, "_sleep", made.sleep)
    monkeypatch.setattr(watch, "_clock", lambda: made.now)
    return made


def test_programs_are_grouped_by_what_is_asked(machine):
    inside = "0123456789abcdef" * 4
    machine.groups = {
        7: "12:blkio:/else\n0::/system.slice/postgresql.service\n",
        8: f"1:name=systemd:/system.slice/docker-{inside}.scope\n",
    }
    machine.start(7, "postgres", 9 * MB)
    machine.start(8, "python3")
    machine.start(9, "python3")
    for pid in (7, 8, 9):
        machine.at(2, partial(machine.write, pid, pid * MB))
    machine.at(4, partial(machine.write, 7, 100 * MB))
    machine.at(6, partial(machine.end, 9))
    owner = machine.root.owner()
    expected = {
        "name": {"postgres": 107, "python3": 17},
        "process": {"postgres (7)": 107, "python3 (8)": 8, "python3 (9)": 9},
        "command": {"/usr/bin/postgres --data /srv/postgres": 107,
                    "/usr/bin/python3 --data /srv/python3": 17},
        "user": {owner: 124},
        "unit": {"postgresql.service": 107, f"docker-{inside}.scope": 8, "/": 9},
        "cgroup": {"/system.slice/postgresql.service": 107,
                   f"/system.slice/docker-{inside}.scope": 8, "/": 9},
        "container": {"no container": 116, f"container {inside[:12]}": 8},
    }  # fmt: skip
    events = {second: list(them) for second, them in machine.events.items()}
    first = {pid: list(state) for pid, state in machine.processes.items()}
    for by, groups in expected.items():
        machine.now, machine.events = 0.0, {second: list(them) for second, them in events.items()}
        machine.processes = {pid: list(state) for pid, state in first.items()}
        machine.show()
        seen = machine.watch(by=by)
        assert {one.name: one.bytes // MB for one in seen.programs} == groups
    with pytest.raises(ValueError, match="by must be one of name, process, command"):
        machine.watch(by="thread")


def test_a_loop_and_a_partition_are_watched_where_they_are_named(machine):
    machine.start(7, "dd")
    machine.at(3, partial(machine.write, 7, 5 * MB, "loop0"))
    assert machine.watch(drive="loop0").drives == (watch.Device("loop0", 5 * MB, None),)
    assert machine.watch(drive="nvme0n1p2").drives == ()


def test_programs_drives_and_file_systems_are_counted(machine):
    machine.start(7, "postgres", 500 * MB)
    machine.start(8, "postgres")
    machine.start(9, "idle", 3 * MB)
    for second in range(1, 11):
        machine.at(second, lambda: machine.write(7, 4 * MB))
    machine.at(3, lambda: machine.write(8, 10 * MB))
    machine.at(5, lambda: machine.flush(5 * MB))
    seen = machine.watch()
    assert seen.seconds == pytest.approx(10)
    with pytest.raises(FrozenInstanceError):
        seen.seconds = 1.0
    assert seen.programs == (watch.Program("postgres", 50 * MB, 2),)
    assert seen.drives == (watch.Device("nvme0n1", 55 * MB, None),)
    assert seen.file_systems == (watch.Device("nvme0n1p2", 55 * MB, "/"),)
    assert seen.unaccounted == 5 * MB
    assert sum(seen.tenths) == pytest.approx(55 * MB)
    assert seen.tenths[2] == pytest.approx(14 * MB)


def test_a_program_that_begins_or_ends_or_deletes_files_is_counted_as_far_as_it_was_seen(machine):
    machine.start(7, "old", 100 * MB)
    machine.at(2, lambda: machine.write(7, 3 * MB))
    machine.at(4, lambda: machine.end(7))
    machine.at(5, lambda: machine.start(7, "new", began=99))
    machine.at(6, lambda: machine.write(7, 2 * MB))
    seen = machine.watch()
    assert [(one.name, one.bytes) for one in seen.programs] == [("old", 3 * MB), ("new", 2 * MB)]
    machine.start(7, "tmp")
    machine.at(12, lambda: machine.write(7, 8 * MB, cancelled=6 * MB))
    machine.at(13, lambda: machine.flush(20 * MB, "sda"))
    seen = machine.watch()
    assert seen.programs == (watch.Program("tmp", 2 * MB, 1),)
    assert seen.unaccounted == 20 * MB


def test_one_drive_alone(machine):
    machine.start(7, "a")
    machine.at(2, lambda: machine.write(7, MB, "sda"))
    machine.at(3, lambda: machine.write(7, 2 * MB))
    assert [one.name for one in machine.watch().drives] == ["nvme0n1", "sda"]
    machine.at(12, lambda: machine.flush(3 * MB, "sda"))
    seen = machine.watch(drive="sda")
    assert seen.drives == (watch.Device("sda", 3 * MB, None),)
    assert seen.file_systems == ()


def test_one_drive_alone_has_its_volumes_and_no_drive_of_a_longer_name(machine):
    for name in ("sda2", "sdaa", "sdaa1", "dm-0", "dm-1"):
        machine.sectors[name] = 10
    machine.block("sda")
    machine.block("sda2", on="sda")
    machine.block("sdaa1", on="sdaa")
    machine.block("dm-0", slaves=["sda2"])  # LUKS, and LVM on it
    machine.block("dm-1", slaves=["dm-0"])
    with open(machine.root / "self" / "mountinfo", "a") as mounts:
        mounts.write("25 1 65:161 / /other rw - ext4 /dev/sdaa1 rw\n")
        mounts.write("26 1 253:1 / /home rw - ext4 /dev/dm-1 rw\n")
    machine.show()
    machine.at(2, lambda: machine.flush(3 * MB, "sda", "sda2", "dm-0", "dm-1"))
    machine.at(3, lambda: machine.flush(7 * MB, "sdaa", "sdaa1"))
    seen = machine.watch(drive="sda")
    assert seen.file_systems == (watch.Device("dm-1", 3 * MB, "/home"),)
    assert seen.bytes == 3 * MB
    machine.at(12, lambda: machine.flush(5 * MB, "sdaa", "sdaa1"))
    assert machine.watch(drive="sdaa").file_systems == (watch.Device("sdaa1", 5 * MB, "/other"),)


def test_whole_folios_are_not_taken_for_bytes(machine):
    own = "7f0-7f1 r--p 00000000 fe:01 9   /usr/lib/libc.so\n7f0-7f1 rw-s 00000000 00:01 5\n"
    machine.start(7, "database", maps=f"{own}7f0-7f1 rw-s 00000000 00:01 5   /dev/zero (deleted)\n")
    memory = "7f0-7f1 rw-s 00000000 00:01 5   /dev/shm/x\n"
    machine.start(
        8, "mapped", maps=f"{memory}7f0-7f1 rw-s 00000000 fe:01 5    /data/base file.mdb\n"
    )
    machine.start(9, "asynchronous", maps="7f0-7f1 rw-s 00000000 00:01 5   /[aio] (deleted)\n")
    for second, pid in enumerate((7, 8, 9), 2):
        machine.at(second, lambda pid=pid: machine.write(pid, MB, folio=2))
    machine.at(6, lambda: machine.flush(20 * MB))
    seen = machine.watch()
    assert {one.name: one.bytes // MB for one in seen.programs} == {
        "database": 1, "mapped": 2, "asynchronous": 2}  # fmt: skip
    assert seen.unaccounted == 23 * MB - 5 * MB


def test_programs_and_maps_that_may_not_be_read_are_counted(machine, monkeypatch):
    refuse(monkeypatch, "maps")
    machine.start(7, "other")
    machine.at(2, lambda: machine.write(7, MB, folio=2))
    machine.at(3, lambda: machine.flush(20 * MB))
    assert machine.watch().programs == (watch.Program("other", 2 * MB, 1),)
    machine.start(7, "secret")
    refuse(monkeypatch, "io")
    assert machine.watch(1.0).hidden == 1
    machine.at(4, lambda: machine.end(7))
    assert machine.watch(8.0).hidden == 1  # though the last look finds it no more


def test_a_byte_in_each_of_many_pages_is_not_less_than_it_was(machine):
    machine.start(7, "scattered")
    machine.at(2, lambda: machine.write(7, 1000, calls=1000, folio=256 * 4096))
    machine.at(2, lambda: machine.flush(1000 * 4096))
    (program,) = machine.watch().programs
    assert 1000 * 4096 <= program.bytes <= 1000 * (1 + 2 * 4096)


def test_what_a_program_started_is_not_counted_twice_and_its_own_name_counts(machine):
    machine.start(1, "init", 9 * MB)
    machine.start(7, "bash", 40 * MB)
    machine.start(8, "bash", began=5)
    machine.processes[8][6] = 7
    machine.show()

    def runs():
        machine.processes[8][0] = "dd"
        machine.write(8, 21 * MB)

    def ends():
        machine.end(8)
        for place in (1, 4):  # the one that waited takes over the counters
            machine.processes[7][place] += 21 * MB

    machine.at(2, runs)
    machine.at(4, ends)
    machine.at(6, lambda: machine.write(1, 5 * MB))
    programs = machine.watch().programs  # most first
    assert programs == (watch.Program("dd", 21 * MB, 1), watch.Program("init", 5 * MB, 1))


def test_no_program_wrote_more_than_the_drives_took(machine):
    machine.start(7, "mapped", maps="7f0-7f1 rw-s 00000000 fe:01 5    /data/base.mdb\n")
    machine.start(8, "mapped", maps="7f0-7f1 rw-s 00000000 fe:01 5    /data/base.mdb\n")
    for pid in (7, 8):
        machine.at(2, lambda pid=pid: machine.write(pid, MB, folio=200))
    seen = machine.watch()
    assert seen.programs == (watch.Program("mapped", 2 * MB, 2),)
    assert seen.unaccounted == 0


def test_a_steady_load_has_a_narrow_range_and_a_burst_a_wide_one(machine):
    for second in range(1, 11):
        machine.at(second, lambda: machine.flush(4 * MB))
    rate, low, high = machine.watch().bytes_per_day()
    assert rate == pytest.approx(40 * MB * 8640)
    assert high - low < 1e-6 * rate
    machine.at(13, lambda: machine.flush(40 * MB))
    rate, low, high = machine.watch().bytes_per_day()
    assert rate == pytest.approx(40 * MB * 8640)
    assert low == 0.0
    assert high == pytest.approx(rate * (1 + 2.262), rel=1e-3)  # one tenth holds all


def test_journals_are_counted_by_blocks_and_sectors(machine):
    block = os.statvfs("/").f_bsize
    machine.journal(1000, 3)
    machine.at(3, lambda: machine.journal(1500, 4))
    machine.at(3, lambda: machine.flush(40 * MB))
    seen = machine.watch()
    # of at most 4000 blocks before, and at least 6000 after
    assert seen.journals == (watch.Journal("nvme0n1p2", 2000 * block, "/", "ext4"),)
    assert seen.unaccounted == 40 * MB - 2000 * block
    machine.at(13, lambda: machine.journal(7, 3))  # mounted anew
    assert machine.watch().journals[0].bytes == 21 * block
    machine.journal(1, 1)
    machine.at(23, lambda: machine.journal(2, 3))
    assert machine.watch().journals[0].bytes == 4 * block  # less than 2 before, 6 now
    with open(machine.root / "self" / "mountinfo", "a") as mounts:
        mounts.write("25 1 8:0 / /xfs rw - xfs /dev/sda rw\n")
    log = machine.root / "sys" / "fs" / "xfs" / "sda" / "stats"
    log.mkdir(parents=True)
    (log / "stats").write_text("extent_alloc 1 2\nlog 7 100 0 7 7\npush_ail 1\n")
    machine.at(33, lambda: (log / "stats").write_text("log 9 400 0 9 9\n"))
    assert watch.Journal("sda", 300 * 512, "/xfs", "xfs") in machine.watch().journals


def test_btrfs_is_found_by_its_device_and_a_loop_only_where_it_is_named(machine):
    with open(machine.root / "self" / "mountinfo", "a") as mounts:
        mounts.write("25 1 0:44 /sub /pool rw - btrfs /dev/sda rw\n")
        mounts.write("26 1 7:0 / /image rw - ext4 /dev/loop0 rw\n")
    machine.at(3, lambda: machine.flush(MB, "sda", "loop0"))
    assert machine.watch().file_systems == (watch.Device("sda", MB, "/pool"),)
    machine.at(13, lambda: machine.flush(MB, "loop0"))
    assert machine.watch(drive="loop0").file_systems == (watch.Device("loop0", MB, "/image"),)


def test_what_is_kept_does_not_grow_with_time(machine, monkeypatch):
    monkeypatch.setattr(_processes, "_MOST_ENDED", 20)
    monkeypatch.setattr(watch, "_MOST_LOOKS", 40)
    counts = []
    numbers = watch.np.array
    monkeypatch.setattr(watch.np, "array", lambda rows: counts.append(len(rows)) or numbers(rows))
    for second in range(1, 200):
        machine.at(second, lambda pid=second: machine.start(pid + 9, f"job{pid}", began=pid))
        machine.at(second, lambda pid=second: machine.write(pid + 9, MB))
        machine.at(second + 1, lambda pid=second: machine.end(pid + 9))
    seen = machine.watch(200.0)
    assert counts[0] <= 41
    assert seen.programs[0] == watch.Program("others that ended", 179 * MB, 179)
    assert [one.bytes for one in seen.programs[1:]] == [MB] * 20
    assert seen.tenths == pytest.approx([20 * MB] * 10, rel=0.3)  # five seconds apart
    assert seen.cost_s > 0


def test_an_interrupt_ends_it_with_what_was_seen(machine):
    machine.start(7, "dd")
    machine.at(2, lambda: machine.flush(6 * MB))

    def interrupt():
        machine.write(7, MB)
        machine.show()
        raise KeyboardInterrupt

    machine.at(4, interrupt)
    seen = machine.watch()
    assert seen.seconds == pytest.approx(4)
    assert seen.bytes == 7 * MB
    assert seen.programs == (watch.Program("dd", MB, 1),)
    assert seen.bytes_per_day()[0] == pytest.approx(7 * MB * 86_400 / 4)


def test_hostile_names_are_text(machine):
    machine.start(7, "evil) S 1\x1b[31m\n")
    machine.at(2, lambda: machine.write(7, MB))
    (program,) = machine.watch().programs
    assert program.name.isprintable()
    assert program.name.startswith("evil) S 1?[31m")


def test_drives_that_vanish_come_or_begin_anew_are_counted_as_far_as_they_were_seen(machine):
    machine.sectors["sda"] = 10**6
    machine.show()
    machine.at(2, lambda: machine.flush(MB, "sda"))
    machine.at(4, lambda: machine.sectors.update(sda=0))
    machine.at(6, lambda: machine.flush(3 * MB, "sda"))
    machine.at(7, lambda: machine.sectors.update(sdaa=10**7))
    machine.at(8, lambda: machine.flush(5 * MB, "sdaa"))
    machine.at(9, lambda: machine.sectors.pop("sda"))
    seen = machine.watch()
    assert {one.name: one.bytes // MB for one in seen.drives} == {"sda": 4, "sdaa": 5}
    assert sum(seen.tenths) == pytest.approx(9 * MB)
    assert min(seen.tenths) >= 0
    machine.sectors["sda"] = 5
    machine.show()
    machine.at(13, lambda: machine.sectors.pop("sda"))
    with pytest.raises(OSError, match="sda is gone: it was there when"):
        machine.watch(drive="sda")


def test_a_mirror_is_told_and_its_volume_is_no_drive(machine):
    machine.sectors |= {"md0": 0, "bcache0": 0}
    for name in ("sda", "nvme0n1"):
        machine.block(name)
    machine.block("md0", slaves=["sda", "nvme0n1"])
    (machine.root / "sys" / "class" / "block" / "md0" / "md").mkdir()
    (machine.root / "sys" / "class" / "block" / "md0" / "md" / "level").write_text("raid1\n")
    machine.at(2, lambda: machine.flush(MB, "sda", "nvme0n1", "md0", "bcache0"))
    seen = machine.watch()
    assert seen.mirrors == {"md0": 2}
    assert {one.name for one in seen.drives} == {"sda", "nvme0n1"}


def test_who_has_a_file_open_is_found(machine, tmp_path):
    log, other = tmp_path / "LOG", tmp_path / "LOG.old"
    for pid, name, path in ((7, "server", log), (8, "tail", other), (9, "kworker/1", log)):
        machine.start(pid, name)
        (machine.root / str(pid) / "comm").write_text(f"{name}\n")
        (machine.root / str(pid) / "fd").mkdir()
        (machine.root / str(pid) / "fd" / "3").symlink_to(path)
    assert watch.holders(log, machine.root) == {"server", "kworker"}
    assert watch.holders(tmp_path / "none", machine.root) == set()


def test_workers_of_the_kernel_are_one(machine):
    for pid in (7, 8):
        machine.start(pid, f"kworker/u8:{pid}-writeback")
    for pid in (7, 8):
        machine.at(2, lambda pid=pid: machine.write(pid, MB))
    assert machine.watch().programs == (watch.Program("kworker", 2 * MB, 2),)


def test_what_cannot_be_watched_is_named(machine):
    with pytest.raises(ValueError, match="drive must be one of nvme0n1, sda, got 'sdz'"):
        machine.watch(drive="sdz")
    with pytest.raises(OSError, match="diskstats"):
        watch.watch(1, proc=machine.root / "nowhere")


@pytest.mark.skipif(not Path("/proc/self/io").exists(), reason="no counters of Linux")
def test_a_database_beside_it_is_found(tmp_path):
    """A program that commits rows to a database of its own writes at least what the file holds."""
    code = f"""
import sqlite3, time
base = sqlite3.connect({str(tmp_path / "base")!r})
base.execute("create table t (x blob)")
for _ in range(20):
    with base:
        base.execute("insert into t values (zeroblob(100000))")
    time.sleep(0.02)
time.sleep(1)
"""
    child = subprocess.Popen([sys.executable, "-c", code])
    seen = watch.watch(1.2, by="process", every=0.1)
    child.wait()
    with sqlite3.connect(tmp_path / "base") as base:
        assert base.execute("select count(*) from t").fetchone() == (20,)
    wrote = [one.bytes for one in seen.programs if one.name.endswith(f" ({child.pid})")]
    assert sum(wrote) >= 20 * 100_000, seen.programs


def test_a_journal_took_the_mean_of_its_transactions_within_what_is_possible():
    log = _devices.Log
    assert _devices.logged(log(300, 400, 10), log(900, 1200, 30)) == 600
    assert _devices.logged(log(100, 110, 10), log(120, 140, 20)) == 40  # no more than both allow
    assert _devices.logged(log(10, 20, 10), log(400, 440, 20)) == 380  # nor less
    assert _devices.logged(None, log(300, 400, 10)) == 300
