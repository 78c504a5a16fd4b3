"""Parsing of the small responses: Identify, ListMetadataFormats, ListSets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree  # parses only what `well_formedness` has accepted: no declared entities

from windrow.errors import BadXml, NotOai, OaiError
from windrow.protocols.oai.oai_page import Fault, Token, make_token
from windrow.protocols.oai.page_parser import parse_small
from windrow.protocols.oai.well_formedness import describe_foreign_body


@dataclass(frozen=True, slots=True)
class Identity:
    """A repository's Identify response; every field may be missing or wrong."""

    name: str = ""
    base_url: str = ""
    protocol: str = ""
    earliest: str = ""
    deletion: str = ""  # no, transient or persistent, if valid
    granularity: str = ""
    admins: tuple[str, ...] = ()
    compressions: tuple[str, ...] = ()
    software: str = ""  # from the description `toolkit`
    response_date: str | None = None


@dataclass(frozen=True, slots=True)
class MetadataFormat:
    """A metadata format that a repository offers."""

    prefix: str
    schema: str = ""
    namespace: str = ""


@dataclass(frozen=True, slots=True)
class SetEntry:
    """A set that a repository lists."""

    spec: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class SetPage:
    """One page of ListSets."""

    entries: tuple[SetEntry, ...]
    token: Token | None


def parse_identity(body: bytes) -> Identity:
    root, answer = _open(body, "Identify")
    return Identity(
        name=_text(answer, "repositoryName"),
        base_url=_text(answer, "baseURL"),
        protocol=_text(answer, "protocolVersion"),
        earliest=_text(answer, "earliestDatestamp"),
        deletion=_text(answer, "deletedRecord").lower(),
        granularity=_text(answer, "granularity"),
        admins=_texts(answer, "adminEmail"),
        compressions=_texts(answer, "compression"),
        software=_software(answer),
        response_date=_text(root, "responseDate") or None,
    )


def _software(answer: ElementTree.Element) -> str:
    kits = (item for part in _children(answer, "description") for item in part if _local(item) == "toolkit")
    return next((_text(kit, "title") for kit in kits), "")


def parse_formats(body: bytes) -> tuple[MetadataFormat, ...]:
    _, answer = _open(body, "ListMetadataFormats")
    found = [
        MetadataFormat(_text(item, "metadataPrefix"), _text(item, "schema"), _text(item, "metadataNamespace"))
        for item in _children(answer, "metadataFormat")
    ]
    return tuple({item.prefix: item for item in found if item.prefix}.values())


def parse_sets(body: bytes) -> SetPage:
    _, answer = _open(body, "ListSets")
    entries = tuple(
        SetEntry(_text(item, "setSpec"), _text(item, "setName"))
        for item in _children(answer, "set")
        if _text(item, "setSpec")
    )
    token = next(_children(answer, "resumptionToken"), None)
    return SetPage(entries, make_token(token.text or "", token.attrib) if token is not None else None)


def faults_in(body: bytes) -> tuple[Fault, ...]:
    """Return the OAI-PMH errors in a response; () if it has none or is not OAI-PMH."""
    if b"OAI-PMH" not in body or b"error" not in body:
        return ()
    try:
        return _faults(_root(body))
    except (NotOai, BadXml):
        return ()


def _open(body: bytes, verb: str) -> tuple[ElementTree.Element, ElementTree.Element]:
    root = _root(body)
    if _local(root) != "OAI-PMH":
        raise NotOai(f"the answer is {describe_foreign_body(body)}", body=body)
    answer = next(_children(root, verb), None)
    if answer is not None:
        return root, answer
    for fault in _faults(root):
        raise OaiError(fault.code, fault.text)
    raise NotOai(f"the answer has no <{verb}> in it", body=body)


def _root(body: bytes) -> ElementTree.Element:
    mended, _ = parse_small(body)
    try:
        return ElementTree.fromstring(mended)  # noqa: S314 - see the import
    except ElementTree.ParseError as exc:  # expat rejects namespace names with a brace in them
        raise BadXml(f"the answer cannot be read: {exc}", body=body) from exc


def _faults(root: ElementTree.Element) -> tuple[Fault, ...]:
    return tuple(Fault(item.get("code", ""), _flat(item)) for item in _children(root, "error"))


def _children(parent: ElementTree.Element, local: str) -> Iterator[ElementTree.Element]:
    return (child for child in parent if _local(child) == local)


def _local(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _flat(element: ElementTree.Element) -> str:
    return " ".join("".join(element.itertext()).split())


def _text(parent: ElementTree.Element, local: str) -> str:
    return next((_flat(child) for child in _children(parent, local)), "")


def _texts(parent: ElementTree.Element, local: str) -> tuple[str, ...]:
    return tuple(_flat(child) for child in _children(parent, local) if _flat(child))
