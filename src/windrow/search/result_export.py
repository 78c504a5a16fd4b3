"""Exactly what a question finds, as a file: streamed, whole records, in the formats that others read."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from windrow.errors import NotFound
from windrow.exports import flat, jsonl
from windrow.exports.entry import Entry
from windrow.finding.feed import ENTRIES, Leaf, write_feed
from windrow.finding.question import Question
from windrow.finding.walking import Fetcher, walk
from windrow.formats.bibtex import key_of, write_bibtex
from windrow.formats.csl_json import write_csl_json
from windrow.formats.ris import write_ris
from windrow.index.protocol import Index
from windrow.store import sequence
from windrow.store.store import Store

MOST_EXPORTED = 10_000

_Write = Callable[
    [Iterator[list[Entry]], str], Iterator[str]
]  # batches and what to say at the end, if anything


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """One format: what it is called, for people and for programs."""

    suffix: str  # of the address and of the file
    title: str
    media_type: str


@dataclass(frozen=True, slots=True)
class ExportFile:
    """A file being made. Only feeds, which come in pages, are never cut."""

    pieces: Iterator[bytes]
    total: int  # records that the question finds
    records: int  # of these that the file has at most

    @property
    def is_cut(self) -> bool:
        """Whether records are left out of the file."""
        return self.records < self.total


def export(
    question: Question,
    index: Index,
    store: Store,
    suffix: str,
    *,
    site: str = "",
    title: str = "Windrow",
    most: int = MOST_EXPORTED,
    after: str | None = None,
) -> ExportFile:
    """Give the file in pieces. `site` is the public address, without a slash at its end; feeds need it.

    NotFound at once for a format that there is not. The page of the question does not matter. Only a feed has
    pages: it goes on `after` what the page before gave as its next; UsageError at once for what none gave.
    """
    if suffix not in FORMATS:
        raise NotFound(f"there is no export as {suffix}", hint=f"There are: {', '.join(FORMATS)}.")
    if suffix == "atom":
        return _feed(question, index, store, after=after, site=site, title=title)
    fetcher = Fetcher(store)
    total = index.count(question.query)
    last_words = cut_words(total, most=most, site=site)
    batches = (list(fetcher.fetch(numbers)) for numbers in walk(index, question, most=most))
    pieces = (piece.encode("utf-8", "replace") for piece in _WRITERS[suffix](batches, last_words))
    return ExportFile(pieces, total, min(total, most))


def cut_words(total: int, *, most: int = MOST_EXPORTED, site: str = "") -> str:
    """Give the sentence that says that not everything is exported; nothing where everything is."""
    if total <= most:
        return ""
    return (
        f"These are the first {most:,} of {total:,} records. All of them: OAI-PMH at {site}/oai, or the"
        " command windrow export in the library."
    )


def _feed(
    question: Question, index: Index, store: Store, *, after: str | None, site: str, title: str
) -> ExportFile:
    found = index.search(question.query, limit=ENTRIES, order=question.order, after=after)
    with store.reading() as connection:
        changed = sequence.changed_at(connection)

    def pieces() -> Iterator[bytes]:
        entries = list(Fetcher(store).fetch([hit.card.number for hit in found.hits]))
        leaf = Leaf(entries, found.total, changed, after, found.next)
        yield write_feed(leaf, question, site=site, title=title)

    return ExportFile(pieces(), found.total, found.total)


def _csv(batches: Iterator[list[Entry]], last_words: str) -> Iterator[str]:
    yield _rows([flat.HEADER])
    for batch in batches:
        yield _rows(map(flat.row, batch))
    if last_words:
        yield _rows([[last_words]])


def _rows(rows: Iterable[Iterable[str]]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\r\n").writerows(rows)
    return text.getvalue()


def _jsonl(batches: Iterator[list[Entry]], last_words: str) -> Iterator[str]:
    for batch in batches:
        yield "".join(f"{_json(jsonl.line(entry))}\n" for entry in batch)
    if last_words:
        yield _json({"note": last_words}) + "\n"


def _bib(batches: Iterator[list[Entry]], last_words: str) -> Iterator[str]:
    keys: dict[str, int] = {}
    if last_words:
        yield f"@comment{{{last_words}}}\n"
    for batch in batches:
        for entry in batch:
            identifier = entry.record.identifier
            key = _unused(key_of(entry.document, identifier), keys)
            yield write_bibtex(entry.document, identifier, key=key) + "\n"
    if last_words:
        yield f"@comment{{{last_words}}}\n"


def _unused(key: str, keys: dict[str, int]) -> str:
    """Give a key that no entry has so far: mower2012hay, mower2012hay-2 …"""
    times = keys[key] = keys.get(key, 0) + 1
    return key if times == 1 else f"{key}-{times}"


def _ris(batches: Iterator[list[Entry]], last_words: str) -> Iterator[str]:
    if last_words:  # what stands before the first TY is no reference: programs pass over it
        yield f"{last_words}\r\n\r\n"
    for batch in batches:
        yield "".join(write_ris(entry.document, entry.record.identifier) for entry in batch)


def _csl_json(batches: Iterator[list[Entry]], last_words: str) -> Iterator[str]:  # noqa: ARG001 - no place
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
