"""Somebody looks at figures: charts that can be clicked, comparisons, the keyword analyser."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Page, expect

from tests.browser.conftest import Open


def _is_awake(page: Page) -> None:
    """Wait until the charts of a page have become interactive."""
    expect(page.locator("figure.chart[data-lively] svg").first).to_be_visible()


def test_a_click_on_a_bar_filters(look: Open) -> None:
    page = look().go("/statistics/institutions")
    _is_awake(page)
    first = page.locator(".numbers tbody tr").first
    name, count = first.locator("td").nth(0).inner_text(), first.locator("td").nth(1).inner_text()
    bar = page.locator("figure.chart[data-lively] svg .mark-rect path").first
    bar.click()
    expect(page).to_have_url(re.compile("/search"))
    assert parse_qs(urlsplit(page.url).query)["institution"] == [name]
    expect(page.locator("main")).to_contain_text(f"of {count} results")


def test_the_number_is_shown_where_the_mouse_is(look: Open) -> None:
    page = look().go("/statistics/institutions")
    _is_awake(page)
    count = page.locator(".numbers tbody tr").first.locator("td").nth(1).inner_text()
    page.locator("figure.chart[data-lively] svg .mark-rect path").first.hover()
    expect(page.locator(".chart-tip")).to_contain_text(count)


def test_names_in_a_legend_stand_apart(look: Open) -> None:
    page = look().go("/statistics/pages")
    figure = page.locator("#pages-by-institution figure.chart")
    figure.scroll_into_view_if_needed()
    expect(figure).to_have_attribute("data-lively", "")
    boxes = "all => all.map(each => each.getBoundingClientRect())"
    first, _ = figure.locator(".role-legend-label text").evaluate_all(boxes)
    _, second = figure.locator(".role-legend-symbol path").evaluate_all(boxes)
    assert second["left"] - first["right"] >= 12


def test_a_chart_that_is_awake_says_nothing_but_its_points(look: Open) -> None:
    page = look().go("/statistics/institutions")
    _is_awake(page)
    assert page.locator("figure.chart[data-lively] [aria-roledescription]").count() == 0
    said = page.locator("figure.chart[data-lively] svg [aria-label]").evaluate_all(
        "all => all.map(each => each.getAttribute('aria-label'))"
    )
    assert said
    assert all(", Records: " in each for each in said)


def test_without_scripts_a_bar_is_a_link(look: Open) -> None:
    page = look(java_script_enabled=False).go("/statistics/institutions")
    link = page.locator("figure.chart svg a").first
    target = link.get_attribute("href") or link.get_attribute("xlink:href")
    assert target is not None
    assert target.startswith("/search?institution=")
    link.click()
    expect(page).to_have_url(re.compile("/search"))


def test_institutions_are_compared_on_the_same_axes(look: Open) -> None:
    page = look().go("/statistics/institutions")
    names = [row.inner_text() for row in page.locator(".numbers tbody tr td:first-child").all()[:2]]
    page.get_by_role("link", name="Compare", exact=True).click()
    page.get_by_text("Choose institutions").click()
    boxes = page.locator("form.choose input[name=institution]")
    for box in boxes.all():
        box.set_checked(box.get_attribute("value") in names)
    page.locator("main form").get_by_role("button").first.click()
    assert parse_qs(urlsplit(page.url).query)["institution"] == names
    table = page.locator(".numbers table").first
    for name in names:
        expect(table).to_contain_text(name)


def test_the_keyword_analyser_narrows_by_year_and_institution(look: Open) -> None:
    page = look().go("/statistics/keywords")
    page.get_by_label("Year").select_option("2022")
    page.get_by_label("Institution").select_option(index=1)
    page.locator("main form").get_by_role("button").first.click()
    found = parse_qs(urlsplit(page.url).query)
    assert found["year"] == ["2022"]
    assert found["institution"]
    expect(page.locator(".numbers table").first.locator("tbody tr").first).to_be_visible()
    expect(page.locator("main")).to_contain_text("2022")


def test_every_chart_has_its_numbers_and_can_be_taken_along(look: Open) -> None:
    page = look().go("/statistics/growth")
    with page.expect_download() as started:
        page.get_by_role("link", name=re.compile("^CSV")).first.click()
    rows = started.value.path().read_text(encoding="utf-8-sig").splitlines()
    assert len(rows) - 1 == page.locator(".numbers tbody").first.locator("tr").count()
    with page.expect_download() as drawn:
        page.get_by_role("link", name=re.compile("^PNG")).first.click()
    assert drawn.value.path().read_bytes().startswith(b"\x89PNG")
