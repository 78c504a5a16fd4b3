"""Messages of e-mail, read."""

from __future__ import annotations

from email.message import EmailMessage

import pytest

from tests.unit.extract.reading_text import extract, values
from windrow.extract.reading_job import Unreadable


def message() -> EmailMessage:
    made = EmailMessage()
    made["Subject"] = "Om regn på Åland"
    made["From"] = "Ann Writer <ann@a.example>"
    made["To"] = "Bo Reader <bo@b.example>, c@c.example"
    made["Date"] = "Thu, 04 Jan 2024 12:20:30 +0200"
    made["Message-ID"] = "<1@a.example>"
    made.set_content("Det regnade hela dagen på Åland.\n")
    return made


def test_the_head_of_a_message_is_facts() -> None:
    assert extract(bytes(message()), "a.eml").said == (
        ("title", "Om regn på Åland"),
        ("creator", "Ann Writer"),
        ("contributor", "Bo Reader"),
        ("contributor", "c@c.example"),
        ("date", "2024-01-04T10:20:30Z"),
        ("identifier", "1@a.example"),
    )


def test_the_plain_text_comes_before_the_page() -> None:
    made = message()
    made.add_alternative("<p>Sidan</p>", subtype="html")

    assert extract(bytes(made), "a.eml").text == ("Det regnade hela dagen på Åland.",)


def test_where_there_is_only_a_page_its_words_are_the_text() -> None:
    made = message()
    made.set_content("<style>x</style><p>Det <b>regnade</b></p>", subtype="html")

    assert extract(bytes(made), "a.eml").text == ("Det regnade",)


def test_attachments_are_named_and_not_read() -> None:
    made = message()
    made.add_attachment("hemliga ord", filename="dagbok på ö.txt")
    made.add_attachment(b"\0\1", maintype="image", subtype="png", filename="moln.png")

    found = extract(bytes(made), "a.eml")

    assert values(found, "relation") == ["dagbok på ö.txt", "moln.png"]
    assert "hemliga" not in found.text[0]


def test_text_in_an_old_encoding_that_the_message_names_is_read() -> None:
    head = b"From: a@a.example\nTo: b@b.example\nSubject: =?koi8-r?B?5MEh?=\n"
    data = head + b"Content-Type: text/plain; charset=koi8-r\n\n\xe4\xc1!\n"

    found = extract(data, "a.eml")

    assert found.text == ("Да!",)
    assert values(found, "title") == ["Да!"]
    assert values(found, "encoding") == ["KOI8-R"]


@pytest.mark.parametrize(
    "data",
    [
        b"From: a\nTo: b\nSubject: c\nContent-Type: text/plain" + b"; a=b" * 10_000 + b"\n\ntext",
        b"From: a\nTo: b\nSubject: c\n" + b"Content-Type: message/rfc822\n\n" * 5000,
        b"From: a\nTo: b\nSubject: c\n" + b"Content-Type: multipart/mixed; boundary=x\n\n--x\n" * 100,
    ],
)
def test_a_message_made_to_take_for_ever_is_refused(data: bytes) -> None:
    with pytest.raises(Unreadable):
        extract(data, "a.eml")


def test_a_date_of_nonsense_is_left_out() -> None:
    data = b"From: a\nTo: b\nSubject: c\nDate: Thu, 99 Jun 99999999 99:99\n\ntext"

    assert values(extract(data, "a.eml"), "date") == []
