"""A document as a query sees it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from windrow.model.days import days_of
from windrow.model.document import Document
from windrow.model.event_view import EventView
from windrow.model.facts import facts_about, initials_of, keywords_of
from windrow.model.file_facts import extras_of, folders_of, media_of, sizes_of, text_language, texts_of
from windrow.model.query_fields import DEFAULT_FIELDS, EVENT_FIELDS, FIELDS, FieldKind
from windrow.model.stems import is_stemmed
from windrow.model.view import View


class DocumentView(View):
    """One document of a source, with the sets it is in and its identifier there."""

    # Codes and addresses are compared as a whole, and are not taken apart into words.
    usual = tuple(name for name in DEFAULT_FIELDS if FIELDS[name].kind is not FieldKind.EXACT)

    def __init__(
        self, document: Document, *, source: str = "", sets: Collection[str] = (), identifier: str = ""
    ) -> None:
        super().__init__()
        self._document = document
        self._places = {"source": (source,) if source else (), "set": tuple(sets)}
        self._identifier = identifier
        self._events: tuple[EventView, ...] | None = None
        self._usual = usual_language(document)

    @property
    def events(self) -> Sequence[View]:
        """What happened to the thing, each to be asked by itself."""
        if self._events is None:
            self._events = tuple(map(EventView, self._document.events))
        return self._events

    def texts(self, field: str) -> list[tuple[str, str | None]]:
        """What stands in a field, each with the language it is in as far as that is sure.

        A thesis in Finnish has an abstract and keywords in English: where a value does not say its language,
        the document's only tells that it is none of those whose endings are known.
        """
        spoken, usual = _SPOKEN.get(field), self._usual
        if spoken is None:
            return [(value, usual) for value in self.values(field)]
        return [(value, language or usual) for value, language in spoken(self._document) if value]

    def _counted(self, field: str) -> tuple[str, ...]:
        facts = facts_about(self._document, field)
        return super()._counted(field) if facts is None else facts

    def _look(self, field: str) -> Iterable[str]:
        if field == "identifier":
            return self._identifiers()
        if field in EVENT_FIELDS:
            return (value for event in self.events for value in event.values(field))
        look = _LOOKS.get(field)
        return self._places.get(field, ()) if look is None else look(self._document)

    def _identifiers(self) -> Iterator[str]:
        yield self._identifier
        for name in self._document.names:
            yield name.value
        for link in self._document.links:
            yield link.url


def usual_language(document: Document) -> str | None:
    """The language of what does not say its own: the document's, if it is none whose endings are known."""
    languages = document.languages
    return languages[0] if len(languages) == 1 and not is_stemmed(languages[0]) else None


def formats_of(document: Document) -> list[str]:
    """What its files are said to be."""
    found = [link.media_type for link in document.links if link.media_type]
    if document.file is not None:
        found += media_of(document)
    if found:
        found = list(dict.fromkeys(found))
    for name, values in document.extra.items():
        if name.endswith("format"):
            found += filter(None, values)
    return found


def _number(value: int | None) -> tuple[str, ...]:
    return () if value is None else (str(value),)


_LOOKS: Mapping[str, Callable[[Document], Iterable[str]]] = {
    "title": lambda document: (text.value for text in document.titles),
    "creator": lambda document: (agent.name for agent in document.creators),
    "contributor": lambda document: (agent.name for agent in document.contributors),
    "subject": lambda document: (*(subject.value for subject in document.subjects), *document.keywords),
    "keyword": keywords_of,
    "description": lambda document: (text.value for text in document.descriptions),
    "publisher": lambda document: document.publishers,
    "year": lambda document: _number(document.year),
    "date": days_of,
    "type": lambda document: document.types,
    "language": lambda document: document.languages,
    "pages": lambda document: _number(document.pages),
    "journal": lambda document: document.sources,
    "relation": lambda document: document.relations,
    "rights": lambda document: document.rights,
    "format": formats_of,
    "institution": lambda document: (document.institution or "",),
    "department": lambda document: (document.department or "",),
    "affiliation": lambda document: facts_about(document, "affiliation") or (),
    "text": texts_of,
    "folder": folders_of,
    "size": sizes_of,
    "media": media_of,
    "extra": extras_of,
    "initial": initials_of,
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
    "text": lambda document: ((page, text_language(document)) for page in texts_of(document)),
}
EXACT_DEFAULTS = tuple(name for name in DEFAULT_FIELDS if FIELDS[name].kind is FieldKind.EXACT)
