"""The page of a record behind which there is a file."""

from __future__ import annotations

import json
from dataclasses import replace
from urllib.parse import quote

import pytest

from tests.unit.web.documents.conftest import Open
from tests.unit.web.documents.folder import SOURCE, Folder, jpeg, pdf, tone
from tests.unit.web.portal.stage import Page
from windrow.model.document import Heading
from windrow.model.file_content import UNPICTURED, Extract
from windrow.search.record_addresses import document_path, record_path

HERE = "https://library.example"


def original(identifier: str) -> str:
    return document_path("original", SOURCE, identifier)


def facts(page: Page) -> dict[str, str]:
    """What stands under each label."""
    rows = page.root.xpath("//dl[@class='fields']/div")
    return {row.xpath("string(dt)"): " ".join(row.xpath("string(dd)").split()) for row in rows}


@pytest.fixture
def paper(folder: Folder) -> str:
    extract = Extract(
        "application/pdf",
        said=(("title", "Mowing"), ("creator", "Mower, Ann"), ("date", "2019")),
        measured=(("pages", "2"), ("software", "Acme Writer")),
        text=("Secret words of page one.", "Two."),
        is_paged=True,
        headings=(Heading("First", 1, 1), Heading("Second", 2, 2), Heading("Third", 1, 3)),
    )
    return folder.add("reports/old/mowing.pdf", pdf(["x"]), extract)


def test_a_pdf_shows_its_first_page_and_leads_to_text_and_file(paper: str, serve: Open) -> None:
    page = serve().page(record_path(SOURCE, paper))
    (preview,) = page.root.xpath("//a[@class='preview']")
    assert preview.get("href") == document_path("text", SOURCE, paper)
    assert preview.xpath("img/@src") == [document_path("picture", SOURCE, paper, size=320)]
    assert page.link("Read the text") == document_path("text", SOURCE, paper)
    assert page.link("Original file") == original(paper)
    assert page.texts("//a[@class='button']/small") == ["PDF, 535 bytes"]
    assert "Secret words" not in page.got.text


def test_the_contents_of_a_pdf_lead_to_its_pages(paper: str, serve: Open) -> None:
    page = serve().page(record_path(SOURCE, paper))
    assert page.texts("//ol[@class='toc']/li") == ["First", "Second", "Third"]
    assert page.link("Second") == document_path("text", SOURCE, paper, page=2)
    assert page.links("Third") == []


def test_the_folders_of_a_file_lead_to_what_lies_in_them(paper: str, serve: Open) -> None:
    page = serve().page(record_path(SOURCE, paper))
    assert facts(page)["Folder"] == "reportsold"
    assert page.link("old") == f"/search?folder={quote('reports/old', safe='')}"
    assert page.link("reports") == "/search?folder=reports"


def test_the_head_tells_where_file_and_picture_are(paper: str, serve: Open) -> None:
    page = serve().page(record_path(SOURCE, paper))
    picture = document_path("picture", SOURCE, paper, size=320)
    assert page.root.xpath("//meta[@name='citation_pdf_url']/@content") == [HERE + original(paper)]
    assert page.root.xpath("//meta[@property='og:image']/@content") == [HERE + picture]
    (script,) = page.root.xpath("//script[@type='application/ld+json']/text()")
    told = json.loads(script)
    assert told["encoding"]["contentUrl"] == HERE + original(paper)
    assert told["encoding"]["encodingFormat"] == "application/pdf"
    assert told["thumbnailUrl"] == HERE + picture
    assert f'<{HERE}{original(paper)}>; rel="item"' in page.got.headers["link"]


def test_a_picture_tells_its_size_its_camera_and_where_it_was_made(folder: Folder, serve: Open) -> None:
    measured = (
        ("width", "4000"),
        ("height", "3000"),
        ("camera", "Acme Shot <3>"),
        ("latitude", "60.16991"),
        ("longitude", "-24.93840"),
    )
    photo = folder.add("a.jpg", jpeg(), Extract("image/jpeg", measured=measured))
    page = serve().page(record_path(SOURCE, photo))
    told = facts(page)
    assert told["Size of the picture"] == "4,000 × 3,000 pixels"
    assert told["Camera"] == "Acme Shot <3>"
    assert told["Where it was made"].startswith("60.1699° N, 24.9384° W")
    assert page.link("Show on OpenStreetMap").endswith(
        "?mlat=60.16991&mlon=-24.93840#map=15/60.16991/-24.93840"
    )
    assert page.link("Open in a map application") == "geo:60.16991,-24.93840"
    assert page.root.xpath("//a[@class='preview']/@href") == [original(photo)]


def test_a_place_that_is_not_on_earth_is_not_told(folder: Folder, serve: Open) -> None:
    nowhere = (("91", "0"), ("0", "181"), ("x", "1"), ("", "1"), ("nan", "1"), ("1e1", "1"), ("1" * 400, "1"))
    photos = [
        folder.add(
            f"{n}.jpg", jpeg(), Extract("image/jpeg", measured=(("latitude", one), ("longitude", other)))
        )
        for n, (one, other) in enumerate(nowhere)
    ]
    portal = serve()
    for photo in photos:
        page = portal.page(record_path(SOURCE, photo))
        assert page.status == 200
        assert "Where it was made" not in facts(page)


def test_a_small_picture_is_not_blown_up(folder: Folder, serve: Open) -> None:
    small = Extract("image/jpeg", measured=(("width", "64"), ("height", "48")))
    large = Extract("image/jpeg", measured=(("width", "64"), ("height", "4800")))
    names = [folder.add("a.jpg", jpeg(), small), folder.add("b.jpg", jpeg(), large)]
    portal = serve()
    pages = [portal.page(record_path(SOURCE, name)) for name in names]
    assert [len(page.root.xpath("//main//img/@srcset")) for page in pages] == [0, 1]


@pytest.mark.parametrize(
    ("sides", "widths"),
    [
        (("4000", "3000"), ("320w", "1600w")),
        (("3000", "4000"), ("240w", "1200w")),
        (("640", "480"), ("320w", "640w")),
        (("1", "90000"), ("1w", "1w")),
        (("640", "x"), ("226w", "1131w")),
    ],
)
def test_a_browser_is_told_how_wide_the_pictures_are(
    folder: Folder, serve: Open, sides: tuple[str, str], widths: tuple[str, str]
) -> None:
    measured = (("width", sides[0]), ("height", sides[1]))
    photo = folder.add("a.jpg", jpeg(), Extract("image/jpeg", measured=measured))
    (told,) = serve().page(record_path(SOURCE, photo)).root.xpath("//a[@class='preview']/img/@srcset")
    assert tuple(each.split()[1] for each in told.split(", ")) == widths


def test_facts_of_files_are_browsed_by_their_names_in_the_language_of_the_page(
    folder: Folder, serve: Open
) -> None:
    folder.add("a.jpg", jpeg(), Extract("image/jpeg", measured=(("camera", "Acme Shot"),)))
    page = serve().page("/browse/by/camera", language="fi")
    assert page.heading == "Kamera"
    assert page.links("Acme Shot") == ["/browse/by/camera?in=Acme+Shot"]


def test_a_file_out_of_an_archive_leads_to_the_archive(folder: Folder, serve: Open) -> None:
    bundle = folder.add("a.zip", b"PK", Extract("application/zip", measured=(("members", "2"),)))
    note = folder.add("a.zip", b"words", Extract("text/plain"), member="in/note.txt")
    folder.add("b.zip", b"PK", Extract("application/zip"))
    portal = serve()
    page = portal.page(record_path(SOURCE, note))
    assert page.heading == "note.txt"
    assert page.link("Part of an archive") == record_path(SOURCE, bundle)
    found = portal.page(portal.page(record_path(SOURCE, bundle)).link("2 files"))
    assert found.links("note.txt") == [record_path(SOURCE, note)]
    assert "1 result" in found.words


@pytest.mark.parametrize("kind", ["audio", "video"])
def test_sound_and_film_have_a_player_that_loads_nothing_by_itself(
    folder: Folder, serve: Open, kind: str
) -> None:
    hum = folder.add("hum.wav", tone(), Extract(f"{kind}/mp4", measured=(("seconds", "3723.4"),)))
    page = serve().page(record_path(SOURCE, hum))
    (player,) = page.root.xpath(f"//{kind}")
    assert (player.get("src"), player.get("preload")) == (original(hum), "none")
    assert facts(page)["Length"] == "1:02:03"
    assert "media-src 'self'" in page.got.headers["content-security-policy"]


def test_a_recording_shows_its_cover_where_it_has_one(folder: Folder, serve: Open) -> None:
    hum, song = (folder.add(f"{n}.mp3", tone(), Extract("audio/mpeg")) for n in range(2))
    folder.kept[song, 320, 1] = jpeg()
    portal = serve()
    assert not portal.page(record_path(SOURCE, hum)).root.xpath("//main//img")
    cover = portal.page(record_path(SOURCE, song)).root.xpath("//main//img/@src")
    assert cover == [document_path("picture", SOURCE, song, size=320)]


def test_a_file_without_a_picture_has_a_mark_of_its_kind(folder: Folder, serve: Open) -> None:
    bundle = folder.add(
        "a.zip", b"PK", Extract("application/zip", measured=(("members", "3"),), notes=("odd",))
    )
    page = serve().page(record_path(SOURCE, bundle))
    assert page.texts("//p[contains(@class, 'kind-mark')]") == ["ZIP"]
    assert not page.root.xpath("//main//img")
    assert facts(page)["In this archive"] == "3 files"
    assert facts(page)["What could not be read"] == "odd"


def test_a_scan_without_text_is_shown_as_one_and_offers_no_text(folder: Folder, serve: Open) -> None:
    scan = Extract("application/pdf", measured=(("text-layer", "none"),), text=("1", "2"), is_paged=True)
    paper = replace(scan, measured=(("text-layer", "some pages"),))
    scanned, half = folder.add("scan.pdf", b"%PDF", scan), folder.add("half.pdf", b"%PDF", paper)
    portal = serve()
    page = portal.page(record_path(SOURCE, scanned))
    assert facts(page)["Text layer"].startswith("None: the pages are pictures")
    assert "Read the text" not in page.words
    page = portal.page(record_path(SOURCE, half))
    assert facts(page)["Text layer"].startswith("Not on all pages")
    assert "Read the text" in page.words


@pytest.mark.parametrize(
    ("extract", "kind"),
    [
        (Extract("image/heic", said=(("title", "Torn"),)), "Picture (HEIC)"),
        (Extract("application/pdf", said=(("title", "Torn"),), measured=(UNPICTURED,)), "PDF"),
    ],
)
def test_a_file_that_could_not_be_drawn_has_no_picture_anywhere(
    folder: Folder, serve: Open, extract: Extract, kind: str
) -> None:
    torn, portal = folder.add("torn", b"torn", extract), serve()
    page = portal.page(record_path(SOURCE, torn))
    assert page.texts("//p[contains(@class, 'kind-mark')]") == [kind]
    found = portal.page("/search?q=torn")
    assert kind in found.words
    assert not any(each.root.xpath("//main//img | //meta[@property='og:image']") for each in (page, found))


def test_the_way_to_the_pictures_makes_another_page_of_a_record(folder: Folder, serve: Open) -> None:
    note = folder.add("a.txt", b"words", Extract("text/plain"))
    path = record_path(SOURCE, note)
    tag = serve().page(path).got.headers["etag"]
    folder.add("a.jpg", jpeg(), Extract("image/jpeg"))
    portal = serve()
    assert portal.server.ask(path, headers={"If-None-Match": tag}).status == 200
    tag = portal.page(path).got.headers["etag"]
    assert portal.server.ask(path, headers={"If-None-Match": tag}).status == 304


def test_a_record_without_a_file_is_as_it_was(folder: Folder, serve: Open) -> None:
    folder.catalogue.add("oai:hay.example:1", title="Hay", identifier="https://hay.example/1.pdf")
    page = serve().page("/record/hay/oai:hay.example:1")
    assert not page.root.xpath("//*[@class='held'] | //main//img")
    assert page.links("Full text") == ["https://hay.example/1.pdf"]


def test_what_a_file_says_of_itself_is_cut_and_stays_text(folder: Folder, serve: Open) -> None:
    evil = "<script>alert(1)</script>" * 1000
    measured = (
        ("camera", evil),
        ("software", evil),
        ("seconds", "9" * 500),
        ("width", "-1"),
        ("height", "x"),
    )
    headings = tuple(Heading(evil, 99, 1) for _ in range(110))
    photo = folder.add("a.jpg", jpeg(), Extract("image/jpeg", measured=measured, headings=headings))
    page = serve().page(record_path(SOURCE, photo))
    assert page.status == 200
    assert not page.root.xpath("//main//script")
    assert len(facts(page)["Camera"]) < 210
    assert len(page.root.xpath("//ol[@class='toc']/li")) == 100
    assert {"Length", "Size of the picture"}.isdisjoint(facts(page))
