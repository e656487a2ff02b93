"""The ledger of claims and the table of drives: well formed, and true to the shared sources."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).parents[2]
DATA = ROOT / "data"
SOURCE = ROOT.parent / "shared" / "source"
needs_source = pytest.mark.skipif(
    not SOURCE.is_dir(), reason="the source documents are not beside the project"
)

TOPICS = {"consistency", "endurance", "methodology", "mixed", "nand-physics", "over-provisioning",
          "power", "power-loss", "prediction", "price", "queue-depth", "random", "sequential",
          "slc-cache", "spec", "storage-bench", "trim"}  # fmt: skip
CHECKS = {"FTL simulation", "arithmetic", "closed form", "field data", "not checkable",
          "pricing arithmetic", "qualitative ordering", "queueing simulation"}  # fmt: skip


def _table(path: Path) -> pd.DataFrame:
    """All cells as text, an empty cell as the empty string."""
    return pd.read_csv(path, dtype=str, keep_default_na=False)


@pytest.fixture(scope="module")
def claims() -> pd.DataFrame:
    return _table(DATA / "claims.csv")


@pytest.fixture(scope="module")
def drives() -> pd.DataFrame:
    return _table(DATA / "drives.csv")


@pytest.fixture(scope="module")
def shared() -> pd.DataFrame:
    return _table(SOURCE / "claims.csv")


def _runs(text: str, length: int) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+", text.lower())
    return {tuple(words[i : i + length]) for i in range(len(words) - length + 1)}


@pytest.fixture(scope="module")
def source_runs() -> set[tuple[str, ...]]:
    texts = [path.read_text(encoding="utf-8") for path in sorted((SOURCE / "seeds").iterdir())]
    assert len(texts) == 5
    return set().union(*(_runs(text, 6) for text in texts))


def test_ids_are_unique_and_well_formed(claims: pd.DataFrame) -> None:
    assert claims.id.is_unique
    assert claims.id.str.fullmatch(r"(M6|MX|C2|DC|P4)-\d{3}").all()
    assert (claims.id.str[:2] == claims.document).all()
    for column in ("locator", "drive", "quantity", "stated"):
        assert (claims[column] != "").all(), column
    for column in ("statement", "quantity"):
        assert not claims[column].str.contains(r'["“”«»]').any(), column


@pytest.mark.parametrize("table", ["claims", "specifications", "endurance_ratings", "discussion"])
def test_drives_are_known(drives: pd.DataFrame, table: str) -> None:
    assert set(_table(DATA / f"{table}.csv").drive) - set(drives.drive) == set()


@pytest.mark.parametrize("table", ["prices_2014", "prices_2016"])
def test_capacities_agree_with_the_price_tables(drives: pd.DataFrame, table: str) -> None:
    prices = _table(DATA / f"{table}.csv").set_index("drive")
    capacity = drives.set_index("drive").capacity_gb.reindex(prices.index)
    assert (capacity.astype(float) == prices.capacity_gb.astype(float)).all()


def test_drives_are_unique_and_only_a_drive_has_a_capacity(drives: pd.DataFrame) -> None:
    assert drives.drive.is_unique
    assert set(drives.kind) == {"drive", "family", "comparison", "technology", "market", "test"}
    assert (drives[drives.kind != "drive"].capacity_gb == "").all()
    real = drives[drives.kind == "drive"]
    assert (real.maker != "").all()
    offered = real[~real.note.str.startswith("no offer")]
    assert (offered.capacity_gb.astype(float) > 0).all()


def test_topics_and_checks_are_the_declared_ones(claims: pd.DataFrame) -> None:
    assert set(claims.topic) == TOPICS
    assert set(claims.check) == CHECKS


SIMULATED = {"FTL simulation", "queueing simulation"}


def test_tolerances_of_sums_are_half_a_printed_digit(claims: pd.DataFrame) -> None:
    rows = claims[(claims.tolerance != "") & ~claims.check.isin(SIMULATED)]
    assert set(rows.check) == {"arithmetic", "closed form", "pricing arithmetic"}
    assert rows.stated.str.fullmatch(r"\d+(\.\d+)?K?").all()
    assert set(rows.tolerance.astype(float)) == {0.5, 0.05, 0.005}


def test_tolerances_of_simulated_speeds_are_a_tenth(claims: pd.DataFrame) -> None:
    rows = claims[(claims.tolerance != "") & claims.check.isin(SIMULATED)]
    assert set(rows.unit) == {"IOPS", "MB/s", "%"}
    number = rows.stated.str.extract(r"^(\d+)[Kk]?$")[0].astype(float)
    number *= rows.stated.str[-1].isin(["K", "k"]).map({True: 1000, False: 1})
    whole = number.where(rows.unit != "%", 100 + number)  # an advantage of 22 % is a ratio of 1.22
    assert rows.tolerance.astype(float).to_numpy() == pytest.approx(whole.to_numpy() / 10, abs=6e-4)


def test_roles_point_at_first_statements(claims: pd.DataFrame) -> None:
    pattern = r"target|(?:target; )?(?:calibration|duplicate of (?P<of>\S+))"
    roles = claims.role[claims.role != ""]
    assert roles.str.fullmatch(pattern).all()
    first = claims.role.str.extract(pattern).of
    duplicates = set(claims.id[first.notna()])
    originals = set(first.dropna())
    assert originals <= set(claims.id) - duplicates
    assert (claims.id != first).all()


@needs_source
def test_prose_shares_no_six_words_with_a_source(
    claims: pd.DataFrame, source_runs: set[tuple[str, ...]]
) -> None:
    for column in ("statement", "quantity"):
        copied = [
            (row_id, runs)
            for row_id, text in zip(claims.id, claims[column], strict=True)
            if (runs := _runs(text, 6) & source_runs)
        ]
        assert copied == [], column


@needs_source
def test_locators_are_headings_of_their_document(
    claims: pd.DataFrame, shared: pd.DataFrame
) -> None:
    texts = {
        document: (SOURCE / "seeds" / name).read_text(encoding="utf-8")
        for document, name in zip(shared.id.str[:2], shared.source_file, strict=True)
    }
    for document, locator in set(zip(claims.document, claims.locator, strict=True)):
        if locator == "Introduction":
            continue
        heading = locator
        if locator.startswith("Comments: "):
            speaker, date = locator.removeprefix("Comments: ").split(", ")
            day = pd.Timestamp(date)
            heading = f"{speaker} - {day:%A, %B} {day.day}, {day.year}"
        assert heading in texts[document], (document, locator)
