"""Whether a response is valid OAI-PMH 2.0, after schemas on disk: nothing is fetched.

The project's own grammar (`tests/schemas`) always judges. The official XML Schemas judge too where they are
beside the project. Those take metadata, `about` and descriptions only of namespaces that they know; others
are checked for being well-formed and replaced by Dublin Core.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from lxml import etree

from tests.fixtures import shared_too

SCHEMAS = Path(__file__).resolve().parent / "schemas"
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
    """Fail with a schema's message unless this is a valid response."""
    root = etree.fromstring(response, _parser())
    assert root.tag == f"{{{OAI}}}OAI-PMH", f"the root is {root.tag}"
    grammar = own_schema()
    assert grammar.validate(root), str(grammar.error_log)
    for folder in shared_too("xsd"):
        validate_officially(root, folder)


def validate_officially(root: etree._Element, folder: Path) -> None:
    """Fail unless the official schemas in this folder take the response. Changes it."""
    schema = _official_schema(folder)
    for holder in list(root.iter(*_OPEN)):
        _replace_unknown(holder)
    assert schema.validate(root), str(schema.error_log)


def validate_oai_dc(payload: bytes) -> None:
    """Fail with a schema's message unless this is valid oai_dc."""
    root = etree.fromstring(payload, _parser())
    grammar = own_schema("oai_dc")
    assert grammar.validate(root), f"{grammar.error_log}\n{payload!r}"
    for folder in shared_too("xsd"):
        schema = _official_oai_dc(folder)
        assert schema.validate(root), f"{schema.error_log}\n{payload!r}"


@cache
def own_schema(pattern: str = "") -> etree.RelaxNG:
    """Return the project's grammar of a response, or of one pattern in it."""
    grammar = etree.parse(str(SCHEMAS / "oai-pmh.rng"), _parser())
    if pattern:
        (start,) = grammar.iter("{*}start")
        start[:] = [etree.Element("{http://relaxng.org/ns/structure/1.0}ref", name=pattern)]
    return etree.RelaxNG(grammar)


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


@cache
def _official_oai_dc(folder: Path) -> etree.XMLSchema:
    return etree.XMLSchema(etree.parse(str(folder / "oai_dc.xsd"), _parser()))


@cache
def _official_schema(folder: Path) -> etree.XMLSchema:
    imports = "".join(
        f'<import namespace="{namespace}" schemaLocation="{(folder / name).as_uri()}"/>'
        for namespace, name in _FILES.items()
    )
    whole = f'<schema xmlns="http://www.w3.org/2001/XMLSchema">{imports}</schema>'
    return etree.XMLSchema(etree.fromstring(whole, _parser()))


@cache
def _inline_schema(text: str) -> etree.XMLSchema:
    return etree.XMLSchema(etree.fromstring(text))


def _parser() -> etree.XMLParser:
    return etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)
