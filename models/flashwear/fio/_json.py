"""fio's JSON output."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flashwear.fio._source import Source, content, name_of

_MOST_BYTES = 64 * 2**20
_MOST_JOBS = 10_000
_OUTPUT = re.compile(r"^\{", re.MULTILINE)
_TIME = re.compile(r"(\d{1,9}(?:\.\d{0,9})?)(us|ms|[smhd]?)", re.ASCII)
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


@dataclass(frozen=True)
class Job:
    """One job of fio, or a group that it reports together, with its options and results.

    ``read``, ``write`` and ``trim`` are the amounts, times and latencies of its requests by
    direction.
    """

    name: str
    options: Mapping[str, str]
    """Options of the job file; those of the job's section override the global ones."""
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
        )

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

    @property
    def span_bytes(self) -> int | None:
        """Size in bytes of the range that the job wrote (`size`); None if not given in bytes."""
        return self._bytes("size")

    @property
    def span_share(self) -> float | None:
        """The part of the device that `size` is, in [0, 1], if it is in percent; else None."""
        text = self.options.get("size", "").strip()
        match = re.fullmatch(r"(\d{1,3})%", text, re.ASCII)
        return int(match[1]) / 100 if match and int(match[1]) else None

    def _bytes(self, name: str) -> int | None:
        match = _NUMBER.fullmatch(self.options.get(name, "").strip())
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
        Of several outputs (``--status-interval``) the last is read.

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
    outputs = [found for found in _objects(text, name) if isinstance(found.get("jobs"), list)]
    if not outputs:
        raise ValueError(f'{name} is no output of fio: it has no list "jobs"')
    found = outputs[-1]
    jobs = found["jobs"]
    if not 0 < len(jobs) <= _MOST_JOBS:
        raise ValueError(f"{name} must hold 1 to {_MOST_JOBS:,} jobs, got {len(jobs)}")
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
        raise ValueError(f"{name} holds no JSON of fio: run it with --output-format=json")
    return found


def _options(found: Any) -> dict[str, str]:
    return {str(k): str(v) for k, v in found.items()} if isinstance(found, dict) else {}


def _job(job: dict[str, Any], shared: dict[str, str]) -> Job:
    sides = (_side(job.get(name) or {}) for name in ("read", "write", "trim"))
    options = shared | _options(job.get("job options"))
    return Job(str(job.get("jobname", "")), options, int(job.get("error", 0)), *sides)


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
    )


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1e24:
        raise ValueError(f"expected a number >= 0, got {value!r}")
    return float(value)


def _count(value: Any) -> int:
    return int(_number(value))
