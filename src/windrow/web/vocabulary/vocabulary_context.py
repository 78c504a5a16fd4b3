"""What vocabulary pages share: vocabulary, concepts in the reader's language, record counts."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from windrow.model.query import Query, all_of
from windrow.model.text.collation import collation
from windrow.model.thesaurus import Concept, Label, best_label
from windrow.search.request import SearchRequest
from windrow.vocabularies.vocabulary_directory import PublishedVocabulary
from windrow.vocabularies.vocabulary_view import VocabularyView, count_records, records_query
from windrow.web.i18n.translation import Translator
from windrow.web.layout.page_layout import PageLayout
from windrow.web.layout.page_text import foreign_language
from windrow.web.portal.portal_context import PortalContext

PER_PAGE = 100  # concepts
MAX_REMEMBERED = 50_000  # counts
MAX_WITHIN = 20  # of the second level, below one concept


@dataclass(frozen=True, slots=True)
class LabelText:
    """A label, and its language where it differs from the page's."""

    words: str
    language: str = ""


@dataclass(frozen=True, slots=True)
class ConceptEntry:
    """A concept in a list."""

    text: str
    language: str  # where it differs from the page's
    address: str
    notation: str = ""
    count: int | None = None  # records; None if not counted
    has_more: bool = False  # has narrower concepts
    within: tuple[ConceptEntry, ...] = ()
    is_cut: bool = False  # has more narrower concepts than are listed
    is_deprecated: bool = False


class RecordCounts:
    """Record counts, cached until the index or a vocabulary changes. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._state = ""
        self._known: dict[tuple[str, str | None, str], int] = {}

    def of(
        self,
        state: str,
        place: tuple[str, str | None],
        uris: Sequence[str],
        count: Callable[[Sequence[str]], Mapping[str, int]],
    ) -> dict[str, int]:
        """Return the counts of concepts in a vocabulary and collection; `count` returns missing ones."""
        with self._lock:
            if state != self._state or len(self._known) > MAX_REMEMBERED:
                self._state, self._known = state, {}
            known = self._known
        found = {uri: known[(*place, uri)] for uri in uris if (*place, uri) in known}
        made = count([uri for uri in uris if uri not in found])
        known.update({(*place, uri): number for uri, number in made.items()})
        return found | dict(made)


@dataclass(frozen=True, slots=True)
class VocabularyContext:
    """One request for a page of one vocabulary."""

    room: PortalContext
    frame: PageLayout
    question: SearchRequest  # the page's collection, if any
    place: PublishedVocabulary
    state: str  # of the index and the vocabularies
    counted: RecordCounts

    @property
    def view(self) -> VocabularyView:
        return self.place.view

    @property
    def title(self) -> LabelText:
        return label_text(
            best_label(self.place.vocabulary.title, self.languages), self.tongue, self.place.name
        )

    @property
    def tongue(self) -> Translator:
        return self.frame.tongue

    @property
    def languages(self) -> tuple[str, ...]:
        return (self.tongue.code,)

    @property
    def is_bound(self) -> bool:
        return bool(self.fields)

    @property
    def fields(self) -> tuple[str, ...]:
        expander = self.frame.expander
        return expander.fields_of(self.place.name, self.question.collection) if expander else ()

    def link(self, path: str, **query: str | int) -> str:
        pairs = [*query.items()]
        if self.question.collection:
            pairs.append(("collection", self.question.collection))
        written = urlencode([(name, value) for name, value in pairs if value], errors="replace")
        joint = "&" if "?" in path else "?"
        return self.frame.link(f"{path}{joint}{written}" if written else path)

    def concept_link(self, uri: str, **query: str | int) -> str:
        return self.link(self.place.concept_path(uri), **query)

    def name_of(self, concept: Concept) -> LabelText:
        """Return a concept's label in the reader's language, or else in another."""
        found = best_label(concept.preferred, self.languages) or best_label(
            concept.alternative, self.languages
        )
        return label_text(found, self.tongue, concept.notation or concept.uri)

    def entry(self, concept: Concept, count: int | None = None, *, has_more: bool = False) -> ConceptEntry:
        name = self.name_of(concept)
        return ConceptEntry(
            name.words,
            name.language,
            self.concept_link(concept.uri),
            concept.notation if concept.notation != name.words else "",
            count,
            has_more,
            is_deprecated=concept.is_deprecated,
        )

    def entries(self, concepts: Sequence[Concept], *, is_counted: bool = False) -> list[ConceptEntry]:
        uris = [each.uri for each in concepts]
        counts = self.counts(uris) if is_counted else {}
        inner = self.view.having_narrower(uris)
        return [self.entry(each, counts.get(each.uri), has_more=each.uri in inner) for each in concepts]

    def in_order(self, concepts: Sequence[Concept]) -> list[Concept]:
        """Sort concepts by notation, then those without one by label in the reader's language."""
        key = collation(self.tongue.code).key
        return sorted(
            concepts,
            key=lambda each: (not each.notation, each.notation, key(self.name_of(each).words), each.uri),
        )

    def counts(self, uris: Sequence[str]) -> Mapping[str, int]:
        """Return the record counts of concepts, of MOST_COUNTED at most."""
        room, expander, question = self.room, self.frame.expander, self.question
        name, collection = self.place.name, question.collection

        def count(some: Sequence[str]) -> Mapping[str, int]:
            within = question.query if collection else None
            return count_records(room.index, expander, name, some, within=within, collection=collection)

        return self.counted.of(self.state, (name, collection), uris, count)

    def records(self, uri: str) -> Query:
        """Return the query for the records of a concept and all narrower ones."""
        question = self.question
        found = records_query(self.frame.expander, self.place.name, uri, question.collection)
        return all_of([found, question.query]) if question.collection else found


def label_text(label: Label | None, tongue: Translator, otherwise: str) -> LabelText:
    """Return a label as shown, or a substitute if it is empty."""
    if label is None or not label.text.strip():
        return LabelText(otherwise)
    return LabelText(label.text, foreign_language(label.language.partition("-")[0], tongue))


def language_name(code: str, tongue: Translator) -> str:
    """Return the name of a language with its variety, such as "Portuguese (BR)"; empty for none."""
    primary, _, variety = code.partition("-")
    name = tongue.language(primary)
    return f"{name} ({variety.upper()})" if variety else name
