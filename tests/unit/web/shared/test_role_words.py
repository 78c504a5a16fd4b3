"""Roles of people and kinds of dates in people's words."""

from __future__ import annotations

import pytest

from windrow.formats.mapping.agent_names import ROLE_WORDS
from windrow.web.i18n.translation import get_translator
from windrow.web.i18n.value_labels import ROLES, date_kind_label, role_label


@pytest.mark.parametrize(
    ("role", "english", "swedish", "finnish"),
    [
        ("advisor", "advisor", "handledare", "ohjaaja"),
        ("Editor", "editor", "redaktör", "toimittaja"),
        ("ContactPerson", "contact person", "kontaktperson", "yhteyshenkilö"),
        ("kirjoittaja", "kirjoittaja", "kirjoittaja", "kirjoittaja"),
        ("{odd}", "{odd}", "{odd}", "{odd}"),
        ("not yet", "not yet", "not yet", "not yet"),  # which pages say elsewhere
    ],
)
def test_a_role_is_said_in_each_language(role: str, english: str, swedish: str, finnish: str) -> None:
    assert [role_label(role, get_translator(code)) for code in ("en", "sv", "fi")] == [
        english,
        swedish,
        finnish,
    ]


@pytest.mark.parametrize(
    ("kind", "swedish", "finnish"), [("issued", "utgiven", "ilmestynyt"), ("paused", "paused", "paused")]
)
def test_a_date_says_of_what_it_is_in_each_language(kind: str, swedish: str, finnish: str) -> None:
    assert [date_kind_label(kind, get_translator(code)) for code in ("en", "sv", "fi")] == [
        kind,
        swedish,
        finnish,
    ]


def test_every_word_for_a_relator_code_is_translated() -> None:
    assert set(ROLE_WORDS.values()) <= set(ROLES)
