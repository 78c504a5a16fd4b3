"""What a reference wants to know of a document: who published it and when, what it is in, where it is read.

Shared by the writers for reference managers: `bibtex`, `ris`, `csl_json`.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Mapping

from windrow.formats.work_kinds import THESES, WorkKind
from windrow.model.document import Document
from windrow.model.folding import fold

MOST_PEOPLE = 1000
LONGEST_CONTAINER = 300  # characters
_TELLING = 20  # characters of a title that are hardly in anything else
_WEB = ("http://", "https://")
_DAY = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?(?!\d)")
_PUBLISHED = ("issued", "published", "date", "available", "created")  # the best date first

GENRES: Mapping[WorkKind, str] = {
    WorkKind.DOCTORAL: "Doctoral dissertation",
    WorkKind.MASTER: "Master's thesis",
    WorkKind.BACHELOR: "Bachelor's thesis",
    WorkKind.POSTER: "Poster",
    WorkKind.PREPRINT: "Preprint",
}
# Kinds that stand in something larger, which is then what `sources` names.
CONTAINED = (
    WorkKind.ARTICLE,
    WorkKind.CHAPTER,
    WorkKind.CONFERENCE_PAPER,
    WorkKind.NEWS,
    WorkKind.REVIEW,
    WorkKind.PREPRINT,
)


def publisher_of(document: Document, kind: WorkKind) -> str | None:
    """Who published it; a thesis is its institution's."""
    published = document.publishers[0] if document.publishers else None
    return (document.institution or published) if kind in THESES else (published or document.institution)


def container_of(document: Document, kind: WorkKind) -> str | None:
    """What it is printed in, for what is; a source that refers to the document itself is not that."""
    if kind not in CONTAINED:
        return None
    return next((source for source in document.sources if _is_container(source, document)), None)


def _is_container(source: str, document: Document) -> bool:
    if len(source) > LONGEST_CONTAINER or source.lower().startswith(_WEB):
        return False
    folded, title = fold(source), fold(document.title or "")[:_TELLING]
    return not (len(title) == _TELLING and title in folded)


def address_of(document: Document) -> str | None:
    """Where it can be read: the page about it, else the thing itself."""
    return _on_web(document.landing) or fulltext_of(document)


def fulltext_of(document: Document) -> str | None:
    """Where the thing itself is."""
    return _on_web(document.fulltext)


def keywords_of(document: Document) -> tuple[str, ...]:
    """Its subjects and keywords, each once."""
    return tuple(dict.fromkeys((*(subject.value for subject in document.subjects), *document.keywords)))


def issued_parts(document: Document) -> tuple[int, ...]:
    """Year, month and day of publication, as far as they are known."""
    dates = sorted(document.dates, key=lambda moment: _rank(moment.kind))
    for moment in dates:
        found = _DAY.match(moment.text)
        if found and (document.year is None or int(found[1]) == document.year):
            return _possible(found)
    return (document.year,) if document.year is not None else ()


def _rank(kind: str) -> int:
    return _PUBLISHED.index(kind) if kind in _PUBLISHED else len(_PUBLISHED)


def _possible(found: re.Match[str]) -> tuple[int, ...]:
    year, month, day = (int(part or 0) for part in found.groups())
    if not 1 <= month <= 12:
        return (year,)
    is_day = year >= 1 and 1 <= day <= monthrange(year, month)[1]
    return (year, month, day) if is_day else (year, month)


def _on_web(address: str | None) -> str | None:
    return address if address and address.lower().startswith(_WEB) else None
