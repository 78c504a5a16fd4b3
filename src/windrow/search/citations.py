"""A document as one line in a list of references, in the styles that people are asked to use.

The library that knows the styles is given text only, and gives back text with marks where italics begin and
end: no markup of a title is ever taken for our own. Where it fails, a plain line stands in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from windrow.finding.citation_styles import CLOSE, MARKS, OPEN, STYLES, render
from windrow.formats.csl_json import write_csl_json
from windrow.formats.reference import address_of
from windrow.model.document import Document

__all__ = ["STYLES", "Citation", "Pieces", "cite", "cite_all"]

MOST_NAMED = 30  # no style names more, but the last one of all
LONGEST_TEXT = 1000  # characters of a title, a name …
_KEPT = 2000  # citations that are remembered: the library takes some hundredths of a second for each

# What a style may ask for; everything else would only be looked at.
_ASKED = (
    "type",
    "genre",
    "title",
    "author",
    "editor",
    "issued",
    "container-title",
    "publisher",
    "URL",
    "DOI",
)
_NO_CASE = re.compile(r'<span class="nocase">', re.IGNORECASE)  # the library's own markup
_LAST_POINT = re.compile(r"(?<![.\s])\.$")
_SENTENCE_POINT = re.compile(r"(?<=\w{5})\.$")
_DOUBLED = re.compile(r"(?<=[.,])[.](?![.])")

Pieces = tuple[tuple[str, bool], ...]  # text, and whether it is in italics


@dataclass(frozen=True, slots=True)
class Citation:
    """One line of references."""

    style: str
    pieces: Pieces

    @property
    def text(self) -> str:
        """The line without italics."""
        return "".join(text for text, _ in self.pieces)


def cite(document: Document, *, style: str = "apa") -> Citation:
    """Give a document in a style, one of STYLES. Nothing is raised, whatever the document is like."""
    item = _item(document)
    pieces = _rendered(style, json.dumps(item, sort_keys=True)) if "author" in item else ()
    return Citation(style, pieces or _plain(document))


def cite_all(document: Document) -> tuple[Citation, ...]:
    """Give a document in every style there is."""
    return tuple(cite(document, style=style) for style in STYLES)


def _item(document: Document) -> dict[str, Any]:
    """The document as the library takes it: bounded, clean, and with something in the author's place."""
    item = {name: value for name, value in write_csl_json(document, "x").items() if name in _ASKED}
    found: dict[str, Any] = {name: _clean(value) for name, value in item.items()}
    if "title" in found:  # styles end it with a point of their own
        found["title"] = _LAST_POINT.sub("", found["title"]) or found["title"]
    if "publisher" in found:  # after which styles put a comma; that of an abbreviation (Inc.) stays
        found["publisher"] = _SENTENCE_POINT.sub("", found["publisher"])
    if "DOI" in found:
        found.pop("URL", None)
    if "author" not in found and "title" in found:
        title = found.pop("title")
        found["author"] = [{"literal": title if "container-title" in found else f"{OPEN}{title}{CLOSE}"}]
    # Titles in English are written With Capitals by some styles; what may be another language is not.
    found["language"] = "en" if document.languages == ("en",) else "und"
    return found


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return " ".join(_NO_CASE.sub("", MARKS.sub("", value[:LONGEST_TEXT])).split())
    if isinstance(value, list):
        people = value if len(value) <= MOST_NAMED else [*value[: MOST_NAMED - 1], value[-1]]
        return [_whole({name: _clean(part) for name, part in person.items()}) for person in people]
    return value


def _whole(person: dict[str, str]) -> dict[str, str]:
    """A person whose name can be shortened; letters without capitals make no initials, and stay together."""
    given = person.get("given", "")
    if not given or given.casefold() != given or given.upper() != given:
        return person
    return {"literal": f"{person.get('family', '')}, {given}"}


@lru_cache(maxsize=_KEPT)
def _rendered(style: str, asked: str) -> Pieces:
    try:
        line = render(style, json.loads(asked))
    except Exception:  # noqa: BLE001 - a library that meets hostile data; a plain line is better than no page
        return ()
    return tuple(_pieces(" ".join(line.split())))


def _pieces(line: str) -> Iterator[tuple[str, bool]]:
    """Apart at the marks. A mark without a partner ends with the line."""
    depth, start = 0, 0
    for found in MARKS.finditer(line):
        if found.start() > start:
            yield line[start : found.start()], depth > 0
        depth = depth + 1 if found[0] == OPEN else max(depth - 1, 0)
        start = found.end()
    if start < len(line):
        yield line[start:], depth > 0


def _plain(document: Document) -> Pieces:
    """Who, when, what, where: the line for what no style could do."""
    names = [agent.name for agent in document.creators[:MOST_NAMED]]
    when = f"({document.year})" if document.year is not None else ""
    parts = ("; ".join(names), when, document.title or "", document.institution or "")
    said = [part.strip().rstrip(".")[:LONGEST_TEXT] for part in parts if part.strip()]
    address = address_of(document) or ""
    line = " ".join(filter(None, ("".join(f"{part}. " for part in said), address)))
    text = _DOUBLED.sub("", " ".join(line.split()))
    return ((text, False),) if text else ()
