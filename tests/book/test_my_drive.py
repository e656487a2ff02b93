"""The page *My drive*: the command's own answer, from disk, and nothing leaves the browser."""

import contextlib
import io
import random
import re
import shutil
import sys
from pathlib import Path

import pytest
import reports
from built import HTML

from flashwear.cli import main

pytestmark = pytest.mark.browser

PAGE = "my-drive.html"
ENGINE = HTML / "_static" / "my-drive-engine.js"
# the engine that the page starts is kept, so that it can be asked without the form
KEEP = """() => {
    let start;
    Object.defineProperty(window, "flashwearEngine", {
        get: () => start,
        set: (engine) => { start = async () => (window.judge = await engine()); },
    });
}"""
JUDGE = """([text, words, older]) => {
    const bytes = (one) => new TextEncoder().encode(one);
    return window.judge(bytes(text), words, older === undefined ? older : bytes(older));
}"""
SAID = "() => document.getElementById('fw-said').textContent"


@pytest.fixture(scope="module", autouse=True)
def built():
    """Skip where the book was built without npm."""
    if ENGINE.is_file() and ENGINE.stat().st_size < 1000 and shutil.which("npm") is None:
        pytest.skip("no npm: pasting is not built into this book")


def command(report, *words):
    """Return what the command answers to the same bytes: exit status, output and errors."""
    out, err, stdin = io.StringIO(), io.StringIO(), sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(report))
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = main(["smart", *words, "-"])
    finally:
        sys.stdin = stdin
    return [status, out.getvalue(), err.getvalue()]


def seeded_report(rng):
    """Return a report of our own making, of a drive that is worn, failing, odd or cut off."""
    hours, written = rng.randrange(60_000), int(10 ** rng.uniform(3, 9))
    if rng.random() < 0.5:
        text = reports.nvme(
            model=rng.choice(["Samsung SSD 970 EVO Plus 1TB", "CT1000P1SSD8", "Unheard-of"]),
            health={"percentage_used": rng.choice([0, 3, 50, 89, 90, 99, 100, 255]),
                    "available_spare": rng.choice([100, 60, 9, 0]), "available_spare_threshold": 10,
                    "data_units_written": written, "data_units_read": 2 * written,
                    "power_on_hours": hours, "power_cycles": rng.randrange(5000),
                    "unsafe_shutdowns": rng.randrange(100),
                    "media_errors": rng.choice([0, 0, 0, 7])},
        )  # fmt: skip
    else:
        life = rng.randrange(101)
        text = reports.ata(
            model=rng.choice(
                ["CT500MX500SSD1", "INTEL SSDSC2BB480G4", "Samsung SSD 850 PRO 256GB"]
            ),
            attributes={5: rng.choice([0, 0, 3, 900]), 9: hours, 173: (life, rng.randrange(3000)),
                        177: (life, rng.randrange(3000)), 202: (life, 100 - life), 241: written,
                        246: 900 * written, 247: 30 * written, 248: rng.randrange(100) * written},
            layout=rng.choice(["brief", "old"]),
        )  # fmt: skip
    return text[: rng.randrange(len(text))] if rng.random() < 0.1 else text


@pytest.fixture(scope="module")
def started(tab):
    tab.go_to(PAGE)
    tab.page.evaluate(KEEP)
    tab.page.locator("#fw-example").click()
    tab.page.wait_for_function(SAID)
    yield tab.page
    assert not tab.problems


@pytest.fixture
def page(started):
    """Return the page with an empty form and no answer."""
    started.locator("#fw-report").fill("")  # which also forgets a file
    started.evaluate("() => document.getElementById('fw-my-drive').reset()")
    started.evaluate("() => document.getElementById('fw-said').replaceChildren()")
    return started


@pytest.mark.parametrize("count", [40, pytest.param(200, marks=pytest.mark.proof)])
def test_reports_of_our_making_get_the_answer_of_the_command(started, count):
    rng = random.Random(22)
    for _ in range(count):
        report = seeded_report(rng)
        words = rng.choice([[], ["--tbw", "150TB"], ["--dwpd", "0.3"]])
        assert started.evaluate(JUDGE, [report, words]) == command(report.encode(), *words)


@pytest.mark.parametrize(
    "report", ["", "\n", "no report", "\x00\ufffd" * 5000, "9" * 5_000_000], ids=range(5)
)
def test_what_is_no_report_gets_the_message_of_the_command(started, report):
    expected = command(report.encode())
    assert started.evaluate(JUDGE, [report, []]) == expected
    assert expected[0] == 3


@pytest.mark.parametrize("older", [reports.nvme(health={"power_on_hours": 5000}), "no report"])
def test_two_reports_get_the_answer_of_the_command(started, tmp_path, monkeypatch, older):
    monkeypatch.chdir(tmp_path)
    Path("the older report").write_text(older, encoding="utf-8")
    newer = reports.nvme(health={"power_on_hours": 9000})
    for words in ([], ["--json"]):
        expected = command(newer.encode(), *words, "--same-drive", "the older report")
        assert started.evaluate(JUDGE, [newer, words, older]) == expected


def test_an_older_report_is_pasted_in_its_own_box(page):
    page.locator("#fw-report").fill(reports.nvme(health={"power_on_hours": 9000}))
    page.locator("#fw-my-drive summary").press("Enter")
    page.locator("#fw-older").fill(reports.nvme(health={"power_on_hours": 9000}))
    page.locator("#fw-my-drive button[type=submit]").click()
    page.wait_for_function(SAID)
    refused = "Not compared: the reports must lie at least an hour under power apart."
    assert refused in page.locator("#fw-story").inner_text()


def test_the_page_is_used_by_keyboard_alone(page):
    report = reports.nvme(health={"percentage_used": 101, "power_on_hours": 9000})
    page.locator("#fw-report").focus()
    page.keyboard.insert_text(report)
    for key in ("Tab", "Tab"):
        page.keyboard.press(key)
    page.keyboard.insert_text("200")
    page.keyboard.press("Enter")
    said = page.locator("#fw-said")
    page.wait_for_function(SAID)
    status, out, err = command(report.encode(), "--tbw", "200TB")
    assert "200 TB" in out
    assert said.text_content() == out + err
    assert page.locator("#fw-answer").get_attribute("data-level") == str(status)


def test_a_file_is_read_and_the_page_stays_usable_after_a_bad_one(page, tmp_path):
    file = tmp_path / "powershell.txt"
    file.write_text(reports.nvme(), encoding="utf-16")
    page.locator("#fw-file").set_input_files(str(file))
    page.wait_for_function(SAID)
    assert page.locator("#fw-report").input_value().lstrip("\ufeff") == reports.nvme()
    bad, good = tmp_path / "bad.bin", tmp_path / "good.txt"
    bad.write_bytes(bytes(range(256)) * 100)
    good.write_text(reports.nvme(), encoding="utf-8")
    for file in (bad, good):
        page.locator("#fw-file").set_input_files(str(file))
        _, out, err = command(file.read_bytes())
        shown = re.sub(
            r"^flashwear: -: | \(pipe a report in.*\)$", "", out + err, flags=re.MULTILINE
        )
        shown = shown.replace("give it with --tbw or --dwpd", "enter it in the box above")
        page.wait_for_function(
            "(text) => document.getElementById('fw-said').textContent === text", arg=shown
        )


def test_a_rating_is_taken_as_people_write_it_and_one_that_is_none_is_not_sent(page):
    for typed in ("0", "-5", "many", "1e9", "1.000"):
        page.locator("#fw-tbw").fill(typed)
        page.locator("#fw-example").click()
        assert page.locator("#fw-tbw").evaluate("(box) => box.validationMessage"), typed
        assert page.locator("#fw-answer").is_hidden()
    for typed, words in (("600", "600 TB"), ("1,500", "1.5 PB"), ("0.5", "500 GB"),
                         ("2,5", "2.5 TB")):  # fmt: skip
        page.locator("#fw-tbw").fill(typed)
        page.locator("#fw-example").click()
        page.wait_for_function(
            "(words) => document.getElementById('fw-said').textContent.includes(words)", arg=words
        )


def test_a_copied_report_is_whole_without_its_last_line_end_and_nothing_to_read_is_said(page):
    page.locator("#fw-my-drive button[type=submit]").click()
    assert page.locator("#fw-answer strong").inner_text() == "Paste a report first."
    text = page.locator("#fw-example-report").text_content().strip()
    page.locator("#fw-report").fill(text.replace(" ", "\u00a0", 3))
    page.locator("#fw-my-drive button[type=submit]").click()
    page.wait_for_function(SAID)
    assert page.locator("#fw-answer").get_attribute("data-level") == "0"


def test_without_scripts_the_page_says_what_to_do_and_no_other_loads_its_script(visit):
    page = visit(PAGE, javascript=False, strict=False).page  # preloaded scripts count as failed
    assert page.locator("#fw-my-drive").is_hidden()
    assert "flashwear smart report.txt" in page.locator(".bd-article").inner_text()
    assert "runs no JavaScript" in page.locator(".bd-article").inner_text()
    pages = [path for path in HTML.glob("*.html") if "my-drive.js" in path.read_text("utf-8")]
    assert [path.name for path in pages] == [PAGE]


JUDGES = """window.flashwearEngine = async () => (report, words) =>
    [1, words.includes('--json') ? '{"drives": []}' : 'as it judges', ''];"""


@pytest.mark.parametrize(("engine", "answer", "said", "level"), [
    (JUDGES, "", "as it judges", "1"),
    ("window.flashwearEngine = null;", "not built", "Use the command below instead.", "3"),
])  # fmt: skip
def test_the_engine_is_loaded_when_asked_for_and_a_book_without_it_says_so(
    visit, engine, answer, said, level
):
    page = visit(PAGE).page
    page.wait_for_load_state("load")
    assert page.evaluate("typeof window.flashwearEngine") == "undefined"
    script = {"body": engine, "content_type": "text/javascript"}
    page.route(f"**/{ENGINE.name}", lambda route: route.fulfill(**script))
    page.locator("#fw-example").click()
    page.wait_for_function(SAID)
    assert answer in page.locator("#fw-answer").inner_text()
    assert page.locator("#fw-said").inner_text() == said
    assert page.locator("#fw-answer").get_attribute("data-level") == level
