"""Speeds of lines that no fit has seen, predicted before their figures were entered.

``python -m flashwear_book.fresh`` writes ``data/fresh_predictions.csv`` and prints its SHA-256.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from flashwear import drives, predict
from flashwear.drives import Drive
from flashwear_book import tables

__all__ = ["made", "predictions"]

_DRAWS = 20_000
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
            cache=None if row.server else "assumed-dynamic",
            name=f"{row.line} {size}GB",
            channels=1,
            link_bytes_per_s=_RATE[row.interface],
            link_overhead_s=1e-7,
            queue_limit=128,
            map_cache_bytes=user // _MAP_UNIT * _ENTRY if row.dram else _HOST_MEMORY,
            enterprise=bool(row.server),
        )
    if row.flash.endswith("512gbit"):
        one = replace(one, blocks_per_plane=one.blocks_per_plane // 2)
    dies = 1 << (-(-user // one.raw_bytes) - 1).bit_length()
    named = {"controller": row.controller, "flash": row.flash, "line": row.line}
    return replace(one, dies=dies, channels=int(row.channels), user_bytes=user, **named)


def predictions() -> pd.DataFrame:
    """Return predicted speeds of all drives of :func:`made`, by the fit of all other lines.

    Returns
    -------
    pandas.DataFrame
        ``line``, ``capacity_gb``, ``test``, ``unit``, ``median``, and the ends of the intervals of
        50 and 90 %: ``low_50``, ``high_50``, ``low_90``, ``high_90``.
    """
    each = pd.concat(list(_predicted()), ignore_index=True)
    numbers = each.select_dtypes("float").columns
    each[numbers] = each[numbers].map(lambda number: float(f"{number:.4g}"))
    return each[["line", "capacity_gb", "test", "unit", *numbers]]


def _predicted() -> Iterator[pd.DataFrame]:
    for (line, size), drive in made().items():
        table = predict.speeds(drive, draws=_DRAWS).drop("steady write amplification")
        yield table.drop(columns="limit").reset_index().assign(line=line, capacity_gb=size)


def main() -> None:
    """Write the table of predicted speeds of the lines that no fit has seen."""
    text = predictions().to_csv(index=False, float_format="%.10g", lineterminator="\n")
    Path(str(tables.data_folder() / "fresh_predictions.csv")).write_bytes(text.encode())
    print(hashlib.sha256(text.encode()).hexdigest())


if __name__ == "__main__":
    main()
