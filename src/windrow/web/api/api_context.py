"""What the API's answers share: `ApiContext` and the JSON values of hits, facets and records.

Every key written here is part of the public API; the types in `answer_types` describe it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypedDict, cast
from urllib.parse import urlencode

from windrow.config.schema import Config
from windrow.config.type_tables import TypeTables
from windrow.errors import UsageError
from windrow.exports.entries import as_dict
from windrow.index.protocol import FileSummary, HitSummary, Index, ValueCount
from windrow.model.thesaurus import Expander
from windrow.search.facets import Facet, FacetValue
from windrow.search.record_addresses import DocumentPart, document_path, record_path
from windrow.search.record_view import HistoryEntry, RecordView
from windrow.search.request import SearchRequest, read_request
from windrow.search.results import Marked, Passage, ShownHit, find_dropped_words
from windrow.search.widening import Match, WidenedSearch
from windrow.store.store import Store
from windrow.web.api import answer_types

API_BASE = "/api/v1"

# A statistics table as plain values, over the results of a search.
Statistic = Callable[[SearchRequest], object]


@dataclass(frozen=True, slots=True)
class ApiContext:
    """Index, store, settings and public address of one library; `statistics` are tables by name."""

    config: Config
    index: Index
    store: Store
    url: str  # the public address of the site, without a trailing slash
    statistics: Mapping[str, Statistic] = field(default_factory=dict)
    types: TypeTables = field(default_factory=TypeTables)
    expander: Expander | None = None  # for fields that are bound to vocabularies

    @property
    def collections(self) -> Mapping[str, Sequence[str]]:
        return self.config.collection_sources

    def question(self, pairs: Sequence[tuple[str, str]], *, explains: bool = False) -> SearchRequest:
        """Parse a search; raise on invalid parameters, which a page would ignore with a notice.

        With `explains`, faults in the words are not raised: the answer reports them itself.
        """
        types = self.types.of_collection(dict(pairs).get("collection", ""))
        question = read_request(pairs, collections=self.collections, types=types, expander=self.expander)
        faults = [note.fault for note in question.notes] if explains else question.faults
        if faults:
            raise UsageError(" ".join(faults))
        return question

    def link(self, path: str, pairs: Sequence[tuple[str, str]] = ()) -> str:
        query = urlencode(pairs, errors="replace")
        return f"{self.url}{API_BASE}{path}" + (f"?{query}" if query else "")

    def page(self, source: str, identifier: str) -> str:
        return self.url + record_path(source, identifier)

    def document(self, part: DocumentPart, card: HitSummary) -> str:
        return self.url + document_path(part, card.source, card.identifier)

    def record(self, source: str, identifier: str) -> str:
        return self.url + record_path(source, identifier, under=f"{API_BASE}/records")


def hit_summary_value(card: HitSummary, desk: ApiContext) -> answer_types.Card:
    return {
        "source": card.source,
        "identifier": card.identifier,
        "title": card.title or None,
        "creators": list(card.creators),
        "year": card.year,
        "types": list(card.types),
        "languages": list(card.languages),
        "institution": card.institution or None,
        "department": card.department or None,
        "pages": card.pages,
        "subjects": list(card.subjects),
        "keywords": list(card.keywords),
        "description": card.description or None,
        "landing": card.landing or None,
        "fulltext": card.fulltext or None,
        "datestamp": card.stamp or None,
        "page": desk.page(card.source, card.identifier),
        "record": desk.record(card.source, card.identifier),
        "file": None if card.file is None else _file_value(card, card.file, desk),
    }


def _file_value(card: HitSummary, file: FileSummary, desk: ApiContext) -> answer_types.File:
    return {
        "media_type": file.media_type,
        "size": file.size,
        "original": desk.document("original", card),
        "picture": desk.document("picture", card) if file.has_picture else None,
        "text": desk.document("text", card) if file.has_text else None,
    }


def hit_value(hit: ShownHit, desk: ApiContext) -> answer_types.Hit:
    return {
        **hit_summary_value(hit.card, desk),
        "score": round(hit.score, 6),
        "highlights": {"title": _marked_pieces(hit.title), "description": _marked_pieces(hit.snippet)},
        "passage": None if hit.passage is None else _passage_value(hit.passage),
        "missing": list(hit.missing),
    }


class MatchValue(TypedDict):
    """The part of `Results` that `match_value` makes."""

    match: str
    searched: str | None
    corrections: list[answer_types.Correction]
    dropped: list[str]


def match_value(widened: WidenedSearch | None, hits: Sequence[ShownHit]) -> MatchValue:
    """Describe how the hits match: whether the search was widened, and to what."""
    if widened is None:
        return {"match": Match.ALL.value, "searched": None, "corrections": [], "dropped": []}
    return {
        "match": widened.match.value,
        "searched": widened.text,
        "corrections": [{"written": one, "searched": other} for one, other in widened.corrected],
        "dropped": list(find_dropped_words(widened, hits)),
    }


def facet_value(facet: Facet) -> answer_types.Facet:
    return {"field": facet.field, "values": list(map(_choice_value, facet.values)), "others": facet.others}


def facet_values(values: Iterable[ValueCount]) -> list[answer_types.Counted]:
    return [_counted_value(each) for each in values]


def _counted_value(value: ValueCount) -> answer_types.Counted:
    found: answer_types.Counted = {"value": value.value, "count": value.count}
    if value.within:
        found["within"] = facet_values(value.within)
    return found


def record_value(view: RecordView, desk: ApiContext) -> answer_types.Record:
    return {
        "source": view.source,
        "identifier": view.identifier,
        "datestamp": view.stamp,
        "document": cast("answer_types.Document", as_dict(view.document)),
        "problem": view.problem or None,
        "sets": [{"spec": each.spec, "name": each.name} for each in view.sets],
        "formats": [{"prefix": each.prefix, "bytes": each.size} for each in view.raws],
        "added": format_timestamp(view.added),
        "changed": format_timestamp(view.changed),
        "seen": format_timestamp(view.seen),
        "page": desk.page(view.source, view.identifier),
        "record": desk.record(view.source, view.identifier),
    }


def history_values(history: Iterable[HistoryEntry]) -> list[answer_types.HistoryEntry]:
    return [{"kind": each.kind, "at": format_timestamp(each.at)} for each in history]


def format_timestamp(at: datetime | None) -> str | None:
    """Format a time as in RFC 3339; None for None."""
    return None if at is None else at.isoformat().replace("+00:00", "Z")


def _choice_value(value: FacetValue) -> answer_types.Choice:
    found: answer_types.Choice = {"value": value.value, "count": value.count, "selected": value.is_selected}
    if value.label:
        found["label"] = value.label
    if value.within:
        found["within"] = list(map(_choice_value, value.within))
    return found


def _passage_value(passage: Passage) -> answer_types.Passage:
    text = "".join(text for text, _ in passage.text)
    return {"page": passage.page, "text": text, "pieces": _marked_pieces(passage.text)}


def _marked_pieces(pieces: Marked) -> list[answer_types.Piece]:
    return [{"text": text, "marked": is_marked} for text, is_marked in pieces]
