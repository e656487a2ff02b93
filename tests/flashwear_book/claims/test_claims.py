from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from checked import forget, found, ledger_claim
from flashwear_book import claims, runs, sources, tables
from flashwear_book.claims import registry
from refusals import refusals


@pytest.fixture
def fresh_facts():
    """Forget the cached tables before and after a test that changes one."""
    forget()
    yield
    forget()


def test_every_check_runs_and_every_row_has_one_outcome_in_order_that_says_how(
    verdicts, broken_checks
):
    assert broken_checks == {}
    assert list(verdicts.index) == list(claims.ledger()["id"])
    assert set(verdicts["outcome"]) <= set(claims.OUTCOMES)
    assert set(verdicts["evidence"]) <= set(claims.EVIDENCE)
    claims._checks()
    modules = {path.stem for path in Path(claims.__file__).parent.glob("_[a-z]*.py")}
    assert modules <= set(vars(claims))
    how = verdicts["how"]
    assert how.notna().all()
    assert how.str.endswith((".", ")")).all(), how[~how.str.endswith((".", ")"))]
    assert how.str[0].map(lambda letter: letter.isupper() or letter.isdigit()).all()
    assert how.str.len().max() < 720


def test_named_claims_duplicates_and_what_holds_come_out_as_the_ledger_says(verdicts):
    ids = ["MX-208", "M6-064", "P4-063"]
    pd.testing.assert_frame_equal(claims.verdicts(*ids).set_index("id"), verdicts.loc[ids])
    assert verdicts.outcome["P4-063"] == verdicts.outcome["P4-043"]
    assert verdicts.how["P4-063"].startswith("As P4-043.")
    assert not verdicts.counts["P4-063"]
    tolerance = claims.ledger().set_index("id")["tolerance"]
    compared = (verdicts["outcome"] == "holds") & verdicts["difference"].notna()
    # prices of 2016 are compared with the interval of their printed cents per GB instead
    compared &= verdicts["quantity"] != "2016-06 price"
    assert compared.sum() > 50
    assert (verdicts["difference"].abs() <= 1.001 * tolerance)[compared].all()


@pytest.mark.parametrize(("id_", "outcome", "evidence", "computed"), [
    ("MX-208", "in tension", "arithmetic", "30.79"),  # 153.95 / 5
    ("MX-180", "holds", "arithmetic", "20.83"),  # 199.99 / 9.6
    ("P4-043", "fails", "maker", "3.5"),  # 17,500 x 200 GB
    ("P4-036", "holds", "arithmetic", "93.13"),  # 100e9 / 2^30
    ("P4-038", "holds", "arithmetic", "372.61"),  # 781,422,768 sectors of 512 bytes / 2^30
    ("P4-041", "holds", "arithmetic", "9.6"),  # 17,500 / 1,825, printed as 10
    ("DC-044", "fails", "arithmetic", "1,506.1"),  # 207e12 / 2^37
    ("DC-050", "fails", "arithmetic", "7,276"),  # 1e15 / 2^37
    ("DC-038", "in tension", "arithmetic", "1,506 and 7,276 cycles at least"),
    # 1 - 480 / 549.76, 1 - 480 / 566.94
    ("DC-015", "undecided", "none", "12.7 or 15.3 %"),
    # 2 x 1.24; 3000 / 1.24
    ("DC-034", "fails", "arithmetic",
     "rises, to 2.48 at twice the cycles; 1.00 takes 2,419 cycles"),
    # 100 x 1369 / 27 and the like: the bounds of 22 drives meet around 5,000
    ("DC-031", "holds", "field", "4,971 to 5,021 cycles"),
    ("DC-033", "in tension", "field", "4,971 to 5,021 cycles"),
    # 144.0 / 256, 285.4 / 512, 506.0 / 512 GiB
    ("M6-085", "partly", "field",
     "0.56 (256 GB) and 0.56 (512 GB M.2), but 0.99 (512 GB 2.5-inch)"),
    ("MX-050", "holds", "field", "1.000"),  # 512.2 / 512 GiB
    ("DC-035", "partly", "arithmetic", "1.00"),
    ("DC-042", "partly", "arithmetic", "137,439 GB = 125 TiB"),  # 1000 x 2^37 / 1e9, / 2^40
    ("M6-211", "holds", "arithmetic", "+6.7/+25.0/+22.1"),  # 80/75, 140/112, 260/213
    ("MX-023", "fails", "arithmetic", "64 of 96 planes: 67 %"),
    ("MX-016", "partly", "independent", "2050 GB"),
    # 106.32 / 154.95, 875.62 / 2458.64, 106.32 / 750
    ("MX-112", "holds", "arithmetic",
     "69 % of bytes written against 36 %, 155 GB moved against 2,459, 0.14 fills"),
    ("MX-070", "holds", "arithmetic", "199.99"),
    ("P4-045", "holds", "arithmetic", "336 > 320 > 264 GiB"),
    # a/(a + W(-a e^-a)) at a = 1.8039, 1.4173, and at 0.97 of them
    ("P4-046", "holds", "model", "1.36 to 1.43 against 1.91 to 2.08"),
    ("DC-018", "partly", "model", "2.41 to 2.79, rated 3.04"),  # 35 / 11.5
    ("DC-025", "in tension", "arithmetic", "random reads gain all the way to 90K IOPS"),
    ("DC-036", "partly", "model", "1.43 to 1.51 and 2.04 to 2.25"),
    ("DC-043", "holds", "arithmetic", "1"),
    ("DC-029", "holds", "independent", "3 months at 40 °C"),
    ("C2-008", "in tension", "arithmetic", "2 years, one drive"),
    ("MX-012", "holds", "independent", "525 GB for 500, 1,050 GB for 1,000, and 2,050"),
])  # fmt: skip
def test_findings_worked_by_hand(id_, outcome, evidence, computed):
    finding = found(id_)
    text = finding.text(ledger_claim(id_).decimals)
    assert (finding.outcome, finding.evidence, text) == (outcome, evidence, computed)


def test_an_outcome_follows_the_tables(monkeypatch, fresh_facts):
    wrong = tables.prices_2016()
    wrong.loc[wrong["drive"] == "OCZ Trion 150 960GB", "price_usd"] = 299.99
    monkeypatch.setattr(tables, "prices_2016", lambda: wrong)
    (after,) = claims.verdicts("MX-180").itertuples()
    assert (after.outcome, after.computed) == ("in tension", "31.25")


def change(monkeypatch, name, cells, column, value):
    """Put a value into a column of a table, in the rows that have these cells."""
    table = getattr(tables, name)()
    rows = np.logical_and.reduce([table[key].isin(values) for key, values in cells.items()])
    assert rows.any()
    table.loc[rows, column] = value
    monkeypatch.setattr(tables, name, lambda: table)


def found_now(id_):
    return claims._checks()[id_](ledger_claim.__wrapped__(id_)).outcome


# of claims whose cells must fit one another
FLIPS = [  # claim, table, rows, column, new value, outcome that follows
    ("P4-046", "specifications", {"drive": ["P400m 200GB"], "attribute": ["raw capacity"]},
     "value", 250, "in tension"),
    ("P4-045", "specifications", {"drive": ["P400m 200GB"], "attribute": ["raw capacity"]},
     "value", 300, "fails"),
    ("P4-045", "external", {"drive": ["710 200GB"]}, "value", 340, "fails"),
    ("MX-085", "specifications", {"attribute": ["motherboard, as thanked for"]},
     "stated", "ASUS: Z97 Pro", "holds"),
    ("DC-036", "discussion", {"quantity": ["WLF x WAF at 3000 P/E cycles"]},
     "value", 1.5, "undecided"),
    ("DC-018", "external", {"drive": ["M500DC 480GB"], "quantity": ["rated random write 4KB"]},
     "value", 30_000, "holds"),
    # an hour that ends before the blank flash is used up
    ("MX-101", "claims", {"id": ["MX-102", "MX-103"]}, "stated", "0.5k", "in tension"),
    ("DC-025", "claims", {"id": ["DC-020"]}, "quantity", "random read", "undecided"),
]  # fmt: skip


@pytest.mark.parametrize(("id_", "name", "rows", "column", "value", "outcome"), FLIPS)
def test_a_changed_cell_flips_the_outcome(
    monkeypatch, fresh_facts, id_, name, rows, column, value, outcome
):
    assert found_now(id_) != outcome
    forget()
    change(monkeypatch, name, rows, column, value)
    assert found_now(id_) == outcome


def test_a_failing_check_names_its_claim_and_one_for_an_unknown_id_is_refused(
    monkeypatch, fresh_facts
):
    cells = {"drive": ["MX300 smallest"], "attribute": ["raw capacity"]}
    change(monkeypatch, "specifications", cells, "value", np.nan)
    with pytest.raises(ValueError, match=r"MX-013: data/specifications\.csv must have a value"):
        claims.verdicts()
    monkeypatch.setitem(registry.registered, "MX-999", registry.registered["MX-080"])
    with pytest.raises(ValueError, match=r"checks must name ids of data/claims.csv.*MX-999"):
        claims.verdicts()


@pytest.mark.parametrize("original", ["MX-999", "P4-066", "P4-063"])
def test_a_duplicate_of_nothing_above_it_is_refused(monkeypatch, original):
    wrong = tables.claims()
    wrong.loc[wrong["id"] == "P4-063", "role"] = f"duplicate of {original}"
    monkeypatch.setattr(tables, "claims", lambda: wrong)
    with pytest.raises(ValueError, match=f"P4-063: role must name a claim above it, .*{original}"):
        claims.verdicts("P4-063")


def test_an_ambiguous_fact_is_refused_with_both_rows(monkeypatch, fresh_facts):
    with pytest.raises(
        ValueError,
        match=r"must have one value for drive 'MX300 750GB', attribute 'die capacity', "
        r"got row \d+ \(384.0 Gibit\) and row \d+ \(48.0 GB\)",
    ):
        sources.spec("MX300 750GB", "die capacity")
    assert sources.spec("MX300 750GB", "die capacity", unit="Gibit") == 384
    assert sources.spec("MX300 750GB", "die capacity", table="text") == 48
    cells = {"drive": ["P400m 200GB"], "attribute": ["raw capacity"], "table": ["text"]}
    assert sources.spec("P400m 200GB", "raw capacity") == 336  # three rows that agree
    forget()
    change(monkeypatch, "specifications", cells, "value", 340)
    with pytest.raises(ValueError, match=r"336.0 GiB\) and row \d+ \(340.0 GiB"):
        sources.spec("P400m 200GB", "raw capacity")


def test_a_spare_share_that_fits_no_raw_capacity_is_refused(monkeypatch, fresh_facts):
    cells = {"drive": ["M500DC 480GB"], "attribute": ["spare share of raw"]}
    change(monkeypatch, "specifications", cells, "value", 40)
    with pytest.raises(ValueError, match=r"M500DC 480GB must fit one multiple of 64 GiB, got 40 %"):
        sources.m500dc_raw("M500DC 480GB")


def claim(stated, tolerance=0.5):
    return registry.Claim("X-1", "drive", "quantity", stated, "unit", tolerance, None)


@pytest.mark.parametrize(
    ("stated", "value"), [("3.0", 3.0), ("88K", 88_000), ("~7", 7), (">3000", 3000), ("< 470", 470)]
)
def test_stated_figures_are_read_as_numbers(stated, value):
    assert claim(stated).value == value


@pytest.mark.parametrize(("tolerance", "computed", "text"), [
    (0.005, 199.99, "199.99"), (0.005, 229.376, "229.376"), (0.05, 1583.0, "1,583.0"),
    (0.05, 1583.02, "1,583.02"), (0.5, 7275.96, "7,276"), (0.5, 1506.12, "1,506.1"),
    (0.5, 10.0, "10"), (np.nan, 450.72, "450.7"), (np.nan, 1506.12, "1,506"),
    (0.5, "64 of 96", "64 of 96"), (0.5, None, None),
])  # fmt: skip
def test_a_computed_figure_keeps_the_printed_digits(tolerance, computed, text):
    finding = registry.Decision("holds", "arithmetic", computed)
    assert finding.text(claim("1", tolerance).decimals) == text


def test_a_figure_beyond_the_tolerance_fails():
    assert registry.compare(claim("10"), 10.5, "").outcome == "holds"
    assert registry.compare(claim("10"), 10.51, "").outcome == "fails"
    assert registry.compare(claim("10"), 9.4, "", "maker").evidence == "maker"


test_what_breaks_the_rules_of_the_ledger_is_refused = refusals([
    (lambda: sources.Rating("M601"), "must have one row for 'M601', got 0"),
    (lambda: registry.check("MX-080")(lambda claim: None), "MX-080 already has a check"),
    (lambda: claim("almost all").value, "stated of X-1 must be a number, got 'almost all'"),
    (lambda: claims.verdicts("MX-208", "MX-999"), "ids must be claims of the ledger, got MX-999"),
    (lambda: registry.compare(claim("10", 0.0), 10, ""), "X-1 must declare a tolerance > 0"),
    (lambda: registry.compare(claim("10", -1.0), 10, ""), "X-1 must declare a tolerance > 0"),
    (lambda: registry.compare(claim("10", np.nan), 10, ""), "X-1 must declare a tolerance > 0"),
    (lambda: registry.Decision("holds", "none"), "evidence must fit an outcome holds, got none"),
    (lambda: registry.Decision("undecided", "field"), "must fit an outcome undecided, got field"),
    (lambda: registry.Decision("fails", "model"), "a model alone must not make a claim fail"),
    (lambda: registry.Decision("partly", "maker"), "part must be named"),
    (lambda: registry.Decision("holds", "maker", part="a half"), "part must be named"),
])  # fmt: skip


def test_a_verdict_says_when_a_kept_result_that_it_rests_on_is_not_current(monkeypatch):
    kept = runs.kept_result("settling")
    monkeypatch.setattr(runs, "kept_result", lambda _: replace(kept, current=False))
    told = claims.verdicts("P4-073", "P4-074")["how"]
    note = "By code that has changed since: the kept results of settling."
    assert [note in how for how in told] == [True, False]
