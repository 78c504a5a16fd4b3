"""The values of a document's fields that are counted, without duplicates and bounded in number and length.

Facets, statistics and `Value` in a query all use these functions, so that selecting a counted value finds
exactly the documents that were counted.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, combinations, compress
from operator import attrgetter

from windrow.model.controlled_values import ACCESS, NORMALISED, TYPE, ControlledValues, load_controlled_values
from windrow.model.document import Document, Unit, document_units
from windrow.model.document_dates import document_months
from windrow.model.rights import (
    OTHER,
    UNSTATED_ACCESS,
    UNSTATED_LICENCE,
    access_from_statements,
    licences_from_statements,
    rights_statements,
    stated_access,
    stated_licence,
)
from windrow.model.text.collation import initial_letter, title_sort_key
from windrow.model.text.folding import fold
from windrow.model.topics import counted_keywords, counted_subjects, encode_wordings

# File facets: folder, size, media type and other facts of the file behind a document.

# Size classes in bytes: each class begins at one of these values and ends before the next.
_CLASSES = (0, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000)
SIZE_CLASSES = tuple(
    f"{low}..{high - 1}" if high else f"{low}.."
    for low, high in zip(_CLASSES, (*_CLASSES[1:], 0), strict=True)
)
EXTRA_SEPARATOR = "="  # a name and its value in an `extra` fact
_OWN_PREFIX = "doc:"  # prefix in `Document.extra` of facts from a file or from a metadata file beside it
_COUNTED_ELSEWHERE = frozenset(("note",))  # facts of a file that are not useful in a search


def file_folders(document: Document) -> tuple[str, ...]:
    if document.file is None or not document.file.folder:
        return ()
    return tuple(accumulate(document.file.folder.split("/"), "{}/{}".format))


def file_sizes(document: Document) -> tuple[str, ...]:
    return () if document.file is None else (str(document.file.size),)


def file_size_class(document: Document) -> tuple[str, ...]:
    if document.file is None:
        return ()
    place = sum(document.file.size >= low for low in _CLASSES[1:])
    return (SIZE_CLASSES[place],)


def file_media_types(document: Document) -> tuple[str, ...]:
    return () if document.file is None else (document.file.media_type,)


def file_texts(document: Document) -> tuple[str, ...]:
    return () if document.file is None else document.file.text


def text_language(document: Document) -> str | None:
    return document.languages[0] if len(document.languages) == 1 else None


def file_extras(document: Document) -> tuple[str, ...]:
    """Return the facts of a file that have no field of their own, as `name=value`."""
    if document.file is None:
        return ()
    return tuple(extra_value(name, value) for name, value in _uncounted_facts(document) if value.strip())


def extra_value(name: str, value: str) -> str:
    return f"{fold(name)}{EXTRA_SEPARATOR}{value}"


def _uncounted_facts(document: Document) -> Iterator[tuple[str, str]]:
    for agent in document.contributors:
        yield "contributor", agent.name
    for name, values in (("rights", document.rights), ("relation", document.relations)):
        yield from ((name, value) for value in values)
    for name, found in document.extra.items():
        yield from ((name.removeprefix(_OWN_PREFIX), value) for value in found)
    if document.file is not None:
        yield from (fact for fact in document.file.facts if fact[0] not in _COUNTED_ELSEWHERE)


# Collaboration: a pair of institutions that contributed to the same document, as one value.

_APART = "\x1e"  # whitespace to Python, so that no counted value contains it


def partner_pairs(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(map(_APART.join, combinations(sorted(names), 2)))


def split_partners(partners: str) -> tuple[str, str]:
    one, _, other = partners.partition(_APART)
    return one, other


# Fields that are counted by concept: types, access and licences.

Spoken = tuple[str, str | None]  # words and their language


def document_types(document: Document, types: ControlledValues | None = None) -> tuple[str, ...]:
    return (types or load_controlled_values(TYPE)).names(document.types)


def normalised_value(field: str, value: str, types: ControlledValues | None = None) -> str:
    """Return the value under which a wording is counted: its concept, or the wording itself."""
    if field == TYPE:
        return (types or load_controlled_values(TYPE)).name(value)
    if field not in NORMALISED:
        return value
    known = load_controlled_values(field).find(value)
    if known is not None:
        return known.name
    stated = stated_access(value) if field == ACCESS else stated_licence(value)
    return stated if stated and stated != OTHER else value


def normalised_label(field: str, value: str, language: str, types: ControlledValues | None = None) -> str:
    if field == TYPE and types is not None:
        return types.label(value, language)
    return load_controlled_values(field).label(value, language) if field in NORMALISED else value


def type_words(
    types: tuple[str, ...], usual: str | None, table: ControlledValues | None = None
) -> Iterator[Spoken]:
    """Yield the words by which a document is found by type: its wordings and all labels of their concepts."""
    yield from ((wording, usual) for wording in types)
    own = set(types)
    for label, language in (table or load_controlled_values(TYPE)).labels(types).items():
        if label not in own:
            yield label, language


def rights_words(field: str, names: tuple[str, ...]) -> Iterator[Spoken]:
    """Yield the words by which a document is found by access or licence; none if nothing is stated."""
    stated = [name for name in names if name not in (UNSTATED_ACCESS, UNSTATED_LICENCE)]
    for label, language in load_controlled_values(field).labels(stated).items():
        yield label, language
        if language == "en" and label.startswith("CC"):
            yield "Creative Commons", "en"


def access_and_licences(document: Document) -> tuple[str, tuple[str, ...]]:
    statements = rights_statements(document)
    return access_from_statements(statements), licences_from_statements(statements)


MOST_VALUES = 50  # of one field of one document
LONGEST_VALUE = 500  # characters
UNIT_SEPARATOR = " › "  # between an institution and its department in one value
# Fields whose absence can be searched for, by their names in the model.
EXPECTED_FIELDS = {
    "institution": "institution",
    "department": "department",
    "title": "titles",
    "creator": "creators",
    "year": "year",
    "type": "types",
    "language": "languages",
}
MOST_KNOWN = 100_000  # combinations of filled fields that are cached


def tidy_value(text: str) -> str:
    """Normalise a value to NFC and collapse its whitespace."""
    plain = " ".join(text.split())
    return plain if plain.isascii() else unicodedata.normalize("NFC", plain)


def counted_value(text: str) -> str:
    plain = tidy_value(text)
    return plain if len(plain) <= LONGEST_VALUE else plain[:LONGEST_VALUE].rstrip()


def counted_values(texts: Sequence[str]) -> tuple[str, ...]:
    """Return values as they are counted: in order, without duplicates or empty values, limited in number."""
    if not texts:
        return ()
    if len(texts) == 1:
        found = counted_value(texts[0])
        return (found,) if found else ()
    several = dict.fromkeys(map(counted_value, texts))
    several.pop("", None)
    return tuple(several) if len(several) <= MOST_VALUES else tuple(several)[:MOST_VALUES]


def field_values(
    document: Document, field: str, types: ControlledValues | None = None
) -> tuple[str, ...] | None:
    """Return the countable values of one field of a document, or None if no document has such a field.

    `types` is the table of types if the settings extend it.
    """
    if field == "type":
        return counted_values(document_types(document, types))
    if field == "partners":  # combinations of counted values, and far more numerous
        return partner_pairs(counted_values(_affiliations(document)))
    look = _LOOKS.get(field)
    return None if look is None else counted_values(look(document))


def title_initials(document: Document) -> tuple[str, ...]:
    title = next(filter(None, (counted_value(text.value) for text in document.titles)), "")
    return (initial_letter(title_sort_key(title)),) if title else ()


def _months(document: Document) -> tuple[str, ...]:
    """Only files are counted by month: many have the same year, such as a camera's pictures or an archive's
    letters.
    """
    return () if document.file is None else tuple(document_months(document))


def _subjects(document: Document) -> list[str]:
    return [*counted_subjects(document), *(counted_keywords(document) if document.keywords else ())]


def document_keywords(document: Document) -> Sequence[str]:
    """Return the keywords, or the subjects if the format does not distinguish the two."""
    return document.keywords or [subject.value for subject in document.subjects]


def _affiliations(document: Document) -> list[str]:
    agents = (*document.creators, *document.contributors)
    return [*document_institutions(document), *[name for agent in agents for name in agent.affiliations]]


def document_institutions(document: Document) -> tuple[str, ...]:
    """Return the institutions of a document: at most one from its metadata, any number from its sets."""
    if not document.units:
        return (document.institution,) if document.institution else ()
    return tuple(unit.institution for unit in document.units if unit.institution)


def document_departments(document: Document) -> tuple[str, ...]:
    if not document.units:
        return (document.department,) if document.department else ()
    return tuple(unit.department for unit in document.units if unit.department)


def department_value(unit: Unit) -> str:
    """Return a department and its institution as one value, or "" if either is unknown."""
    institution, department = counted_value(unit.institution or ""), counted_value(unit.department or "")
    return f"{institution}{UNIT_SEPARATOR}{department}" if institution and department else ""


def split_department(institution: str, unit: str) -> str:
    """Return the department in such a value if it belongs to this institution, else ""."""
    return unit.removeprefix(start) if unit.startswith(start := institution + UNIT_SEPARATOR) else ""


def split_institution(department: str, unit: str) -> str:
    """Return the institution in such a value if this is its department, else ""."""
    return unit.removesuffix(end) if unit.endswith(end := UNIT_SEPARATOR + department) else ""


@lru_cache(MOST_KNOWN)
def missing_field_values(names: str) -> tuple[str, ...]:
    """Return the names of the missing expected fields from a value of `filled_fields`."""
    held = names.split()
    return tuple(name for name, field in EXPECTED_FIELDS.items() if field not in held)


def filled_fields(document: Document) -> tuple[str, ...]:
    """Return the names of the filled fields as one value: few combinations occur in practice."""
    values = _values(document)
    if 0 in (document.year, document.pages):  # a year or page count of 0 is a value
        return _FILLED[tuple(bool(value) or value == 0 for value in values)]
    return _FILLED[tuple(map(bool, values))]


def _number(value: int | None) -> tuple[str, ...]:
    return () if value is None else (str(value),)


class _Filled(dict[tuple[bool, ...], tuple[str, ...]]):
    """The names of the filled fields, by which of the fields are filled."""

    def __missing__(self, is_filled: tuple[bool, ...]) -> tuple[str, ...]:
        if len(self) >= MOST_KNOWN:  # cleared: frequent combinations soon return
            self.clear()
        found = self[is_filled] = (" ".join(compress(_NAMES, is_filled)),) if any(is_filled) else ()
        return found


_FILLED = _Filled()
_NAMES = tuple(Document.__dataclass_fields__)
_values = attrgetter(*_NAMES)
_LOOKS: Mapping[str, Callable[[Document], Sequence[str]]] = {
    "institution": document_institutions,
    "department": document_departments,
    "unit": lambda document: list(map(department_value, document_units(document))),
    "holding": lambda document: document.collections,
    "missing": lambda document: missing_field_values("".join(filled_fields(document))),
    "year": lambda document: _number(document.year),
    "access": lambda document: (access_and_licences(document)[0],),
    "licence": lambda document: access_and_licences(document)[1],
    "language": lambda document: document.languages,
    "subject": _subjects,
    "keyword": counted_keywords,
    "wordings": encode_wordings,
    "creator": lambda document: [agent.name for agent in document.creators],
    "publisher": lambda document: document.publishers,
    "journal": lambda document: document.sources,
    "pages": lambda document: _number(document.pages),
    "affiliation": _affiliations,
    "filled": filled_fields,
    "initial": title_initials,
    "period": lambda document: [event.period or "" for event in document.events],
    "place": lambda document: [event.place or "" for event in document.events],
    "kind": lambda document: [event.kind or "" for event in document.events],
    "intensity": lambda document: [event.intensity or "" for event in document.events],
    "event_language": lambda document: [event.language or "" for event in document.events],
    "time": lambda document: [event.time or "" for event in document.events],
    "folder": file_folders,
    "media": file_media_types,
    "size": file_size_class,
    "month": _months,
    "extra": file_extras,
}
