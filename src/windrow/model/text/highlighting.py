"""Where in a text stands what a query asked for: for whoever shows the text, with the places marked.

Says the same as `matching`: words, their other forms, patterns, words spelled nearly so, phrases. What is
negated is never marked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice, pairwise

from windrow.model.folding import pieces_of, words_of
from windrow.model.joined_words import other_forms, with_joined
from windrow.model.located_words import LocatedWord, located_words, places_of
from windrow.model.name_order import either_way
from windrow.model.query import And, AtLeast, Or, Phrase, Query, SameEvent, Word
from windrow.model.query_fields import FIELDS, loosest
from windrow.model.snippet import Span, snippet
from windrow.model.stems import initials_of, is_stray, query_stems, query_words, stems_by_word
from windrow.model.wildcards import is_near, pattern_of

__all__ = ["Span", "highlights", "snippet"]

LONGEST_TEXT = 100_000  # characters that are looked at
MOST_CONDITIONS = 100  # of one query that are looked for

Marks = Iterable[Span]
_Test = Callable[[str], bool]


def highlights(text: str, query: Query, *, field: str, language: str | None = None) -> list[Span]:
    """Start and end of all that a query asked for in a text of this field: in order, none overlapping."""
    conditions = conditions_on(query, field)
    if not conditions:
        return []
    marker = _Marker(text[:LONGEST_TEXT], field, language)
    return _merged(span for condition in conditions for span in marker.marks(condition))


def conditions_on(query: Query, field: str) -> list[Word | Phrase]:
    """What a query asks of this field, not too much of it."""
    return list(islice(_conditions(query, field), MOST_CONDITIONS))


def words_marked(
    words: Iterable[str], query: Query, *, field: str, language: str | None = None
) -> list[frozenset[str]]:
    """Of these folded words, for each condition on the field those that it may mark: a quick first look."""
    tester = _Tester(list(words), field, language)
    return [frozenset().union(*tester.fitting(condition)) for condition in conditions_on(query, field)]


def _conditions(query: Query, field: str) -> Iterator[Word | Phrase]:
    """The words and phrases that are asked for in this field."""
    match query:
        case Word() | Phrase():
            is_subject = query.field == "subject" and field == "keyword"  # keywords are searched as subjects
            for each in _written(query) if isinstance(query, Word) else either_way(query):
                if each.field in (None, field) or is_subject:
                    yield each
        case And(parts) | Or(parts) | AtLeast(_, parts):
            for part in parts if isinstance(query, Or) else with_joined(parts):
                yield from _conditions(part, field)
        case SameEvent(part) if FIELDS[field].is_of_event:
            yield from _conditions(part, field)


def _written(word: Word) -> Iterator[Word]:
    yield word
    if not word.is_pattern and not word.edits:
        yield from (replace(word, text=form) for form in other_forms(word.text))


class _Tester:
    """The words of one text, which stands in a field, without their places: a quick look at them is enough.

    Most texts have few of the words that are asked for, and those that have none are done with here.
    """

    def __init__(self, words: Sequence[str], field: str, language: str | None) -> None:
        self._different = frozenset(words)
        self._stems = stems_by_word(words, language) if FIELDS[field].is_stemmed else None

    def fitting(self, condition: Word | Phrase) -> list[frozenset[str]]:
        """For each word of a condition, in their order, those that may stand for it."""
        return [frozenset(filter(test, self._different)) for test in self._tests(condition)]

    def _tests(self, condition: Word | Phrase) -> list[_Test]:
        """What its words must pass, in their order."""
        if isinstance(condition, Phrase):
            return [word.__eq__ for text in condition.words for word in words_of(text)]
        if condition.is_pattern:
            return [pattern_of(piece).fits for piece in pieces_of(condition.text)]
        words = words_of(condition.text)
        if condition.edits:
            return [_near_to(word, condition.edits) for word in words]
        return [self._form_of(words[0])] if len(words) == 1 else [word.__eq__ for word in words]

    def _form_of(self, wanted: str) -> _Test:
        known = self._stems
        if known is None:
            return wanted.__eq__
        initials, stems = initials_of(wanted), frozenset(query_stems(wanted))
        alike = {wanted, *query_words(stems, wanted)}
        # Looked at first: most words are told apart by one letter, and their stems are not needed.
        return lambda word: (
            word in alike or ((word[0] in initials or is_stray(word)) and not stems.isdisjoint(known[word]))
        )


class _Marker:
    """One text, which stands in a field."""

    def __init__(self, text: str, field: str, language: str | None) -> None:
        self._text = text
        self._field = field
        self._tester = _Tester(words_of(text), field, language)

    def marks(self, condition: Word | Phrase) -> Marks:
        """Where it is in the text."""
        if isinstance(condition, Phrase) and condition.slop:
            words = [word for text in condition.words for word in words_of(text)]
            if len(words) > 1:
                return self._near(words, min(condition.slop, loosest(self._field)))
        fitting = self._tester.fitting(condition)
        if not fitting or not all(fitting):
            return []
        return places_of(fitting[0], self._text) if len(fitting) == 1 else self._in_order(fitting)

    @cached_property
    def _words(self) -> list[LocatedWord]:
        return located_words(self._text)

    def _in_order(self, fitting: Sequence[frozenset[str]]) -> Marks:
        """Where words that fit follow one another. See `matching` for the walk."""
        passed: dict[str, int] = {}
        for place, words in enumerate(fitting):
            for word in words:
                passed[word] = passed.get(word, 0) | 1 << place
        whole, reached = 1 << (len(fitting) - 1), 0
        for place, located in enumerate(self._words):
            reached = ((reached << 1) | 1) & passed.get(located.word, 0)
            if reached & whole:
                yield self._words[place - len(fitting) + 1].start, located.end

    def _near(self, wanted: Sequence[str], reach: int) -> Marks:
        """Words of a loose phrase where the next one is near."""
        for pair in dict.fromkeys(pairwise(wanted)):
            places = [place for place, word in enumerate(self._words) if word.word in pair]
            for one, other in pairwise(places):
                is_pair = pair[0] == pair[1] or self._words[one].word != self._words[other].word
                if is_pair and other - one - 1 <= reach:
                    yield from (self._words[place][1:] for place in (one, other))


def _near_to(wanted: str, edits: int) -> _Test:
    return lambda word: is_near(wanted, word, edits)


def _merged(spans: Marks) -> list[Span]:
    found: list[Span] = []
    for start, end in sorted(set(spans)):
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found
