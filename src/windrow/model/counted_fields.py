"""What can be counted of a document: the values of its fields as people read them, each once and bounded.

Facets, statistics and `Value` in a query all take their values here, so that a click on what was counted
finds exactly what was counted.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import compress
from operator import attrgetter

from windrow.model.concepts import ConceptTable
from windrow.model.days import months_of
from windrow.model.document import Document, Unit, units_of
from windrow.model.file_facts import extras_of, folders_of, media_of, size_class_of
from windrow.model.initials import initial_of, title_key
from windrow.model.normalising import access_and_licences, types_of
from windrow.model.partners import partners_of
from windrow.model.topics import counted_keywords, counted_subjects, wordings_of

MOST_VALUES = 50  # of one field of one document
LONGEST_VALUE = 500  # characters
WITHIN = " › "  # between an institution and its department in one value
# Fields whose absence can be asked for, each with the model's name for it.
MISSED = {
    "institution": "institution",
    "department": "department",
    "title": "titles",
    "creator": "creators",
    "year": "year",
    "type": "types",
    "language": "languages",
}
MOST_KNOWN = 100_000  # ways of documents to be filled that are remembered


def tidy(text: str) -> str:
    """Return a value in one spelling of its letters (NFC) and without idle whitespace."""
    plain = " ".join(text.split())
    return plain if plain.isascii() else unicodedata.normalize("NFC", plain)


def fact(text: str) -> str:
    """A value as it is counted and compared: tidied, and not too long."""
    plain = tidy(text)
    return plain if len(plain) <= LONGEST_VALUE else plain[:LONGEST_VALUE].rstrip()


def facts_in(texts: Sequence[str]) -> tuple[str, ...]:
    """Values as they are counted: each once, in their order, none empty, not too many."""
    if not texts:
        return ()
    if len(texts) == 1:
        found = fact(texts[0])
        return (found,) if found else ()
    several = dict.fromkeys(map(fact, texts))
    several.pop("", None)
    return tuple(several) if len(several) <= MOST_VALUES else tuple(several)[:MOST_VALUES]


def facts_about(document: Document, field: str, types: ConceptTable | None = None) -> tuple[str, ...] | None:
    """The values of one field of a document that can be counted; None for a field that no document has.

    `types` is the table of types where the owner has extended it.
    """
    if field == "type":
        return facts_in(types_of(document, types))
    if field == "partners":  # made of values that are counted, and many more than these
        return partners_of(facts_in(_affiliations(document)))
    look = _LOOKS.get(field)
    return None if look is None else facts_in(look(document))


def initials_of(document: Document) -> tuple[str, ...]:
    """The letter of its title, under which it is listed from A to Z."""
    title = next(filter(None, (fact(text.value) for text in document.titles)), "")
    return (initial_of(title_key(title)),) if title else ()


def _months(document: Document) -> tuple[str, ...]:
    """Counted of files alone, which are many of one year: pictures of a camera, letters of an archive."""
    return () if document.file is None else tuple(months_of(document))


def _subjects(document: Document) -> list[str]:
    return [*counted_subjects(document), *(counted_keywords(document) if document.keywords else ())]


def keywords_of(document: Document) -> Sequence[str]:
    """Keywords; in formats that do not tell them apart, subjects."""
    return document.keywords or [subject.value for subject in document.subjects]


def _affiliations(document: Document) -> list[str]:
    agents = (*document.creators, *document.contributors)
    return [*institutions_of(document), *[name for agent in agents for name in agent.affiliations]]


def institutions_of(document: Document) -> tuple[str, ...]:
    """The institutions that a document belongs to: one by its metadata, any number by its sets."""
    if not document.units:
        return (document.institution,) if document.institution else ()
    return tuple(unit.institution for unit in document.units if unit.institution)


def departments_of(document: Document) -> tuple[str, ...]:
    """The departments that a document belongs to, of whichever institution."""
    if not document.units:
        return (document.department,) if document.department else ()
    return tuple(unit.department for unit in document.units if unit.department)


def unit_fact(unit: Unit) -> str:
    """A department together with its institution, as one value; nothing where either is unknown."""
    institution, department = fact(unit.institution or ""), fact(unit.department or "")
    return f"{institution}{WITHIN}{department}" if institution and department else ""


def department_in(institution: str, unit: str) -> str:
    """The department in such a value, if it is one of this institution; else nothing."""
    return unit.removeprefix(start) if unit.startswith(start := institution + WITHIN) else ""


def institution_of(department: str, unit: str) -> str:
    """The institution in such a value, if this is its department; else nothing."""
    return unit.removesuffix(end) if unit.endswith(end := WITHIN + department) else ""


@lru_cache(MOST_KNOWN)
def missing_of(names: str) -> tuple[str, ...]:
    """The fields that a document lacks, of those that most have, by the value that `filled` has for it."""
    held = names.split()
    return tuple(name for name, field in MISSED.items() if field not in held)


def filled(document: Document) -> tuple[str, ...]:
    """The names of the fields that hold something, as one value: documents have few ways to differ here."""
    values = _values(document)
    if 0 in (document.year, document.pages):  # no pages are something, too
        return _FILLED[tuple(bool(value) or value == 0 for value in values)]
    return _FILLED[tuple(map(bool, values))]


def _number(value: int | None) -> tuple[str, ...]:
    return () if value is None else (str(value),)


class _Filled(dict[tuple[bool, ...], tuple[str, ...]]):
    """The names of the fields that are filled, by whether each is."""

    def __missing__(self, is_filled: tuple[bool, ...]) -> tuple[str, ...]:
        if len(self) >= MOST_KNOWN:  # begun anew: what is frequent comes back at once
            self.clear()
        found = self[is_filled] = (" ".join(compress(_NAMES, is_filled)),) if any(is_filled) else ()
        return found


_FILLED = _Filled()
_NAMES = tuple(Document.__dataclass_fields__)
_values = attrgetter(*_NAMES)
_LOOKS: Mapping[str, Callable[[Document], Sequence[str]]] = {
    "institution": institutions_of,
    "department": departments_of,
    "unit": lambda document: list(map(unit_fact, units_of(document))),
    "holding": lambda document: document.collections,
    "missing": lambda document: missing_of("".join(filled(document))),
    "year": lambda document: _number(document.year),
    "access": lambda document: (access_and_licences(document)[0],),
    "licence": lambda document: access_and_licences(document)[1],
    "language": lambda document: document.languages,
    "subject": _subjects,
    "keyword": counted_keywords,
    "wordings": wordings_of,
    "creator": lambda document: [agent.name for agent in document.creators],
    "publisher": lambda document: document.publishers,
    "journal": lambda document: document.sources,
    "pages": lambda document: _number(document.pages),
    "affiliation": _affiliations,
    "filled": filled,
    "initial": initials_of,
    "period": lambda document: [event.period or "" for event in document.events],
    "place": lambda document: [event.place or "" for event in document.events],
    "kind": lambda document: [event.kind or "" for event in document.events],
    "intensity": lambda document: [event.intensity or "" for event in document.events],
    "event_language": lambda document: [event.language or "" for event in document.events],
    "time": lambda document: [event.time or "" for event in document.events],
    "folder": folders_of,
    "media": media_of,
    "size": size_class_of,
    "month": _months,
    "extra": extras_of,
}
