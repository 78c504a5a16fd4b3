"""Faults of resumption tokens, seen by a client that trusts every token."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from tests.servers.fault import Fault
from tests.servers.faults.tokens import Expiring, OddTokens
from tests.servers.items import make_items
from tests.servers.oai import OaiServer
from tests.unit.servers.asking import ask, code, fetch, harvest, list_records, numbers, texts, token_of


def server_with(*faults: Fault | str, count: int = 25) -> OaiServer:
    return OaiServer(make_items(count), *faults, page_size=5)


def test_a_long_chain_expires_and_a_short_one_does_not() -> None:
    with server_with(Expiring(after_pages=2)) as server:
        pages = harvest(server)
        short = list_records(server, from_="2020-01-20")
    assert [code(page) for page in pages] == [None, None, "badResumptionToken"]
    assert code(short) is None


def test_a_token_that_expires_once_works_for_the_next_chain() -> None:
    with server_with("token expires once") as server:
        assert code(harvest(server)[-1]) == "badResumptionToken"
        assert numbers(harvest(server)) == list(range(25))


def test_a_single_use_token_fails_the_second_time() -> None:
    with server_with("single-use tokens") as server:
        assert numbers(harvest(server)) == list(range(25))
        token = token_of(list_records(server))
        tries = [ask(server, verb="ListRecords", resumptionToken=token)[1] for _ in range(2)]
    assert [code(body) for body in tries] == [None, "badResumptionToken"]


def test_a_repeating_token_brings_the_same_page_for_ever() -> None:
    with server_with("token repeats for ever") as server:
        pages = harvest(server, most=6)
    assert len(set(pages[1:])) == 1
    assert len(pages) == 6
    assert len({token_of(page) for page in pages}) == 1


def test_a_token_may_stay_the_same_while_pages_advance() -> None:
    with server_with("same token, pages advance") as server:
        pages = harvest(server)
    assert numbers(pages) == list(range(25))
    assert {token_of(page) for page in pages[:-1]} == {"session-1"}


def test_tokens_may_go_in_a_circle() -> None:
    with server_with("tokens cycle") as server:
        pages = harvest(server, most=7)
    assert numbers(pages) == [*range(5), *[*range(5, 15)] * 3]
    assert token_of(pages[1]) != token_of(pages[2])


@pytest.mark.parametrize("error", ["noRecordsMatch", "badResumptionToken"])
def test_a_token_on_the_last_page_may_lead_to_an_error(error: str) -> None:
    with server_with(f"token on the last page, then {error}") as server:
        pages = harvest(server)
    assert numbers(pages[:-1]) == list(range(25))
    assert code(pages[-1]) == error


def test_a_token_on_the_last_page_may_lead_to_an_empty_list() -> None:
    with server_with("token on the last page, then an empty list") as server:
        pages = harvest(server)
    assert numbers(pages) == list(range(25))
    assert b"<ListRecords></ListRecords>" in pages[-1]


def test_a_page_in_the_middle_may_be_empty() -> None:
    with server_with("empty page in the middle") as server:
        pages = harvest(server)
    assert [len(texts(page, "identifier")) for page in pages] == [5, 0, 5, 5, 5, 5]
    assert numbers(pages) == list(range(25))


def test_empty_pages_may_never_end() -> None:
    with server_with("endless empty pages") as server:
        pages = harvest(server, most=9)
    assert numbers(pages) == list(range(5))
    assert len({token_of(page) for page in pages}) == 9


@pytest.mark.parametrize(
    "tail", ["+", "/", "=", "!", "|", " ", "&", "%2B", "ü", "€", "𝄞", "#", ";", "a b&c=d"]
)
def test_odd_tokens_must_come_back_as_they_went(tail: str) -> None:
    with server_with(OddTokens(tail)) as server:
        assert numbers(harvest(server)) == list(range(25))
        token = token_of(list_records(server)).removesuffix(tail)
        assert code(ask(server, verb="ListRecords", resumptionToken=token)[1]) == "badResumptionToken"


def test_a_server_may_want_its_tokens_unescaped() -> None:
    with server_with("unescaped tokens") as server:
        token = token_of(list_records(server))
        plain = fetch(server, f"/oai?verb=ListRecords&resumptionToken={token}")[1]
        escaped = fetch(server, f"/oai?verb=ListRecords&resumptionToken={quote(token, safe='')}")[1]
    assert numbers([plain]) == [5, 6, 7, 8, 9]
    assert code(escaped) == "badResumptionToken"


def test_a_list_may_end_too_early_without_a_word() -> None:
    with server_with("no tokens") as server:
        assert numbers(harvest(server)) == list(range(5))


def test_a_list_that_shrinks_skips_a_record() -> None:
    with server_with("shrinking list") as server:
        assert 5 not in numbers(harvest(server))
