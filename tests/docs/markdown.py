"""The documentation's pages taken apart: code blocks, links, headings, paragraphs. What these tests read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

_FENCE = re.compile(r"^(?P<mark>```+)(?P<info>[^\n]*)\n(?P<text>.*?)^(?P=mark)\s*$", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_LINK = re.compile(r"""\[((?:[^\[\]]|\[[^\]]*\])*)\]\(\s*([^\s()]+)(?:\s+"([^"]*)")?\s*\)""")
_HEADING = re.compile(r"^(#{1,6})\s+(.+?)\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its language, the words behind it, its lines."""

    language: str
    words: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Link:
    """A link: what it says, where it leads, what it shows when pointed at."""

    label: str
    target: str
    title: str


@dataclass(frozen=True)
class Page:
    """One Markdown file."""

    path: Path

    def __str__(self) -> str:
        return self.path.relative_to(ROOT).as_posix()

    @cached_property
    def text(self) -> str:
        """The file as it is."""
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def blocks(self) -> list[Block]:
        """Its fenced blocks, in order."""
        found = []
        for match in _FENCE.finditer(self.text):
            language, *words = match["info"].split() or [""]
            found.append(Block(language, tuple(words), match["text"]))
        return found

    @cached_property
    def prose(self) -> str:
        """Everything but the fenced blocks and comments."""
        return _COMMENT.sub("", _FENCE.sub("", self.text))

    @cached_property
    def codes(self) -> list[str]:
        """What stands in the running text as code."""
        return [" ".join(match[2].split()) for match in _INLINE.finditer(self.prose)]

    @cached_property
    def links(self) -> list[Link]:
        """Its links, those in code aside."""
        return links_in(self.prose)

    @cached_property
    def anchors(self) -> set[str]:
        """What can stand behind # in a link to this page."""
        return {_slug(match[2]) for match in _HEADING.finditer(_FENCE.sub("", self.text))}

    def paragraphs(self) -> Iterator[str]:
        """Its paragraphs, list items and table rows, each with the headings it stands under in front."""
        headings: list[str] = []
        for part in re.split(r"\n\s*\n|\n(?=\s*[-*|] )|\n(?=#)|(?<=\|)\n", self.prose):
            found = _HEADING.match(part.strip())
            if found:
                headings[len(found[1]) - 1 :] = [found[2]]
            yield " / ".join([*headings, part.strip()])

    def section(self, heading: str) -> str:
        """The text under a heading, up to the next of its rank."""
        start = re.search(rf"^(#+)\s+{re.escape(heading)}\s*$", self.text, re.MULTILINE)
        assert start is not None, f"{self} has no section {heading!r}"
        rest = self.text[start.end() :]
        end = re.search(rf"^#{{1,{len(start[1])}}}\s", rest, re.MULTILINE)
        return rest[: end.start()] if end else rest


def links_in(text: str) -> list[Link]:
    """Give the links in a piece of running text, those in code aside."""
    bare = _INLINE.sub(lambda match: match[0] if "](" not in match[0] else "", text)
    return [Link(match[1], match[2], match[3] or "") for match in _LINK.finditer(bare)]


def page(name: str) -> Page:
    """Give a page by its path in the project."""
    return Page(ROOT / name)


def pages() -> list[Page]:
    """Give every page of the project: those at its top, and everything under docs."""
    return [Page(path) for path in (*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")))]


def guides() -> list[Page]:
    """Give the pages that tell people what to type."""
    return [each for each in pages() if not str(each).startswith("docs/reference/")]


def _slug(heading: str) -> str:
    """Spell a heading as GitHub does in addresses."""
    plain = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
