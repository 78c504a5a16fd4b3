"""The description blocks of Identify against their schemas."""

from __future__ import annotations

import pytest

from tests.oai_schema import validate
from tests.unit.protocols.oai.answering.answers import BASE_URL, answer
from windrow.protocols.oai.provider_response import branding, friends, identify, oai_identifier, toolkit


def check(block: bytes) -> None:
    said = identify(name="x", base_url=BASE_URL, admins=["a@b.example"], earliest=0, descriptions=[block])
    assert b"<description>" + block + b"</description>" in said
    validate(answer(said))


@pytest.mark.parametrize(
    "block",
    [
        oai_identifier("library.example", "oai:library.example:hay/1?a&b"),
        friends(["https://a.example/oai", "https://b.example/oai?x=1&y=2"]),
        branding("https://a.example/icon.png"),
        branding(
            "https://a.example/i.png", link="https://a.example/?a&b", title="A & B", width=88, height=31
        ),
        toolkit("Windrow", "1.0"),
        toolkit("Windrow", "1.0", "https://windrow.example/?a&b"),
    ],
)
def test_a_block_is_valid(block: bytes) -> None:
    check(block)


@pytest.mark.parametrize(
    ("repository", "sample"),
    [
        ("library", "oai:library.example:1"),
        ("library.example", "oai:library.example:"),
        ("library.example", "oai:library.example:a b"),
        ("library.example", "library.example:1"),
        ("1.example", "oai:1.example:1"),
        ("library.example\n", "oai:library.example:1"),
        ("", ""),
    ],
)
def test_identifiers_of_another_form_are_not_said_to_have_it(repository: str, sample: str) -> None:
    assert oai_identifier(repository, sample) == b""


def test_no_friends_give_no_block() -> None:
    assert friends([]) == b""
