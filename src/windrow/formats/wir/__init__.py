"""The record format `wir` of the robot: what a web page said of itself, as one XML element.

`write_wir` makes it of a Page, the registry's READER makes a Document of it. Its layout is that of the record
of Combine (Studera.NU, 2001), in a namespace, with what that did not have: every `<meta>` tag as it came,
structured data as JSON, and the main text where it is kept. Elements that repeat what is in a tag (`cterm`,
`event` …) are for those who take the format; the reader takes the tags.
"""

from windrow.formats.wir.identity import has_metadata, own_identifier
from windrow.formats.wir.reader import READER
from windrow.formats.wir.writer import (
    NAMESPACE,
    PREFIX,
    SCHEMA_FILE,
    Exchange,
    schema,
    without_volatile,
    write_wir,
)

__all__ = [
    "NAMESPACE",
    "PREFIX",
    "READER",
    "SCHEMA_FILE",
    "Exchange",
    "has_metadata",
    "own_identifier",
    "schema",
    "without_volatile",
    "write_wir",
]
