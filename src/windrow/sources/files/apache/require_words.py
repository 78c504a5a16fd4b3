"""The words of `Require` as a requirement. Pure; used by `htaccess` and `access_words`.

Malformed is raised for what makes the web server answer 500 to everything in the folder.
"""

from __future__ import annotations

from collections.abc import Sequence

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
from windrow.sources.files.apache.syntax import Malformed

_ALL = {"granted": OPEN, "denied": CLOSED}
# A harvester counts as a stranger: in no network and on no host that a webmaster would name.
_PLACES = frozenset({"ip", "host", "forward-dns", "local"})


def read_requirement(words: Sequence[str]) -> Requirement:
    """Give what the words after `Require` ask for; UNKNOWN for what only the web server can tell."""
    if words and words[0].lower() == "not":
        return Negated(_read_plain(words[1:]))
    return _read_plain(words)


def _read_plain(words: Sequence[str]) -> Requirement:
    kind, names = (words[0].lower() if words else ""), frozenset(words[1:])
    if kind in _PLACES:
        return CLOSED
    match kind:
        case "all":
            return _ALL.get(" ".join(words[1:]).lower(), UNKNOWN)
        case "valid-user":
            return ValidUser()
        case "user":
            return UserIn(names)
        case "group":
            return GroupIn(names)
        case "method":
            return OPEN if "GET" in {name.upper() for name in names} else CLOSED
    return UNKNOWN


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
