"""Agents of launchd: the property list says what the cadence says. They are loaded on macOS only."""

from __future__ import annotations

import plistlib
from pathlib import Path

import pytest

from windrow.errors import ConfigError
from windrow.schedule.cadence import parse_cadence
from windrow.schedule.hosts.launchd import Launchd, agent_label, render_agent


def entries(every: str) -> list[dict[str, int]]:
    agent = plistlib.loads(render_agent("windrow.x", parse_cadence(every), ["true"]))
    found: list[dict[str, int]] = agent["StartCalendarInterval"]
    return found


@pytest.mark.parametrize(
    ("every", "expected"),
    [
        ("daily at 03:30", [{"Hour": 3, "Minute": 30}]),
        ("hourly at :15", [{"Minute": 15}]),
        ("weekly on mon, thu at 6", [{"Weekday": day, "Hour": 6, "Minute": 0} for day in (1, 4)]),
        ("yearly on feb 29", [{"Month": 2, "Day": 29, "Hour": 0, "Minute": 0}]),
        ("0 0 13 * fri", [{"Day": 13, "Hour": 0, "Minute": 0}, {"Weekday": 5, "Hour": 0, "Minute": 0}]),
        ("30 minutes", [{"Minute": 0}, {"Minute": 30}]),
        ("* * * * *", [{}]),
    ],
)
def test_an_agent_has_an_entry_for_each_time(every: str, expected: list[dict[str, int]]) -> None:
    assert entries(every) == expected


def test_the_command_is_a_list_so_that_no_path_needs_quoting() -> None:
    command = ["/x y/python", "<&>", "100%", 'a"b']
    agent = plistlib.loads(render_agent("windrow.x", parse_cadence("daily"), command))
    assert agent["ProgramArguments"] == command
    assert agent["Label"] == "windrow.x"


@pytest.mark.parametrize(
    "every", ["2 days", "45 minutes", "monthly on last", "0 0 */2 * 1", "*/2 */2 1-28 * *"]
)
def test_what_launchd_cannot_say_is_refused_with_a_hint(every: str) -> None:
    with pytest.raises(ConfigError) as caught:
        entries(every)
    assert caught.value.hint


def test_jobs_of_two_libraries_have_labels_of_their_own(tmp_path: Path) -> None:
    assert agent_label("nightly", tmp_path) != agent_label("nightly", tmp_path / "other")
    assert agent_label("nightly", tmp_path) == agent_label("nightly", tmp_path / "x" / "..")


def test_an_agent_that_cannot_be_loaded_is_not_left_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("PATH", str(tmp_path))
    host = Launchd(tmp_path / "agents")
    with pytest.raises(Exception, match="no launchctl on this machine"):
        host.install("nightly", parse_cadence("daily"), ["true"], tmp_path)
    assert not (tmp_path / "agents").exists()
    assert not host.remove("nightly", tmp_path)
