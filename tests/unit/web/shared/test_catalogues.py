"""The pages in Swedish and Finnish: nothing is missing, nothing is left over, every gap is filled."""

from __future__ import annotations

import re

import pytest

from tests.unit.web.messages import all_messages
from windrow.web.i18n.translation import PAGE_LANGUAGES, load_catalogue, load_language_names

OTHERS = [code for code in PAGE_LANGUAGES if code != "en"]
GAP = re.compile(r"\{(\w*)\}")


@pytest.mark.parametrize("language", OTHERS)
def test_every_message_is_in_the_catalogue(language: str) -> None:
    missing = set(all_messages()) - set(load_catalogue(language))
    assert not missing


@pytest.mark.parametrize("language", OTHERS)
def test_no_catalogue_has_a_message_that_nobody_says(language: str) -> None:
    dead = set(load_catalogue(language)) - set(all_messages())
    assert not dead


@pytest.mark.parametrize("language", OTHERS)
def test_a_message_with_a_number_has_both_forms_and_any_other_has_one(language: str) -> None:
    plural = all_messages()
    for text, found in load_catalogue(language).items():
        if text in plural:
            assert isinstance(found, list) == plural[text], text
            assert not isinstance(found, list) or len(found) == 2, text


@pytest.mark.parametrize("language", OTHERS)
def test_a_translation_has_the_gaps_of_its_message(language: str) -> None:
    for text, found in load_catalogue(language).items():
        for form in [found] if isinstance(found, str) else found:
            given = set(GAP.findall(text))
            assert given - {"count"} <= set(GAP.findall(form)) <= given | {"count"}, text
            assert "count" in given or isinstance(found, list) or "{count}" not in form, text
            assert form.strip() == form, text


def test_every_language_is_called_something_in_every_language() -> None:
    for code, names in load_language_names().items():
        assert set(names) == set(PAGE_LANGUAGES), code
        assert all(names.values()), code
