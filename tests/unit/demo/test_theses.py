"""Theses out of a seed."""

from __future__ import annotations

from collections import Counter

import pytest

from windrow.demo.theses import MIGRATION, TODAY, issued_at, roll, stamped_at, write_thesis

MANY = range(3000)


def test_the_same_number_of_the_same_seed_is_the_same_thesis() -> None:
    assert write_thesis(1, 17) == write_thesis(1, 17)


@pytest.mark.parametrize(("seed", "number"), [(1, 18), (2, 17)])
def test_another_number_or_another_seed_is_another_thesis(seed: int, number: int) -> None:
    assert write_thesis(seed, number).abstracts != write_thesis(1, 17).abstracts


def test_there_are_more_theses_in_later_years() -> None:
    years = Counter(write_thesis(1, number).year for number in MANY)
    assert set(years) == {str(year) for year in range(2004, 2026)}
    assert years["2004"] < years["2010"] < years["2025"]


def test_theses_are_written_in_finnish_english_and_swedish_in_this_order_of_number() -> None:
    languages = Counter(write_thesis(1, number).language for number in MANY)
    assert [language for language, _ in languages.most_common()] == ["fi", "en", "sv"]


def test_every_phrase_is_filled_in() -> None:
    for number in MANY:
        thesis = write_thesis(1, number, version=number % 3)
        assert "{" not in f"{thesis.titles} {thesis.abstracts}"


def test_the_own_language_stands_first() -> None:
    for number in range(100):
        thesis = write_thesis(1, number)
        assert thesis.titles[0][0] == thesis.abstracts[0][0] == thesis.language


@pytest.mark.parametrize("trouble", ["&", "<i>", "”", '"', "🌲", "𝑛"])
def test_some_titles_are_untidy(trouble: str) -> None:
    assert any(trouble in text for number in MANY for _, text in write_thesis(1, number).titles)


def test_no_datestamp_is_before_publication_or_after_today() -> None:
    for number in MANY:
        thrown = roll(1, number)
        assert issued_at(thrown) <= stamped_at(thrown) < TODAY


def test_many_records_share_the_second_of_the_migration() -> None:
    stamps = Counter(stamped_at(roll(1, number)) for number in MANY)
    assert stamps.most_common(1)[0][0] == MIGRATION
    assert stamps[MIGRATION] > 20


def test_a_later_version_reads_differently() -> None:
    first, second = write_thesis(1, 5), write_thesis(1, 5, version=1)
    assert first.titles == second.titles
    assert first.abstracts != second.abstracts
