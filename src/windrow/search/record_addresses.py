"""Where a record's pages are, from its source, its format and its identifier."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal
from urllib.parse import quote, urlencode

DocumentPart = Literal["original", "picture", "text"]

# Slashes of an identifier stay as they are, but for those that a browser or a proxy would tidy away.
_TIDIED = ("//", "/./", "/../")


@lru_cache(maxsize=64)  # a page names the same records again and again
def record_path(source: str, identifier: str, *, under: str = "/record") -> str:
    """Give the path of a record's page; read back, it is the same source and identifier."""
    return f"{under}/{quote(source, safe='', errors='replace')}/{_written(identifier)}"


def form_path(kind: Literal["as", "format"], name: str, source: str, identifier: str) -> str:
    """Return the path of another form of a record's page, by a path of its own.

    `?as=` and `?format=` at the page itself lead to the same. But many a crawler knows no wildcards in
    robots.txt, only how a path begins, and would follow the links to all of them for every record.
    """
    if "/" in name:  # as hardly any format is called
        return f"{record_path(source, identifier)}?{kind}={quote(name, safe='', errors='replace')}"
    return record_path(source, identifier, under=f"/form/{kind}/{quote(name, safe='', errors='replace')}")


def getrecord_path(prefix: str, identifier: str) -> str:
    """Give the path of the gateway's page of a record in one format; read back, it is the same of both."""
    return record_path(prefix, identifier, under="/gateway/getrecord")


def document_path(kind: DocumentPart, source: str, identifier: str, **query: str | int | None) -> str:
    """Give the path of a document's file itself, of a picture of it, or of its text.

    What is asked of it comes in the order given; None and an empty text are left out.
    """
    path = record_path(source, identifier, under=f"/document/{kind}")
    asked = urlencode([(name, value) for name, value in query.items() if value not in (None, "")])
    return f"{path}?{asked}" if asked else path


def _written(identifier: str) -> str:
    framed = f"/{identifier}/"
    is_plain = not any(part in framed for part in _TIDIED)
    return quote(identifier, safe="/:@!$&'()*+,;=" if is_plain else ":@!$&'()*+,;=", errors="replace")
