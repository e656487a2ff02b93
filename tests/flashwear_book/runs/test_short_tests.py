import pytest

from flashwear import drives
from flashwear_book.runs.short_tests import client, transfer
from refusals import refusals

SMALL = 1 / 64


def test_reads_are_equal_writes_faster_on_an_empty_drive_and_transfers_take_their_times():
    # but for a microsecond of 430 that their controllers take, each by figures of its line
    one, other = (client(f"{line}-256gb", "sequential read, full", SMALL, 1)["mb_per_s"]
                  for line in ("m600", "mx100"))  # fmt: skip
    assert one == pytest.approx(other, rel=1 / 430)
    with_cache, without = (
        [client(drive, f"sequential write, {state}", SMALL, 1)["mb_per_s"]
         for state in ("empty", "full")] for drive in ("m600-128gb", "mx100-128gb")
    )  # fmt: skip
    # two-bit programs take 1,600 us on average and one-bit ones 655: the cache writes 2.4 as fast
    assert 2 < with_cache[0] / without[0] < 3
    assert with_cache[1] == pytest.approx(without[1], rel=0.02)
    for name in ("m600-256gb", "mx100-256gb"):
        drive = drives.load(name)
        took = drive.write_command_s + drive.write_unit_s
        rate = transfer(name, "write", 1.0, SMALL)["mb_per_s"]
        assert rate == pytest.approx(1024 / took / 1e6, rel=0.01)
    drive = drives.load("mx300-750gb")
    size = 1024 * 1024
    wire = drive.link_overhead_s + size / drive.link_bytes_per_s
    for kind in ("read", "write"):
        rate = transfer("mx300-750gb", kind, 1024.0, SMALL)["mb_per_s"]
        assert rate == pytest.approx(size / wire / 1e6, rel=0.02)


test_unknown_tests_are_refused = refusals([
    (lambda: client("m600-256gb", "random", 1.0, 0), "test must be one of"),
    (lambda: transfer("m600-256gb", "trim", 4.0, 1.0), "kind must be one of"),
    (lambda: transfer("m600-256gb", "read", 3.0, 1.0), "kib must be one of 0.5, 1, .* got 3"),
    (lambda: transfer("m600-256gb", "read", float("inf"), 1.0), "kib must be one of"),
    (lambda: transfer("m600-256gb", "read", "4", 1.0), "kib must be one of .* got '4'"),
])  # fmt: skip
