"""An Atom feed (RFC 4287) of what a question finds: what came into the library last, first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

from windrow.exports.entry import Entry
from windrow.finding.addresses import record_path
from windrow.finding.question import Question
from windrow.formats.reference import address_of, keywords_of
from windrow.formats.xml_words import xml_words

NEWEST = 50
MOST_PEOPLE = 50  # of one entry
LONGEST_SUMMARY = 2000  # characters
_NEVER = datetime(1970, 1, 1, tzinfo=UTC)
_START = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom"'
    ' xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">\n'
)


def write_feed(entries: Sequence[Entry], question: Question, *, total: int, site: str, title: str) -> bytes:
    """Give the feed. Its id is its own address, an entry's that of the record's page."""
    own = site + question.address("/search.atom", page=1)
    changed = max((entry.record.changed_at for entry in entries), default=_NEVER)
    lines = (
        _element("title", f"{title}: {question.text}" if question.text else title),
        _element("id", own),
        _element("updated", _moment(changed)),
        _link("self", own, "application/atom+xml"),
        _link("alternate", site + question.address(page=1), "text/html"),
        f"<author>{_element('name', title)}</author>",
        f"<opensearch:totalResults>{total}</opensearch:totalResults>",
        *("\n".join(_entry(entry, site)) for entry in entries),
    )
    return (_START + "\n".join(lines) + "\n</feed>\n").encode("utf-8", "replace")


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
