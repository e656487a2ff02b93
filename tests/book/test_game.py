"""The game on the start page: its drive is the library's, its scores hold, and a hand can play."""

import base64
import re

import numpy as np
import pytest

from flashwear import ftl
from flashwear_book import panels

pytestmark = pytest.mark.browser

PAGE = "index.html"
AGAIN = [("chapters/amplification.html", 0), ("chapters/trim.html", 2),
         ("chapters/hot-cold.html", 3)]  # fmt: skip
BLOCKS, PAGES, ERASES = 8, 4, 12
RULES = {"emptiest": ("flashwearGame.emptiest", lambda live: live.argmin()),
         "fullest that frees a page": (
             "(d) => flashwearGame.legal(d).reduce((a, b) => (d.valid[b] > d.valid[a] ? b : a))",
             lambda live: np.where(live < PAGES, live, -1).argmax()),
         "last that frees a page": ("(d) => flashwearGame.legal(d).at(-1)",
                                    lambda live: np.flatnonzero(live < PAGES)[-1])}  # fmt: skip
PLAYED = """([level, seed]) => {
    const requests = flashwearGame.take(level, seed);
    const { erased, states } = flashwearGame.play(level, requests, CHOOSE);
    return [requests, flashwearGame.ready(level, requests).next, erased, states];
}"""
CHOICE = ".fw-game-blocks button:enabled"


@pytest.mark.parametrize("level", panels.LEVELS, ids=lambda level: level["name"])
@pytest.mark.parametrize("rule", RULES)
def test_every_state_of_a_game_is_that_of_the_librarys_drive(visit, level, rule):
    script, choose = RULES[rule]
    played = visit(PAGE).page.evaluate(PLAYED.replace("CHOOSE", script), [level, 7])
    requests, first, erased, states = played
    letters, apart = level["letters"], "streams" in level
    rules, copied = [RULES["emptiest"][1]], []

    def policy(blocks):
        block = int(rules[-1](blocks.live))
        copied.append(int(blocks.live[block]))
        return block

    drive = ftl.State(letters, level.get("blocks", BLOCKS) * PAGES / letters - 1 + 1e-9,
                      pages_per_block=PAGES, policy=policy,
                      frontier="hot_cold" if apart else "single")  # fmt: skip
    left = iter(states)
    for at, request in enumerate(requests):
        if at == first:
            rules.append(choose)
            copied.clear()
            before = drive.copies
        if request < 0:
            drive.trim(~request)
            continue
        state = next(left, None) if at >= first else ()
        if state is None:
            break
        drive.write(request, *([int(request < level["hot"])] if apart else []))
        if at == first:
            assert copied  # the game begins where a block must be chosen
        if state:
            found = [drive.read(page) for page in range(letters)]
            places = [one[0].block * PAGES + one[0].page if one else -1 for one in found]
            assert [drive.copies - before, places] == state
    assert len(erased) == ERASES
    assert copied[:ERASES] == erased


def test_levels_and_searches_raise_the_mean_score_of_greedy_cleaning_and_chance_loses(visit):
    page = visit(PAGE).page
    first, spare, trim, apart = panels.LEVELS
    for better, worse in ((spare, first), (trim, first), (apart, apart | {"streams": 1})):
        high, low = (np.array(page.evaluate("flashwearGame.spread", x)) for x in (better, worse))
        error = np.hypot(low.std(), high.std()) / np.sqrt(low.size)
        assert low.mean() + 5 * error < high.mean()
    scores = page.evaluate(
        """(level) => [1, 2, 3, 4, 5].map((seed) => {
            const { best, emptiest, freed, legal, play, take } = flashwearGame;
            const requests = take(level, seed);
            const random = flashwearDrive.seeded(seed);
            const any = (d) => legal(d)[Math.floor(random() * legal(d).length)];
            const rules = [emptiest, any].map((rule) => play(level, requests, rule).erased);
            return [best(level, requests), ...rules].map(freed);
        })""",
        panels.LEVELS[0],
    )
    best, greedy, chance = np.array(scores).T
    assert (best >= greedy).all()
    assert best.mean() > greedy.mean() + 2
    assert greedy.mean() > chance.mean()


def test_a_new_reader_chooses_within_five_seconds_and_sees_a_block_cleaned_before(visit):
    one = visit(PAGE)
    one.page.emulate_media(reduced_motion="no-preference")
    one.page.clock.install(time=0)
    one.page.reload()
    one.page.wait_for_selector(CHOICE)  # it has been in sight
    one.page.clock.pause_at(600_000)
    for level in range(len(panels.LEVELS)):
        one.page.locator(".fw-game-after button").nth(level).click()
        assert one.page.locator(CHOICE).count() == 0
        written = 0  # a page may be deleted again before the choice
        for _ in range(50):  # 5 seconds of the page's clock
            one.page.clock.run_for(100)
            written += one.page.locator(".fw-game-page[data-is=new]").count()
            if one.page.locator(CHOICE).count():
                break
        assert one.page.locator(CHOICE).count()
        assert one.page.locator(".fw-game-score").inner_text() == "12 erases left"
        assert written


def test_twelve_numbers_pressed_on_a_page_just_opened_play_a_game(visit, tmp_path):
    one = visit(PAGE)
    panel = one.page.locator(".fw-game")
    told, score = panel.locator(".fw-game-told"), panel.locator(".fw-game-score")
    levels = panel.locator(".fw-game-after button")
    assert levels.evaluate_all("all => all.every((one) => !one.disabled)")
    copied = 0
    for erase in range(ERASES):
        one.page.wait_for_selector(CHOICE)
        assert score.inner_text().startswith(f"{ERASES - erase} erase")
        label = panel.locator(CHOICE).first.get_attribute("aria-label")
        block, valid = re.match(r"Block (\d), full: (\d) valid", label).groups()
        copied += int(valid)
        one.page.keyboard.press("9")  # no such block
        one.page.keyboard.press(block)
        won = PAGES * (erase + 1) - copied
        amplified = f"{PAGES * (erase + 1)} pages written for {won} won: write amplification"
        assert amplified in score.inner_text()
    one.page.wait_for_selector(".fw-game-keep:visible")
    picture = panel.locator(".fw-game-race svg").get_attribute("aria-label")
    mine, greedy, best = map(int, re.findall(r": (\d+) pages won by 12 erases", picture))
    assert mine == won
    assert best >= max(mine, greedy)
    low, high = map(int, re.search(r"mostly (\d+) to (\d+)", told.inner_text()).groups())
    assert low < float(re.search(r"wins (\d+\.\d) on average", told.inner_text())[1]) < high
    with one.page.expect_download() as kept:
        panel.locator(".fw-game-keep").click()
    kept.value.save_as(tmp_path / "kept.png")
    header = (tmp_path / "kept.png").read_bytes()[:24]
    assert header[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(header[16:20]) > 1000
    assert one.page.evaluate(  # something is drawn
        """async (data) => {
            const image = new Image();
            image.src = `data:image/png;base64,${data}`;
            await image.decode();
            const canvas = document.createElement("canvas");
            [canvas.width, canvas.height] = [image.width, image.height];
            const paint = canvas.getContext("2d");
            paint.drawImage(image, 0, 0);
            return new Set(new Uint32Array(
                paint.getImageData(0, 0, image.width, image.height).data.buffer)).size;
        }""",
        base64.b64encode((tmp_path / "kept.png").read_bytes()).decode(),
    ) > 10  # fmt: skip
    panel.locator(".fw-game-again").press("Enter")
    one.page.wait_for_selector(CHOICE)
    assert score.inner_text() == "12 erases left"


def test_numbers_that_are_written_elsewhere_or_meant_for_the_browser_choose_nothing(visit):
    one = visit(PAGE)
    panel = one.page.locator(".fw-game")
    one.page.wait_for_selector(CHOICE)
    panel.locator(".fw-game-typed").press_sequentially("12345678")
    assert panel.locator(".fw-game-typed").input_value() == "12345678"
    one.page.locator(".fw-game-typed").blur()
    one.page.keyboard.press("Control+k")
    search = one.page.locator("input[name=q]:focus")
    search.press_sequentially("12345678")
    assert search.input_value() == "12345678"
    one.page.keyboard.press("Escape")
    one.page.evaluate("document.activeElement.blur()")
    for block in range(1, BLOCKS + 1):
        one.page.keyboard.press(f"Alt+{block}")
    one.page.evaluate("scrollTo(0, document.body.scrollHeight)")
    for block in range(1, BLOCKS + 1):  # out of sight
        one.page.keyboard.press(f"{block}")
    assert panel.locator(".fw-game-score").inner_text() == "12 erases left"


def test_it_zooms_out_to_a_drive_cleaned_by_a_rule(visit):
    one = visit(PAGE)
    drive = one.page.locator(".fw-drive")
    assert not drive.is_visible()
    one.page.get_by_role("button", name="Zoom out").click()
    assert drive.is_visible()
    one.page.wait_for_function(  # at once: less motion
        "() => document.querySelector('.fw-drive').dataset.done !== undefined"
    )
    words = drive.locator(".fw-drive-said").inner_text()
    measured, formula = map(float, re.findall(r"(?:amplification|Formula:) (\d+\.\d\d)", words))
    assert measured == pytest.approx(formula, rel=0.02)
    held, room, each = map(float, re.findall(r"(?:held|/|=) (\d+\.\d+)", words))
    assert held + room == pytest.approx(128)  # pages of a block that was cleaned
    assert each == pytest.approx(measured, rel=0.02)


@pytest.mark.parametrize(("page", "level"), AGAIN)
def test_a_chapter_begins_with_the_level_that_it_teaches(visit, page, level):
    panel = visit(page).page.locator(".fw-game")
    assert panel.locator(".fw-game-told").inner_text().startswith(panels.LEVELS[level]["says"])
    levels = panel.locator(".fw-game-after button")
    assert levels.nth(level).get_attribute("aria-pressed") == "true"
    assert levels.count() == len(panels.LEVELS)


def test_typed_letters_are_written_next_and_deleted_ones_trimmed(visit):
    one = visit(PAGE)
    one.page.add_init_script("Math.random = () => 0.3")
    one.page.reload()
    typed, coming = one.page.locator(".fw-game-typed"), one.page.locator(".fw-game-next")
    valid = one.page.locator(".fw-game-page:is([data-is=live], [data-is=new], [data-is=copy])")
    one.page.wait_for_selector(CHOICE)
    typed.press_sequentially("qv")
    assert one.page.evaluate("document.activeElement.className") == "fw-game-typed"
    assert coming.inner_text().startswith("q  v")
    typed.press("Backspace")
    assert coming.inner_text() == "q  v  delete v"
    # nothing is deleted from an empty box, and a letter in the middle is the one that goes
    typed.fill("")
    typed.press("Backspace")
    while re.match("q|v|delete", coming.inner_text()):
        assert one.page.locator(".fw-game-score").inner_text()[:2] != "6 "
        one.page.locator(CHOICE).first.click()
        one.page.wait_for_selector(CHOICE)
    assert not {"q", "v"} & set(valid.all_inner_texts())
    assert valid.count() == 22
    typed.fill("bk")
    typed.press("Home")
    typed.press("Delete")
    assert coming.inner_text() == "b  k  delete b"


def test_letters_typed_for_a_larger_drive_are_its_hot_ones(visit):
    one = visit(PAGE)
    one.page.get_by_role("button", name="Hot and cold apart").click()
    one.page.wait_for_selector(CHOICE)
    one.page.keyboard.press("1")  # of 32 blocks no digit is one
    assert one.page.locator(".fw-game-score").inner_text() == "12 erases left"
    assert not one.page.locator(".fw-game-keys span").is_visible()
    one.page.locator(".fw-game-typed").press_sequentially("pa")
    assert one.page.locator(".fw-game-next").inner_text().startswith("a  ")


def test_the_keyboard_is_offered_each_choice_and_arrows_lead_to_the_others(visit):
    one = visit(PAGE)
    one.page.wait_for_selector(CHOICE)
    blocks = one.page.locator(CHOICE)
    one.page.keyboard.press("ArrowRight")
    assert blocks.first.evaluate("one => one === document.activeElement")
    one.page.keyboard.press("ArrowLeft")
    assert blocks.last.evaluate("one => one === document.activeElement")
    one.page.keyboard.press("ArrowRight")
    assert blocks.first.evaluate("one => one === document.activeElement")
    for _ in range(3):
        one.page.wait_for_function(f"() => document.activeElement.matches('{CHOICE}')")
        one.page.keyboard.press("Enter")
    assert one.page.locator(".fw-game-score").inner_text().startswith("9 erases")
