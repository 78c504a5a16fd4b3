"""Something as a query sees it: the values of each field, and their words, folded when first asked for.

Between the nouns, a document or one of its events, and `matching`, which asks. What is asked for once is
remembered, for many queries.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

from windrow.model.facts import facts_in
from windrow.model.folding import words_of
from windrow.model.joined_words import joined_stems
from windrow.model.person_names import NAME_FIELDS, name_keys
from windrow.model.query_fields import FIELDS
from windrow.model.stems import stems_in


class View(ABC):
    """What a query can ask of one thing."""

    usual: tuple[str, ...]  # the fields that are looked through where none is named

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
        """What happened, each to be asked by itself."""

    @abstractmethod
    def texts(self, field: str) -> list[tuple[str, str | None]]:
        """What stands in a field, as in `values`, each with its language as far as that is known."""

    @abstractmethod
    def _look(self, field: str) -> Iterable[str]: ...

    def _counted(self, field: str) -> tuple[str, ...]:
        return facts_in(self.values(field))

    def values(self, field: str) -> tuple[str, ...]:
        """What stands in a field."""
        found = self._values.get(field)
        if found is None:
            found = self._values[field] = tuple(filter(None, self._look(field)))
        return found

    def facts(self, field: str) -> tuple[str, ...]:
        """What stands in a field as it is counted: the values that somebody can click on."""
        found = self._facts.get(field)
        if found is None:
            found = self._facts[field] = self._counted(field)
        return found

    def sequences(self, field: str | None) -> list[list[str]]:
        """The words of each value of a field in their order; of all usual fields where none is named."""
        found = self._sequences.get(field)
        if found is None:
            if field is not None:
                found = [words_of(value) for value in self.values(field)]
            else:
                found = [sequence for name in self.usual for sequence in self.sequences(name)]
            self._sequences[field] = found
        return found

    def words(self, field: str | None) -> frozenset[str]:
        """All words of a field, or of all usual fields."""
        found = self._words.get(field)
        if found is None:
            found = frozenset().union(*self.sequences(field))
            self._words[field] = found
        return found

    def stems(self, field: str | None) -> frozenset[str]:
        """The stems of a field's words, or of all usual fields; none of names and codes."""
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
        """The keys of the people in a field of names, or in all of them."""
        found = self._people.get(field)
        if found is None:
            names = [
                name for each in (NAME_FIELDS if field is None else (field,)) for name in self.values(each)
            ]
            found = self._people[field] = frozenset().union(*map(name_keys, names))
        return found
