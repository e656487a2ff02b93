"""The page *Which drive?*: the command's answer, by form, by link, and without scripts."""

import contextlib
import html
import io
import json
import shutil
import sys

import pytest
from built import HTML

from flashwear.cli import main
from flashwear_book import buying

pytestmark = pytest.mark.browser

PAGE = "which-drive.html"
ENGINE = HTML / "_static" / "my-drive-engine.js"
SAYS = "(words) => document.getElementById('fw-which-verdict').textContent.includes(words)"


@pytest.fixture(scope="module", autouse=True)
def built():
    """Skip where the book was built without npm."""
    if ENGINE.is_file() and ENGINE.stat().st_size < 1000 and shutil.which("npm") is None:
        pytest.skip("no npm: choosing is not built into this book")


def command(line, drives=buying.LIST, *, report=()):
    """Return what the command answers."""
    out, stdin = io.StringIO(), sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(drives.encode()))
    try:
        with contextlib.redirect_stdout(out):
            main(["choose", *report, *line.split(), "--candidates", "-", "--json"])
    finally:
        sys.stdin = stdin
    return json.loads(out.getvalue())


def answered(page, told):
    page.wait_for_function(SAYS, arg=told["sentence"])
    return page.locator("#fw-which-said").text_content() == "\n".join(told["lines"][2:])


def test_the_form_answers_as_the_command_does_while_typing_and_a_link_carries_it(visit):
    page = visit(PAGE).page
    page.locator("#fw-which button[type=submit]").press("Enter")
    assert answered(page, command("--load proxmox:10 --below zfs --raid mirror:2"))
    page.locator("#fw-which-load").select_option("postgres")
    assert page.locator("#fw-which-unit").inner_text() == "Rows a second"
    page.locator("#fw-which-amount").fill("50-90")
    page.locator("#fw-which-raid").fill("")
    page.locator("#fw-which-space").fill("400")
    page.locator("#fw-which-plp").check()
    line = "--load postgres:50-90/s --below zfs --years 5 --space 400GB --plp"
    assert answered(page, command(line))
    assert (
        page.locator("#fw-which-command").inner_text()
        == f"flashwear choose {line} --candidates drives.txt"
    )
    assert "Micron" in page.locator("#fw-which-costs svg").get_attribute("aria-label")
    with page.expect_download() as saved:
        page.locator("#fw-which-csv").press("Enter")
    with open(saved.value.path(), encoding="utf-8") as file:
        assert len(file.readlines()) == 1 + len(buying.LIST.splitlines())
    other = visit(f"{PAGE}{page.url.partition('.html')[2]}", width=390).page
    assert answered(other, command(line))
    assert other.evaluate("document.documentElement.scrollWidth") <= 390
    assert other.locator("#fw-which-plp").is_checked()


def test_what_was_measured_and_what_is_wrong_are_told_in_the_page(visit):
    page = visit(PAGE).page
    page.locator("#fw-which-load").select_option("measured")
    page.locator("#fw-which-amount").fill("40")
    drives = "<b>X</b> 1TB 300 TBW 50 EUR\n"
    page.locator("#fw-which-candidates").fill(drives)
    page.locator("#fw-which button[type=submit]").click()
    assert answered(page, command("--bytes-per-day 40GB/day --raid mirror:2", drives))
    assert page.locator("#fw-which-costs b").count() == 0
    page.locator("#fw-which-raid").fill("raid7:2")
    page.wait_for_function(SAYS, arg="--raid must be like mirror:2")
    assert page.locator("#fw-which-csv").is_hidden()


def test_the_report_of_the_old_drive_tells_the_load_and_trim_and_months_off_are_asked(
    visit, tmp_path
):
    one = visit(PAGE)
    page = one.page
    text = (HTML / "my-drive.html").read_text("utf-8").partition('id="fw-example-report"')[2]
    report = tmp_path / "old drive.txt"
    report.write_text(html.unescape(text.partition(">")[2].partition("</script>")[0]))
    page.locator("#fw-which-trim").uncheck()
    page.locator("#fw-which-off").fill("6")
    page.locator("#fw-which-report").set_input_files(report)
    one.wait_for(lambda: page.locator("#fw-which-load").input_value() == "report")
    assert page.locator("#fw-which-amount").is_disabled()
    line = "--raid mirror:2 --years 5 --no-trim --months-off 6"
    told = command(line, report=["--report", str(report)])
    assert answered(page, told)
    assert any("Without TRIM" in line for line in told["lines"])
    assert (
        page.locator("#fw-which-command").inner_text()
        == f"flashwear choose --report report.txt {line} --candidates drives.txt"
    )


def test_without_scripts_three_stacks_stand_with_the_command_for_each(visit):
    page = visit(PAGE, javascript=False, strict=False).page
    assert page.locator("#fw-which").is_hidden()
    text = page.locator(".bd-article").inner_text().replace("\u00a0", " ")
    assert "runs no JavaScript" in text
    for made in buying.examples():
        assert buying.choose.sentence(made.found) in text
        assert made.command in text
