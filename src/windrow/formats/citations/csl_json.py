"""CSL JSON, the input format of citation processors and reference managers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from windrow.formats.citations.reference_fields import (
    GENRES,
    MOST_PEOPLE,
    THESES,
    WorkKind,
    document_address,
    document_container,
    document_publisher,
    issued_parts,
    subjects_and_keywords,
    work_kind,
)
from windrow.formats.mapping.agent_names import parse_person_name
from windrow.model.document import Agent, Document

_TYPES: Mapping[WorkKind, str] = {
    WorkKind.CHAPTER: "chapter",
    WorkKind.POSTER: "speech",
    WorkKind.PRESENTATION: "speech",
    WorkKind.CONFERENCE_PAPER: "paper-conference",
    WorkKind.PROCEEDINGS: "book",
    WorkKind.DATASET: "dataset",
    WorkKind.SOFTWARE: "software",
    WorkKind.COURSE: "document",
    WorkKind.PREPRINT: "article",
    WorkKind.PATENT: "patent",
    WorkKind.MAP: "map",
    WorkKind.SCORE: "musical_score",
    WorkKind.NEWS: "article-newspaper",
    WorkKind.REVIEW: "review",
    WorkKind.ARTICLE: "article-journal",
    WorkKind.REPORT: "report",
    WorkKind.BOOK: "book",
    WorkKind.JOURNAL: "periodical",
    WorkKind.VIDEO: "motion_picture",
    WorkKind.SOUND: "song",
    WorkKind.IMAGE: "graphic",
    WorkKind.WEBPAGE: "webpage",
    WorkKind.OTHER: "document",
} | dict.fromkeys(THESES, "thesis")
_NAMES = {"doi": "DOI", "isbn": "ISBN", "issn": "ISSN", "pmid": "PMID", "pmcid": "PMCID"}


def write_csl_json(document: Document, identifier: str) -> dict[str, Any]:
    """Return the document as one CSL item; fields without a value are left out."""
    kind = work_kind(document)
    found = {
        "id": identifier,
        "type": _TYPES[kind],
        "genre": GENRES.get(kind),
        "title": document.title,
        "author": _people(document.creators),
        "editor": _people(agent for agent in document.contributors if agent.role == "editor"),
        "issued": _issued(document),
        "container-title": document_container(document, kind),
        "publisher": document_publisher(document, kind),
        "number-of-pages": document.pages,
        "language": document.languages[0] if len(document.languages) == 1 else None,
        "keyword": ", ".join(subjects_and_keywords(document)),
        "abstract": document.descriptions[0].value if document.descriptions else None,
        "URL": document_address(document),
    }
    return {name: value for name, value in (found | _numbers(document)).items() if value}


def _issued(document: Document) -> dict[str, Any] | None:
    parts = issued_parts(document)
    return {"date-parts": [list(parts)]} if parts else None


def _people(agents: Iterable[Agent]) -> list[dict[str, str]]:
    found = []
    for agent in list(agents)[:MOST_PEOPLE]:
        person = parse_person_name(agent.name)
        if person is None:
            found.append({"literal": agent.name})
        else:
            parts = {"family": person.family, "given": person.given, "suffix": person.suffix}
            found.append({name: part for name, part in parts.items() if part})
    return found


def _numbers(document: Document) -> dict[str, str]:
    """Return the document's identifiers, the first of each kind."""
    found: dict[str, str] = {}
    for name in document.names:
        key = _NAMES.get(name.scheme)
        if key is not None:
            found.setdefault(key, name.value)
    return found
