from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.sources.files.html_head import (
    DESCRIBER,
    MAX_HEAD_BYTES,
    MAX_VALUE_CHARACTERS,
    MAX_VALUES,
    decode_html,
)


def read(page: str | bytes) -> list[tuple[str, str]]:
    return DESCRIBER.describe(page if isinstance(page, bytes) else page.encode())


def test_title_language_and_the_usual_meta_tags_are_read() -> None:
    page = """<!DOCTYPE html><html lang="sv"><head><title>Hem</title>
    <meta name="description" content="Om oss"><meta name="author" content='Åsa Ek'>
    <META NAME=keywords CONTENT="hav, salt; vind"></head><body><h1>Hej</h1>"""
    assert read(page) == [
        ("description", "Om oss"),
        ("creator", "Åsa Ek"),
        ("subject", "hav"),
        ("subject", "salt"),
        ("subject", "vind"),
        ("title", "Hem"),
        ("language", "sv"),
    ]


@pytest.mark.parametrize(
    ("name", "element"),
    [
        ("DC.title", "title"),
        ("dc.Creator", "creator"),
        ("DC.date.issued", "date"),
        ("DCTERMS.issued", "date"),
        ("dcterms.abstract", "description"),
        ("DC.description.abstract", "description"),
        ("DCTERMS.isPartOf", "relation"),
        ("citation_author", "creator"),
        ("citation_doi", "identifier"),
        ("citation_journal_title", "source"),
        ("citation_dissertation_institution", "publisher"),
    ],
)
def test_scholarly_meta_tags_become_elements_of_dublin_core(name: str, element: str) -> None:
    assert read(f'<meta name="{name}" content="words">') == [(element, "words")]


@pytest.mark.parametrize("name", ["viewport", "og:title", "dc", "dc.nonsense", "citation_nonsense", ""])
def test_other_meta_tags_say_nothing(name: str) -> None:
    assert read(f'<meta name="{name}" content="words">') == []


def test_metadata_of_its_own_goes_before_the_title_tag() -> None:
    page = '<title>Site | Thesis</title><meta name="citation_title" content="Thesis">'
    assert read(page) == [("title", "Thesis")]


def test_what_stands_in_scripts_comments_and_the_body_is_not_read() -> None:
    page = """<!-- <title>no</title> --><script>var a = "<title>no</title>";</script>
    <style>/* <meta name="author" content="no"> */</style><title>yes</title>
    <body><title>no</title><meta name="author" content="no">"""
    assert read(page) == [("title", "yes")]


def test_the_head_ends_at_the_first_tag_that_belongs_in_the_body() -> None:
    assert read('<title>yes</title><p>Words</p><meta name="author" content="no">') == [("title", "yes")]


def test_entities_are_resolved_and_markup_in_a_title_is_text() -> None:
    assert read("<title>A &amp; B &#8211; <b>C</b>\n\n D</title>") == [("title", "A & B – <b>C</b> D")]


def test_a_greater_sign_inside_quotes_does_not_end_a_tag() -> None:
    assert read("""<meta name="description" content="a > b"><title>t</title>""") == [
        ("description", "a > b"),
        ("title", "t"),
    ]


@pytest.mark.parametrize(
    ("page", "title"),
    [
        ('<meta charset="iso-8859-1"><title>für</title>'.encode("latin-1"), "für"),
        ('<meta charset="windows-1251"><title>Море</title>'.encode("cp1251"), "Море"),
        (
            '<meta http-equiv="Content-Type" content="text/html; charset=Shift_JIS"><title>海</title>'.encode(
                "shift_jis"
            ),
            "海",
        ),
        ('<?xml version="1.0" encoding="ISO-8859-2"?><title>řeka</title>'.encode("iso-8859-2"), "řeka"),
        ("\ufeff<title>für</title>".encode("utf-16-le"), "für"),
        ("\ufeff<title>für</title>".encode(), "für"),
        ("<title>für</title>".encode(), "für"),
        ("<title>für — “x”</title>".encode("cp1252"), "für — “x”"),
        ('<meta charset="utf-8"><title>f\udcfcr</title>'.encode("utf-8", "surrogateescape"), "f\ufffdr"),
    ],
)
def test_the_encoding_is_the_one_the_page_declares_or_a_browser_would_guess(page: bytes, title: str) -> None:
    assert ("title", title) in read(page)


@pytest.mark.parametrize("label", ["hex", "idna", "punycode", "unicode_escape", "utf-7", "zip", "nonsense"])
def test_an_encoding_that_is_none_of_the_web_is_not_believed(label: str) -> None:
    assert decode_html(f'<meta charset="{label}"><title>für</title>'.encode()).endswith("für</title>")


@pytest.mark.parametrize(
    "page",
    [
        "<title>never closed",
        "<!-- never closed <title>x</title>",
        '<meta name = "never closed><title>x</title>',
        "<script>never closed <title>x</title>",
        "<" * 1000,
        "",
        "\0",
        "<title></title>",
        '<meta content="no name">',
        '<meta name="author">',
    ],
)
def test_a_page_without_sense_says_nothing(page: str) -> None:
    assert read(page) == []


def test_a_number_too_long_for_a_character_stays_as_it_is() -> None:
    assert read(f"<title>&#{'9' * 5000};</title>") == [("title", f"&#{'9' * 5000};")]


def test_values_are_bounded_in_number_and_length() -> None:
    many = '<meta name="DC.subject" content="a">' * 1000
    assert len(read(many)) <= MAX_VALUES
    assert len(read(f'<meta name="keywords" content="{",".join(map(str, range(5000)))}">')) <= MAX_VALUES
    assert len(read(f"<title>{'x' * 50_000}</title>")[0][1]) == MAX_VALUE_CHARACTERS


def _steps(work: Callable[[], object]) -> int:
    """How many lines of Python some work takes: a measure that does not depend on the machine."""
    count = 0

    def tick(_frame: FrameType, event: str, _argument: object) -> Any:
        nonlocal count
        count += event == "line"
        return tick

    before = sys.gettrace()
    sys.settrace(tick)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize(
    "piece",
    ["<", "<a ", '<meta "', "<meta a='", "<!--", "<title>", "<!", "</", "&", "<meta ", "=", "<script>"],
)
def test_twice_as_much_of_anything_takes_about_twice_the_work(piece: str) -> None:
    half, whole = (_steps(lambda n=n: read(piece * n)) for n in (500, 1000))  # type: ignore[misc]
    assert whole <= 2 * half + 200


@given(st.text(alphabet="<>/!-=\"' amet titlenchr&#;x1\0é", max_size=400) | st.binary(max_size=400))
def test_any_page_gives_elements_with_words(page: str | bytes) -> None:
    for element, words in read(page):
        assert element
        assert words == words.strip()
        assert words


def test_only_the_beginning_is_looked_at() -> None:
    assert read(" " * MAX_HEAD_BYTES + "<title>x</title>") == []
