"""The card of My drive: it says what the command says, and a hostile name in it is text."""

import io
import json
import re
import struct
import sys

import pytest
import reports
from test_pages_in_full import check_access

from flashwear import capacity, endurance, wa
from flashwear.cli import main
from flashwear.cli._told import interval
from flashwear_book import reported

pytestmark = pytest.mark.browser

SHOWN = "() => document.querySelector('#fw-story dl') !== null"
DRAW = """(told) => {
    const place = document.getElementById('fw-story');
    document.getElementById('fw-rest').hidden = false;
    const facts = JSON.parse(document.getElementById('fw-story-facts').textContent);
    const drawn = window.flashwearStory(told, place, facts);
    place.querySelector('details')?.setAttribute('open', '');
    return [drawn, place.innerText, place.querySelectorAll('img, script').length];
}"""
REPORT = """Model Number: {model}
Total NVM Capacity: 1,000,204,886,016 [1.00 TB]
SMART/Health Information (NVMe Log 0x02)
Percentage Used: {used}%
Data Units Written: {units} [x]
Power On Hours: {hours}
"""


MINE = {"model": "Samsung SSD 970 EVO Plus 1TB", "used": 31, "units": 341_977_551, "hours": 20_412}


def command(capsys, *words, **changed):
    """Return the command's answer, as JSON, on a report."""
    return judged(capsys, REPORT.format(**MINE | changed), *words)


@pytest.fixture
def compared(capsys, tmp_path):
    """Return what gives the command's answer on a report and an older one of the same drive."""

    def answer(older, **newer):
        path = tmp_path / "the older report"
        path.write_text(older if isinstance(older, str) else REPORT.format(**MINE | older))
        return command(capsys, "--same-drive", str(path), **newer)

    return answer


def say(value):
    rounded = float(f"{value:.{2 if value < 10 else 3}g}")
    return f"{rounded:,.0f}" if rounded == int(rounded) else f"{rounded:,}"


@pytest.fixture
def drawn(visit):
    """Return what draws an answer, and gives the page and the words of the card."""

    def draw(told, **how):
        page = visit("my-drive.html", **how).page
        assert page.evaluate(DRAW, told)[0]
        return page.locator("#fw-story"), page.locator("#fw-story").inner_text()

    return draw


def pm863(hours=30_000, host=200 * 10**9, flash=560 * 10**9, used=25):
    """Return a report of a SATA drive that counts its writes to flash."""
    return reports.ata("SAMSUNG MZ7LM960HMJP-00005", "GXT5404Q", 960_197_124_096,
                       {9: hours, 177: (100 - used, 70 * used), 241: host, 251: flash})  # fmt: skip


def judged(capsys, text, *words):
    """Return the command's answer, as JSON, on a text."""
    before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(text.encode()))
    try:
        main(["smart", "--json", *words, "-"])
    finally:
        sys.stdin = before
    return json.loads(capsys.readouterr().out)


def test_the_example_is_told_as_a_card_with_all_that_the_report_says_under_it(visit):
    one = visit("my-drive.html")
    one.page.locator("#fw-example").click()
    one.page.wait_for_function(SHOWN)
    card = one.page.locator("#fw-story")
    sentence = card.locator(".fw-sentence").inner_text()
    assert re.fullmatch(
        r"[\d.]+ to [\d.]+ years under power left at this rate.*worn than most.*", sentence
    )
    assert "31 % of its rated life used" in card.inner_text()
    assert "What if" not in card.inner_text()
    card.locator("summary").press("Enter")
    assert "What if" in card.inner_text()
    details = one.page.locator("#fw-all")
    assert details.get_attribute("open") is None
    details.locator("summary").press("Enter")
    assert "Percentage Used" in one.page.locator("#fw-said").inner_text()
    with one.page.expect_download() as saved:
        card.locator("button").press("Enter")
    assert saved.value.suggested_filename == "my-drive.png"
    picture = saved.value.path().read_bytes()
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", picture[16:24]) == (1200, 630)  # as sites show beside a link
    assert len(picture) > 20_000
    assert not one.problems


def test_years_move_with_the_load_and_are_those_of_the_command(drawn, capsys):
    text = pm863()
    card, words = drawn(judged(capsys, text))
    now = judged(capsys, text)["drives"][0]["forecast"]
    assert f"{interval(now['rating'])} by its rating" in words
    assert f"{interval(*now['wear'])} by wear" in words
    card.locator("select").select_option("4")
    assert f"{interval(now['rating'] / 4)} by its rating" in card.inner_text()
    load = reported.loads()["home-assistant"]
    card.locator("select").select_option(load.what)
    then = judged(capsys, text, "--load", f"{load.bytes_per_day / 1e9}GB/day")
    then = then["drives"][0]["forecast"]
    assert f"{interval(then['rating'])} by its rating" in card.inner_text()
    # the command leaves a day of hours open where it knows no other load
    bytes_per_day = 200e9 * 512 * 24 / 30_000  # of pm863
    low, high = (end * bytes_per_day / load.bytes_per_day for end in now["wear"])
    assert [low, high] == pytest.approx(then["wear"], rel=1e-3)
    assert f"{interval(low, high)} by wear" in card.inner_text()


def test_a_fifth_left_empty_stretches_wear_alone_and_says_under_what_condition(drawn, capsys):
    told = judged(capsys, pm863())
    card, words = drawn(told)
    assert "TRIM reaches the drive (LUKS, RAID and USB cases often block it)" in words
    card.get_by_label("A fifth of the drive left empty").check()
    full, fifth = (wa.fifo(capacity.over_provisioning(2**40, share * 960e9)) for share in (1, 0.8))
    forecast = told["drives"][0]["forecast"]
    longer = [end * full / fifth for end in forecast["wear"]]
    assert f"{interval(*longer)} by wear" in card.inner_text()
    assert f"{interval(forecast['rating'])} by its rating" in card.inner_text()
    assert "if TRIM reaches the drive and its writes are random" in card.inner_text()
    assert f"{say(float(full))}: random writes over a full drive with 15 % of spare" in words
    told = judged(capsys, pm863(flash=320 * 10**9))  # to those of the host at most
    card, _ = drawn(told)
    card.get_by_label("A fifth of the drive left empty").check()
    longer = [1.6 * end for end in told["drives"][0]["forecast"]["wear"]]
    assert f"{interval(*longer)} by wear" in card.inner_text()
    for few in (command(capsys), judged(capsys, pm863(flash=280 * 10**9))):  # or unknown
        card, _ = drawn(few)
        assert card.locator("input[type=checkbox]").count() == 0


def test_another_drive_lasts_as_its_rating_at_this_load(drawn, capsys):
    told = judged(capsys, pm863())
    card, _ = drawn(told)
    card.get_by_label("Another drive, rated for").fill("1200")
    daily = told["drives"][0]["report"]["host_bytes_written"] * 24 / 30_000
    years = endurance.lifetime_years(1200e12, daily)
    assert f"{interval(years)} by its rating, from new" in card.inner_text()
    card.locator("select").select_option("2")
    assert f"{interval(years / 2)} by its rating, from new" in card.inner_text()


@pytest.mark.parametrize("hours", [100, 640, 999])
def test_a_young_drive_gets_no_years_on_the_page_and_in_the_command(drawn, capsys, hours):
    told = command(capsys, hours=hours, used=11)
    card, words = drawn(told)
    reason = told["drives"][0]["forecast"]["wear_unknown"]
    assert reason == f"too early to say: {hours} hours under power, and years need 1,000"
    assert f"Too early to say: {hours} hours under power, and years need 1,000." in words
    card.get_by_label("Another drive, rated for").fill("600")
    card.locator("select").select_option("2")
    assert not re.search(r"(years|months)( by|, from new)", card.inner_text())


@pytest.mark.parametrize("used", [0, 1, 4, 11])
def test_years_on_the_page_are_those_of_the_command(drawn, capsys, used):
    told = command(capsys, hours=1_000, used=used)
    wear = told["drives"][0]["forecast"]["wear"]
    assert (interval(*wear) if wear[1] is not None else "more than ") in drawn(told)[1]


def test_the_drive_is_a_dot_among_all_and_beside_its_line(drawn, capsys):
    told = judged(capsys, pm863())
    card, words = drawn(told)
    (drive,) = told["drives"]
    line = {one["quantity"]: one for one in drive["among"]}
    for one in drive["in_field"]:
        drives, below = one["drives"], round(100 * one["below"])
        assert f"About {below} % of {drives:,} drives whose owners sent reports" in words
    waf, used = line["waf"], line["used"]
    assert f"{say(waf['value'])}: yours" in words
    assert words.count(say(waf["p50"]) + ": the median of 820 drives of its line (PM863)") == 1
    assert f"half have less than {say(used['p50'])} %" in words
    assert "linux-hardware.org, CC BY 4.0" in words
    dots = card.locator("circle")
    assert dots.count() == 3
    places = [float(dot.get_attribute("cx")) / 400 for dot in dots.all()]
    for one, place in zip(drive["in_field"], places, strict=True):
        edges = [low for low, *_ in one["bins"]]
        assert edges[int(place * len(edges))] <= one["value"]
        assert one["value"] < [*edges, float("inf")][int(place * len(edges)) + 1]
    card, words = drawn(command(capsys))  # of no line
    assert "the report has no trusted count of flash writes" in words
    assert "The band" not in words
    assert card.locator("circle").count() == 2


ODD = {
    "hours 0": {"hours": 0}, "past its life": {"used": 120}, "no name": {"model": ""},
    "all used": {"used": 255, "hours": 40_000}, "nothing used": {"used": 0},
    "nothing written": {"units": 0}, "one byte of hours": {"hours": 1},
    "beyond all": {"units": 10**15, "hours": 10**6},
}  # fmt: skip


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_an_odd_report_gets_a_card_without_holes(drawn, capsys, odd):
    card, words = drawn(command(capsys, **odd))
    card.get_by_label("Another drive, rated for").fill("0.5")
    card.get_by_label("Another drive, rated for").fill("600")
    card.locator("select").select_option("0.25")
    for text in (words, card.inner_text()):
        assert not re.search(r"NaN|undefined|null|Infinity|\[object", text), text


def test_a_failing_drive_gets_no_years_and_a_used_up_rating_is_no_end(drawn, capsys):
    told = judged(capsys, REPORT.format(**MINE) + "Critical Warning: 0x04\n")
    assert told["status"] == 2
    _, words = drawn(told)
    reason = told["drives"][0]["forecast"]["wear_unknown"]
    assert reason[0].upper() + reason[1:] in words
    assert "years by" not in words
    told = judged(capsys, REPORT.format(**MINE | {"used": 104}) + "Critical Warning: 0x04\n")
    _, words = drawn(told)
    (drive,) = told["drives"]
    assert drive["reasons"]
    for text in [one["text"] for one in drive["reasons"]] + list(drive["distrust"].values()):
        assert text in words
    assert "What would help" not in words
    _, words = drawn(command(capsys, "--tbw", "150TB"))
    assert "rating used up" in words
    assert "what the maker promises and not the end" in words


def test_of_two_drives_the_card_is_of_the_worse_one_and_so_is_the_verdict(visit):
    worn = MINE | {"model": "Example B", "used": 95}
    head = "smartctl 7.3 2022-02-28 r5338 [x86_64-linux] (local build)\n\n"
    both = [head + REPORT.format(**one) for one in (MINE, worn)]
    one = visit("my-drive.html")
    for text in ("\n".join(both), "\n".join(both[::-1])):
        one.page.locator("#fw-report").fill(text)
        one.page.get_by_role("button", name="Read the report").click()
        one.page.wait_for_function(SHOWN)
        assert "Example B" in one.page.locator("#fw-story h3").inner_text()
        assert one.page.locator("#fw-verdict").inner_text().startswith("Warning.")
        assert one.page.locator("#fw-answer").get_attribute("data-level") == "1"
    assert not one.problems


def test_only_the_verdict_is_announced_and_the_card_is_sound_on_a_phone(visit):
    one = visit("my-drive.html", width=390)
    one.page.locator("#fw-example").click()
    one.page.wait_for_function(SHOWN)
    status = one.page.locator(".bd-article [role=status]:has(strong)")
    assert status.inner_text().startswith("No problem found. 31 % of its rated life used")
    assert status.locator("#fw-story").count() == 0
    assert one.page.locator("#fw-story").locator("xpath=ancestor::*[@role='status']").count() == 0
    one.page.locator("#fw-story summary").click()
    one.page.locator("#fw-story input[type=number]").fill("600")
    label, words = (one.page.locator(f"#fw-story {name}").first for name in ("dt", "dd"))
    assert words.bounding_box()["y"] > label.bounding_box()["y"]  # one under the other
    width = one.page.evaluate("document.documentElement.scrollWidth")
    assert width <= 390
    for theme in ("light", "dark"):
        one.switch_to(theme)
        one.page.evaluate("() => window.scrollTo(0, 0)")  # which hides a button of the theme
        button = "document.getElementById('pst-back-to-top')"
        one.page.wait_for_function(f"() => {button}.offsetHeight === 0")
        check_access(one)
        check_access(one, ["color-contrast"])


def test_a_hostile_name_is_text_and_what_is_no_drive_gets_no_card(visit, capsys):
    name = "<img src=x onerror=alert(1)><script>alert(2)</script>"
    one = visit("my-drive.html")
    drawn, words, found = one.page.evaluate(DRAW, command(capsys, model=name))
    assert drawn
    assert name in words
    assert found == 0
    assert "<script" not in posted(one.page, name)[0]
    assert not one.problems
    page = visit("my-drive.html").page
    assert page.evaluate(DRAW, {"drives": []})[0] is None
    disk = pm863().replace("Solid State Device", "7200 rpm")
    assert page.evaluate(DRAW, judged(capsys, disk)) == [None, "", 0]


POSTED = """(told) => {
    window.flashwearCard.saved = (svg) => { window.posted = svg; };
    const [button] = document.querySelectorAll('#fw-story button');
    button.click();
    const place = document.createElement('div');
    place.innerHTML = window.posted;
    document.body.append(place);
    const lines = [...place.querySelectorAll('svg > text')]; // but for those of an axis
    const outside = lines.filter((line) => {
        const box = line.getBBox();
        return box.x + box.width > 1170 || box.y + box.height > 625 || box.y < 18;
    });
    const boxes = lines.map((line) => line.getBBox()).sort((a, b) => a.y - b.y);
    const over = boxes.filter((box, at) => {
        return at && box.y + 6 < boxes[at - 1].y + boxes[at - 1].height;
    });
    place.remove();
    const words = (some) => some.map((line) => line.textContent);
    return [window.posted, words(lines).join(' '), words(outside), over.length];
}"""


def posted(page, name):
    """Return the picture of the card as SVG, its words, and how many of its lines do not fit."""
    svg, words, *faults = page.evaluate(POSTED)
    assert name.replace(" ", "")[:20] in words.replace(" ", "")
    assert faults == [[], 0]
    return svg, words


@pytest.mark.parametrize("changed", [
    {}, *ODD.values(), {"model": "X" * 90}, {"model": "no spaces " * 9, "used": 99},
])  # fmt: skip
def test_the_picture_has_whose_drive_one_sentence_one_bar_one_advice(drawn, capsys, changed):
    told = command(capsys, **changed)
    card, _ = drawn(told)
    (drive,) = told["drives"]
    _, words = posted(card.page, drive["report"]["model"] or "Your drive")
    assert drive["sentence"] in words
    advice = drive["text"].removeprefix("no problem found: ")
    assert (advice.partition("rated life used; ")[2] or advice)[1:] in words
    assert "Serial" not in words
    if drive["in_field"]:
        assert "linux-hardware.org, CC BY 4.0" in words


OLD = {"used": 29, "units": 300_000_000, "hours": 19_000}


def test_two_reports_tell_the_time_between_them_and_what_cannot_be_read_is_said(visit, compared):
    for first, second in ((OLD, {}), (MINE, OLD)):  # in either order
        told = compared(first, **second)
        change = told["drives"][0]["between"]
        assert (change["hours"], change["percent"]) == (1412, 2)
        _, words, _ = visit("my-drive.html").page.evaluate(DRAW, told)
        day = change["host_bytes"] * 24 / change["hours"] / 1e9
        assert f"1,412 hours under power: {say(day)} GB written a day, 2 % of life used." in words
        years = change["forecast"]["rating"]
        assert f"Left at that pace: {interval(years)} by its rating" in words
    model = f"{MINE['model']}\nLocal Time is: {{}} 11:26:40 2020 UTC"
    old, new = (model.format(day) for day in ("Sun Mar  1", "Sun May 10"))
    told = compared(OLD | {"model": old}, model=new)
    _, words, _ = visit("my-drive.html").page.evaluate(DRAW, told)
    assert "1,412 hours under power in 70 days, 2020-03-01 to 2020-05-10: " in words
    told = compared("no report")
    _, words, _ = visit("my-drive.html").page.evaluate(DRAW, told)
    assert told["errors"][0]["error"] in words
    assert "31 %" in words
    page = visit("my-drive.html").page
    _, words, _ = page.evaluate(DRAW, compared({"hours": 20_400, "units": 341_900_000}))
    reason = "too early to say: 12 hours between the reports, and years need 100"
    assert f"Left at that pace: {reason}." in words
    told = compared(OLD | {"used": 2}, used=4)
    _, words, _ = page.evaluate(DRAW, told)
    assert "1,412 hours under power" in words
    years = interval(*told["drives"][0]["between"]["forecast"]["wear"])
    assert f"{years} by wear" in words


@pytest.mark.parametrize("older", [
    {"model": "Samsung SSD 980 1TB"}, {"hours": MINE["hours"]}, {"units": 400_000_000},
    {"used": 60},
], ids=["another drive", "too close", "written fell", "wear fell"])  # fmt: skip
def test_reports_that_do_not_fit_are_refused_in_the_words_of_the_command(visit, compared, older):
    told = compared(OLD | older)
    why = told["drives"][-1]["not_compared"]
    _, words, _ = visit("my-drive.html").page.evaluate(DRAW, told)
    assert f"Not compared: {why}." in words
    assert "31 %" in words  # the card is of the newer report
