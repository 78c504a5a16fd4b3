"""Where a record's pages are, from its source, its format and its identifier."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Literal
from urllib.parse import quote, urlencode

from windrow.model.document import Identifier

DocumentPart = Literal["original", "picture", "text"]

# Slashes of an identifier stay as they are, but for those that a browser or a proxy would tidy away.
_TIDIED = ("//", "/./", "/../")


@lru_cache(maxsize=64)  # a page names the same records again and again
def record_path(source: str, identifier: str, *, under: str = "/record") -> str:
    """Return the path of a record's page; read back, it is the same source and identifier."""
    return f"{under}/{quote(source, safe='', errors='replace')}/{_escape_identifier(identifier)}"


def form_path(kind: Literal["as", "format"], name: str, source: str, identifier: str) -> str:
    """Return the path of another form of a record's page, by a path of its own.

    `?as=` and `?format=` at the page itself lead to the same. But many a crawler knows no wildcards in
    robots.txt, only how a path begins, and would follow the links to all of them for every record.
    """
    if "/" in name:  # as hardly any format is called
        return f"{record_path(source, identifier)}?{kind}={quote(name, safe='', errors='replace')}"
    return record_path(source, identifier, under=f"/form/{kind}/{quote(name, safe='', errors='replace')}")


def getrecord_path(prefix: str, identifier: str) -> str:
    """Return the path of the gateway's page of a record in one format; read back, it is the same of both."""
    return record_path(prefix, identifier, under="/gateway/getrecord")


def document_path(kind: DocumentPart, source: str, identifier: str, **query: str | int | None) -> str:
    """Return the path of a document's file itself, of a picture of it, or of its text.

    What is asked of it comes in the order given; None and an empty text are left out.
    """
    path = record_path(source, identifier, under=f"/document/{kind}")
    asked = urlencode([(name, value) for name, value in query.items() if value not in (None, "")])
    return f"{path}?{asked}" if asked else path


def _escape_identifier(identifier: str) -> str:
    framed = f"/{identifier}/"
    is_plain = not any(part in framed for part in _TIDIED)
    return quote(identifier, safe="/:@!$&'()*+,;=" if is_plain else ":@!$&'()*+,;=", errors="replace")


# Where the pages of many records are, quickly: beside `addresses`, which says it for one.

# What stands for itself in an address; of it, what a browser or a proxy would tidy away.
_PLAIN = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.~:@!$()*+,;=/-"


def build_record_paths(source: str, identifiers: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return the paths of records of one source: what they all begin with, and how each goes on.

    Nearly always the identifiers go on just as they are, and a look at all of them together tells.
    """
    start = record_path(source, "")
    together = f"/{'/ /'.join(identifiers)}/"
    odd = together.encode("utf-8", "surrogatepass").translate(None, _PLAIN)
    if len(odd) == max(len(identifiers) - 1, 0) and not any(part in together for part in _TIDIED):
        return start, identifiers
    return start, [record_path(source, each).removeprefix(start) for each in identifiers]


def are_plain_identifiers(text: str, *, marks: str, count: int) -> bool:
    """Return whether identifiers written together go on in a path just as they are.

    Behind and between them stand marks, so many in all: letters that no address has.
    """
    odd = text.encode("utf-8", "surrogatepass").translate(None, _PLAIN)
    for mark in marks:
        text = text.replace(mark, f"/{mark}/")
    framed = f"/{text}/"
    return len(odd) == count and not any(part in framed for part in _TIDIED)


# Where the names of things can be looked up: the address that stands behind a DOI, a handle, a URN.

# By scheme, with how the name begins: names in the national bibliographies each have a place of their own.
# The most lasting first.
_RESOLVERS = (
    ("doi", "", "https://doi.org/"),
    ("hdl", "", "https://hdl.handle.net/"),
    ("urn", "urn:nbn:fi", "https://urn.fi/"),
    ("arxiv", "", "https://arxiv.org/abs/"),
)
_SAFE = "%/:@!$&'()*+,;=~"
_LONGEST = 1000


def resolver_address(name: Identifier) -> str:
    """Return the address behind a name; empty where nobody is known who would resolve it."""
    if not name.value or len(name.value) > _LONGEST:
        return ""
    for scheme, beginning, base in _RESOLVERS:
        if name.scheme == scheme and name.value.lower().startswith(beginning):
            return base + quote(name.value, safe=_SAFE, errors="replace")
    return ""


def lasting_address(names: Iterable[Identifier]) -> str:
    """Return the address to cite a thing by: behind the most lasting of its names; empty without one."""
    found = {name.scheme: resolver_address(name) for name in reversed(tuple(names))}
    return next((found[scheme] for scheme, _, _ in _RESOLVERS if found.get(scheme)), "")
