"""Somebody looks for something: the box, facets, a record, how to cite it."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import Open


def _total(page: Page) -> int:
    """How many results the page says there are."""
    found = re.search(r"([\d,]+) results?\b", page.locator("main").inner_text())
    assert found is not None, page.locator("main").inner_text()[:300]
    return int(found[1].replace(",", ""))


def test_a_search_is_narrowed_by_a_facet_and_widened_again(look: Open) -> None:
    page = look().go("/")
    page.locator("#q").fill("laatu")
    page.get_by_role("button", name="Search").click()
    everything = _total(page)
    pick = page.locator(".facets a.pick").first
    value, count = pick.locator(".word").inner_text(), int(pick.locator(".count").inner_text())
    pick.click()
    assert "institution=" in page.url
    assert _total(page) == count < everything
    expect(page.locator("main")).to_contain_text(value)
    page.locator(".chips a", has_text=value).click()
    assert _total(page) == everything


def test_words_that_were_looked_for_are_marked(look: Open) -> None:
    page = look().go("/search?q=laatu")
    expect(page.locator("main mark").first).to_have_text(re.compile("laatu", re.IGNORECASE))


def test_a_mistake_is_explained_and_the_rest_is_found(look: Open) -> None:
    page = look().go("/search?q=laatu+AND")
    expect(page.locator("main")).to_contain_text("AND")
    assert _total(page) > 0


def test_nothing_found_helps_on(look: Open) -> None:
    page = look().go("/search?q=laatuu")
    suggestion = page.locator("main").get_by_role("link", name=re.compile("laatu"))
    suggestion.first.click()
    assert _total(page) > 0


def test_what_one_begins_to_write_is_completed_with_the_keyboard(look: Open) -> None:
    page = look().go("/")
    box = page.locator("#q")
    box.press_sequentially("laat")
    options = page.get_by_role("option")
    expect(options.first).to_be_visible()
    box.press("ArrowDown")
    chosen = options.first.inner_text()
    expect(options.first).to_have_attribute("aria-selected", "true")
    box.press("Enter")
    expect(page).to_have_url(re.compile(r"/search\?"))
    assert chosen.split("\n")[0].casefold().startswith("laat")
    assert _total(page) > 0


def test_a_record_can_be_cited_and_leads_on(look: Open) -> None:
    page = look().go("/search?q=laatu")
    title = page.locator(".results .title a").first
    name = title.inner_text()
    title.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(name)
    buttons = page.locator(".buttons a")
    assert [link.inner_text() for link in buttons.all()] == ["Full text", "Original page"]
    page.locator("details.cite > summary").click()
    for style in ("APA", "Chicago", "MLA"):
        expect(page.get_by_role("heading", name=style, exact=True)).to_be_visible()
    with page.expect_download() as started:
        page.get_by_role("link", name="RIS", exact=True).click()
    assert started.value.path().read_text(encoding="utf-8").startswith("TY  - ")
    page.locator(".authors a").first.click()
    assert "creator=" in page.url
    assert _total(page) >= 1


def test_what_takes_long_is_loaded_when_it_comes_into_view(look: Open) -> None:
    page = look().go("/search?q=laatu")
    page.locator(".results .title a").first.click()
    expect(page.locator("#citations")).to_have_count(0)
    page.locator("details.cite > summary").click()
    expect(page.locator("#citations #cite-3")).to_be_visible()
    page.locator("section.similar").scroll_into_view_if_needed()
    expect(page.locator("section.similar #likes .title a").first).to_be_visible()
    expect(page.locator("a[data-loads]")).to_have_count(0)


def test_a_citation_is_copied(look: Open) -> None:
    view = look(permissions=["clipboard-read", "clipboard-write"])
    page = view.go("/search?q=laatu")
    page.locator(".results .title a").first.click()
    page.locator("details.cite > summary").click()
    page.locator("button.copy").first.click()
    expect(page.locator("button.copy").first).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == page.locator("#cite-1").inner_text()


def test_browsing_goes_from_letters_to_records(look: Open) -> None:
    page = look().go("/browse/")
    page.locator("main").get_by_role("link", name=re.compile("^(Authors|Creators)")).first.click()
    page.locator("main").get_by_role("link", name="K", exact=True).click()
    entry = page.locator("main a[href*='creator=']").first
    assert entry.inner_text().casefold().startswith("k")
    entry.click()
    assert _total(page) >= 1


def test_the_language_of_the_pages_follows_the_browser_and_can_be_switched(look: Open) -> None:
    page = look(locale="fi-FI").go("/")
    expect(page.locator("html")).to_have_attribute("lang", "fi")
    expect(page.get_by_role("button", name="Hae")).to_be_visible()
    page.get_by_role("link", name="Svenska").click()
    expect(page.locator("html")).to_have_attribute("lang", "sv")
    page.get_by_role("link", name=re.compile("Statistik")).first.click()
    expect(page.locator("html")).to_have_attribute("lang", "sv")


def test_a_slash_leads_to_the_box(look: Open) -> None:
    page = look().go("/browse/")
    page.locator("body").press("/")
    expect(page.locator("#q")).to_be_focused()
