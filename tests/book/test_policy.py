"""The policy of each page: what it loads is listed, and nothing leaves it but by its links."""

import pytest
from built import HTML, page_names, sources, tags
from outgoing import TRY, WAYS, served

import policy

PAGE = '<meta charset="utf-8" /><script>go()</script><b onclick="a &amp; b">'


def test_inline_scripts_and_handlers_are_named_by_what_they_say_and_data_need_no_name():
    page = policy.with_policy(PAGE)
    assert page.endswith(PAGE.partition(">")[2])
    assert "script-src 'self' file: 'sha256-" in page
    assert policy.hashed("go()") in page
    assert f"{policy.hashed('a & b')} " in page
    assert "'unsafe-hashes'" in page
    empty = policy.with_policy('<meta charset="utf-8" />').partition("script-src")[2]
    assert "unsafe" not in empty.partition(";")[0]
    page = '<meta charset="utf-8" /><script type="application/json">1</script><script src="a">'
    assert "sha256" not in policy.with_policy(f"{page}</script>")


@pytest.mark.parametrize("page", page_names("<html") or ["(none)"])
def test_every_page_has_a_policy_before_all_that_loads(page):
    kinds = [(tag, of) for tag, of in tags(page) if tag in ("meta", "script", "link", "style")]
    first = [of for tag, of in kinds[:2] if tag == "meta" and "http-equiv" in of]
    assert [of["http-equiv"] for of in first] == ["Content-Security-Policy"]
    rules = dict(rule.split(" ", 1) for rule in first[0]["content"].split("; "))
    nothing = {name for name, allowed in rules.items() if allowed == "'none'"}
    kinds = ("connect", "frame", "media", "object", "worker")
    assert nothing == {"base-uri", *(f"{kind}-src" for kind in kinds)}
    assert rules["default-src"] == rules["form-action"] == "'self' file:"
    assert "'unsafe-eval'" not in rules["script-src"].replace("'wasm-unsafe-eval'", "")
    assert "'unsafe-inline'" not in rules["script-src"]
    assert sources()[page].count('http-equiv="Content-Security-Policy"') == 1


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["file", "http"])
def test_nothing_leaves_my_drive_and_a_search_leads_from_it_to_its_results(visit, scheme):
    with served() as here, served() as elsewhere:
        base = HTML.as_uri() if scheme == "file" else here.base
        page = visit("my-drive.html", base=base, strict=False).page
        page.locator("#fw-example").click()
        page.wait_for_function("() => document.getElementById('fw-said').textContent")
        assert page.locator("#fw-answer").get_attribute("data-level") == "0"
        page.evaluate(TRY, elsewhere.base)
        assert elsewhere.arrived == set()
        assert page.url == f"{base}/my-drive.html"
    with served() as here:
        base = HTML.as_uri() if scheme == "file" else here.base
        one = visit("my-drive.html", base=base)
        one.page.keyboard.press("Control+k")
        one.page.locator("form.bd-search input:visible").first.fill("endurance")
        one.page.keyboard.press("Enter")
        one.page.wait_for_selector(".fw-answers li a, #search-results li a")
        one.page.close()


@pytest.mark.browser
def test_without_the_policy_each_way_would_arrive(browser):
    """What shows nothing on a page that lets it through would show nothing on ours."""
    with served() as elsewhere, browser.new_context(bypass_csp=True) as context:
        page = context.new_page()
        page.goto(f"{HTML.as_uri()}/my-drive.html")
        page.evaluate(TRY, elsewhere.base)
        assert elsewhere.arrived == set(WAYS)
