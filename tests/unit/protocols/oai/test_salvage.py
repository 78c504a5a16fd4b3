"""One broken record costs itself and nothing else."""

from __future__ import annotations

import pytest

from tests.unit.protocols.oai.pages import header, page, payload, record, tombstone
from windrow.errors import BadXml
from windrow.protocols.oai.page_parser import parse_page
from windrow.protocols.oai.page_repair import MAX_ENVELOPE_BYTES

TOKEN = '<resumptionToken cursor="3" completeListSize="9" expirationDate="2025">n&amp;m</resumptionToken>'
BROKEN = {
    "mismatched tags": "<x><y></x></y>",
    "open element": "<x><y></x>",
    "open CDATA": "<x><![CDATA[</x>",
    "open comment": "<x><!-- </x>",
    "attribute twice": "<x a='1' a='2'/>",
    "attribute without quotes": "<x a=1/>",
    "open attribute": "<x a='></x>",
    "too many ends": "</x></metadata>",
    "a tag that is text": "<x>a <b and c</x>",
}


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_record_is_rejected_and_the_others_are_kept(name: str, place: int) -> None:
    entries = [record("a"), tombstone("b")]
    entries.insert(place, record("broken", BROKEN[name]))
    found = parse_page(page(*entries, token=TOKEN))
    assert [item.identifier for item in found.records] == ["a", "b"]
    (reject,) = found.rejects
    assert reject.identifier == "broken"
    assert reject.reason.startswith("not well-formed: ")
    assert BROKEN[name].encode() in reject.raw


def test_the_token_and_the_date_are_kept() -> None:
    found = parse_page(page(record("a", "<x>"), record("b"), token=TOKEN))
    assert found.token is not None
    assert (found.token.value, found.token.cursor, found.token.size) == ("n&m", 3, 9)
    assert found.token.expires == "2025"
    assert found.response_date == "2024-06-01T12:00:00Z"
    assert "read one by one" in found.repairs[-1]


def test_a_broken_last_page_has_no_token() -> None:
    assert parse_page(page(record("a", "<x>"), record("b"))).token is None
    empty = parse_page(page(record("a", "<x>"), token="<resumptionToken/>")).token
    assert empty is not None
    assert empty.value == ""


def test_records_without_identifier_or_metadata_are_rejected_beside_broken_ones() -> None:
    empty = f"<record>{header('empty')}</record>"
    found = parse_page(page(record("a", "<x>"), empty, record("b")))
    assert [item.identifier for item in found.records] == ["b"]
    assert [item.identifier for item in found.rejects] == ["a", "empty"]


def test_a_page_of_nothing_but_broken_records_is_a_page_of_rejects() -> None:
    found = parse_page(page(*[record(str(number), "<x>") for number in range(5)], token=TOKEN))
    assert found.records == []
    assert [item.identifier for item in found.rejects] == ["0", "1", "2", "3", "4"]
    assert found.token is not None


def test_prefixed_records_are_told_apart_too() -> None:
    body = page(record("a", "<x>"), record("b"), token=TOKEN).decode().replace("xmlns=", "xmlns:o=")
    for name in ("OAI-PMH", "responseDate", "request", "ListRecords", "record", "header", "identifier"):
        body = body.replace(f"<{name}", f"<o:{name}").replace(f"</{name}", f"</o:{name}")
    for name in ("datestamp", "metadata", "resumptionToken"):
        body = body.replace(f"<{name}", f"<o:{name}").replace(f"</{name}", f"</o:{name}")
    found = parse_page(body.encode())
    assert [item.identifier for item in found.records] == ["b"]
    assert found.token is not None


def test_records_that_can_be_mended_are_mended_beside_the_broken_one() -> None:
    found = parse_page(page(record("a", "<x>"), record("b", payload("R & D")), record("c", "<dc:x/>")))
    assert [item.identifier for item in found.records] == ["b", "c"]
    assert found.records[0].payload == payload("R &amp; D").encode()


def test_the_line_in_a_reason_is_counted_from_the_record() -> None:
    (reject,) = parse_page(page(record("a"), record("b", "<x>\n<y>\n</x>"), record("c"))).rejects
    assert reject.reason == "not well-formed: mismatched tag (line 3, column 2)"


def test_an_envelope_too_large_to_be_read_with_every_record_is_refused() -> None:
    body = page(record("a", "<x>"), record("b"))
    with pytest.raises(BadXml):
        parse_page(body.replace(b"<request", b"<!--" + b"x" * MAX_ENVELOPE_BYTES + b"--><request"))


def test_a_page_without_a_record_to_tell_apart_is_refused() -> None:
    with pytest.raises(BadXml, match="not well-formed"):
        parse_page(page("<recrod><x></recrod>"))
