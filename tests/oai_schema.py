"""Whether an answer is valid OAI-PMH 2.0: the official schemas, read from disk, nothing fetched.

The schemas take metadata, `about` and descriptions only of namespaces that they know; others are checked for
being well-formed and stand in the way as Dublin Core.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from lxml import etree

from tests.fixtures import shared

OAI = "http://www.openarchives.org/OAI/2.0/"
OAI_DC = f"{OAI}oai_dc/"
PROVENANCE = f"{OAI}provenance"
FRIENDS = f"{OAI}friends/"
_FILES = {
    OAI: "OAI-PMH.xsd",
    OAI_DC: "oai_dc.xsd",
    PROVENANCE: "provenance.xsd",
    f"{OAI}oai-identifier": "oai-identifier.xsd",
    f"{OAI}branding/": "branding.xsd",
    "http://oai.dlib.vt.edu/OAI/metadata/toolkit": "toolkit.xsd",
}
_OPEN = tuple(f"{{{OAI}}}{name}" for name in ("metadata", "about", "description", "setDescription"))
# There is no schema for friends beside the others; this says what its description says.
_FRIENDS_SCHEMA = f"""
<schema xmlns="http://www.w3.org/2001/XMLSchema" targetNamespace="{FRIENDS}" elementFormDefault="qualified">
  <element name="friends"><complexType><sequence>
    <element name="baseURL" type="anyURI" minOccurs="0" maxOccurs="unbounded"/>
  </sequence></complexType></element>
</schema>"""

_URI_SCHEMA = '<schema xmlns="http://www.w3.org/2001/XMLSchema"><element name="uri" type="anyURI"/></schema>'


def validate(response: bytes) -> None:
    """Fail with the schema's message unless this is a valid answer."""
    schema = _schema(shared("xsd"))
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)
    root = etree.fromstring(response, parser)
    assert root.tag == f"{{{OAI}}}OAI-PMH", f"the root is {root.tag}"
    for holder in list(root.iter(*_OPEN)):
        _replace_unknown(holder)
    assert schema.validate(root), str(schema.error_log)


def is_uri(text: str) -> bool:
    """Whether the schema takes this for a URI; identifiers that others gave out need not be one."""
    element = etree.Element("uri")
    element.text = text
    return _inline_schema(_URI_SCHEMA).validate(element)


def _replace_unknown(holder: etree._Element) -> None:
    for child in holder.iterchildren("*"):
        namespace = etree.QName(child).namespace
        if namespace == FRIENDS:
            schema = _inline_schema(_FRIENDS_SCHEMA)
            assert schema.validate(child), str(schema.error_log)
        if namespace not in (None, *_FILES):
            stub = etree.Element(f"{{{OAI_DC}}}dc", nsmap={"oai_dc": OAI_DC})
            stub.tail = child.tail
            holder.replace(child, stub)


@lru_cache(maxsize=1)
def _schema(folder: Path) -> etree.XMLSchema:
    imports = "".join(
        f'<import namespace="{namespace}" schemaLocation="{(folder / name).as_uri()}"/>'
        for namespace, name in _FILES.items()
    )
    whole = f'<schema xmlns="http://www.w3.org/2001/XMLSchema">{imports}</schema>'
    return etree.XMLSchema(etree.fromstring(whole, etree.XMLParser(no_network=True)))


@lru_cache(maxsize=2)
def _inline_schema(text: str) -> etree.XMLSchema:
    return etree.XMLSchema(etree.fromstring(text))
