"""Links between web resources as machines read them: Link headers (RFC 8288), linksets (RFC 9264). Pure.

Addresses may come from strangers: what is written is ASCII without spaces, quotes, brackets or line ends.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple
from urllib.parse import quote

MEDIA_TYPE = "application/linkset"
JSON_MEDIA_TYPE = "application/linkset+json"
_URI = "%:/?#[]@!$&'()*+,;=~"  # what else an address is made of stays as it is
_PLAIN = re.compile(r"[A-Za-z0-9._%:/?#@!$&'()*+,;=~-]*")
_MEDIA_TYPE = re.compile(r"[A-Za-z0-9!#$&^_.+-]{1,60}/[A-Za-z0-9!#$&^_.+-]{1,100}")


class WebLink(NamedTuple):
    """From `anchor` to `target`, which is `rel` to it; the empty anchor is where the link is found."""

    rel: str
    target: str
    media_type: str = ""
    profile: str = ""  # what the target conforms to, as an address
    anchor: str = ""


def web_link(rel: str, target: str, *, media_type: str = "", profile: str = "", anchor: str = "") -> WebLink:
    """Return a link whose addresses are fit to be written; a media type that is none is left out."""
    kind = media_type.partition(";")[0].strip()
    return WebLink(
        rel, _uri(target), kind if _MEDIA_TYPE.fullmatch(kind) else "", _uri(profile), _uri(anchor)
    )


def link_header(links: Iterable[WebLink], *, most_bytes: int) -> str:
    """Return the value of a Link header; links that do not fit any more are left out."""
    found: list[str] = []
    left = most_bytes
    for link in links:
        written = _written(link)
        if len(written) + 2 <= left:
            found.append(written)
            left -= len(written) + 2
    return ", ".join(found)


def linkset(links: Sequence[WebLink], *, anchor: str) -> str:
    """Return links as `application/linkset`, one a line; those without an anchor start at this one."""
    return ",\n".join(_written(link._replace(anchor=link.anchor or _uri(anchor))) for link in links) + "\n"


def linkset_json(links: Sequence[WebLink], *, anchor: str) -> str:
    """Return links as `application/linkset+json`: by where they start, then by what they are."""
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
    """A target object. Attributes that RFC 8288 does not know are lists (RFC 9264, 4.2.4.3)."""
    found: dict[str, object] = {"href": link.target}
    if link.media_type:
        found["type"] = link.media_type
    if link.profile:
        found["profile"] = [link.profile]
    return found


def _uri(address: str) -> str:
    """An address, never shortened: the beginning of one leads nowhere."""
    return address if _PLAIN.fullmatch(address) else quote(address, safe=_URI, errors="replace")
