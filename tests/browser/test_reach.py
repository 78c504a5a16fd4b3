"""Pages are for everybody: axe finds nothing, a phone shows all of it, and nothing needs a script."""

from __future__ import annotations

import pytest
from playwright.sync_api import FloatRect, Page, expect

from tests.browser.axe import faults
from tests.browser.conftest import Open

PAGES = {
    "home": "/",
    "search": "/search?q=laatu",
    "nothing": "/search?q=zzzzqqqq",
    "narrowed": "/search?q=laatu&language=fi&year=2010..2020",
    "browse": "/browse/",
    "institutions": "/browse/institutions",
    "creators": "/browse/creators?letter=K",
    "newest": "/browse/newest",
    "statistics": "/statistics/",
    "trends": "/statistics/trends",
    "keywords": "/statistics/keywords",
    "compare": "/statistics/compare",
    "quality": "/statistics/quality",
    "data": "/statistics/data",
    "status": "/status",
    "source": "/status/theses",
    "about": "/about",
    "gateway": "/gateway/",
    "repository": "/gateway/theses/",
    "listed": "/gateway/theses/1",
}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}

# Puts a logo where a library with one has it.
LOGO = """() => {
  const link = document.createElement("a"), picture = document.createElement("img");
  link.className = "logo";
  picture.style.width = "150px";
  link.append(picture);
  document.querySelector(".whose").prepend(link);
  document.querySelector(".masthead").classList.add("crowded");
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", PAGES.values(), ids=PAGES)
def test_no_page_keeps_anybody_out(look: Open, path: str, scheme: str) -> None:
    page = look(color_scheme=scheme).go(path)
    page.wait_for_load_state("networkidle")
    assert faults(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_record_keeps_nobody_out(look: Open, scheme: str) -> None:
    page = look(color_scheme=scheme).go("/search?q=laatu")
    page.locator(".results .title a").first.click()
    for part in page.locator("details > summary").all():
        part.click()
    assert faults(page) == []


@pytest.mark.parametrize("path", PAGES.values(), ids=PAGES)
def test_a_phone_shows_a_page_without_scrolling_sideways(look: Open, path: str) -> None:
    page = look(**PHONE).go(path)
    page.wait_for_load_state("networkidle")
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0


def test_everything_goes_without_scripts(look: Open) -> None:
    page = look(java_script_enabled=False).go("/")
    page.locator("#q").fill("laatu")
    page.get_by_role("button", name="Search").click()
    page.locator(".facets a.pick").first.click()
    page.locator(".results .title a").first.click()
    page.locator("details.cite > summary").click()
    page.locator("details.cite a[data-loads]").click()
    expect(page.locator("#cite-1")).to_be_visible()
    page.go_back()
    page.locator("section.similar a[data-loads]").click()
    expect(page.locator("#likes .title a").first).to_be_visible()
    page.get_by_role("link", name="Statistics").first.click()
    expect(page.locator("figure.chart svg").first).to_be_visible()


@pytest.mark.parametrize("path", ["/", "/statistics/", "/statistics/trends", "/statistics/compare"])
def test_a_phone_shows_the_whole_of_a_chart(look: Open, path: str) -> None:
    page = look(**PHONE).go(path)
    for figure in page.locator("figure.chart").all():
        figure.scroll_into_view_if_needed()
        expect(figure).to_have_attribute("data-lively", "")
        inside = "each => each.scrollWidth - each.clientWidth"
        assert figure.locator(".drawing").evaluate(inside) <= 0


def test_a_phone_shows_the_whole_of_a_legend(look: Open) -> None:
    page = look(**PHONE).go("/statistics/departments")
    expect(page.locator("figure.chart")).to_have_attribute("data-lively", "")
    right = page.locator(".drawing").evaluate("each => each.getBoundingClientRect().right")
    entries = page.locator(".role-legend-label text").evaluate_all(
        "all => all.map(each => [each.textContent, each.getBoundingClientRect().right])"
    )
    assert [name for name, _ in entries] == sorted(name for name, _ in entries)
    assert max(end for _, end in entries) <= right


def test_a_phone_breaks_no_word_of_a_table(look: Open) -> None:
    page = look(**PHONE).go("/statistics/departments")
    name = page.locator(".numbers td:first-child bdi").first
    lines = name.evaluate(
        "each => { const all = document.createRange(); all.selectNodeContents(each);"
        " return new Set([...all.getClientRects()].map(line => line.top)).size; }"
    )
    assert lines <= len(name.inner_text().split())


def test_without_scripts_a_shadow_says_that_a_chart_goes_on(look: Open) -> None:
    page = look(java_script_enabled=False, **PHONE).go("/statistics/institutions")
    drawing = page.locator(".drawing").first
    assert drawing.evaluate("each => each.scrollWidth > each.clientWidth")
    assert drawing.get_attribute("tabindex") == "0"
    assert drawing.get_attribute("aria-label")
    before = drawing.screenshot()
    drawing.evaluate("each => { each.style.backgroundImage = 'none'; }")
    assert drawing.screenshot() != before


def test_the_facets_of_a_phone_open_at_a_touch(look: Open) -> None:
    page = look(**PHONE).go("/search?q=laatu")
    pick = page.locator(".facets a.pick").first
    expect(pick).to_be_hidden()
    page.locator("details.narrow > summary").click()
    expect(pick).to_be_visible()


def test_the_first_stop_of_the_keyboard_skips_to_the_content(look: Open) -> None:
    page = look().go("/search?q=laatu")
    page.keyboard.press("Tab")
    expect(page.locator("a.skip")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()


def test_name_menu_and_languages_stand_in_one_line_beside_a_logo(look: Open) -> None:
    page = look(viewport={"width": 1200, "height": 600}).go("/search?q=laatu")
    page.evaluate(LOGO)
    middles = [_middle(page, each) for each in ("a.logo", ".whose .name", "nav.main", "nav.tongues")]
    assert max(middles) - min(middles) <= 3
    assert _place(page, "header form.box")["y"] > max(middles)


@pytest.mark.parametrize("width", [390, 640, 800])
def test_a_head_with_a_logo_fits_a_narrow_window(look: Open, width: int) -> None:
    page = look(viewport={"width": width, "height": 600}).go("/search?q=laatu")
    page.evaluate(LOGO)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert _place(page, ".whose")["height"] < 80
    rows = [_middle(page, each) for each in (".whose", "nav.main", "header form.box")]
    assert rows == sorted(rows)


@pytest.mark.parametrize("path", ["/", "/search?q=laatu", "/browse/creators", "/statistics/keywords"])
def test_what_can_only_be_clicked_is_not_printed(look: Open, path: str) -> None:
    page = look().go(path)
    expect(page.locator("form.box")).to_be_visible()
    page.emulate_media(media="print")
    try:
        for each in page.locator("nav, form, button, .skip").all():
            expect(each).to_be_hidden()
        expect(page.locator("main")).to_be_visible()
    finally:
        page.emulate_media(media="null")  # the next test gets this window


def _middle(page: Page, where: str) -> float:
    box = _place(page, where)
    return box["y"] + box["height"] / 2


def _place(page: Page, where: str) -> FloatRect:
    box = page.locator(where).bounding_box()
    assert box is not None
    return box
