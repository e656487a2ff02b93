"""A drive is whole after whatever breaks a call off, or says that it is not."""

import copy
import sys
import threading

import numpy as np
import pytest

from flashwear.ftl import SlcCache, State, _operations, verify
from flashwear.workloads import OPERATION_SHIFT, READ


def overwrite(drive):
    for _ in range(1_000):
        drive.write(1)


@pytest.mark.parametrize("call", [overwrite, State.fold])
def test_a_drive_whose_step_broke_off_refuses_every_change(call, monkeypatch):
    drive = State(400, 0.5, pages_per_block=8, frontier="gc", cache=SlcCache(own_blocks=6))
    drive.run(np.arange(400))

    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(_operations, "_clean", interrupted)
    with pytest.raises(KeyboardInterrupt):
        call(drive)
    monkeypatch.undo()
    for change in (lambda: drive.write(1), lambda: drive.run([1]), drive.fold):
        with pytest.raises(RuntimeError, match="must be thrown away: a write or fold of it broke"):
            change()


def test_threads_take_turns_and_all_that_they_do_is_counted():
    drive = State(400, 0.2, pages_per_block=8, frontier="gc")
    pages = np.random.default_rng(3).integers(400, size=(4, 2_000))
    batch = np.arange(400) | READ << OPERATION_SHIFT
    drive.run(np.arange(400))
    drive.write(0)  # compiled before the threads start
    drive.run(batch)
    before = drive.host_writes, drive.flash_reads - drive.copies

    def work(row):
        for page in row[:1_000]:
            drive.write(page)
        for page in row[1_000:]:
            drive.run([page])
            drive.read(page)
        for _ in range(50):
            drive.run(batch)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=work, args=[row]) for row in pages]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert drive.host_writes - before[0] == pages.size
    assert drive.flash_reads - drive.copies - before[1] == 4 * (1_000 + 50 * 400)
    verify(drive)


def test_a_copy_of_a_drive_at_work_is_of_one_moment():
    drive = State(4_000, 0.2, pages_per_block=16)
    pages = np.random.default_rng(5).integers(4_000, size=20_000)
    drive.run(np.arange(4_000))
    over = threading.Event()

    def work():
        while not over.is_set():
            drive.run(pages)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        for _ in range(20):
            verify(copy.deepcopy(drive))
    finally:
        over.set()
        thread.join()
