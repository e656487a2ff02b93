"""Summarise a collection of reports in the tables of the chapter on the field.

``python -m flashwear_book.field.summary NAME=PATH ... -o data`` reads one or more collections (a
folder or an archive each, see :func:`flashwear.smart.fleet`) and writes ``field_models.csv``,
``field_fits.csv``, ``field_bins.csv``, ``field_distribution.csv`` and ``field_ends.csv``: counts,
quantiles and fits, no single report. Which models make a line is in ``field_lines.csv``; the
columns are described in ``data/datapackage.json``. Needs ``pip install "flashwear[field]"``.
"""

from __future__ import annotations

import argparse
import io
import math
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from flashwear.smart import fleet
from flashwear.smart._rules import DOCUMENTS
from flashwear_book import tables
from flashwear_book.field import infer
from flashwear_book.field._ends import ends
from flashwear_book.field._fits import bins, distribution, fits, spread

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["TABLES", "bins", "distribution", "ends", "fits", "load", "main", "models", "prepare"]

TABLES = ("field_lines", "field_models", "field_fits", "field_bins", "field_distribution",
          "field_ends")  # fmt: skip
"""The tables that :func:`load` knows."""

_GB, _TB, _GIB = 1e9, 1e12, 2**30
_LEAST_HOST = _TB  # of host writes, for a ratio to mean something
_LEAST_DRIVES = 10  # for a model outside the reviews to get a row of its own
_LEAST_ERASES = 60  # the counter is cut off to a whole number: 1.7 % at most
_LEAST_USED = 3  # percent
_DOUBTS = {
    "host_unit_doubtful",
    "host_rate_implausible",
    "nand_rate_implausible",
    "host_devstat_disagree",
    "unknown_family",  # units by names, which are wrong on the commonest of these drives
}
_ERASE_DOUBTS = {"erase_counter_wrapped_suspected", "erase_counter_inconsistent"}
_STOPPED = {"202_saturated", "percent_used_255", "177_value_floor", "177_saturated_8191"}


def load(name: str) -> pd.DataFrame:
    """Load one of the committed tables of field data.

    Parameters
    ----------
    name : str
        One of :data:`TABLES`.

    Returns
    -------
    pandas.DataFrame
        Columns as described in ``data/datapackage.json``; missing cells are NaN.

    Raises
    ------
    ValueError
        If there is no such table.

    Examples
    --------
    >>> "M500DC 800GB" in set(load("field_lines")["line"])
    True
    """
    import pandas as pd

    if name not in TABLES:
        raise ValueError(f"name must be one of {', '.join(TABLES)}, got {name!r}")
    text = (tables.data_folder() / f"{name}.csv").read_text(encoding="utf-8")
    return pd.read_csv(io.StringIO(text))


def prepare(reports: pd.DataFrame) -> pd.DataFrame:
    """Add product line, cluster, daily writes and trusted write amplification to a table of drives.

    Parameters
    ----------
    reports : pandas.DataFrame
        Table of reports, from :func:`flashwear.smart.fleet`; a column ``collection`` is kept.

    Returns
    -------
    pandas.DataFrame
        The solid-state drives of all reports that could be read, with the added columns line, group
        ("review" for drives of the reviewed lines), cluster (label of drives of one host), dwpd
        (drive writes per day), fills (drive writes so far), host_per_day and nand_per_day (bytes),
        write_bytes (mean size of a host write), ratio (the trusted write amplification) and
        ratio_kind, what the ratio is of: bytes; unverified (bytes whose unit is a guess); pages; or
        erases (times user capacity, over host bytes, which is too large if blocks are erased before
        they are full).
    """
    disks = reports["doubts"].fillna("").str.contains("rotating")
    readable = reports["error"].isna() & reports["model"].notna()
    drives = reports[readable & ~disks].reset_index(drop=True)
    lines = load("field_lines")
    drives["line"] = ""
    drives["group"] = ""
    names = drives["model"].unique()
    for row in lines.itertuples():
        fits_line = {name for name in names if re.fullmatch(row.models, name)}
        member = drives["model"].isin(fits_line)
        drives.loc[member, "line"] = row.line
        drives.loc[member, "group"] = row.group

    drives["words"] = [frozenset(str(text).split()) for text in drives["doubts"].fillna("")]
    drives["cluster"] = infer.twins(drives["model"], drives["power_on_hours"])
    days = (drives["power_on_hours"] / 24).where(drives["power_on_hours"] >= 24)
    host, nand = drives["host_bytes_written"], drives["nand_bytes_written"]
    drives["host_per_day"], drives["nand_per_day"] = host / days, nand / days
    drives["fills"] = host / drives["capacity_bytes"]
    drives["dwpd"] = drives["fills"] / days
    drives["write_bytes"] = (host / drives["write_commands"]).where(drives["write_commands"] > 0)

    sound = (host >= _LEAST_HOST) & ~_any(drives, _DOUBTS)
    guessed = _any(drives, {"nand_unit_unverified"})
    erased = drives["average_erases"] * drives["capacity_bytes"] / host
    counted = drives["average_erases"].notna() & ~_any(drives, _ERASE_DOUBTS)
    drives["ratio"], drives["ratio_kind"] = np.nan, ""
    for kind, figure, good in (
        ("erases", erased, counted & (drives["average_erases"] >= 20)),
        ("pages", drives["waf_pages"], drives["waf_pages"].notna()),
        ("unverified", drives["waf"], drives["waf"].notna() & guessed),
        ("bytes", drives["waf"], drives["waf"].notna() & ~guessed),
    ):
        drives.loc[sound & good, "ratio"] = figure[sound & good]
        drives.loc[sound & good, "ratio_kind"] = kind
    return drives


def models(drives: pd.DataFrame) -> pd.DataFrame:
    """Return medians and quantiles by product line and model; drives of one host count once.

    Parameters
    ----------
    drives : pandas.DataFrame
        Table of drives, from :func:`prepare`.

    Returns
    -------
    pandas.DataFrame
        Rows of ``field_models.csv``; the model "all" stands for a whole line. All models of the
        reviews have a row, other models if they have 10 drives or more. Columns are numbers of
        drives, and quantiles such as ``waf_p50`` of write amplification (``waf``), drive writes per
        day (``dwpd``), ``hours`` under power, host writes (``host_tb``) and percent of life
        ``used``.
    """
    import pandas as pd

    rows = []
    order = {name: place for place, name in enumerate(load("field_lines")["line"])}
    for line, group in drives[drives["line"] != ""].groupby("line"):
        rows.append(_model_row(str(line), "all", group))
    for (line, model), group in drives.groupby(["line", "model"]):
        if len(group) >= _LEAST_DRIVES or (group["group"] == "review").all():
            rows.append(_model_row(str(line) or "none", str(model), group))
    table = pd.DataFrame(rows)
    place = table["line"].map(order).fillna(len(order))
    return (
        table.assign(place=place, alone=table["model"] != "all")
        .sort_values(["place", "line", "alone", "model"], kind="stable")
        .drop(columns=["place", "alone"])
        .reset_index(drop=True)
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that makes the summary tables of field data from collections of reports.

    Parameters
    ----------
    arguments : sequence of str, optional
        The words after the command; by default those of the process.

    Returns
    -------
    int
        0, or 2 when a collection cannot be read or an argument is wrong.

    Examples
    --------
    >>> main(["nowhere"])
    2
    """
    parser = argparse.ArgumentParser(
        prog="python -m flashwear_book.field.summary", description=__doc__
    )
    parser.add_argument("collections", nargs="+", metavar="NAME=PATH")
    parser.add_argument("-o", "--output", default="data", help="folder (default: data)")
    parser.add_argument("-j", "--jobs", type=int, help="processes (default: one per core)")
    options = parser.parse_args(arguments)
    try:
        drives = prepare(_read(options.collections, options.jobs))
        for table in (models, fits, bins, distribution, ends):
            path = Path(options.output) / f"field_{table.__name__}.csv"
            path.write_text(as_csv(table(drives)), encoding="utf-8")
    except (ImportError, OSError, ValueError) as error:
        print(f"summary: {error}", file=sys.stderr)
        return 2
    return 0


def as_csv(table: pd.DataFrame) -> str:
    """Return a table as CSV text; fractions have four significant digits and no exponents."""
    shown = table.map(_cell)
    return str(shown.to_csv(index=False, lineterminator="\n"))


def _read(collections: Sequence[str], jobs: int | None) -> pd.DataFrame:
    import pandas as pd

    parts = []
    for word in collections:
        name, equals, path = word.partition("=")
        if not (name and equals and path):
            raise ValueError(f"collections must be NAME=PATH, got {word!r}")
        parts.append(fleet(path, jobs).assign(collection=name))
    return pd.concat(parts, ignore_index=True)


def _cell(value: Any) -> Any:
    if not isinstance(value, float):
        return value
    if not math.isfinite(value):
        return ""
    text = f"{float(f'{value:.4g}'):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _any(drives: pd.DataFrame, words: set[str]) -> pd.Series[bool]:
    import pandas as pd

    return pd.Series([bool(found & words) for found in drives["words"]], index=drives.index)


def _model_row(line: str, model: str, group: pd.DataFrame) -> dict[str, Any]:
    cluster = group["cluster"]
    capacity = group["capacity_bytes"]
    one_size = capacity.max() <= 1.2 * capacity.min()
    row: dict[str, Any] = {
        "line": line,
        "model": model,
        "collection": " + ".join(sorted(group["collection"].unique())),
        "capacity_gb": capacity.median() / _GB if one_size else math.nan,
        "drives": len(group),
        "clusters": cluster.nunique(),
        "flagged": int(group["words"].astype(bool).sum()),
    }
    row |= dict(_amplification(group))
    row |= spread("dwpd", group["dwpd"], cluster)
    row |= spread("hours", group["power_on_hours"], cluster)
    row |= spread("host_tb", group["host_bytes_written"] / _TB, cluster)
    row |= spread("used", group["percent_used"], cluster)
    row["used_max"] = group["percent_used"].max()
    row |= _cycles(group, one_size)
    row |= _raw(group, one_size)
    return row | _health(group)


def _amplification(group: pd.DataFrame) -> Iterator[tuple[str, Any]]:
    kinds = group["ratio_kind"]
    kind = next(
        (kind for kind in ("bytes", "unverified", "pages", "erases") if (kinds == kind).any()), ""
    )
    trusted = group[kinds == kind] if kind else group.iloc[:0]
    yield "waf_kind", kind
    yield "waf_drives", len(trusted)
    yield "waf_clusters", trusted["cluster"].nunique()
    yield from spread("waf", trusted["ratio"], trusted["cluster"]).items()
    median = infer.interval(lambda label, ratio: float(infer.quantiles(ratio, label, 0.5)),
                            trusted["cluster"], trusted["ratio"], resamples=399)  # fmt: skip
    yield "waf_low", median.low
    yield "waf_high", median.high
    host = trusted["host_bytes_written"].sum()
    by_bytes = kind in ("bytes", "unverified") and host > 0
    yield "waf_total", trusted["nand_bytes_written"].sum() / host if by_bytes else math.nan


def _cycles(group: pd.DataFrame, one_size: bool) -> dict[str, float]:
    good = group[
        group["average_erases"].notna()
        & (group["percent_used"] >= _LEAST_USED)
        & ~_any(group, _STOPPED | _ERASE_DOUBTS)
    ]
    # a share of life below 3 % still bounds the rating, if nothing better is there
    if good.empty:
        good = group[group["average_erases"].notna() & (group["percent_used"] >= 1)]
    if good.empty or not one_size:
        return {"cycles_low": math.nan, "cycles_high": math.nan, "cycles_agree": 0, "cycles_of": 0}
    found = infer.meeting(*infer.rated_cycles(good["average_erases"], good["percent_used"]))
    return {"cycles_low": found.low, "cycles_high": found.high, "cycles_agree": found.drives,
            "cycles_of": len(good)}  # fmt: skip


def _raw(group: pd.DataFrame, one_size: bool) -> dict[str, float]:
    good = group[
        group["nand_bytes_written"].notna()
        & (group["average_erases"] >= _LEAST_ERASES)
        & ~_any(group, _ERASE_DOUBTS)
    ]
    if not one_size:
        good = good.iloc[:0]
    low, high = infer.raw_capacity(good["nand_bytes_written"], good["average_erases"])
    middle = (np.asarray(low) + np.asarray(high)) / 2 / _GIB
    return {"raw_drives": len(good)} | spread("raw_gib", middle, good["cluster"])


def _health(group: pd.DataFrame) -> dict[str, float]:
    past = group["percent_used"] >= 100
    failed = group["passed"] == False  # noqa: E712
    rated = group["rated_bytes"].where(group["rated_rule"] == DOCUMENTS)
    over = group["host_bytes_written"] > rated
    one_rating = bool((rated == rated.iloc[0]).all())
    return {"past_100": int(past.sum()), "past_100_passed": int((past & ~failed).sum()),
            "failed": int(failed.sum()),
            "failed_past_99": int((failed & (group["percent_used"] >= 99)).sum()),
            "failed_reallocated": int((failed & (group["reallocated_blocks"] > 10)).sum()),
            "rated_tb": rated.iloc[0] / _TB if one_rating else math.nan,
            "over_rating": int(over.sum()), "over_rating_passed": int((over & ~failed).sum()),
            "past_100_below_rating": int((past & rated.notna() & ~over).sum())}  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
