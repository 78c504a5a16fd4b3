"""All pictures of a library."""

from __future__ import annotations

from tests.unit.web.documents.conftest import Open
from tests.unit.web.documents.folder import SOURCE, Folder, jpeg, pdf
from windrow.model.file_content import UNPICTURED, Extract
from windrow.search.record_addresses import document_path, record_path
from windrow.web.documents.gallery import PER_PAGE

TITLES = "//ul[@class='gallery']//img/@alt"
ON_FIRST_PAGE = "//section[@aria-labelledby='pictures']//img/@alt"


def add(folder: Folder, name: str, **said: str) -> str:
    return folder.add(name, jpeg(), Extract("image/jpeg", said=tuple(said.items())))


def test_pictures_are_shown_the_last_added_first_and_nothing_else(folder: Folder, serve: Open) -> None:
    first = add(folder, "1.jpg", title="Car", date="2020")
    add(folder, "2.jpg", title="Lorry", date="2010")
    folder.add("3.svg", b"<svg/>", Extract("image/svg+xml", said=(("title", "Drawing"),)))
    folder.add("4.pdf", pdf(["x"]), Extract("application/pdf", said=(("title", "Paper"),)))
    page = serve().page("/gallery")
    assert page.root.xpath(TITLES) == ["Lorry", "Car"]
    assert "2 pictures" in page.words
    (tile,) = page.root.xpath("//ul[@class='gallery']/li/a[img/@alt='Car']")
    assert tile.get("href") == record_path(SOURCE, first)
    assert tile.xpath("img/@src") == [document_path("picture", SOURCE, first, size=320)]
    assert tile.xpath("img/@loading") == ["lazy"]


def test_what_nobody_could_draw_has_no_tile(folder: Folder, serve: Open) -> None:
    add(folder, "1.jpg", title="Car")
    folder.add("2.heic", b"heic", Extract("image/heic", said=(("title", "From a telephone"),)))
    torn = Extract("image/png", said=(("title", "Torn"),), measured=(UNPICTURED,))
    folder.add("3.png", b"\x89PNG", torn)
    assert serve().page("/gallery").root.xpath(TITLES) == ["Car"]


def test_pictures_come_in_other_orders_under_their_years(folder: Folder, serve: Open) -> None:
    add(folder, "1.jpg", title="Car", date="2020-05-01")
    add(folder, "2.jpg", title="Barn")
    add(folder, "3.jpg", title="Lorry", date="2010")
    portal = serve()
    newest = portal.page("/gallery?sort=newest")
    assert newest.root.xpath(TITLES) == ["Car", "Lorry", "Barn"]
    assert newest.texts("//h2") == ["2020", "2010", "Without a date"]
    by_title = portal.page("/gallery?sort=title")
    assert by_title.root.xpath(TITLES) == ["Barn", "Car", "Lorry"]
    assert by_title.texts("//h2") == []


def test_pictures_are_found_by_words_and_collections(folder: Folder, serve: Open) -> None:
    add(folder, "1.jpg", title="Car")
    add(folder, "2.jpg", title="Lorry")
    portal = serve()
    found = portal.page("/gallery?q=lorry")
    assert found.root.xpath(TITLES) == ["Lorry"]
    assert found.got.headers["x-robots-tag"] == "noindex"
    assert portal.page("/gallery?collection=old").root.xpath(TITLES) == []


def test_a_collection_that_there_is_not_is_told(folder: Folder, serve: Open) -> None:
    add(folder, "1.jpg", title="Car")
    page = serve().page("/gallery?collection=nope")
    assert page.root.xpath(TITLES) == []
    assert page.root.xpath("//div[@class='notice']//li/text()") == [
        "There is no collection nope; nothing is in it."
    ]


def test_many_pictures_are_on_several_pages(folder: Folder, serve: Open) -> None:
    for number in range(PER_PAGE + 1):
        add(folder, f"{number}.jpg", title=f"Car {number}")
    portal = serve()
    first = portal.page("/gallery")
    assert len(first.root.xpath(TITLES)) == PER_PAGE
    assert first.link("Next") == "/gallery?page=2"
    assert first.root.xpath("//link[@rel='next']/@href") == ["/gallery?page=2"]
    second = portal.page("/gallery?page=2")
    assert second.root.xpath(TITLES) == ["Car 0"]
    assert second.link("Previous") == "/gallery"
    assert second.links("Next") == []
    assert portal.ask("/gallery?page=3").status == 404


def test_the_way_to_the_pictures_is_only_there_where_there_are_any(folder: Folder, serve: Open) -> None:
    folder.catalogue.add("oai:hay.example:1", title="Hay")
    assert "Pictures" not in serve().page("/search").texts("//nav[@class='main']//a")
    add(folder, "1.jpg", title="Car")
    page = serve().page("/search")
    assert page.link("Pictures") == "/gallery"


def test_an_empty_gallery_says_so(serve: Open) -> None:
    assert "There are no pictures here." in serve().page("/gallery").words


def test_a_picture_without_a_title_is_called_by_its_file(folder: Folder, serve: Open) -> None:
    add(folder, "radar/0815.jpg")
    assert serve().page("/gallery").root.xpath(TITLES) == ["0815.jpg"]


def test_nothing_lies_below_the_gallery(serve: Open) -> None:
    portal = serve()
    assert portal.ask("/gallery/").status == 200
    assert portal.ask("/gallery/x").status == 404


def test_the_first_page_shows_the_last_pictures_and_leads_to_all_of_them(folder: Folder, serve: Open) -> None:
    folder.catalogue.add("oai:hay.example:1", title="Hay")
    assert not serve().page("/").root.xpath(ON_FIRST_PAGE)
    for number in range(10):
        add(folder, f"{number}.jpg", title=f"Car {number}")
    portal = serve()
    page = portal.page("/")
    assert page.root.xpath(ON_FIRST_PAGE) == [f"Car {number}" for number in range(9, 3, -1)]
    assert page.link("10 pictures") == "/gallery"
    assert not portal.page("/collection/old").root.xpath(ON_FIRST_PAGE)


def test_only_a_collection_with_pictures_leads_to_them_and_to_its_own(folder: Folder, serve: Open) -> None:
    folder.catalogue.add("oai:hay.example:1", title="Hay")
    add(folder, "radar/0815.jpg")
    portal = serve()
    menu = "//nav[@class='main']//a[.='Pictures']/@href"
    assert portal.page("/").root.xpath(menu) == ["/gallery"]
    assert portal.page("/collection/old").root.xpath(menu) == []
    assert portal.page("/collection/shots").root.xpath(menu) == ["/gallery?collection=shots"]
