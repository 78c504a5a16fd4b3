"""Metadata formats by metadataPrefix: schema and namespace for ListMetadataFormats, and richness.

Widely used prefixes are in a table; for all others the root element of a payload is examined. No schema is
ever fetched. `richness_rank` decides which format of a record its document is made from.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple
from xml.parsers import expat

MOST_BYTES = 64 * 1024  # bytes of a payload and of its declarations; root tags are far shorter
LONGEST_ADDRESS_CHARACTERS = 2000

_XSI = "http://www.w3.org/2001/XMLSchema-instance"
# Between namespace and name; no namespace contains it, since parsers normalise it to a space.
_SEPARATOR = "\n"


class FormatFacts(NamedTuple):
    """The schema address and the namespace of a format; either is empty if unknown."""

    schema: str
    namespace: str


# Prefixes, schema, namespace. Of several versions of a format, the most widespread one is listed.
_TABLE = """
oai_dc dc
  http://www.openarchives.org/OAI/2.0/oai_dc.xsd
  http://www.openarchives.org/OAI/2.0/oai_dc/
qdc oai_qdc dcterms
  http://dublincore.org/schemas/xmls/qdc/2008/02/11/dcterms.xsd
  http://purl.org/dc/terms/
oai_dcterms
  http://www.openarchives.org/OAI/2.0/oai_dcterms.xsd
  http://www.openarchives.org/OAI/2.0/oai_dcterms/
marcxml marc21 marc
  http://www.loc.gov/standards/marcxml/schema/MARC21slim.xsd
  http://www.loc.gov/MARC21/slim
oai_marc
  http://www.openarchives.org/OAI/1.1/oai_marc.xsd
  http://www.openarchives.org/OAI/1.1/oai_marc
rfc1807 oai_rfc1807
  http://www.openarchives.org/OAI/1.1/rfc1807.xsd
  http://info.internet.isi.edu:80/in-notes/rfc/files/rfc1807.txt
mods
  http://www.loc.gov/standards/mods/v3/mods.xsd
  http://www.loc.gov/mods/v3
mets
  http://www.loc.gov/standards/mets/mets.xsd
  http://www.loc.gov/METS/
ead oai_ead
  http://www.loc.gov/ead/ead.xsd
  urn:isbn:1-931666-22-9
etdms oai_etdms
  http://www.ndltd.org/standards/metadata/etdms/1.0/etdms.xsd
  http://www.ndltd.org/standards/metadata/etdms/1.0/
uketd_dc
  http://naca.central.cranfield.ac.uk/ethos-oai/2.0/uketd_dc.xsd
  http://naca.central.cranfield.ac.uk/ethos-oai/2.0/
didl oai_didl
  http://standards.iso.org/ittf/PubliclyAvailableStandards/MPEG-21_schema_files/did/didl.xsd
  urn:mpeg:mpeg21:2002:02-DIDL-NS
ore
  http://tweety.lanl.gov/public/schemas/2008-06/atom-tron.sch
  http://www.w3.org/2005/Atom
rdf
  http://www.openarchives.org/OAI/2.0/rdf.xsd
  http://www.openarchives.org/OAI/2.0/rdf/
xoai
  http://www.lyncode.com/schemas/xoai.xsd
  http://www.lyncode.com/xoai
dim
  http://www.dspace.org/schema/dim.xsd
  http://www.dspace.org/xmlns/dspace/dim
datacite datacite4
  http://schema.datacite.org/meta/kernel-4/metadata.xsd
  http://datacite.org/schema/kernel-4
datacite3
  http://schema.datacite.org/meta/kernel-3/metadata.xsd
  http://datacite.org/schema/kernel-3
oai_datacite oai_datacite4
  http://schema.datacite.org/oai/oai-1.1/oai.xsd
  http://schema.datacite.org/oai/oai-1.1/
lido oai_lido
  http://www.lido-schema.org/schema/v1.0/lido-v1.0.xsd
  http://www.lido-schema.org
edm
  http://www.europeana.eu/schemas/edm/EDM.xsd
  http://www.europeana.eu/schemas/edm/
ese
  http://www.europeana.eu/schemas/ese/ESE-V3.4.xsd
  http://www.europeana.eu/schemas/ese/
oai_doaj
  https://doaj.org/static/doaj/doajArticles.xsd
  http://doaj.org/features/oai_doaj/1.0/
arXiv
  http://arxiv.org/OAI/arXiv.xsd
  http://arxiv.org/OAI/arXiv/
arXivRaw
  http://arxiv.org/OAI/arXivRaw.xsd
  http://arxiv.org/OAI/arXivRaw/
arXivOld
  http://arxiv.org/OAI/arXivOld.xsd
  http://arxiv.org/OAI/arXivOld/
jpcoar jpcoar_1.0
  https://github.com/JPCOAR/schema/blob/master/1.0/jpcoar_scm.xsd
  https://github.com/JPCOAR/schema/blob/master/1.0/
junii2
  http://irdb.nii.ac.jp/oai/junii2-3-1.xsd
  http://irdb.nii.ac.jp/oai
oai_openaire
  https://www.openaire.eu/schema/repo-lit/4.0/openaire.xsd
  http://namespace.openaire.eu/schema/oaire/
oai_cerif_openaire
  https://www.openaire.eu/schema/cris/1.1/openaire-cerif-profile.xsd
  https://www.openaire.eu/cerif-profile/1.1/
rioxx
  http://www.rioxx.net/schema/v2.0/rioxx/rioxx.xsd
  http://www.rioxx.net/schema/v2.0/rioxx/
olac
  http://www.language-archives.org/OLAC/1.1/olac.xsd
  http://www.language-archives.org/OLAC/1.1/
epicur
  http://www.persistent-identifier.de/xepicur/version1.0/xepicur.xsd
  urn:nbn:de:1111-2004033116
xMetaDissPlus xmetadissplus
  http://www.d-nb.de/standards/xmetadissplus/xmetadissplus.xsd
  http://www.d-nb.de/standards/xmetadissplus/
iso19139 gmd
  http://www.isotc211.org/2005/gmd/gmd.xsd
  http://www.isotc211.org/2005/gmd
oai_ddi25 ddi ddi25
  https://ddialliance.org/Specification/DDI-Codebook/2.5/XMLSchema/codebook.xsd
  ddi:codebook:2_5
iso19115-3
  http://standards.iso.org/iso/19115/-3/mdb/2.0/mdb.xsd
  http://standards.iso.org/iso/19115/-3/mdb/2.0
lom oai_lom
  http://ltsc.ieee.org/xsd/lomv1.0/lom.xsd
  http://ltsc.ieee.org/xsd/LOM
ddi3 ddi32
  http://www.ddialliance.org/Specification/DDI-Lifecycle/3.2/XMLSchema/instance.xsd
  ddi:instance:3_2
eac-cpf eac
  https://eac.staatsbibliothek-berlin.de/schema/cpf.xsd
  urn:isbn:1-931666-33-4
pmc pmc_fm jats
  https://jats.nlm.nih.gov/archiving/1.4/xsd/JATS-archivearticle1-4.xsd
  https://jats.nlm.nih.gov/ns/archiving/1.4/
tei oai_tei
  https://www.tei-c.org/release/xml/tei/custom/schema/xsd/tei_all.xsd
  http://www.tei-c.org/ns/1.0
"""


class _Found(Exception):
    """Raised at the root element to stop the parser."""

    def __init__(self, name: str, attributes: dict[str, str]) -> None:
        super().__init__(name)
        self.name = name
        self.attributes = attributes


def known_format(prefix: str) -> FormatFacts | None:
    """Return schema and namespace for a widely used metadataPrefix, or None."""
    return _by_prefix().get(prefix)


def describe_payload(payload: bytes, declarations: bytes) -> FormatFacts:
    """Return schema and namespace by the root element of a payload.

    The schema is the one that the root declares for its namespace, or else the usual one. Both are empty if
    the payload is not well-formed up to there.
    """
    root = _root_of(payload[:MOST_BYTES], declarations)
    if root is None:
        return FormatFacts("", "")
    namespace, _, name = root.name.rpartition(_SEPARATOR)
    if not name or not _is_address(namespace):
        return FormatFacts(_located(root.attributes, ""), "")
    schema = _located(root.attributes, namespace) or _by_namespace().get(namespace, "")
    return FormatFacts(schema, namespace)


@cache
def _by_prefix() -> dict[str, FormatFacts]:
    lines = _TABLE.strip().split("\n")
    facts: dict[str, FormatFacts] = {}
    for prefixes, schema, namespace in zip(lines[::3], lines[1::3], lines[2::3], strict=True):
        facts |= dict.fromkeys(prefixes.split(), FormatFacts(schema.strip(), namespace.strip()))
    return facts


@cache
def _by_namespace() -> dict[str, str]:
    return {facts.namespace: facts.schema for facts in _by_prefix().values()}


def _root_of(start: bytes, declarations: bytes) -> _Found | None:
    # No more of the payload is parsed than the start tag of its root.
    if len(declarations) > MOST_BYTES:
        return None
    parser = expat.ParserCreate("utf-8", _SEPARATOR)
    try:
        parser.Parse(b"<w%b>" % declarations, False)
        parser.StartElementHandler = _raise_root
        parser.Parse(start, False)
    except _Found as found:
        return found
    except (expat.ExpatError, ValueError):
        return None
    return None


def _raise_root(name: str, attributes: dict[str, str]) -> None:
    raise _Found(name, attributes)


def _located(attributes: dict[str, str], namespace: str) -> str:
    """Return the schema address that the root declares for its namespace, or ""."""
    if not namespace:
        address = attributes.get(f"{_XSI}{_SEPARATOR}noNamespaceSchemaLocation", "").strip()
        return address if _is_whole(address) else ""
    words = attributes.get(f"{_XSI}{_SEPARATOR}schemaLocation", "").split()
    pairs = zip(words[::2], words[1::2], strict=False)
    return next((place for name, place in pairs if name == namespace and _is_whole(place)), "")


def _is_address(text: str) -> bool:
    """Return whether a text is valid where OAI-PMH requires the address of a schema."""
    return 0 < len(text) <= LONGEST_ADDRESS_CHARACTERS and text.isprintable() and " " not in text


def _is_whole(address: str) -> bool:
    # Some records name a file next to them, which no client can resolve.
    return ":" in address and _is_address(address)


# Ranking of formats by richness. A document is made from the richest format that was harvested. Formats are
# not merged: two descriptions of one work differ in spelling more often than they complement each other.

# From the richest format to the poorest. Formats that are not listed rank after oai_dc.
RICHEST_FIRST = (
    "windrow_document",
    "wir",
    "kk",
    "xoai",
    "dim",
    "mods",
    "marcxml",
    "marc21",
    "marc",
    "lido",
    "jpcoar",
    "oai_datacite",
    "datacite",
    "oai_openaire",
    "edm",
    "qdc",
    "oai_qdc",
    "dcterms",
    "uketd_dc",
    "oai_etdms",
    "etdms",
    "arXiv",
    "arXivRaw",
    "oai_doaj",
    "mets",
    "didl",
    "rdf",
    "ore",
    "oai_dc",
)
_RANKS = {prefix: rank for rank, prefix in enumerate(RICHEST_FIRST)}
_BARE = ("http_header",)  # describes the file transfer, not the resource


def richness_rank(prefix: str) -> int:
    """Return the rank of a format; the richest has the smallest."""
    return _RANKS.get(prefix, len(_RANKS) + (prefix in _BARE))
