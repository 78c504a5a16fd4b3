"""RIS, the line-based format of reference managers: one tag and one value a line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from windrow.formats.citations.reference_fields import (
    CONTAINED,
    GENRES,
    MOST_PEOPLE,
    THESES,
    WorkKind,
    document_address,
    document_container,
    document_publisher,
    fulltext_address,
    issued_parts,
    subjects_and_keywords,
    work_kind,
)
from windrow.formats.mapping.agent_names import parse_person_name
from windrow.model.document import Agent, Document

_TYPES: Mapping[WorkKind, str] = {
    WorkKind.CHAPTER: "CHAP",
    WorkKind.POSTER: "SLIDE",
    WorkKind.PRESENTATION: "SLIDE",
    WorkKind.CONFERENCE_PAPER: "CPAPER",
    WorkKind.PROCEEDINGS: "CONF",
    WorkKind.DATASET: "DATA",
    WorkKind.SOFTWARE: "COMP",
    WorkKind.COURSE: "GEN",
    WorkKind.PREPRINT: "UNPB",
    WorkKind.PATENT: "PAT",
    WorkKind.MAP: "MAP",
    WorkKind.SCORE: "MUSIC",
    WorkKind.NEWS: "NEWS",
    WorkKind.REVIEW: "JOUR",
    WorkKind.ARTICLE: "JOUR",
    WorkKind.REPORT: "RPRT",
    WorkKind.BOOK: "BOOK",
    WorkKind.JOURNAL: "SER",
    WorkKind.VIDEO: "VIDEO",
    WorkKind.SOUND: "SOUND",
    WorkKind.IMAGE: "FIGURE",
    WorkKind.WEBPAGE: "ELEC",
    WorkKind.OTHER: "GEN",
} | dict.fromkeys(THESES, "THES")
_BREAK = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")


def write_ris(document: Document, identifier: str) -> str:
    """Return the record from TY to ER and an empty line, with CRLF line breaks as RIS requires."""
    kind = work_kind(document)
    lines = [("TY", _TYPES[kind]), *_lines(document, identifier, kind)]
    kept = ((tag, _line(value)) for tag, value in lines)
    return "".join(f"{tag}  - {value}\r\n" for tag, value in kept if value) + "ER  - \r\n\r\n"


def _lines(document: Document, identifier: str, kind: WorkKind) -> Iterator[tuple[str, str]]:
    parts = issued_parts(document)
    yield from (("AU", _person(agent)) for agent in document.creators[:MOST_PEOPLE])
    yield from (("A2", _person(agent)) for agent in document.contributors if agent.role == "editor")
    yield "TI", document.title or ""
    yield "T2", document_container(document, kind) or ""
    yield "PY", str(parts[0]) if parts else ""
    yield "DA", _date(parts) if len(parts) > 1 else ""
    yield "PB", document_publisher(document, kind) or ""
    yield "M3", GENRES.get(kind, "")
    yield "SP", str(document.pages or "") if kind not in CONTAINED else ""
    yield "LA", document.languages[0] if document.languages else ""
    yield from (("KW", word) for word in subjects_and_keywords(document))
    yield "AB", document.descriptions[0].value if document.descriptions else ""
    for scheme, tag in (("doi", "DO"), ("isbn", "SN"), ("issn", "SN")):
        yield tag, next((name.value for name in document.names if name.scheme == scheme), "")
    yield "UR", document_address(document) or ""
    yield "L1", fulltext_address(document) or ""
    yield "ID", identifier


def _person(agent: Agent) -> str:
    person = parse_person_name(agent.name)
    return agent.name if person is None else str(person)


def _date(parts: tuple[int, ...]) -> str:
    # RIS requires all three slashes even without a day.
    year, month, day = (*parts, 0)[:3]
    return f"{year:04}/{month:02}/{f'{day:02}' if day else ''}/"


def _line(value: str) -> str:
    return " ".join(_BREAK.sub(" ", value).split())
