"""RTF, read."""

from __future__ import annotations

from io import BytesIO

import pytest

from tests.unit.extract.reading_text import extract
from windrow.extract.readers.rtf import read as read_rtf
from windrow.extract.reading_job import Job, Unreadable


def read(body: str) -> str:
    return "".join(extract(("{\\rtf1\\ansi " + body + "}").encode("latin-1"), "a.rtf").text)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (r"one\par two\line three", "one\ntwo\nthree"),
        (r"{\b bold} and {\i soft}", "bold and soft"),
        (r"caf\'e9 \ldblquote a\rdblquote  \emdash  \{\\\}", "café “a” — {\\}"),
        (r"\u8364? and \uc2\u8364\'80\'80 end", "€ and € end"),
        (r"\u-10179?\u-8704?", "😀"),
        (r"\uc0\u233 t\u233", "été"),
        (r"a{\pict\wmetafile8 0102ff}b{\object{\*\objdata 0105}{\result shown}}", "abshown"),
        (r"a{\*\unknown hidden}b{\*\shpinst{\sp{\sn x}{\sv 1}}{\shptxt box}}", "abbox"),
        (r'{\field{\*\fldinst HYPERLINK "http://a.example"}{\fldrslt here}}', "here"),
        (r"{\fonttbl{\f0 Arial;}{\f1\fcharset204 Arial Cyr;}}\f1\'c4\'e0\f0  caf\'e9", "Да café"),
        (r"{\fonttbl{\f1\fcharset128 Gothic;}}{\f1 \'83\'65\'83\'58\'83g}", "テスト"),
        (r"\ansicpg1251\'c4\'e0", "Да"),
        ("a\\bin5 {{{\\}b", "ab"),
        (r"a\cell b\cell\row", "a\tb"),
    ],
)
def test_the_text_is_read_as_it_is_meant(body: str, text: str) -> None:
    assert read(body) == text


def test_the_information_group_is_facts() -> None:
    info = (
        r"{\info{\title On rain}{\author Ann Writer}{\subject weather}{\keywords rain; shine, wet}"
        r"{\creatim\yr2004\mo5\dy3\hr9\min5}{\revtim\yr2004\mo6\dy1}{\nofpages3}}{\*\generator Hand 1.0;}text"
    )
    found = extract(("{\\rtf1 " + info + "}").encode(), "a.rtf")

    assert found.said == (
        ("title", "On rain"),
        ("creator", "Ann Writer"),
        ("description", "weather"),
        ("subject", "rain"),
        ("subject", "shine"),
        ("subject", "wet"),
        ("date", "2004-05-03T09:05:00"),
        ("modified", "2004-06-01"),
    )
    assert found.measured == (("pages", "3"), ("software", "Hand 1.0"))
    assert found.text == ("text",)


def test_what_is_said_again_in_unicode_counts() -> None:
    info = r"{\info{\upr{\title ??}{\*\ud\uc0{\title \u12486\u12473}}}{\author A}{\author A}}"
    found = extract(("{\\rtf1 " + info + "}").encode(), "a.rtf")

    assert found.said == (("title", "テス"), ("creator", "A"))


def test_a_document_cut_off_is_read_as_far_as_it_goes() -> None:
    found = extract(b"{\\rtf1 begun {\\b and not", "a.rtf")

    assert found.text == ("begun and not",)
    assert found.notes


def test_groups_without_end_do_no_harm() -> None:
    assert extract(b"{\\rtf1 a" + b"{" * 100_000 + b"b" + b"}" * 100_000 + b"c}", "a.rtf").text == ("abc",)


def test_what_does_not_begin_as_rtf_is_refused() -> None:
    with pytest.raises(Unreadable, match="no RTF"):
        read_rtf(BytesIO(b"plain"), Job(name="a.rtf"))
