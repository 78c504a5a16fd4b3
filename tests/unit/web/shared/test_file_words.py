"""Files in people's words."""

from __future__ import annotations

import pytest

from windrow.web.i18n.translation import get_translator
from windrow.web.i18n.value_labels import coordinates_label, duration_label, file_size_label, file_type_label


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("application/pdf", "PDF"),
        ("image/jpeg", "Picture (JPEG)"),
        ("image/x-odd", "Picture (image/x-odd)"),
        ("audio/mpeg", "Sound recording (MP3)"),
        ("text/plain", "Text"),
        ("text/html", "HTML"),
        ("text/x-odd", "Text (text/x-odd)"),
        ("application/x-odd", "application/x-odd"),
    ],
)
def test_a_kind_of_file_has_a_name(kind: str, words: str) -> None:
    assert file_type_label(kind, get_translator("en")) == words


@pytest.mark.parametrize(
    ("size", "english", "finnish"),
    [
        (0, "0 bytes", "0 tavua"),
        (1, "1 byte", "1 tavu"),
        (999, "999 bytes", "999 tavua"),
        (1500, "1.5 kB", "1,5 kt"),
        (15_400, "15 kB", "15 kt"),
        (2_340_000, "2.3 MB", "2,3 Mt"),
        (5_000_000_000, "5.0 GB", "5,0 Gt"),
    ],
)
def test_a_size_is_told_in_a_unit_that_fits(size: int, english: str, finnish: str) -> None:
    assert file_size_label(size, get_translator("en")) == english
    assert file_size_label(size, get_translator("fi")) == finnish


@pytest.mark.parametrize(("seconds", "words"), [(0.4, "0:00"), (65, "1:05"), (3599.6, "1:00:00")])
def test_a_length_is_written_as_clocks_do(seconds: float, words: str) -> None:
    assert duration_label(seconds) == words


def test_a_place_is_told_with_its_directions() -> None:
    assert coordinates_label(60.16991, 24.9384, get_translator("en")) == "60.1699° N, 24.9384° E"
    assert coordinates_label(-33.5, -70.25, get_translator("sv")) == "33,5000° S, 70,2500° V"
