"""Speeds of lines that no fit has seen, predicted before their figures were entered, and scored.

``python -m flashwear_book.fresh`` writes ``data/fresh_predictions.csv`` and prints its SHA-256;
``python -m flashwear_book.fresh score`` scores the lines whose figures came afterwards, as rows of
the set "fresh" of ``data/first_scores.csv``.
"""

from __future__ import annotations

import hashlib
import sys
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from flashwear import drives, predict
from flashwear.drives import Drive
from flashwear.predict.hierarchy import bus
from flashwear.predict.rated_speeds import AT_LINK, Ratings, rated_speeds
from flashwear.predict.score import score
from flashwear.queueing import work
from flashwear_book import tables
from flashwear_book.runs import predictions as guesses

__all__ = ["figures", "made", "predictions", "scores"]

_DRAWS = 20_000
_RESAMPLED = 2000
_COUNTS = ("figures", "lines", "held")
_HALF_STEP = 0.005  # of a printed speed; no guess depends on it
_RATE = {"PCIe 4.0": 7.2e9, "PCIe 5.0": 14.4e9}  # bytes/s of four lanes, as in drives.toml
_HOST_MEMORY = 1 << 26  # bytes of the map, without DRAM
_MAP_UNIT = 4096
_ENTRY = 4


def made() -> dict[tuple[str, int], Drive]:
    """Return the drives of ``data/fresh_lines.csv`` by line and capacity in GB.

    Each has as many dies as fill the next power of two. Where the catalogue has no such flash, the
    drive has the geometry of the flash in the column ``like`` and the age of its own.

    Examples
    --------
    >>> made()["Crucial T710", 2000].dies
    16
    """
    return {
        (row.line, int(size)): _drive(row, int(size))
        for row in tables.fresh_lines().fillna("").itertuples()
        for size in str(row.capacities_gb).split()
    }


def _drive(row: Any, size: int) -> Drive:
    user = size * 10**9 // _MAP_UNIT * _MAP_UNIT
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # times are those of the fit
        one = drives.assemble(
            controller=None,
            flash=row.like or row.flash,
            dies=1,
            user_bytes=_MAP_UNIT,
            cache=None if row.server == "yes" else "assumed-dynamic",
            name=f"{row.line} {size}GB",
            channels=1,
            link_bytes_per_s=_RATE[row.interface],
            link_overhead_s=1e-7,
            queue_limit=128,
            map_cache_bytes=user // _MAP_UNIT * _ENTRY if row.dram == "yes" else _HOST_MEMORY,
            enterprise=row.server == "yes",
        )
    if row.flash.endswith("512gbit"):
        one = replace(one, blocks_per_plane=one.blocks_per_plane // 2)
    dies = 1 << (-(-user // one.raw_bytes) - 1).bit_length()
    named = {"controller": row.controller, "flash": row.flash, "line": row.line}
    return replace(one, dies=dies, channels=int(row.channels), user_bytes=user, **named)


def predictions() -> pd.DataFrame:
    """Return predicted speeds of all drives of :func:`made`, by the fit of all other lines.

    Result: ``line``, ``capacity_gb``, ``test``, ``unit``, ``median``, and the ends of the
    intervals of 50 and 90 %: ``low_50``, ``high_50``, ``low_90``, ``high_90``.
    """
    each = pd.concat(list(_predicted()), ignore_index=True)
    numbers = each.select_dtypes("float").columns
    each[numbers] = each[numbers].map(lambda number: float(f"{number:.4g}"))
    return each[["line", "capacity_gb", "test", "unit", *numbers]]


def _predicted() -> Iterator[pd.DataFrame]:
    for (line, size), drive in made().items():
        table = predict.speeds(drive, draws=_DRAWS).drop("steady write amplification")
        yield table.drop(columns="limit").reset_index().assign(line=line, capacity_gb=size)


def figures() -> Ratings:
    """Return the figures of ``data/fresh_speeds.csv``, each with its drive of :func:`made`.

    Examples
    --------
    >>> found = figures()
    >>> len(found), found.table.line.nunique()
    (64, 12)
    """
    table = tables.fresh_speeds().rename(columns={"place": "bench"})
    catalogue = made()
    each = [
        catalogue[line, int(size)] for line, size in zip(table.line, table.capacity_gb, strict=True)
    ]
    tests = [predict.TESTS[test] for test in table.test]
    needs = [test.work_on(drive) for test, drive in zip(tests, each, strict=True)]
    needed = work.Work(
        np.array([one.fixed_s for one in needs]), np.array([one.counts for one in needs])
    )
    per_unit = [1 if test.unit == "IOPS" else 1e6 / test.protocol.access.size for test in tests]
    rate = table.value.to_numpy() * per_unit
    alike = table.groupby(["line", "test", "kind", "value"]).value.transform("size")
    table = table.assign(
        key=[drive.name for drive in each],
        bench=np.where(table.kind == "measured", table.source_url.str.split("/").str[2], ""),
        weight=1 / np.where(table.kind == "rated", alike, 1),
        at_link=rate * needed.fixed_s[:, work.STATIONS.index("link")] >= AT_LINK,
        bits=[drive.bits_per_cell for drive in each],
        bus=[bus(drive) for drive in each],
    )
    return Ratings(table, each, needed, np.log(rate), np.full(len(table), _HALF_STEP))


def scores(seed: int = 2026) -> pd.DataFrame:
    """Return how well the fit of all other lines, and naive guesses, meet :func:`figures`.

    Beside the guesses of :data:`flashwear_book.runs.predictions.RIVALS` stands the limit of the
    interface. Figures at it are left out, as in all such scores. `seed` is that of the draws.
    """
    others, wanted = rated_speeds(), figures()
    table = wanted.table[~wanted.table.at_link]
    buses = tables.fresh_lines().set_index("line").interface
    known = {drive.controller for drive in others.drives}
    new = np.array([drive.controller not in known for drive in wanted.drives])
    parts = {"all": table.index >= 0}
    parts |= {f"{bits} bits": table.bits == bits for bits in (3, 4)}
    parts |= {name: table.line.map(buses) == name for name in _RATE}
    parts |= {"known controller": ~new[table.index], "new controller": new[table.index]}
    rows = []
    for by in ("model", *guesses.RIVALS, "interface limit"):
        rng = np.random.default_rng(seed)
        drawn = _guessed(by, others, wanted, rng)[:, table.index]
        seen = wanted.log_rate[table.index]
        for part, among in parts.items():
            where = np.asarray(among)
            told = {"set": "fresh", "guess": by, "part": part}
            rows.append(told | _scored(drawn[:, where], seen[where], table[where], rng))
    return pd.DataFrame(rows).round(3)


def _guessed(
    by: str, others: Ratings, wanted: Ratings, rng: np.random.Generator
) -> NDArray[np.float64]:
    if by == "interface limit":
        return -np.log(wanted.work.fixed_s[:, work.STATIONS.index("link")])[None]
    return guesses._guesser(by)(others, wanted, rng)


def _scored(
    drawn: NDArray[np.float64],
    seen: NDArray[np.float64],
    table: pd.DataFrame,
    rng: np.random.Generator,
) -> dict[str, float]:
    weight = table.weight.to_numpy()
    found = score(drawn, seen, weight)
    low, median, high = np.quantile(drawn, (0.05, 0.5, 0.95), axis=0)
    held = (low <= seen) & (seen <= high)
    sums = pd.DataFrame({"held": held * weight, "weight": weight}).groupby(table.line.to_numpy())
    by_line = sums.sum().to_numpy()
    picks = by_line[rng.integers(0, len(by_line), (_RESAMPLED, len(by_line)))].sum(1)
    ends = np.quantile(picks[:, 0] / picks[:, 1], (0.05, 0.95))
    return {
        "figures": len(seen),
        "lines": len(by_line),
        "rms": found.rms,
        "bias": float(np.average(median - seen, weights=weight)),
        "crps": found.crps,
        "cover_50": found.cover_50,
        "cover_90": found.cover_90,
        "cover_90_low": ends[0],
        "cover_90_high": ends[1],
        "held": int(held.sum()),
    }


def main() -> None:
    """Write the predicted speeds, or with "score" the scores, of lines that no fit has seen."""
    if sys.argv[1:] == ["score"]:
        kept = tables.first_scores().query("set != 'fresh'")
        both = pd.concat([kept, scores()]).astype(dict.fromkeys(_COUNTS, int))
        text = both.to_csv(index=False, lineterminator="\n")
        Path(str(tables.data_folder() / "first_scores.csv")).write_bytes(text.encode())
        return
    text = predictions().to_csv(index=False, float_format="%.10g", lineterminator="\n")
    Path(str(tables.data_folder() / "fresh_predictions.csv")).write_bytes(text.encode())
    print(hashlib.sha256(text.encode()).hexdigest())


if __name__ == "__main__":
    main()
