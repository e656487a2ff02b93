"""The game on the start page: its drive is the library's, its scores hold, and a hand can play."""

import re

import numpy as np
import pytest

from flashwear import ftl
from flashwear_book import panels

pytestmark = pytest.mark.browser

PAGE = "index.html"
AGAIN = [("chapters/amplification.html", 0), ("chapters/trim.html", 2),
         ("chapters/hot-cold.html", 3)]  # fmt: skip
BLOCKS, PAGES = 8, 4
RULES = {"emptiest": ("flashwearGame.emptiest", lambda live: live.argmin()),
         "fullest that frees a page": (
             "(d) => flashwearGame.legal(d).reduce((a, b) => (d.valid[b] > d.valid[a] ? b : a))",
             lambda live: np.where(live < PAGES, live, -1).argmax()),
         "last that frees a page": ("(d) => flashwearGame.legal(d).at(-1)",
                                    lambda live: np.flatnonzero(live < PAGES)[-1])}  # fmt: skip
PLAYED = """([level, seed]) => {
    const requests = flashwearGame.take(level, seed);
    const game = flashwearGame.play(level, requests, CHOOSE);
    return [requests, game.states, game.score];
}"""


@pytest.mark.parametrize("level", panels.LEVELS, ids=lambda level: level["name"])
@pytest.mark.parametrize("rule", RULES)
def test_every_state_of_a_game_is_that_of_the_librarys_drive(visit, level, rule):
    script, choose = RULES[rule]
    requests, states, _ = visit(PAGE).page.evaluate(PLAYED.replace("CHOOSE", script), [level, 7])
    letters, apart, warm = level["letters"], "streams" in level, level.get("warm", 0)
    rules = [RULES["emptiest"][1]]
    drive = ftl.State(letters, level.get("blocks", BLOCKS) * PAGES / letters - 1 + 1e-9,
                      pages_per_block=PAGES, policy=lambda blocks: int(rules[-1](blocks.live)),
                      frontier="hot_cold" if apart else "single")  # fmt: skip
    left = iter(states)
    for at, request in enumerate(requests):
        if at == warm:
            rules.append(choose)
            before = drive.copies
        if request < 0:
            drive.trim(~request)
            continue
        state = next(left, None) if at >= warm else ()
        if state is None:
            break
        drive.write(request, *([int(request < level["hot"])] if apart else []))
        if state:
            found = [drive.read(page) for page in range(letters)]
            places = [one[0].block * PAGES + one[0].page if one else -1 for one in found]
            assert [drive.copies - before, places] == state
    assert len(states) >= 60


def test_levels_and_searches_lower_the_mean_score_of_greedy_cleaning_and_chance_loses(visit):
    page = visit(PAGE).page
    first, spare, trim, apart = panels.LEVELS
    for better, worse in ((spare, first), (trim, first), (apart, apart | {"streams": 1})):
        low, high = (np.array(page.evaluate("flashwearGame.spread", x)) for x in (better, worse))
        error = np.hypot(low.std(), high.std()) / np.sqrt(low.size)
        assert low.mean() + 5 * error < high.mean()
    scores = page.evaluate(
        """(level) => [1, 2, 3, 4, 5].map((seed) => {
            const requests = flashwearGame.take(level, seed);
            const random = flashwearDrive.seeded(seed);
            const any = (d) => {
                const can = flashwearGame.legal(d);
                return can[Math.floor(random() * can.length)];
            };
            return [
                flashwearGame.best(level, requests),
                flashwearGame.play(level, requests, flashwearGame.emptiest).score,
                flashwearGame.play(level, requests, any).score,
            ];
        })""",
        panels.LEVELS[0],
    )
    best, greedy, chance = np.array(scores).T
    assert (best < greedy).all()
    assert greedy.mean() < chance.mean()


def test_a_game_is_played_to_its_end_by_keyboard(visit):
    one = visit(PAGE)
    panel = one.page.locator(".fw-game")
    told, score = panel.locator(".fw-game-told"), panel.locator(".fw-game-score")
    fill = panel.locator(".fw-game-fill")
    fill.focus()
    one.page.keyboard.press("Enter")
    for _ in range(400):
        one.page.wait_for_function(
            "() => !document.querySelector('.fw-game-told').textContent.startsWith('Counting')"
        )
        if "You copied" in told.inner_text():
            break
        assert "Choose a block" in told.inner_text()
        assert panel.locator(".fw-game-blocks button:enabled").count() > 0
        panel.locator(".fw-game-blocks button:enabled").first.press("Enter")
        fill.focus()
        one.page.keyboard.press("Enter")
    words = told.inner_text()
    mine, amplified, greedy, mean, low, high, best = map(float, re.findall(r"\d+\.\d\d", words))
    assert amplified == pytest.approx(1 + mine)
    assert best <= min(mine, greedy), words
    assert low < mean < high, words
    assert f"{mine:.2f} for each" in score.inner_text()
    # the next level is open, the one after it is not, and stays so
    levels = panel.locator(".fw-game-after button")
    assert [levels.nth(at).is_enabled() for at in range(4)] == [True, True, False, False]
    levels.nth(1).press("Enter")
    assert told.inner_text() == panels.LEVELS[1]["says"]
    one.return_later()
    assert [levels.nth(at).is_enabled() for at in range(4)] == [True, True, False, False]
    assert not one.problems


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


@pytest.mark.parametrize(("page", "level"), AGAIN)
def test_a_chapter_begins_with_the_level_that_it_teaches(visit, page, level):
    panel = visit(page).page.locator(".fw-game")
    assert panel.locator(".fw-game-told").inner_text() == panels.LEVELS[level]["says"]
    levels = panel.locator(".fw-game-after button")
    assert levels.nth(level).is_enabled()
    assert levels.count() == len(panels.LEVELS)


def test_typed_letters_are_written_and_deleted_ones_trimmed(visit):
    one = visit(PAGE)
    panel = one.page.locator(".fw-game")
    panel.locator(".fw-game-typed").press_sequentially("eat")
    pages = panel.locator(".fw-game-page")

    def shown(kinds):
        return one.page.wait_for_function(
            """([want]) => {
                const pages = [...document.querySelectorAll('.fw-game-page')];
                const used = pages.filter((page) => page.textContent);
                const is = used.map((page) => page.textContent + ':' + page.dataset.is);
                return JSON.stringify(is) === want;
            }""",
            arg=[kinds],
        )

    shown('["e:live","a:live","t:new"]')
    panel.locator(".fw-game-typed").press("Backspace")
    shown('["e:live","a:live","t:stale"]')
    assert pages.count() == BLOCKS * PAGES
    # nothing is deleted from an empty box, and a letter in the middle is the one that goes
    panel.locator(".fw-game-typed").fill("")
    panel.locator(".fw-game-typed").press("Backspace")
    panel.locator(".fw-game-typed").fill("ho")
    panel.locator(".fw-game-typed").press("Home")
    panel.locator(".fw-game-typed").press("Delete")
    shown('["e:stale","a:stale","t:stale","h:stale","o:new"]')


def test_typing_goes_on_when_the_drive_is_full_and_letters_of_a_larger_drive_are_hot(visit):
    one = visit(PAGE)
    panel = one.page.locator(".fw-game")
    panel.locator(".fw-game-typed").press_sequentially("the quick brown fox at a gate gate gate")
    one.page.wait_for_function(
        "() => document.querySelector('.fw-game-told').textContent.startsWith('The drive is full')"
    )
    assert one.page.evaluate("document.activeElement.className") == "fw-game-typed"
    one.page.evaluate("localStorage.setItem('fw-game', 3)")
    one.return_later()
    panel.get_by_role("button", name="Hot and cold apart").click()
    panel.locator(".fw-game-typed").press_sequentially("pa")
    one.page.wait_for_function(
        """() => document.querySelector('.fw-game-next').textContent.startsWith('a')
            || document.querySelector('.fw-game-page[data-is=new]')?.textContent === 'a'"""
    )


def test_the_keyboard_is_offered_each_choice(visit):
    one = visit(PAGE)
    panel = one.page.locator(".fw-game")
    panel.locator(".fw-game-go").press("Enter")
    for _ in range(3):
        one.page.wait_for_function(
            "() => document.activeElement.matches('.fw-game-blocks button:enabled')"
        )
        one.page.keyboard.press("Enter")
    assert not one.problems
