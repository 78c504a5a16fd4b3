"""A chain of pages that goes nowhere is ended, and one that only looks odd is not."""

from __future__ import annotations

from windrow.harvest.oai.page_chain import MAX_EMPTY_PAGES, MAX_REPEATED_PAGES, ChainGuard
from windrow.model.record import Record, Reject
from windrow.protocols.oai.oai_page import Page, Token


def page(*names: str, token: str | None = None) -> Page:
    records = [Record(name, "2024-01-01", (), False, b"<x/>") for name in names]
    return Page(None, records, token=Token(token) if token is not None else None)


def objections(*pages: Page) -> list[str | None]:
    chain = ChainGuard()
    return [chain.objection(found) for found in pages]


def test_an_ordinary_chain_is_followed_to_its_end() -> None:
    assert (
        objections(page("a", token="1"), page("b", token="2"), page("c", token=""), page("d")) == [None] * 4
    )


def test_a_token_that_leads_back_ends_the_chain() -> None:
    first, second, third = objections(page("a", token="1"), page("b", token="2"), page("a", token="1"))
    assert (first, second) == (None, None)
    assert third == "the token leads back to a page that was here before"


def test_a_token_that_never_changes_is_followed_while_its_pages_do() -> None:
    assert objections(*[page(name, token="same") for name in "abcdef"]) == [None] * 6


def test_a_page_that_comes_again_under_ever_new_tokens_ends_the_chain() -> None:
    found = objections(*[page("a", token=str(number)) for number in range(MAX_REPEATED_PAGES + 1)])
    assert found[:-1] == [None] * MAX_REPEATED_PAGES
    assert found[-1] is not None
    assert "the same page" in found[-1]


def test_a_page_repeated_now_and_then_is_borne() -> None:
    names = ["a", "b", "a", "c", "a", "d", "a", "e"]
    pages = [page(name, token=str(number)) for number, name in enumerate(names)]
    assert objections(*pages) == [None] * len(names)


def test_empty_pages_are_borne_up_to_a_point() -> None:
    found = objections(*[page(token=str(number)) for number in range(MAX_EMPTY_PAGES)])
    assert found[:-1] == [None] * (MAX_EMPTY_PAGES - 1)
    assert found[-1] == f"{MAX_EMPTY_PAGES} empty pages in a row, each with a token for another"


def test_an_empty_page_in_mid_list_does_not_add_up_with_another_far_away() -> None:
    pages = [
        found
        for number in range(30)
        for found in (page(token=f"e{number}"), page(str(number), token=f"t{number}"))
    ]
    assert objections(*pages) == [None] * 60


def test_an_empty_page_with_a_used_token_ends_the_chain() -> None:
    assert objections(page("a", token="1"), page(token="1"))[1] == "an empty page with a token already used"


def test_a_page_of_rejects_is_not_empty() -> None:
    pages = [Page(None, [], [Reject("r", b"x")], Token(str(number))) for number in range(MAX_REPEATED_PAGES)]
    assert objections(*pages) == [None] * MAX_REPEATED_PAGES


def test_a_repeat_is_known_before_it_is_counted() -> None:
    chain = ChainGuard()
    assert not chain.is_repeat(page("a", token="1"))
    chain.objection(page("a", token="1"))
    assert chain.is_repeat(page("a", token="2"))
    assert not chain.is_repeat(page("a", "b", token="2"))
    assert not chain.is_repeat(page(token="2"))
