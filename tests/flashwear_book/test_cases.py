from pathlib import Path

import numpy as np
import pytest

from flashwear_book import cases, claims, scorecard, tables

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def known_verdicts(monkeypatch, verdicts):
    monkeypatch.setattr(
        claims, "verdicts", lambda *ids: verdicts.loc[list(ids or verdicts.index)].reset_index()
    )


@pytest.mark.parametrize("line", cases.CASES)
def test_claims_of_a_line_count_and_name_it(line):
    found = cases.of(line)
    assert found.id.is_unique
    assert found.counts.all()
    assert found.drive.str.contains(cases.CASES[line].label).all()
    assert len(found) > 10


def test_a_comparison_counts_if_both_sides_are_of_the_line_and_findings_rest_on_its_claims():
    compared = cases.of("m600").drive
    compared = compared[compared.str.contains(" vs ")]
    assert compared.tolist() == ["M600 1TB vs M600 256GB"]
    with pytest.raises(ValueError, match=r"line must be one of m600, .* got 'm700'"):
        cases.of("m700")
    told = cases.findings("mx300")
    assert 0 < len(told) < len(claims.findings())
    assert all("MX-" in ids for ids in told.claims)


def test_what_the_models_give_is_shown_on_a_page_of_the_book():
    topics = set(tables.claims()["shown_in"].dropna())
    assert topics == set(scorecard.SHOWN)
    assert all((ROOT / "book" / f"{page}.md").is_file() for page in scorecard.SHOWN.values())


def test_cycles_are_rated_bytes_over_flash_and_predictions_of_a_fit_without_the_line():
    row = cases.promises("p400m").set_index("Drive").loc["P400m 200GB"]
    least = row["Cycles if nothing is amplified"]  # 3.5 PB, as corrected, over 336 GiB
    assert least == pytest.approx(3.5e15 / (336 * 2**30), rel=1e-12)
    found = cases.in_the_field("m500dc")
    assert found.Drive.tolist() == ["M500DC 120GB", "M500DC 800GB"]
    assert found["Write amplification"].str.match(r"\d\.\d \(\d\.\d to \d\.\d\)").all()
    assert "not known" in cases.in_the_field("p400m")["Write amplification"].tolist()
    beside = cases.beside_predictions("p400m")
    assert (beside.low_90 <= beside["median"]).all()
    assert (beside["median"] <= beside.high_90).all()
    # the sizes of a line share parts: their rated reads in order are predicted alike
    alike = beside[beside.test == "reads in order"]["median"]
    assert np.ptp(alike) < 0.01
