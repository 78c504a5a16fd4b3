"""A document as a query sees it: the values of each field, and their words, folded when first asked for."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping

from windrow.model.document import Document
from windrow.model.folding import words_of
from windrow.model.query_fields import DEFAULT_FIELDS, FIELDS, FieldKind

_DAY = re.compile(r"(\d{4})(?:-?(\d{2})(?:-?(\d{2}))?)?(?!\d)")


class DocumentView:
    """One document of a source, with the sets it is in and its identifier there."""

    def __init__(
        self, document: Document, *, source: str = "", sets: Collection[str] = (), identifier: str = ""
    ) -> None:
        self._document = document
        self._places = {"source": (source,) if source else (), "set": tuple(sets)}
        self._identifier = identifier
        self._values: dict[str, tuple[str, ...]] = {}
        self._sequences: dict[str | None, list[list[str]]] = {}
        self._words: dict[str | None, frozenset[str]] = {}

    def values(self, field: str) -> tuple[str, ...]:
        """What stands in a field."""
        found = self._values.get(field)
        if found is None:
            found = self._values[field] = tuple(filter(None, self._look(field)))
        return found

    def sequences(self, field: str | None) -> list[list[str]]:
        """The words of each value of a field in their order; of all usual fields where none is named."""
        found = self._sequences.get(field)
        if found is None:
            if field is not None:
                found = [words_of(value) for value in self.values(field)]
            else:
                found = [sequence for name in DEFAULT_FIELDS for sequence in self.sequences(name)]
            self._sequences[field] = found
        return found

    def words(self, field: str | None) -> frozenset[str]:
        """All words of a field, or of all usual fields."""
        found = self._words.get(field)
        if found is None:
            found = frozenset().union(*self.sequences(field))
            self._words[field] = found
        return found

    def _look(self, field: str) -> Iterator[str] | tuple[str, ...]:
        if field == "identifier":
            return self._identifiers()
        look = _LOOKS.get(field)
        return self._places.get(field, ()) if look is None else look(self._document)

    def _identifiers(self) -> Iterator[str]:
        yield self._identifier
        for name in self._document.names:
            yield name.value
        for link in self._document.links:
            yield link.url


def _dates(document: Document) -> Iterator[str]:
    for moment in document.dates:
        day = _DAY.match(moment.text)
        if day is not None:
            yield "-".join(filter(None, day.groups()))


def _formats(document: Document) -> Iterator[str]:
    for link in document.links:
        yield link.media_type or ""
    for name, values in document.extra.items():
        if name.endswith("format"):
            yield from values


def _number(value: int | None) -> tuple[str, ...]:
    return () if value is None else (str(value),)


_LOOKS: Mapping[str, Callable[[Document], Iterator[str] | tuple[str, ...]]] = {
    "title": lambda document: (text.value for text in document.titles),
    "creator": lambda document: (agent.name for agent in document.creators),
    "contributor": lambda document: (agent.name for agent in document.contributors),
    "subject": lambda document: (*(subject.value for subject in document.subjects), *document.keywords),
    "keyword": lambda document: document.keywords,
    "description": lambda document: (text.value for text in document.descriptions),
    "publisher": lambda document: document.publishers,
    "year": lambda document: _number(document.year),
    "date": _dates,
    "type": lambda document: document.types,
    "language": lambda document: document.languages,
    "pages": lambda document: _number(document.pages),
    "journal": lambda document: document.sources,
    "relation": lambda document: document.relations,
    "rights": lambda document: document.rights,
    "format": _formats,
    "institution": lambda document: (document.institution or "",),
    "department": lambda document: (document.department or "",),
}
EXACT_DEFAULTS = tuple(name for name in DEFAULT_FIELDS if FIELDS[name].kind is FieldKind.EXACT)
