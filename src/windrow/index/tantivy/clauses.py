"""Building blocks of Tantivy queries: terms, phrases, ranges, patterns and their combinations."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import pairwise, product
from math import prod
from typing import Generic, TypeVar

from tantivy import FieldType, Occur, Query

from windrow.errors import QueryTooCostly
from windrow.index.tantivy.layout import APART, NUMBERS, fact_field, fact_token, schema
from windrow.model.query import max_slop

# Patterns and ranges as Tantivy regular expressions, which run over the dictionary of a field. Terms may end
# in APART and their display form (see `layout.fact_token`), which takes no part in the comparison.

ANY = "(?s:.)"  # any one character
# One character of a compared value; the last code point is reserved for missing values.
_OF_VALUE = "[\\x{20}-\\x{10fffe}]"
_NO_SLASH = "[\\x{20}-\\x{2e}\\x{30}-\\x{10fffe}]"
_END = f"(\\x{{{ord(APART):x}}}{ANY}*)?"
_META = re.compile(r"[^\w ]|_")
_FIRST, _LAST = " ", "\U0010fffe"
_GREATEST = "\U0010ffff"


def escaped(text: str) -> str:
    """Return a regular expression for just this text."""
    return _META.sub(lambda found: _code(found[0]), text)


def of_pattern(pattern: str, *, is_value: bool = False) -> str:
    """Return a regular expression for a pattern with `*` and `?`; adjacent stars are merged."""
    letter = _OF_VALUE if is_value else ANY
    parts = re.split(r"(\*+|\?)", pattern)
    made = (f"{letter}*" if part[:1] == "*" else letter if part == "?" else escaped(part) for part in parts)
    return "".join(made) + (_END if is_value else "")


def of_value(text: str, *, below: str = "") -> str:
    """Return a regular expression for the terms of one value, and of those that continue with `below`."""
    further = f"({escaped(below)}{_OF_VALUE}*)?" if below else ""
    return escaped(text) + further + _END


def of_start(start: str, *, is_flat: bool = False) -> str:
    """Return a regular expression for all values with a prefix; if flat, without a slash after it."""
    if not is_flat:
        return f"{escaped(start)}{ANY}*"
    return f"{escaped(start)}{_NO_SLASH}*{_END}"


def one_of(texts: Sequence[str]) -> str:
    """Return a regular expression for each of these terms."""
    return "|".join(map(escaped, texts))


def not_before(start: str, *, within: str = "") -> list[str]:
    """Return regular expressions for all terms with the prefix `within` that do not come before `start`."""
    above = f"-{_code(_GREATEST)}]{ANY}*"
    later = (
        f"{escaped(start[:place])}[{_code(_after(start[place]))}{above}"
        for place in range(len(within), len(start))
    )
    return [f"{escaped(start)}{ANY}*", *later]


def of_range(low: str | None, high: str | None, *, with_low: bool, with_high: bool) -> list[str]:
    """Return regular expressions for all values in a range; a term matches at most one of them."""
    if low is None or high is None:
        return _from("", low, is_inside=with_low) if high is None else _to("", high, is_inside=with_high)
    if low > high:
        return []
    shared = next(
        (place for place, pair in enumerate(zip(low, high, strict=False)) if pair[0] != pair[1]), None
    )
    if shared is None:  # low is a prefix of high
        start, is_only = low, low == high
        edge = [of_value(low)] if with_low and (not is_only or with_high) else []
        return edge + ([] if is_only else _to(start, high[len(low) :], is_inside=with_high)[1:])
    start, after = low[:shared], shared + 1
    return [
        *_from(low[:after], low[after:], is_inside=with_low),
        *_between(start, _after(low[shared]), _before(high[shared])),
        *_to(high[:after], high[after:], is_inside=with_high),
    ]


def _from(start: str, low: str | None, *, is_inside: bool) -> list[str]:
    """Match values that begin with `start` and continue with something not before `low`."""
    if low is None:
        return [escaped(start) + ANY + "*"]
    whole = start + low
    found = [of_value(whole)] if is_inside else []
    found.append(f"{escaped(whole)}{_OF_VALUE}{ANY}*")
    for place, letter in enumerate(low):
        found += _between(start + low[:place], _after(letter), _LAST)
    return found


def _to(start: str, high: str | None, *, is_inside: bool) -> list[str]:
    """Match values that begin with `start` and continue with something not after `high`, shortest first."""
    if high is None:
        return [escaped(start) + ANY + "*"]
    found: list[str] = []
    for place, letter in enumerate(high):
        found.append(of_value(start + high[:place]))
        found += _between(start + high[:place], _FIRST, _before(letter))
    return [*found, of_value(start + high)] if is_inside else found


def _between(start: str, low: str, high: str) -> list[str]:
    """Match values that begin with `start` and continue with a character from low to high."""
    return [f"{escaped(start)}[{_code(low)}-{_code(high)}]{ANY}*"] if _FIRST <= low <= high else []


def _after(letter: str) -> str:
    code = ord(letter) + 1
    return chr(0xE000 if 0xD800 <= code <= 0xDFFF else min(code, 0x10FFFF))


def _before(letter: str) -> str:
    code = ord(letter) - 1
    return chr(0xD7FF if 0xD800 <= code <= 0xDFFF else max(code, 0))


def _code(letter: str) -> str:
    return f"\\x{{{ord(letter):x}}}"


MAX_PHRASES = 64  # phrases for a choice of terms, each a query of its own
MAX_CHOICE = 300  # characters of all terms in one expression; some take several bytes
FEW_TERMS = 16  # up to so many terms are queried one by one, since building an automaton takes longer
MAX_TERMS = 20_000  # terms of a dictionary that a condition is tested on if no automaton can do it
_MAX_NUMBER_DIGITS = 19  # Tantivy accepts no longer number
Dictionary = Callable[[str, str, int], list[str]]  # the terms of a field with a prefix, up to a limit


def nothing() -> Query:
    return Query.empty_query()


def everything() -> Query:
    return Query.all_query()


def term(field: str, text: str | int) -> Query:
    return Query.term_query(schema(), field, text, "freq" if isinstance(text, str) else "basic")


def terms(field: str, texts: Sequence[str] | Sequence[int]) -> Query:
    """Match documents with one of these terms."""
    if len(texts) <= FEW_TERMS:
        return any_of([term(field, text) for text in texts])
    return Query.term_set_query(schema(), field, list(texts))


def fact(field: str, value: str) -> Query:
    """Match documents with a counted value."""
    return number(field, value) if field in NUMBERS else term(fact_field(field), fact_token(value))


def number(field: str, value: str) -> Query:
    """Match documents with this number as written: 02014 matches none."""
    digits = value.lstrip("-")
    is_number = digits.isdecimal() and value.isascii() and len(digits) < _MAX_NUMBER_DIGITS
    return term(field, int(value)) if is_number and str(int(value)) == value else nothing()


def any_of(queries: Sequence[Query]) -> Query:
    """Match documents that one of these queries finds."""
    if not queries:
        return nothing()
    return queries[0] if len(queries) == 1 else queries[0].or_should_match(*queries[1:])


def all_of(queries: Sequence[Query], *, but: Sequence[Query] = ()) -> Query:
    """Match documents that all of these queries find, and none of `but`."""
    if len(queries) == 1 and not but:
        return queries[0]
    wanted = [(Occur.Must, each) for each in queries or [everything()]]
    return Query.boolean_query(wanted + [(Occur.MustNot, each) for each in but])


def some_of(queries: Sequence[Query], number: int) -> Query:
    """Match documents that at least `number` of these queries find."""
    clauses = [(Occur.Should, each) for each in queries]
    return Query.boolean_query(clauses, minimum_number_should_match=number)


def constant(query: Query, score: float) -> Query:
    """Match the same documents, all with this score."""
    return Query.const_score_query(query, score)


def unscored(query: Query) -> Query:
    """Match the same documents without scoring."""
    return Query.const_score_query(query, 0.0)


def boosted(query: Query, boost: float) -> Query:
    """Match the same documents with multiplied scores."""
    return query if boost == 1 else Query.boost_query(query, boost)


def phrase(field: str, words: Sequence[str]) -> Query:
    """Match documents with these adjacent words."""
    if len(words) == 1:
        return term(field, words[0])
    return Query.phrase_query(schema(), field, list(words))


def near(field: str, words: Sequence[str], slop: int) -> Query:
    """Match documents where each of the words has at most `slop` others between it and the next one."""
    pairs = dict.fromkeys(pairwise(words))
    return all_of([_near_pair(field, *pair, min(slop, max_slop(field))) for pair in pairs])


def _near_pair(field: str, one: str, other: str, slop: int) -> Query:
    """Both orders are queried: Tantivy's own slop counts an exchange as two places."""
    if one == other:  # a sloppy phrase of a repeated word would match a single one
        apart = range(1, slop + 2)
        return any_of([Query.phrase_query(schema(), field, [(0, one), (by, one)]) for by in apart])
    both = ((one, other), (other, one))
    return any_of([Query.phrase_query(schema(), field, list(pair), slop) for pair in both])


def row(field: str, expressions: Sequence[str]) -> Query | None:
    """Match documents with adjacent terms that fit these expressions; None if one is too complex."""
    # Otherwise the error would only appear during the search.
    if any(regex(field, each) is None for each in expressions):
        return None
    return Query.regex_phrase_query(schema(), field, [*enumerate(expressions)])


def places(field: str, offsets: Sequence[int], choices: Sequence[Sequence[str]]) -> Query:
    """Match documents with terms at these offsets, one from each of these choices."""
    if prod(map(len, choices)) <= MAX_PHRASES:
        rows = (zip(offsets, chosen, strict=True) for chosen in product(*choices))
        return any_of([Query.phrase_query(schema(), field, [*each]) for each in rows])
    parts = [[one_of(part) for part in _parts(each)] for each in choices]
    if prod(map(len, parts)) > MAX_PHRASES:
        raise QueryTooCostly("event")
    rows = (zip(offsets, chosen, strict=True) for chosen in product(*parts))
    return any_of([Query.regex_phrase_query(schema(), field, [*each]) for each in rows])


def _parts(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """Split terms into groups for one expression each: its automaton may have a thousand states."""
    part: list[str] = []
    for text in texts:
        if part and sum(map(len, part)) + len(text) > MAX_CHOICE:
            yield part
            part = []
        part.append(text[:MAX_CHOICE])
    yield part


def numbers(field: str, low: int | None, high: int | None) -> Query:
    """Match documents with a number in this range, both ends included."""
    if low is None and high is None:
        return having(field)
    if low is not None and high is not None and low > high:
        return nothing()
    return Query.range_query(schema(), field, FieldType.Integer, low, high)


def nearly(field: str, text: str, edits: int) -> Query:
    """Match documents with a term at most `edits` edits away."""
    return Query.fuzzy_term_query(schema(), field, text, edits)


def having(field: str) -> Query:
    """Match documents with any value in a fast field."""
    return Query.exists_query(field)


def regex(field: str, expression: str) -> Query | None:
    """Match documents with a term that fits a regular expression; None if it is too complex."""
    try:
        return Query.regex_query(schema(), field, expression)
    except ValueError:
        return None


def regexes(field: str, expressions: Iterable[str]) -> Query:
    """Match documents with a term that fits one of these expressions; too complex ones match none."""
    found = [regex(field, each) if each else term(field, each) for each in expressions]
    return any_of([each for each in found if each is not None])


def starting(field: str, start: str) -> Query:
    """Match documents with a term with this prefix, in a tenth of the time of a regular expression."""
    return Query.fuzzy_term_query(schema(), field, start, 0, prefix=True)


def literal_start(pattern: str) -> str:
    """Return the literal prefix of a pattern."""
    return re.split("[*?]", pattern, maxsplit=1)[0]


def passing(field: str, test: Callable[[str], bool], dictionary: Dictionary, *, start: str = "") -> Query:
    """Match documents with a term that passes a test, of the first MAX_TERMS with a prefix."""
    found = dictionary(field, start, MAX_TERMS)
    return terms(field, [text for text in found if test(text)])


# Cache of computed answers, least recently used first out.

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class AnswerCache(Generic[K, V]):
    """A bounded cache. Two threads may compute the same answer; neither waits for the other."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._answers: OrderedDict[K, V] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: K, make: Callable[[], V]) -> V:
        """Return the cached answer, or compute it now."""
        with self._lock:
            if key in self._answers:
                self._answers.move_to_end(key)
                return self._answers[key]
        made = make()
        with self._lock:
            self._answers[key] = made
            while len(self._answers) > self._most:
                self._answers.popitem(last=False)
        return made
