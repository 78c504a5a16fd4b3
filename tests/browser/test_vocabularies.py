"""Walking through a vocabulary in a real browser, from a top concept to a record."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.axe import faults
from tests.browser.conftest import Open, looking
from tests.unit.web.vocabulary.stage import Stage, staged

CONCEPT = "/vocabulary/farming/concept"
PATHS = (
    "/vocabulary/",
    "/vocabulary/farming/",
    "/vocabulary/farming/letters?letter=H",
    "/vocabulary/farming/search?q=ha",
    "/vocabulary/farming/search?q=tractor",
    f"{CONCEPT}/f3",
    f"{CONCEPT}/f4",
    f"{CONCEPT}/f5",
    f"{CONCEPT}/f10",
    "/search?q=havre",
    "/search?subject=http%3A%2F%2Ffarm.example%2Fonto%2Ff1",
    "/record/oats/r1",
    "/browse/",
)
MISSING = (f"{CONCEPT}/nothing", "/vocabulary/nothing/")
WINDOWS = [(1280, "light"), (1280, "dark"), (320, "light"), (390, "dark")]


@pytest.fixture(scope="module")
def farm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with staged(tmp_path_factory.mktemp("farm")) as served:
        yield served


@pytest.fixture
def enter(browser: Browser, farm: Stage, request: pytest.FixtureRequest) -> Iterator[Open]:
    with looking(browser, farm.portal.server.url, request.node.name) as windows:
        yield windows


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
@pytest.mark.parametrize(
    ("language", "labels"),
    [
        ("en", ("Vocabularies", "Farming", "Crops", "Oats", "records")),
        ("sv", ("Vokabulärer", "Lantbruk", "Grödor", "Havre", "poster")),
        ("fi", ("Sanastot", "Maatalous", "Viljelykasvit", "Kaura", "tietuetta")),
    ],
)
def test_from_a_top_concept_to_a_record(
    enter: Open, language: str, labels: tuple[str, ...], width: int, scheme: str
) -> None:
    look = enter(locale=language, color_scheme=scheme, viewport={"width": width, "height": 900})
    page = look.go("/")
    vocabularies, vocabulary, top, concept, records = labels
    page.locator("footer").get_by_role("link", name=vocabularies).click()
    main = page.locator("main")
    main.get_by_role("link", name=vocabulary).click()
    main.locator(".tree").get_by_role("link", name=top, exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(top)
    main.locator(".tree").get_by_role("link", name=concept, exact=True).click()
    expect(main.locator("nav.path a")).to_have_text([top])
    main.get_by_role("link", name=re.compile(rf"^2.{records}$")).click()
    main.locator(".results h2 a", has_text="Record 1").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Record 1")
    main.get_by_role("link", name=f"farming: {concept}").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(concept)


@pytest.mark.parametrize(("width", "scheme"), WINDOWS)
def test_no_page_of_a_vocabulary_keeps_anybody_out(enter: Open, width: int, scheme: str) -> None:
    for path in (*PATHS, *MISSING):
        look = enter(color_scheme=scheme, viewport={"width": width, "height": 900})
        page = look.go(path)
        if path in MISSING:  # which the browser reports
            look.troubles[:] = [each for each in look.troubles if "404" not in each]
        assert faults(page) == [], path
        assert page.evaluate("document.scrollingElement.scrollWidth - window.innerWidth") <= 0, path


def test_a_concept_is_found_by_keys_and_without_scripts(enter: Open) -> None:
    page = enter(java_script_enabled=False).go("/vocabulary/farming/")
    page.get_by_role("searchbox", name="Search in Farming").press_sequentially("avena")
    page.keyboard.press("Enter")
    expect(page.locator("main .tree li")).to_have_text(re.compile("Oats.*is also called.*Avena"))
    page.locator("main .tree a").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Oats")
