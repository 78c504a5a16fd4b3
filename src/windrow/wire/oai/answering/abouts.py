"""What others said about a harvested record (rights, mostly), to be said again with it.

`render.record` puts each into an `<about>` of its own. Provenance is left out: `provenance` nests it in ours.
"""

from __future__ import annotations

from lxml import etree

from windrow.wire.oai.answering.provenance import PROVENANCE
from windrow.wire.oai.page import NAMESPACE
from windrow.wire.oai.strict import find_flaw

MAX_BYTES = 256 * 1024


def contents_of(about: bytes, declarations: bytes) -> tuple[bytes, ...]:
    """Give the elements inside harvested `<about>` elements, each standing by itself.

    `declarations` are what was declared around them. What cannot be read gives nothing.
    """
    wrapped = b"<abouts%b>%b</abouts>" % (declarations, about)
    if len(wrapped) > MAX_BYTES or find_flaw(wrapped) is not None:
        return ()
    try:
        root = etree.fromstring(wrapped, etree.XMLParser(resolve_entities=False, no_network=True))
    except etree.XMLSyntaxError:  # nested deeper than it goes
        return ()
    found = (child for each in root for child in each.iterchildren("{*}*"))
    return tuple(etree.tostring(child, with_tail=False) for child in found if _is_others(child))


def _is_others(element: etree._Element) -> bool:
    # Inside <about> stands what is of a namespace, and not of the protocol's own (OAI-PMH.xsd, aboutType).
    return etree.QName(element).namespace not in (None, NAMESPACE, PROVENANCE)
