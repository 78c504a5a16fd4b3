"""Whether a document is what a query asks for, found out in memory: the measure for every index.

A query is made into a function once and then asked of many documents; `DocumentView` remembers the words of
one document for many queries. Words are compared folded; a phrase lies within one value of a field.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache

from windrow.model.document import Document
from windrow.model.document_view import EXACT_DEFAULTS, DocumentView
from windrow.model.folding import fold, pieces_of, words_of
from windrow.model.query import And, Everything, Not, Or, Phrase, Query, Range, SameEvent, Word
from windrow.model.query_fields import FIELDS, FieldKind
from windrow.model.wildcards import is_near, pattern_of

Judge = Callable[[DocumentView], bool]
_Test = Callable[[str], bool]

_SERIAL = re.compile(r"[0-9][0-9 -]{6,15}[0-9xX]")  # ISBN, ISSN: hyphens in them mean nothing
_WHOLE = (FieldKind.EXACT, FieldKind.TREE, FieldKind.NUMBER, FieldKind.DATE)


def matches(
    query: Query, document: Document, *, source: str = "", sets: Collection[str] = (), identifier: str = ""
) -> bool:
    """Whether the document of a record is one that the query asks for."""
    return judge_of(query)(DocumentView(document, source=source, sets=sets, identifier=identifier))


@lru_cache(maxsize=256)
def judge_of(query: Query) -> Judge:
    """The query as a function of a document."""
    match query:
        case Everything():
            return lambda _view: True
        case Word():
            return _word(query)
        case Phrase():
            words = [word for text in query.words for word in words_of(text)]
            return _words_in_order([_equal(word) for word in words], words, query.field, query.slop)
        case Range():
            return _range(query)
        case And(parts):
            judges = [judge_of(part) for part in parts]
            return lambda view: all(judge(view) for judge in judges)
        case Or(parts):
            judges = [judge_of(part) for part in parts]
            return lambda view: any(judge(view) for judge in judges)
        case Not(part):
            judge = judge_of(part)
            return lambda view: not judge(view)
        case SameEvent():
            return lambda _view: False  # no format that is read so far tells of events


def _word(word: Word) -> Judge:
    field = word.field
    if word.is_pattern and not word.text.strip("*"):
        return lambda view: bool(view.values(field)) if field else True
    if field is not None and FIELDS[field].kind in _WHOLE:
        return _whole(field, word)
    judge = _in_words(word)
    if field is not None:
        return judge
    exact = [_whole(name, word) for name in EXACT_DEFAULTS]
    return lambda view: judge(view) or any(whole(view) for whole in exact)


def _in_words(word: Word) -> Judge:
    if word.is_pattern:
        pieces = pieces_of(word.text)
        return _words_in_order([pattern_of(piece).fits for piece in pieces], None, word.field, 0)
    words = words_of(word.text)
    if word.edits:
        return _words_in_order([_near(text, word.edits) for text in words], None, word.field, 0)
    return _words_in_order([_equal(text) for text in words], words, word.field, 0)


def _whole(field: str, word: Word) -> Judge:
    """Compares values as a whole."""
    test, key = _whole_test(field, word), _key_for(field)
    return lambda view: any(test(key(value)) for value in view.values(field))


def _whole_test(field: str, word: Word) -> _Test:
    text, kind = _key_for(field)(word.text), FIELDS[field].kind
    if word.is_pattern:
        return pattern_of(text).fits
    if word.edits:
        return _near(text, word.edits)
    if kind is FieldKind.TREE:
        return lambda value: value == text or value.startswith(f"{text}:")
    if kind is FieldKind.DATE:
        return lambda value: value == text or value.startswith(f"{text}-")
    return _equal(text)


def _words_in_order(
    tests: Sequence[_Test], words: Sequence[str] | None, field: str | None, slop: int
) -> Judge:
    """Looks for words side by side, or nearly; `words` where each test is for just one word."""
    if not tests:
        return lambda _view: False
    if len(tests) == 1:
        if words is not None:
            (only,) = words
            return lambda view: only in view.words(field)
        (test,) = tests
        return lambda view: any(map(test, view.words(field)))
    wanted = frozenset(words or ())

    def judge(view: DocumentView) -> bool:
        if not wanted <= view.words(field):
            return False
        return any(_stands_in(sequence, tests, slop) for sequence in view.sequences(field))

    return judge


def _stands_in(sequence: list[str], tests: Sequence[_Test], slop: int) -> bool:
    """Whether words that pass these tests follow one another, with at most `slop` others between them."""
    if len(sequence) < len(tests):
        return False
    places = [[place for place, word in enumerate(sequence) if test(word)] for test in tests]
    if not all(places):
        return False
    for start in places[0]:
        place = start
        for following in places[1:]:  # the next of each is the nearest: no later one could be better
            index = bisect_right(following, place)
            if index == len(following):
                return False  # nor is there one behind any later start
            place = following[index]
            if place - start - len(tests) + 1 > slop:
                break
        else:
            if place - start - len(tests) + 1 <= slop:
                return True
    return False


def _range(query: Range) -> Judge:
    field, kind = query.field, FIELDS[query.field].kind
    if kind is FieldKind.NUMBER:
        test = _number_test(query)
    elif kind is FieldKind.DATE:
        test = _text_test(query, lambda value, bound: value[: len(bound)])
    else:
        test = _text_test(query, lambda value, _bound: value)
    return lambda view: any(test(fold(value)) for value in view.values(field))


def _number_test(query: Range) -> _Test:
    try:
        low = None if query.low is None else int(query.low) + (not query.is_low_inside)
        high = None if query.high is None else int(query.high) - (not query.is_high_inside)
    except ValueError:
        return lambda _value: False

    def test(value: str) -> bool:
        number = int(value)
        return (low is None or number >= low) and (high is None or number <= high)

    return test


def _text_test(query: Range, cut: Callable[[str, str], str]) -> _Test:
    """Compares in the order of the letters; `cut` makes a value as exact as the bound it is compared with."""
    low, high = (None if bound is None else fold(bound) for bound in (query.low, query.high))

    def test(value: str) -> bool:
        if low is not None:
            mine = cut(value, low)
            if mine < low or (mine == low and not query.is_low_inside):
                return False
        if high is not None:
            mine = cut(value, high)
            return mine < high or (mine == high and query.is_high_inside)
        return True

    return test


def _key_for(field: str) -> Callable[[str], str]:
    return _serial_key if field == "identifier" else fold


def _serial_key(value: str) -> str:
    folded = fold(value)
    return re.sub("[ -]", "", folded) if _SERIAL.fullmatch(folded) else folded


def _equal(wanted: str) -> _Test:
    return wanted.__eq__


def _near(wanted: str, edits: int) -> _Test:
    return lambda word: is_near(wanted, word, edits)
