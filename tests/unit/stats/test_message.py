"""Messages in English: numbers with commas, messages inside messages, what came from records as it is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from windrow.stats.table import ENGLISH, Kind, LanguageCode, message, to_english


def test_numbers_are_written_for_people() -> None:
    assert to_english(message("{count} of {mean}", count=12345, mean=1234.56)) == "12,345 of 1,234.6"


def test_a_message_may_stand_in_another() -> None:
    inner = message("{low} and more", low=300)
    assert to_english(message("Pages: {pages}", pages=inner)) == "Pages: 300 and more"


def test_what_came_from_a_record_is_no_message() -> None:
    assert to_english("{braces} stay") == "{braces} stay"
    assert to_english(message("From {name}", name="{braces}")) == "From {braces}"


def test_the_code_of_a_language_is_said_as_it_is() -> None:
    assert to_english(message("{name} first", name=LanguageCode("fi"))) == "fi first"


def test_cells_read_as_people_write_them() -> None:
    assert ENGLISH.cell(1234, Kind.NUMBER) == "1,234"
    assert ENGLISH.cell(0.125, Kind.SHARE) == "12.5 %"
    assert ENGLISH.cell(2.0, Kind.CHANGE) == "× 2.00"
    assert ENGLISH.cell(72.25, Kind.DECIMAL) == "72.2"
    assert ENGLISH.cell(None, Kind.NUMBER) == ""
    moment = datetime(2024, 1, 1, 1, 30, tzinfo=timezone(timedelta(hours=2)))
    assert ENGLISH.cell(moment, Kind.MOMENT) == "2023-12-31 23:30 UTC"
    assert ENGLISH.cell(datetime(2024, 1, 1, tzinfo=UTC), Kind.MOMENT) == "2024-01-01 00:00 UTC"
