"""Units of systemd: systemd itself finds no fault in them, and its calendar is ours."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.fixtures import missing
from tests.unit.schedule.cron_oracle import Expression, expressions
from windrow.errors import ConfigError, HostError
from windrow.schedule.cadence import Cadence, next_times, parse_cadence
from windrow.schedule.hosts.systemd import Systemd, render_service, render_timer, unit_name

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
PHRASES = [
    "hourly at :15",
    "20 minutes",
    "6 hours",
    "3 hours",
    "daily at 03:30",
    "weekdays at 06:00 and 18:00",
    "weekly on sun at 03:00",
    "monthly on 31 at 04:00",
    "monthly on last at 23:59",
    "monthly on 15 and last",
    "yearly on feb 29",
    "00 6 * * 7",
    "0 0 13 * fri",
    "*/15 2-4 * * *",
    "0 0 */2 * 1",
]
ZONES = ["UTC", "Europe/Helsinki", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca"]


@pytest.fixture(scope="session")
def analyze() -> str:
    """The program that knows what systemd makes of a unit."""
    program = shutil.which("systemd-analyze")
    if program is None:
        missing("systemd-analyze is not on this machine")
    return str(program)


def calendars(cadence: Cadence, now: datetime) -> list[str]:
    return re.findall(r"^OnCalendar=(.*)$", render_timer("nightly", cadence, now), re.MULTILINE)


def elapses(analyze: str, wanted: list[str], begin: datetime, count: int) -> list[datetime]:
    """The next times that any of the expressions comes to, in the eyes of systemd."""
    base = f"--base-time={begin:%Y-%m-%d %H:%M:%S} UTC"
    call = [analyze, "calendar", base, f"--iterations={count}", *wanted]
    done = subprocess.run(call, capture_output=True, text=True, check=True, env={**os.environ, "TZ": "UTC"})
    found = re.findall(r"(?:elapse|#\d+): \w+ (\S+ \S+) UTC", done.stdout)
    return sorted({datetime.fromisoformat(each).replace(tzinfo=UTC) for each in found})[:count]


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("every", PHRASES)
def test_the_calendar_of_systemd_is_ours_through_both_nights(analyze: str, every: str, zone: str) -> None:
    cadence = parse_cadence(every, timezone=zone)
    wanted = calendars(cadence, NOW)
    for begin in (NOW, datetime(2027, 3, 13, 20, tzinfo=UTC), datetime(2027, 3, 27, 20, tzinfo=UTC)):
        assert elapses(analyze, wanted, begin, 30) == next_times(cadence, begin, 30)
    for begin in (datetime(2027, 10, 2, 2, tzinfo=UTC), datetime(2027, 10, 30, 20, tzinfo=UTC)):
        assert elapses(analyze, wanted, begin, 30) == next_times(cadence, begin, 30)


@given(expressions(), st.sampled_from(ZONES), st.integers(1, 8 * 365 * 24 * 60))
@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_expression_is_the_same_calendar(
    analyze: str, expression: Expression, zone: str, minutes: int
) -> None:
    moment = NOW + timedelta(minutes=minutes)
    try:
        cadence = parse_cadence(expression.text, timezone=zone)
    except ConfigError:
        assume(False)
        raise
    end = min(moment + timedelta(days=700), datetime(2036, 1, 1, tzinfo=UTC))
    ours = list(takewhile(lambda each: each < end, next_times(cadence, moment, 8)))
    assert elapses(analyze, calendars(cadence, NOW), moment, 8)[: len(ours)] == ours


@pytest.mark.parametrize("folder", ["theses", "two words", "100%", "$HOME 'q' \"d\" \\ ä", "a;b #c"])
def test_systemd_finds_no_fault_in_the_units(analyze: str, folder: str, tmp_path: Path) -> None:
    cadence = parse_cadence("daily", at="03:30", timezone="Europe/Helsinki")
    name = unit_name("nightly", tmp_path)
    command = ["/bin/true", "--library", str(tmp_path / folder), "schedule", "run", "nightly"]
    (tmp_path / f"{name}.timer").write_text(render_timer("nightly", cadence, NOW), encoding="utf-8")
    (tmp_path / f"{name}.service").write_text(render_service("nightly", command), encoding="utf-8")
    # As units of the system: those of a user need a running user's systemd to be looked at.
    units = [str(tmp_path / f"{name}{ending}") for ending in (".timer", ".service")]
    done = subprocess.run([analyze, "verify", *units], capture_output=True, text=True, check=False)
    ours = [line for line in done.stderr.splitlines() if "windrow-" in line]
    assert (done.returncode, ours) == (0, [])


def test_a_missed_run_is_made_up_for() -> None:
    assert "\nPersistent=true\n" in render_timer("nightly", parse_cadence("daily"), NOW)


def test_a_path_is_quoted_so_that_nothing_in_it_means_anything() -> None:
    service = render_service("nightly", ["/x y/python", "100%", "$HOME", 'a"b', "c\\d"])
    assert 'ExecStart="/x y/python" "100%%" "$$HOME" "a\\"b" "c\\\\d"\n' in service


def test_a_line_break_in_a_path_is_refused() -> None:
    with pytest.raises(ConfigError, match="line break"):
        render_service("nightly", ["/x\nExecStartPre=/bin/false"])


@pytest.mark.parametrize("every", ["2 days", "45 minutes", "2 weeks on mon"])
def test_what_systemd_cannot_say_is_refused(every: str) -> None:
    with pytest.raises(ConfigError, match="systemd cannot say") as caught:
        render_timer("nightly", parse_cadence(every), NOW)
    assert "--host" in caught.value.hint


# A systemctl that notes what it was told, and fails at what it is told to fail at.
PROGRAM = '#!/bin/sh\necho "$@" >> "$TOLD"\ncase "$*" in *"$FAILS_AT"*) echo "no luck" >&2; exit 1;; esac\n'


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where systemctl notes what it was told."""
    program = tmp_path / "bin" / "systemctl"
    program.parent.mkdir()
    program.write_text(PROGRAM, encoding="ascii")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    monkeypatch.setenv("TOLD", str(tmp_path / "told"))
    monkeypatch.setenv("FAILS_AT", "nothing")
    return tmp_path / "told"


def test_units_are_written_started_replaced_and_taken_away(told: Path, tmp_path: Path) -> None:
    host, library = Systemd(tmp_path / "units"), tmp_path / "library"
    for at in ("03:30", "04:30"):
        host.install("nightly", parse_cadence("daily", at=at), ["/bin/true"], library)
    assert sorted(each.suffix for each in (tmp_path / "units").iterdir()) == [".service", ".timer"]
    assert "04:30" in next((tmp_path / "units").glob("*.timer")).read_text(encoding="utf-8")
    assert host.installed("nightly", library)
    assert not host.installed("nightly", tmp_path)
    assert host.remove("nightly", library)
    assert not list((tmp_path / "units").iterdir())
    assert not host.remove("nightly", library)
    name = unit_name("nightly", library)
    lines = told.read_text(encoding="utf-8").splitlines()
    assert f"--user restart {name}.timer" in lines
    assert f"--user disable --now {name}.timer" in lines


@pytest.mark.parametrize("step", ["show", "daemon-reload", "enable", "restart"])
def test_units_that_cannot_be_started_leave_what_was_there(
    told: Path, tmp_path: Path, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = Systemd(tmp_path / "units")
    host.install("nightly", parse_cadence("daily"), ["/bin/true"], tmp_path)
    before = {each.name: each.read_bytes() for each in (tmp_path / "units").iterdir()}
    monkeypatch.setenv("FAILS_AT", step)
    with pytest.raises(HostError, match="no luck"):
        host.install("nightly", parse_cadence("hourly"), ["/bin/true"], tmp_path)
    assert {each.name: each.read_bytes() for each in (tmp_path / "units").iterdir()} == before
