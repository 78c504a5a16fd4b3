"""Markdown: front matter, headings, and the text without markup."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any, BinaryIO

from windrow.extract.html_markup import fact_for_meta_name, unescape
from windrow.extract.reading_job import Job
from windrow.extract.text_decoding import fact_line, read_text, tidy_lines
from windrow.model.document import Heading
from windrow.model.file_content import Extract

# Front matter: TOML between `+++`, or lines `key: value` between `---`. The latter is the small subset of
# YAML to which nearly all such files keep: values on one line, quoted or not, and lists. Everything else is
# ignored.

MAX_FRONT_MATTER_CHARACTERS = 64 * 1024
MAX_FACTS = 200
_KEY = re.compile(r"([A-Za-z][\w.-]{0,60})\s*+:(?:\s++(.*+))?$")
_ITEM = re.compile(r"\s*+-\s++(.*+)$")
_NAMES = {
    "title": "title",
    "authors": "creator",
    "creator": "creator",
    "tags": "subject",
    "categories": "subject",
    "subject": "subject",
    "summary": "description",
    "abstract": "description",
    "lang": "language",
    "license": "rights",
    "lastmod": "modified",
    "updated": "modified",
}


def split_front_matter(text: str) -> tuple[list[tuple[str, str]], str]:
    """Return the facts in the front matter, and the text below it."""
    for mark, ends, parse in (("---", ("---", "..."), _parse_lines), ("+++", ("+++",), _parse_toml)):
        if text.startswith(mark + "\n"):
            found = _inside(text, ends)
            if found is not None:
                inside, below = found
                return list(_facts(parse(inside))), below
    return [], text


def _inside(text: str, ends: tuple[str, ...]) -> tuple[str, str] | None:
    beginning = text[:MAX_FRONT_MATTER_CHARACTERS]
    places = [at for end in ends if (at := beginning.find(f"\n{end}\n", 3)) >= 0]
    if not places:
        return None
    return text[4 : min(places) + 1], text[min(places) + 5 :]


def _parse_toml(inside: str) -> dict[str, Any]:
    try:
        return tomllib.loads(inside)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError):
        return {}


def _parse_lines(inside: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    key = ""
    for line in inside.split("\n"):
        named, item = _KEY.match(line), _ITEM.match(line)
        if named is not None:
            key = named[1]
            found[key] = _listed(named[2] or "")
        elif item is not None and isinstance(found.get(key), list):
            found[key].append(_unquoted(item[1]))
    return found


def _listed(value: str) -> list[str]:
    value = value.strip()
    if value.startswith("[") and value.endswith("]"):
        return [_unquoted(part) for part in value[1:-1].split(",")[:MAX_FACTS]]
    return [] if value in ("", "|", ">", "|-", ">-", "null", "~") else [_unquoted(value)]


def _unquoted(value: str) -> str:
    value = value.strip()
    is_quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if is_quoted else value


def _facts(found: dict[str, Any]) -> Iterator[tuple[str, str]]:
    count = 0
    for key, value in found.items():
        small = key.lower()
        name = _NAMES.get(small) or fact_for_meta_name(small)
        for one in (value if isinstance(value, list) else [value]) if name else ():
            if isinstance(one, dict | list) or count >= MAX_FACTS:
                continue
            words = fact_line(str(one))
            if words and name:
                count += 1
                yield name, words


MOST_HEADINGS = 2000
LONGEST_LINE = 20_000  # longer lines are not prose, and keep their markup
_FENCE = re.compile(r" {0,3}(`{3,}+|~{3,}+)")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]++(.*+))?$")
_RULER = re.compile(r" {0,3}(=++|-{2,}+)\s*+$")
_BREAK = re.compile(r" {0,3}(?:[-*_][ \t]*+){3,}+$")
_QUOTE = re.compile(r"(?: {0,3}> ?)++")
_DEFINITION = re.compile(r" {0,3}\[[^\[\]]{1,200}\]:[ \t]*+\S++")
_TABLE_RULE = re.compile(r"[ \t]*+\|?[ \t:|-]{3,}+$")
# Character classes exclude their opening mark, so that a line full of them is scanned only once.
_LINKS = re.compile(r"!?\[([^\[\]]{0,1000})\](?:\([^()\[\]]{0,1000}\)|\[[^\[\]()]{0,200}\])")
_AUTOLINK = re.compile(r"<((?:https?://|mailto:)[^<>\s]{1,1000})>")
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,1000}>|<!--[^<>]{0,1000}-->")
_STRONG = re.compile(r"\*\*|~~|(?<!\w)__(?=\w)|(?<=[\w.!?])__(?!\w)|`+")
_SOFT = re.compile(r"(?<![\w*])\*(?=\S)([^*]{1,500})\*(?!\w)|(?<!\w)_(?=\S)([^_]{1,500})_(?!\w)")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")


def read(file: BinaryIO, job: Job) -> Extract:  # noqa: ARG001 - a reader
    decoded, notes = read_text(file)
    said, below = split_front_matter(decoded.text.removeprefix("\ufeff"))
    lines, headings = _lines(below)
    first = next((heading.title for heading in headings if heading.level <= 2), "")
    if first and not any(name == "title" for name, _ in said):
        said.append(("title", first))
    text = tidy_lines("\n".join(lines))
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
    """Process one line outside of code blocks."""
    if not line:  # a file may consist of empty lines
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
    words = fact_line(title)
    if words:
        headings.append(Heading(words, level))


def _plain(line: str) -> str:
    if len(line) > LONGEST_LINE:
        return line
    quote = _QUOTE.match(line)
    if quote is not None:
        line = line[quote.end() :]
    line = _LINKS.sub(r"\1", _LINKS.sub(r"\1", line))  # twice: a link's text may be a picture
    line = _TAG.sub("", _AUTOLINK.sub(r"\1", line))
    line = _SOFT.sub(lambda found: found[1] or found[2], _STRONG.sub("", line))
    if line.lstrip().startswith("|"):
        line = line.strip().strip("|").replace("|", "\t")
    return unescape(_ESCAPE.sub(r"\1", line))
