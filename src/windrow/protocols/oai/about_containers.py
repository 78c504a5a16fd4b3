"""The `<about>` containers of harvested records: provenance and other statements.

The provenance from the record's own provider is nested inside ours and rendered again from its values, so
that ours is valid regardless of its contents. `provider_response.record` puts the result into an `<about>`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from xml.etree import ElementTree  # parses only what `well_formedness` has accepted: no declared entities

from lxml import etree

from windrow.model.record import Granularity, format_datestamp, parse_datestamp
from windrow.protocols.oai.oai_page import NAMESPACE
from windrow.protocols.oai.payload_xml import XSI, escape
from windrow.protocols.oai.provider_request import parse_request_date
from windrow.protocols.oai.well_formedness import find_flaw

PROVENANCE = "http://www.openarchives.org/OAI/2.0/provenance"
MAX_HOPS = 8  # origins nested inside ours
MAX_NESTED_BYTES = 64 * 1024

_HEAD = (
    f'<provenance xmlns="{PROVENANCE}" xmlns:xsi="{XSI}" xsi:schemaLocation="{PROVENANCE} {PROVENANCE}.xsd">'
).encode()
_TAIL = b"</provenance>"
_ORIGIN = (
    b'<originDescription harvestDate="%b" altered="%b"><baseURL>%b</baseURL><identifier>%b</identifier>'
    b"<datestamp>%b</datestamp><metadataNamespace>%b</metadataNamespace>%b</originDescription>"
)
# A second of a day that exists in every month: nearly all datestamps, which need no calendar check.
_USUAL = re.compile(
    r"(?!0000)[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z"
)
_TRUTHS = {"true": True, "1": True, "false": False, "0": False}
_TAG = f"{{{PROVENANCE}}}"


class Provenance:
    """The provenance element of the records of one origin in one format.

    `is_altered`: the payload is not the one that was harvested.
    """

    __slots__ = ("_template",)

    def __init__(self, origin_base_url: str, metadata_namespace: str, *, is_altered: bool) -> None:
        origin, namespace = (
            escape(text).replace(b"%", b"%%") for text in (origin_base_url, metadata_namespace)
        )
        altered = b"true" if is_altered else b"false"
        self._template = _HEAD + _ORIGIN % (b"%b", altered, origin, b"%b", b"%b", namespace, b"%b") + _TAIL

    def render(
        self,
        identifier: str,
        datestamp: str,
        harvest_date: bytes,
        nested: bytes = b"",
        declarations: bytes = b"",
    ) -> bytes:
        """Return the element for one record; b"" if `datestamp`, the provider's own, is not a date.

        `nested` are the harvested record's own `<about>` elements, `declarations` those around them.
        """
        stamp = datestamp.encode() if _USUAL.fullmatch(datestamp) else _strict_stamp(datestamp)
        if stamp is None:
            return b""
        inner = _nested(nested, declarations) if b"originDescription" in nested else b""
        return self._template % (harvest_date, escape(identifier), stamp, inner)


@lru_cache(maxsize=1024)
def provenance_of(origin_base_url: str, metadata_namespace: str, *, is_altered: bool) -> Provenance:
    return Provenance(origin_base_url, metadata_namespace, is_altered=is_altered)


def _strict_stamp(text: str) -> bytes | None:
    """Return the datestamp in the schema's form, unchanged if possible; None if it is not a date."""
    try:
        parse_request_date(text)
    except ValueError:
        moment = parse_datestamp(text)
        return None if moment is None else format_datestamp(moment, Granularity.SECOND).encode()
    return text.encode()


def _nested(about: bytes, declarations: bytes) -> bytes:
    """Return the origins in a record's own provenance, nested; b"" if they cannot be parsed."""
    wrapped = b"<about%b>%b</about>" % (declarations, about)
    if len(wrapped) > MAX_NESTED_BYTES or find_flaw(wrapped) is not None:
        return b""
    try:
        root = ElementTree.fromstring(wrapped)  # noqa: S314 - see the import
    except ElementTree.ParseError:  # expat rejects namespace names with a brace in them
        return b""
    told = root.find(f".//{_TAG}provenance/{_TAG}originDescription")
    hops: list[tuple[bytes, ...]] = []
    while told is not None and len(hops) < MAX_HOPS and (hop := _hop(told)) is not None:
        hops.append(hop)
        told = told.find(f"{_TAG}originDescription")
    inner = b""
    for hop in reversed(hops):
        inner = _ORIGIN % (*hop, inner)
    return inner


def _hop(origin: ElementTree.Element) -> tuple[bytes, ...] | None:
    harvested = _strict_stamp(origin.get("harvestDate", ""))
    is_altered = _TRUTHS.get(origin.get("altered", "").strip())
    base_url, identifier, namespace = (
        " ".join((origin.findtext(_TAG + name) or "").split())
        for name in ("baseURL", "identifier", "metadataNamespace")
    )
    stamp = _strict_stamp((origin.findtext(f"{_TAG}datestamp") or "").strip())
    if harvested is None or is_altered is None or stamp is None or not (base_url and identifier):
        return None
    altered = b"true" if is_altered else b"false"
    return harvested, altered, escape(base_url), escape(identifier), stamp, escape(namespace)


# Statements by others about a harvested record (mostly rights), which are passed on with it.
# `provider_response.record` puts each into an `<about>` of its own. Provenance is left out: it is nested in
# ours.

MAX_BYTES = 256 * 1024


def about_contents(about: bytes, declarations: bytes) -> tuple[bytes, ...]:
    """Return the elements inside harvested `<about>` elements, each well-formed on its own.

    `declarations` are the namespace declarations in their scope. Unparsable elements yield nothing.
    """
    wrapped = b"<abouts%b>%b</abouts>" % (declarations, about)
    if len(wrapped) > MAX_BYTES or find_flaw(wrapped) is not None:
        return ()
    try:
        root = etree.fromstring(wrapped, etree.XMLParser(resolve_entities=False, no_network=True))
    except etree.XMLSyntaxError:  # nested too deeply for the parser
        return ()
    found = (child for each in root for child in each.iterchildren("{*}*"))
    return tuple(etree.tostring(child, with_tail=False) for child in found if _is_others(child))


def _is_others(element: etree._Element) -> bool:
    # <about> must contain an element of a namespace other than the protocol's own (OAI-PMH.xsd, aboutType).
    return etree.QName(element).namespace not in (None, NAMESPACE, PROVENANCE)
