"""Apache configuration syntax: a file as a tree of directives and blocks, with conditional sections. Pure.

The meaning of directives is in `htaccess`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

MAX_BLOCK_DEPTH = 20

# Apache recognises ASCII white space only; a no-break space is a letter.
_SPACE = " \t\n\v\f\r"
_WORD = re.compile(r"""\s*(?:"((?:[^"\\]|\\.)*)"?|'((?:[^'\\]|\\.)*)'?|(\S+))""", re.DOTALL | re.ASCII)
# Variables that are accepted in expressions, and in texts with expressions.
VARIABLE = (
    r"%\{(?:REQUEST_(?:URI|STATUS|METHOD|SCHEME|FILENAME)|HTTPS|QUERY_STRING|CONTENT_TYPE|HTTP_HOST|"
    r"HTTP_REFERER|HTTP_USER_AGENT|HTTP_ACCEPT|REMOTE_ADDR|SERVER_NAME|SERVER_PORT|SERVER_PROTOCOL)\}"
)
_TEXT = re.compile(rf"(?:[^%\\]|%(?!\{{)|\\[^%]|{VARIABLE})*", re.DOTALL)
_ESCAPED = re.compile(r"""\\(["'\\])""")


class Malformed(Exception):
    """The text is no valid configuration file; Apache would answer 500 for everything below it."""

    def __init__(self, reason: str, line: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line  # 0: unknown, or the file as a whole


@dataclass(frozen=True, slots=True)
class Directive:
    """One line: a name in lower case, and its arguments without quotes."""

    name: str
    words: tuple[str, ...]
    text: str = field(default="", compare=False, repr=False)  # the arguments as written
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
    """Return whether a text that may contain expressions contains only known variables.

    Since 2.4.13 some directives take such texts; Apache answers 500 if it cannot parse one.
    """
    return _TEXT.fullmatch(word) is not None


def parse_configuration(data: bytes) -> tuple[Node, ...]:
    """Return the directives and blocks in order; raises Malformed if blocks do not match."""
    if b"\0" in data:
        raise Malformed("a NUL character")
    # File names need not be UTF-8: surrogateescape keeps other bytes. A byte order mark becomes part of the
    # first name, which is then unknown, as it is to Apache.
    lines = _logical_lines(data.decode("utf-8", "surrogateescape"))
    return _children(lines, inside=None, depth=0)


Lines: TypeAlias = Iterator[tuple[int, str]]


def _logical_lines(text: str) -> Lines:
    """Join lines that end with a backslash, and drop comments, which can be continued, too."""
    pieces: list[str] = []
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.removesuffix("\r")
        # After two backslashes, an empty line leaves the first of them at the end, and the line continues.
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
    if depth > MAX_BLOCK_DEPTH:
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


# Conditional sections: whether their content applies to a GET. The web server itself cannot be examined, so
# an Apache 2.4 with its usual modules is assumed.

# Modules of any Apache 2.4 that uses .htaccess files for access control.
_MODULES = frozenset(
    {"auth_basic", "authn_core", "authn_file", "authz_core", "authz_host", "authz_user", "mime"}
)
# Apache accepts only upper-case methods, and rejects a section for any other.
METHODS = frozenset(
    (
        *("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "CONNECT"),
        *("PROPFIND", "PROPPATCH", "MKCOL", "COPY", "MOVE", "LOCK", "UNLOCK"),
    )
)
_LATE_2_4 = (2, 4, 99)
_FIRST_2_4 = (2, 4, 0)
_MODULE_NAME = re.compile(r"mod_(\w+)\.c|(\w+)_module")
_OPERATORS = frozenset({"=", "==", ">", ">=", "<", "<=", "~"})
_NUMBERS = re.compile(r"[0-9]{1,4}(?:\.[0-9]{1,4}){0,2}")


def is_assumed(block: Block) -> bool | None:
    """Return whether a section applies to a GET; None if only Apache can decide.

    Raises Malformed for a section that is not allowed in .htaccess files, or whose expression only Apache can
    parse.
    """
    match block.name:
        case "limit":
            return _names_get(block.words)
        case "limitexcept":
            return not _names_get(block.words)
        case "ifmodule":
            return _has_module(block.words)
        case "ifversion":
            return _is_version(block.words)
        case "ifdefine" | "iffile" | "ifdirective" | "ifsection" if len(block.words) == 1:
            return None
    raise Malformed(f"<{block.name}> is not understood", block.line)


def module_of(block: Block) -> str:
    """Return the module of an <IfModule> section; "" for any other section."""
    return _module(block.words[0]) if block.name == "ifmodule" and len(block.words) == 1 else ""


def _names_get(words: Sequence[str]) -> bool:
    """Return whether a GET is meant; Apache treats HEAD as GET."""
    if not words or not METHODS.issuperset(words):
        raise Malformed(f"{' '.join(words)} are not methods that can be limited")
    return not {"GET", "HEAD"}.isdisjoint(words)


def _module(word: str) -> str:
    """Return the name of a module without affixes; "" if Apache would recognise no such module.

    Apache compares it exactly with the source file (`mod_alias.c`) and the identifier (`alias_module`), so
    `<IfModule !mod_alias>` holds in every Apache.
    """
    found = _MODULE_NAME.fullmatch(word)
    return (found[1] or found[2]) if found else ""


def _has_module(words: Sequence[str]) -> bool | None:
    if len(words) != 1:
        raise Malformed("<IfModule> needs the name of one module")
    is_negated = words[0].startswith("!")
    return not is_negated if _module(words[0].removeprefix("!")) in _MODULES else None


def _is_version(words: Sequence[str]) -> bool | None:
    """Compare with every release of 2.4; only what holds for all or none of them is known."""
    if len(words) != 2 or not _NUMBERS.fullmatch(words[1]):
        raise Malformed(f"<IfVersion {' '.join(words)}> is not understood")
    asked = tuple(int(part) for part in words[1].split("."))
    match words[0]:
        case ">=":
            answers = {release >= asked for release in (_FIRST_2_4, _LATE_2_4)}
        case ">":
            answers = {release > asked for release in (_FIRST_2_4, _LATE_2_4)}
        case "<":
            answers = {release < asked for release in (_FIRST_2_4, _LATE_2_4)}
        case "<=":
            answers = {release <= asked for release in (_FIRST_2_4, _LATE_2_4)}
        case operator if operator.removeprefix("!") in _OPERATORS:
            return None
        case operator:
            raise Malformed(f"<IfVersion> with {operator}, which is no comparison")
    return answers.pop() if len(answers) == 1 else None
