"""Tokens tried out: used twice, escaped, leading back."""

from __future__ import annotations

import pytest

from tests.servers.fault import Fault
from tests.servers.faults.tokens import UnescapedTokens
from tests.servers.items import make_items
from tests.servers.oai import OaiServer
from tests.unit.sources.probing import about, probe, probe_with, topics
from windrow.sources.repository_findings import Grade


def test_a_token_that_works_twice_is_good() -> None:
    found = about(probe_with(), "tokens")
    assert found.grade is Grade.GOOD
    assert found.facts["is_reusable"] is True


@pytest.mark.parametrize(
    ("fault", "grade", "words"),
    [
        ("single-use tokens", Grade.NOTE, "a token works only once"),
        ("same token, pages advance", Grade.NOTE, "it goes on instead of repeating the page"),
        ("token repeats for ever", Grade.PROBLEM, "leads back to the second page"),
        (UnescapedTokens("!:/"), Grade.NOTE, "tokens must come back unescaped"),
    ],
    ids=str,
)
def test_how_tokens_behave_is_found_out(fault: Fault | str, grade: Grade, words: str) -> None:
    found = [item for item in probe_with(fault).findings if item.topic == "tokens"]
    assert found[0].grade is grade
    assert words in found[0].found


def test_odd_characters_in_tokens_are_named() -> None:
    report = probe_with("odd tokens")
    assert "+/=!|% &;ü€𝄞#" in about(report, "token-characters").found
    assert about(report, "tokens").grade is Grade.GOOD


def test_plain_tokens_are_not_spoken_of() -> None:
    assert "token-characters" not in topics(probe_with())


def test_an_empty_page_in_the_middle_is_noted() -> None:
    found = [item.found for item in probe_with("empty page in the middle").findings if item.topic == "tokens"]
    assert "the second page is empty, and has a token all the same" in found


def test_a_list_of_one_page_has_no_tokens_to_try() -> None:
    with OaiServer(make_items(3)) as server:
        report = probe(server)
        assert not [request for request in server.requests if "resumptionToken" in request.query]
    assert "tokens" not in topics(report)
