"""Plain text, read."""

from __future__ import annotations

import pytest

from tests.unit.extract.reading_text import extract, values


def test_text_comes_with_its_encoding_and_line_feeds() -> None:
    found = extract("Grüße\r\naus Köln\r".encode("utf-16"), "a.txt")

    assert found.text == ("Grüße\naus Köln",)
    assert values(found, "encoding") == ["UTF-16LE"]
    assert not found.is_paged


def test_form_feeds_are_pages() -> None:
    found = extract(b"one\n\ftwo\n\fthree\n\f", "a.txt")

    assert found.text == ("one", "two", "three")
    assert found.is_paged
    assert values(found, "pages") == ["3"]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("On Rain\n=======\n\nIt rained.\n", "On Rain"),
        ("\n            On Rain\n\nIt rained.\nIt did.\n", "On Rain"),
        ("On Rain\n\n\nIt rained.\nIt did.\n", "On Rain"),
    ],
)
def test_a_first_line_set_as_a_title_is_the_title(text: str, title: str) -> None:
    assert values(extract(text.encode(), "a.txt"), "title") == [title]


@pytest.mark.parametrize(
    "text",
    [
        "Dear all,\n\n\nIt rained.\nIt did.\n",
        "It rained\n\nand it went on.\nIt did.\n",
        "It rained all day\nand it went on.\nIt did.\n",
        "12345\n=====\n\na\n",
        "one line",
    ],
)
def test_better_no_title_than_a_wrong_one(text: str) -> None:
    assert values(extract(text.encode(), "a.txt"), "title") == []


def test_tables_and_json_are_text_of_their_own_kind() -> None:
    assert extract(b"a,b\n1,2\n", "a.csv").media_type == "text/csv"
    assert extract(b'{"a": 1}', "a.json").text == ('{"a": 1}',)


def test_the_messages_of_a_mailbox_are_not_read() -> None:
    found = extract(b"From a@b.example Thu Jan  4 10:20:30 2024\nSubject: secret\n\nText\n", "box")

    assert found.media_type == "application/mbox"
    assert found.text == ()
    assert found.notes
