"""Make data/savings.csv: what changes of settings were foretold to save, and what they saved.

``python benchmarks/savings.py --foretell`` counts each setting before its change, as root on loop
devices (:mod:`databases`), and writes down what :func:`flashwear.host.savings` says of the change
from the engine's own counters. ``--change`` makes the changes and counts again. Rows that were
counted stay as they are.
"""

import argparse

import pandas as pd
from databases import DATA, Setting, counted, settings

from flashwear import host

KEPT = DATA / "savings.csv"


def bytes_a_row(setting: Setting) -> tuple[float, tuple[str, str]]:
    """Return the bytes that reached the devices for each row, and what the engine told.

    Of three runs these are those of the middle one.
    """
    runs = [counted(setting, seed) for seed in range(3)]
    middle = sorted(runs, key=lambda run: run.log_bytes + run.data_bytes)[1]
    changed = setting.rows_per_commit * setting.commits
    return (middle.log_bytes + middle.data_bytes) / changed, middle.texts


def foretold(change: str, setting: Setting, texts: tuple[str, str]) -> host.Saving:
    below = setting.file_system if setting.engine == "RocksDB" else None
    made = host.savings(host.engine_writes(texts[1], texts[0], file_system=below))
    (saving,) = (one for one in made if one.change == change)
    return saving


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    kind = parser.add_mutually_exclusive_group(required=True)
    kind.add_argument("--foretell", action="store_true", help="count before, and foretell")
    kind.add_argument("--change", action="store_true", help="make the changes, and count")
    given = parser.parse_args()
    table, before = pd.read_csv(KEPT), {}
    for number, row in table.iterrows():
        if row.bytes_after > 0 or (given.change and not row.middle > 0):
            continue
        if given.foretell:
            if row.before not in before:
                before[row.before] = bytes_a_row(*settings(row.before))
            count, texts = before[row.before]
            saving = foretold(row.change, *settings(row.before), texts)
            table.loc[number, ["bytes_before", "low", "middle", "high"]] = (
                count, saving.low, saving.middle, saving.high,
            )  # fmt: skip
        else:
            table.loc[number, "bytes_after"], _ = bytes_a_row(*settings(row.after))
        print(*table.loc[number], sep=" | ", flush=True)
        table.round(4).to_csv(KEPT, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
