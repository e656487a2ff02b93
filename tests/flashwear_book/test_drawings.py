import re
from xml.etree import ElementTree

import pytest

from flashwear import wa
from flashwear_book import drawings
from flashwear_book.drawings import _sheet

ALL = [name for name in drawings.__all__ if name != "Drawing"]
STILL = {"anatomy", "stripe"}
ARGUMENTS = {"slc_cache": ((466, 305, 77), "a drive")}
SVG = "{http://www.w3.org/2000/svg}"


def drawn(name):
    return getattr(drawings, name)(*ARGUMENTS.get(name, ()))


def sheets_of(name):
    return [ElementTree.fromstring(sheet) for sheet in drawn(name).sheets]


def moving(root):
    return [part for part in root.iter(f"{SVG}g") if part.get("class") == "fw-moving"]


@pytest.mark.parametrize("name", ALL)
def test_each_sheet_is_named_by_its_title_and_its_words_are_large_enough_and_stay_on_it(name):
    drawing = drawn(name)
    for root in map(ElementTree.fromstring, drawing.sheets):
        title = root.find(f"{SVG}title")
        assert len(title.text) > 40
        assert root.get("aria-labelledby") == title.get("id")
    assert ElementTree.fromstring(drawing.sheets[0]).find(f"{SVG}title").text == drawing.title
    # colours have a value for pages without a style sheet
    for colour in re.findall(r'(?:fill|stroke)="([^"]*)"', "".join(drawing.sheets)):
        assert re.fullmatch(r"none|var\(--fw-[a-z]+, #[0-9a-f]{6}\)", colour)
    for root in sheets_of(name):
        height = float(root.get("viewBox").split()[3])
        apart = {text for part in moving(root) for text in part.iter(f"{SVG}text")}
        for text in set(root.iter(f"{SVG}text")) - apart:
            size = float(text.get("font-size"))
            assert size >= 12  # pixels where the drawing is as wide as its sheet
            for line in text:
                x, y = float(line.get("x")), float(line.get("y"))
                width = 0.5 * size * len(line.text or "")  # of Arial, on average
                start = x - width * {"start": 0, "middle": 0.5, "end": 1}[text.get("text-anchor")]
                assert start >= 0
                assert start + width < _sheet.WIDTH
                assert size * 0.5 < y < height


@pytest.mark.parametrize("name", sorted(set(ALL) - STILL))
def test_each_step_says_what_happens_and_changes_something(name):
    steps = len(drawn(name).steps)
    assert steps == 4
    changes = {1}
    for root in sheets_of(name):
        for part in root.iter(f"{SVG}g"):
            if part.get("data-from"):
                first, last = int(part.get("data-from")), int(part.get("data-to"))
                assert 1 <= first <= last <= steps
                assert (part.get("visibility") == "hidden") == (last < steps)
                changes |= {first, last + 1} - {steps + 1}
        for part in moving(root):
            at_and_is = (part.get(name).split() for name in ("data-at", "data-is"))
            states = list(zip(*at_and_is, strict=True))
            assert len(states) == steps
            assert part.get("transform") == f"translate({states[-1][0].replace(',', ' ')})"
            assert (part.get("opacity") == "0") == (states[-1][1] == _sheet.GONE)
            changes |= {at + 2 for at in range(steps - 1) if states[at] != states[at + 1]}
    assert changes == set(range(1, steps + 1))


def test_drawings_show_what_they_count_under_names_of_their_own():
    parts = moving(sheets_of("cleaning")[0])
    (copy,) = [part for part in parts if "copy" in part.get("data-is")]
    (old,) = [part for part in parts if part.get("data-is").startswith("live live stale")]
    assert copy.get("data-at").split()[1] == old.get("data-at").split()[1]
    assert copy.get("data-is").split() == ["-", "-", "copy", "copy"]
    said = [*map(int, re.findall(r">(\d+) of 48 wrong<", "".join(drawn("levels").sheets)))]
    rows = [said[at : at + 4] for at in range(0, 16, 4)]
    assert [row[0] for row in rows] == [0] * 4
    assert rows[0] == [0] * 4
    assert sum(rows[3]) > sum(rows[2]) >= sum(rows[1])
    assert rows[3][2] > rows[3][1]
    assert rows[3][3] < rows[3][2]
    words = ElementTree.fromstring(drawn("cleaning").sheets[1]).find(f"{SVG}title").text
    counts = [int(found.replace(",", "")) for found in re.findall(r"([\d,]+) at", words)]
    assert counts == [round(2048 * (1 - 1 / wa.fifo(spare))) for spare in (0.07, 0.28)]
    title = drawn("cleaning").title
    assert title.endswith(f"{(3 + 1) / 3:.2f}.")
    names = [re.search(r'title id="([^"]+)"', drawn("stripe").sheets[0])[1] for _ in range(2)]
    assert names[0] != names[1]
    words = drawn("stripe").title
    data = [int(bits, 2) for bits in re.findall(r"\b[01]{4}\b", words)]
    *dies, parity, again = data
    assert dies[1] == again
    assert dies[0] ^ dies[1] ^ dies[2] ^ dies[3] == parity
