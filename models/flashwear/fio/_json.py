"""fio's JSON output."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from flashwear.fio._source import Source, content, name_of

_MOST_BYTES = 64 * 2**20
_MOST_JOBS = 10_000
_OUTPUT = re.compile(r"^\{", re.MULTILINE)
_TIME = re.compile(r"(\d{1,9}(?:\.\d{0,9})?)(us|ms|[smhd]?)", re.ASCII)
_PACES = {"rate", "rate_iops", "rate_process", "thinktime"}
_OTHER = {r"^\d;fio-[\d.]+;": "terse output", r"\(groupid=\d+, jobs=\d+\): err=": "text for people"}
_SECONDS = {"us": 1e-6, "ms": 1e-3, "": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400}
_NUMBER = re.compile(r"(\d{1,18}(?:\.\d{1,9})?) ?([kmgtp]?)(i?)b?", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True)
class Side:
    """What a job of fio read, wrote or trimmed: amounts, time, rates, and latencies in s."""

    bytes: int
    requests: int
    seconds: float
    """Time during which the job made such requests."""
    bytes_per_s: float
    iops: float
    latency_s: float | None
    """Mean latency in seconds, from submission to completion; None without requests."""
    percentiles_s: Mapping[float, float]
    """Percentiles of the completion latency in seconds, for the percentages asked of fio."""
    bins: Mapping[float, int]
    """Requests by completion latency, the middle of a bin in s; empty unless json+ was asked for.

    A bin is at most 1/64 of its latency wide.
    """


@dataclass(frozen=True)
class Job:
    """One job of fio, or a group that it reports together, with its options and results.

    ``read``, ``write`` and ``trim`` are the amounts, times and latencies of its requests by
    direction.
    """

    name: str
    options: Mapping[str, str]
    """Options of the job file; those of the job's section override the global ones."""
    group: int
    """Number of the group with which the job ran; groups run one after the other (`stonewall`)."""
    error: int
    """Number of the error with which the job ended; 0 if there was none."""
    read: Side
    write: Side
    trim: Side

    @property
    def random(self) -> bool:
        """Whether the job wrote at random, with equal probability everywhere in its span."""
        option = self.options.get
        return (
            option("rw", option("readwrite", "")) in ("randwrite", "randrw")
            and option("random_distribution", "random") == "random"
            and option("percentage_random", "100") == "100"
            and option("zonemode", "none") == "none"
        )

    @property
    def direct(self) -> bool:
        """Whether the job surely wrote past the page cache, so that its bytes reached the drive."""
        return self.options.get("direct", "0") == "1"

    @property
    def limited(self) -> bool:
        """Whether the pace was given (`rate`, `rate_iops`, `thinktime`), and is not the drive's."""
        return not _PACES.isdisjoint(self.options)

    @property
    def ramp_s(self) -> float:
        """Seconds of `ramp_time`, at the start of the job, that fio leaves out of its results."""
        told = _TIME.fullmatch(self.options.get("ramp_time", "").strip())
        return float(told[1]) * _SECONDS[told[2]] if told else 0.0

    @property
    def free_of_map(self) -> bool | None:
        """Whether the job may write a block again before it has written all others (`norandommap`).

        None if the output does not tell: fio may leave out an option without a value.
        """
        value = self.options.get("norandommap")
        return None if value is None else value.strip() != "0"

    def bytes_of(self, name: str, device_bytes: int | None = None) -> int | None:
        """Return an option as bytes, a percentage being one of the device; None if untold."""
        text = self.options.get(name, "").strip()
        if percent := re.fullmatch(r"(\d{1,3})%", text, re.ASCII):
            return device_bytes and device_bytes * int(percent[1]) // 100
        match = _NUMBER.fullmatch(text)
        if match is None:
            return None
        # fio's own units: k is 1024 unless kb_base says otherwise, and ki the same
        base = 1000 if self.options.get("kb_base") == "1000" and not match[3] else 1024
        power = " kmgtp".find(match[2].lower() or " ")
        return int(float(match[1]) * base**power)


@dataclass(frozen=True)
class Run:
    """A run of fio, with its jobs, the version of fio, and the time at which it ended."""

    version: str
    time_s: int | None
    """Time at which the run ended, in seconds since 1970 (the Unix clock)."""
    jobs: tuple[Job, ...]
    outputs: int = 1
    """How many outputs the file holds, of which this is the last (``--status-interval``)."""

    @property
    def bytes_written(self) -> int:
        """Bytes written by all jobs together, without those written in `ramp_time`."""
        return sum(job.write.bytes for job in self.jobs)

    def only(self, name: str) -> Run:
        """Return the run with the jobs of this name alone; ValueError if there are none."""
        jobs = tuple(job for job in self.jobs if job.name == name)
        if not jobs:
            names = ", ".join(dict.fromkeys(job.name for job in self.jobs))
            raise ValueError(f"job must be one of {names}, got {name!r}")
        return replace(self, jobs=jobs)

    @property
    def direct(self) -> bool:
        """Whether all writes surely went past the page cache (`direct=1`)."""
        return all(job.direct for job in self.jobs if job.write.bytes)

    @property
    def seconds(self) -> float:
        """Seconds that the longest job wrote."""
        return max((job.write.seconds for job in self.jobs), default=0.0)

    @property
    def ramp_s(self) -> float:
        """Seconds of the longest `ramp_time` of a job, which fio leaves out of its results."""
        return max((job.ramp_s for job in self.jobs), default=0.0)

    @property
    def ramped(self) -> bool:
        """Whether a job had a `ramp_time`."""
        return self.ramp_s > 0


def read(source: Source) -> Run:
    """Read what ``fio --output-format=json`` (or ``json+``) printed, of version 2 or 3.

    Parameters
    ----------
    source : path or binary file
        File, plain or packed with gzip, up to 64 MiB. Other lines around the JSON are passed over.
        Of several outputs (``--status-interval``) the last is read. Of several clients
        (``--client``) all jobs are, without their sum.

    Raises
    ------
    ValueError
        If there is no JSON of fio in it, it is torn or too long, or it holds reads and writes as
        one sum (``unified_rw_reporting=mixed``).
    OSError
        If the file cannot be read.

    Examples
    --------
    >>> import io, json
    >>> side = {"io_bytes": 8192, "io_kbytes": 8, "total_ios": 2, "runtime": 1000, "bw": 8,
    ...         "iops": 2.0, "lat_ns": {"mean": 5e5}, "clat_ns": {"percentile": {"99.000000": 9e5}}}
    >>> job = {"jobname": "a", "write": side, "job options": {"rw": "randwrite", "size": "1g"}}
    >>> run = read(io.BytesIO(json.dumps({"fio version": "fio-3.33", "jobs": [job]}).encode()))
    >>> run.bytes_written, run.jobs[0].write.percentiles_s, run.jobs[0].random
    (8192, {99.0: 0.0009}, True)
    """
    name = name_of(source)
    text = content(source, _MOST_BYTES).decode("utf-8", errors="replace")
    outputs = [(found, jobs) for found in _objects(text, name) if (jobs := _listed(found))]
    if not outputs:
        raise ValueError(f'{name} is no output of fio: it has no list "jobs" with a job')
    found, jobs = outputs[-1]
    if len(jobs) > _MOST_JOBS:
        raise ValueError(f"{name} must hold at most {_MOST_JOBS:,} jobs, got {len(jobs):,}")
    if any("mixed" in job and "write" not in job for job in jobs if isinstance(job, dict)):
        raise ValueError(
            f"{name} holds reads and writes as one sum: run fio with unified_rw_reporting none or "
            "both, got mixed"
        )
    version = str(found.get("fio version", ""))
    shared = _options(found.get("global options"))
    try:
        read_jobs = tuple(_job(job, shared) for job in jobs)
    except (AttributeError, TypeError, ValueError) as error:
        raise ValueError(f"{name} is no output of fio: {error!r}") from None
    when = found.get("timestamp")
    return Run(version, when if isinstance(when, int) else None, read_jobs, len(outputs))


def _listed(found: dict[str, Any]) -> list[Any]:
    """Return the entries of the jobs, without the sum that a client adds to those of servers."""
    jobs = found.get("jobs", found.get("client_stats"))
    if not isinstance(jobs, list):
        return []
    sums = "client_stats" in found and len(jobs) > 1
    return [
        job
        for job in jobs
        if not (sums and isinstance(job, dict) and job.get("jobname") == "All clients")
    ]


def _objects(text: str, name: str) -> list[dict[str, Any]]:
    """Return the objects that start at the beginning of a line."""
    found, end = [], 0
    try:
        while start := _OUTPUT.search(text, end):
            one, end = json.JSONDecoder().raw_decode(text, start.start())
            found.append(one)
    except json.JSONDecodeError as error:
        raise ValueError(f"{name} is torn: line {error.lineno}: {error.msg}") from None
    except RecursionError:
        raise ValueError(f"{name} is nested too deep for an output of fio") from None
    if not found:
        kinds = [kind for form, kind in _OTHER.items() if re.search(form, text, re.MULTILINE)]
        told = f", but its {kinds[0]}" if kinds else ""
        raise ValueError(f"{name} holds no JSON of fio{told}: run it with --output-format=json")
    return found


def _options(found: Any) -> dict[str, str]:
    return {str(k): str(v) for k, v in found.items()} if isinstance(found, dict) else {}


def _job(job: dict[str, Any], shared: dict[str, str]) -> Job:
    sides = (_side(job.get(name) or {}) for name in ("read", "write", "trim"))
    options = shared | _options(job.get("job options"))
    group = _count(job.get("groupid", 0))
    return Job(str(job.get("jobname", "")), options, group, int(job.get("error", 0)), *sides)


def _side(side: dict[str, Any]) -> Side:
    # before version 3 sizes are in KiB and latencies in microseconds
    kib = "io_kbytes" not in side
    latency, ticks = (side["lat_ns"], 1e9) if "lat_ns" in side else (side.get("lat") or {}, 1e6)
    shown = side.get("clat_ns") if "clat_ns" in side else side.get("clat")
    percentiles = (shown or {}).get("percentile") or {}
    requests = _count(side.get("total_ios", 0))
    return Side(
        bytes=_count(side.get("io_bytes", 0)) * (1024 if kib else 1),
        requests=requests,
        seconds=_count(side.get("runtime", 0)) / 1000,
        bytes_per_s=_count(side.get("bw", 0)) * 1024.0,
        iops=_number(side.get("iops", 0)),
        latency_s=_number(latency["mean"]) / ticks if requests and "mean" in latency else None,
        percentiles_s={float(p): _number(v) / ticks for p, v in percentiles.items()},
        bins={
            _number(float(at)) / ticks: _count(n)
            for at, n in ((shown or {}).get("bins") or {}).items()
        },
    )


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1e24:
        raise ValueError(f"expected a number >= 0, got {value!r}")
    return float(value)


def _count(value: Any) -> int:
    return int(_number(value))
