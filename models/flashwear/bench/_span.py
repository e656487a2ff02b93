"""Where the jobs of a run wrote."""

from collections import Counter

from flashwear._domain import one_number
from flashwear.fio import Job, Run

_WHOLE = 0.9  # of the capacity, from which on a run is over the whole drive
_ALIKE = 0.2  # so much more often than another a range may be written: it hardly shows


def span(
    run: Run, capacity: int | None, given: float | None, doubts: list[str]
) -> tuple[float, bool]:
    """Return the bytes that the jobs wrote over, given or by size and offset, and if all alike."""
    told = (one_number("span_bytes", given, above=0), True) if given is not None else None
    found, alike = told or _told(run, capacity)
    if capacity and found < _WHOLE * capacity:
        doubts.append(
            f"only {100 * found / capacity:.2g} % of the drive was written: what lies on the rest, "
            "if it was not trimmed, is not spare, and a file is no drive"
        )
    return found, alike


def _told(run: Run, capacity: int | None) -> tuple[float, bool]:
    written: Counter[tuple[int, int]] = Counter()
    clones: Counter[tuple[str, int]] = Counter()
    entries = Counter((job.name, job.group) for job in run.jobs)
    for job in run.jobs:
        first, key = clones[job.name, job.group], (job.name, job.group)
        clones[key] += 1
        if not job.write.bytes:
            continue
        # an entry alone is the sum of its clones (group_reporting)
        count = int(job.bytes_of("numjobs") or 1) if entries[key] == 1 else 1
        for clone in range(first, first + min(count, 10_000)):
            written[_range(job, clone, capacity)] += job.write.bytes // count
    covered, end, apart = 0, 0, True
    for start, stop in sorted(written):
        apart = apart and start >= end
        covered, end = covered + max(stop - max(start, end), 0), max(stop, end)
    times = [count / (stop - start) for (start, stop), count in written.items()]
    return float(covered), apart and max(times) <= (1 + _ALIKE) * min(times)


def _range(job: Job, clone: int, capacity: int | None) -> tuple[int, int]:
    """Return the first byte of a clone of a job, and the first after it."""
    places = {}
    for name in ("offset", "offset_increment"):
        place = job.bytes_of(name, capacity)
        if place is None and job.options.get(name):
            raise ValueError(f"span_bytes must be given: the {name} of a job is not known in bytes")
        places[name] = place or 0
    start = places["offset"] + clone * places["offset_increment"]
    size = job.bytes_of("size", capacity)
    if capacity:
        size = min(size or capacity, capacity - start)
    if not size or size < 0:
        raise ValueError("span_bytes must be given: jobs and report do not tell it")
    return start, start + size
