"""What the studies read of the tables, by their grids, for their hashes."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from flashwear import drives, tables

Grid = Mapping[str, Sequence[Any]]

_BANDED = ("value", "origin", "low", "high")


def _parameters(
    names: Iterable[str], *columns: str, calibrated: bool = True
) -> dict[str, dict[str, Any]]:
    read = {name: drives.parameters(name, calibrated=calibrated) for name in names}
    return {
        name: table.set_index("parameter")[list(columns)].to_dict("index")
        for name, table in read.items()
    }


def modelled(grid: Grid) -> dict[str, dict[str, Any]]:
    """Return the parameters of the drives in a grid."""
    return _parameters(grid["drive"], "value")


def prices(grid: Grid) -> list[list[Any]]:
    """Return what a price is fitted on in the price tables."""
    return [
        table[["model", "capacity_gb", "price_usd"]].to_numpy().tolist()
        for table in (tables.prices_2014(), tables.prices_2016())
    ]


def storage_benches(grid: Grid) -> list[Any]:
    """Return the figures of the storage benches, and the parameters of the drives in a grid."""
    columns = ["bench", "attribute", "value", "low", "high", "origin"]
    return [tables.benches()[columns].to_numpy().tolist(), modelled(grid)]


def speeds(grid: Grid) -> list[Any]:
    """Return the figures of speed, which are frozen, and the parameters of the drives they tell."""
    figures = tables.speeds()
    told = set(figures.drive)
    keys: dict[str, str] = {}
    for key in drives.names():
        name = drives.load(key, calibrated=False).name
        if name in told:
            keys.setdefault(name, key)
    return [
        figures.astype(object).fillna("").to_numpy().tolist(),
        tables.frozen_lines().line.tolist(),
        _parameters(keys.values(), "value", "origin", calibrated=False),
    ]


def banded(grid: Grid) -> list[Any]:
    """Return the parameters of the drives in a grid, with bands, and what their times come from."""
    return [_parameters(grid["drive"], *_BANDED), *speeds(grid)]
