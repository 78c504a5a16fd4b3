"""What a format must offer to be read: the protocol that the contract suite checks."""

from __future__ import annotations

from typing import Protocol

from lxml import etree

from windrow.model.document import Document


class Reader(Protocol):
    """Reads one metadata format.

    A reader is a total function of well-formed XML: odd, empty or missing elements give a
    Document with fewer fields, never an exception.
    """

    name: str  # the canonical metadataPrefix: "oai_dc"
    prefixes: frozenset[str]  # other prefixes repositories use for the same format
    roots: frozenset[str]  # root elements in Clark notation: "{http://…/oai_dc/}dc"

    def read(self, root: etree._Element) -> Document:
        """Give the document that this record's root element describes."""
        ...
