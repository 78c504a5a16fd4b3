"""`windrow schedule`: jobs said once, explained back, and run under their lease."""

from __future__ import annotations

import shlex
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest
import typer
import typer.main

from tests.cli.sourcing import Cli, make_cli
from windrow.cli.main import app
from windrow.config.job_sources import WITH_VALUE
from windrow.store import jobs as table
from windrow.store.leases import own_claim
from windrow.store.store import open_store

URL = "https://repository.example/oai"


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    made = make_cli(tmp_path, monkeypatch, capsys)
    monkeypatch.setenv("TZ", "Europe/Helsinki")
    assert made("source", "add", "theseus", URL, "--no-check").code == 0
    return made


def job(cli: Cli, name: str) -> dict[str, object]:
    found: dict[str, object] = tomllib.loads(cli.toml)["jobs"][name]
    return found


def test_options_of_harvest_that_take_a_value_are_known_where_its_sources_are_read() -> None:
    group: Any = typer.main.get_command(app)
    found = {
        name
        for option in group.get_command(typer.Context(group), "harvest").params
        if option.param_type_name == "option" and not option.is_flag
        for name in (*option.opts, *option.secondary_opts)
    }
    assert found == WITH_VALUE


def test_a_collection_named_as_a_source_is_refused_with_how_it_is_said(cli: Cli) -> None:
    settings = cli.folder / "windrow.toml"
    settings.write_text(f'{cli.toml}\n[collections.barn]\nsources = ["theseus"]\n', encoding="utf-8")
    result = cli("schedule", "add", "nightly", "--daily", "harvest", "barn")
    assert result.code == 2
    assert "is a collection" in result.err
    assert "collection update barn" in result.err
    assert cli("schedule", "add", "nightly", "--daily", "collection", "update", "barn").code == 0


@pytest.mark.parametrize("more", [(), ("--json",)], ids=["people", "programs"])
def test_a_key_in_the_command_of_a_job_is_used_and_never_shown(cli: Cli, more: tuple[str, ...]) -> None:
    line = "source check 'https://u:pa55word@a.example/oai?key=s3cr3t-key&set=x'"
    said = [cli("schedule", "add", "check", "--daily", *more, *shlex.split(line)).words]
    assert job(cli, "check")["run"] == line
    said += [cli(*words, *more).words for words in (("schedule", "list"), ("schedule", "show", "check"))]
    said += [cli("config", "show", *more).words, cli("schedule", "remove", "check", *more).words]
    for words in said:
        assert "pa55word" not in words
        assert "s3cr3t" not in words
    assert all("********" in words for words in said[:-1])


def test_a_job_is_explained_back_with_its_next_five_times(cli: Cli) -> None:
    before = cli.toml
    result = cli("schedule", "add", "nightly", "--daily", "--at", "03:30", "harvest", "theseus", "--full")
    assert result.code == 0
    first, *times = result.out.splitlines()
    assert first == "Added nightly: harvest theseus --full, every day at 03:30 (Europe/Helsinki)."
    assert len(times) == 5
    assert all(" 03:30 EE" in each for each in times)
    assert "windrow serve" in result.err
    assert cli.toml.startswith(before)
    assert job(cli, "nightly") == {
        "run": "harvest theseus --full",
        "every": "daily",
        "at": "03:30",
        "timezone": "Europe/Helsinki",
    }


@pytest.mark.parametrize(
    ("flags", "written"),
    [
        (("--hourly", "--at", ":15"), {"every": "hourly", "at": ":15"}),
        (("--weekly", "--on", "mon and thu"), {"every": "weekly", "on": "mon and thu"}),
        (("--monthly", "--on=last", "--at=04:00"), {"every": "monthly", "on": "last", "at": "04:00"}),
        (("--yearly", "--on", "12-24"), {"every": "yearly", "on": "12-24"}),
        (("--every", "6 hours"), {"every": "6 hours"}),
        (("--cron", "*/30 * * * *"), {"every": "*/30 * * * *"}),
        (
            ("--daily", "--jitter", "5m", "--time-limit", "never", "--attempts", "1", "--no-catch-up"),
            {"every": "daily", "jitter": "5m", "time_limit": "never", "attempts": 1, "catch_up": False},
        ),
        (
            ("--daily", "--overlap", "queue", "--notify", "always", "--"),
            {"overlap": "queue", "tell": "always"},
        ),
    ],
)
def test_what_the_flags_say_is_written_down(
    cli: Cli, flags: tuple[str, ...], written: dict[str, object]
) -> None:
    assert cli("schedule", "add", "j", *flags, "index", "--rebuild").code == 0
    found = job(cli, "j")
    assert found["run"] == "index --rebuild"
    assert written.items() <= found.items()


def test_the_old_spelling_of_notify_works_with_a_note(cli: Cli) -> None:
    added = cli("schedule", "add", "j", "--daily", "--tell", "always", "index")
    assert added.code == 0
    assert "--tell is deprecated and will be removed: use --notify" in added.err
    assert "deprecated" not in added.out
    assert job(cli, "j")["tell"] == "always"
    changed = cli("schedule", "edit", "j", "--tell", "never")
    assert "use --notify" in changed.err
    assert job(cli, "j")["tell"] == "never"
    changed = cli("schedule", "edit", "j", "--notify", "change")
    assert "deprecated" not in changed.err
    assert job(cli, "j")["tell"] == "change"
    assert "--tell" not in cli("schedule", "edit", "--help").out


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--daily",), "Missing argument"),
        (("index",), "nothing says how often"),
        (("--daily", "--hourly", "index"), "--hourly and --daily: a job has one cadence"),
        (("--every", "fortnight", "index"), "'fortnight' does not say how often"),
        (("--daily", "--at", "25:00", "index"), "'25:00' is no time of day"),
        (("--daily", "--timezone", "Europe/Helsinky", "index"), "Did you mean Europe/Helsinki?"),
        (("--cron", "0 0 30 2 *", "index"), "error:"),
        (("--daily", "--notify", "sometimes", "index"), "--notify must be one of"),
        (("--daily", "--nonsense", "index"), "No such option"),
        (("--daily", "harvst"), "No such command 'harvst'. Did you mean 'harvest'?"),
        (("--daily", "harvest", "--ful"), "No such option: --ful"),
        (("--daily", "harvest", "theseu"), "no source 'theseu'. Did you mean \"theseus\"?"),
        (("--daily", "collection", "update", "theses"), "no collection 'theses'. Did you mean \"theseus\"?"),
        (("--daily", "run", "watch"), "nothing to do at certain times"),
        (("--daily", "index", "status", "extra"), "unexpected extra argument"),
        (("--daily", "quarantine"), "it needs a verb"),
        (("--daily", "harvest", "--limit", "x"), "'x' is not a valid"),
        *((("--daily", word), "is nothing to do at certain times") for word in ("serve", "demo", "init")),
        (("--daily", "schedule", "run", "j"), "is nothing to do at certain times"),
        (("--daily", "harvest", "--help"), "is nothing to do at certain times"),
    ],
)
def test_a_slip_is_an_error_now_and_not_at_night(cli: Cli, words: tuple[str, ...], complaint: str) -> None:
    before = cli.toml
    result = cli("schedule", "add", "j", *words)
    assert result.code == 2
    assert complaint in result.words
    assert cli.toml == before


def test_names_are_those_of_jobs_and_each_is_there_once(cli: Cli) -> None:
    assert "cannot be the name of a job" in cli("schedule", "add", "A b", "--daily", "index").err
    assert cli("schedule", "add", "j", "--daily", "index").code == 0
    assert "There is already a job j" in cli("schedule", "add", "j", "--daily", "index").err


def test_the_list_has_what_when_next_and_how_it_went(cli: Cli) -> None:
    assert cli("schedule", "list").out == "There are no jobs yet.\n"
    cli("schedule", "add", "nightly", "--daily", "--at", "03:30", "harvest")
    cli("schedule", "add", "b", "--every", "20 minutes", "index")
    cli("schedule", "pause", "b")
    header, first, second = cli("schedule", "list").out.splitlines()
    assert header.split() == ["job", "what", "when", "next", "last"]
    assert first.split() == ["b", "index", "every", "20", "minutes", "paused", "never"]
    assert "nightly  harvest  every day at 03:30 (Europe/Helsinki)" in second
    one, other = cli("schedule", "list", "--json").json
    assert (one["job"], one["is_paused"], one["next"]) == ("b", True, None)
    assert (other["when"], len(other["times"])) == ("every day at 03:30 (Europe/Helsinki)", 5)
    assert other["next"] == other["times"][0]


def test_a_job_that_a_hand_has_broken_is_listed_with_the_reason(cli: Cli) -> None:
    path = cli.folder / "windrow.toml"
    path.write_text(f'{cli.toml}\n[jobs.b]\nrun = "index"\nevery = "now and then"\n', encoding="utf-8")
    listed = cli("schedule", "list")
    assert listed.code == 0
    assert "cannot be read: 'now and then' does not say how often." in listed.out
    assert "when b is due cannot be read" in cli("schedule", "next", "b").err
    assert cli("schedule", "edit", "b", "--daily").code == 0
    assert "every day at 00:00" in cli("schedule", "list").out


def test_edit_changes_what_is_said_and_keeps_the_rest(cli: Cli) -> None:
    cli("schedule", "add", "j", "--weekly", "--on", "mon", "--at", "03:30", "harvest")
    result = cli("schedule", "edit", "j", "--daily", "--attempts", "1")
    assert result.out.startswith("Changed j: harvest, every day at 03:30 (Europe/Helsinki).\n")
    assert job(cli, "j") == {
        "run": "harvest",
        "every": "daily",
        "at": "03:30",
        "timezone": "Europe/Helsinki",
        "attempts": 1,
    }
    assert (
        "Changed j: index --rebuild, every 20 minutes."
        in cli("schedule", "edit", "j", "--every", "20 minutes", "index", "--rebuild").out
    )
    assert "at" not in job(cli, "j")
    assert cli("schedule", "edit", "j", "--unset", "attempts").code == 0
    assert "attempts" not in job(cli, "j")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ((), "there is nothing to change"),
        (("--unset", "url"), "a job has no setting 'url'"),
        (("--unset", "run"), "a job cannot be without run"),
        (("--at", "noon"), "'noon' is no time of day"),
        (("serve",), "is nothing to do at certain times"),
    ],
)
def test_an_edit_that_makes_no_sense_changes_nothing(
    cli: Cli, words: tuple[str, ...], complaint: str
) -> None:
    cli("schedule", "add", "j", "--daily", "harvest")
    before = cli.toml
    result = cli("schedule", "edit", "j", *words)
    assert result.code == 2
    assert complaint in result.words
    assert cli.toml == before


def test_next_gives_as_many_times_as_wanted(cli: Cli) -> None:
    cli("schedule", "add", "j", "--monthly", "--on", "31", "--timezone", "UTC", "harvest")
    lines = cli("schedule", "next", "j", "-n", "7").out.splitlines()
    assert len(lines) == 7
    assert all("-31 00:00 UTC" in line for line in lines)
    assert "rests" in (cli("schedule", "pause", "j").out + cli("schedule", "next", "j").err)


def test_removing_a_job_gives_the_file_back_as_it_was(cli: Cli) -> None:
    before = cli.toml
    cli("schedule", "add", "j", "--daily", "harvest")
    assert "Would remove j (harvest)." in cli("schedule", "remove", "j", "--dry-run").out
    assert cli.toml != before
    assert cli("schedule", "remove", "j").out == "Removed j (harvest).\n"
    assert cli.toml == before
    assert "there is no job 'j'" in cli("schedule", "remove", "j").err


def test_run_gives_the_output_and_the_exit_code_of_the_command(cli: Cli) -> None:
    cli("schedule", "add", "good", "--daily", "index", "--json")
    good = cli("schedule", "run", "good")
    assert good.code == 0
    assert good.json["records"] == 0
    cli("schedule", "add", "bad", "--daily", "run", "show", "99")
    bad = cli("schedule", "run", "bad")
    assert bad.code == 2
    assert "99" in bad.err
    shown = cli("schedule", "show", "bad", "--json").json
    (ended,) = shown["runs"]
    assert (ended["outcome"], ended["code"], shown["failures"]) == ("failed", 2, 1)
    assert "99" in (cli.folder / ended["log"]).read_text(encoding="utf-8")
    words = cli("schedule", "show", "bad").out
    assert "does windrow run show 99" in " ".join(words.split())
    assert "once" in words
    assert "bad" in cli("schedule", "list").out


def test_a_job_that_rests_does_nothing_unless_told_to_all_the_same(cli: Cli) -> None:
    cli("schedule", "add", "j", "--daily", "index")
    assert cli("schedule", "pause", "j").code == 0
    rested = cli("schedule", "run", "j")
    assert (rested.code, rested.out) == (0, "")
    assert "j rests: nothing was done." in rested.err
    assert cli("schedule", "show", "j", "--json").json["runs"] == []
    assert cli("schedule", "run", "j", "--anyway").code == 0
    assert "j runs again: " in cli("schedule", "resume", "j").out
    assert not cli("schedule", "list", "--json").json[0]["is_paused"]


def test_a_job_that_somebody_is_at_is_for_later_and_it_is_said_who_that_is(cli: Cli) -> None:
    cli("schedule", "add", "j", "--daily", "index")
    store = open_store(cli.folder)
    with store.writing() as connection:
        claim = own_claim("somebody else")
        table.take_named(connection, "j", claim=claim, now=time.time(), lease_seconds=600)
    result = cli("schedule", "run", "j")
    assert result.code == 75
    assert "somebody else" in result.err
    assert "running" in cli("schedule", "list").out
    store.close()


def test_adding_a_source_offers_a_schedule_and_forces_none(cli: Cli) -> None:
    offered = cli("source", "add", "a", f"{URL}/a", "--no-check").err
    assert "windrow schedule add nightly --daily --at 03:30 harvest a" in offered
    assert "jobs" not in tomllib.loads(cli.toml)
    cli("schedule", "add", "nightly", "--daily", "harvest", "theseus")
    assert "schedule add nightly-b --daily" in cli("source", "add", "b", f"{URL}/b", "--no-check").err
    cli("schedule", "add", "everything", "--daily", "harvest")
    assert "The job everything harvests it as well" in cli("source", "add", "c", f"{URL}/c", "--no-check").err


def test_what_is_printed_for_programs_is_json(cli: Cli) -> None:
    assert cli("schedule", "add", "j", "--json", "--daily", "harvest").json["job"] == "j"
    for verb in ("pause", "resume", "next", "show"):
        assert cli("schedule", verb, "j", "--json").json["job"] == "j"
    assert cli("schedule", "edit", "j", "--weekly", "--json").json["when"].startswith("on Sundays")
    assert cli("schedule", "remove", "j", "--json").json["is_removed"] is True


def test_a_job_that_nobody_begins_is_overdue_and_the_list_says_who_would(cli: Cli) -> None:
    cli("schedule", "add", "nightly", "--daily", "harvest", "theseus")
    assert "overdue" not in cli("schedule", "list").words
    store = open_store(cli.folder)
    with store.writing() as connection:
        connection.execute("UPDATE job SET due = ?, at = ?", (time.time() - 3600,) * 2)
    store.close()
    result = cli("schedule", "list")
    assert "overdue since " in result.out
    assert "windrow worker" in result.err
    assert cli("schedule", "list", "--json").json[0]["is_overdue"] is True
    cli("schedule", "pause", "nightly")
    assert "overdue" not in cli("schedule", "list").words
