"""What windrow.toml says about browsing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.config.library import ONE_SOURCE, make_library
from windrow.config.collection_values import CLASSIFIED, parse_structure
from windrow.config.loader import load
from windrow.errors import ConfigError


def read(folder: Path, written: str) -> tuple[str, ...]:
    return load(make_library(folder, f"[portal]\nbrowse = {written}\n"), environ={}).portal.browse


def test_without_a_word_there_are_the_usual_ways(tmp_path: Path) -> None:
    assert load(make_library(tmp_path, ""), environ={}).portal.browse == ()


def test_structures_are_tidied(tmp_path: Path) -> None:
    assert read(tmp_path, '["title", " folder>year ", "extra:Shelf  mark > creator"]') == (
        "title",
        "folder > year",
        "extra:Shelf mark > creator",
    )


@pytest.mark.parametrize("field", CLASSIFIED)
def test_every_field_that_is_named_can_be_browsed(tmp_path: Path, field: str) -> None:
    (found,) = read(tmp_path, f'["{field}"]')
    assert parse_structure(found).fields[0] == ("year" if field == "date" else field)


def test_a_date_alone_is_browsed_by_year_and_month(tmp_path: Path) -> None:
    assert read(tmp_path, '["date", "date > creator"]') == ("year > month", "year > creator")


def test_addresses_are_made_of_plain_letters() -> None:
    assert parse_structure("extra:Hyllä & märke > title").slug == "hyll-m-rke-title"


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ('["shoe size"]', "fields are: title, creator, contributor, year"),
        ('["extra:"]', "extra:NAME for any other"),
        ('["title > > year"]', "2 fields at most"),
        ('["title >"]', "fields are: title"),
        ('["year > month > title"]', "2 fields at most"),
        ('["year > year"]', "no field within itself"),
        ('["title", "title"]', "same address"),
        ('["extra:ä", "title"]', "same address"),
        ('"title"', "must be a list"),
        ("[7]", "must be a list of texts"),
        (f"[{', '.join(f'{chr(34)}extra:f{n}{chr(34)}' for n in range(21))}]", "20 structures at most"),
    ],
)
def test_what_cannot_be_browsed_is_refused_with_what_can(tmp_path: Path, written: str, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read(tmp_path, written)
    assert words in str(caught.value)


def test_a_collection_has_its_own(tmp_path: Path) -> None:
    text = ONE_SOURCE + '[collections.north]\nsources = ["uni"]\nbrowse = ["title"]\n'
    assert load(make_library(tmp_path, text), environ={}).collections["north"].browse == ("title",)
