"""The schemas that other tests lean on do refuse what is wrong."""

from __future__ import annotations

import pytest

from tests.oai_schema import is_uri, validate

HEAD = (
    '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>2024-06-01T12:00:00Z</responseDate>'
)
HEADER = "<header><identifier>oai:x:1</identifier><datestamp>2024-01-01</datestamp></header>"
DC = 'xmlns:o="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/"'


def respond(inside: str, request: str = "<request>https://x.example/oai</request>") -> bytes:
    return f"{HEAD}{request}{inside}</OAI-PMH>".encode()


def record(payload: str, about: str = "") -> bytes:
    inside = f"<record>{HEADER}<metadata>{payload}</metadata>{about}</record>"
    return respond(f"<GetRecord>{inside}</GetRecord>")


@pytest.mark.parametrize(
    "response",
    [
        record(f"<o:dc {DC}><dc:title>x</dc:title></o:dc>"),
        record('<anything xmlns="urn:of-no-schema"><goes/></anything>'),
        record(f"<o:dc {DC}/>", '<about><x xmlns="urn:x"/></about>'),
        respond('<error code="badVerb"/>'),
    ],
)
def test_a_valid_answer_passes(response: bytes) -> None:
    validate(response)


@pytest.mark.parametrize(
    "response",
    [
        b"<OAI-PMH/>",
        respond(""),
        respond('<error code="serviceUnavailable"/>'),
        respond('<error code="badVerb"/>', '<request verb="Harvest">https://x.example/oai</request>'),
        respond("<ListRecords></ListRecords>"),
        record(""),
        record("<bare xmlns=''/>"),
        record("<record/>"),
        record(f"<o:dc {DC}><dc:nonsense/></o:dc>"),
        record('<a xmlns="urn:a"/><b xmlns="urn:b"/>'),
        record('<a xmlns="urn:a"/>', "<about/>"),
        record(
            '<a xmlns="urn:a"/>',
            '<about><provenance xmlns="http://www.openarchives.org/OAI/2.0/provenance"/></about>',
        ),
        respond(
            "<ListSets><set><setSpec>a</setSpec><setName>A</setName><setDescription>"
            '<friends xmlns="http://www.openarchives.org/OAI/2.0/friends/"><enemy/></friends>'
            "</setDescription></set></ListSets>"
        ),
    ],
)
def test_an_invalid_answer_does_not(response: bytes) -> None:
    with pytest.raises(AssertionError):
        validate(response)


def test_uris_are_told_from_what_is_none() -> None:
    assert is_uri("oai:x:1")
    assert not is_uri("100%")
