"""`metadata.xml` as Greenstone has it: sets of files, each by an expression, and what is said of them.

One of the sidecars. `mode="accumulate"` adds to what was said before, `override` (and nothing) replaces it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from lxml import etree

from windrow.formats.elements import local, text_of
from windrow.sources.files.name_patterns import match_expression
from windrow.sources.files.sidecar_names import fit, name_of
from windrow.sources.files.sidecar_tables import NoSidecar
from windrow.sources.files.sidecar_xml import parse_xml

NAME = "metadata.xml"
MOST_BYTES = 64_000_000
MOST_EXPRESSIONS = 200  # that every file below is compared with; plain names are looked up, so of those any
LONGEST_PATH = 1000  # characters that are compared with expressions
_LITERAL = re.compile(r"(?:[\w\s/,;=@%&~'!#-]|\\[^\w\s])*")
_ESCAPED = re.compile(r"\\(.)")


@dataclass(frozen=True, slots=True)
class Word:
    """Something said of a set of files."""

    name: str
    value: str
    is_added: bool  # to what was said before


@dataclass(slots=True)
class DirectoryMetadata:
    """What one such file says."""

    _literal: dict[str, list[tuple[int, list[Word]]]] = field(default_factory=dict)
    _tested: list[tuple[int, Callable[[str], bool], list[Word]]] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)  # expressions that are wrong, or could take long

    def words(self, path: str) -> list[Word]:
        """Give what is said of a file, by its path from the folder on, in the order it is said in."""
        places = [path, *_folders(path)]
        found = [item for place in places for item in self._literal.get(place, ())]
        if len(path) <= LONGEST_PATH:
            found += [
                (order, words) for order, test, words in self._tested if any(test(place) for place in places)
            ]
        return [word for _, words in sorted(found, key=lambda item: item[0]) for word in words]

    def add(self, order: int, expression: str, words: list[Word]) -> None:
        """Take a set of files in: `order` is its place among the others."""
        if _LITERAL.fullmatch(expression):
            name = _ESCAPED.sub(r"\1", expression).strip("/")
            self._literal.setdefault(name, []).append((order, words))
            return
        test = match_expression(f"^(?:{expression})$")
        if test is None or len(self._tested) >= MOST_EXPRESSIONS:
            self.refused.append(expression)
        else:
            self._tested.append((order, test, words))


def read_directory_metadata(data: bytes) -> DirectoryMetadata:
    """Give what the file says; NoSidecar for other XML, ValueError for what is none."""
    root = parse_xml(data)
    if local(root) != "DirectoryMetadata":
        raise NoSidecar("it is not Greenstone's")
    made = DirectoryMetadata()
    for order, holder in enumerate(child for child in root if local(child) == "FileSet"):
        words = list(_words(holder))
        for name in holder:
            if local(name) == "FileName" and (expression := (name.text or "").strip()):
                made.add(order, expression, words)
    return made


def _words(holder: etree._Element) -> Iterator[Word]:
    for description in holder:
        for item in description if local(description) == "Description" else ():
            name, value = name_of(item.get("name", "")), fit(text_of(item))
            if local(item) == "Metadata" and name and value:
                yield Word(name, value, item.get("mode") == "accumulate")


def _folders(path: str) -> Iterator[str]:
    """The folders on the way to a path, the nearest first: a set may name one of them."""
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path
