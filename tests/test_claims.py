import numpy as np
import pytest

from flashwear import claims, tables
from flashwear.claims import _facts, _prices, _registry


@pytest.fixture(scope="module")
def verdicts():
    return claims.verdicts().set_index("id")


@pytest.fixture
def fresh_facts():
    """Forget the cached tables before and after a test that changes one."""
    caches = (_facts._indexed, _prices._table)
    for cache in caches:
        cache.cache_clear()
    yield
    for cache in caches:
        cache.cache_clear()


def test_every_claim_of_the_ledger_has_one_verdict_in_order(verdicts):
    assert list(verdicts.index) == list(claims.ledger()["id"])
    assert set(verdicts["verdict"]) <= set(claims.VERDICTS)


def test_no_claim_on_arithmetic_price_or_rated_endurance_is_left_open(verdicts):
    ledger = claims.ledger().set_index("id")
    decided = ledger["check"].isin(["arithmetic", "pricing arithmetic"]) | (
        ledger["topic"].isin(["endurance", "price"])
        & ~ledger["check"].isin(["FTL simulation", "field data"])
    )
    assert decided.sum() > 190
    assert not (verdicts.loc[decided, "verdict"] == "open").any()


def test_every_verdict_but_open_says_how(verdicts):
    closed = verdicts["verdict"] != "open"
    assert verdicts.loc[closed, "how"].str.len().min() > 5
    assert verdicts.loc[~closed, ["computed", "how"]].isna().all(axis=None)


def test_reproduced_numbers_lie_within_the_tolerance_that_the_ledger_declares(verdicts):
    tolerance = claims.ledger().set_index("id")["tolerance"]
    compared = (verdicts["verdict"] == "reproduced") & verdicts["difference"].notna()
    # prices of 2016 are compared with the interval of their printed cents per GB instead
    compared &= verdicts["quantity"] != "2016-06 price"
    assert compared.sum() > 50
    assert (verdicts["difference"].abs() <= 1.001 * tolerance)[compared].all()


@pytest.mark.parametrize(
    ("id_", "verdict", "computed"),
    [
        ("MX-208", "corrected", "30.79"),  # 153.95 / 5
        ("MX-180", "reproduced", "20.83"),  # 199.99 / 9.6
        ("P4-043", "corrected", "3.5"),  # 17,500 x 200 GB
        ("P4-038", "corrected", "372.5"),  # 400e9 / 2^30
        ("P4-041", "reproduced", "9.589"),  # 17,500 / 1,825, printed as 10
        ("DC-044", "corrected", "1,506"),  # 207e12 / 2^37
        ("DC-050", "corrected", "7,276"),  # 1e15 / 2^37
        ("DC-038", "contradicted", "1,506"),
        ("DC-017", "reproduced", "41.79"),  # 1 - 480 / 824.63
        ("M6-211", "reproduced", "+6.7/+25.0/+22.1"),  # 80/75, 140/112, 260/213
        ("MX-023", "contradicted", "64 of 96 planes: 67 %"),
        ("MX-016", "predicted", "2050 GB"),
    ],
)
def test_verdicts_worked_by_hand(verdicts, id_, verdict, computed):
    assert (verdicts.verdict[id_], verdicts.computed[id_]) == (verdict, computed)


def test_the_two_cells_of_the_wrong_price_cannot_both_stand(verdicts):
    assert verdicts.verdict["MX-207"] == "not reproducible"
    assert "cannot both be right" in verdicts.how["MX-207"]


def test_a_duplicate_takes_the_verdict_of_its_original(verdicts):
    assert verdicts.verdict["P4-063"] == verdicts.verdict["P4-043"]
    assert verdicts.how["P4-063"].startswith("As P4-043.")


def test_a_verdict_follows_the_tables(monkeypatch, fresh_facts):
    wrong = tables.prices_2016()
    wrong.loc[wrong["drive"] == "OCZ Trion 150 960GB", "price_usd"] = 299.99
    monkeypatch.setattr(tables, "prices_2016", lambda: wrong)
    after = claims.verdicts().set_index("id")
    assert after.verdict["MX-180"] == "corrected"
    assert after.computed["MX-180"] == "31.25"


def test_a_check_for_an_id_that_the_ledger_lacks_is_refused(monkeypatch):
    monkeypatch.setitem(_registry._checks, "MX-999", _registry._checks["MX-080"])
    with pytest.raises(ValueError, match=r"checks must name ids of data/claims.csv.*MX-999"):
        claims.verdicts()


def test_a_second_check_for_a_claim_is_refused():
    with pytest.raises(ValueError, match="MX-080 already has the check"):
        _registry.check("MX-080")(lambda claim: None)


def claim(stated, tolerance=0.5):
    return _registry.Claim("X-1", "drive", "quantity", stated, "unit", tolerance, None)


@pytest.mark.parametrize(
    ("stated", "value"), [("3.0", 3.0), ("88K", 88_000), ("~7", 7), (">3000", 3000), ("< 470", 470)]
)
def test_stated_figures_are_read_as_numbers(stated, value):
    assert claim(stated).value == value


def test_a_stated_text_is_not_a_number():
    with pytest.raises(ValueError, match="stated of X-1 must be a number, got 'almost all'"):
        _ = claim("almost all").value


def test_a_figure_beyond_the_tolerance_is_not_reproduced():
    assert _registry.compare(claim("10"), 10.5, "").verdict == "reproduced"
    assert _registry.compare(claim("10"), 10.51, "").verdict == "corrected"
    assert _registry.compare(claim("10"), 9.4, "", "contradicted").verdict == "contradicted"


@pytest.mark.parametrize("tolerance", [0.0, -1.0, np.nan])
def test_a_claim_without_a_tolerance_cannot_be_compared(tolerance):
    with pytest.raises(ValueError, match="X-1 must declare a tolerance > 0"):
        _registry.compare(claim("10", tolerance), 10, "")


def test_a_comparison_prints_claims_in_the_order_asked_for():
    table = claims.comparison("MX-208", "M6-064", "M6-210")
    assert table["Claim"].str[:6].tolist() == ["MX-208", "M6-064", "M6-210"]
    assert table.loc[0, "Claim"] == "MX-208. Samsung 850 EVO 500GB: printed price per GB"
    assert not table.isna().any(axis=None)


def test_a_comparison_of_an_unknown_claim_is_refused():
    with pytest.raises(ValueError, match="ids must be claims of the ledger, got MX-999"):
        claims.comparison("MX-208", "MX-999")
