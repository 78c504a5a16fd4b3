"""The text of a web server's configuration file as a tree of directives and blocks. Pure.

What the words mean is told in `htaccess`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

MOST_BLOCKS_DEEP = 20

_WORD = re.compile(r"""\s*(?:"((?:[^"\\]|\\.)*)"?|'((?:[^'\\]|\\.)*)'?|(\S+))""", re.DOTALL)
_ESCAPED = re.compile(r"""\\(["'\\])""")


class Malformed(Exception):
    """The text is no configuration file; the web server would answer 500 to everything below it."""


@dataclass(frozen=True, slots=True)
class Directive:
    """One line: a name in lower case, and its words without their quotes."""

    name: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """Lines between `<Name words>` and `</Name>`."""

    name: str
    words: tuple[str, ...]
    children: tuple[Node, ...]


Node: TypeAlias = Directive | Block


def parse_configuration(data: bytes) -> tuple[Node, ...]:
    """Give the directives and blocks in their order; Malformed where blocks do not match."""
    if b"\0" in data:
        raise Malformed("a NUL character")
    # File names need not be UTF-8: what is not keeps its bytes.
    lines = _logical_lines(data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape"))
    return _children(lines, inside=None, depth=0)


def _logical_lines(text: str) -> Iterator[str]:
    """Join lines that end with a backslash, and leave out comments. A comment can go on, too."""
    pieces: list[str] = []
    for raw in text.split("\n"):
        line = raw.removesuffix("\r")
        if line.endswith("\\"):
            pieces.append(line[:-1])
            continue
        whole = "".join([*pieces, line]).strip()
        pieces.clear()
        if whole and not whole.startswith("#"):
            yield whole
    if pieces:
        raise Malformed("the last line goes on")


def _children(lines: Iterator[str], *, inside: str | None, depth: int) -> tuple[Node, ...]:
    if depth > MOST_BLOCKS_DEEP:
        raise Malformed("too many blocks in one another")
    nodes: list[Node] = []
    for line in lines:
        if line.startswith("</"):
            if line.removesuffix(">")[2:].strip().lower() != inside:
                raise Malformed(f"{line} ends no block")
            return tuple(nodes)
        nodes.append(_block(line, lines, depth=depth) if line.startswith("<") else _directive(line))
    if inside is not None:
        raise Malformed(f"<{inside}> has no end")
    return tuple(nodes)


def _block(line: str, lines: Iterator[str], *, depth: int) -> Block:
    if not line.endswith(">"):
        raise Malformed(f"{line} has no >")
    if not line[1:-1].strip():
        raise Malformed("a block without a name")
    head = _directive(line[1:-1])
    return Block(head.name, head.words, _children(lines, inside=head.name, depth=depth + 1))


def _directive(line: str) -> Directive:
    name, *rest = line.split(None, 1)
    return Directive(name.lower(), tuple(_words(rest[0] if rest else "")))


def _words(text: str) -> Iterator[str]:
    for found in _WORD.finditer(text):
        double, single, bare = found.groups()
        if bare is not None:
            yield bare
        else:
            yield _ESCAPED.sub(r"\1", double if double is not None else single or "")
