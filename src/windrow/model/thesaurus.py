"""Controlled vocabularies: concepts with their labels, notes, relations and mappings, as SKOS has them.

Relations are kept as the file states them, in one direction or both. Which concepts lie above and below one
another when both directions are taken together is answered by `vocabularies.view`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from windrow.model.facts import fact
from windrow.model.folding import fold

NOTE_KINDS = ("scope", "definition", "example", "history", "editorial", "change", "note")
MAPPING_KINDS = ("exact", "close", "broad", "narrow", "related")
ANY_LANGUAGE = ""  # of a label without a language tag


class Label(NamedTuple):
    """A name of a concept in a language; without one, the language is empty."""

    text: str
    language: str = ANY_LANGUAGE  # BCP 47, in small letters


class Note(NamedTuple):
    """A text about a concept; its kind is one of NOTE_KINDS."""

    kind: str
    text: str
    language: str = ANY_LANGUAGE


class Mapping(NamedTuple):
    """A concept of another vocabulary; the kind is one of MAPPING_KINDS."""

    kind: str
    uri: str


@dataclass(frozen=True, slots=True)
class Concept:
    """One concept. All other concepts are named by URI; some of them may not exist."""

    uri: str
    notations: tuple[str, ...] = ()
    preferred: tuple[Label, ...] = ()
    alternative: tuple[Label, ...] = ()
    hidden: tuple[Label, ...] = ()
    notes: tuple[Note, ...] = ()
    broader: tuple[str, ...] = ()
    narrower: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    mappings: tuple[Mapping, ...] = ()
    schemes: tuple[str, ...] = ()
    top_of: tuple[str, ...] = ()  # schemes whose top concept it is, whichever of the two states it
    is_deprecated: bool = False
    replaced_by: tuple[str, ...] = ()

    @property
    def notation(self) -> str:
        """The first notation; nothing where there is none."""
        return self.notations[0] if self.notations else ""

    @property
    def names(self) -> Iterator[str]:
        """Every text by which a record may name the concept: URI, notations and all labels."""
        yield self.uri
        yield from self.notations
        for labels in (self.preferred, self.alternative, self.hidden):
            yield from (label.text for label in labels)

    def label(self, languages: Sequence[str] = ()) -> str:
        """Return the preferred label in the first of these languages that has one.

        Without any in them: the one without a language, the English one, any; the notation; the URI.
        """
        found = best_label(self.preferred, languages) or best_label(self.alternative, languages)
        return found.text if found else self.notation or self.uri


class Scheme(NamedTuple):
    """A concept scheme: one vocabulary file may hold several."""

    uri: str
    labels: tuple[Label, ...] = ()


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """A vocabulary of the library, without its concepts."""

    name: str
    title: tuple[Label, ...]
    schemes: tuple[Scheme, ...]
    languages: tuple[str, ...]  # of its preferred labels, the most used first
    concepts: int
    format: str  # in which it came
    file: str  # the name of the file it came from, without its folder
    base: str  # before the codes of its concepts, where a file has codes only
    added: str  # ISO 8601, UTC
    updated: str
    revision: int  # grows with every update

    def label(self, languages: Sequence[str] = ()) -> str:
        """Return what people call it, in the first of these languages that it has a title in."""
        found = best_label(self.title, languages)
        return found.text if found else self.name


def best_label(labels: Iterable[Label], languages: Sequence[str] = ()) -> Label | None:
    """Return the label in the first of these languages that has one, else the best of the others.

    `pt` finds `pt-br` where there is no plain one, and `en-gb` finds `en`.
    """
    known = tuple(labels)
    for wanted in (*languages, ANY_LANGUAGE, "en"):
        whole, primary = wanted.lower(), wanted.lower().partition("-")[0]
        for is_fitting in (
            lambda each, whole=whole: each.language == whole,
            lambda each, primary=primary: each.language == primary,
            lambda each, primary=primary: bool(primary) and each.language.partition("-")[0] == primary,
        ):
            found = next(filter(is_fitting, known), None)
            if found is not None:
                return found
    return known[0] if known else None


def value_key(text: str) -> str:
    """Return a value of a record, or a name of a concept, as the two are compared."""
    return fold(fact(text))
