"""A CQL query as it is written: clauses, booleans, modifiers, prefixes, sort keys.

`str` of a node is CQL that is parsed to the same node.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

BOOLEANS = ("and", "or", "not", "prox")
SORTBY = "sortby"
RESERVED = (*BOOLEANS, SORTBY)
SYMBOLS = ("==", "<=", ">=", "<>", "=", "<", ">")

_SIMPLE = re.compile(r'[^\s()=<>"/]+')


@dataclass(frozen=True, slots=True)
class Modifier:
    """What stands after a slash: a name, and a comparison with a value, which may be missing."""

    name: str
    symbol: str = ""
    value: str = ""

    def __str__(self) -> str:
        return f"/{quoted(self.name)}{self.symbol}{quoted(self.value) if self.symbol else ''}"


@dataclass(frozen=True, slots=True)
class Relation:
    """How an index and a term are compared."""

    name: str = "="
    modifiers: tuple[Modifier, ...] = ()

    def __str__(self) -> str:
        return self.name + "".join(map(str, self.modifiers))


@dataclass(frozen=True, slots=True)
class Clause:
    """A term, looked for in an index. The term keeps its backslashes: they decide what masks."""

    term: str
    index: str = ""  # none: cql.serverChoice
    relation: Relation = Relation()

    def __str__(self) -> str:
        term = quoted(self.term, is_term=True)
        return f"{quoted(self.index)} {self.relation} {term}" if self.index else term


@dataclass(frozen=True, slots=True)
class Boolean:
    """Two queries and what holds between them."""

    name: str  # in small letters
    left: Node
    right: Node
    modifiers: tuple[Modifier, ...] = ()

    def __str__(self) -> str:
        right = f"({self.right})" if isinstance(self.right, Boolean) else str(self.right)
        return f"{self.left} {self.name}{''.join(map(str, self.modifiers))} {right}"


@dataclass(frozen=True, slots=True)
class Prefixed:
    """A query in which a prefix stands for a context set; no prefix: for indexes without one."""

    prefix: str
    uri: str
    query: Node

    def __str__(self) -> str:
        name = f"{quoted(self.prefix)} = " if self.prefix else ""
        return f"(> {name}{quoted(self.uri)} {self.query})"


Node = Clause | Boolean | Prefixed


@dataclass(frozen=True, slots=True)
class SortSpec:
    """One key that results are sorted by."""

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
    """Return a string as CQL writes it: in quotation marks unless it is a simple one.

    Of a term the backslashes are its own; in every other string they are letters like any other.
    """
    if _SIMPLE.fullmatch(text) and text.lower() not in RESERVED and (is_term or "\\" not in text):
        return text
    if is_term:
        return f'"{text}"'
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
