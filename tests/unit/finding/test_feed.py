from __future__ import annotations

from datetime import UTC, datetime
from urllib.parse import unquote, urlsplit

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from tests.unit.finding.catalogue import Catalogue
from tests.unit.formats.documents import TEXTS, documents
from windrow.exports.entry import Entry
from windrow.finding.addresses import record_path
from windrow.finding.exporting import export
from windrow.finding.feed import write_feed
from windrow.finding.question import Question, read_question
from windrow.model.document import Document
from windrow.store.records import StoredRecord

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


def feed_of(catalogue: Catalogue, *pairs: tuple[str, str]) -> etree._Element:
    question = read_question(pairs)
    pieces = export(question, catalogue.index(), catalogue.store, "atom", site=SITE, title="Barn")
    return parsed(b"".join(pieces))


def test_a_feed_has_what_came_last_first_and_says_when(catalogue: Catalogue) -> None:
    for number in range(1, 4):
        catalogue.add(f"oai:hay.example:{number}", title=f"Hay {number}", creator="Mower, Ann")
    feed = feed_of(catalogue)
    check(feed)
    titles = [entry.findtext(f"{ATOM}title") for entry in feed.findall(f"{ATOM}entry")]
    assert titles == ["Hay 3", "Hay 2", "Hay 1"]
    latest = feed.findtext(f"{ATOM}entry/{ATOM}updated")
    assert latest == feed.findtext(f"{ATOM}updated") == "1970-01-12T16:46:40Z"


def test_a_feed_has_fifty_entries_at_most_and_tells_how_many_there_are(catalogue: Catalogue) -> None:
    for number in range(60):
        catalogue.add(f"oai:hay.example:{number}", title=f"Hay {number}")
    feed = feed_of(catalogue)
    assert len(feed.findall(f"{ATOM}entry")) == 50
    assert feed.findtext("{*}totalResults") == "60"


def test_a_feed_is_of_one_question_and_its_id_is_its_address(catalogue: Catalogue) -> None:
    catalogue.add("oai:hay.example:1", title="Hay", language="en")
    catalogue.add("oai:hay.example:2", title="Heinä", language="fi")
    feed = feed_of(catalogue, ("language", "fi"), ("page", "3"))
    assert feed.findtext(f"{ATOM}id") == f"{SITE}/search.atom?language=fi"
    assert feed.findtext(f"{ATOM}entry/{ATOM}id") == f"{SITE}/record/hay/oai:hay.example:2"


def test_a_feed_of_nothing_is_a_feed(catalogue: Catalogue) -> None:
    check(feed_of(catalogue, ("q", "nothing")))


@given(documents(), TEXTS, TEXTS)
def test_whatever_a_document_holds_the_feed_is_well_formed(
    document: Document, identifier: str, words: str
) -> None:
    at = datetime(2024, 6, 1, tzinfo=UTC)
    record = StoredRecord(1, "hay", identifier or "x", "", False, 1, at, 1, 1)
    body = write_feed([Entry(record, None, document)], Question(text=words), total=1, site=SITE, title=words)
    feed = parsed(body)
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
