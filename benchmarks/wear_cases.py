"""Predict the wear of public cases in data/wear_cases.csv, and score it where outcomes are known.

Rules, written before any outcome was read. *Described* is asked by its description alone. Refused
is, the first that holds: a spinning disk, SD card, eMMC or cloud's volume (no SSD); a first sync or
plotting, which is no daily rate (first sync); a program that ``flashwear choose`` does not name,
never guessed by its kind (program not known); one that it names, or whose database it names,
without rows a second or how many (amount not told). A part, plug-in, index or second layer of a
program goes with it; a kind of machine counts, as one, where no program is named. What is not told
stays at the load's own band. *Told* are host TB: held against the rating of the model and size, and
against host bytes to 100 % of its line's gauge where choose knows it; refused without a rating.

``--write`` keeps the predictions. The table's are scored by data/wear_outcomes.csv if it is there.
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd

from flashwear import choose

CASES = Path(__file__).parents[1] / "data" / "wear_cases.csv"
BAND = ["low_gb_day", "middle_gb_day", "high_gb_day"]
PERCENT = ["predicted_percent", "predicted_gauge_percent", "predicted_low", "predicted_high"]


def predicted(case: pd.Series) -> dict[str, str]:
    if case.kind == "described" and case.refused:
        return {}
    if case.kind == "described":
        command = [sys.executable, "-m", "flashwear", "choose", "--json", *case.options.split()]
        answer = subprocess.run(command, stdout=subprocess.PIPE, check=False).stdout
        days = json.loads(answer)["bytes_per_day"]
        return {name: f"{days[name.partition('_')[0]] / 1e9:.4g}" for name in BAND}
    if not case.capacity_gb:
        return {"refused": "capacity not told"}
    model = re.sub(r" ?\(.*?\)", "", case.drive)
    (drive,) = choose.candidates(f"{model} {case.capacity_gb} GB")
    if not drive.rated_bytes:
        return {"refused": "rating not known"}
    host = float(case.told_host_tb) * 1e12
    found = choose.choose(choose.Needs(bytes_per_day=choose.between(host)), [drive])
    percents = [100 * host / drive.rated_bytes]
    if years := found.ranked[0].gauge_years:
        full = [365 * found.bytes_per_day.middle * one for one in years]  # host bytes to 100 %
        percents += [100 * host / full[at] for at in (1, 2, 0)]
    return {"refused": "", **{n: f"{one:.4g}" for n, one in zip(PERCENT, percents, strict=False)}}


def score(cases: pd.DataFrame, outcomes: pd.DataFrame) -> None:
    def near(said: pd.Series, seen: pd.Series, factor: float) -> str:
        return f"{said.between(seen / factor, seen * factor).sum()} within a factor of {factor:g}"

    numbers = cases.assign(**cases[BAND + PERCENT].apply(pd.to_numeric))
    both = numbers.merge(outcomes, on="id")
    days = both[both.kind == "described"].dropna(subset=["outcome_gb_per_day", *BAND])
    rival = days.assign(**numbers[BAND].median())
    for name, said in ("described", days), ("rival, one band for all", rival):
        low, middle, high = (said[column] for column in BAND)
        seen = said.outcome_gb_per_day
        print(f"{name}: of {len(said)} cases {seen.between(low, high).sum()} inside the 90 % band;",
              f"middle: {near(middle, seen, 3)}, {near(middle, seen, 10)}")  # fmt: skip
    for name in PERCENT[:2]:
        said = both[both.kind == "told"].dropna(subset=["outcome_percent_used", name])
        print(f"{name}: of {len(said)} cases", near(said[name], said.outcome_percent_used, 1.5))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="keep the predictions in the table")
    kept = pd.read_csv(CASES, dtype=str, keep_default_na=False)
    blank = dict.fromkeys(BAND + PERCENT, "")
    now = pd.DataFrame({**case, **blank, **predicted(case)} for _, case in kept.iterrows())
    print(now[["id", "options", "refused", *BAND, *PERCENT]].to_string(index=False))
    print("differ from the table:", *now.id[(now != kept).any(axis=1)])
    if parser.parse_args().write:
        now.to_csv(CASES, index=False, lineterminator="\n")
        kept = now
    print(kept.value_counts(["kind", "refused"], sort=False).to_string())
    print("share refused:", (kept.refused != "").groupby(kept.kind).mean().round(3).to_dict())
    if (outcomes := CASES.with_name("wear_outcomes.csv")).exists():
        score(kept, pd.read_csv(outcomes))


if __name__ == "__main__":
    main()
