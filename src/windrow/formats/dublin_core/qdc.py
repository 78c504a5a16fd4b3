"""Qualified Dublin Core and the DCMI terms, under the many names that repositories use for them."""

from __future__ import annotations

from lxml import etree

from windrow.formats.dublin_core.dc_terms import add_elements
from windrow.formats.mapping.xml_records import Draft
from windrow.formats.registry import Reader
from windrow.model.document import Document


class Qdc:
    """Reader of qualified Dublin Core in any of its wrappers."""

    name = "qdc"
    prefixes = frozenset(
        (
            "qdc",
            "oai_qdc",
            "oai_dcq",
            "dcq",
            "qualifieddc",
            "qualified-dublin-core",
            "dcterms",
            "oai_dcterms",
            "dc_terms",
            "dcx",
            "nsdl_dc",
            "olac",
            "kk_qdc",
            "qdc_finna",
        )
    )
    roots = frozenset(
        (
            "{http://dspace.org/qualifieddc/}qualifieddc",
            "{http://worldcat.org/xmlschemas/qdc-1.0/}qualifieddc",
            "{http://epubs.cclrc.ac.uk/xmlns/qdc/}qualifieddc",
            "{http://www.bl.uk/namespaces/oai_dcq/}qualifieddc",
            "{http://www.openarchives.org/OAI/2.0/oai_dcterms/}dcterms",
            "{http://www.openarchives.org/OAI/2.0/oai_qdc/}qualifieddc",
            "{urn:dc:qdc:container}dcterms",
            "{urn:dc:qdc:container}qualifieddc",
            "{http://purl.org/dc/terms/}dcterms",
            "{http://purl.org/dc/terms/}qualifieddc",
            "{http://ns.nsdl.org/nsdl_dc_v1.02/}nsdl_dc",
            "{http://www.language-archives.org/OLAC/1.0/}olac",
            "{http://www.language-archives.org/OLAC/1.1/}olac",
            "qualifieddc",
            "dcterms",
        )
    )

    def read(self, root: etree._Element) -> Document:
        draft = Draft()
        add_elements(draft, root)
        return draft.finish()


READER: Reader = Qdc()
