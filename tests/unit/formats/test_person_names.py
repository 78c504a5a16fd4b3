from __future__ import annotations

import pytest

from windrow.formats.mapping.agent_names import PersonName, parse_person_name


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("Mower, Ann Mary", PersonName("Mower", "Ann Mary")),
        ("von Rake, Bo", PersonName("von Rake", "Bo")),
        ("Rake, Bo, Jr.", PersonName("Rake", "Bo", "Jr.")),
        ("Rake, Jr., Bo", PersonName("Rake", "Bo", "Jr.")),
        ("Mower, Ann, 1950-", PersonName("Mower", "Ann")),
        ("Mower, Ann, 1950-2010.", PersonName("Mower", "Ann")),
        ("Mower, Ann, b. 1950", PersonName("Mower", "Ann")),
        (" Äng ,  Örjan ", PersonName("Äng", "Örjan")),
    ],
)
def test_a_person_is_told_apart(name: str, parts: PersonName) -> None:
    assert parse_person_name(name) == parts


@pytest.mark.parametrize(
    "name",
    [
        "Barn Institute",
        "Field University, Department of Hay",
        "Ministry of Hay, Agriculture and Straw",
        "Barns, Stables, Sheds",
        "Rake Oy, Helsinki",
        "Ann Mower",
        "Mower,",
        ", Ann",
        "Mower, 1950-",
        "",
    ],
)
def test_an_organisation_or_what_cannot_be_told_stays_whole(name: str) -> None:
    assert parse_person_name(name) is None
