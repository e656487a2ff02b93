"""What version 0.1 addressed, by page, function or claim, is still found."""

from pathlib import Path

import pytest
from built import HTML
from test_links import anchors

from flashwear import tables

ADDRESSES = (Path(__file__).parent / "addresses-0.1.txt").read_text(encoding="utf-8").split()
CLAIMS = [f"scorecard.html#claim-{claim}" for claim in tables.claims().id]


def is_there(address):
    page, _, anchor = address.partition("#")
    file = HTML / page
    return file.is_file() and (not anchor or anchor in anchors(file))


MOVED = [address for address in ADDRESSES if "#" in address and not is_there(address)]


def test_pages_and_claims_are_where_they_were(html):
    assert len(ADDRESSES) > 300
    assert [address for address in ADDRESSES + CLAIMS if not is_there(address)] == MOVED


@pytest.mark.browser
@pytest.mark.parametrize("address", MOVED or ["(none)"])
def test_what_has_moved_is_followed(visit, address):
    one = visit(address, strict=False)  # what the old page has begun to load is given up
    one.page.wait_for_function(
        "() => location.hash && document.getElementById(location.hash.slice(1))"
    )
