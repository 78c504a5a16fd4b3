"""Markdown: what stands above the text, its headings, and the text without the marks."""

from __future__ import annotations

import re
from typing import BinaryIO

from windrow.extract.front_matter import split
from windrow.extract.job import Job
from windrow.extract.tags import unescape
from windrow.extract.text_files import line_of, read_text, tidy
from windrow.model.extract import Extract
from windrow.model.held_file import Heading

MOST_HEADINGS = 2000
LONGEST_LINE = 20_000  # longer ones are no prose, and keep their marks
_FENCE = re.compile(r" {0,3}(`{3,}+|~{3,}+)")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]++(.*+))?$")
_RULER = re.compile(r" {0,3}(=++|-{2,}+)\s*+$")
_BREAK = re.compile(r" {0,3}(?:[-*_][ \t]*+){3,}+$")
_QUOTE = re.compile(r"(?: {0,3}> ?)++")
_DEFINITION = re.compile(r" {0,3}\[[^\[\]]{1,200}\]:[ \t]*+\S++")
_TABLE_RULE = re.compile(r"[ \t]*+\|?[ \t:|-]{3,}+$")
# The classes leave out the mark they begin with, so that a line full of them is read but once.
_LINKS = re.compile(r"!?\[([^\[\]]{0,1000})\](?:\([^()\[\]]{0,1000}\)|\[[^\[\]()]{0,200}\])")
_AUTOLINK = re.compile(r"<((?:https?://|mailto:)[^<>\s]{1,1000})>")
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,1000}>|<!--[^<>]{0,1000}-->")
_STRONG = re.compile(r"\*\*|~~|(?<!\w)__(?=\w)|(?<=[\w.!?])__(?!\w)|`+")
_SOFT = re.compile(r"(?<![\w*])\*(?=\S)([^*]{1,500})\*(?!\w)|(?<!\w)_(?=\S)([^_]{1,500})_(?!\w)")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")


def read(file: BinaryIO, job: Job) -> Extract:  # noqa: ARG001 - a reader
    """Read one file."""
    decoded, notes = read_text(file)
    said, below = split(decoded.text.removeprefix("\ufeff"))
    lines, headings = _lines(below)
    first = next((heading.title for heading in headings if heading.level <= 2), "")
    if first and not any(name == "title" for name, _ in said):
        said.append(("title", first))
    text = tidy("\n".join(lines))
    return Extract(
        "text/markdown",
        said=tuple(said),
        measured=(("encoding", decoded.encoding),),
        text=(text,) if text else (),
        headings=tuple(headings[:MOST_HEADINGS]),
        notes=tuple(notes),
    )


def _lines(text: str) -> tuple[list[str], list[Heading]]:
    kept: list[str] = []
    headings: list[Heading] = []
    fence = ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if fence or mark:
            if mark is None:
                kept.append(line)
            elif not fence or mark[1].startswith(fence):
                fence = "" if fence else mark[1]
            continue
        _take(line, kept, headings)
    return kept, headings


def _take(line: str, kept: list[str], headings: list[Heading]) -> None:
    """Put one line, which is not in a block of code, to those kept."""
    if not line:  # a file may have nothing else
        kept.append(line)
        return
    heading, ruler = _HEADING.match(line), _RULER.match(line)
    if heading is not None:
        title = _plain((heading[2] or "").rstrip().rstrip("#").rstrip())
        _add_heading(headings, title, len(heading[1]))
        kept.append(title)
    elif ruler is not None and kept and kept[-1].strip():
        _add_heading(headings, kept[-1], 1 if ruler[1][0] == "=" else 2)
    elif not (_BREAK.match(line) or _DEFINITION.match(line) or (_TABLE_RULE.match(line) and "-" in line)):
        kept.append(_plain(line))


def _add_heading(headings: list[Heading], title: str, level: int) -> None:
    words = line_of(title)
    if words:
        headings.append(Heading(words, level))


def _plain(line: str) -> str:
    """A line without the marks."""
    if len(line) > LONGEST_LINE:
        return line
    quote = _QUOTE.match(line)
    if quote is not None:
        line = line[quote.end() :]
    line = _LINKS.sub(r"\1", _LINKS.sub(r"\1", line))  # twice: a picture may be the text of a link
    line = _TAG.sub("", _AUTOLINK.sub(r"\1", line))
    line = _SOFT.sub(lambda found: found[1] or found[2], _STRONG.sub("", line))
    if line.lstrip().startswith("|"):
        line = line.strip().strip("|").replace("|", "\t")
    return unescape(_ESCAPE.sub(r"\1", line))
