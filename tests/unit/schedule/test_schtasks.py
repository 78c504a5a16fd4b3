"""Tasks of Windows: the XML says what the cadence says. They are registered on Windows only."""

from __future__ import annotations

from pathlib import Path

import pytest
from lxml import etree

from windrow.errors import ConfigError
from windrow.schedule.cadence import parse_cadence
from windrow.schedule.hosts.schtasks import NAMESPACE, create_arguments, render_task

NAMES = {"t": NAMESPACE}


def task(every: str, *command: str) -> etree._Element:
    return etree.fromstring(render_task("nightly", parse_cadence(every), command or ("windrow",)))


def texts(element: etree._Element, path: str) -> list[str]:
    found = element.xpath(path, namespaces=NAMES)
    assert isinstance(found, list)
    return [str(each.text) if isinstance(each, etree._Element) else str(each) for each in found]


def test_a_daily_job_is_one_trigger_by_the_day() -> None:
    found = task("daily at 03:30")
    assert texts(found, "//t:StartBoundary") == ["2000-01-01T03:30:00"]
    assert texts(found, "//t:DaysInterval") == ["1"]


def test_every_second_day_counts_from_the_same_day_as_everywhere() -> None:
    found = task("2 days at 03:00")
    assert texts(found, "//t:DaysInterval") == ["2"]
    assert texts(found, "//t:StartBoundary") == ["2000-01-01T03:00:00"]


def test_times_all_round_the_clock_are_one_trigger_that_repeats() -> None:
    found = task("20 minutes")
    assert texts(found, "//t:Interval") == ["PT20M"]
    assert len(texts(found, "//t:CalendarTrigger")) == 1


def test_weekdays_are_named() -> None:
    found = task("weekly on mon, thu at 06:00 and 17:00")
    assert len(texts(found, "//t:CalendarTrigger")) == 2
    named = found.xpath("(//t:DaysOfWeek)[1]/*", namespaces=NAMES)
    assert isinstance(named, list)
    assert [etree.QName(each).localname for each in named if isinstance(each, etree._Element)] == [
        "Monday",
        "Thursday",
    ]


def test_every_second_week_begins_with_the_first_monday() -> None:
    found = task("2 weeks on thu")
    assert texts(found, "//t:WeeksInterval") == ["2"]
    assert texts(found, "//t:StartBoundary") == ["2000-01-03T00:00:00"]


def test_the_last_day_of_the_month_has_a_word() -> None:
    assert texts(task("monthly on 15 and last"), "//t:DaysOfMonth/t:Day") == ["15", "Last"]


def test_a_date_or_a_weekday_are_two_triggers() -> None:
    found = task("0 0 13 * fri")
    assert len(texts(found, "//t:ScheduleByMonth")) == len(texts(found, "//t:ScheduleByWeek")) == 1


def test_the_command_is_quoted_as_windows_reads_it() -> None:
    found = task("daily", r"C:\Program Files\python.exe", "-m", r"C:\two words", 'a"b', "<&>")
    assert texts(found, "//t:Command") == [r"C:\Program Files\python.exe"]
    assert texts(found, "//t:Arguments") == [r'-m "C:\two words" a\"b <&>']


def test_the_text_is_in_the_encoding_that_schtasks_asks_for() -> None:
    text = render_task("nightly", parse_cadence("daily"), ["x", "ä"])
    assert text[:2] in (b"\xff\xfe", b"\xfe\xff")


@pytest.mark.parametrize("every", ["45 minutes", "0 0 */2 * 1", "0 6 * jan mon", "1,2,4,8,16,32,47 * * * *"])
def test_what_a_task_cannot_say_is_refused_with_a_hint(every: str) -> None:
    with pytest.raises(ConfigError) as caught:
        task(every)
    assert caught.value.hint


def test_a_task_of_the_same_name_is_replaced(tmp_path: Path) -> None:
    call = create_arguments("nightly", tmp_path, tmp_path / "task.xml")
    assert call[:3] == ("schtasks", "/Create", "/TN")
    assert call[-1] == "/F"
