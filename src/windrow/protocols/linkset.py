"""Links between web resources: Link headers (RFC 8288) and linksets (RFC 9264).

Addresses may be untrusted: only ASCII without spaces, quotes, brackets or line ends is written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple
from urllib.parse import quote

MEDIA_TYPE = "application/linkset"
JSON_MEDIA_TYPE = "application/linkset+json"
_URI = "%:/?#[]@!$&'()*+,;=~"  # other characters that are valid in an address
_PLAIN = re.compile(r"[A-Za-z0-9._%:/?#@!$&'()*+,;=~-]*")
_MEDIA_TYPE = re.compile(r"[A-Za-z0-9!#$&^_.+-]{1,60}/[A-Za-z0-9!#$&^_.+-]{1,100}")


class WebLink(NamedTuple):
    """A link from `anchor` to `target`. An empty anchor is the document in which the link occurs."""

    rel: str
    target: str
    media_type: str = ""
    profile: str = ""  # URI of the profile to which the target conforms
    anchor: str = ""


def web_link(rel: str, target: str, *, media_type: str = "", profile: str = "", anchor: str = "") -> WebLink:
    """Return a link with escaped addresses; an invalid media type is left out."""
    kind = media_type.partition(";")[0].strip()
    return WebLink(
        rel, _uri(target), kind if _MEDIA_TYPE.fullmatch(kind) else "", _uri(profile), _uri(anchor)
    )


def link_header(links: Iterable[WebLink], *, most_bytes: int) -> str:
    """Return the value of a Link header; links beyond the size limit are left out."""
    found: list[str] = []
    left = most_bytes
    for link in links:
        written = _written(link)
        if len(written) + 2 <= left:
            found.append(written)
            left -= len(written) + 2
    return ", ".join(found)


def linkset(links: Sequence[WebLink], *, anchor: str) -> str:
    """Return links as `application/linkset`, one a line; those without an anchor get this one."""
    return ",\n".join(_written(link._replace(anchor=link.anchor or _uri(anchor))) for link in links) + "\n"


def linkset_json(links: Sequence[WebLink], *, anchor: str) -> str:
    """Return links as `application/linkset+json`, grouped by anchor and relation."""
    contexts: dict[str, dict[str, list[dict[str, object]]]] = {}
    for link in links:
        context = contexts.setdefault(link.anchor or _uri(anchor), {})
        context.setdefault(link.rel, []).append(_target(link))
    found = [{"anchor": start, **relations} for start, relations in contexts.items()]
    return json.dumps({"linkset": found}, indent=2) + "\n"


def _written(link: WebLink) -> str:
    parts = [f'<{link.target}>; rel="{link.rel}"']
    named = (("type", link.media_type), ("profile", link.profile), ("anchor", link.anchor))
    parts += [f'{name}="{value}"' for name, value in named if value]
    return "; ".join(parts)


def _target(link: WebLink) -> dict[str, object]:
    """Return a target object. Attributes that RFC 8288 does not define are lists (RFC 9264, 4.2.4.3)."""
    found: dict[str, object] = {"href": link.target}
    if link.media_type:
        found["type"] = link.media_type
    if link.profile:
        found["profile"] = [link.profile]
    return found


def _uri(address: str) -> str:
    """Escape an address. It is never truncated, because a truncated address is broken."""
    return address if _PLAIN.fullmatch(address) else quote(address, safe=_URI, errors="replace")
