"""The words of `Require` as a requirement. Pure; used by `htaccess` and `access_words`.

Malformed is raised for what makes the web server answer 500 to everything in the folder.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from ipaddress import IPv6Network, ip_network

from windrow.sources.files.apache.conditions import METHODS
from windrow.sources.files.apache.requirement import (
    CLOSED,
    OPEN,
    UNKNOWN,
    AllOf,
    AnyOf,
    GroupIn,
    Negated,
    Requirement,
    UserIn,
    ValidUser,
)
from windrow.sources.files.apache.syntax import Directive, Malformed

_ALL = {"granted": OPEN, "denied": CLOSED}
_PARTIAL_ADDRESS = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){0,2}\.?")


def read_requirement(line: Directive) -> Requirement:
    """Return what a `Require` asks for; UNKNOWN for what only the web server can tell.

    Where a client comes from is not known here: it is neither in a network that is let in, nor safely
    outside of one that is kept out.
    """
    words = line.words
    is_negated = bool(words) and words[0].lower() == "not"
    words = words[1:] if is_negated else words
    if re.search("[\"']", line.text) and words[:1] not in {("user",), ("group",)}:
        raise Malformed(f"Require {line.text}: quotation marks count as letters here")
    return Negated(_read_plain(words)) if is_negated else _read_plain(words)


def _read_plain(words: Sequence[str]) -> Requirement:
    # Apache knows the kinds by their names in lower case, and rejects others.
    kind, names = (words[0] if words else ""), frozenset(words[1:])
    match kind, words[1:]:
        case "all", [which] if which.lower() in _ALL:
            return _ALL[which.lower()]
        case "valid-user" | "local", []:
            return ValidUser() if kind == "valid-user" else UNKNOWN
        case "ip", [_, *_] if all(is_network(name) for name in names):
            return UNKNOWN
        case "host" | "forward-dns" | "env", [_, *_] if not any("%" in name for name in names):
            return UNKNOWN
        case "user", [_, *_] if not any("%" in name for name in names):
            return UserIn(names)
        case "group", [_, *_] if not any("%" in name for name in names):
            return GroupIn(names)
        case "method", [_, *_] if names <= METHODS:
            return CLOSED if names.isdisjoint({"GET", "HEAD"}) else OPEN
    # A provider that the web server does not have, or an expression that only it can read: where it cannot
    # make sense of one requirement, it refuses everything.
    raise Malformed(f"Require {' '.join(words)} is not understood")


def is_network(text: str) -> bool:
    """Say whether a text names addresses as Apache writes them: whole, with a mask, or the first numbers."""
    if _PARTIAL_ADDRESS.fullmatch(text):
        return all(int(part) < 256 for part in text.rstrip(".").split("."))
    try:
        network = ip_network(text, strict=False)
    except ValueError:
        return False
    # Apache takes neither a mask of no bits, nor an interface, nor IPv4 in the notation of IPv6.
    is_mapped = isinstance(network, IPv6Network) and network.network_address.ipv4_mapped is not None
    return network.prefixlen > 0 and "%" not in text and not is_mapped


def require_all(parts: Sequence[Requirement]) -> Requirement:
    """Give the requirement that each part holds. Malformed where no part grants anything."""
    if all(isinstance(part, Negated) for part in parts):
        raise Malformed("nothing that could be granted")
    return AllOf(tuple(parts))


def require_any(parts: Sequence[Requirement]) -> Requirement:
    """Give the requirement that one part holds. Malformed where a part is negative, as for the web server."""
    if not parts or any(isinstance(part, Negated) for part in parts):
        raise Malformed("a negative requirement among alternatives")
    return AnyOf(tuple(parts))


def require_none(parts: Sequence[Requirement]) -> Requirement:
    """Give the requirement that no part holds. Malformed where a part is negative already."""
    return Negated(require_any(parts))
