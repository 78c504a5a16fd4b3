"""Values of fields in people's words."""

from __future__ import annotations

import pytest

from windrow.web.i18n.translation import get_translator
from windrow.web.i18n.value_labels import value_label


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("language", "fi", "Finnish"),
        ("year", "2010..2014", "2010–2014"),
        ("year", "2014..2010", "2010–2014"),
        ("year", "2010..2010", "2010"),
        ("year", "2010..", "2010–"),
        ("size", "99999..10000", "10 kB – 100 kB"),
        ("media", "application/pdf", "PDF"),
        ("size", "0..9999", "Less than 10 kB"),
        ("size", "10000..99999", "10 kB – 100 kB"),
        ("size", "100000000..", "100 MB and more"),
        ("size", "1234", "1.2 kB"),
        ("size", "..", ".."),
        ("size", "x..y", "x..y"),
        ("month", "2014-05", "May 2014"),
        ("month", "2014-13", "2014-13"),
        ("folder", "a/b", "a / b"),
        ("type", "a/b", "a/b"),
    ],
)
def test_values_are_said_as_people_say_them(field: str, value: str, words: str) -> None:
    assert value_label(field, value, get_translator("en")) == words


def test_months_are_named_in_each_language() -> None:
    assert [value_label("month", "2014-05", get_translator(code)) for code in ("sv", "fi")] == [
        "maj 2014",
        "toukokuu 2014",
    ]
