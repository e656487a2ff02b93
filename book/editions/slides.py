"""Make slides of the chapters that have a quiz, from their built pages: ``make slides``.

Nothing is written for them: titles are the chapter's question, the claims of its captions and the
headings of its sections. A drawing in steps has a slide for each step. What runs or is moved in
the page is named; what runs has no slide.
"""

import copy
import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import check
import typst
from bs4 import BeautifulSoup, Tag
from pages import PANEL, SITE, drawn, opened, project, set_equation, whole
from setting import FONTS, Node, for_typst, raw, typst_text

TEMPLATE = Path(__file__).with_name("slides.typ")
TARGET = SITE / "slides"
HANDS_ON = re.compile(r"^(Move|Choose|Step)\b[^:.]*: ")  # what only readers of the page can do
SENTENCE = re.compile(r"(?<=[.?!:])\s+(?=[A-Z\\]|\0)")
CHART_WORDS = "15px"  # from 13 or 14: set in a narrower face than the page's
EDGE = 8  # beside a chart, for words that are larger than it was drawn for


def chapters() -> list[str]:
    """Name the chapters that have a quiz."""
    found = sorted((SITE / "chapters").glob("*.html"))
    return [one.stem for one in found if 'class="fw-quiz"' in one.read_text(encoding="utf-8")]


def read(chapter: str) -> Tag:
    """Return the page of a chapter, its equations as pandoc reads them."""
    page = opened(f"chapters/{chapter}")
    for number in page.select(".section-number"):
        number.decompose()
    for equation in page.select("div.math"):
        set_equation(BeautifulSoup("", "html.parser"), equation)
    return page


def inside(tag: Tag | None) -> str:
    """Return what a tag holds, as HTML."""
    return tag.decode_contents().strip() if tag else ""


def sentences(html: str) -> list[str]:
    """Return the sentences of HTML; the attributes of tags hold none."""
    tags: list[str] = re.findall(r"<[^>]*>", html)
    rest = iter(tags)
    bare = re.sub(r"<[^>]*>", "\0", html)
    return [re.sub("\0", lambda _: next(rest), one) for one in SENTENCE.split(bare)]


def without_hands(html: str) -> str:
    """Return sentences without the words that only hold on a page."""
    kept = [one for one in sentences(HANDS_ON.sub("", html)) if "slider" not in one]
    said = " ".join(kept)
    return said[:1].upper() + said[1:]


def slide(title: str, body: str) -> str:
    """Return a slide as HTML."""
    return f"<h1>{title}</h1>{body}"


def box(kind: str, body: str) -> str:
    """Return a part of a slide that the template sets in its own way."""
    return f'<div class="{kind}">{body}</div>'


# -- what a page has, and its slides ---------------------------------------------------------------


def goals(page: Tag) -> list[str]:
    """Return the slide of what readers will be able to do."""
    found = page.find("strong", string="Afterwards you can")
    if found is None:
        return []
    words = copy.copy(found.parent)
    title = words.strong.extract()
    able, _, need = inside(words).partition("<strong>")
    need = need.partition("<strong>")[0]  # without how to run it
    return [slide(title.get_text(), box("large", f"<p>{able}</p><p><strong>{need}</p>"))]


def guess(found: Tag) -> list[str]:
    """Return a question to guess, and the slide with its answer."""
    asked, told = found.find_all("p")[:2]
    title = inside(asked.strong.extract()).rstrip(".")
    return [
        slide(title, box("large", f"<p>{inside(asked)}</p>{more}"))
        for more in ("", f"<p><strong>{inside(told)}</strong></p>")
    ]


def quiz(question: Tag) -> list[str]:
    """Return a question, and the slide with its answer."""
    choices = [(inside(label), label.input["value"] == "1") for label in question.find_all("label")]
    why = question.details.p
    why.strong.decompose()
    asked = "".join(box("choice", re.sub("<input[^>]*>", "", text)) for text, _ in choices)
    told = "".join(
        box("right" if right else "choice", re.sub("<input[^>]*>", "", text))
        for text, right in choices
    )
    title = inside(question.legend)
    return [slide(title, asked), slide(title, told + box("large", f"<p>{inside(why)}</p>"))]


def equation(found: Tag) -> list[str]:
    """Return the slide of a numbered equation, with the sentences before it."""
    if found.find_parent(class_="admonition"):
        return []  # a proof that is folded, or an exercise
    before = found.find_previous_sibling()
    *_, last = before.find_all("li") or [before]
    lead = " ".join(sentences(inside(last.p or last))[-2:])
    title = inside(found.find_parent("section").find(["h1", "h2", "h3"]))
    return [slide(title, f"<p>{lead}</p>{found}")]


def caption(figure: Tag) -> tuple[str, str, str]:
    """Return number, claim and the rest of the caption of a figure."""
    rest, claim = (inside(figure.select_one(one)) for one in (".caption-text", ".fw-headline"))
    return inside(figure.select_one(".caption-number")).strip(), claim, rest


def figure(found: Tag, folder: Path) -> list[str]:
    """Return the slide of a figure, or one for each of its steps."""
    if found.select_one(PANEL):
        return []
    number, claim, rest = caption(found)
    steps = [inside(step) for step in found.select(".fw-steps > li")]
    made = []
    for step, words in enumerate(steps or [""], 1):
        svg = whole(found, step)
        file = folder / f"{found['id']}-{step}.svg"
        words_larger = re.sub('font-size="1[34]px"', f'font-size="{CHART_WORDS}"', drawn(svg))
        file.write_text(words_larger, encoding="utf-8")
        _, _, width, height = map(float, svg["viewbox"].split())
        width += 2 * EDGE
        svg["viewbox"] = f"{-EDGE} 0 {width} {height}"
        svg["width"], svg["height"] = width, height
        said = svg.get("aria-label") or svg.title.get_text()
        called = json.dumps([str(file), said, width / height, bool(steps)], ensure_ascii=False)[
            1:-1
        ]
        text = box("small", f"<p>{number}. {without_hands(rest)}</p>")
        picture = BeautifulSoup(box("figured", f"<p>{words}</p>{text}"), "html.parser").div
        picture["data-call"] = called
        made.append(slide(without_hands(claim), str(picture)))
    return made


def live(page: Tag) -> list[str]:
    """Return the slide that names what runs, or is moved, in the page."""
    names = [
        f"<li>{' '.join(caption(one)[:2])}</li>"
        for one in page.select("figure[id]")
        if one.select_one(PANEL) or '"bind":' in inside(one.script)
    ]
    return [slide("Live in the book", box("large", f"<ul>{''.join(names)}</ul>"))] if names else []


def sources(slides: list[str]) -> list[str]:
    """Return the slide of works that the others cite, of data that ask to be named, and rights."""
    every = BeautifulSoup("".join(slides), "html.parser")
    works = [link["title"] for link in every.select(".bibtex-citation a[title]")]
    data = [one for one in sentences(every.get_text(" ")) if "CC BY" in one]
    named = "".join(f"<li>{one}</li>" for one in dict.fromkeys([*works, *data]))
    about = project()
    rights = f"{about['title']} {about['version']}, {about['author']}. {about['rights']}"
    return [slide("Sources and licence", box("small", f"<ul>{named}</ul><p>{rights}</p>"))]


def slides(page: Tag, folder: Path) -> list[str]:
    """Return the slides of a chapter in their order; pictures become files of a folder."""
    made = goals(page)
    for found in page.select(".fw-guess, figure[id], div[id^=equation-]"):
        if found.name == "figure":
            made += figure(found, folder)
        else:
            made += guess(found) if "fw-guess" in found.get("class", ()) else equation(found)
    short = page.select_one(".admonition.tip")
    made.append(slide(inside(short.p), box("large", "".join(map(str, short.find_all("p")[1:])))))
    made += live(page)
    for question in page.select(".fw-quiz fieldset"):
        made += quiz(question)
    return made + sources(made)


# -- PDF -------------------------------------------------------------------------------------------


def for_slides(node: Node) -> Any:
    """Set what the template has a form for."""
    if node["t"] == "Div":
        (_, classes, pairs), content = node["c"]
        call = f"({dict(pairs)['call']})" if dict(pairs).get("call") else ""
        return [raw(f"#{classes[0]}{call}["), *content, raw("]")] if classes else content
    return for_typst(node)


def make(chapter: str, folder: Path) -> list[str]:
    """Set the slides of a chapter with Typst; say what is wrong with them."""
    page = read(chapter)
    made = slides(page, folder)
    deck = BeautifulSoup("".join(made), "html.parser")
    for link in deck.select("a"):
        if link.select_one(".std-ref"):
            link.wrap(deck.new_tag("em"))  # the title of another page
        link.unwrap()
    for tag in deck.select("[id]"):
        del tag["id"]
    body = typst_text(str(deck), for_slides)
    about = project()
    names = {"book": about["title"], "author": about["author"], "version": about["version"]}
    names["title"] = page.h1.get_text()
    head = "".join(
        f"#let {name} = {json.dumps(words, ensure_ascii=False)}\n" for name, words in names.items()
    )
    source = folder / "slides.typ"
    source.write_text(f"{head}{TEMPLATE.read_text(encoding='utf-8')}\n{body}", encoding="utf-8")
    target = TARGET / f"{chapter}.pdf"
    target.write_bytes(typst.compile(source, root="/", ignore_system_fonts=True))
    figures = {
        caption(one)[0]: 0 if one.select_one(PANEL) else len(one.select(".fw-steps > li")) or 1
        for one in page.select("figure[id]")
    }
    drawn_words = "".join(one.read_text(encoding="utf-8") for one in folder.glob("*.svg"))
    return check.glyphs(body + drawn_words, FONTS) + check.slides(target, len(made) + 1, figures)


def main() -> int:
    """Make the slides of each chapter that has a quiz."""
    if not (found := chapters()):
        print(f"no chapter with a quiz in {SITE}: run `make book` first", file=sys.stderr)
        return 2
    TARGET.mkdir(exist_ok=True)
    for chapter in found:
        with tempfile.TemporaryDirectory() as name:
            if wrong := make(chapter, Path(name)):
                print(f"{chapter}:", *wrong, sep="\n", file=sys.stderr)
                return 1
        print(TARGET / f"{chapter}.pdf")
    offer(found)
    return 0


def offer(found: list[str]) -> None:
    """Let the page for teachers link the slides."""
    page = SITE / "reference" / "course.html"
    links = ", ".join(
        f'<a href="../slides/{chapter}.pdf">{read(chapter).h1.get_text()}</a>' for chapter in found
    )
    text = page.read_text(encoding="utf-8")
    made = re.sub(
        r'<p class="fw-slides">.*?</p>',
        lambda _: f'<p class="fw-slides">Slides (PDF): {links}.</p>',
        text,
        count=1,
        flags=re.DOTALL,
    )
    page.write_text(made, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
