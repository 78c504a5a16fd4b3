"""The page about the API: readable for everybody, on a phone too, and its requests answer."""

from __future__ import annotations

import pytest

from tests.browser.axe import faults
from tests.browser.conftest import Open

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
DESKTOP = {"viewport": {"width": 1280, "height": 900}}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
@pytest.mark.parametrize("locale", ["en", "sv", "fi"])
def test_the_page_keeps_nobody_out_and_fits(
    look: Open, size: dict[str, object], scheme: str, locale: str
) -> None:
    page = look(color_scheme=scheme, locale=locale, **size).go("/api/")
    for closed in page.locator("details").all()[:4]:
        closed.locator("summary").click()
    assert faults(page) == []
    width = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(width) <= 0
    assert page.locator("html").get_attribute("lang") == locale


def test_a_request_can_be_run_by_a_click(look: Open) -> None:
    page = look().go("/")
    page.locator("footer").get_by_role("link", name="For programs").click()
    with page.expect_navigation():
        page.locator("#search a").first.click()
    assert '"total"' in page.content()
