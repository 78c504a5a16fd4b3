"""A document, or one of its events, as a query evaluates it.

A view returns the values of each field and their folded words. They are computed on first use and cached for
further queries. `matching` evaluates queries against it.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from windrow.model.controlled_values import ControlledValues
from windrow.model.counted_fields import (
    access_and_licences,
    counted_values,
    document_departments,
    document_institutions,
    document_keywords,
    field_values,
    file_extras,
    file_folders,
    file_media_types,
    file_sizes,
    file_texts,
    rights_words,
    text_language,
    title_initials,
    type_words,
)
from windrow.model.document import Document, Event
from windrow.model.document_dates import document_days, issued_on
from windrow.model.query import DEFAULT_FIELDS, EVENT_FIELDS, FIELDS, FieldKind
from windrow.model.text.folding import folded_words
from windrow.model.text.proper_names import NAME_FIELDS, name_keys
from windrow.model.text.word_forms import is_stemmed, joined_stems, stems_in


class View(ABC):
    """The interface that queries are evaluated against."""

    usual: tuple[str, ...]  # the fields that are searched if none is named

    def __init__(self) -> None:
        self._values: dict[str, tuple[str, ...]] = {}
        self._facts: dict[str, tuple[str, ...]] = {}
        self._sequences: dict[str | None, list[list[str]]] = {}
        self._words: dict[str | None, frozenset[str]] = {}
        self._stems: dict[str | None, frozenset[str]] = {}
        self._people: dict[str | None, frozenset[str]] = {}

    @property
    @abstractmethod
    def events(self) -> Sequence[View]:
        """The events, each a view of its own."""

    @abstractmethod
    def texts(self, field: str) -> list[tuple[str, str | None]]:
        """Return the texts of a field, as in `values`, each with its language if known."""

    @abstractmethod
    def _look(self, field: str) -> Iterable[str]: ...

    def _counted(self, field: str) -> tuple[str, ...]:
        return counted_values(self.values(field))

    def values(self, field: str) -> tuple[str, ...]:
        found = self._values.get(field)
        if found is None:
            found = self._values[field] = tuple(filter(None, self._look(field)))
        return found

    def facts(self, field: str) -> tuple[str, ...]:
        """Return the values of a field as they are counted: those a person can select."""
        found = self._facts.get(field)
        if found is None:
            found = self._facts[field] = self._counted(field)
        return found

    def sequences(self, field: str | None) -> list[list[str]]:
        """Return the words of each value of a field in their order, or of all usual fields."""
        found = self._sequences.get(field)
        if found is None:
            if field is not None:
                found = [folded_words(value) for value in self.values(field)]
            else:
                found = [sequence for name in self.usual for sequence in self.sequences(name)]
            self._sequences[field] = found
        return found

    def words(self, field: str | None) -> frozenset[str]:
        """Return all words of a field, or of all usual fields."""
        found = self._words.get(field)
        if found is None:
            found = frozenset().union(*self.sequences(field))
            self._words[field] = found
        return found

    def stems(self, field: str | None) -> frozenset[str]:
        """Return the stems of a field's words, or of all usual fields; names and codes have none."""
        found = self._stems.get(field)
        if found is None:
            if field is None:
                found = frozenset().union(*map(self.stems, self.usual))
            elif not FIELDS[field].is_stemmed:
                found = frozenset()
            else:
                texts = self.texts(field)
                languages = (language for _, language in texts)
                joined = (joined_stems(text) for text, _ in texts)
                found = frozenset().union(*map(stems_in, self.sequences(field), languages), *joined)
            self._stems[field] = found
        return found

    def people(self, field: str | None) -> frozenset[str]:
        """Return the keys of the people in a field of names, or in all such fields."""
        found = self._people.get(field)
        if found is None:
            names = [
                name for each in (NAME_FIELDS if field is None else (field,)) for name in self.values(each)
            ]
            found = self._people[field] = frozenset().union(*map(name_keys, names))
        return found


# One event of a document, inside `event:( … )`.


class EventView(View):
    """A view of the event alone, without the rest of its document."""

    usual = EVENT_FIELDS

    def __init__(self, event: Event) -> None:
        super().__init__()
        self._event = event

    @property
    def events(self) -> Sequence[View]:
        """The event itself, so that nested `event:` conditions apply to the same event."""
        return (self,)

    def texts(self, field: str) -> list[tuple[str, str | None]]:
        return [(value, self._event.language) for value in self.values(field)]

    def _look(self, field: str) -> Iterable[str]:
        if field == "language" or field in EVENT_FIELDS:
            yield getattr(self._event, field) or ""


# A word that is not useful in a search: an address, checksum, UUID, short number or time stamp.
_NO_TEXT = re.compile(
    r"(?:https?|ftp|file)://|[0-9a-fA-F]{16,}$|[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}$|\W*\d{0,4}\W*$"
    r"|\d{4}-\d\d-\d\dT\d\d:\d\d"
)


class DocumentView(View):
    """One document of a source, with its sets and its identifier there."""

    # Codes and addresses are compared whole and not split into words.
    usual = tuple(name for name in DEFAULT_FIELDS if FIELDS[name].kind is not FieldKind.EXACT)

    def __init__(
        self,
        document: Document,
        *,
        source: str = "",
        sets: Collection[str] = (),
        identifier: str = "",
        types: ControlledValues | None = None,
    ) -> None:
        super().__init__()
        self._document = document
        self._places = {"source": (source,) if source else (), "set": tuple(sets)}
        self._identifier = identifier
        self._types = types
        self._events: tuple[EventView, ...] | None = None
        self._usual = default_language(document)

    @property
    def events(self) -> Sequence[View]:
        if self._events is None:
            self._events = tuple(map(EventView, self._document.events))
        return self._events

    def texts(self, field: str) -> list[tuple[str, str | None]]:
        """Return the texts of a field, each with its language as far as that is certain.

        A Finnish thesis has an English abstract and English keywords. The document's language is therefore
        used for values without their own only if it is not one of the stemmed languages.
        """
        if field == "type":
            return list(self._type_words())
        spoken, usual = _SPOKEN.get(field), self._usual
        if spoken is None:
            return [(value, usual) for value in self.values(field)]
        return [(value, language or usual) for value, language in spoken(self._document) if value]

    def _counted(self, field: str) -> tuple[str, ...]:
        facts = field_values(self._document, field, self._types)
        return super()._counted(field) if facts is None else facts

    def _look(self, field: str) -> Iterable[str]:
        if field == "identifier":
            return self._identifiers()
        if field == "type":
            return [value for value, _ in self._type_words()]
        if field in EVENT_FIELDS:
            return (value for event in self.events for value in event.values(field))
        look = _LOOKS.get(field)
        return self._places.get(field, ()) if look is None else look(self._document)

    def _type_words(self) -> Iterator[tuple[str, str | None]]:
        return type_words(tuple(self._document.types), self._usual, self._types)

    def _identifiers(self) -> Iterator[str]:
        yield self._identifier
        for name in self._document.names:
            yield name.value
        for link in self._document.links:
            yield link.url


def default_language(document: Document) -> str | None:
    """Return the language for values without their own: the document's, unless it is a stemmed language."""
    languages = document.languages
    return languages[0] if len(languages) == 1 and not is_stemmed(languages[0]) else None


def file_formats(document: Document) -> list[str]:
    found = [link.media_type for link in document.links if link.media_type]
    if document.file is not None:
        found += file_media_types(document)
    if found:
        found = list(dict.fromkeys(found))
    for name, values in document.extra.items():
        if name.endswith("format"):
            found += filter(None, values)
    return found


def other_text(document: Document) -> list[str]:
    """Return the text of a document that no other field has: leftovers, relations, affiliations, places.

    Addresses, checksums and short numbers are left out.
    """
    return list(filter(is_readable_text, remarks_of(document)))


def remarks_of(document: Document) -> Iterable[str]:
    """Return the values from which `other_text` is made, without duplicates.

    Rights and formats have fields of their own, which a search must name, because all records of a source
    repeat the same sentence.
    """
    found: list[str] = []
    for name, values in document.extra.items():
        if name[-6:] != "format":
            found += values
    found += document.relations
    found += document.prerequisites
    found += document.exams
    found += document.professions
    for agents in (document.creators, document.contributors):
        for agent in agents:
            if agent.affiliations:
                found += agent.affiliations
    for link in document.links:
        if link.label:
            found.append(link.label)
    for event in document.events:  # terms and kinds are the same few words in all records
        if event.place:
            found.append(event.place)
    return dict.fromkeys(found)


def is_readable_text(value: str) -> bool:
    """Return whether a value is readable text: not an address, checksum, short number or time stamp."""
    return " " in value or _NO_TEXT.match(value) is None


def _access_words(document: Document) -> Iterator[tuple[str, str | None]]:
    return rights_words("access", (access_and_licences(document)[0],))


def _licence_words(document: Document) -> Iterator[tuple[str, str | None]]:
    return rights_words("licence", access_and_licences(document)[1])


def _number(value: int | None) -> tuple[str, ...]:
    return () if value is None else (str(value),)


_LOOKS: Mapping[str, Callable[[Document], Iterable[str]]] = {
    "title": lambda document: (text.value for text in document.titles),
    "creator": lambda document: (agent.name for agent in document.creators),
    "contributor": lambda document: (agent.name for agent in document.contributors),
    "subject": lambda document: (*(subject.value for subject in document.subjects), *document.keywords),
    "keyword": document_keywords,
    "description": lambda document: (text.value for text in document.descriptions),
    "publisher": lambda document: document.publishers,
    "year": lambda document: _number(document.year),
    "issued": lambda document: _number(issued_on(document)),
    "date": document_days,
    "language": lambda document: document.languages,
    "pages": lambda document: _number(document.pages),
    "journal": lambda document: document.sources,
    "relation": lambda document: document.relations,
    "prerequisites": lambda document: document.prerequisites,
    "exam": lambda document: document.exams,
    "profession": lambda document: document.professions,
    "rights": lambda document: document.rights,
    "access": lambda document: [words for words, _ in _access_words(document)],
    "licence": lambda document: [words for words, _ in _licence_words(document)],
    "format": file_formats,
    "institution": document_institutions,
    "department": document_departments,
    "holding": lambda document: document.collections,
    "unit": lambda document: field_values(document, "unit") or (),
    "missing": lambda document: field_values(document, "missing") or (),
    "affiliation": lambda document: field_values(document, "affiliation") or (),
    "text": file_texts,
    "notes": other_text,
    "folder": file_folders,
    "size": file_sizes,
    "media": file_media_types,
    "extra": file_extras,
    "initial": title_initials,
}
_SPOKEN: Mapping[str, Callable[[Document], Iterable[tuple[str, str | None]]]] = {
    "title": lambda document: document.titles,
    "description": lambda document: document.descriptions,
    "subject": lambda document: chain(
        ((subject.value, subject.language) for subject in document.subjects),
        ((keyword, None) for keyword in document.keywords),
    ),
    "keyword": lambda document: (
        ((keyword, None) for keyword in document.keywords)
        if document.keywords
        else ((subject.value, subject.language) for subject in document.subjects)
    ),
    "text": lambda document: ((page, text_language(document)) for page in file_texts(document)),
    "access": _access_words,
    "licence": _licence_words,
}
EXACT_DEFAULTS = tuple(name for name in DEFAULT_FIELDS if FIELDS[name].kind is FieldKind.EXACT)
