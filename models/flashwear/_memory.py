"""What memory there is, so that what needs more is refused before the system ends the process."""

import math
import os
from contextlib import suppress
from pathlib import Path

GB = 1e9


def check(what: str, needed: float) -> None:
    """Raise MemoryError, naming `what` needs memory, if `needed` bytes are not available."""
    there = available()
    if needed > there:
        raise MemoryError(
            f"{what} must fit into memory: that takes {needed / GB:.3g} GB, and there are "
            f"{there / GB:.3g} GB"
        )


def available() -> float:
    """Return the bytes that a process may still allocate; infinity if the system does not tell."""
    rooms = [math.inf]
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        kib = {line.partition(":")[0]: int(line.split()[1]) for line in lines}
        rooms.append(1024.0 * (kib["MemAvailable"] + kib["SwapFree"]))
    except (OSError, KeyError):
        with suppress(AttributeError, ValueError, OSError):
            rooms.append(float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")))
    with suppress(OSError, ValueError):  # of a container; "max" if it has no limit
        rooms.append(float(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii")))
    with suppress(ImportError, OSError):
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit != resource.RLIM_INFINITY:
            taken = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
            rooms.append(max(0.0, float(limit - taken * resource.getpagesize())))
    return min(rooms)
