"""Export of complete search results: streamed files of whole records in common formats, and Atom feeds."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from urllib.parse import urlencode

from windrow.errors import NotFound
from windrow.exports import csv_export, jsonl_export
from windrow.exports.entries import Entry
from windrow.formats.citations.bibtex import citation_key, write_bibtex
from windrow.formats.citations.csl_json import write_csl_json
from windrow.formats.citations.reference_fields import document_address, subjects_and_keywords
from windrow.formats.citations.ris import write_ris
from windrow.formats.mapping.markup import escape_xml
from windrow.index.protocol import Index, Order
from windrow.search.record_addresses import record_path
from windrow.search.request import SearchRequest
from windrow.search.results import RecordFetcher, walk_results
from windrow.store import sequence
from windrow.store.store import Store

# An Atom feed (RFC 4287) of search results in pages (RFC 5005 §3), in the order of the request.

PATH = "/search.atom"
USUAL_ORDER = Order.ADDED  # feeds are read newest first
ENTRIES = 50  # per page
MAX_PEOPLE = 50  # per entry
MAX_SUMMARY_LENGTH = 2000  # characters
_ATOM = "application/atom+xml"
_START = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom"'
    ' xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">\n'
)


@dataclass(frozen=True, slots=True)
class FeedPage:
    """A page of a feed, with its position among the pages."""

    entries: Sequence[Entry]
    total: int  # on all pages
    changed: datetime  # when the library last changed: for an empty page
    here: str | None = None  # cursor of this page; None for the first
    next: str | None = None  # cursor of the next page; None for the last


def write_feed(leaf: FeedPage, question: SearchRequest, *, site: str, title: str) -> bytes:
    """Return a page of the feed.

    The feed's id is the address of its first page, an entry's id that of its record page.
    """
    first = site + feed_address(question)
    changed = max((entry.record.changed_at for entry in leaf.entries), default=leaf.changed)
    lines = (
        _element("title", f"{title}: {question.text}" if question.text else title),
        _element("id", first),
        _element("updated", _format_time(changed)),
        _link("self", site + feed_address(question, leaf.here), _ATOM),
        _link("first", first, _ATOM),
        *([] if leaf.next is None else [_link("next", site + feed_address(question, leaf.next), _ATOM)]),
        _link("alternate", site + question.address(page=1), "text/html"),
        f"<author>{_element('name', title)}</author>",
        f"<opensearch:totalResults>{leaf.total}</opensearch:totalResults>",
        *("\n".join(_entry(entry, site)) for entry in leaf.entries),
    )
    return (_START + "\n".join(lines) + "\n</feed>\n").encode("utf-8", "replace")


def feed_address(question: SearchRequest, cursor: str | None = None) -> str:
    """Return the address of a page of a feed, without the default order of feeds."""
    pairs = [pair for pair in replace(question, page=1).pairs() if pair[0] not in ("sort", "per_page")]
    if question.order is not USUAL_ORDER:
        pairs.append(("sort", question.order.value))
    if cursor is not None:
        pairs.append(("cursor", cursor))
    return f"{PATH}?{urlencode(pairs, errors='replace')}" if pairs else PATH


def _entry(entry: Entry, site: str) -> Iterator[str]:
    document, record = entry.document, entry.record
    page = site + record_path(record.source, record.identifier)
    original = document_address(document)
    yield "<entry>"
    yield _element("title", document.title or record.identifier)
    yield _element("id", page)
    yield _element("updated", _format_time(record.changed_at))
    yield _link("alternate", page, "text/html")
    if original:
        yield _link("via", original)
    for name in _some(agent.name for agent in document.creators):
        yield f"<author>{_element('name', name)}</author>"
    for word in _some(subjects_and_keywords(document)):
        yield f'<category term="{escape_xml(word)}"/>'
    if document.descriptions:
        yield _element("summary", document.descriptions[0].value[:MAX_SUMMARY_LENGTH])
    yield "</entry>"


def _some(words: Iterable[str]) -> list[str]:
    return [word for word in words if word.strip()][:MAX_PEOPLE]


def _element(name: str, text: str) -> str:
    return f"<{name}>{escape_xml(text)}</{name}>"


def _link(relation: str, address: str, kind: str = "") -> str:
    media = f' type="{kind}"' if kind else ""
    return f'<link rel="{relation}"{media} href="{escape_xml(address)}"/>'


def _format_time(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


MAX_EXPORTED = 10_000

_Write = Callable[[Iterator[list[Entry]], str], Iterator[str]]  # takes batches and the closing text, if any


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """An export format: its label, suffix and media type."""

    suffix: str  # of the address and of the file name
    title: str
    media_type: str


@dataclass(frozen=True, slots=True)
class ExportFile:
    """A streamed file. Only feeds, which are paged, are never truncated."""

    pieces: Iterator[bytes]
    total: int  # matching records
    records: int  # maximum number of records in the file

    @property
    def is_cut(self) -> bool:
        return self.records < self.total


def export(
    question: SearchRequest,
    index: Index,
    store: Store,
    suffix: str,
    *,
    site: str = "",
    title: str = "Windrow",
    most: int = MAX_EXPORTED,
    after: str | None = None,
) -> ExportFile:
    """Return the results as a streamed file. Feeds need `site`, the public address without a trailing slash.

    The page of the request is ignored. Only a feed has pages: `after` is the `next` cursor of the previous
    page. Raises NotFound immediately for an unknown format and UsageError for an invalid cursor.
    """
    if suffix not in FORMATS:
        raise NotFound(f"there is no export as {suffix}", hint=f"There are: {', '.join(FORMATS)}.")
    if suffix == "atom":
        return _feed(question, index, store, after=after, site=site, title=title)
    fetcher = RecordFetcher(store)
    total = index.count(question.query)
    last_words = describe_truncation(total, most=most, site=site)
    batches = (list(fetcher.fetch(numbers)) for numbers in walk_results(index, question, most=most))
    pieces = (piece.encode("utf-8", "replace") for piece in _WRITERS[suffix](batches, last_words))
    return ExportFile(pieces, total, min(total, most))


def describe_truncation(total: int, *, most: int = MAX_EXPORTED, site: str = "") -> str:
    """Return a sentence about records missing from the export; empty if it is complete."""
    if total <= most:
        return ""
    return (
        f"These are the first {most:,} of {total:,} records. All of them: OAI-PMH at {site}/oai, or the"
        " command windrow export in the library."
    )


def _feed(
    question: SearchRequest, index: Index, store: Store, *, after: str | None, site: str, title: str
) -> ExportFile:
    found = index.search(question.query, limit=ENTRIES, order=question.order, after=after)
    with store.reading() as connection:
        changed = sequence.changed_at(connection)

    def pieces() -> Iterator[bytes]:
        entries = list(RecordFetcher(store).fetch([hit.card.number for hit in found.hits]))
        leaf = FeedPage(entries, found.total, changed, after, found.next)
        yield write_feed(leaf, question, site=site, title=title)

    return ExportFile(pieces(), found.total, found.total)


def _csv(batches: Iterator[list[Entry]], last_words: str) -> Iterator[str]:
    yield _rows([csv_export.HEADER])
    for batch in batches:
        yield _rows(map(csv_export.row, batch))
    if last_words:
        yield _rows([[last_words]])


def _rows(rows: Iterable[Iterable[str]]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\r\n").writerows(rows)
    return text.getvalue()


def _jsonl(batches: Iterator[list[Entry]], last_words: str) -> Iterator[str]:
    for batch in batches:
        yield "".join(f"{_json(jsonl_export.line(entry))}\n" for entry in batch)
    if last_words:
        yield _json({"note": last_words}) + "\n"


def _bib(batches: Iterator[list[Entry]], last_words: str) -> Iterator[str]:
    keys: dict[str, int] = {}
    if last_words:
        yield f"@comment{{{last_words}}}\n"
    for batch in batches:
        for entry in batch:
            identifier = entry.record.identifier
            key = _unused(citation_key(entry.document, identifier), keys)
            yield write_bibtex(entry.document, identifier, key=key) + "\n"
    if last_words:
        yield f"@comment{{{last_words}}}\n"


def _unused(key: str, keys: dict[str, int]) -> str:
    """Return a unique key: mower2012hay, mower2012hay-2 …"""
    times = keys[key] = keys.get(key, 0) + 1
    return key if times == 1 else f"{key}-{times}"


def _ris(batches: Iterator[list[Entry]], last_words: str) -> Iterator[str]:
    if last_words:  # RIS readers skip text before the first TY
        yield f"{last_words}\r\n\r\n"
    for batch in batches:
        yield "".join(write_ris(entry.document, entry.record.identifier) for entry in batch)


def _csl_json(batches: Iterator[list[Entry]], last_words: str) -> Iterator[str]:  # noqa: ARG001 - JSON has no comments
    before, keys = "[\n", dict[str, int]()
    for batch in batches:
        for entry in batch:
            key = _unused(entry.record.identifier, keys)  # two sources may have the same record
            yield before + _json(write_csl_json(entry.document, key))
            before = ",\n"
    yield "[]\n" if before == "[\n" else "\n]\n"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


FORMATS = {
    each.suffix: each
    for each in (
        ExportFormat("csv", "CSV", "text/csv; charset=utf-8"),
        ExportFormat("jsonl", "JSON Lines", "application/jsonl"),
        ExportFormat("bib", "BibTeX", "application/x-bibtex; charset=utf-8"),
        ExportFormat("ris", "RIS", "application/x-research-info-systems; charset=utf-8"),
        ExportFormat("csl.json", "CSL JSON", "application/vnd.citationstyles.csl+json"),
        ExportFormat("atom", "Atom", "application/atom+xml; charset=utf-8"),
    )
}
_WRITERS: dict[str, _Write] = {
    "csv": _csv,
    "jsonl": _jsonl,
    "bib": _bib,
    "ris": _ris,
    "csl.json": _csl_json,
}
