"""An Atom feed (RFC 4287) of what a question finds, page by page (RFC 5005, 3), in the question's order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from urllib.parse import urlencode

from windrow.exports.entry import Entry
from windrow.finding.addresses import record_path
from windrow.finding.question import Question
from windrow.formats.reference import address_of, keywords_of
from windrow.formats.xml_words import xml_words
from windrow.index.protocol import Order

PATH = "/search.atom"
USUAL_ORDER = Order.ADDED  # as feeds are read: what came last, first
ENTRIES = 50  # of one page
MOST_PEOPLE = 50  # of one entry
LONGEST_SUMMARY = 2000  # characters
_ATOM = "application/atom+xml"
_START = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom"'
    ' xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">\n'
)


@dataclass(frozen=True, slots=True)
class Leaf:
    """A page of a feed, and where it stands among the others."""

    entries: Sequence[Entry]
    total: int  # of all pages
    changed: datetime  # when the library last did: for a page on which nothing is
    here: str | None = None  # the cursor of this page; None for the first
    next: str | None = None  # that of the following one; None for the last


def write_feed(leaf: Leaf, question: Question, *, site: str, title: str) -> bytes:
    """Give a page of the feed. Its id is the first one's address, an entry's that of the record's page."""
    first = site + feed_address(question)
    changed = max((entry.record.changed_at for entry in leaf.entries), default=leaf.changed)
    lines = (
        _element("title", f"{title}: {question.text}" if question.text else title),
        _element("id", first),
        _element("updated", _moment(changed)),
        _link("self", site + feed_address(question, leaf.here), _ATOM),
        _link("first", first, _ATOM),
        *([] if leaf.next is None else [_link("next", site + feed_address(question, leaf.next), _ATOM)]),
        _link("alternate", site + question.address(page=1), "text/html"),
        f"<author>{_element('name', title)}</author>",
        f"<opensearch:totalResults>{leaf.total}</opensearch:totalResults>",
        *("\n".join(_entry(entry, site)) for entry in leaf.entries),
    )
    return (_START + "\n".join(lines) + "\n</feed>\n").encode("utf-8", "replace")


def feed_address(question: Question, cursor: str | None = None) -> str:
    """Give the address of a page of a question's feed; the order that feeds have goes without saying."""
    pairs = [pair for pair in replace(question, page=1).pairs() if pair[0] not in ("sort", "per_page")]
    if question.order is not USUAL_ORDER:
        pairs.append(("sort", question.order.value))
    if cursor is not None:
        pairs.append(("cursor", cursor))
    return f"{PATH}?{urlencode(pairs, errors='replace')}" if pairs else PATH


def _entry(entry: Entry, site: str) -> Iterator[str]:
    document, record = entry.document, entry.record
    page = site + record_path(record.source, record.identifier)
    original = address_of(document)
    yield "<entry>"
    yield _element("title", document.title or record.identifier)
    yield _element("id", page)
    yield _element("updated", _moment(record.changed_at))
    yield _link("alternate", page, "text/html")
    if original:
        yield _link("via", original)
    for name in _some(agent.name for agent in document.creators):
        yield f"<author>{_element('name', name)}</author>"
    for word in _some(keywords_of(document)):
        yield f'<category term="{xml_words(word)}"/>'
    if document.descriptions:
        yield _element("summary", document.descriptions[0].value[:LONGEST_SUMMARY])
    yield "</entry>"


def _some(words: Iterable[str]) -> list[str]:
    return [word for word in words if word.strip()][:MOST_PEOPLE]


def _element(name: str, text: str) -> str:
    return f"<{name}>{xml_words(text)}</{name}>"


def _link(relation: str, address: str, kind: str = "") -> str:
    media = f' type="{kind}"' if kind else ""
    return f'<link rel="{relation}"{media} href="{xml_words(address)}"/>'


def _moment(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
