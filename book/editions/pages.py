"""Built pages as the editions and the slides read them."""

import copy
import re
import tomllib
from pathlib import Path

from bs4 import BeautifulSoup, Tag

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "build" / "_build" / "html"
HEADINGS = [f"h{level}" for level in range(1, 7)]
STYLE = ROOT / "book" / "theme" / "book.css"
GAP = 20.0  # between the sheets of a drawing
# what a reader does on a page that moves, before what he sees
TOUCHED = re.compile(r"(?:Step through it|Move the sliders?|Choose [a-zA-Z ]+): (\w)")
PANEL = ".fw-drive, .fw-game, .fw-lanes"  # it runs, and needs a page that runs


def opened(page: str) -> Tag:
    """Return the body of a page, without links to its own headings."""
    soup = BeautifulSoup((SITE / f"{page}.html").read_text(encoding="utf-8"), "html.parser")
    found = soup.select_one("article.bd-article")
    assert found is not None, page
    for link in found.select("a.headerlink"):
        link.decompose()
    return found


def named(page: str) -> str:
    """Return the id of a page inside the document."""
    return page.replace("/", "-")


def article(page: str, media: Path) -> Tag:
    """Return the body of a page as it stands on paper; its pictures become files."""
    found = opened(page)
    soup = BeautifulSoup("", "html.parser")  # to make tags
    solutions = [*map(quiz, found.select("form.fw-quiz")), *found.select(".solution")]
    for title in found.select(".solution > .admonition-title"):
        exercise = title.find_previous(class_="exercise")
        if exercise and (asked := exercise.select_one(".admonition-title")):
            title.string = asked.get_text()  # else it only says that it is one
    for card in found.select(".sd-card"):
        for link in card.select("a.sd-stretched-link"):
            link.decompose()
        card.replace_with(paragraph(soup, card))
    for away in found.select(
        "script, style, form, .fw-data, .fw-minutes, .fw-editions, noscript, "
        "details.hide.above-input, button, .visually-hidden"
    ):
        away.decompose()
    for panel in found.select(f"figure:has({PANEL}), {PANEL}, .fw-live"):
        panel.decompose()
    for number, svg in enumerate(found.find_all("svg")):
        if svg.decomposed or svg.find_parent("svg") is not None:
            continue  # went with its figure, or is a part of another
        file = media / f"{named(page)}-{number}.svg"
        frame = svg.find_parent("figure", class_=["fw-chart", "fw-drawing"])
        file.write_text(drawn(whole(frame) if frame else svg), encoding="utf-8")
        words = svg.get("aria-label") or (svg.title.get_text() if svg.title else "")
        picture = soup.new_tag("img", src=str(file), alt=words)
        (frame or svg).insert_before(picture)
        for steps in frame.select(".fw-steps") if frame else []:
            picture.insert_after(steps.extract())
        (frame or svg).decompose()
    for text in found.select("figcaption, .fw-headline, p"):
        for words in text.find_all(string=TOUCHED):
            words.replace_with(TOUCHED.sub(lambda told: (told[1] or "").upper(), words))
    if solutions := [solution for solution in solutions if solution]:
        found.append(BeautifulSoup("<h2>Solutions</h2>", "html.parser"))
        found.extend(solution.extract() for solution in solutions)
    for section in found.find_all("section"):  # else no chapter of it begins a file
        if (title := section.find(HEADINGS, recursive=False)) and section.get("id"):
            title["id"] = section["id"]
        section.unwrap()
    for fold in found.find_all(["details", "summary"]):
        if fold.name == "summary":
            fold.decompose()
        else:
            fold.unwrap()
    for row in found.select("table.fw-claims"):
        row.replace_with(claims(soup, row))
    for cell in found.select("table[id], table [id]"):
        del cell["id"]  # of pandas: nothing leads there
    for equation in found.select("div.math"):
        set_equation(soup, equation)
    for number in found.select(".section-number"):
        number.string = f"{number.get_text().strip().rstrip('.')} "
    return found


def quiz(form: Tag) -> Tag:
    """Put the questions of a quiz in its place as text, and return the answers."""
    soup = BeautifulSoup(
        "<div></div><div><p><strong>Check yourself.</strong></p></div>", "html.parser"
    )
    asked, told = soup.find_all("div", recursive=False)
    for question in form.select("fieldset"):
        legend, answer = question.legend, question.details
        assert legend is not None
        assert answer is not None
        number = legend.get_text().partition(".")[0]
        line = soup.new_tag("p")
        choices = [label.get_text().strip() for label in question.select("label")]
        line.string = f"{legend.get_text()} {'; '.join(choices[:-1])}; or {choices[-1]}?"
        asked.append(line)
        reason = answer.find("p")
        assert reason is not None
        reason.insert(0, f"{number}. ")
        told.append(reason.extract())
    form.replace_with(asked)
    return told


def paragraph(soup: BeautifulSoup, card: Tag) -> Tag:
    """Return a card of the start page as a paragraph."""
    title, line = card.select_one(".sd-card-title"), soup.new_tag("p")
    if title:
        strong = soup.new_tag("strong")
        strong.string = f"{title.extract().get_text().strip()}. "
        line.append(strong)
    line.append(" ".join(card.get_text(" ").split()))
    return line


def whole(figure: Tag, step: int | None = None) -> Tag:
    """Return the picture of a figure, its sheets side by side; as it is in a step, if one is given."""
    sheets = [copy.copy(svg) for svg in figure.select(".fw-sheets > svg")]
    if not sheets:
        return copy.copy(figure.svg)
    x, height = -GAP, 0.0
    for sheet in sheets:
        _, _, wide, high = sheet["viewbox"].split()
        sheet.attrs |= {"x": f"{x + GAP:g}", "width": wide, "height": high}
        x, height = x + GAP + float(wide), max(height, float(high))
        if step is not None:
            set_step(sheet, step)
    found = BeautifulSoup("", "html.parser").new_tag(
        "svg", xmlns="http://www.w3.org/2000/svg", viewbox=f"0 0 {x:g} {height:g}"
    )
    found["aria-label"] = " ".join(sheet.title.get_text() for sheet in sheets)
    found.extend(sheets)
    return found


def set_step(sheet: Tag, step: int) -> None:
    """Let a sheet be as it is in a step."""
    for part in sheet.select("[data-from]"):
        if int(part["data-from"]) <= step <= int(part["data-to"]):
            del part["visibility"]
        else:
            part.decompose()
    colours = dict(re.findall(r"--fw-([a-z]+): (#\w+);", STYLE.read_text(encoding="utf-8"))[::-1])
    for part in sheet.select(".fw-moving"):
        place, kind = (part[name].split()[step - 1] for name in ("data-at", "data-is"))
        if kind not in colours:
            part.decompose()
            continue
        part["transform"] = f"translate({place.replace(',', ' ')})"
        part["fill"] = colours[kind]  # of a white page, which stands first
        del part["opacity"]


def drawn(svg: Tag) -> str:
    """Return a picture with the colours of a white page."""
    text = re.sub(r"var\(--[\w-]+, (#\w+)\)", r"\1", str(svg))
    for name in ("viewBox", "clipPath"):  # the parser of HTML writes them small
        text = text.replace(name.lower(), name)
    return text.replace("currentcolor", "#22262a").replace("currentColor", "#22262a")


def set_equation(soup: BeautifulSoup, equation: Tag) -> None:
    """Let an equation be one to pandoc, its number behind it."""
    number = equation.select_one(".eqno")
    words = number.extract().get_text() if number else ""
    tex = equation.get_text().strip().removeprefix("\\[").removesuffix("\\]")
    tex = (
        tex.replace("\\begin{split}", "")
        .replace("\\end{split}", "")
        .replace("\\vphantom", "\\phantom")
    )
    line = soup.new_tag("p")
    span = soup.new_tag("span", attrs={"class": "math display"})
    span.string = f"\\[{tex}\\]"
    line.append(span)
    if words:
        line.append(f" {words}")
    block = soup.new_tag("div", id=equation.get("id", ""))
    block.append(line)
    equation.replace_with(block)


def claims(soup: BeautifulSoup, table: Tag) -> Tag:
    """Turn the wide table of claims into a list: paper has no room for five columns."""
    entries = soup.new_tag("div")
    for row in table.select("tbody > tr"):
        name, claim, stated, outcome, how = row.find_all("td")
        entry = soup.new_tag("p", id=row["id"])
        strong = soup.new_tag("strong")
        strong.string = name.get_text(strip=True)
        said = " ".join(claim.get_text(" ", strip=True).split())
        came = ", ".join(outcome.stripped_strings)
        entry.extend([strong, f" {said}. Stated: {stated.get_text(strip=True) or 'nothing'}. "])
        verdict = soup.new_tag("em")
        verdict.string = f"{came[:1].upper()}{came[1:]}."
        entry.extend([verdict, f" {how.get_text(' ', strip=True)}"])
        box = soup.new_tag("div", id=row["id"])
        del entry["id"]
        box.append(entry)
        entries.append(box)
    return entries


def project() -> dict[str, str]:
    """Return what the covers say."""
    table = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    package = (ROOT / "models" / "flashwear" / "__init__.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "(.+)"$', package, re.MULTILINE)
    assert found
    return {
        "title": "Flash Wear",
        "author": table["authors"][0]["name"],
        "version": found[1],
        "rights": "Text and figures: Creative Commons Attribution 4.0. Code: MIT licence.",
    }
