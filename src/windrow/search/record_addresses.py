"""Addresses of a record's pages, built from its source, format and identifier.

Also resolves persistent identifiers (DOI, Handle, URN …) to their resolvers' addresses.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Literal
from urllib.parse import quote, urlencode

from windrow.model.document import Identifier

DocumentPart = Literal["original", "picture", "text"]

# Slashes of an identifier are kept, except where a browser or proxy would normalise them away.
_TIDIED = ("//", "/./", "/../")


@lru_cache(maxsize=64)  # a page names the same records repeatedly
def record_path(source: str, identifier: str, *, under: str = "/record") -> str:
    """Return the path of a record's page; decoding it yields the same source and identifier."""
    return f"{under}/{quote(source, safe='', errors='replace')}/{_escape_identifier(identifier)}"


def form_path(kind: Literal["as", "format"], name: str, source: str, identifier: str) -> str:
    """Return the path of another representation of a record's page.

    `?as=` and `?format=` on the page itself lead to the same. Many crawlers support no wildcards in
    robots.txt, only prefixes, and would otherwise follow these links for every record; hence separate paths.
    """
    if "/" in name:  # hardly any format has a slash
        return f"{record_path(source, identifier)}?{kind}={quote(name, safe='', errors='replace')}"
    return record_path(source, identifier, under=f"/form/{kind}/{quote(name, safe='', errors='replace')}")


def getrecord_path(prefix: str, identifier: str) -> str:
    """Return the path of the gateway's GetRecord page of a record; decoding it yields the same values."""
    return record_path(prefix, identifier, under="/gateway/getrecord")


def document_path(kind: DocumentPart, source: str, identifier: str, **query: str | int | None) -> str:
    """Return the path of a document's file, an image of it, or its text.

    Query parameters keep their order; None and empty values are left out.
    """
    path = record_path(source, identifier, under=f"/document/{kind}")
    asked = urlencode([(name, value) for name, value in query.items() if value not in (None, "")])
    return f"{path}?{asked}" if asked else path


def _escape_identifier(identifier: str) -> str:
    framed = f"/{identifier}/"
    is_plain = not any(part in framed for part in _TIDIED)
    return quote(identifier, safe="/:@!$&'()*+,;=" if is_plain else ":@!$&'()*+,;=", errors="replace")


# The paths of many records at once, for list pages.

# Characters that need no escaping; below, the sequences that a browser or proxy would normalise.
_PLAIN = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.~:@!$()*+,;=/-"


def build_record_paths(source: str, identifiers: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return the paths of records of one source as a common prefix and one suffix each.

    Nearly all identifiers need no escaping, which one check of the joined text finds out.
    """
    start = record_path(source, "")
    together = f"/{'/ /'.join(identifiers)}/"
    odd = together.encode("utf-8", "surrogatepass").translate(None, _PLAIN)
    if len(odd) == max(len(identifiers) - 1, 0) and not any(part in together for part in _TIDIED):
        return start, identifiers
    return start, [record_path(source, each).removeprefix(start) for each in identifiers]


def are_plain_identifiers(text: str, *, marks: str, count: int) -> bool:
    """Return whether joined identifiers can be used in a path unescaped.

    `marks` are the `count` separator characters after each of them, which no address contains.
    """
    odd = text.encode("utf-8", "surrogatepass").translate(None, _PLAIN)
    for mark in marks:
        text = text.replace(mark, f"/{mark}/")
    framed = f"/{text}/"
    return len(odd) == count and not any(part in framed for part in _TIDIED)


# Resolvers: the web addresses of DOIs, handles, URNs and other persistent identifiers.

# By scheme and prefix, the most persistent first: each national bibliography resolves its own URNs.
_RESOLVERS = (
    ("doi", "", "https://doi.org/"),
    ("hdl", "", "https://hdl.handle.net/"),
    ("urn", "urn:nbn:fi", "https://urn.fi/"),
    ("arxiv", "", "https://arxiv.org/abs/"),
)
_SAFE = "%/:@!$&'()*+,;=~"
_LONGEST = 1000


def resolver_address(name: Identifier) -> str:
    """Return the web address of an identifier; empty if it has no known resolver."""
    if not name.value or len(name.value) > _LONGEST:
        return ""
    for scheme, beginning, base in _RESOLVERS:
        if name.scheme == scheme and name.value.lower().startswith(beginning):
            return base + quote(name.value, safe=_SAFE, errors="replace")
    return ""


def lasting_address(names: Iterable[Identifier]) -> str:
    """Return the web address of the most persistent identifier, for citing; empty if there is none."""
    found = {name.scheme: resolver_address(name) for name in reversed(tuple(names))}
    return next((found[scheme] for scheme, _, _ in _RESOLVERS if found.get(scheme)), "")
