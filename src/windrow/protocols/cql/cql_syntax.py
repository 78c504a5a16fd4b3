"""CQL text to a tree: the grammar of CQL 1.2 and 2.0, by hand.

All booleans bind alike, from left to right. A mistake is a `SruError` whose details say where and what.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn

from windrow.protocols.cql.tree import (
    BOOLEANS,
    RESERVED,
    SORTBY,
    SYMBOLS,
    Boolean,
    Clause,
    CqlQuery,
    Modifier,
    Node,
    Prefixed,
    Relation,
    SortSpec,
)
from windrow.protocols.sru.diagnostics import SruError

LONGEST_QUERY = 8_000  # characters
LONGEST_TERM = 2_000
MOST_CLAUSES = 200
MOST_DEPTH = 50  # parentheses and prefixes within one another
MOST_MODIFIERS = 20
MOST_SORT_KEYS = 20

_TOKEN = re.compile(
    r"""\s*(?: (?P<quoted>"(?:[^"\\]|\\.)*") | (?P<symbol>==|<=|>=|<>|=|<|>|\(|\)|/)
    | (?P<word>[^\s()=<>"/]+) | (?P<bad>") )""",
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class _Token:
    text: str  # of a quoted string, what is inside, with its backslashes
    place: int
    kind: str  # quoted, symbol, word

    @property
    def is_string(self) -> bool:
        return self.kind != "symbol"

    def is_word(self, *names: str) -> bool:
        """Return whether it is one of these reserved words, which quotation marks make strings of."""
        return self.kind == "word" and self.text.lower() in names


def parse_cql(text: str) -> CqlQuery:
    """Return the query that a text is; SruError for any other text."""
    if len(text) > LONGEST_QUERY:
        raise SruError(12, f"at most {LONGEST_QUERY:,} characters")
    tokens = _tokens(text)
    if not tokens:
        raise SruError(10, "the query is empty")
    return _Parser(tokens, len(text)).whole()


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    place = 0
    while (token := _TOKEN.match(text, place)) is not None:
        kind = str(token.lastgroup)
        start = token.start(kind)
        if kind == "bad":
            raise SruError(14, f"a quotation mark at character {start + 1} is never closed")
        words = token[kind]
        found.append(_Token(words[1:-1] if kind == "quoted" else words, start, kind))
        place = token.end()
    return found  # what is left is white space: every other character begins a token


class _Parser:
    """Goes through the tokens once."""

    def __init__(self, tokens: list[_Token], length: int) -> None:
        self._tokens = tokens
        self._length = length
        self._at = 0
        self._depth = 0
        self._clauses = 0

    def whole(self) -> CqlQuery:
        """Return the query of all tokens."""
        root = self._query()
        sort = self._sort()
        left = self._peek()
        if left is not None:
            if left.text == ")" and left.kind == "symbol":
                raise SruError(13, f"nothing is opened for the parenthesis at character {left.place + 1}")
            self._fail("a boolean or the end", left)
        return CqlQuery(root, sort)

    def _query(self) -> Node:
        """Return a query with the prefix assignments before it."""
        token = self._peek()
        if token is None or token.kind != "symbol" or token.text != ">":
            return self._booleans()
        self._deeper(token)
        self._at += 1
        name = self._string("a prefix or the URI of a context set")
        uri = None
        following = self._peek()
        if following is not None and following.kind == "symbol" and following.text == "=":
            self._at += 1
            uri = self._string("the URI of a context set")
        inner = self._query()
        self._depth -= 1
        return Prefixed(name, uri, inner) if uri is not None else Prefixed("", name, inner)

    def _booleans(self) -> Node:
        found = self._operand()
        while (token := self._peek()) is not None and token.is_word(*BOOLEANS):
            self._at += 1
            modifiers = self._modifiers()
            found = Boolean(token.text.lower(), found, self._operand(), modifiers)
        return found

    def _operand(self) -> Node:
        token = self._peek()
        if token is None:
            self._fail("a term or an index", None)
        if token.kind == "symbol" and token.text == "(":
            self._deeper(token)
            self._at += 1
            inner = self._query()
            closing = self._peek()
            if closing is None or closing.text != ")" or closing.kind != "symbol":
                raise SruError(13, f"the parenthesis at character {token.place + 1} is never closed")
            self._at += 1
            self._depth -= 1
            return inner
        if token.kind == "symbol" and token.text == ">":
            return self._query()
        return self._clause()

    def _clause(self) -> Clause:
        self._clauses += 1
        if self._clauses > MOST_CLAUSES:
            raise SruError(38, f"at most {MOST_CLAUSES} clauses")
        first = self._peek()
        if first is None or not first.is_string:
            self._fail("a term or an index", first)
        if first.is_word(*RESERVED) and not self._is_relation(self._ahead(1), self._ahead(2)):
            self._fail("a term or an index", first)
        self._at += 1
        following = self._peek()
        if not self._is_relation(following, self._ahead(1)) or following is None:
            return Clause(self._bounded(first))
        self._at += 1
        relation = Relation(following.text, self._modifiers())
        term = self._peek()
        if term is None or not term.is_string:
            self._fail("a term", term)
        self._at += 1
        return Clause(self._bounded(term), _plain(first), relation)

    def _is_relation(self, token: _Token | None, following: _Token | None) -> bool:
        """Return whether this is a relation, which a name is only where a term follows."""
        if token is None:
            return False
        if token.kind == "symbol":
            return token.text in SYMBOLS
        if token.kind == "quoted" or token.is_word(*RESERVED):
            return False
        return following is not None and (following.is_string or following.text == "/")

    def _modifiers(self) -> tuple[Modifier, ...]:
        found: list[Modifier] = []
        while (token := self._peek()) is not None and token.kind == "symbol" and token.text == "/":
            self._at += 1
            name = self._string("the name of a modifier")
            symbol = self._peek()
            if symbol is not None and symbol.kind == "symbol" and symbol.text in SYMBOLS:
                self._at += 1
                found.append(Modifier(name, symbol.text, self._string("the value of a modifier")))
            else:
                found.append(Modifier(name))
            if len(found) > MOST_MODIFIERS:
                raise SruError(48, f"at most {MOST_MODIFIERS} modifiers in one place")
        return tuple(found)

    def _sort(self) -> tuple[SortSpec, ...]:
        token = self._peek()
        if token is None or not token.is_word(SORTBY):
            return ()
        self._at += 1
        found: list[SortSpec] = []
        while (following := self._peek()) is not None and following.is_string:
            if following.is_word(*RESERVED):
                self._fail("an index to sort by", following)
            self._at += 1
            found.append(SortSpec(_plain(following), self._modifiers()))
            if len(found) > MOST_SORT_KEYS:
                raise SruError(84, f"at most {MOST_SORT_KEYS} keys")
        if not found:
            self._fail("an index to sort by", self._peek())
        return tuple(found)

    def _string(self, wanted: str) -> str:
        token = self._peek()
        if token is None or not token.is_string:
            self._fail(wanted, token)
        self._at += 1
        return _plain(token)

    def _deeper(self, token: _Token) -> None:
        self._depth += 1
        if self._depth > MOST_DEPTH:
            raise SruError(38, f"at most {MOST_DEPTH} levels of parentheses; see character {token.place + 1}")

    def _peek(self) -> _Token | None:
        return self._ahead(0)

    def _ahead(self, steps: int) -> _Token | None:
        place = self._at + steps
        return self._tokens[place] if place < len(self._tokens) else None

    def _fail(self, wanted: str, token: _Token | None) -> NoReturn:
        if token is None:
            raise SruError(10, f"{wanted} is missing at the end")
        raise SruError(10, f"{wanted} is expected at character {token.place + 1}, in place of {token.text!r}")

    @staticmethod
    def _bounded(token: _Token) -> str:
        if len(token.text) > LONGEST_TERM:
            raise SruError(23, f"at most {LONGEST_TERM:,} characters")
        return token.text


def _plain(token: _Token) -> str:
    """Return a string that is no term: in quotation marks a backslash makes a letter of what follows."""
    return re.sub(r"\\(.)", r"\1", token.text, flags=re.DOTALL) if token.kind == "quoted" else token.text
