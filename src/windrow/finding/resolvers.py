"""Where the names of things can be looked up: the address that stands behind a DOI, a handle, a URN."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import quote

from windrow.model.document import Name

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


def resolver(name: Name) -> str:
    """Give the address behind a name; empty where nobody is known who would resolve it."""
    if not name.value or len(name.value) > _LONGEST:
        return ""
    for scheme, beginning, base in _RESOLVERS:
        if name.scheme == scheme and name.value.lower().startswith(beginning):
            return base + quote(name.value, safe=_SAFE, errors="replace")
    return ""


def lasting(names: Iterable[Name]) -> str:
    """Give the address to cite a thing by: behind the most lasting of its names; empty without one."""
    found = {name.scheme: resolver(name) for name in reversed(tuple(names))}
    return next((found[scheme] for scheme, _, _ in _RESOLVERS if found.get(scheme)), "")
