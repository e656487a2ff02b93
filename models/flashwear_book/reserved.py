"""Speeds predicted for drives of reserved lines, whose real speeds have not been looked up here.

``python -m flashwear_book.reserved`` writes them to ``data/reserved_predictions.csv`` and prints
the SHA-256 of the file, which ``datapackage.json`` has.
"""

import hashlib
import re
from pathlib import Path

import pandas as pd

from flashwear import drives, predict
from flashwear_book import tables

__all__ = ["predictions"]

_DRAWS = 20_000


def predictions() -> pd.DataFrame:
    """Return predicted speeds of drives whose real speeds are in no fit, for a later check.

    Returns
    -------
    pandas.DataFrame
        ``line``, ``drive``, ``test``, ``unit``, ``median``, and the ends of the intervals of 50 and
        90 %: ``low_50``, ``high_50``, ``low_90``, ``high_90``.
    """
    names = {key: drives.load(key, calibrated=False).name for key in drives.names()}
    found = []
    for line in tables.line_sets().query("set == 'reserved'").line:
        for key, name in names.items():
            if re.fullmatch(rf"{re.escape(line)} [\d.]+[GT]B", name):
                table = predict.speeds(key, draws=_DRAWS).drop("steady write amplification")
                found.append(table.drop(columns="limit").reset_index().assign(line=line, drive=key))
    each = pd.concat(found, ignore_index=True)
    numbers = each.select_dtypes("number").columns
    each[numbers] = each[numbers].map(lambda number: float(f"{number:.4g}"))
    return each[["line", "drive", "test", "unit", *numbers]]


def main() -> None:
    """Write the table of predicted speeds of drives whose real speeds are left out of all fits."""
    text = predictions().to_csv(index=False, float_format="%.10g", lineterminator="\n")
    Path(str(tables.data_folder() / "reserved_predictions.csv")).write_bytes(text.encode())
    print(hashlib.sha256(text.encode()).hexdigest())


if __name__ == "__main__":
    main()
