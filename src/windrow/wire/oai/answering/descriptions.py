"""What a repository says of itself beyond the protocol: the description blocks of Identify.

Each function gives one element that stands by itself; `small.identify` puts it into a `<description>`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from windrow.wire.oai.answering.escaping import element
from windrow.wire.oai.answering.wrapping import XSI

_OAI = "http://www.openarchives.org/OAI/2.0/"
_TOOLKIT = "http://oai.dlib.vt.edu/OAI/metadata/toolkit"
_DOMAIN = r"[a-zA-Z][a-zA-Z0-9\-]*+(?:\.[a-zA-Z][a-zA-Z0-9\-]*+)++"
_REPOSITORY = re.compile(_DOMAIN)
_SAMPLE = re.compile(rf"oai:{_DOMAIN}:[a-zA-Z0-9\-_.!~*'();/?:@&=+$,%]++")


def oai_identifier(repository_identifier: str, sample: str) -> bytes:
    """Say that identifiers are `oai:REPOSITORY:…`. Nothing where these two are not spelled so."""
    if not _REPOSITORY.fullmatch(repository_identifier) or not _SAMPLE.fullmatch(sample):
        return b""
    inside = (
        b"<scheme>oai</scheme>",
        element(b"repositoryIdentifier", repository_identifier),
        b"<delimiter>:</delimiter>",
        element(b"sampleIdentifier", sample),
    )
    address = f"{_OAI}oai-identifier"
    return _block(b"oai-identifier", address, f"{address}.xsd", inside)


def friends(base_urls: Iterable[str]) -> bytes:
    """Name other repositories worth harvesting. Nothing where there are none."""
    inside = [element(b"baseURL", url) for url in base_urls]
    return _block(b"friends", f"{_OAI}friends/", f"{_OAI}friends.xsd", inside) if inside else b""


def branding(
    url: str, *, link: str = "", title: str = "", width: int | None = None, height: int | None = None
) -> bytes:
    """Show an icon for the collection: where it is, where a click leads, its title and its size."""
    inside = [element(b"url", url)]
    inside += [element(name, text) for name, text in ((b"link", link), (b"title", title)) if text]
    for name, pixels in ((b"width", width), (b"height", height)):
        inside += [] if pixels is None else [element(name, str(pixels))]
    icon = b"<collectionIcon>%b</collectionIcon>" % b"".join(inside)
    return _block(b"branding", f"{_OAI}branding/", f"{_OAI}branding.xsd", (icon,))


def toolkit(title: str, version: str, url: str = "") -> bytes:
    """Name the software that answers."""
    inside = [element(b"title", title), element(b"version", version)]
    inside += [element(b"URL", url)] if url else []
    return _block(b"toolkit", _TOOLKIT, f"{_TOOLKIT}.xsd", inside)


def _block(name: bytes, namespace: str, schema: str, inside: Iterable[bytes]) -> bytes:
    location = f'xmlns="{namespace}" xmlns:xsi="{XSI}" xsi:schemaLocation="{namespace} {schema}"'
    return b"<%b %b>%b</%b>" % (name, location.encode(), b"".join(inside), name)
