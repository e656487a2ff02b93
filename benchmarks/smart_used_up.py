"""Count in a collection of SMART reports what FAILED means where nothing else is wrong.

Of the drives that say FAILED and show no fault beside their wear, prints for each line of
data/smart_used_up.csv how many there are and how many have used up their rated life, and for all
other models the same. Ends with 1 where the table differs, or has a line of fewer than three
drives, or one of which not all are used up.
"""

import argparse
import sys
from collections import Counter

from flashwear import smart
from flashwear.smart._archive import files
from flashwear.smart._findings import only_failed
from flashwear.smart._read import decoded, states
from flashwear.smart._rules import rows, used_up

LEAST = 3


def failed_alone(collection: str):
    """Yield the drives of a collection that say FAILED and show nothing else."""
    for _, content in files(collection):
        if b"FAILED!" not in content:
            continue
        for ((report, *_),) in zip(states(decoded(content))[0]):
            found = {
                "failed" if finding.word.startswith("failed_") else finding.word
                for finding in smart.findings(report)
            }
            if only_failed(report, found):
                yield report


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("collection", help="a folder or a tar archive of reports")
    failed, used = Counter(), Counter()
    for report in failed_alone(parser.parse_args().collection):
        line = used_up(report.model)
        name = line.line if line else f"({report.model})"
        failed[name] += 1
        used[name] += (report.percent_used or 0) >= 100
    wrong = 0
    for name in sorted(failed):
        print(f"{name:40} {failed[name]:3} say FAILED, {used[name]:3} of them used up")
    for row in rows("smart_used_up"):
        here = failed[row["line"]], used[row["line"]]
        kept = int(row["failed"]), int(row["used_up"])
        if here != kept or here[0] < LEAST or here[0] != here[1]:
            print(f"{row['line']}: {here} here, {kept} in the table")
            wrong = 1
    return wrong


if __name__ == "__main__":
    sys.exit(main())
