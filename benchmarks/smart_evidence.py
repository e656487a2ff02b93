"""Compute from a collection of SMART reports what the rules of the reader rest on.

Prints for each family how far erases times user capacity lie from the flash writes that the drive
counts: where no drive is more than 5 % above, and 25 or more count both, that figure bounds the
flash writes from below, and data/smart_families.csv must hold their number in `erase_bound`. Prints
too which share of the drives has replaced 100 blocks or more. Ends with 1 where the table differs.
"""

import argparse
import sys

import pandas as pd

from flashwear import smart
from flashwear.smart._rules import rows

ABOVE, LEAST_DRIVES, LEAST_ERASES = 1.05, 25, 20
DOUBTS = "host_|nand_|erase_|saturated"


def bounds(fleet: pd.DataFrame) -> pd.DataFrame:
    """Return drives that count both, and those above, by family."""
    sound = ~fleet["doubts"].fillna("").str.contains(DOUBTS)
    both = fleet[sound & fleet["waf"].notna() & (fleet["average_erases"] >= LEAST_ERASES)]
    erased = both["average_erases"] * both["capacity_bytes"] / both["host_bytes_written"]
    above = (erased / both["waf"] > ABOVE).groupby(both["family"]).sum()
    return pd.DataFrame({"drives": both.groupby("family").size(), "above": above})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("collection", help="a folder or a tar archive of reports")
    fleet = smart.fleet(parser.parse_args().collection, progress=False)

    found = bounds(fleet)
    print(found.sort_values("drives", ascending=False).to_string())
    blocks = fleet["reallocated_blocks"].dropna()
    print(f"100 blocks or more replaced: {(blocks >= 100).mean():.2%} of {len(blocks):,} drives")

    bound = found[(found["drives"] >= LEAST_DRIVES) & (found["above"] == 0)]["drives"].to_dict()
    kept = {
        row["family"]: int(row["erase_bound"])
        for row in rows("smart_families")
        if row["erase_bound"]
    }
    for family in sorted(bound.keys() | kept.keys()):
        if bound.get(family) != kept.get(family):
            print(f"{family}: {bound.get(family)} here, {kept.get(family)} in the table")
    return int(bound != kept)


if __name__ == "__main__":
    sys.exit(main())
