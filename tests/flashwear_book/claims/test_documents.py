"""What other documents say of a claim is matched by rule, and weighs what its page weighs."""

import re
import types

import pytest

from flashwear_book import claims, sources, tables
from flashwear_book.claims import documents, registry

SHEET = "https://manualzilla.com/doc/1"
REVIEW = "https://www.tomshardware.com/reviews/1"
OTHER = "https://pcper.com/reviews/2"
SAME = "https://www.anandtech.com/show/3"


def claim(stated, unit="MB/s", id_="M6-021"):
    return registry.Claim(id_, "drive", "quantity", stated, unit, 0.5, None)


def row(value, unit="MB/s", page=REVIEW, date="", rival_value="", measured="no"):
    return types.SimpleNamespace(source_url=page, value=value, unit=unit, date=date,
                                 rival_value=rival_value, measured=measured)  # fmt: skip


@pytest.mark.parametrize(("stated", "unit", "value", "other", "agrees"), [
    ("560", "MB/s", "560", "MB/s", True),
    ("560", "MB/s", "565", "MB/s", False),
    ("90K", "IOPS", "90000", "IOPS", True),
    ("90K", "IOPS", "90,400", "IOPS", True),  # rounds to 90K
    ("90K", "IOPS", "91,000", "IOPS", False),
    ("3.5", "PB", "3500", "TB", True),
    ("3.6", "W", "3600", "mW", True),
    (">3000", "cycles", "5000", "cycles", True),
    (">3000", "cycles", "3000", "cycles", False),
    ("~7", "GB", "7.5", "GB", True),
    ("true", "", "yes", "", True),
    ("true", "", "no", "", False),
    ("TCG Opal 2.0 & eDrive", "", "TCG Opal 2.0, Microsoft eDrive", "", True),
    ("TCG Opal 2.0 & eDrive", "", "AES-256", "", None),  # says nothing of it
    ("TCG Opal 2.0 & eDrive", "", "TCG Opal 1.0, eDrive", "", False),
    ("TCG Opal 2.0 & IEEE-1667", "", "Opal 2.0, eDrive", "", True),  # eDrive asks for it
    ("88SS9187", "", "Marvell 9189", "", False),
    ("2.5in,mSATA,M.2", "", "2.5in, mSATA", "", False),
    ("2.5in only", "", "2.5in", "", False),
    ("Micron 16nm MLC", "", "Micron 16nm", "", None),
    ("850 EVO > MX300", "", "MX300 > 850 EVO", "", False),
])  # fmt: skip
def test_numbers_agree_after_rounding_and_words_by_what_they_name(
    stated, unit, value, other, agrees
):
    assert documents.agrees(claim(stated, unit), row(value, other)) is agrees


OTHER_WORDS = {"micron": "samsung", "same": "different", "oem": "retail", "fixed": "dynamic",
               "decreasing": "constant", "full": "partial", "partial": "full", "mlc": "tlc",
               "tlc": "mlc", "floating gate": "charge trap", "all": "half", "any": "predefined",
               ">": "<", "raised": "unchanged", "less": "more",
               "apart": "together", "2.5in": "1.8in", "xpert": "other"}  # fmt: skip


def test_words_that_confirm_a_claim_would_have_denied_it_had_they_been_others():
    rows = [one for one in tables.elsewhere().fillna("").itertuples() if one.rival_value == ""]
    left = [one for one in rows if one.value in ("yes", "no")]
    words = [one for one in rows if one not in left and not re.fullmatch(r"[\d.,K~]+", one.value)]
    ledger = {one.id: one.stated for one in claims.ledger().itertuples()}
    for one in words:
        text, stated = one.value.casefold(), ledger[one.claim]
        others = [f"{text[: found.start()]}{int(found[0]) + 1}{text[found.end() :]}"
                  for found in re.finditer(r"\d+", text)]  # fmt: skip
        others += [text.replace(old, new) for old, new in OTHER_WORDS.items()]
        denied = [documents.agrees(claim(stated, ""), row(new, "")) is False
                  for new in others if new != text]  # fmt: skip
        assert any(denied), one
    assert len(words) > 40
    assert len(left) < 9, "statements that no closed vocabulary holds"


@pytest.mark.parametrize(("stated", "value", "rival", "agrees"), [
    ("M600 < MX100", "100", "110", True),
    ("M600 < MX100", "100", "104", False),  # no order within 5 %
    ("M600 > MX100", "100", "110", False),
    ("MX300 << MX200", "100", "140", False),  # substantially is half as much again
    ("MX300 << MX200", "100", "160", True),
    ("equal", "100", "104", True),
    ("~S3700", "100", "110", False),
])  # fmt: skip
def test_orders_need_a_difference(stated, value, rival, agrees):
    assert documents.agrees(claim(stated, ""), row(value, rival_value=rival)) is agrees


def test_what_was_measured_agrees_about_and_prices_are_of_the_same_fortnight_within_a_tenth():
    assert documents.agrees(claim("400"), row("430", measured="yes"))
    assert not documents.agrees(claim("400"), row("443", measured="yes"))
    price = claim("140", "USD", "M6-171")
    assert documents.agrees(price, row("150", "USD", date="2014-10-05"))
    assert not documents.agrees(price, row("160", "USD", date="2014-10-05"))
    assert documents.agrees(price, row("140", "USD", date="2014-11-05")) is None
    assert documents.agrees(price, row("140", "USD", date="2014-10")) is None


@pytest.mark.parametrize(("pages", "outcome", "evidence"), [
    ([("560", SHEET)], "holds", "maker"),
    ([("500", SHEET)], "fails", "maker"),
    ([("500", SHEET), ("560", REVIEW)], "in tension", "maker"),
    ([("560", SHEET), ("500", REVIEW)], "holds", "maker"),
    ([("560", REVIEW)], "holds", "independent"),
    ([("500", REVIEW)], "in tension", "independent"),
    ([("500", REVIEW), ("510", OTHER)], "fails", "independent"),
    ([("500", REVIEW), ("560", OTHER)], "in tension", "independent"),
    ([("560", SAME)], "holds", "arithmetic"),
])  # fmt: skip
def test_who_says_it_and_who_denies_it_decides(monkeypatch, pages, outcome, evidence):
    rows = {"M6-021": [row(value, page=page) for value, page in pages]}
    monkeypatch.setattr(documents, "_rows", lambda: rows)
    finding = documents.finding(claim("560"))
    assert (finding.outcome, finding.evidence) == (outcome, evidence)
    assert finding.how.endswith(".")
    assert documents.finding(claim("Opal", "")) is None  # which no page says
    assert documents.finding(claim("560", id_="M6-022")) is None


def test_the_rating_of_a_line_is_that_of_its_largest_size(verdicts):
    assert verdicts.evidence[["M6-024", "M6-032"]].tolist() == ["maker"] * 2  # of 1 TB
    assert verdicts.outcome[["P4-056", "P4-058", "P4-060"]].tolist() == ["undecided"] * 3
    for id_, limit in (("M6-025", "510 MB/s"), ("P4-058", "75,000 IOPS or 76,000 IOPS")):
        assert f"at up to {limit}, which smaller sizes need not reach" in verdicts.how[id_]


@pytest.mark.parametrize(("id_", "stated", "outcome"), [
    ("M6-024", 560, "holds"),
    ("M6-024", 570, "fails"),  # of the largest size another figure denies it
    ("M6-026", 500, None),
    ("M6-026", 520, "fails"),  # above the maximum of its line
])  # fmt: skip
def test_a_line_maximum_denies_what_is_above_it(monkeypatch, id_, stated, outcome):
    speeds, nothing = tables.speeds(), tables.elsewhere()[:0]
    speeds.loc[speeds["claim"] == id_, "value"] = stated
    monkeypatch.setattr(tables, "speeds", lambda: speeds)
    monkeypatch.setattr(tables, "elsewhere", lambda: nothing)
    documents._ratings.cache_clear()
    documents._rows.cache_clear()
    try:
        finding = documents.finding(claim(str(stated), id_=id_))
    finally:
        documents._ratings.cache_clear()
        documents._rows.cache_clear()
    assert (finding and finding.outcome) == outcome


def test_documents_come_before_models_and_after_arithmetic(monkeypatch):
    said = registry.Decision("fails", "maker", "4", "The maker's own sheet says otherwise.")
    monkeypatch.setattr(documents, "finding", lambda _: said)
    table = claims.verdicts("P4-046", "P4-033")
    assert table["evidence"].tolist() == ["maker", "arithmetic"]


@pytest.mark.parametrize(("page", "weight"), [
    (SHEET, "maker"),
    ("https://www.crucial.com/products/1", "maker"),
    (SAME, "arithmetic"),
    ("http://home.anandtech.com/Show", "arithmetic"),
    (REVIEW, "independent"),
])  # fmt: skip
def test_a_page_weighs_what_its_site_weighs(page, weight):
    assert sources.said_by(page) == weight
