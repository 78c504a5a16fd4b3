"""Markdown: front matter, headings, and the text without markup."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from windrow.errors import install_hint
from windrow.extract.html_markup import fact_for_meta_name, unescape
from windrow.extract.reading_job import Job
from windrow.extract.text_decoding import fact_line, read_text, tidy_lines
from windrow.model.document import Heading
from windrow.model.file_content import Extract

if TYPE_CHECKING:
    import yaml

# Front matter: YAML between `---`, or TOML between `+++`. YAML is read as a tree of nodes, with the values as
# they are written: a version `1.10` or a date stays what it is, and no object is constructed. Aliases share
# their nodes, so that a few lines which repeat one another to billions of values stay a few nodes.

MAX_FRONT_MATTER_CHARACTERS = 64 * 1024
MAX_FACTS = 200
MAX_YAML_DEPTH = 20
MAX_YAML_ALIASES = 100
_NULL = "tag:yaml.org,2002:null"
_INVALID = "its front matter is not valid {}, and was not read (line {})"
_MISSING = f"its front matter was not read without PyYAML. {install_hint()}"
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


class FrontMatter(NamedTuple):
    """The facts in the front matter, the text below it, and what was wrong with it."""

    said: list[tuple[str, str]]
    below: str
    notes: tuple[str, ...] = ()


def split_front_matter(text: str) -> FrontMatter:
    for mark, ends, parse in (("---", ("---", "..."), _parse_yaml), ("+++", ("+++",), _parse_toml)):
        if text.startswith(mark + "\n"):
            found = _inside(text, ends)
            if found is not None:
                inside, below = found
                try:
                    values = parse(inside)
                except _Invalid as exc:
                    return FrontMatter([], below, (str(exc),))
                if values is not None:
                    return FrontMatter(list(_facts(values)), below)
    return FrontMatter([], text)


class _Invalid(Exception):
    """The front matter cannot be read; the text of the exception is a note."""


def _inside(text: str, ends: tuple[str, ...]) -> tuple[str, str] | None:
    beginning = text[:MAX_FRONT_MATTER_CHARACTERS]
    places = [at for end in ends if (at := beginning.find(f"\n{end}\n", 3)) >= 0]
    if not places:
        return None
    return text[4 : min(places) + 1], text[min(places) + 5 :]


def _parse_toml(inside: str) -> dict[str, Any]:
    try:
        return tomllib.loads(inside)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as exc:
        line = re.search(r"at line (\d+)", str(exc))
        raise _Invalid(_INVALID.format("TOML", int(line[1]) + 1 if line else 2)) from exc


def _parse_yaml(inside: str) -> dict[str, list[str]] | None:
    """Return the values of each key, as they are written; None for prose between two rules.

    Lists and mappings inside them are left out.
    """
    try:
        import yaml  # noqa: PLC0415 - only needed for these files
    except ImportError as exc:
        raise _Invalid(_MISSING) from exc
    try:
        _check_yaml(yaml.parse(inside, yaml.SafeLoader))
        top = yaml.compose(inside, yaml.SafeLoader)
    except yaml.YAMLError as exc:
        mark = getattr(exc, "problem_mark", None)
        raise _Invalid(_INVALID.format("YAML", mark.line + 2 if mark else 2)) from exc
    if not isinstance(top, yaml.MappingNode):
        return {} if top is None else None
    found: dict[str, list[str]] = {}
    for key, value in top.value:
        if isinstance(key, yaml.ScalarNode):
            nodes = value.value if isinstance(value, yaml.SequenceNode) else [value]
            found[key.value] = [
                node.value
                for node in nodes[:MAX_FACTS]
                if isinstance(node, yaml.ScalarNode) and node.tag != _NULL
            ]
    return found


def _check_yaml(events: Iterable[yaml.Event]) -> None:
    """Refuse what is nested deeper, or repeats itself more, than front matter does."""
    import yaml  # noqa: PLC0415

    depth = aliases = 0
    for event in events:
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, yaml.AliasEvent):
            aliases += 1
        if depth > MAX_YAML_DEPTH or aliases > MAX_YAML_ALIASES:
            line = event.start_mark.line + 2 if event.start_mark else 2
            raise _Invalid(_INVALID.format("YAML of a usual kind", line))


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
    said, below, invalid = split_front_matter(decoded.text.removeprefix("\ufeff"))
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
        notes=(*notes, *invalid),
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
