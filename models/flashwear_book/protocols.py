"""The tests of the reviews as data, which are simulated, quoted and printed.

Each test is a :class:`flashwear.queueing.protocol.Protocol`. The docstrings say where a review does
not specify something, or where the simulated test differs.
"""

from collections.abc import Mapping
from dataclasses import replace

from flashwear.queueing.procedures import PATTERNS
from flashwear.queueing.protocol import CONSISTENCY, Protocol
from flashwear.queueing.requests import Access
from flashwear.units import GB

__all__ = ["CLIENT", "CONSISTENCY_2016", "DESKTOP", "ENTERPRISE", "MIXED", "RATINGS", "READ_SHARES",
           "SPANS", "SPARE", "TORTURE", "TRANSFERS", "TRANSFER_KIB"]  # fmt: skip

_FULL_READ = Protocol(access=PATTERNS["random_read"], depth=32, seconds=30)

RATINGS: Mapping[str, Protocol] = {
    "sequential read": replace(_FULL_READ, access=PATTERNS["sequential_read"]),
    "sequential write": replace(_FULL_READ, access=PATTERNS["sequential_write"], seconds=60),
    "random read": _FULL_READ,
    "random write, fresh": Protocol(
        access=PATTERNS["random_write"], depth=32, seconds=20, span_bytes=8 * GB, fill="none"
    ),
    "random write, steady": Protocol(
        access=PATTERNS["random_write"], depth=32, seconds=600, random_drive_writes=None
    ),
}
"""The speed tests of data sheets by name. The drive is full, but empty for "fresh" and in steady
state for "steady". Fresh writes go to 8 GB, as in the client tests."""

CONSISTENCY_2016 = replace(CONSISTENCY, seconds=3600)
"""Performance consistency for an hour, as in the review of the MX300."""

TORTURE = replace(CONSISTENCY, seconds=1800)
"""Performance consistency for half an hour, before TRIM, as in the TRIM validation of the M600."""

SPARE = {"default": None, "25 % of raw": (0.25, "raw"), "25 % of user": (0.25, "user")}
"""Share left unwritten in the test of consistency, and whether of raw or user capacity."""

_ENTERPRISE = Protocol(access=PATTERNS["random_write"], seconds=180, random_drive_writes=None)

ENTERPRISE: Mapping[str, Protocol] = {
    pattern: replace(
        _ENTERPRISE, access=access, random_drive_writes=0.5 if pattern.endswith("read") else None
    )
    for pattern, access in PATTERNS.items()
}
"""The enterprise tests of the M500DC by pattern, at queue depth 1; a sweep doubles the depth up to
32, the largest of SATA. Reads come after half a drive write of random writes."""

_DESKTOP = Protocol(access=PATTERNS["random_read"], seconds=180)

DESKTOP: Mapping[str, Protocol] = {
    "random_read": _DESKTOP,
    "random_write": replace(
        _DESKTOP, access=PATTERNS["random_write"], span_bytes=16 * GB, fill="none"
    ),
    "sequential_read": replace(_DESKTOP, access=PATTERNS["sequential_read"]),
    "sequential_write": replace(_DESKTOP, access=PATTERNS["sequential_write"]),
}
"""The desktop tests of 2015 by pattern, at queue depth 1; a sweep doubles the depth up to 32.
Random writes go to 16 GB of an empty drive, all other requests to the whole of a full drive."""

MIXED: Mapping[str, Protocol] = {
    "sequential": DESKTOP["sequential_write"],
    "random": Protocol(
        access=PATTERNS["random_write"], depth=3, seconds=180, span_bytes=16 * GB, fill="span"
    ),
}
"""The mixed tests of 2015 by order, here with writes only; a sweep mixes in reads. Sequential
requests go to a full drive, random requests to 16 GB, which are all the data on the drive."""

READ_SHARES = (1.0, 0.8, 0.6, 0.4, 0.2, 0.0)
"""Shares of reads in the mixed tests."""

_CLIENT_RANDOM = Protocol(access=PATTERNS["random_write"], depth=3, seconds=180, span_bytes=8 * GB)
_CLIENT_ORDERED = Protocol(access=PATTERNS["sequential_write"], seconds=60)

CLIENT: Mapping[str, Protocol] = {
    "random read, full": replace(_CLIENT_RANDOM, access=PATTERNS["random_read"]),
    "random write, empty": replace(_CLIENT_RANDOM, fill="none"),
    "random write, full": _CLIENT_RANDOM,
    "random write at depth 32, empty": replace(_CLIENT_RANDOM, depth=32, fill="none"),
    "random write at depth 32, full": replace(_CLIENT_RANDOM, depth=32),
    "sequential read, full": replace(_CLIENT_ORDERED, access=PATTERNS["sequential_read"]),
    "sequential write, empty": replace(_CLIENT_ORDERED, fill="none"),
    "sequential write, full": _CLIENT_ORDERED,
}
"""The client tests of 2014 by name, random ones of 4 KiB in 8 GB, sequential ones of 128 KiB over
the whole drive. The review does not say how the drive is filled."""

TRANSFERS: Mapping[str, Protocol] = {
    kind: Protocol(
        access=Access(4096, "sequential", read_share=float(kind == "read")),
        depth=4,
        span_bytes=2**28,
        fill="span" if kind == "read" else "none",
    )
    for kind in ("read", "write")
}
"""The ATTO benchmark by kind, which reads or writes 256 MiB in order, four requests at a time, on a
drive with no other data; each step has another size of requests."""

TRANSFER_KIB = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0)
"""Sizes of requests of ATTO in KiB, up to the largest of the model; ATTO goes on to 8 MiB."""

SPANS: Mapping[str, Protocol] = {
    "random write": DESKTOP["random_write"],
    "sequential write, empty": replace(DESKTOP["sequential_write"], fill="none"),
    "sequential write, full": DESKTOP["sequential_write"],
}
"""Desktop tests of the MX300 whose six depths follow each other on one drive, 18 minutes in all."""
