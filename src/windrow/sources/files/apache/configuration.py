"""The text of a web server's configuration file as a tree of directives and blocks. Pure.

What the words mean is told in `htaccess`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

MOST_BLOCKS_DEEP = 20

# Of white space, web servers know what ASCII has; a no-break space is a letter to them.
_SPACE = " \t\n\v\f\r"
_WORD = re.compile(r"""\s*(?:"((?:[^"\\]|\\.)*)"?|'((?:[^'\\]|\\.)*)'?|(\S+))""", re.DOTALL | re.ASCII)
# Variables that expressions, and texts with expressions in them, are known to have.
VARIABLE = (
    r"%\{(?:REQUEST_(?:URI|STATUS|METHOD|SCHEME|FILENAME)|HTTPS|QUERY_STRING|CONTENT_TYPE|HTTP_HOST|"
    r"HTTP_REFERER|HTTP_USER_AGENT|HTTP_ACCEPT|REMOTE_ADDR|SERVER_NAME|SERVER_PORT|SERVER_PROTOCOL)\}"
)
_TEXT = re.compile(rf"(?:[^%\\]|%(?!\{{)|\\[^%]|{VARIABLE})*", re.DOTALL)
_ESCAPED = re.compile(r"""\\(["'\\])""")


class Malformed(Exception):
    """The text is no configuration file; the web server would answer 500 to everything below it."""

    def __init__(self, reason: str, line: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line  # 0: unknown, or the file as a whole


@dataclass(frozen=True, slots=True)
class Directive:
    """One line: a name in lower case, and its words without their quotes."""

    name: str
    words: tuple[str, ...]
    text: str = field(default="", compare=False, repr=False)  # what follows the name, as it is written
    line: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Block:
    """Lines between `<Name words>` and `</Name>`."""

    name: str
    words: tuple[str, ...]
    children: tuple[Node, ...]
    line: int = field(default=0, compare=False, repr=False)


Node: TypeAlias = Directive | Block


def is_text(word: str) -> bool:
    """Return whether a text that may have expressions in it has none but known variables.

    Since 2.4.13 some directives take such texts; Apache answers 500 where it cannot parse one.
    """
    return _TEXT.fullmatch(word) is not None


def parse_configuration(data: bytes) -> tuple[Node, ...]:
    """Give the directives and blocks in their order; Malformed where blocks do not match."""
    if b"\0" in data:
        raise Malformed("a NUL character")
    # File names need not be UTF-8: what is not keeps its bytes. A byte order mark is part of the first
    # name, which then is unknown, as it is to Apache.
    lines = _logical_lines(data.decode("utf-8", "surrogateescape"))
    return _children(lines, inside=None, depth=0)


Lines: TypeAlias = Iterator[tuple[int, str]]


def _logical_lines(text: str) -> Lines:
    """Join lines that end with a backslash, and leave out comments. A comment can go on, too."""
    pieces: list[str] = []
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.removesuffix("\r")
        # After two backslashes, an empty line leaves the first of them at the end, and the line goes on.
        if not line and pieces and pieces[-1].endswith("\\"):
            pieces[-1] = pieces[-1][:-1]
            pieces.append("")
            continue
        if line.endswith("\\"):
            pieces.append(line[:-1])
            continue
        whole = "".join([*pieces, line]).strip(_SPACE)
        first = number - len(pieces)
        pieces.clear()
        if whole and not whole.startswith("#"):
            yield first, whole
    if pieces:
        raise Malformed("the last line ends with a backslash", text.count("\n") + 1)


def _children(lines: Lines, *, inside: tuple[str, int] | None, depth: int) -> tuple[Node, ...]:
    if depth > MOST_BLOCKS_DEEP:
        raise Malformed("too many sections in one another", inside[1] if inside else 0)
    nodes: list[Node] = []
    for number, line in lines:
        if line.startswith("</"):
            if inside is None or line[2:].lower() != f"{inside[0]}>":
                raise Malformed(f"{line} ends no section", number)
            return tuple(nodes)
        if line.startswith("<"):
            nodes.append(_block(line, lines, number=number, depth=depth))
        else:
            nodes.append(_directive(line, number))
    if inside is not None:
        raise Malformed(f"<{inside[0]}> has no end", inside[1])
    return tuple(nodes)


def _block(line: str, lines: Lines, *, number: int, depth: int) -> Block:
    if not line.endswith(">"):
        raise Malformed(f"{line} has no >", number)
    if line[1] in f"{_SPACE}>":
        raise Malformed("a section without a name", number)
    head = _directive(line[1:-1].strip(_SPACE), number)
    children = _children(lines, inside=(head.name, number), depth=depth + 1)
    return Block(head.name, head.words, children, number)


def _directive(line: str, number: int) -> Directive:
    name, *rest = re.split(r"\s+", line, maxsplit=1, flags=re.ASCII)
    text = rest[0] if rest else ""
    return Directive(name.lower(), tuple(_words(text)), text, number)


def _words(text: str) -> Iterator[str]:
    for found in _WORD.finditer(text):
        double, single, bare = found.groups()
        if bare is not None:
            yield bare
        else:
            yield _ESCAPED.sub(r"\1", double if double is not None else single or "")
