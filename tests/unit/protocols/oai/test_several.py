"""Several documents in one answer: nothing of any of them is lost."""

from __future__ import annotations

import pytest

from tests.unit.protocols.oai.pages import answer, page, record
from windrow.errors import BadXml
from windrow.protocols.oai.oai_page import split_documents
from windrow.protocols.oai.page_parser import parse_page

TOKEN = "<resumptionToken>{}</resumptionToken>"
FIRST = page(record("a"), record("b"), token=TOKEN.format("one"))
SECOND = page(record("c"), token=TOKEN.format("two"))


@pytest.mark.parametrize("between", [b"", b"\n\n", b"<!-- and -->"])
def test_the_records_of_all_documents_are_taken_and_the_last_token(between: bytes) -> None:
    found = parse_page(FIRST + between + SECOND)
    assert [item.identifier for item in found.records] == ["a", "b", "c"]
    assert found.token is not None
    assert found.token.value == "two"
    assert "2 OAI-PMH documents in one answer; all were read" in found.repairs


def test_documents_without_declarations_are_told_apart_too() -> None:
    bare = [body.partition(b"?>")[2] for body in (FIRST, SECOND)]
    assert [item.identifier for item in parse_page(b"".join(bare)).records] == ["a", "b", "c"]


def test_an_error_behind_the_records_does_not_hide_them() -> None:
    found = parse_page(FIRST + answer('<error code="badArgument">odd</error>'))
    assert [item.identifier for item in found.records] == ["a", "b"]
    assert found.token is not None
    assert found.token.value == "one"
    assert found.faults == ()


def test_errors_alone_remain_errors() -> None:
    error = answer('<error code="noRecordsMatch"/>')
    assert [fault.code for fault in parse_page(error + error).faults] == ["noRecordsMatch"]


def test_a_second_document_cut_short_spoils_the_answer() -> None:
    with pytest.raises(BadXml) as caught:
        parse_page(FIRST + SECOND[:-30])
    assert caught.value.is_truncated


def test_each_document_is_mended_by_itself() -> None:
    found = parse_page(FIRST.replace(b"On a", b"R & D") + SECOND.replace(b"On c", b"&ouml;"))
    assert [item.identifier for item in found.records] == ["a", "b", "c"]
    assert {"bare ampersands escaped", "undeclared entities spelled out"} <= set(found.repairs)


def test_a_document_quoted_inside_another_is_left_there() -> None:
    quoted = page(record("a", "<x><![CDATA[" + SECOND.decode() + "]]> & </x>"))
    assert split_documents(quoted) == [quoted]
    assert [item.identifier for item in parse_page(quoted).records] == ["a"]
