"""What can be counted of a document: the values of its fields as people read them, each once and bounded.

Facets, statistics and `Value` in a query all take their values here, so that a click on what was counted
finds exactly what was counted.
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

# What can be searched and counted of the file behind a document: where it lies, how large it is, what
# else.
# `facts` and `document_view` ask here, so that both say the same.

# Files by size, in bytes: each class begins at one of these and ends before the next.
_CLASSES = (0, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000)
SIZE_CLASSES = tuple(
    f"{low}..{high - 1}" if high else f"{low}.."
    for low, high in zip(_CLASSES, (*_CLASSES[1:], 0), strict=True)
)
EXTRA_SEPARATOR = "="  # a name and its value in an `extra` fact
_OWN_PREFIX = "doc:"  # of what a file or somebody beside it says, in `Document.extra`
_COUNTED_ELSEWHERE = frozenset(("note",))  # facts of a file that nobody would look for


def file_folders(document: Document) -> tuple[str, ...]:
    """The folder that a file lies in and all that this lies in, the outermost first."""
    if document.file is None or not document.file.folder:
        return ()
    return tuple(accumulate(document.file.folder.split("/"), "{}/{}".format))


def file_sizes(document: Document) -> tuple[str, ...]:
    """The bytes of a file."""
    return () if document.file is None else (str(document.file.size),)


def file_size_class(document: Document) -> tuple[str, ...]:
    """The class of its size, written as a range."""
    if document.file is None:
        return ()
    place = sum(document.file.size >= low for low in _CLASSES[1:])
    return (SIZE_CLASSES[place],)


def file_media_types(document: Document) -> tuple[str, ...]:
    """What it is by its content."""
    return () if document.file is None else (document.file.media_type,)


def file_texts(document: Document) -> tuple[str, ...]:
    """Its text, page by page."""
    return () if document.file is None else document.file.text


def text_language(document: Document) -> str | None:
    """The language of the text: the document's, which was declared or told from the text itself."""
    return document.languages[0] if len(document.languages) == 1 else None


def file_extras(document: Document) -> tuple[str, ...]:
    """What the document of a file says that no field of its own counts, as name=value."""
    if document.file is None:
        return ()
    return tuple(extra_value(name, value) for name, value in _uncounted_facts(document) if value.strip())


def extra_value(name: str, value: str) -> str:
    """One such fact; names are compared without case."""
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


# Two institutions that took part in the same thing, as one value: what collaboration is counted by. Pure.

_APART = "\x1e"  # whitespace to Python: no value that is counted has it inside


def partner_pairs(names: Iterable[str]) -> tuple[str, ...]:
    """Every two of these names as one value, which is the same in whichever order they come."""
    return tuple(map(_APART.join, combinations(sorted(names), 2)))


def split_partners(partners: str) -> tuple[str, str]:
    """The two names in such a value."""
    one, _, other = partners.partition(_APART)
    return one, other


# The values of a document that are counted by concept: its types, its access and its licences.

Spoken = tuple[str, str | None]  # words and their language


def document_types(document: Document, types: ControlledValues | None = None) -> tuple[str, ...]:
    """Return the types of a document as they are counted; what the table does not have stays as it is."""
    return (types or load_controlled_values(TYPE)).names(document.types)


def normalised_value(field: str, value: str, types: ControlledValues | None = None) -> str:
    """Return what a value of a field is counted under: the concept of any of its wordings, or itself."""
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
    """Return a counted value in the words of a language."""
    if field == TYPE and types is not None:
        return types.label(value, language)
    return load_controlled_values(field).label(value, language) if field in NORMALISED else value


def type_words(
    types: tuple[str, ...], usual: str | None, table: ControlledValues | None = None
) -> Iterator[Spoken]:
    """Yield the words that find a document by its types: its wordings and all labels of their concepts."""
    yield from ((wording, usual) for wording in types)
    own = set(types)
    for label, language in (table or load_controlled_values(TYPE)).labels(types).items():
        if label not in own:
            yield label, language


def rights_words(field: str, names: tuple[str, ...]) -> Iterator[Spoken]:
    """Yield the words that find a document by its access or its licences; none where nothing is stated."""
    stated = [name for name in names if name not in (UNSTATED_ACCESS, UNSTATED_LICENCE)]
    for label, language in load_controlled_values(field).labels(stated).items():
        yield label, language
        if language == "en" and label.startswith("CC"):
            yield "Creative Commons", "en"


def access_and_licences(document: Document) -> tuple[str, tuple[str, ...]]:
    """Return the access and the licences of a document as they are counted."""
    statements = rights_statements(document)
    return access_from_statements(statements), licences_from_statements(statements)


MOST_VALUES = 50  # of one field of one document
LONGEST_VALUE = 500  # characters
UNIT_SEPARATOR = " › "  # between an institution and its department in one value
# Fields whose absence can be asked for, each with the model's name for it.
EXPECTED_FIELDS = {
    "institution": "institution",
    "department": "department",
    "title": "titles",
    "creator": "creators",
    "year": "year",
    "type": "types",
    "language": "languages",
}
MOST_KNOWN = 100_000  # ways of documents to be filled that are remembered


def tidy_value(text: str) -> str:
    """Return a value in one spelling of its letters (NFC) and without idle whitespace."""
    plain = " ".join(text.split())
    return plain if plain.isascii() else unicodedata.normalize("NFC", plain)


def counted_value(text: str) -> str:
    """A value as it is counted and compared: tidied, and not too long."""
    plain = tidy_value(text)
    return plain if len(plain) <= LONGEST_VALUE else plain[:LONGEST_VALUE].rstrip()


def counted_values(texts: Sequence[str]) -> tuple[str, ...]:
    """Values as they are counted: each once, in their order, none empty, not too many."""
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
    """The values of one field of a document that can be counted; None for a field that no document has.

    `types` is the table of types where the owner has extended it.
    """
    if field == "type":
        return counted_values(document_types(document, types))
    if field == "partners":  # made of values that are counted, and many more than these
        return partner_pairs(counted_values(_affiliations(document)))
    look = _LOOKS.get(field)
    return None if look is None else counted_values(look(document))


def title_initials(document: Document) -> tuple[str, ...]:
    """The letter of its title, under which it is listed from A to Z."""
    title = next(filter(None, (counted_value(text.value) for text in document.titles)), "")
    return (initial_letter(title_sort_key(title)),) if title else ()


def _months(document: Document) -> tuple[str, ...]:
    """Counted of files alone, which are many of one year: pictures of a camera, letters of an archive."""
    return () if document.file is None else tuple(document_months(document))


def _subjects(document: Document) -> list[str]:
    return [*counted_subjects(document), *(counted_keywords(document) if document.keywords else ())]


def document_keywords(document: Document) -> Sequence[str]:
    """Keywords; in formats that do not tell them apart, subjects."""
    return document.keywords or [subject.value for subject in document.subjects]


def _affiliations(document: Document) -> list[str]:
    agents = (*document.creators, *document.contributors)
    return [*document_institutions(document), *[name for agent in agents for name in agent.affiliations]]


def document_institutions(document: Document) -> tuple[str, ...]:
    """The institutions that a document belongs to: one by its metadata, any number by its sets."""
    if not document.units:
        return (document.institution,) if document.institution else ()
    return tuple(unit.institution for unit in document.units if unit.institution)


def document_departments(document: Document) -> tuple[str, ...]:
    """The departments that a document belongs to, of whichever institution."""
    if not document.units:
        return (document.department,) if document.department else ()
    return tuple(unit.department for unit in document.units if unit.department)


def department_value(unit: Unit) -> str:
    """A department together with its institution, as one value; nothing where either is unknown."""
    institution, department = counted_value(unit.institution or ""), counted_value(unit.department or "")
    return f"{institution}{UNIT_SEPARATOR}{department}" if institution and department else ""


def split_department(institution: str, unit: str) -> str:
    """The department in such a value, if it is one of this institution; else nothing."""
    return unit.removeprefix(start) if unit.startswith(start := institution + UNIT_SEPARATOR) else ""


def split_institution(department: str, unit: str) -> str:
    """The institution in such a value, if this is its department; else nothing."""
    return unit.removesuffix(end) if unit.endswith(end := UNIT_SEPARATOR + department) else ""


@lru_cache(MOST_KNOWN)
def missing_field_values(names: str) -> tuple[str, ...]:
    """The fields that a document lacks, of those that most have, by the value that `filled` has for it."""
    held = names.split()
    return tuple(name for name, field in EXPECTED_FIELDS.items() if field not in held)


def filled_fields(document: Document) -> tuple[str, ...]:
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
