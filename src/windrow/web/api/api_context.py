"""What is found as plain values: results, facets, counts, records. Every name here is part of the API."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from windrow.exports.portrait import as_dict
from windrow.faces.api.desk import Desk
from windrow.finding.facets import Facet, FacetValue
from windrow.finding.record import Happening, RecordView
from windrow.finding.results import dropped_words
from windrow.finding.showing import Marked
from windrow.finding.shown_hit import Passage, ShownHit
from windrow.finding.widening import Match, Widened
from windrow.index.card import Card, FileCard
from windrow.index.protocol import Counted

Value = dict[str, Any]


def card_value(card: Card, desk: Desk) -> Value:
    """A document in short."""
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
        "file": None if card.file is None else _file(card, card.file, desk),
    }


def _file(card: Card, file: FileCard, desk: Desk) -> Value:
    """The file behind a document, and where it, its text and its picture are."""
    return {
        "media_type": file.media_type,
        "size": file.size,
        "original": desk.document("original", card),
        "picture": desk.document("picture", card) if file.has_picture else None,
        "text": desk.document("text", card) if file.has_text else None,
    }


def hit_value(hit: ShownHit, desk: Desk) -> Value:
    """A result: the document in short, and where the words stand that were looked for."""
    return card_value(hit.card, desk) | {
        "score": round(hit.score, 6),
        "highlights": {"title": _marked(hit.title), "description": _marked(hit.snippet)},
        "passage": None if hit.passage is None else _passage(hit.passage),
        "missing": list(hit.missing),
    }


def match_value(widened: Widened | None, hits: Sequence[ShownHit]) -> Value:
    """How the results fit what was asked for, and what was searched instead where nothing has everything."""
    if widened is None:
        return {"match": Match.ALL.value, "searched": None, "corrections": [], "dropped": []}
    return {
        "match": widened.match.value,
        "searched": widened.text,
        "corrections": [{"written": one, "searched": other} for one, other in widened.corrected],
        "dropped": list(dropped_words(widened, hits)),
    }


def facet_value(facet: Facet) -> Value:
    """The values of a field among the results."""
    return {"field": facet.field, "values": list(map(_choice, facet.values)), "others": facet.others}


def counted_values(values: Iterable[Counted]) -> list[Value]:
    """Values with how many documents have each, and the values within each where there are any."""
    return [
        {"value": each.value, "count": each.count}
        | ({"within": counted_values(each.within)} if each.within else {})
        for each in values
    ]


def record_value(view: RecordView, desk: Desk) -> Value:
    """A whole record: its document, and how it came."""
    return {
        "source": view.source,
        "identifier": view.identifier,
        "datestamp": view.stamp,
        "document": as_dict(view.document),
        "problem": view.problem or None,
        "sets": [{"spec": each.spec, "name": each.name} for each in view.sets],
        "formats": [{"prefix": each.prefix, "bytes": each.size} for each in view.raws],
        "added": moment(view.added),
        "changed": moment(view.changed),
        "seen": moment(view.seen),
        "page": desk.page(view.source, view.identifier),
        "record": desk.record(view.source, view.identifier),
    }


def history_values(history: Iterable[Happening]) -> list[Value]:
    """What happened to a record, the latest first."""
    return [{"kind": each.kind, "at": moment(each.at)} for each in history]


def moment(at: datetime | None) -> str | None:
    """A moment as JSON has it: a text in the form of RFC 3339."""
    return None if at is None else at.isoformat().replace("+00:00", "Z")


def _choice(value: FacetValue) -> Value:
    found: Value = {"value": value.value, "count": value.count, "selected": value.is_selected}
    if value.label:
        found["label"] = value.label
    return found | ({"within": list(map(_choice, value.within))} if value.within else {})


def _passage(passage: Passage) -> Value:
    text = "".join(text for text, _ in passage.text)
    return {"page": passage.page, "text": text, "pieces": _marked(passage.text)}


def _marked(pieces: Marked) -> list[Value]:
    return [{"text": text, "marked": is_marked} for text, is_marked in pieces]
