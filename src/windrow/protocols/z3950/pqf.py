"""PQF, the prefix notation in which YAZ writes RPN: `@and @attr 1=4 dog @attr 1=1003 "van gogh"`.

query    ::= [@attrset SET] struct
struct   ::= @attr [SET] TYPE=VALUE struct | @and|@or|@not struct struct | @set NAME | @term TYPE term
           | @prox EXCLUSION DISTANCE ORDERED RELATION k|p UNIT struct struct | term
"""

from __future__ import annotations

import re

from windrow.errors import BadPqf
from windrow.protocols.z3950 import z3950_registry
from windrow.protocols.z3950.rpn import (
    MOST_OPERATORS,
    Attribute,
    Boolean,
    Combination,
    Proximity,
    ResultSet,
    Rpn,
    Structure,
    Term,
)

LONGEST_QUERY = 10_000
_OPERATORS = {"and": Boolean.AND, "or": Boolean.OR, "not": Boolean.NOT}
_NAMES = {operator: f"@{name}" for name, operator in _OPERATORS.items()}
_TOKEN = re.compile(
    r'\s*(?:"(?P<double>(?:[^"\\]|\\.)*)"|\{(?P<braces>(?:[^}\\]|\\.)*)\}|(?P<plain>[^\s"{][^\s]*))',
    re.DOTALL,
)
_OID = re.compile(r"[012](?:\.[0-9]+){1,20}", re.ASCII)
_NUMBER = re.compile(r"-?[0-9]{1,9}", re.ASCII)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_NEEDS_QUOTES = re.compile(r'[\s"{\\]|^@|^$')
_TERM_TYPES = ("general", "numeric", "string", "oid", "datetime", "null")


def parse_pqf(text: str) -> Rpn:
    if len(text) > LONGEST_QUERY:
        raise BadPqf(f"the query has more than {LONGEST_QUERY:,} characters")
    return _Parser(text).whole()


def render_pqf(query: Rpn) -> str:
    """Return a query as PQF, which `parse_pqf` reads back."""
    start = (
        "" if query.attribute_set == z3950_registry.BIB_1 else f"@attrset {_set_name(query.attribute_set)} "
    )
    return start + _render(query.root)


class _Parser:
    """A recursive-descent parser over the tokens of one text."""

    def __init__(self, text: str) -> None:
        self._tokens = list(_tokens(text))
        self._place = 0
        self._operators = 0

    def whole(self) -> Rpn:
        attribute_set = z3950_registry.BIB_1
        if self._word() == "@attrset":
            self._place += 1
            attribute_set = _set(self._next("an attribute set"))
        found = self._structure(())
        if self._place < len(self._tokens):
            raise BadPqf(f"after the query there is more: {self._tokens[self._place][0]}")
        return Rpn(attribute_set, found)

    def _structure(self, attributes: tuple[Attribute, ...]) -> Structure:
        while self._word() == "@attr":
            self._place += 1
            attributes = (*attributes, self._attribute())
        word = self._word()
        if word is None or not word.startswith("@"):
            return Term(self._next("a term"), attributes)
        self._place += 1
        if word == "@term":
            return self._typed(attributes)
        if word == "@set":
            return ResultSet(self._next("the name of a result set"))
        if word == "@prox":
            return self._combination(self._proximity(), attributes)
        operator = _OPERATORS.get(word[1:])
        if operator is None:
            raise BadPqf(f"{word} is no operator of PQF")
        return self._combination(operator, attributes)

    def _combination(self, operator: Boolean | Proximity, attributes: tuple[Attribute, ...]) -> Combination:
        self._operators += 1
        if self._operators > MOST_OPERATORS:
            raise BadPqf(f"the query has more than {MOST_OPERATORS} operators")
        return Combination(operator, self._structure(attributes), self._structure(attributes))

    def _typed(self, attributes: tuple[Attribute, ...]) -> Term:
        kind = self._next("the type of a term")
        if kind not in _TERM_TYPES:
            raise BadPqf(f"{kind} is no type of a term: {', '.join(_TERM_TYPES)}")
        return Term(self._next("a term"), attributes)

    def _attribute(self) -> Attribute:
        word, attribute_set = self._next("an attribute"), None
        if "=" not in word:
            attribute_set, word = _set(word), self._next("an attribute")
        kind, _, value = word.partition("=")
        if not _NUMBER.fullmatch(kind) or not value:
            raise BadPqf(f"{word} is no attribute: write TYPE=VALUE, such as 1=4")
        return Attribute(int(kind), int(value) if _NUMBER.fullmatch(value) else value, attribute_set)

    def _proximity(self) -> Proximity:
        exclusion = self._next("0 or 1")
        distance, ordered, relation = (self._number() for _ in range(3))
        kind = self._next("k or p")
        if kind not in ("k", "p", "known", "private") or exclusion not in ("0", "1", "void"):
            raise BadPqf("@prox needs: EXCLUSION DISTANCE ORDERED RELATION k|p UNIT")
        is_exclusion = None if exclusion == "void" else exclusion == "1"
        unit = self._number()
        return Proximity(distance, relation, unit, bool(ordered), is_exclusion, kind[0] == "p")

    def _number(self) -> int:
        word = self._next("a number")
        if not _NUMBER.fullmatch(word):
            raise BadPqf(f"{word} is no number")
        return int(word)

    def _word(self) -> str | None:
        """Return the next token if it is not quoted; None for a quoted one, and at the end."""
        if self._place >= len(self._tokens):
            return None
        text, is_quoted = self._tokens[self._place]
        return None if is_quoted else text

    def _next(self, wanted: str) -> str:
        if self._place >= len(self._tokens):
            raise BadPqf(f"the query ends where {wanted} must follow")
        self._place += 1
        return self._tokens[self._place - 1][0]


def _tokens(text: str) -> list[tuple[str, bool]]:
    found, place = [], 0
    text = text.rstrip()
    while place < len(text):
        token = _TOKEN.match(text, place)
        if token is None:
            raise BadPqf(f"at character {place + 1} a quotation mark or brace is not closed")
        place = token.end()
        plain = token["plain"]
        quoted = token["double"] if token["double"] is not None else token["braces"]
        found.append((_ESCAPE.sub(r"\1", quoted if plain is None else plain), plain is None))
    return found


def _set(word: str) -> str:
    found = z3950_registry.ATTRIBUTE_SETS.get(word.lower())
    if found is None and not _OID.fullmatch(word):
        raise BadPqf(f"{word} is no attribute set: {', '.join(sorted(z3950_registry.ATTRIBUTE_SETS))}")
    return found or word


def _set_name(oid: str) -> str:
    return next((name for name, known in z3950_registry.ATTRIBUTE_SETS.items() if known == oid), oid)


def _render(found: Structure) -> str:
    match found:
        case ResultSet(name):
            return f"@set {_quoted(name)}"
        case Term(text, attributes):
            return "".join(map(_rendered_attribute, attributes)) + _quoted(text)
        case Combination(operator, left, right):
            start = _NAMES[operator] if isinstance(operator, Boolean) else _rendered_proximity(operator)
            return f"{start} {_render(left)} {_render(right)}"


def _rendered_attribute(attribute: Attribute) -> str:
    start = "" if attribute.set is None else f"{_set_name(attribute.set)} "
    return f"@attr {start}{_quoted(f'{attribute.type}={attribute.value}')} "


def _rendered_proximity(near: Proximity) -> str:
    exclusion = "void" if near.is_exclusion is None else int(near.is_exclusion)
    kind = "p" if near.is_private_unit else "k"
    return f"@prox {exclusion} {near.distance} {int(near.is_ordered)} {near.relation} {kind} {near.unit}"


def _quoted(text: str) -> str:
    if not _NEEDS_QUOTES.search(text):
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
