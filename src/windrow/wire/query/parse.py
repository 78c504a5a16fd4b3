"""A query as people write it to a tree: words, "phrases", AND OR NOT, brackets, field:word, ranges, (…)~n.

Words side by side must all be there. NOT binds more closely than AND, AND more closely than OR. A mistake is
explained and nothing is raised. A stray sign is passed over; a condition that cannot be understood is true of
no record, negated or not, so that a slip never finds more than was asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from windrow.model.query import (
    EVENT,
    And,
    AtLeast,
    Everything,
    Not,
    Or,
    Phrase,
    Query,
    SameEvent,
    Word,
    all_of,
    any_of,
    at_least,
)
from windrow.wire.query.mistakes import FINDS_NOTHING, Mistake, Mistakes
from windrow.wire.query.terms import INVALID, Terms
from windrow.wire.query.tokens import Kind, Token, tokens_of

LONGEST_QUERY = 2_000  # characters, as many as the search box takes
HEAVIEST = 1000.0
LIGHTEST = 0.001


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a text asks for, and what was wrong with it."""

    query: Query
    mistakes: tuple[Mistake, ...] = ()


def parse_query(text: str) -> Parsed:
    """The query in a text; an empty one asks for everything, one in which there is nothing for nothing."""
    if not text.strip():
        return Parsed(Everything())
    mistakes = Mistakes()
    if len(text) > LONGEST_QUERY:  # the rest may be what narrows it, or what is not wanted
        mistakes.add(LONGEST_QUERY, f"a query has at most {LONGEST_QUERY:,} characters", FINDS_NOTHING)
        return Parsed(INVALID, mistakes.in_order())
    tokens = tokens_of(text, mistakes)
    query = _Descent(tokens, mistakes).whole()
    return Parsed(query, mistakes.in_order())


class _Descent:
    """Goes down through the tokens, whose brackets are paired and not too deep."""

    def __init__(self, tokens: list[Token], mistakes: Mistakes) -> None:
        self._tokens = tokens
        self._place = 0
        self._mistakes = mistakes
        self._terms = Terms(mistakes)

    def whole(self) -> Query:
        """The query of all tokens."""
        found = self._alternatives(None)
        if found is None and not self._mistakes.in_order():  # a lone sign
            position = self._tokens[0].position if self._tokens else 0
            self._mistakes.add(position, "there is nothing to look for here", FINDS_NOTHING)
        return INVALID if found is None else found

    def _alternatives(self, field: str | None) -> Query | None:
        """What stands between ORs, up to the end or to a closing bracket; None for nothing at all."""
        parts = [self._together(field)]
        while (token := self._peek()) is not None and token.kind is Kind.OR:
            self._place += 1
            part = self._together(field)
            if parts[-1] is None or part is None:
                self._stray(token)
            parts.append(part)
        found = [part for part in parts if part is not None]
        return any_of(found) if found else None

    def _together(self, field: str | None) -> Query | None:
        """What stands side by side, or between ANDs; None for nothing."""
        parts: list[Query] = []
        dangling: Token | None = None  # an AND that waits for what follows
        while (token := self._peek()) is not None and token.kind not in (Kind.OR, Kind.CLOSE):
            if token.kind is Kind.AND:
                self._place += 1
                if dangling is not None or not parts:
                    self._stray(token)
                dangling = token
                continue
            part = self._negated(field)
            if part is not None:
                parts.append(part)
            dangling = None
        if dangling is not None and parts:
            self._stray(dangling)
        return all_of(parts) if parts else None

    def _negated(self, field: str | None) -> Query | None:
        """One thing with the NOTs before it: two of them are none."""
        is_negated, last = False, None
        while (token := self._peek()) is not None and token.kind is Kind.NOT:
            is_negated, last = not is_negated, token
            self._place += 1
        if token is None or token.kind in (Kind.AND, Kind.OR, Kind.CLOSE):
            if last is not None:
                self._stray(last)
            return None
        part = self._one(field)
        return _negation(part) if is_negated and part is not None else part

    def _one(self, field: str | None) -> Query | None:
        """A word, a phrase, a range or what is in brackets; with a field before it or not."""
        token = self._tokens[self._place]
        self._place += 1
        if token.kind is Kind.FIELD:
            return self._in_field(token)
        if token.kind is Kind.OPEN:
            return self._bracketed(field)
        if token.kind is Kind.QUOTED:
            return self._terms.quoted(token, field)
        if token.kind is Kind.VALUE:
            return self._terms.value(token)
        if token.kind is Kind.RANGE and field is not None:
            return self._terms.range(token, field)
        return self._terms.word(token, field)

    def _in_field(self, named: Token) -> Query | None:
        follower = self._peek()
        if follower is None or follower.kind not in (Kind.OPEN, Kind.QUOTED, Kind.RANGE, Kind.WORD):
            message = f"nothing follows {named.text}: (a word is written right after the colon)"
            self._mistakes.add(named.position, message, FINDS_NOTHING)
            return INVALID
        place, told = self._place, len(self._mistakes.in_order())
        part = self._in_named(named.text)
        if part is None and len(self._mistakes.in_order()) > told:
            return INVALID
        if part is None:
            self._mistakes.add(named.position, "there is nothing to look for here", FINDS_NOTHING)
            return INVALID
        if not named.spelled:
            return part
        self._place = place
        following = self._one(None)
        if following is None:
            return part
        return any_of([part, all_of([Word(named.spelled), following])])

    def _in_named(self, field: str) -> Query | None:
        if field != EVENT:
            return self._one(field)
        part = self._one(None)
        return None if part is None else INVALID if _has_invalid(part) else SameEvent(part)

    def _bracketed(self, field: str | None) -> Query | None:
        start = self._place
        inner = self._alternatives(field)
        closing = self._tokens[self._place]
        self._place += 1
        if inner is None:
            if self._place == start + 1:  # what else was in them needs no word, or had one: "probe (?)"
                done = FINDS_NOTHING if field else "they were left out"
                self._mistakes.add(closing.position, "there is nothing in these brackets", done)
            return None
        if closing.number is not None:
            inner = self._some(closing, inner)
        return inner if closing.boost is None else _weighted(inner, closing.boost)

    def _some(self, closing: Token, inner: Query) -> Query:
        """So many of the conditions in these brackets: `(peat moss bog)~2`."""
        number = closing.number or 0
        if isinstance(inner, And) and 0 < number <= len(inner.parts):
            return at_least(number, inner.parts)
        message = "a number after brackets says how many of several words must be there, as in (a b c)~2"
        self._mistakes.add(closing.position, message, "it was ignored")
        return inner

    def _peek(self) -> Token | None:
        return self._tokens[self._place] if self._place < len(self._tokens) else None

    def _stray(self, token: Token) -> None:
        word = token.kind.name
        message = f"{word} has nothing beside it" if word != "NOT" else "NOT has nothing after it"
        self._mistakes.add(token.position, message, "it was ignored")


def _negation(query: Query) -> Query:
    """What a query is certainly not true of: of what was not understood, nothing is certain."""
    if not _has_invalid(query):
        return Not(query)
    if isinstance(query, And):
        return any_of(map(_negation, query.parts))
    if isinstance(query, Or):
        return all_of(map(_negation, query.parts))
    return query.part if isinstance(query, Not) and query is not INVALID else INVALID


def _has_invalid(query: Query) -> bool:
    if isinstance(query, And | Or | AtLeast):
        return any(map(_has_invalid, query.parts))
    return query is INVALID or (isinstance(query, Not) and _has_invalid(query.part))


def _weighted(query: Query, boost: float) -> Query:
    """The query with the weight of everything in it multiplied."""
    if isinstance(query, And):
        return And(tuple(_weighted(part, boost) for part in query.parts))
    if isinstance(query, Or):
        return Or(tuple(_weighted(part, boost) for part in query.parts))
    if isinstance(query, AtLeast):
        return AtLeast(query.number, tuple(_weighted(part, boost) for part in query.parts))
    if isinstance(query, SameEvent):
        return SameEvent(_weighted(query.part, boost))
    if isinstance(query, Word | Phrase):
        return replace(query, boost=round(min(max(query.boost * boost, LIGHTEST), HEAVIEST), 6))
    return query  # what is left out, and what all have, weighs nothing
