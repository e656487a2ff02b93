"""What every page does for a reader: it answers once, explains its terms, folds its code."""

import functools
import json
import os
import re
import tomllib
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from built import HTML, prose_pages, sources

from meaning import OWN

ROOT = Path(__file__).parents[2]
FOLDED = prose_pages('<details class="admonition hide above-input">')
TERMS = prose_pages('class="fw-term')
CHAPTERS = sorted(name for name in sources() if name.startswith("chapters/"))
LONG_CODE = {"chapters/ftl.html", "chapters/queueing.html"}  # where the code is the matter
NUMBERS = re.compile(r"(?<![\w.])[-\u2212]?\d[\d,.]*")
MODELS = re.compile(  # with their capacity, as "256 GB M600"
    r"(?:\d+(?:\.\d)? ?[GT]B )?\b(?:[A-Z]{1,6}-?\d{2,5}\w*|\d{3} (?:EVO|PRO|QVO|DCT)|P\d00m)\b"
)
BREAKABLE = re.compile(r"\d (?=%|(?:[kMGTP]i?B|USD|IOPS)\b)")


@functools.cache
def article(page):
    words = re.sub(r"<(svg|script)\b.*?</\1>", "", sources()[page], flags=re.DOTALL)
    return BeautifulSoup(words, "html.parser").select_one("article.bd-article")


def test_there_are_fourteen_chapters_of_a_bearable_length_and_few_numbers():
    words = {page: len(visible(page, "").split()) for page in CHAPTERS}
    assert not words or len(words) == 14
    assert max(words.values(), default=0) <= 2_600, words
    assert sum(words.values()) <= 25_000
    dense = {}
    for page in CHAPTERS:
        away = ", figure, .math, .section-number, a.reference, .fw-kept"
        words = MODELS.sub("drive", visible(page, away))
        dense[page] = 100 * len(NUMBERS.findall(words)) / len(words.split())
    assert {page: share for page, share in dense.items() if share > 3.5} == {}


def visible(page, away):
    """Return all words of a page, folded ones too, without code and what is to be left away.

    This counts the words of the chapters; those of the workshop are counted as reading minutes are.
    """
    body = BeautifulSoup(str(article(page)), "html.parser")
    for part in body.select(f"pre, .fw-minutes, .headerlink, .fw-data, button{away}"):
        part.decompose()
    return body.get_text(" ").replace("\N{NO-BREAK SPACE}", " ")


def test_a_chapter_says_what_it_builds_on_and_explains_a_word_where_it_first_uses_it():
    for page in CHAPTERS:
        apart = "figure *, table *, form *, [class^=fw-], [class^=fw-] *"
        lines = article(page).select(f"p:not({apart})")
        for term in OWN:
            used = [line for line in lines if re.search(rf"\b{term}s?\b", line.get_text())]
            anchor = f"a.fw-term[href$=term-{term.replace(' ', '-')}]"
            assert not used or used[0].select(anchor), (page, term)
    table = tomllib.loads((ROOT / "book" / "before.toml").read_text(encoding="utf-8"))
    for page, before in table.items():
        line = article(f"{page}.html").select_one(".fw-minutes")
        links = [link["href"] for link in line.select("a")]
        there = [os.path.relpath(f"{name}.html", os.path.dirname(page)) for name in before]
        assert links[: len(before)] == there, page
        assert len(links) <= len(before) + 3, page


def test_a_chapter_answers_once_and_shortly_with_few_large_numbers_and_little_code():
    for page in CHAPTERS:
        boxes = [box for box in article(page).select(".admonition")
                 if box.select_one(".admonition-title").get_text() == "In short"]  # fmt: skip
        assert len(boxes) == 1, page
        text = boxes[0].get_text(" ").replace("In short", "", 1).strip()
        assert len(re.findall(r"[.?!](?:\s|$)", text)) <= 3, (page, text)
        given = [number.get_text() for number in boxes[0].select(".pasted-text")]
        assert len(given) <= 5, (page, given)
        for number in (numbers := article(page).select(".fw-number")):
            section = number.find_parent("section")
            assert [one for one in numbers if one.find_parent("section") is section] == [number]
    shown = 0
    for page in CHAPTERS:
        assert not article(page).select("table.fw-claims"), page
        for cell in article(page).select(".cell_input"):
            if cell.find_parent("details") is None and cell.find_parent(class_="solution") is None:
                lines = len(cell.get_text().strip().splitlines())
                assert lines <= 8 or page in LONG_CODE, (page, lines)
                shown += 1
    assert shown <= 40


def test_a_value_of_one_name_is_the_same_in_all_chapters():
    made = HTML.parent / "jupyter_execute"
    pages = [*made.glob("chapters/*.glue.json"), *made.glob("*.glue.json")]
    assert len(pages) > 13
    values = {}
    for page in pages:
        for name, outputs in json.loads(page.read_text("utf-8")).items():
            text = outputs["data"]["text/plain"]
            values.setdefault(name, {}).setdefault(text, []).append(page.name)
    assert not {name: found for name, found in values.items() if len(found) > 1}


def test_a_number_and_its_unit_stay_on_one_line():
    apart = []
    # titles of works stand as they were published
    pages = set(prose_pages('<article class="bd-article"')) - {"reference/references.html"}
    for page in filter(lambda page: BREAKABLE.search(sources()[page]), pages):
        prose = [p for p in article(page).select("p") if not p.find_parent("table")]
        texts = (
            t for p in prose for t in p.find_all(string=True) if not t.find_parent(("code", "pre"))
        )
        apart += [f"{page}: {text}" for text in texts if BREAKABLE.search(text)]
    assert not apart


@pytest.mark.browser
def test_a_term_says_what_it_means_until_escape(visit):
    one = visit(TERMS[0] if TERMS else "(none)")
    term = one.page.locator("a.fw-term:visible").first
    meaning = one.page.get_by_role("tooltip")
    term.focus()
    meaning.wait_for()
    assert len(meaning.inner_text()) > 20
    assert term.get_attribute("aria-describedby") == meaning.get_attribute("id")
    one.page.keyboard.press("Escape")
    assert meaning.count() == 0  # hidden things have no role
    term.hover()
    meaning.wait_for()
    meaning.hover()  # what is shown can be pointed at
    one.page.wait_for_timeout(400)
    assert meaning.is_visible()


@pytest.mark.browser
def test_one_control_shows_all_folded_code_and_without_scripts_each_cell_unfolds(visit):
    one = visit(FOLDED[0] if FOLDED else "(none)")
    code = one.page.locator("details.above-input .highlight")
    button = one.page.get_by_role("button", name="code of charts and tables")
    assert not code.first.is_visible()
    assert one.page.locator("details.above-input > summary:visible").count() == 0
    button.press("Enter")
    assert all(box.is_visible() for box in code.all())
    one.page.reload()
    assert code.first.is_visible()
    button.click()
    assert not code.first.is_visible()
    one = visit(FOLDED[0] if FOLDED else "(none)", javascript=False, strict=False)
    assert one.page.locator("details.above-input > summary:visible").count() > 1


@pytest.mark.browser
def test_a_wide_table_says_so_and_is_reached_with_the_keyboard(visit):
    one = visit("reference/course.html", width=390)
    wide = one.page.locator(".fw-scrolls").first
    assert wide.get_attribute("role") == "region"
    assert "scrolls sideways" in wide.get_attribute("aria-label")
    wide.focus()
    one.page.keyboard.press("End")
    wide.evaluate("box => { box.scrollLeft = box.scrollWidth; }")
    one.wait_for(lambda: "fw-scrolls-on" not in wide.get_attribute("class"))
