"""Evaluation of a query against one document in memory: the reference for every index.

A query is compiled to a function once and applied to many documents; `DocumentView` caches the words of a
document for many queries. Words are compared folded, and a single word also matches its other forms. A phrase
matches within one value of a field.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

from windrow.model.counted_fields import counted_value
from windrow.model.document import Document
from windrow.model.document_view import EXACT_DEFAULTS, DocumentView, View
from windrow.model.query import (
    FIELDS,
    And,
    AtLeast,
    Everything,
    FieldKind,
    Not,
    Or,
    Phrase,
    Query,
    Range,
    SameEvent,
    Value,
    Word,
    hierarchy_separator,
    max_slop,
)
from windrow.model.text.collation import title_sort_key
from windrow.model.text.folding import fold, folded_words, pattern_pieces
from windrow.model.text.language_codes import language_spellings
from windrow.model.text.proper_names import (
    NAME_FIELDS,
    Keys,
    is_spelled,
    people_beside,
    plain_spelling,
    with_inverted_name,
)
from windrow.model.text.wildcards import compile_pattern, is_near
from windrow.model.text.word_forms import other_forms, query_stems, query_words, with_joined

DocumentTest = Callable[[View], bool]
_Test = Callable[[str], bool]

_SERIAL = re.compile(r"[0-9][0-9 -]{6,15}[0-9xX]")  # ISBN, ISSN: hyphens in them are ignored
_WHOLE = (FieldKind.EXACT, FieldKind.TREE, FieldKind.NUMBER, FieldKind.DATE)


def matches(
    query: Query, document: Document, *, source: str = "", sets: Collection[str] = (), identifier: str = ""
) -> bool:
    return compile_query(query)(DocumentView(document, source=source, sets=sets, identifier=identifier))


@lru_cache(maxsize=256)
def compile_query(query: Query) -> DocumentTest:
    match query:
        case Everything():
            return lambda _view: True
        case Word():
            return _word(query)
        case Phrase():
            judges = [_phrase(each) for each in with_inverted_name(query)]
            return judges[0] if len(judges) == 1 else lambda view: any(judge(view) for judge in judges)
        case Value():
            return _value(query)
        case Range():
            return _range(query)
        case And(parts):
            judges = _together(parts)
            return lambda view: all(judge(view) for judge in judges)
        case Or(parts):
            judges = [compile_query(part) for part in parts]
            return lambda view: any(judge(view) for judge in judges)
        case AtLeast(number, parts):
            judges = _together(parts)
            return lambda view: sum(judge(view) for judge in judges) >= number
        case Not(part):
            judge = compile_query(part)
            return lambda view: not judge(view)
        case SameEvent():
            inner = compile_query(query.part)
            return lambda view: any(inner(event) for event in view.events)


def _together(parts: Sequence[Query]) -> list[DocumentTest]:
    """Compile conditions that are next to each other: initials beside a name, a letter before its word."""
    judges = [compile_query(part) for part in with_joined(parts)]
    for place, (part, people) in enumerate(zip(parts, people_beside(parts), strict=True)):
        if people and isinstance(part, Word):
            judges[place] = _or_person(judges[place], part.field, people)
    return judges


def _or_person(judge: DocumentTest, field: str | None, people: Sequence[Keys]) -> DocumentTest:
    return lambda view: judge(view) or any(view.people(field).issuperset(keys) for keys in people)


def _word(word: Word) -> DocumentTest:
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


def _in_words(word: Word) -> DocumentTest:
    if word.is_pattern:
        pieces = pattern_pieces(word.text)
        return _words_in_order([compile_pattern(piece).fits for piece in pieces], None, word.field)
    words = folded_words(word.text)
    if word.edits:
        return _words_in_order([_near(text, word.edits) for text in words], None, word.field)
    judge = _words_in_order([_equal(text) for text in words], words, word.field)
    if len(words) > 1:
        forms = [_in_words(replace(word, text=form)) for form in other_forms(word.text)]
        return lambda view: judge(view) or any(form(view) for form in forms)
    judge = _or_other_spelling(judge, words, word.field)
    stems = query_stems(word.text)
    if not stems or (word.field is not None and not FIELDS[word.field].is_stemmed):
        return judge
    alike = query_words(stems, words[0])
    return lambda view: (
        judge(view)
        or not view.words(word.field).isdisjoint(alike)
        or not view.stems(word.field).isdisjoint(stems)
    )


def _or_other_spelling(judge: DocumentTest, words: Sequence[str], field: str | None) -> DocumentTest:
    if not words or field not in (None, *NAME_FIELDS) or not is_spelled(words[0]):
        return judge
    word, plain = words[0], plain_spelling(words[0])
    fields = NAME_FIELDS if field is None else (field,)
    return lambda view: (
        judge(view)
        or plain in view.people(field)
        or (plain != word and any(plain in view.words(each) for each in fields))
    )


def _whole(field: str, word: Word) -> DocumentTest:
    test, key = _whole_test(field, word), _key_for(field)
    return lambda view: any(test(key(value)) for value in view.values(field))


def _whole_test(field: str, word: Word) -> _Test:
    text, kind = _key_for(field)(word.text), FIELDS[field].kind
    if word.is_pattern:
        return compile_pattern(text).fits
    if word.edits:
        return _near(text, word.edits)
    if kind is FieldKind.TREE:
        below = text + hierarchy_separator(field)
        return lambda value: value == text or value.startswith(below)
    if kind is FieldKind.DATE:
        return lambda value: value == text or value.startswith(f"{text}-")
    if field == "language":
        return frozenset(language_spellings(word.text)).__contains__
    return _equal(text)


def _value(query: Value) -> DocumentTest:
    field, wanted = query.field, counted_value(query.text)
    if FIELDS[field].kind is FieldKind.TREE:
        below = wanted + hierarchy_separator(field)
        return lambda view: any(value == wanted or value.startswith(below) for value in view.facts(field))
    return lambda view: wanted in view.facts(field)


def _phrase(query: Phrase) -> DocumentTest:
    words = [word for text in query.words for word in folded_words(text)]
    if query.slop and len(words) > 1:
        return _nearby(words, query.field, query.slop)
    return _words_in_order([_equal(word) for word in words], words, query.field)


def _words_in_order(tests: Sequence[_Test], words: Sequence[str] | None, field: str | None) -> DocumentTest:
    """Find words in sequence; `words` is given if each test accepts only one word."""
    if not tests:
        return lambda _view: False
    if len(tests) == 1:
        if words is not None:
            (only,) = words
            return lambda view: only in view.words(field)
        (test,) = tests
        return lambda view: any(map(test, view.words(field)))
    wanted = frozenset(words or ())

    def judge(view: View) -> bool:
        if not wanted <= view.words(field):
            return False
        return any(_stands_in(sequence, tests) for sequence in view.sequences(field))

    return judge


def _stands_in(sequence: list[str], tests: Sequence[_Test]) -> bool:
    """Return whether consecutive words pass these tests, in one pass over the sequence.

    Bit n of `reached` is set if the words up to here have passed the first n tests.
    """
    whole, reached = 1 << (len(tests) - 1), 0
    passed: dict[str, int] = {}
    for word in sequence:
        bits = passed.get(word)
        if bits is None:
            bits = passed[word] = sum(test(word) << place for place, test in enumerate(tests))
        reached = ((reached << 1) | 1) & bits
        if reached & whole:
            return True
    return False


def _nearby(words: Sequence[str], field: str | None, slop: int) -> DocumentTest:
    wanted, pairs = frozenset(words), list(dict.fromkeys(pairwise(words)))

    def stands_in(view: View, name: str) -> bool:
        reach = min(slop, max_slop(name))
        return wanted <= view.words(name) and all(
            any(_lie_near(sequence, pair, reach) for sequence in view.sequences(name)) for pair in pairs
        )

    return lambda view: any(stands_in(view, name) for name in ((field,) if field else view.usual))


def _lie_near(sequence: list[str], pair: tuple[str, str], reach: int) -> bool:
    last: int | None = None  # position of the last occurrence of either word
    for place, word in enumerate(sequence):
        if word not in pair:
            continue
        is_partner = last is not None and (pair[0] == pair[1] or word != sequence[last])
        if is_partner and last is not None and place - last - 1 <= reach:
            return True
        last = place
    return False


def _range(query: Range) -> DocumentTest:
    field, kind = query.field, FIELDS[query.field].kind
    if kind is FieldKind.NUMBER:
        test = _number_test(query)
    elif kind is FieldKind.DATE:
        test = _text_test(query, lambda value, bound: value[: len(bound)])
    else:
        test = _text_test(query, lambda value, _bound: value)
    key = ordering_key(field)
    return lambda view: any(test(key(value)) for value in view.values(field))


def ordering_key(field: str) -> Callable[[str], str]:
    return title_sort_key if field == "title" else fold


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
    """Compare in alphabetical order; `cut` shortens a value to the precision of the bound."""
    key = ordering_key(query.field)
    low, high = (None if bound is None else key(bound) for bound in (query.low, query.high))

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
