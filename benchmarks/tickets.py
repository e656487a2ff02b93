"""Make data/tickets.csv: the wear of drives in a data centre at their trouble ticket, by model.

``python benchmarks/tickets.py FILE`` reads ssd_failure_tag.csv.zip of alibaba-edu/dcbrain
(Apache-2.0) and writes the table to ``data/``. No ticket is kept. A second on one core.
"""

import argparse
import hashlib
import zipfile
from pathlib import Path

import pandas as pd

DATA = Path(__file__).parents[1] / "data"
HOURS_PER_YEAR = 24 * 365


def by_model(tickets: pd.DataFrame) -> pd.DataFrame:
    """Return the table: one row for each model, and one for all."""
    together = pd.concat([tickets, tickets.assign(model="all")])
    groups = together.groupby("model")
    wear, years = groups.n_wearout, groups.r_9
    table = pd.DataFrame({
        "tickets": groups.size(), "with_wear": wear.count(), "left_p10": wear.quantile(0.1),
        "left_p50": wear.median(), "left_p90": wear.quantile(0.9),
        "share_fresh": wear.apply(lambda left: (left.dropna() >= 90).mean()).round(4),
        "share_worn": wear.apply(lambda left: (left.dropna() <= 1).mean()).round(4),
        "years_p50": (years.median() / HOURS_PER_YEAR).round(2)})  # fmt: skip
    return table.reset_index()


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, help="ssd_failure_tag.csv.zip")
    file = parser.parse_args().file
    columns = ["model", "n_wearout", "r_9"]
    with zipfile.ZipFile(file) as archive, archive.open("ssd_failure_tag.csv") as tickets:
        table = by_model(pd.read_csv(tickets, usecols=columns))
    table["sha256"] = hashlib.sha256(file.read_bytes()).hexdigest()
    table.to_csv(DATA / "tickets.csv", index=False, lineterminator="\n")
    print(table.drop(columns="sha256").to_string(index=False))


if __name__ == "__main__":
    main()
