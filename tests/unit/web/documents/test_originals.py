"""The files themselves, over HTTP."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from tests.servers.asgi import Got
from tests.unit.web.documents.conftest import Open, shelved
from tests.unit.web.documents.folder import SOURCE, Folder, jpeg
from tests.unit.web.documents.stage import opened
from windrow.model.file_content import Extract
from windrow.search.record_addresses import document_path
from windrow.store.records.set_hierarchy import guard_set
from windrow.web.app import ServerOptions
from windrow.web.documents.document_files import PIECE_BYTES, FilePieces, OriginalFiles
from windrow.web.http.conditional import ByteRange
from windrow.web.http.http_request import HttpRefusal, Message, Request
from windrow.web.http.http_response import BodyPieces
from windrow.web.http.rate_limits import PageRateLimits, RateLimit

Get = Callable[..., Got]
CONTENT = bytes(range(256)) * 4


def path_of(identifier: str) -> str:
    return document_path("original", SOURCE, identifier)


@pytest.fixture(scope="module")
def get(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Get]:
    """Ask for a file that stays as it is."""
    path = tmp_path_factory.mktemp("originals")
    with shelved(path) as folder:
        name = path_of(folder.add("deep/in the/hay stack.bin", CONTENT, Extract("audio/x-hay")))
        with opened(path / "library", folder) as portal:

            def got(method: str = "GET", headers: Mapping[str, str] | None = None, path: str = name) -> Got:
                return portal.server.ask(path, method, headers=headers)

            yield got


def test_a_file_comes_whole_with_its_length_and_its_name(get: Get) -> None:
    got = get()
    assert (got.status, got.body) == (200, CONTENT)
    assert got.headers["content-type"] == "audio/x-hay"
    assert got.headers["content-length"] == "1024"
    assert got.headers["accept-ranges"] == "bytes"
    assert got.headers["x-content-type-options"] == "nosniff"
    assert 'filename="hay stack.bin"' in got.headers["content-disposition"]
    assert got.headers["etag"].startswith('"')


def test_the_head_of_a_file_tells_its_length_without_it(get: Get) -> None:
    got = get("HEAD")
    assert (got.status, got.body, got.headers["content-length"]) == (200, b"", "1024")


@pytest.mark.parametrize(
    ("asked", "told", "content"),
    [
        ("bytes=0-9", "bytes 0-9/1024", CONTENT[:10]),
        ("bytes=1000-", "bytes 1000-1023/1024", CONTENT[1000:]),
        ("bytes=-4", "bytes 1020-1023/1024", CONTENT[-4:]),
    ],
)
def test_a_part_of_a_file_comes_as_asked_for(get: Get, asked: str, told: str, content: bytes) -> None:
    got = get(headers={"Range": asked})
    assert (got.status, got.body, got.headers["content-range"]) == (206, content, told)
    assert got.headers["content-length"] == str(len(content))


def test_a_part_behind_the_end_is_refused_with_the_length(get: Get) -> None:
    got = get(headers={"Range": "bytes=5000-"})
    assert (got.status, got.headers["content-range"]) == (416, "bytes */1024")


def test_several_parts_at_once_are_the_whole_file(get: Get) -> None:
    got = get(headers={"Range": "bytes=0-1,4-5"})
    assert (got.status, got.body) == (200, CONTENT)


def test_who_has_a_file_already_is_told_so(get: Get) -> None:
    first = get()
    for header, value in (("If-None-Match", "etag"), ("If-Modified-Since", "last-modified")):
        got = get(headers={header: first.headers[value]})
        assert (got.status, got.body) == (304, b"")


def test_a_part_goes_on_only_where_the_file_is_the_same(get: Get) -> None:
    first = get()
    for same in (first.headers["etag"], first.headers["last-modified"]):
        assert get(headers={"Range": "bytes=0-3", "If-Range": same}).status == 206
    for other in ('"another"', f"W/{first.headers['etag']}", "Mon, 01 Jan 2001 00:00:00 GMT", "x"):
        got = get(headers={"Range": "bytes=0-3", "If-Range": other})
        assert (got.status, got.body) == (200, CONTENT)


def test_a_file_that_is_another_now_fails_what_was_demanded(get: Get) -> None:
    tag = get().headers["etag"]
    assert get(headers={"If-Match": f'"x", {tag}'}).status == 200
    assert get(headers={"If-Match": "*"}).status == 200
    assert get(headers={"If-Match": '"x"'}).status == 412
    assert get(headers={"If-Unmodified-Since": "Mon, 01 Jan 2001 00:00:00 GMT"}).status == 412
    assert get(headers={"If-Unmodified-Since": "Sun, 01 Jan 2090 00:00:00 GMT"}).status == 200


def test_a_file_that_changed_since_it_was_read_comes_as_it_is_now(folder: Folder, serve: Open) -> None:
    name, portal = path_of(folder.add("straw.bin", CONTENT, Extract("audio/x-hay"))), serve()
    before = portal.server.ask(name).headers["etag"]
    lying = folder.path / "straw.bin"
    lying.write_bytes(b"new straw")
    os.utime(lying, (1_000_000_000, 1_000_000_000))
    got = portal.server.ask(name)
    assert (got.body, got.headers["content-length"]) == (b"new straw", "9")
    assert got.headers["last-modified"] == "Sun, 09 Sep 2001 01:46:40 GMT"
    assert got.headers["etag"] != before
    lying.unlink()
    assert portal.server.ask(name).status == 404


def test_the_file_of_a_withdrawn_record_is_gone(folder: Folder, serve: Open) -> None:
    identifier = folder.add("a.jpg", jpeg(), Extract("image/jpeg"))
    folder.catalogue.withdraw(identifier, source=SOURCE)
    assert serve().server.ask(path_of(identifier)).status == 410


def test_the_file_of_a_guarded_record_is_not_there(folder: Folder, serve: Open) -> None:
    identifier = folder.add("a.jpg", jpeg(), Extract("image/jpeg"), sets=(guard_set("nobody"),))
    portal = serve()
    assert portal.server.ask(path_of(identifier)).status == 404
    assert portal.server.ask(document_path("picture", SOURCE, identifier)).status == 404
    assert portal.server.ask(document_path("text", SOURCE, identifier)).status == 404


@pytest.mark.parametrize(
    "path",
    [
        "/document/original/barn/../../etc/passwd",
        "/document/original/barn/%2Fetc%2Fpasswd",
        "/document/original/barn/https://barn.example/../secret",
        "/document/original/barn/",
        "/document/original/barn",
        "/document/original/",
        "/document/",
        "/document/nothing/barn/x",
        "/document/original/other/x",
    ],
)
def test_an_address_of_nothing_leads_nowhere(get: Get, path: str) -> None:
    assert get(path=path).status == 404


def test_only_reading_is_allowed(get: Get) -> None:
    assert get("POST").status == 405


@pytest.mark.parametrize("kind", ["text/html", "image/svg+xml"])
def test_a_file_that_could_run_script_is_only_saved(folder: Folder, serve: Open, kind: str) -> None:
    content = b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"
    identifier = folder.add("page.html", content, Extract(kind))
    got = serve().server.ask(path_of(identifier))
    assert got.headers["content-type"] == "application/octet-stream"
    assert got.headers["content-disposition"].startswith("attachment;")
    assert got.headers["content-security-policy"].endswith("sandbox")


def test_an_empty_file_comes_empty(folder: Folder, serve: Open) -> None:
    identifier = folder.add("nothing.txt", b"", Extract("text/plain"))
    got = serve().server.ask(path_of(identifier))
    assert (got.status, got.body, got.headers["content-length"]) == (200, b"", "0")


def test_a_large_file_comes_whole(folder: Folder, serve: Open) -> None:
    content = os.urandom(3 * PIECE_BYTES + 17)
    identifier = folder.add("large.bin", content, Extract("application/zip"))
    got = serve().server.ask(path_of(identifier), headers={"Accept-Encoding": "gzip, zstd"})
    assert got.body == content
    assert "content-encoding" not in got.headers


def test_a_file_that_becomes_shorter_while_it_is_sent_breaks_off(tmp_path: Path) -> None:
    lying = tmp_path / "file"
    lying.write_bytes(b"x" * (2 * PIECE_BYTES))
    pieces = FilePieces(lying.open("rb"), ByteRange(0, 2 * PIECE_BYTES - 1))
    assert len(next(pieces)) == PIECE_BYTES
    os.truncate(lying, PIECE_BYTES)
    with pytest.raises(ConnectionAbortedError):
        next(pieces)
    pieces.close()


def test_files_are_part_of_the_budget_of_pages_and_pictures_are_not(tmp_path: Path, folder: Folder) -> None:
    identifier = folder.add("a.jpg", jpeg(), Extract("image/jpeg"))
    manners = ServerOptions(budget=PageRateLimits(RateLimit(0.001, 2), RateLimit(0.001, 2)), budgets_own=True)
    with opened(tmp_path / "library", folder, manners=manners) as portal:
        picture = document_path("picture", SOURCE, identifier, size=160)
        assert {portal.server.ask(picture).status for _ in range(5)} == {200}
        assert [portal.server.ask(path_of(identifier)).status for _ in range(3)] == [200, 200, 429]


def test_only_so_many_files_are_on_their_way_at_a_time(folder: Folder) -> None:
    name = folder.add("a.jpg", jpeg(), Extract("image/jpeg"))
    originals = OriginalFiles(folder.catalogue.store, folder, at_once=1)
    request = Request("GET", path_of(name), b"", {}, "", no_body)
    first = originals(request, SOURCE, name)
    with pytest.raises(HttpRefusal) as refused:
        originals(request, SOURCE, name)
    assert (refused.value.status, dict(refused.value.headers)) == (503, {b"retry-after": b"5"})
    assert first.pieces is not None
    first.pieces.close()
    again = originals(request, SOURCE, name)
    assert again.pieces is not None
    again.pieces.close()


def test_one_client_leaves_some_files_to_others_however_slowly_it_reads(folder: Folder) -> None:
    name = folder.add("a.jpg", jpeg(), Extract("image/jpeg"))
    originals = OriginalFiles(folder.catalogue.store, folder, at_once=4)

    def ask(client: str) -> BodyPieces | None:
        return originals(Request("GET", path_of(name), b"", {}, client, no_body), SOURCE, name).pieces

    held = [ask("2001:db8::1"), ask("2001:db8::2"), ask("2001:db8::3")]
    with pytest.raises(HttpRefusal):
        ask("2001:db8::4")
    held.append(ask("203.0.113.1"))
    for pieces in held:
        assert pieces is not None
        pieces.close()


async def no_body() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


def test_a_client_that_goes_away_lets_go_of_the_file(folder: Folder, serve: Open) -> None:
    identifier = folder.add("large.bin", bytes(40 * PIECE_BYTES), Extract("application/zip"))
    portal = serve()
    with socket.create_connection(("127.0.0.1", portal.server.port)) as client:
        client.sendall(f"GET {path_of(identifier)} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        assert client.recv(100).startswith(b"HTTP/1.1 200")
    assert portal.server.ask(path_of(identifier), headers={"Range": "bytes=-1"}).body == b"\0"
