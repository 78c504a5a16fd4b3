"""What stands above the text of a Markdown file: TOML between `+++`, or lines `key: value` between `---`.

The latter are a small part of YAML, the one that nearly all such files keep to: values on one line, quoted or
not, and lists. Anything else of it is passed over.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any

from windrow.extract.meta_names import fact_named
from windrow.extract.text_files import line_of

MOST_CHARACTERS = 64 * 1024
MOST_FACTS = 200
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


def split(text: str) -> tuple[list[tuple[str, str]], str]:
    """Give the facts above a text, and the text below them."""
    for mark, ends, parse in (("---", ("---", "..."), _parse_lines), ("+++", ("+++",), _parse_toml)):
        if text.startswith(mark + "\n"):
            found = _inside(text, ends)
            if found is not None:
                inside, below = found
                return list(_facts(parse(inside))), below
    return [], text


def _inside(text: str, ends: tuple[str, ...]) -> tuple[str, str] | None:
    beginning = text[:MOST_CHARACTERS]
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
        return [_unquoted(part) for part in value[1:-1].split(",")[:MOST_FACTS]]
    return [] if value in ("", "|", ">", "|-", ">-", "null", "~") else [_unquoted(value)]


def _unquoted(value: str) -> str:
    value = value.strip()
    is_quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if is_quoted else value


def _facts(found: dict[str, Any]) -> Iterator[tuple[str, str]]:
    count = 0
    for key, value in found.items():
        small = key.lower()
        name = _NAMES.get(small) or fact_named(small)
        for one in (value if isinstance(value, list) else [value]) if name else ():
            if isinstance(one, dict | list) or count >= MOST_FACTS:
                continue
            words = line_of(str(one))
            if words and name:
                count += 1
                yield name, words
