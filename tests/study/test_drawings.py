import re
from xml.etree import ElementTree

import pytest

from flashwear.study import drawings
from flashwear.study.drawings import _sheet

ALL = [name for name in drawings.__all__ if name != "Drawing"]
IN_STEPS = {"overwrite", "cleaning", "slc_cache", "hot_cold", "trim"}
SVG = "{http://www.w3.org/2000/svg}"


def drawn(name):
    return getattr(drawings, name)()


@pytest.mark.parametrize("name", ALL)
def test_a_drawing_is_named_by_its_title(name):
    drawing = drawn(name)
    root = ElementTree.fromstring(drawing.svg)
    title = root.find(f"{SVG}title")
    assert title.text == drawing.title
    assert root.get("aria-labelledby") == title.get("id")
    assert len(drawing.title) > 60


@pytest.mark.parametrize("name", ALL)
def test_words_are_large_enough_and_stay_on_the_sheet(name):
    root = ElementTree.fromstring(drawn(name).svg)
    height = float(root.get("viewBox").split()[3])
    for text in root.iter(f"{SVG}text"):
        size = float(text.get("font-size"))
        assert size >= 12  # pixels where the drawing is as wide as its sheet
        for line in text:
            x, y = float(line.get("x")), float(line.get("y"))
            width = 0.5 * size * len(line.text or "")  # of Arial, on average
            start = x - width * {"start": 0, "middle": 0.5, "end": 1}[text.get("text-anchor")]
            assert start >= 0
            assert start + width < _sheet.WIDTH
            assert size * 0.5 < y < height


@pytest.mark.parametrize("name", ALL)
def test_a_file_of_its_own_needs_no_style_sheet(name):
    svg = drawn(name).standalone()
    assert "var(" not in svg
    assert set(re.findall(r'fill="([^"#]*)"', svg)) <= {"none"}


@pytest.mark.parametrize("name", ALL)
def test_what_moves_says_what_happens(name):
    drawing = drawn(name)
    assert bool(drawing.steps) == (name in IN_STEPS)
    root = ElementTree.fromstring(drawing.svg)
    for part in root.iter(f"{SVG}g"):
        first, last = int(part.get("data-from")), int(part.get("data-to"))
        assert 1 <= first <= last <= len(drawing.steps)
        assert (part.get("visibility") == "hidden") == (last < len(drawing.steps))
    if drawing.steps:  # each step changes something
        changes = {int(part.get("data-from")) for part in root.iter(f"{SVG}g")}
        assert changes | {1} == set(range(1, len(drawing.steps) + 1))


def test_two_drawings_on_a_page_have_names_of_their_own():
    names = [re.search(r'title id="([^"]+)"', drawn("stripe").svg)[1] for _ in range(2)]
    assert names[0] != names[1]


def test_cleaning_counts_the_copies_that_it_shows():
    title = drawn("cleaning").title
    assert title.endswith(f"{(3 + 1) / 3:.2f}.")


def test_the_lost_die_of_the_stripe_is_found_again():
    words = drawn("stripe").title
    data = [int(bits, 2) for bits in re.findall(r"\b[01]{4}\b", words)]
    *dies, parity, again = data
    assert dies[1] == again
    assert dies[0] ^ dies[1] ^ dies[2] ^ dies[3] == parity


def test_a_bar_of_more_for_the_user_than_there_is_is_refused():
    with pytest.raises(ValueError, match="user_bytes"):
        drawings.capacity_bar(100e9, 200e9)
