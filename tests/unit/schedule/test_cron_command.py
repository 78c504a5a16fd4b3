"""Cron through a `crontab` command: a real program that keeps its table in a file, and fails when told to."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from windrow.errors import ConfigError, HostError
from windrow.schedule.cadence import parse_cadence
from windrow.schedule.hosts.host_scheduler import HOSTS, command_line, find_host_scheduler

NIGHTLY = parse_cadence("daily", at="03:30", timezone="UTC")
TABLE = b"MAILTO=owner@library.example\n 00  6 * * 7  true\n"
PROGRAM = """#!/bin/sh
case "$1" in
-l) [ -f "$TABLE" ] || { echo "no crontab for you" >&2; exit 1; }; cat "$TABLE";;
-r) rm "$TABLE";;
-)  cat > "$TABLE.new"; $WHEN_WRITING mv "$TABLE.new" "$TABLE";;
esac
"""


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the command keeps its table."""
    program = tmp_path / "bin" / "crontab"
    program.parent.mkdir()
    program.write_text(PROGRAM, encoding="ascii")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}/usr/bin:/bin")
    monkeypatch.setenv("TABLE", str(tmp_path / "table"))
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path / "table"


def install(library: Path, job: str = "nightly") -> str:
    return find_host_scheduler("cron").install(job, NIGHTLY, command_line(job, library), library)


def fail_with(table: Path, script: str) -> None:
    """Let the command do this when it is to write."""
    program = table.parent / "bin" / "crontab"
    program.write_text(PROGRAM.replace("$WHEN_WRITING", script), encoding="ascii")


def test_a_line_is_added_to_a_table_and_taken_away_again(table: Path, tmp_path: Path) -> None:
    table.write_bytes(TABLE)
    assert "every day at 03:30 (UTC)" in install(tmp_path)
    assert table.read_bytes().startswith(TABLE + b"30 3 * * * ")
    assert find_host_scheduler("cron").installed("nightly", tmp_path)
    assert find_host_scheduler("cron").remove("nightly", tmp_path)
    assert table.read_bytes() == TABLE
    assert not find_host_scheduler("cron").installed("nightly", tmp_path)


LISTING = """#!/bin/sh
case "$1" in
-l) sed 's/\\r/\\\\r/g' "$TABLE";;
-e) $EDITOR "$TABLE"; echo "No modification made" >&2;;
-)  cat > "$TABLE.new"; mv "$TABLE.new" "$TABLE";;
esac
"""


def test_a_crontab_that_lists_carriage_returns_as_letters_keeps_them(table: Path, tmp_path: Path) -> None:
    program = table.parent / "bin" / "crontab"
    program.write_text(LISTING, encoding="ascii")
    odd = TABLE.replace(b"\n", b"\r\n") + b"# a \\r of two letters\n"
    table.write_bytes(odd)
    install(tmp_path)
    assert table.read_bytes().startswith(odd)
    assert find_host_scheduler("cron").remove("nightly", tmp_path)
    assert table.read_bytes() == odd


def test_a_table_whose_bytes_cannot_be_had_is_left_alone(table: Path, tmp_path: Path) -> None:
    program = table.parent / "bin" / "crontab"
    program.write_text(LISTING.replace("$EDITOR", "exit 1;"), encoding="ascii")
    odd = TABLE.replace(b"\n", b"\r\n")
    table.write_bytes(odd)
    with pytest.raises(HostError, match="cannot be kept as they are"):
        install(tmp_path)
    assert table.read_bytes() == odd


def test_where_there_was_no_table_there_is_none_again(table: Path, tmp_path: Path) -> None:
    install(tmp_path)
    assert table.exists()
    assert find_host_scheduler("cron").remove("nightly", tmp_path)
    assert not table.exists()


def test_removing_what_is_not_there_says_so_and_writes_nothing(table: Path, tmp_path: Path) -> None:
    assert not find_host_scheduler("cron").remove("nightly", tmp_path)
    table.write_bytes(TABLE)
    fail_with(table, "exit 9;")
    assert not find_host_scheduler("cron").remove("nightly", tmp_path)


def test_a_machine_without_crontab_is_a_clear_error(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(HostError, match="no crontab on this machine") as caught:
        install(tmp_path)
    assert "--host" in caught.value.hint


@pytest.mark.parametrize(
    "script",
    [
        'echo "You (owner) are not allowed to use this program" >&2; exit 1;',
        "exit 3;",
        "exit 0;  # says it did, and did not\n",
        'head -c 5 "$TABLE.new" > "$TABLE"; exit 0;',
        'head -c 5 "$TABLE.new" > "$TABLE"; exit 1;',
    ],
)
@pytest.mark.parametrize("before", [TABLE, None])
def test_a_table_that_cannot_be_written_is_as_it_was(
    table: Path, tmp_path: Path, script: str, before: bytes | None
) -> None:
    if before is not None:
        table.write_bytes(before)
    # Only a table with our line in it fails, so that what is put back is written.
    fail_with(table, f'if grep -q windrow-job "$TABLE.new"; then {script} fi;')
    with pytest.raises(HostError, match="could not be written"):
        install(tmp_path)
    assert (table.read_bytes() if table.exists() else None) == before


def test_a_table_that_can_neither_be_written_nor_put_back_is_kept_in_a_file(
    table: Path, tmp_path: Path
) -> None:
    table.write_bytes(TABLE)
    fail_with(table, 'echo broken > "$TABLE"; exit 1;')
    with pytest.raises(HostError, match="nor put back") as caught:
        install(tmp_path)
    kept = next(word for word in caught.value.hint.split() if "crontab-" in word)
    assert Path(kept.rstrip(":")).read_bytes() == TABLE


def test_a_refusal_is_told_in_its_own_words(table: Path, tmp_path: Path) -> None:
    fail_with(table, 'echo "You (owner) are not allowed" >&2; exit 1;')
    with pytest.raises(HostError, match="not allowed"):
        install(tmp_path)


def test_a_table_that_ends_in_the_middle_of_a_line_is_explained(table: Path, tmp_path: Path) -> None:
    table.write_bytes(b"0 0 * * * true")
    fail_with(table, 'echo "missing newline before EOF" >&2; exit 1;')
    with pytest.raises(HostError, match="crontab -e"):
        install(tmp_path)
    assert table.read_bytes() == b"0 0 * * * true"


@pytest.mark.parametrize("every", ["2 days", "45 minutes", "monthly on last"])
def test_what_cron_cannot_say_is_refused_with_what_it_can(table: Path, tmp_path: Path, every: str) -> None:
    with pytest.raises(ConfigError, match="Cron cannot say") as caught:
        find_host_scheduler("cron").install("x", parse_cadence(every), ["true"], tmp_path)
    assert "weekly" in caught.value.hint
    assert not table.exists()


def test_a_job_in_another_zone_is_refused(table: Path, tmp_path: Path) -> None:
    cadence = parse_cadence("daily", at="03:30", timezone="Europe/Helsinki")
    with pytest.raises(ConfigError, match=r"this machine's clock \(UTC\)"):
        find_host_scheduler("cron").install("x", cadence, ["true"], tmp_path)
    assert not table.exists()


@pytest.mark.parametrize(
    ("every", "zone"), [("hourly", "Europe/Helsinki"), ("20 minutes", "Asia/Tokyo"), ("daily", "Etc/UTC")]
)
def test_a_zone_that_makes_no_difference_is_none(table: Path, tmp_path: Path, every: str, zone: str) -> None:
    find_host_scheduler("cron").install("x", parse_cadence(every, timezone=zone), ["true"], tmp_path)
    assert table.exists()


def test_each_hour_in_a_zone_with_half_hours_is_not_the_same(table: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="Asia/Kolkata"):
        find_host_scheduler("cron").install(
            "x", parse_cadence("hourly", timezone="Asia/Kolkata"), ["true"], tmp_path
        )


def test_a_table_with_a_zone_of_its_own_is_refused(table: Path, tmp_path: Path) -> None:
    table.write_bytes(b"CRON_TZ=Asia/Tokyo\n")
    with pytest.raises(ConfigError, match="CRON_TZ"):
        install(tmp_path)
    assert table.read_bytes() == b"CRON_TZ=Asia/Tokyo\n"


def test_a_host_that_there_is_not_is_refused_with_those_there_are() -> None:
    with pytest.raises(ConfigError) as caught:
        find_host_scheduler("at")
    assert all(name in caught.value.hint for name in HOSTS)
    assert {type(find_host_scheduler(name)).__name__.lower() for name in HOSTS} == set(HOSTS)
