"""Open the built book in Chromium, cut off from every network."""

import os
import shutil
import time
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest
from built import HTML, NOT_BUILT
from playwright.sync_api import Browser, BrowserContext, Page, Request, sync_playwright

LOCAL = ("file:", "data:", "blob:")
PATIENCE_MS = 60_000  # a busy machine is not a failure
# the first needs two thirds of the time of the others
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
NO_BROWSER = (
    "tests of the pages: no Chromium on the PATH "
    "(Debian: apt-get install chromium-headless-shell; or CHROME=path)"
)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Give all tests that want a browser one place of skipping, so that one line counts them."""
    report = yield
    if report.skipped and NO_BROWSER in str(report.longrepr):
        report.longrepr = (__file__, None, NO_BROWSER)
    return report


@pytest.fixture(scope="session", autouse=True)
def html() -> Path:
    if not (HTML / "index.html").is_file():
        pytest.fail(NOT_BUILT, pytrace=False)
    return HTML


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Start one Chromium for all tests; skip without one, unless it is required."""
    names = (os.environ.get("CHROME", ""), *BROWSERS)
    path = next(filter(None, map(shutil.which, names)), None)
    if path is None:
        if os.environ.get("FLASHWEAR_REQUIRE_BROWSER"):
            pytest.fail(NO_BROWSER, pytrace=False)
        pytest.skip(NO_BROWSER)
    rules = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[rules])
        yield browser
        browser.close()


KEEP = "() => { window.name = JSON.stringify({...localStorage}); }"
TAKE_BACK = """if (window.name.startsWith("{")) {
    localStorage.clear();
    Object.assign(localStorage, JSON.parse(window.name));
    window.name = "";
}"""


class Visit:
    """A page, and everything that went wrong on it."""

    def __init__(self, context: BrowserContext, base: str = HTML.as_uri()) -> None:
        self.problems: list[str] = []
        self.base = base
        context.set_default_timeout(PATIENCE_MS)
        self.page: Page = context.new_page()
        self.page.add_init_script(TAKE_BACK)
        self.page.on("request", self._request)
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.problems.append(f"page error: {error}"))
        self.page.on("requestfailed", self._failed)

    def go_to(self, name: str) -> None:
        self.page.goto(f"{self.base}/{name}")

    def _failed(self, request: Request) -> None:
        if not request.url.endswith("favicon.svg"):  # a tab that closes breaks it off
            self.problems.append(f"failed: {request.url}")

    def _request(self, request: Request) -> None:
        if not request.url.startswith((*LOCAL, self.base)):
            self.problems.append(f"request to the network: {request.url}")

    def _console(self, message: object) -> None:
        if message.type in {"error", "warning"}:
            self.problems.append(f"console {message.type}: {message.text}")

    def return_later(self) -> None:
        """Load the page again with what it has stored, which a busy browser may write too late."""
        self.page.evaluate(KEEP)
        self.page.reload()

    def wait_for_charts(self) -> None:
        """Open every fold, then wait until each chart is drawn."""
        self.page.evaluate(
            """() => {
                document.querySelectorAll("details").forEach((fold) => (fold.open = true));
                document.querySelectorAll("button.toggle-button-hidden").forEach((b) => b.click());
            }"""
        )
        self.page.wait_for_function(
            """() => [...document.querySelectorAll("figure.fw-chart")].every(
                (figure) => figure.querySelector(".fw-live svg.marks, .fw-live .chart-wrapper svg")
                    && figure.querySelector(".fw-data a"))"""
        )

    def wait_for_mathematics(self) -> None:
        self.page.evaluate("() => window.MathJax?.startup?.promise")

    def wait_for(self, condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE_MS / 1000
        while not condition():
            assert time.monotonic() < deadline, "waited in vain"
            self.page.wait_for_timeout(50)

    def theme(self) -> str:
        return self.page.evaluate("document.documentElement.dataset.theme")

    def switch_to(self, theme: str) -> None:
        """Press the theme button until the page has that theme."""
        button = self.page.locator("button.theme-switch-button:visible").first
        for _ in range(3):
            button.click()
            mode = self.page.evaluate("document.documentElement.dataset.mode")
            if mode == theme:
                break
        assert self.theme() == theme


def new_context(browser: Browser, width: int, javascript: bool = True) -> BrowserContext:
    return browser.new_context(
        viewport={"width": width, "height": 900},
        java_script_enabled=javascript,
        reduced_motion="reduce",  # colours that fade would be looked at on their way
    )


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[..., Visit]]:
    """Open pages, each as a new reader; at the end, nothing may have gone wrong."""
    contexts: list[BrowserContext] = []
    visits: list[Visit] = []

    def open_page(
        name: str,
        *,
        base: str = HTML.as_uri(),
        width: int = 1280,
        javascript: bool = True,
        strict: bool = True,
    ) -> Visit:
        context = new_context(browser, width, javascript)
        # so that a test can stand in between
        context.route("**/*", lambda route: route.continue_())
        contexts.append(context)
        one = Visit(context, base)
        if strict:
            visits.append(one)
        one.go_to(name)
        return one

    yield open_page
    problems = [problem for one in visits for problem in one.problems]
    for context in contexts:
        context.close()
    assert not problems, "\n".join(problems)


@pytest.fixture(scope="module")
def tab(browser: Browser) -> Iterator[Visit]:
    """Open a tab for all tests of a file: its scripts are compiled once."""
    with new_context(browser, 1280) as context:
        yield Visit(context)


@pytest.fixture
def turn_to(tab: Visit) -> Iterator[Callable[..., Visit]]:
    """Open pages in the tab of the file; at the end, nothing may have gone wrong."""

    def open_page(name: str, width: int = 1280) -> Visit:
        tab.page.set_viewport_size({"width": width, "height": 900})
        tab.go_to(name)
        return tab

    yield open_page
    tab.page.evaluate("() => localStorage.clear()")
    problems = "\n".join(tab.problems)
    tab.problems.clear()
    assert not problems, problems
