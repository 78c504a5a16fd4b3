"""The registry of readers, and the entry point for all formats: payload bytes in, Document out.

Readers are looked up by the root element of the payload; the metadataPrefix of the request counts only if
the root is ambiguous. The modules of the formats are imported when the first record is read.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Protocol
from xml.parsers import expat

from lxml import etree

from windrow.errors import BadXml
from windrow.model.document import Document
from windrow.plugins import load_plugins

if TYPE_CHECKING:
    from windrow.formats.dublin_core.oai_dc_fast import FlatReader


class Reader(Protocol):
    """Reader of one metadata format, the interface that plug-ins implement.

    A reader is a total function of well-formed XML: odd, empty or missing elements result in a Document
    with fewer fields, never in an exception.
    """

    name: str  # the canonical metadataPrefix: "oai_dc"
    prefixes: frozenset[str]  # other prefixes repositories use for the same format
    roots: frozenset[str]  # root elements in Clark notation: "{http://…/oai_dc/}dc"

    def read(self, root: etree._Element) -> Document:
        """Return the document that this record's root element describes."""
        ...


# The only XML parser of this package. A payload is put back into an element with the declarations it needs.


def parse_payload(payload: bytes, declarations: bytes) -> etree._Element:
    """Return the element around a payload. Raise lxml's XMLSyntaxError if it is not well-formed."""
    envelope = b"<w%b>%b</w>" % (declarations, payload)
    try:
        return etree.fromstring(envelope, _PARSERS.strict)
    except etree.XMLSyntaxError:
        # lxml refuses namespace names that are not URIs, which XML allows: repositories put two addresses
        # into one, or a placeholder. If a stricter parser of XML itself accepts the payload, it is
        # accepted.
        if not _is_well_formed(envelope):
            raise
        return etree.fromstring(envelope, _PARSERS.lenient)


def _is_well_formed(document: bytes) -> bool:
    try:
        # With a blank as separator, expat would reject namespace names that contain one.
        expat.ParserCreate(namespace_separator="#").Parse(document, True)
    except expat.ExpatError:
        return False
    return True


def _parser(*, recover: bool) -> etree.XMLParser:
    return etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=True,
        remove_comments=True,
        remove_pis=True,
        recover=recover,
    )


class _Parsers(threading.local):
    """Parsers of one thread, because lxml locks a shared one."""

    def __init__(self) -> None:
        self.strict = _parser(recover=False)
        self.lenient = _parser(recover=True)


_PARSERS = _Parsers()

ENTRY_POINTS = "windrow.formats"

# Each module has one reader, READER. If two claim the same root, the later one gets it.
BUILT_IN = (
    "windrow.formats.dublin_core.oai_dc",
    "windrow.formats.dublin_core.qdc",
    "windrow.formats.repositories.kk",
    "windrow.formats.repositories.dim",
    "windrow.formats.repositories.xoai",
    "windrow.formats.dublin_core.etdms",
    "windrow.formats.dublin_core.uketd_dc",
    "windrow.formats.scholarly.oai_doaj",
    "windrow.formats.repositories.arxiv",
    "windrow.formats.scholarly.datacite",
    "windrow.formats.marc.marcxml",
    "windrow.formats.mods",
    "windrow.formats.mets",
    "windrow.formats.didl",
    "windrow.formats.repositories.ore",
    "windrow.formats.linked_data.rdf_xml",
    "windrow.formats.linked_data.edm",
    "windrow.formats.lido",
    "windrow.formats.repositories.jpcoar",
    "windrow.formats.iso19139",
    "windrow.formats.lom",
    "windrow.formats.ddi",
    "windrow.formats.ddi3",
    "windrow.formats.eac_cpf",
    "windrow.formats.scholarly.jats",
    "windrow.formats.tei",
    "windrow.formats.scholarly.cerif",
    "windrow.formats.marc.iso2709",
    "windrow.formats.windrow_document",
    "windrow.formats.wir.wir_record",
)
# Ambiguous names of root elements: the namespace or the prefix decides.
_VAGUE = """
article collection entry Event feed Item list metadata Person Product Project record resource Service thesis
"""
_VAGUE_NAMES = frozenset(_VAGUE.split())
GENERIC = "windrow.formats.generic"
CARRIED = "windrow.formats.generic"  # for payloads of text alone
# Formats whose elements are self-explanatory. A record of theirs without a title is read once more by the
# names of its elements: it may be wrapped, or of another format altogether.
_BY_NAME = frozenset(("oai_dc", "qdc", "etdms", "uketd_dc"))
JOINING = "windrow.formats.wrappers"
QUICK = "windrow.formats.dublin_core.oai_dc_fast"  # for plain records of the first format above


class Registry:
    """A set of readers."""

    def __init__(self, readers: Iterable[Reader]) -> None:
        self.readers = tuple(readers)
        self._by_root = {root: reader for reader in self.readers for root in reader.roots}
        self._by_name: dict[str, list[Reader]] = {}
        for reader in self.readers:
            for name in {root.rpartition("}")[2] for root in reader.roots}:
                self._by_name.setdefault(name, []).append(reader)

    def reader_of_root(self, root_tag: str) -> Reader | None:
        """Return the reader of exactly this root element; a name without its namespace is not enough."""
        return self._by_root.get(root_tag) if root_tag.startswith("{") else None

    def reader_for(self, root_tag: str, prefix: str) -> Reader | None:
        """Return the reader of a root element in Clark notation, or None for an unknown format.

        A root in the wrong namespace, or in none, is recognised by its name: alone if only one format has a
        root of that name, otherwise together with the prefix.
        """
        known = self._by_root.get(root_tag)
        if known is not None:
            return known
        name = root_tag.rpartition("}")[2]
        same_name = self._by_name.get(name, [])
        for reader in same_name:
            if prefix == reader.name or prefix in reader.prefixes:
                return reader
        is_telling = len(same_name) == 1 and name not in _VAGUE_NAMES
        return same_name[0] if is_telling else None


@cache
def registry(*, with_plugins: bool = True) -> Registry:
    """Return the built-in readers, preceded by those of installed packages."""
    readers: list[Reader] = [import_module(module).READER for module in BUILT_IN]
    return Registry([*readers, *_plugins()] if with_plugins else readers)


def reader_for(root_tag: str, prefix: str, *, with_plugins: bool = True) -> Reader | None:
    """Return the reader of a root element in Clark notation, or None for an unknown format."""
    return registry(with_plugins=with_plugins).reader_for(root_tag, prefix)


def read(payload: bytes, declarations: bytes, prefix: str, *, with_plugins: bool = True) -> Document:
    """Return the document in a payload of any format.

    `payload` is the content of <metadata>, in UTF-8; `declarations` are the namespace declarations in scope
    there, written as in a start tag. Raise BadXml for a payload that is not well-formed.
    """
    document = _quick_way(with_plugins).read(payload, declarations)
    if document is not None and document.titles:
        return document
    try:
        envelope = parse_payload(payload, declarations)
    except etree.XMLSyntaxError as exc:
        raise BadXml(f"The {prefix} metadata is not well-formed: {exc}", body=payload) from exc
    if len(envelope) == 0:
        return _document_of_text(envelope)
    root = envelope[0]
    reader = registry(with_plugins=with_plugins).reader_for(root.tag, prefix)
    if reader is None:
        return _generic().read(root)
    is_by_name = reader.name in _BY_NAME
    if is_by_name and _holds_another(root, with_plugins=with_plugins):
        return _generic().read(root)
    document = reader.read(root)
    return _second_look(root, document) if is_by_name and not document.titles else document


def _holds_another(root: etree._Element, *, with_plugins: bool) -> bool:
    """Return whether a root contains nothing but a record of a known format, by its namespace."""
    return len(root) == 1 and registry(with_plugins=with_plugins).reader_of_root(str(root[0].tag)) is not None


def _second_look(root: etree._Element, document: Document) -> Document:
    """Read a record by element names, because its own reader found no title."""
    found = _generic().read(root)
    if not found.titles:
        return document
    bare = Document(extra=document.extra)
    return found if document == bare else import_module(JOINING).join(document, found)


def _document_of_text(envelope: etree._Element) -> Document:
    """Return the document of a payload without elements: text, or a record carried as text."""
    text = " ".join((envelope.text or "").split())
    if not text:
        return Document()
    carried = import_module(CARRIED)
    found: Document | None = carried.marc_in(text)
    tree = None if found is not None else carried.tree_in(text)
    if tree is not None:
        found = import_module(GENERIC).read_tree(tree)
    return found if found is not None and found != Document() else Document(extra={"text": (text,)})


@cache
def _quick_way(with_plugins: bool, /) -> FlatReader:
    """Return the fast reader, for those roots of oai_dc that no plug-in claims; no built-in reader does."""
    # Most libraries have no other format, so the readers of the others are not imported for it.
    taken = {root for reader in _plugins() for root in reader.roots} if with_plugins else set()
    roots = frozenset(import_module(BUILT_IN[0]).READER.roots) - taken
    reader: FlatReader = import_module(QUICK).FlatReader(roots)
    return reader


def _plugins() -> list[Reader]:
    return load_plugins(ENTRY_POINTS, "format")


@cache
def _generic() -> Reader:
    reader: Reader = import_module(GENERIC).READER
    return reader
