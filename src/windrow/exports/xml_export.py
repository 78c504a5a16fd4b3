"""XML: the stored payloads, each self-contained, in a wrapper element with their identifiers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import IO
from xml.sax.saxutils import quoteattr

from windrow.exports.entries import Entry
from windrow.protocols.oai.payload_xml import make_standalone

# Characters that XML 1.0 does not allow, not even as references.
_IMPOSSIBLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write(entries: Iterable[Entry], target: IO[bytes]) -> None:
    """Write the wrapper with a <record> for each entry."""
    target.write(b'<?xml version="1.0" encoding="UTF-8"?>\n<records>\n')
    for entry in entries:
        target.write(element(entry))
    target.write(b"</records>\n")


def element(entry: Entry) -> bytes:
    """Return one <record>; a tombstone is empty."""
    record = entry.record
    attributes = {"identifier": record.identifier, "datestamp": record.stamp, "source": record.source}
    if record.sets:
        attributes["sets"] = " ".join(record.sets)
    if entry.payload is None:
        return _start(attributes | {"deleted": "true"}, end="/>") + b"\n"
    start = _start(attributes | {"format": entry.payload.prefix}, end=">")
    return start + make_standalone(entry.payload.data, entry.payload.declarations) + b"</record>\n"


def _start(attributes: dict[str, str], *, end: str) -> bytes:
    pairs = (f" {name}={quoteattr(_IMPOSSIBLE.sub('�', value))}" for name, value in attributes.items())
    return f"<record{''.join(pairs)}{end}".encode()
