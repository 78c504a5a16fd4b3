"""A client that has a record's page already is told so, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.unit.search.catalogue import Catalogue
from tests.unit.web.portal.stage import SETTINGS, Portal, staged
from windrow.store import runs
from windrow.store.records.set_hierarchy import guard_set
from windrow.web.portal import record_page

HAY = "/record/hay/oai:hay.example:1"
GONE = "/record/hay/oai:hay.example:5"


def has(portal: Portal, path: str = HAY, *, language: str = "en") -> Mapping[str, str]:
    """The conditions of a client that has this."""
    found = portal.ask(path, language=language).headers
    return {"If-None-Match": found["etag"], "If-Modified-Since": found["last-modified"]}


@pytest.mark.parametrize("name", ["If-None-Match", "If-Modified-Since"])
def test_a_page_that_is_as_it_was_is_not_sent_again(portal: Portal, name: str) -> None:
    got = portal.ask(HAY, headers={name: has(portal)[name]})
    assert (got.status, got.body) == (304, b"")
    assert "content-length" not in got.headers
    whole = portal.ask(HAY).headers
    assert {key: got.headers[key] for key in ("etag", "last-modified", "vary", "cache-control")} == {
        key: whole[key] for key in ("etag", "last-modified", "vary", "cache-control")
    }


def test_a_page_of_a_changed_record_is_sent(portal: Portal) -> None:
    before = has(portal)
    portal.catalogue.add("oai:hay.example:1", title="Hay, dried")
    for name, value in before.items():
        got = portal.ask(HAY, headers={name: value})
        assert (got.status, "Hay, dried" in got.text) == (200, True)


def test_its_date_is_when_the_change_became_visible(portal: Portal) -> None:
    portal.catalogue.add("oai:hay.example:9", title="Late hay")
    with portal.catalogue.store.reading() as connection:
        at = connection.execute("SELECT MAX(at) FROM moment").scalar()
    assert at == 1_025_200
    told = portal.ask("/record/hay/oai:hay.example:9").headers["last-modified"]
    assert told == "Mon, 12 Jan 1970 20:46:40 GMT"


def test_a_change_to_another_record_changes_nothing(portal: Portal) -> None:
    before = has(portal)
    portal.catalogue.add("oai:hay.example:3", title="Straw, dried")
    assert portal.ask(HAY, headers=before).status == 304


def test_the_same_page_in_another_language_is_another(portal: Portal) -> None:
    tag = has(portal)["If-None-Match"]
    assert portal.ask(HAY, language="sv", headers={"If-None-Match": tag}).status == 200
    chosen = {"If-None-Match": tag, "Cookie": "windrow_language=en"}
    assert portal.ask(HAY, language="sv", headers=chosen).status == 304


def test_another_look_is_another_page(tmp_path: Path, catalogue: Catalogue) -> None:
    catalogue.add("oai:hay.example:1", title="Hay")
    with staged(tmp_path, catalogue) as portal:
        before = has(portal)
    catalogue.add("oai:hay.example:2", title="An hour later")
    with staged(tmp_path, catalogue, settings=SETTINGS.replace("The barn", "The hayloft")) as portal:
        for name, value in before.items():
            assert portal.ask(HAY, headers={name: value}).status == 200
        after = has(portal)
    with staged(tmp_path, catalogue, settings=SETTINGS.replace("The barn", "The hayloft")) as portal:
        for name, value in after.items():
            assert portal.ask(HAY, headers={name: value}).status == 304


def test_metadata_as_it_came_is_the_same_in_every_look_and_language(
    tmp_path: Path, catalogue: Catalogue
) -> None:
    catalogue.add("oai:hay.example:1", title="Hay")
    with staged(tmp_path, catalogue) as portal:
        before = has(portal, f"{HAY}?format=oai_dc")
    catalogue.add("oai:hay.example:2", title="An hour later")
    with staged(tmp_path, catalogue, settings=SETTINGS.replace("The barn", "The hayloft")) as portal:
        assert has(portal, f"{HAY}?format=oai_dc", language="fi") == before


def test_a_harvest_that_brings_nothing_new_changes_no_word_of_a_page(portal: Portal) -> None:
    before = portal.ask(HAY)
    shelf = portal.catalogue.shelf("hay")
    with shelf.store.writing() as connection:
        values = ("2024-06-01T12:30:00+00:00", shelf.run_id)
        connection.execute("UPDATE run SET ended = ?, outcome = 'ok' WHERE id = ?", values)
        assert runs.last_good(connection, "hay") is not None
    after = portal.ask(HAY)
    assert (after.headers["etag"], after.text) == (before.headers["etag"], before.text)


def test_head_is_answered_like_get_without_a_body(portal: Portal) -> None:
    asked = {"Accept": "text/html", "Accept-Language": "en"}
    whole = portal.server.ask(HAY, "HEAD", headers=asked)
    assert (whole.status, whole.body) == (200, b"")
    assert whole.headers["etag"] == has(portal)["If-None-Match"]
    again = portal.server.ask(HAY, "HEAD", headers={**asked, "If-None-Match": whole.headers["etag"]})
    assert (again.status, again.body) == (304, b"")


@pytest.mark.parametrize(
    "condition", [{"If-None-Match": "*"}, {"If-Modified-Since": "Fri, 01 Jan 2038 00:00:00 GMT"}]
)
@pytest.mark.parametrize(
    ("path", "status"),
    [
        (GONE, 410),
        ("/record/hay/nothing", 404),
        ("/record/nobody/oai:hay.example:1", 404),
        (f"{HAY}?format=marcxml", 404),
        (f"{HAY}?as=doc", 404),
        ("/record/hay/oai:hay.example:secret", 404),
    ],
)
def test_no_condition_hides_that_there_is_nothing(
    portal: Portal, path: str, status: int, condition: Mapping[str, str]
) -> None:
    portal.catalogue.add("oai:hay.example:secret", title="Secret", sets=(guard_set("/private"),))
    assert portal.ask(path, headers=condition).status == status


def test_no_condition_lets_anything_be_written(portal: Portal) -> None:
    got = portal.server.ask(HAY, "POST", body=b"x", headers={"If-None-Match": "*"})
    assert got.status == 405


def test_a_record_that_is_withdrawn_is_gone_whatever_a_client_has(portal: Portal) -> None:
    before = has(portal)
    portal.catalogue.withdraw("oai:hay.example:1")
    assert portal.ask(HAY, headers=before).status == 410


def test_the_page_of_a_withdrawn_record_has_validators_of_its_own(portal: Portal) -> None:
    got = portal.ask(GONE)
    assert got.status == 410
    assert got.headers["etag"].startswith('W/"')
    assert got.headers["last-modified"] == "Mon, 12 Jan 1970 19:46:40 GMT"


@pytest.mark.parametrize("query", ["?format=oai_dc", "?as=bib", "?as=json", "?as=linkset", "?as=citations"])
def test_the_files_of_a_record_are_not_sent_again_either(portal: Portal, query: str) -> None:
    got = portal.ask(HAY + query, headers=has(portal, HAY + query))
    assert (got.status, got.body) == (304, b"")


def test_whoever_looks_at_a_page_is_noted_whether_it_is_sent_or_not(
    tmp_path: Path, catalogue: Catalogue
) -> None:
    catalogue.add("oai:hay.example:1", title="Hay")
    views: list[tuple[int, str]] = []
    with staged(
        tmp_path, catalogue, looked_at=lambda number, source: views.append((number, source))
    ) as portal:
        portal.ask(HAY, headers=has(portal))
        assert views == [(1, "hay"), (1, "hay")]


def test_a_record_of_much_metadata_has_the_same_page_made_in_a_thread(
    portal: Portal, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = portal.ask(HAY)
    monkeypatch.setattr(record_page, "DIRECT_BYTES", 0)
    slow = portal.ask(HAY)
    assert (slow.status, slow.body, slow.headers["etag"]) == (200, quick.body, quick.headers["etag"])
    assert portal.ask(HAY, headers=has(portal)).status == 304
