"""On what terms a browser gets a stranger's file: as what, shown or saved, and what it may do. Pure.

The file lies at the portal's own origin. Whatever could run script there is only ever saved, under a type
that no browser opens, and all of it in a sandbox.
"""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import quote

from windrow.faces.shared.response import Header
from windrow.model.wording import clean

UNKNOWN = "application/octet-stream"
PDF = "application/pdf"
_TYPE = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]{0,80}/[a-z0-9][a-z0-9!#$&^_.+-]{0,80}")
_CHARSET = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:+-]{0,40}")
_AS_TEXT = frozenset(("text/plain", "text/markdown", "text/csv", "text/tab-separated-values"))
_PLAYED = ("audio/", "video/")
_SHOWN = ("image/", *_PLAYED)
# Browsers read these as pages, or as parts of pages.
_ACTIVE = re.compile(r"(?:text|message|multipart)/.*|.*[/+]xml|.*(?:html|javascript|ecmascript|flash).*")
_LONGEST_NAME = 150  # letters; file systems end at 255 bytes
_UNFIT = re.compile(r'["\\/:*?<>|%\r\n\t]|[^\x20-\x7e]')
# Where a name is written the other way round, .exe can look like .pdf; and a name is on one line.
_MISLEADING = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069\r\n\t]")
# Inline styles are the browser's own, with which it lays out a picture or a player.
_FENCE = (
    b"default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; base-uri 'none';"
    b" form-action 'none'; frame-ancestors 'self'; sandbox"
)
# A browser's own player asks for the file again, which it may only from the same origin. Scripts stay out.
_PLAYER_FENCE = _FENCE + b" allow-same-origin"
# Many a browser's viewer of PDF does not open in a sandbox. What a PDF can run, it runs inside that viewer.
_PDF_FENCE = (
    b"default-src 'none'; object-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline';"
    b" base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)


class Terms(NamedTuple):
    """How a file is handed over."""

    content_type: str
    is_shown: bool  # in the browser; else it is saved

    def headers(self, name: str) -> list[Header]:
        """Give the headers that say so."""
        return [
            (b"content-type", self.content_type.encode("ascii")),
            (b"content-disposition", _disposition(name, is_shown=self.is_shown)),
            (b"content-security-policy", self._fence()),
            (b"x-content-type-options", b"nosniff"),
            (b"referrer-policy", b"no-referrer"),
        ]

    def _fence(self) -> bytes:
        if self.content_type == PDF:
            return _PDF_FENCE
        return _PLAYER_FENCE if self.content_type.startswith(_PLAYED) else _FENCE


def terms_of(media_type: str, charset: str = "") -> Terms:
    """Give the terms for a file of a media type."""
    kind = media_type.partition(";")[0].strip().lower()
    if not _TYPE.fullmatch(kind):
        return Terms(UNKNOWN, is_shown=False)
    if kind in _AS_TEXT:
        declared = f"; charset={charset}" if _CHARSET.fullmatch(charset) else ""
        return Terms(f"text/plain{declared}", is_shown=True)
    if _ACTIVE.fullmatch(kind):
        return Terms(UNKNOWN, is_shown=False)
    return Terms(kind, is_shown=kind == PDF or kind.startswith(_SHOWN))


def _disposition(name: str, *, is_shown: bool) -> bytes:
    """Name the file for whoever saves it (RFC 6266): in plain letters, and as it is really called."""
    called = _MISLEADING.sub("", clean(name)).strip(". ")[-_LONGEST_NAME:] or "document"
    plain = _UNFIT.sub("_", called)
    way = "inline" if is_shown else "attachment"
    exact = quote(called, safe="!#$&+-.^_`|~", errors="replace")
    return f"{way}; filename=\"{plain}\"; filename*=UTF-8''{exact}".encode("ascii")
