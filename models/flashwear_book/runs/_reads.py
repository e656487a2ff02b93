"""Data from tables that studies read, for the hashes of studies."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from flashwear import drives
from flashwear_book import tables

Grid = Mapping[str, Sequence[Any]]


def parameters(
    names: Iterable[str], *columns: str, calibrated: bool = True
) -> dict[str, dict[str, Any]]:
    """Return `columns` of :func:`flashwear.drives.parameters`, by name of drive and parameter."""
    read = {name: drives.parameters(name, calibrated=calibrated) for name in names}
    return {
        name: table.set_index("parameter")[list(columns)].to_dict("index")
        for name, table in read.items()
    }


def modelled(grid: Grid) -> dict[str, dict[str, Any]]:
    """Return, by drive and name, the parameters of the drives that a study's `grid` names."""
    return parameters(grid["drive"], "value")


def fitted(grid: Grid) -> list[Any]:
    """Return the data that the fit of speeds reads, all speeds and drives; `grid` is not used.

    Drives without a speed matter too, by printed and usual times of their flash.
    """
    return [
        tables.speeds().astype(object).fillna("").to_numpy().tolist(),
        parameters(drives.names(), "value", "origin", calibrated=False),
    ]
