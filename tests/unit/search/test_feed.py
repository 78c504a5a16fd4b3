from __future__ import annotations

from datetime import UTC, datetime
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from tests.unit.formats.documents import TEXTS, documents
from tests.unit.search.catalogue import Catalogue
from windrow.errors import UsageError
from windrow.exports.entries import Entry
from windrow.model.document import Document
from windrow.search.record_addresses import record_path
from windrow.search.request import SearchRequest, read_request
from windrow.search.result_export import FeedPage, export, write_feed
from windrow.store.records.record_reader import StoredRecord

ATOM = "{http://www.w3.org/2005/Atom}"
SITE = "https://library.example/theses"


def parsed(body: bytes) -> etree._Element:
    return etree.fromstring(body, etree.XMLParser(resolve_entities=False))


def check(feed: etree._Element) -> None:
    """What RFC 4287 asks of a feed, as far as this one goes."""
    for element in (feed, *feed.findall(f"{ATOM}entry")):
        for name in ("title", "id", "updated"):
            assert len(element.findall(ATOM + name)) == 1
        moment = element.findtext(f"{ATOM}updated") or ""
        assert datetime.fromisoformat(moment).tzinfo is not None
        assert urlsplit(element.findtext(f"{ATOM}id") or "").scheme == "https"
        relations = [link.get("rel") for link in element.findall(f"{ATOM}link")]
        assert relations.count("alternate") == 1
        assert all(person.findtext(f"{ATOM}name") for person in element.findall(f"{ATOM}author"))
    assert feed.find(f"{ATOM}author") is not None
    ids = [entry.findtext(f"{ATOM}id") for entry in feed.findall(f"{ATOM}entry")]
    assert len(ids) == len(set(ids))


def feed_of(
    catalogue: Catalogue, *pairs: tuple[str, str], sort: str = "added", after: str | None = None
) -> etree._Element:
    question = read_request([*pairs, ("sort", sort)])
    index, store = catalogue.index(), catalogue.store
    return parsed(
        b"".join(export(question, index, store, "atom", site=SITE, title="Barn", after=after).pieces)
    )


def titles_of(feed: etree._Element) -> list[str | None]:
    return [entry.findtext(f"{ATOM}title") for entry in feed.findall(f"{ATOM}entry")]


def link_of(feed: etree._Element, relation: str) -> str | None:
    found = [link.get("href") for link in feed.findall(f"{ATOM}link") if link.get("rel") == relation]
    assert len(found) <= 1
    return found[0] if found else None


def test_a_feed_has_what_came_last_first_and_says_when(catalogue: Catalogue) -> None:
    for number in range(1, 4):
        catalogue.add(f"oai:hay.example:{number}", title=f"Hay {number}", creator="Mower, Ann")
    feed = feed_of(catalogue)
    check(feed)
    assert titles_of(feed) == ["Hay 3", "Hay 2", "Hay 1"]
    latest = feed.findtext(f"{ATOM}entry/{ATOM}updated")
    assert latest == feed.findtext(f"{ATOM}updated") == "1970-01-12T16:46:40Z"


def test_a_feed_has_fifty_entries_at_most_and_tells_how_many_there_are(catalogue: Catalogue) -> None:
    for number in range(60):
        catalogue.add(f"oai:hay.example:{number}", title=f"Hay {number}")
    feed = feed_of(catalogue)
    assert len(feed.findall(f"{ATOM}entry")) == 50
    assert feed.findtext("{*}totalResults") == "60"


def test_a_feed_is_in_the_order_that_was_asked_for(catalogue: Catalogue) -> None:
    for number, title in enumerate(("Hay B", "Hay C", "Hay A")):
        catalogue.add(f"oai:hay.example:{number}", title=title, date=str(2010 + number))
    assert titles_of(feed_of(catalogue, sort="title")) == ["Hay A", "Hay B", "Hay C"]
    feed = feed_of(catalogue, ("q", "hay"), sort="oldest")
    assert titles_of(feed) == ["Hay B", "Hay C", "Hay A"]
    assert feed.findtext(f"{ATOM}id") == link_of(feed, "self") == f"{SITE}/search.atom?q=hay&sort=oldest"
    assert link_of(feed, "alternate") == f"{SITE}/search?q=hay&sort=oldest"


@pytest.mark.parametrize("sort", ["added", "title", "oldest", "relevance"])
def test_the_pages_of_a_feed_have_everything_once(catalogue: Catalogue, sort: str) -> None:
    for number in range(120):
        catalogue.add(f"oai:hay.example:{number}", title=f"Hay {number:03}", date="2012")
    found: list[str | None] = []
    sizes: list[int] = []
    after, first = None, ""
    while after is not None or not sizes:
        feed = feed_of(catalogue, ("q", "hay"), sort=sort, after=after)
        check(feed)
        first = first or link_of(feed, "self") or ""
        assert feed.findtext(f"{ATOM}id") == link_of(feed, "first") == first
        found += titles_of(feed)
        sizes.append(len(titles_of(feed)))
        following = dict(parse_qsl(urlsplit(link_of(feed, "next") or "").query))
        assert not following or dict(parse_qsl(urlsplit(first).query)).items() <= following.items()
        after = following.get("cursor")
    assert sizes == [50, 50, 20]
    assert sorted(map(str, found)) == [f"Hay {number:03}" for number in range(120)]


def test_the_second_page_of_a_feed_names_itself(catalogue: Catalogue) -> None:
    for number in range(60):
        catalogue.add(f"oai:hay.example:{number}", title=f"Hay {number}")
    following = link_of(feed_of(catalogue), "next") or ""
    (cursor,) = dict(parse_qsl(urlsplit(following).query)).values()
    assert link_of(feed_of(catalogue, after=cursor), "self") == following


def test_a_cursor_that_no_page_gave_is_told_before_anything_is_written(catalogue: Catalogue) -> None:
    with pytest.raises(UsageError):
        export(SearchRequest(), catalogue.index(), catalogue.store, "atom", after="straw")


def test_a_feed_is_of_one_question_and_its_id_is_its_address(catalogue: Catalogue) -> None:
    catalogue.add("oai:hay.example:1", title="Hay", language="en")
    catalogue.add("oai:hay.example:2", title="Heinä", language="fi")
    feed = feed_of(catalogue, ("language", "fi"), ("page", "3"))
    assert feed.findtext(f"{ATOM}id") == f"{SITE}/search.atom?language=fi"
    assert feed.findtext(f"{ATOM}entry/{ATOM}id") == f"{SITE}/record/hay/oai:hay.example:2"


def test_a_feed_of_nothing_is_a_feed(catalogue: Catalogue) -> None:
    catalogue.add("oai:hay.example:1", title="Hay")
    catalogue.withdraw("oai:hay.example:1")
    feed = feed_of(catalogue, ("q", "nothing"))
    check(feed)
    assert feed.findtext(f"{ATOM}updated") == "1970-01-12T15:46:40Z"  # as long as the library stays as it is


@given(documents(), TEXTS, TEXTS)
def test_whatever_a_document_holds_the_feed_is_well_formed(
    document: Document, identifier: str, words: str
) -> None:
    at = datetime(2024, 6, 1, tzinfo=UTC)
    record = StoredRecord(1, "hay", identifier or "x", "", False, 1, at, 1, 1)
    leaf = FeedPage([Entry(record, None, document)], 1, at)
    feed = parsed(write_feed(leaf, SearchRequest(text=words), site=SITE, title=words))
    assert len(feed.findall(f"{ATOM}entry")) == 1
    assert len(feed.findall(f"{ATOM}entry/{ATOM}summary")) <= 1


@given(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1) | st.sampled_from(["a/../b", "a//b", "./x"])
)
def test_the_path_of_a_record_leads_back_to_its_identifier(identifier: str) -> None:
    path = record_path("hay", identifier)
    assert path.isascii()
    assert unquote(path.removeprefix("/record/hay/")) == identifier
    segments = path.split("/")
    assert ".." not in segments[3:] or identifier == ".."
    assert "" not in segments[3:]
