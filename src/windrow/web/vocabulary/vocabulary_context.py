"""What pages of a vocabulary are made from: its concepts as a reader sees them, and their records."""

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
MAX_REMEMBERED = 50_000  # numbers of records
MAX_WITHIN = 20  # of the second level, below one


@dataclass(frozen=True, slots=True)
class LabelText:
    """Words of a vocabulary, with their language where it is not that of the page."""

    words: str
    language: str = ""


@dataclass(frozen=True, slots=True)
class ConceptEntry:
    """A concept in a list."""

    text: str
    language: str  # where it is not that of the page
    address: str
    notation: str = ""
    count: int | None = None  # of records; None where they are not counted
    has_more: bool = False  # concepts below it
    within: tuple[ConceptEntry, ...] = ()
    is_cut: bool = False  # it has more within than are listed
    is_deprecated: bool = False


class RecordCounts:
    """Numbers of records, remembered as long as index and vocabularies are the same. Thread-safe."""

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
        """Return the number of each concept of a vocabulary and collection; `count` returns those unknown."""
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
    question: SearchRequest  # the collection that the page is within, if any
    place: PublishedVocabulary
    state: str  # of index and vocabularies
    counted: RecordCounts

    @property
    def view(self) -> VocabularyView:
        """The concepts."""
        return self.place.view

    @property
    def title(self) -> LabelText:
        """What the vocabulary is called."""
        return label_text(
            best_label(self.place.vocabulary.title, self.languages), self.tongue, self.place.name
        )

    @property
    def tongue(self) -> Translator:
        """The language of the page."""
        return self.frame.tongue

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that labels are wanted in."""
        return (self.tongue.code,)

    @property
    def is_bound(self) -> bool:
        """Return whether records can be counted: some field is bound to the vocabulary."""
        return bool(self.fields)

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that are bound to the vocabulary."""
        expander = self.frame.expander
        return expander.fields_of(self.place.name, self.question.collection) if expander else ()

    def link(self, path: str, **query: str | int) -> str:
        """Return the address of a path of this site, within the collection that the page is of."""
        pairs = [*query.items()]
        if self.question.collection:
            pairs.append(("collection", self.question.collection))
        written = urlencode([(name, value) for name, value in pairs if value], errors="replace")
        joint = "&" if "?" in path else "?"
        return self.frame.link(f"{path}{joint}{written}" if written else path)

    def concept_link(self, uri: str, **query: str | int) -> str:
        """Return the address of the page of a concept."""
        return self.link(self.place.concept_path(uri), **query)

    def name_of(self, concept: Concept) -> LabelText:
        """Return the label of a concept in the reader's language, else in another one."""
        found = best_label(concept.preferred, self.languages) or best_label(
            concept.alternative, self.languages
        )
        return label_text(found, self.tongue, concept.notation or concept.uri)

    def entry(self, concept: Concept, count: int | None = None, *, has_more: bool = False) -> ConceptEntry:
        """Return a concept for a list."""
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
        """Return concepts for a list."""
        uris = [each.uri for each in concepts]
        counts = self.counts(uris) if is_counted else {}
        inner = self.view.having_narrower(uris)
        return [self.entry(each, counts.get(each.uri), has_more=each.uri in inner) for each in concepts]

    def in_order(self, concepts: Sequence[Concept]) -> list[Concept]:
        """Return concepts by notation, and those without one by label as the reader's language has them."""
        key = collation(self.tongue.code).key
        return sorted(
            concepts,
            key=lambda each: (not each.notation, each.notation, key(self.name_of(each).words), each.uri),
        )

    def counts(self, uris: Sequence[str]) -> Mapping[str, int]:
        """Return the number of records of each concept, of MOST_COUNTED at most."""
        room, expander, question = self.room, self.frame.expander, self.question
        name, collection = self.place.name, question.collection

        def count(some: Sequence[str]) -> Mapping[str, int]:
            within = question.query if collection else None
            return count_records(room.index, expander, name, some, within=within, collection=collection)

        return self.counted.of(self.state, (name, collection), uris, count)

    def records(self, uri: str) -> Query:
        """Return the query for the records of a concept and of all below it."""
        question = self.question
        found = records_query(self.frame.expander, self.place.name, uri, question.collection)
        return all_of([found, question.query]) if question.collection else found


def label_text(label: Label | None, tongue: Translator, otherwise: str) -> LabelText:
    """Return a label as a page shows it; without one, what stands for it."""
    if label is None or not label.text.strip():
        return LabelText(otherwise)
    return LabelText(label.text, foreign_language(label.language.partition("-")[0], tongue))


def language_name(code: str, tongue: Translator) -> str:
    """Return what a language is called, with its variety: Portuguese (BR); nothing for none."""
    primary, _, variety = code.partition("-")
    name = tongue.language(primary)
    return f"{name} ({variety.upper()})" if variety else name
