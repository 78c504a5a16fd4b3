"""The positions in a text that match a query, and the snippet that shows them best.

Highlights agree with `matching`: words, their other forms, patterns, fuzzy words, phrases. Negated conditions
are never highlighted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import accumulate, islice, pairwise
from typing import NamedTuple

from windrow.model.query import FIELDS, And, AtLeast, Or, Phrase, Query, SameEvent, Word, max_slop
from windrow.model.text.folding import (
    SINGLE,
    find_words,
    fold,
    fold_in_place,
    folded_words,
    pattern_pieces,
    separate_parts,
    signed_words,
)
from windrow.model.text.proper_names import with_inverted_name
from windrow.model.text.wildcards import compile_pattern, is_near
from windrow.model.text.word_forms import (
    initials_of,
    is_stray,
    other_forms,
    query_stems,
    query_words,
    stems_by_word,
    with_joined,
)

# Folded words with their positions in the original text.

# Text between whitespace and punctuation that is never part of a word: the unit that is folded.
_STRETCH = re.compile(r"[^\s!-/:-@\[-`{-~]++")


LONGEST_KEPT = 60  # letters of a stretch whose folding is cached


class LocatedWord(NamedTuple):
    """A folded word and its position: start and end, as in a slice."""

    word: str
    start: int
    end: int


def located_words(text: str) -> list[LocatedWord]:
    """Return the words of a text in the same order as `folded_words`."""
    found: list[LocatedWord] = []
    for stretch in _STRETCH.finditer(text):
        folded = _folded(stretch[0]) if stretch.end() - stretch.start() <= LONGEST_KEPT else fold(stretch[0])
        if folded.isalnum() and (folded.isascii() or not SINGLE.search(folded)):  # nearly always one word
            found.append(LocatedWord(folded, *stretch.span()))
        else:
            found += _in_stretch(stretch[0], stretch.start())
    signed = [LocatedWord(*each) for each in signed_words(text)]
    return _with_signed(found, signed) if signed else found


def _with_signed(found: list[LocatedWord], signed: list[LocatedWord]) -> list[LocatedWord]:
    taken = {place for each in signed for place in range(each.start, each.end)}
    kept = [each for each in found if each.start not in taken]
    return sorted([*kept, *signed], key=lambda each: each.start)


def find_places(words: Set[str], text: str) -> list[tuple[int, int]]:
    """Return the positions of these folded words, faster than `located_words`."""
    quick = fold_in_place(text)
    if quick is None:
        return [(found.start, found.end) for found in located_words(text) if found.word in words]
    return [found.span() for found in find_words(quick) if found[0] in words]


def _in_stretch(stretch: str, offset: int) -> Iterator[LocatedWord]:
    letters = [_folded(letter) for letter in separate_parts(stretch)]  # a letter may fold to two, or to none
    ends = list(accumulate(map(len, letters)))
    places = [place for place, letter in enumerate(letters) for _ in letter]
    for found in find_words("".join(letters)):
        end = places[found.end() - 1] + 1
        while end < len(ends) and ends[end] == ends[end - 1]:  # accents after their letter
            end += 1
        yield LocatedWord(found[0], offset + places[found.start()], offset + end)


@lru_cache(maxsize=30_000)
def _folded(text: str) -> str:
    return fold(text)


# The best snippet of a long text.

CUT = "…"
WORTH = 10  # repeated occurrences of a word that count as much as another word

Span = tuple[int, int]


def cut_snippet(text: str, spans: Sequence[Span], *, length: int = 240) -> tuple[str, list[Span]]:
    """Return a snippet of about this length with as many different marked words as possible, and its marks.

    It is cut between words if possible, with … for omitted text. The spans are those of `highlights`:
    ascending, not overlapping.
    """
    if len(text) <= length:
        return text, list(spans)
    first, last = _best(text, spans, length) if spans else (0, 0)
    start, end = _window(text, first, last, length)
    before, after = CUT if start else "", CUT if end < len(text) else ""
    shift = len(before) - start
    marks = [
        (max(low, start) + shift, min(high, end) + shift) for low, high in spans if low < end and high > start
    ]
    return before + text[start:end] + after, marks


def _best(text: str, spans: Sequence[Span], length: int) -> Span:
    """Return the range of marks with the highest score that fits."""
    words = [fold(text[low:high]) for low, high in spans]
    inside: Counter[str] = Counter()
    best, chosen, start = -1, (0, 0), 0
    for place, (_, end) in enumerate(spans):
        inside[words[place]] += 1
        while start < place and end - spans[start][0] > length:
            inside[words[start]] -= 1
            if not inside[words[start]]:
                del inside[words[start]]
            start += 1
        score = WORTH * len(inside) + place - start
        if score > best:
            best, chosen = score, (spans[start][0], end)
    return chosen


def _window(text: str, first: int, last: int, length: int) -> Span:
    """Return the range from the first to the last mark, extended to the length and cut between words."""
    spare = max(length - (last - first), 0)
    start = max(0, min(first - spare // 2, len(text) - length))
    end = min(start + length, len(text))
    if start:
        space = text.find(" ", start - 1, first)
        start = start if space < 0 else space + 1
    if end < len(text):
        space = text.rfind(" ", max(last, start + 1), end + 1)
        end = end if space < 0 else space
    return start, end


__all__ = ["Span", "cut_snippet", "highlights"]

LONGEST_TEXT = 100_000  # characters that are searched
MOST_CONDITIONS = 100  # of one query that are evaluated

Marks = Iterable[Span]
_Test = Callable[[str], bool]


def highlights(text: str, query: Query, *, field: str, language: str | None = None) -> list[Span]:
    """Return the spans of all matches of a query in a text of this field: ascending, not overlapping."""
    conditions = conditions_on(query, field)
    if not conditions:
        return []
    marker = _Marker(text[:LONGEST_TEXT], field, language)
    return _merged(span for condition in conditions for span in marker.marks(condition))


def conditions_on(query: Query, field: str) -> list[Word | Phrase]:
    """Return the words and phrases of a query that apply to this field, limited in number."""
    return list(islice(_conditions(query, field), MOST_CONDITIONS))


def words_marked(
    words: Iterable[str], query: Query, *, field: str, language: str | None = None
) -> list[frozenset[str]]:
    """Return which of these folded words each condition on the field may mark, as a quick pre-check."""
    tester = _Tester(list(words), field, language)
    return [frozenset().union(*tester.fitting(condition)) for condition in conditions_on(query, field)]


def _conditions(query: Query, field: str) -> Iterator[Word | Phrase]:
    match query:
        case Word() | Phrase():
            is_subject = query.field == "subject" and field == "keyword"  # subjects include keywords
            for each in _written(query) if isinstance(query, Word) else with_inverted_name(query):
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
    """The words of one text of a field, without their positions, as a quick pre-check.

    Most texts contain few of the wanted words, and those with none need no further work.
    """

    def __init__(self, words: Sequence[str], field: str, language: str | None) -> None:
        self._different = frozenset(words)
        self._stems = stems_by_word(words, language) if FIELDS[field].is_stemmed else None

    def fitting(self, condition: Word | Phrase) -> list[frozenset[str]]:
        return [frozenset(filter(test, self._different)) for test in self._tests(condition)]

    def _tests(self, condition: Word | Phrase) -> list[_Test]:
        if isinstance(condition, Phrase):
            return [word.__eq__ for text in condition.words for word in folded_words(text)]
        if condition.is_pattern:
            return [compile_pattern(piece).fits for piece in pattern_pieces(condition.text)]
        words = folded_words(condition.text)
        if condition.edits:
            return [_near_to(word, condition.edits) for word in words]
        return [self._form_of(words[0])] if len(words) == 1 else [word.__eq__ for word in words]

    def _form_of(self, wanted: str) -> _Test:
        known = self._stems
        if known is None:
            return wanted.__eq__
        initials, stems = initials_of(wanted), frozenset(query_stems(wanted))
        alike = {wanted, *query_words(stems, wanted)}
        # A cheap test first: most words differ in one letter, and their stems are not needed.
        return lambda word: (
            word in alike or ((word[0] in initials or is_stray(word)) and not stems.isdisjoint(known[word]))
        )


class _Marker:
    """One text of a field."""

    def __init__(self, text: str, field: str, language: str | None) -> None:
        self._text = text
        self._field = field
        self._tester = _Tester(folded_words(text), field, language)

    def marks(self, condition: Word | Phrase) -> Marks:
        if isinstance(condition, Phrase) and condition.slop:
            words = [word for text in condition.words for word in folded_words(text)]
            if len(words) > 1:
                return self._near(words, min(condition.slop, max_slop(self._field)))
        fitting = self._tester.fitting(condition)
        if not fitting or not all(fitting):
            return []
        return find_places(fitting[0], self._text) if len(fitting) == 1 else self._in_order(fitting)

    @cached_property
    def _words(self) -> list[LocatedWord]:
        return located_words(self._text)

    def _in_order(self, fitting: Sequence[frozenset[str]]) -> Marks:
        """Find consecutive matching words, by the algorithm of `matching`."""
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
