"""Query trees at random, in the plain form that `all_of` and `any_of` give."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from windrow.model.query import (
    FIELDS,
    Everything,
    FieldKind,
    Not,
    Phrase,
    Query,
    Range,
    SameEvent,
    Value,
    Word,
    all_of,
    any_of,
    at_least,
)
from windrow.model.text.folding import split_words

_LETTERS = st.sampled_from("abhäßé日9")
_ODD = st.sampled_from('abz09 .,:;!-+~^*?()[]{}<>="“»\\/&|_ä\n')
WORDS = st.text(_LETTERS, min_size=1, max_size=5)
# With a letter in front, so that there is something to look for.
TEXTS = st.builds(
    lambda start, odd: start + odd, st.sampled_from(["a", "-b", "AND", "+c", "[d"]), st.text(_ODD)
)
BOOSTS = st.sampled_from([1.0, 2.0, 0.5, 2.25])
_BY_WORDS = [None, *(name for name, field in FIELDS.items() if field.kind is FieldKind.WORDS)]
_WHOLE = [name for name, field in FIELDS.items() if field.kind in (FieldKind.EXACT, FieldKind.TREE)]


def _apart(texts: Sequence[str]) -> tuple[str, ...]:
    """Give the words of a phrase: some of these texts are several."""
    return tuple(word for text in texts for word in split_words(text))


def _from_to(low: str | None, high: str | None, *insides: bool) -> Range:
    """Give a range of years that does not end before it begins: nobody gets such a one from a text."""
    ends = (high, low) if low and high and low > high else (low, high)
    return Range("year", *ends, *insides)


def leaves() -> st.SearchStrategy[Query]:
    """Give single conditions."""
    fields = st.sampled_from([*_BY_WORDS, *_WHOLE])
    patterns = st.text(st.sampled_from("ab*?é"), min_size=1, max_size=3).map(lambda text: f"a*{text}")
    years = st.none() | st.integers(1000, 2100).map(str)
    insides = st.booleans()
    return st.one_of(
        st.builds(Word, TEXTS, fields, st.just(False), st.integers(0, 2), BOOSTS),
        st.builds(Word, patterns, fields, st.just(True), st.just(0), BOOSTS),
        st.builds(Word, years.filter(bool), st.just("year")),
        st.builds(Phrase, st.lists(WORDS, min_size=1, max_size=3).map(_apart), st.sampled_from(_BY_WORDS)),
        st.builds(Phrase, st.tuples(WORDS, WORDS).map(_apart), st.just("title"), st.integers(0, 9), BOOSTS),
        st.builds(Value, TEXTS, st.sampled_from([*FIELDS])),
        st.builds(_from_to, years, years, insides, insides),
        st.builds(Range, st.just("title"), st.none() | TEXTS, st.none() | TEXTS, insides, insides),
    )


def queries() -> st.SearchStrategy[Query]:
    """Give whole trees."""

    def grown(inner: st.SearchStrategy[Query]) -> st.SearchStrategy[Query]:
        several = st.lists(inner, min_size=1, max_size=3)
        some = st.builds(at_least, st.integers(1, 3), several)
        return several.map(all_of) | several.map(any_of) | some | inner.map(Not) | inner.map(SameEvent)

    return st.recursive(leaves() | st.just(Everything()), grown, max_leaves=8)
