"""Writes a file as an MPEG-21 digital item: what it is called, what is known of it, and the file itself.

The counterpart of `didl`, which reads such items. The parts are joined once at the end: a file may have
megabytes, and each copy of it costs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from windrow.formats.didl import NAMESPACE
from windrow.formats.xml_words import xml_words

SCHEMA = "http://standards.iso.org/ittf/PubliclyAvailableStandards/MPEG-21_schema_files/did/didl.xsd"
_IDENTIFICATION = "urn:mpeg:mpeg21:2002:01-DII-NS"
_FIXITY = "http://www.loc.gov/premis/v3"
_TERMS = "http://purl.org/dc/terms/"
_XML = "application/xml; charset=utf-8"
_HEAD = (
    f'<didl:DIDL xmlns:didl="{NAMESPACE}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
    f' xsi:schemaLocation="{NAMESPACE} {SCHEMA}"><didl:Item>'
).encode()
_STATED = f'<didl:Descriptor><didl:Statement mimeType="{_XML}">'.encode()
_STATED_END = b"</didl:Statement></didl:Descriptor>"
_TAIL = b"</didl:Component></didl:Item></didl:DIDL>"


@dataclass(frozen=True, slots=True)
class FileItem:
    """What there is to say of one file. Statements are XML elements that stand by themselves."""

    address: str
    media_type: str
    provenance: str
    statements: Iterable[bytes]
    sha256: str | None = None  # in hexadecimal digits
    content: bytes | None = None  # the file in base64; None: only its address is given


def write_didl_item(item: FileItem) -> bytes:
    """Give one `<didl:DIDL>` element in UTF-8.

    Address and content are two resources of one component: by the standard they are the same bits.
    """
    address, media_type = xml_words(item.address), xml_words(item.media_type)
    parts = [_HEAD, *_stated(f'<dii:Identifier xmlns:dii="{_IDENTIFICATION}">{address}</dii:Identifier>')]
    for statement in item.statements:
        parts += (_STATED, statement, _STATED_END)
    said = xml_words(item.provenance)
    parts += _stated(f'<dcterms:provenance xmlns:dcterms="{_TERMS}">{said}</dcterms:provenance>')
    parts.append(b"<didl:Component>")
    if item.sha256 is not None:
        parts += _stated(_fixity(item.sha256))
    parts.append(f'<didl:Resource mimeType="{media_type}" ref="{address}"/>'.encode())
    if item.content is not None:
        start = f'<didl:Resource mimeType="{media_type}" encoding="base64">'.encode()
        parts += (start, item.content, b"</didl:Resource>")
    parts.append(_TAIL)
    return b"".join(parts)


def _stated(element: str) -> tuple[bytes, bytes, bytes]:
    return _STATED, element.encode(), _STATED_END


def _fixity(sha256: str) -> str:
    return (
        f'<premis:fixity xmlns:premis="{_FIXITY}">'
        "<premis:messageDigestAlgorithm>SHA-256</premis:messageDigestAlgorithm>"
        f"<premis:messageDigest>{sha256}</premis:messageDigest></premis:fixity>"
    )
