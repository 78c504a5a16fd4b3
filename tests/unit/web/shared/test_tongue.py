from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from windrow.stats.table import message
from windrow.web.i18n.translation import get_translator

SPACE = "\N{NO-BREAK SPACE}"
MOMENT = datetime(2024, 5, 3, 14, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("code", "written"),
    [("en", "1,234,567"), ("sv", f"1{SPACE}234{SPACE}567"), ("fi", f"1{SPACE}234{SPACE}567")],
)
def test_thousands_are_set_apart_as_each_language_does(code: str, written: str) -> None:
    assert get_translator(code).number(1_234_567) == written


def test_decimals_and_shares_are_written_as_each_language_does() -> None:
    assert get_translator("en").number(1234.56, 1) == "1,234.6"
    assert get_translator("fi").number(-1234.56, 1) == f"−1{SPACE}234,6"
    assert [get_translator(code).share(0.125) for code in ("en", "sv")] == ["12.5%", f"12,5{SPACE}%"]


@pytest.mark.parametrize(
    ("code", "written"),
    [
        ("en", f"3{SPACE}May 2024 14:05 UTC"),
        ("sv", f"3{SPACE}maj 2024 14:05 UTC"),
        ("fi", f"3.{SPACE}toukokuuta 2024 14.05 UTC"),
    ],
)
def test_moments_are_written_as_each_language_does(code: str, written: str) -> None:
    assert get_translator(code).moment(MOMENT) == written
    assert get_translator(code).moment(MOMENT.astimezone(timezone(timedelta(hours=3)))) == written


def test_a_day_is_written_as_it_is() -> None:
    assert get_translator("sv").day(date(2024, 12, 24)) == f"24{SPACE}december 2024"


@pytest.mark.parametrize(
    ("code", "one", "many"),
    [("en", "1 record", "2 records"), ("sv", "1 post", "2 poster"), ("fi", "1 tietue", "2 tietuetta")],
)
def test_a_message_has_the_form_for_its_number(code: str, one: str, many: str) -> None:
    spoken = get_translator(code)
    assert [spoken.several("{count} record", "{count} records", count) for count in (1, 2)] == [one, many]
    assert spoken.several("{count} record", "{count} records", 0).startswith("0 ")


def test_what_is_in_no_catalogue_is_said_in_english() -> None:
    assert get_translator("fi").say("Nobody ever says {what}", what="this") == "Nobody ever says this"
    assert get_translator("fi").several("{count} gnome", "{count} gnomes", 2) == "2 gnomes"


def test_braces_in_a_value_stay_as_they_are() -> None:
    assert get_translator("en").say("Search in {title}", title="{0} {x} %s") == "Search in {0} {x} %s"


def test_a_message_with_its_values_is_told_and_other_words_stay() -> None:
    label = message("Search in {title}", title=message("Title"))
    assert get_translator("fi").tell(label) == "Hae: Nimeke"
    assert get_translator("fi").tell("Title") == "Title"


def test_languages_have_names_and_unknown_codes_stay_codes() -> None:
    assert [get_translator(code).language("sv") for code in ("en", "sv", "fi")] == [
        "Swedish",
        "svenska",
        "ruotsi",
    ]
    assert get_translator("en").language("tlh") == "tlh"
