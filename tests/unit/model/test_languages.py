from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.model.text.language_codes import labels_by_language, language_codes


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("en", ("en",)),
        ("eng", ("en",)),
        ("scr", ("hr",)),
        ("tag", ("tl",)),
        ("EN", ("en",)),
        ("en_US", ("en",)),
        ("en-GB", ("en",)),
        ("sv-FI", ("sv",)),
        ("zh-latn-pinyin-x-hanyu", ("zh",)),
        ("ger", ("de",)),
        ("deu", ("de",)),
        ("fin", ("fi",)),
        ("suomi", ("fi",)),
        ("English", ("en",)),
        ("english; yiddish", ("en", "yi")),
        ("English; Yiddish; German;", ("en", "yi", "de")),
        ("eng;french", ("en", "fr")),
        ("english;eng", ("en",)),
        ("English and German", ("en", "de")),
        ("suomi ja ruotsi", ("fi", "sv")),
        ("fi ja sv", ("fi", "ja", "sv")),
        ("en fr", ("en", "fr")),
        ("Spanish, Castilian", ("es",)),
        ("Occitan (post 1500)", ("oc",)),
        ("English [en]", ("en",)),
        ("Old English", ("ang",)),
        ("yap", ("yap",)),
        ("sme", ("se",)),
        ("cn", ("zh",)),
        ("fi=suomi|sv=finska|en=Finnish|", ("fi",)),
        ("http://lexvo.org/id/iso639-3/eng", ("en",)),
        ("http://lexvo.org/id/iso639-3/ssf", ("ssf",)),
        ("http://id.loc.gov/vocabulary/iso639-2/swe", ("sv",)),
    ],
)
def test_a_language_is_known_in_many_spellings(text: str, codes: tuple[str, ...]) -> None:
    assert language_codes(text) == codes


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-",
        "zxx",
        "und",
        "mul",
        "x-none",
        "none",
        "No linguistic content.",
        "Undefined",
        "Box 3",
        "Nordic noir",
        "slides from Venice, no order is given",
        "http://example.org/page",
    ],
)
def test_what_names_no_language_gives_none(text: str) -> None:
    assert language_codes(text) == ()


@given(st.text())
def test_any_text_gives_codes_of_two_or_three_letters_each_once(text: str) -> None:
    codes = language_codes(text)
    assert all(re.fullmatch("[a-z]{2,3}", code) for code in codes)
    assert len(set(codes)) == len(codes)


def test_wordings_in_several_languages_come_apart() -> None:
    assert labels_by_language("fi=Opinnäytetyö|sv=Examensarbete|en=Thesis|") == {
        "fi": "Opinnäytetyö",
        "sv": "Examensarbete",
        "en": "Thesis",
    }


@pytest.mark.parametrize("text", ["", "a|b", "fi=x|plain", "E=mc2", "x = y"])
def test_other_texts_have_no_wordings(text: str) -> None:
    assert labels_by_language(text) == {}
