"""Pictures of documents, over HTTP."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor, as_completed
from itertools import islice

import pytest

from tests.servers.asgi import Got
from tests.unit.web.documents.conftest import Open
from tests.unit.web.documents.folder import SOURCE, Folder, jpeg, pdf
from tests.unit.web.portal.stage import Portal
from windrow.model.file_content import Extract
from windrow.search.record_addresses import document_path
from windrow.web.documents.thumbnails import MAX_RENDERINGS, MAX_RENDERINGS_WAITING


def path_of(identifier: str, **query: str | int) -> str:
    return document_path("picture", SOURCE, identifier, **query)


@pytest.fixture
def photo(folder: Folder) -> str:
    return folder.add("a.jpg", jpeg(), Extract("image/jpeg"))


def test_a_picture_is_made_once_and_kept(folder: Folder, photo: str, serve: Open) -> None:
    portal = serve()
    first, second = (portal.server.ask(path_of(photo, size=160)) for _ in range(2))
    assert first.status == second.status == 200
    assert first.body == second.body == folder.kept[photo, 160, 1]
    assert first.headers["content-type"] == "image/jpeg"
    assert folder.made == [(photo, 160, 1)]


def test_a_picture_is_kept_by_browsers_and_known_again(photo: str, serve: Open) -> None:
    portal = serve()
    first = portal.server.ask(path_of(photo))
    assert "max-age=86400" in first.headers["cache-control"]
    assert first.headers["x-content-type-options"] == "nosniff"
    again = portal.server.ask(path_of(photo), headers={"If-None-Match": first.headers["etag"]})
    assert (again.status, again.body) == (304, b"")


def test_every_page_has_a_picture_of_its_own(folder: Folder, serve: Open) -> None:
    paper = folder.add("a.pdf", pdf(["one", "two"]), Extract("application/pdf"))
    portal = serve()
    assert portal.server.ask(path_of(paper, page=2)).headers["content-type"] == "image/png"
    assert folder.made == [(paper, 320, 2)]


def test_only_the_sizes_and_pages_there_can_be_are_made(folder: Folder, photo: str, serve: Open) -> None:
    portal = serve()
    for query in (
        "size=321",
        "size=0",
        "size=x",
        "size=99999999999",
        "page=0",
        "page=-1",
        "page=9999999",
        "page=٣",
    ):
        assert portal.ask(f"{path_of(photo)}?{query}").status == 404, query
    assert folder.made == []


def test_a_document_without_a_picture_is_tried_once(folder: Folder, serve: Open) -> None:
    note = folder.add("a.txt", b"words", Extract("text/plain"))
    portal = serve()
    assert [portal.server.ask(path_of(note)).status for _ in range(3)] == [404, 404, 404]
    assert folder.made == [(note, 320, 1)]


def test_what_is_no_picture_is_not_handed_on(folder: Folder, photo: str, serve: Open) -> None:
    folder.kept[photo, 320, 1] = b"<svg><script>alert(1)</script></svg>"
    assert serve().server.ask(path_of(photo)).status == 404


def test_the_picture_of_a_withdrawn_document_is_gone(folder: Folder, photo: str, serve: Open) -> None:
    folder.kept[photo, 320, 1] = jpeg()
    folder.catalogue.withdraw(photo, source=SOURCE)
    assert serve().server.ask(path_of(photo)).status == 410


def test_who_comes_when_too_many_are_being_made_is_asked_to_come_again(folder: Folder, serve: Open) -> None:
    wanted = MAX_RENDERINGS + MAX_RENDERINGS_WAITING + 3
    photos = [folder.add(f"{n}.jpg", jpeg(), Extract("image/jpeg")) for n in range(wanted)]
    folder.gate = threading.Event()
    portal, answers = serve(), list[Got]()
    refused = threading.Event()

    def ask(number: int, photo: str) -> None:
        answers.append(_ask(portal, photo, client=number))
        if sum(each.status == 503 for each in answers) == 3:
            refused.set()

    with ThreadPoolExecutor(wanted) as threads:
        for number, photo in enumerate(photos):
            threads.submit(ask, number, photo)
        assert refused.wait(30)
        folder.gate.set()
    assert sorted(each.status for each in answers) == [200] * (wanted - 3) + [503] * 3
    assert all(each.headers["retry-after"] for each in answers if each.status == 503)


def test_one_client_leaves_room_for_the_pictures_of_others(folder: Folder, serve: Open) -> None:
    wanted = MAX_RENDERINGS + MAX_RENDERINGS_WAITING
    photos = [folder.add(f"{n}.jpg", jpeg(), Extract("image/jpeg")) for n in range(wanted)]
    folder.gate = threading.Event()
    portal = serve()
    with ThreadPoolExecutor(wanted + 1) as threads:
        many = [threads.submit(_ask, portal, photo, client=1) for photo in photos]
        try:
            refused = list(islice(as_completed(many, 30), wanted // 2))
            other = threads.submit(_ask, portal, photos[0], client=2)
        finally:
            folder.gate.set()
        assert {each.result().status for each in refused} == {503}
        assert other.result(30).status == 200


def _ask(portal: Portal, photo: str, *, client: int) -> Got:
    return portal.server.ask(path_of(photo), headers={"X-Forwarded-For": f"203.0.113.{client}"})
