from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.oracle.memory_index import MemoryIndex
from tests.unit.web.api.office import Office, opened
from windrow.errors import StoreError
from windrow.index.protocol import FoundDocuments
from windrow.model.query import Query
from windrow.web.http.parameters import MAX_TEXT_LENGTH


@pytest.mark.parametrize(
    "path", ["/search", "/records/hay/oai:hay.example:1/v1", "/", "/openapi.json", "/nothing"]
)
def test_programs_of_any_site_may_read(office: Office, path: str) -> None:
    got = office.ask(path)
    assert got.headers["access-control-allow-origin"] == "*"
    assert got.headers["x-content-type-options"] == "nosniff"


def test_a_browser_that_asks_first_is_told_what_is_allowed(office: Office) -> None:
    got = office.server.ask("/api/v1/search", "OPTIONS", headers={"Origin": "https://other.example"})
    assert got.status == 204
    assert "GET" in got.headers["access-control-allow-methods"]


@pytest.mark.parametrize(
    "path", ["/search", "/records/hay/oai:hay.example:1/v1", "/sources", "/browse/types", "/openapi.json"]
)
def test_what_has_not_changed_is_not_sent_again(office: Office, path: str) -> None:
    first = office.ask(path)
    again = office.ask(path, headers={"If-None-Match": f'"other", {first.headers["etag"]}'})
    assert (again.status, again.body) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    assert office.ask(path, headers={"If-None-Match": '"other"'}).status == 200


def test_another_question_has_another_tag(office: Office) -> None:
    tags = {office.ask("/search", ("q", word)).headers["etag"] for word in ("hay", "straw")}
    assert len(tags) == 2


def test_an_answer_that_was_kept_is_the_same_as_one_made_anew(office: Office) -> None:
    first, second = (office.ask("/search", ("per_page", "3"), ("sort", "title")) for _ in range(2))
    assert (first.body, first.headers["link"]) == (second.body, second.headers["link"])


@pytest.mark.parametrize("method", ["POST", "DELETE", "PUT"])
def test_nothing_can_be_written(office: Office, method: str) -> None:
    got = office.server.ask("/api/v1/search", method)
    assert got.status == 405
    assert got.headers["allow"] == "GET, HEAD, OPTIONS"
    assert json.loads(got.body)["status"] == 405


def test_head_has_the_headers_and_no_body(office: Office) -> None:
    got = office.server.ask("/api/v1/search", "HEAD")
    assert (got.status, got.body) == (200, b"")
    assert got.headers["etag"]


@pytest.mark.parametrize("path", ["/api", "/api/", "/api/v2/search", "/api/search"])
def test_there_is_one_version(office: Office, path: str) -> None:
    got = office.server.ask(path)
    assert got.status == 404
    assert got.headers["content-type"] == "application/problem+json"


def test_a_query_that_is_too_long_is_refused(office: Office) -> None:
    assert office.ask("/search", ("q", "x" * (MAX_TEXT_LENGTH + 1))).status == 400
    assert office.ask("/search", ("q", "x" * 20_000)).status == 414


class BrokenIndex(MemoryIndex):
    """Cannot be searched."""

    def __init__(self, trouble: Exception) -> None:
        super().__init__()
        self._trouble = trouble

    def search(self, query: Query, **options: object) -> FoundDocuments:
        raise self._trouble


@pytest.mark.parametrize(
    ("trouble", "status"),
    [(StoreError("/secret/path is gone"), 503), (ZeroDivisionError("/secret/path"), 500)],
)
def test_what_breaks_is_told_without_details(
    tmp_path: Path, trouble: Exception, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    with opened(tmp_path) as office:
        object.__setattr__(office.desk, "index", BrokenIndex(trouble))
        got = office.ask("/search")
    assert got.status == status
    assert json.loads(got.body)["status"] == status
    assert "secret" not in got.text
    assert "/api/v1/search" in caplog.text


@pytest.mark.parametrize("path", ["/search", "/facets?field=year", "/browse/creators", "/suggest?q=ha"])
def test_an_index_that_is_being_made_is_told_instead_of_counted(tmp_path: Path, path: str) -> None:
    with opened(tmp_path, is_real=True, is_indexed=False) as office:
        got = office.ask(path)
        assert (got.status, got.headers["retry-after"]) == (503, "30")
        assert "is being made" in json.loads(got.body)["detail"]
        assert "etag" not in got.headers
        assert office.ask("/records/hay/oai:hay.example:1/v1").status == 200
