"""Whole answers around what a test renders, and what the harvesting half makes of them."""

from __future__ import annotations

from collections.abc import Sequence

from windrow.model.record import Record
from windrow.protocols.oai.page_parser import parse_page
from windrow.protocols.oai.payload_xml import ROOT_DECLARATIONS
from windrow.protocols.oai.provider_request import RequestRefused
from windrow.protocols.oai.provider_response import (
    about_container,
    envelope,
    errors,
    header,
    listing,
    record,
    render_datestamp,
)

BASE_URL = "https://library.example/oai"
NOON = 1_717_243_200  # 2024-06-01T12:00:00Z
DC = b'<d:dc xmlns:d="http://www.openarchives.org/OAI/2.0/oai_dc/"/>'

# A verb that may be answered with this error.
VERBS_OF_ERRORS = {
    "badResumptionToken": "ListSets",
    "cannotDisseminateFormat": "GetRecord",
    "idDoesNotExist": "GetRecord",
    "noMetadataFormats": "ListMetadataFormats",
    "noRecordsMatch": "ListRecords",
    "noSetHierarchy": "ListSets",
}


def answer(*parts: bytes, echo: Sequence[tuple[str, str]] | None = None) -> bytes:
    asked = _usual_echo(b"".join(parts)) if echo is None else echo
    return envelope(*parts, base_url=BASE_URL, response_date=NOON, echo=asked)


def _usual_echo(content: bytes) -> list[tuple[str, str]]:
    """Return the arguments that a request element must repeat beside this."""
    if b'code="badVerb"' in content or b'code="badArgument"' in content:
        return []
    first = content[1:].partition(b">")[0].decode()
    verb = VERBS_OF_ERRORS.get(first.removeprefix("error code=").strip('"'), first)
    has_format = verb in ("GetRecord", "ListIdentifiers", "ListRecords")
    return [("verb", verb), *([("metadataPrefix", "oai_dc")] if has_format else [])]


def refusal(refused: RequestRefused) -> bytes:
    return answer(errors(refused.errors), echo=refused.echo)


def page(*entries: bytes, verb: str = "ListRecords", token: bytes = b"") -> bytes:
    return answer(*listing(verb, entries, token))


def entry(
    payload: bytes | None = DC,
    declarations: bytes = ROOT_DECLARATIONS,
    *,
    identifier: str = "oai:x:1",
    abouts: Sequence[bytes] = (),
) -> bytes:
    head = header(identifier, render_datestamp(NOON), b"", is_deleted=payload is None)
    return record(head, payload, declarations, b"".join(map(about_container, abouts)))


def harvest(*entries: bytes) -> list[Record]:
    """What a harvester gets out of a page of these; nothing in it may need a repair."""
    harvested = parse_page(page(*entries))
    assert harvested.repairs == ()
    assert harvested.rejects == []
    return harvested.records
