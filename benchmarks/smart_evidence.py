"""Compute from a collection of SMART reports what the rules of the reader rest on.

Prints for each family how far erases times user capacity lie from the flash writes that the drive
counts: where no drive is more than 5 % above, and 25 or more count both, that figure bounds the
flash writes from below, and data/smart_families.csv must hold their number in `erase_bound`. Prints
too which share of the drives has replaced 100 blocks or more, and how many lie beyond the limits of
the findings: the reasons of data/smart_findings.csv must say so. Ends with 1 where a table differs.
"""

import argparse
import io
import sys
from collections.abc import Iterator

import pandas as pd

from flashwear import smart
from flashwear.smart import _archive, _findings
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


def limits(collection: str) -> Iterator[tuple[str, str]]:
    """Yield a finding, and how many drives of a collection lie beyond its limit."""
    link, hot, both = [], [], []
    for _, content in _archive.files(collection):
        try:
            report = smart.read(io.BytesIO(content)) if isinstance(content, bytes) else None
        except smart.Unreadable:
            continue
        if report is None:
            continue
        health, hours = report.health, report.power_on_hours
        if report.kind == "ata":
            link.append(_findings.fault_counts(report)["interface_errors"])
        minutes = health.get("critical_comp_time", 0) + health.get("warning_temp_time", 0)
        minutes = minutes or report.statistics.get("over_temperature_minutes", 0)
        if minutes and hours:
            hot.append(minutes > _findings._HOT_SHARE * 60 * hours)
        written, rated, used = report.host_bytes_written, report.rated_bytes, report.percent_used
        if written and rated and used is not None:
            both.append((used, 100 * written / rated))
    for finding, least in (("interface_errors", "_FEW"), ("interface_errors_rise", "_MANY")):
        least = getattr(_findings, f"{least}_ON_LINK")
        above = sum(count >= least for count in link)
        yield finding, f"{above:,} of {len(link):,} SATA drives have {least:,} or more"
    yield "overheated", f"{sum(hot):,} of {len(hot):,} drives that were too hot at some time"
    worn = [(used, share) for used, share in both if used >= _findings.WORN]
    apart = sum(used > _findings._TIMES_APART * share for used, share in worn)
    yield "contradiction", f"{apart:,} of {len(both):,} drives with both counts"
    ended = [used for used, share in both if share > 100]
    below = sum(used < _findings._FAR for used in ended)
    yield "past_rating_alone", f"{below:,} of {len(ended):,} drives past their rating"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("collection", help="a folder or a tar archive of reports")
    collection = parser.parse_args().collection
    fleet = smart.fleet(collection, progress=False)

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
    same = bound == kept
    for finding, counted in limits(collection):
        told = counted in smart.FINDINGS[finding].reason
        print(f"{finding}: {counted}" + ("" if told else ", not in the table"))
        same &= told
    return int(not same)


if __name__ == "__main__":
    sys.exit(main())
