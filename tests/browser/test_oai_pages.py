"""The pages of a repository in three languages: readable for everybody, on a phone too."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.axe import faults
from tests.browser.conftest import Open

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
DESKTOP = {"viewport": {"width": 1280, "height": 900}}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
@pytest.mark.parametrize("locale", ["sv", "fi"])
def test_the_pages_keep_nobody_out_and_fit(
    look: Open, size: dict[str, object], scheme: str, locale: str
) -> None:
    window = look(color_scheme=scheme, locale=locale, **size)
    for path in ("/oai", "/oai/theses?verb=ListRecords&metadataPrefix=oai_dc"):
        page = window.go(path)
        assert faults(page) == []
        width = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert page.evaluate(width) <= 0
        assert page.locator("html").get_attribute("lang") == locale


def test_the_choice_of_language_holds_on_all_pages(look: Open) -> None:
    page = look().go("/oai")
    page.get_by_role("link", name="Suomi").click()
    expect(page.locator("html")).to_have_attribute("lang", "fi")
    page.get_by_role("link", name="Tietueita").first.click()
    expect(page.locator("html")).to_have_attribute("lang", "fi")
    page.goto(page.url.partition("/oai")[0] + "/about")
    expect(page.locator("html")).to_have_attribute("lang", "fi")
