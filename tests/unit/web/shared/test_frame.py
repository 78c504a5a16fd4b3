"""What surrounds every page is made once, and tells nobody of anybody else."""

from __future__ import annotations

from dataclasses import replace

from windrow.web.i18n.translation import get_translator
from windrow.web.layout.page_layout import NAVIGATION_PARTS, PageLayout, render_template
from windrow.web.layout.site import SiteAddress
from windrow.web.layout.theme import Theme

NAVIGATION, BOX = "layout/navigation.html", "layout/own_box.html"


def frame(
    here: str = "/", *, code: str = "en", url: str = "https://library.example", words: str = ""
) -> PageLayout:
    return PageLayout(SiteAddress(url, "Hay"), get_translator(code), Theme("Hay"), here, words)


def test_what_is_kept_is_what_the_template_makes() -> None:
    page = frame("/status/hay?x=1")
    made = render_template(NAVIGATION, spoken=page.tongue, site=page.site, frame=page).decode()
    assert page.kept(NAVIGATION) == made
    assert 'status" aria-current="true"' in made


def test_it_is_made_once_for_all_pages_of_a_part() -> None:
    page = frame("/status/hay")
    assert page.kept(NAVIGATION) is replace(page, here="/status/oats?page=2", words="x").kept(NAVIGATION)


def test_language_site_pictures_and_part_each_have_their_own() -> None:
    page = frame("/about")
    others = [
        replace(page, here="/status"),
        replace(page, tongue=get_translator("fi")),
        replace(page, has_gallery=True),
        replace(page, site=SiteAddress("https://library.example/hay", "Hay")),
    ]
    assert len({each.kept(NAVIGATION) for each in (page, *others)}) == 5


def test_another_look_has_its_own() -> None:
    page = frame()
    other = replace(page, look=Theme("Oats", "oats"))
    assert "in Oats" not in page.kept(BOX)
    assert "in Oats" in other.kept(BOX)


def test_words_of_one_reader_are_not_kept_for_the_next() -> None:
    assert "secret" not in frame(words="secret").kept(BOX)


def test_strangers_paths_do_not_fill_the_memory() -> None:
    page = frame()
    for here in (
        "",
        "/",
        "//",
        "?",
        *(f"/{number}/x" for number in range(50)),
        *(f"/{part}" for part in NAVIGATION_PARTS),
    ):
        replace(page, here=here).kept(NAVIGATION)
    assert len(page.look.kept) == 1 + len(NAVIGATION_PARTS)


def test_the_way_to_another_language_leads_back_here() -> None:
    page = frame("/record/hay/a%20b?x=1&y=ä")
    assert page.switch("fi") == "/language?to=fi&back=%2Frecord%2Fhay%2Fa%2520b%3Fx%3D1%26y%3D%C3%A4"
