"""The ledger of claims and the table of drives beside what the data package asks of them."""

from pathlib import Path

import pandas as pd
import pytest

DATA = Path(__file__).parents[2] / "data"


def _table(name):
    """All cells as text, an empty cell as the empty string."""
    return pd.read_csv(DATA / f"{name}.csv", dtype=str, keep_default_na=False)


CLAIMS = _table("claims")


def test_ids_capacities_and_tolerances_are_of_the_form_agreed_on():
    assert (CLAIMS.id.str[:2] == CLAIMS.document).all()
    for column in ("statement", "quantity"):
        assert not CLAIMS[column].str.contains(r'["“”«»]').any(), column
    drives = _table("drives")
    assert (drives[drives.kind != "drive"].capacity_gb == "").all()
    real = drives[drives.kind == "drive"]
    assert (real.maker != "").all()
    offered = real[~real.note.str.startswith("no offer")]
    assert (offered.capacity_gb.astype(float) > 0).all()
    rows = CLAIMS[(CLAIMS.tolerance != "") & ~CLAIMS.check.isin(SIMULATED)]
    assert set(rows.check) == {"arithmetic", "closed form", "pricing arithmetic"}
    assert rows.stated.str.fullmatch(r"\d+(\.\d+)?K?").all()
    assert set(rows.tolerance.astype(float)) == {0.5, 0.05, 0.005}


@pytest.mark.parametrize("table", ["prices_2014", "prices_2016"])
def test_capacities_agree_with_the_price_tables(table):
    prices = _table(table).set_index("drive")
    capacity = _table("drives").set_index("drive").capacity_gb.reindex(prices.index)
    assert (capacity.astype(float) == prices.capacity_gb.astype(float)).all()


SIMULATED = {"FTL simulation", "queueing simulation"}
