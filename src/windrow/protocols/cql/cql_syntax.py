"""A hand-written parser for CQL 1.2 and 2.0, and the syntax tree that it returns.

All booleans have the same precedence and associate to the left. A syntax error raises a `SruError` whose
details state the position and the problem.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn

from windrow.protocols.sru.sru_diagnostics import SruError

# The syntax tree: clauses, booleans, modifiers, prefixes, sort keys. `str` of a node is CQL that is parsed to
# the same node.

BOOLEANS = ("and", "or", "not", "prox")
SORTBY = "sortby"
RESERVED = (*BOOLEANS, SORTBY)
SYMBOLS = ("==", "<=", ">=", "<>", "=", "<", ">")

_SIMPLE = re.compile(r'[^\s()=<>"/]+')


@dataclass(frozen=True, slots=True)
class Modifier:
    """A modifier after a slash: a name, and optionally a comparison with a value."""

    name: str
    symbol: str = ""
    value: str = ""

    def __str__(self) -> str:
        return f"/{quoted(self.name)}{self.symbol}{quoted(self.value) if self.symbol else ''}"


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation between an index and a term, with its modifiers."""

    name: str = "="
    modifiers: tuple[Modifier, ...] = ()

    def __str__(self) -> str:
        return self.name + "".join(map(str, self.modifiers))


@dataclass(frozen=True, slots=True)
class Clause:
    """A search clause. The term keeps its backslashes, which distinguish wildcards from literals."""

    term: str
    index: str = ""  # empty: cql.serverChoice
    relation: Relation = Relation()

    def __str__(self) -> str:
        term = quoted(self.term, is_term=True)
        return f"{quoted(self.index)} {self.relation} {term}" if self.index else term


@dataclass(frozen=True, slots=True)
class Boolean:
    """Two queries joined by a boolean operator."""

    name: str  # in lower case
    left: Node
    right: Node
    modifiers: tuple[Modifier, ...] = ()

    def __str__(self) -> str:
        right = f"({self.right})" if isinstance(self.right, Boolean) else str(self.right)
        return f"{self.left} {self.name}{''.join(map(str, self.modifiers))} {right}"


@dataclass(frozen=True, slots=True)
class Prefixed:
    """A query with a prefix assignment; an empty prefix applies to indexes without one."""

    prefix: str
    uri: str
    query: Node

    def __str__(self) -> str:
        name = f"{quoted(self.prefix)} = " if self.prefix else ""
        return f"(> {name}{quoted(self.uri)} {self.query})"


Node = Clause | Boolean | Prefixed


@dataclass(frozen=True, slots=True)
class SortSpec:
    """One sort key."""

    index: str
    modifiers: tuple[Modifier, ...] = ()

    def __str__(self) -> str:
        return quoted(self.index) + "".join(map(str, self.modifiers))


@dataclass(frozen=True, slots=True)
class CqlQuery:
    """A whole query with its sort keys."""

    root: Node
    sort: tuple[SortSpec, ...] = ()

    def __str__(self) -> str:
        keys = "".join(f" {key}" for key in self.sort)
        return f"{self.root} sortBy{keys}" if keys else str(self.root)


def quoted(text: str, *, is_term: bool = False) -> str:
    """Return a string as in CQL: in quotation marks unless it is a simple one.

    In a term backslashes are significant; in any other string they are literal.
    """
    if _SIMPLE.fullmatch(text) and text.lower() not in RESERVED and (is_term or "\\" not in text):
        return text
    if is_term:
        return f'"{text}"'
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


# Terms of CQL: wildcards, escapes and words. `*` stands for any letters, `?` for one, `^` anchors; a
# backslash before one of these, a quotation mark or a backslash makes it literal.

MOST_MASKS = 20  # in one term
_ESCAPABLE = '*?^"\\'
_LITERAL = {"*": "\ue000", "?": "\ue001", "^": "\ue002"}  # private-use characters, until the term is parsed
_BACK = {mark: letter for letter, mark in _LITERAL.items()}


@dataclass(frozen=True, slots=True)
class Term:
    """A term after unescaping. If it is masked, `*` and `?` are wildcards."""

    text: str
    is_masked: bool = False
    is_first: bool = False  # anchored at the beginning of the value
    is_last: bool = False

    def words(self) -> list[Term]:
        return [
            Term(each, "*" in each or "?" in each) if self.is_masked else Term(each)
            for each in self.text.split()
        ]


def read_term(text: str, *, is_masking: bool = True) -> Term:
    """Unescape a term; unless masking is on, all characters are literal."""
    if not is_masking:
        return _checked(Term(_unescaped(text, is_marking=False)))
    marked = _unescaped(text, is_marking=True)
    is_first, is_last = marked.startswith("^"), len(marked) > 1 and marked.endswith("^")
    inner = marked[is_first : len(marked) - is_last]
    if "^" in inner:
        raise SruError(32, text)
    is_masked = "*" in inner or "?" in inner
    if inner.count("*") + inner.count("?") > MOST_MASKS:
        raise SruError(30, text)
    if is_masked and any(mark in inner for mark in (_LITERAL["*"], _LITERAL["?"])):
        raise SruError(28, f"{text}: a masking character beside one that is escaped")
    written = "".join(_BACK.get(letter, letter) for letter in inner)
    return _checked(Term(written, is_masked, is_first, is_last))


def escape_term(text: str, *, is_masked: bool = False) -> str:
    special = '^"\\' if is_masked else _ESCAPABLE
    return "".join(f"\\{letter}" if letter in special else letter for letter in text)


def _unescaped(text: str, *, is_marking: bool) -> str:
    found: list[str] = []
    letters = iter(text)
    for letter in letters:
        if letter != "\\":
            found.append(letter)
            continue
        following = next(letters, "")
        if not following or following not in _ESCAPABLE:
            raise SruError(26, f"{letter}{following}")
        found.append(_LITERAL.get(following, following) if is_marking else following)
    return "".join(found)


def _checked(term: Term) -> Term:
    if not term.text.strip():
        raise SruError(27)
    return term


LONGEST_QUERY = 8_000  # characters
LONGEST_TERM = 2_000
MOST_CLAUSES = 200
MOST_DEPTH = 50  # nested parentheses and prefixes
MOST_MODIFIERS = 20
MOST_SORT_KEYS = 20

_TOKEN = re.compile(
    r"""\s*(?: (?P<quoted>"(?:[^"\\]|\\.)*") | (?P<symbol>==|<=|>=|<>|=|<|>|\(|\)|/)
    | (?P<word>[^\s()=<>"/]+) | (?P<bad>") )""",
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class _Token:
    text: str  # of a quoted string, its contents with backslashes
    place: int
    kind: str  # quoted, symbol, word

    @property
    def is_string(self) -> bool:
        return self.kind != "symbol"

    def is_word(self, *names: str) -> bool:
        """Return whether it is one of these reserved words; a quoted string is not."""
        return self.kind == "word" and self.text.lower() in names


def parse_cql(text: str) -> CqlQuery:
    """Parse a text as a query; raise SruError for a syntax error."""
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
    return found  # only white space remains: every other character begins a token


class _Parser:
    """A recursive-descent parser over the tokens."""

    def __init__(self, tokens: list[_Token], length: int) -> None:
        self._tokens = tokens
        self._length = length
        self._at = 0
        self._depth = 0
        self._clauses = 0

    def whole(self) -> CqlQuery:
        root = self._query()
        sort = self._sort()
        left = self._peek()
        if left is not None:
            if left.text == ")" and left.kind == "symbol":
                raise SruError(13, f"nothing is opened for the parenthesis at character {left.place + 1}")
            self._fail("a boolean or the end", left)
        return CqlQuery(root, sort)

    def _query(self) -> Node:
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
        """Return whether this is a relation; a name is one only if a term follows."""
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
    """Unescape a string that is not a term: in quotation marks, a backslash escapes the next character."""
    return re.sub(r"\\(.)", r"\1", token.text, flags=re.DOTALL) if token.kind == "quoted" else token.text
