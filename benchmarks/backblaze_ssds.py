"""Make data/backblaze_ssds.csv: drives, days and failures of Backblaze's SSDs, by model.

``python benchmarks/backblaze_ssds.py CLONE`` reads a clone of zachmayer/backblaze_analysis
(Apache-2.0), whose tables were made from all daily tables of Backblaze up to their date. A second.
"""

import argparse
import io
import subprocess
from pathlib import Path

import pandas as pd

DATA = Path(__file__).parents[1] / "data"
COMMITS = {
    "2021-11-23": "5d1d34aa026b400f879084a39f7b4303b483f06a",
    "2022-11-18": "60b669abd46cc3cd038fc3e3e8244744e878b9c8",
    "2023-06-26": "fa02f5cbf56c2b4568fa9f39622201c031189c76",
}
SSD = r"\bssd\b|dellboss|ssdsc|^mtfd|^ct250mx500|wds250g2b0a"


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("clone", type=Path)
    clone = parser.parse_args().clone
    parts = []
    for date, commit in COMMITS.items():
        command = ["git", "-C", str(clone), "show", f"{commit}:results/survival_results.csv"]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        rows = pd.read_csv(io.StringIO(text)).sort_values("model")
        rows = rows[rows["model"].str.contains(SSD)].assign(date=date, commit=commit)
        parts.append(rows.rename(columns={"n_unique": "drives", "failed": "failures"}))
    table = pd.concat(parts)[["model", "date", "drives", "drive_days", "failures", "commit"]]
    table.to_csv(DATA / "backblaze_ssds.csv", index=False, lineterminator="\n")
    print(table.drop(columns="commit").to_string(index=False))


if __name__ == "__main__":
    main()
