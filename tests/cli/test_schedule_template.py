"""`windrow schedule add-template`: the five jobs that keep a web site current, and that each of them runs."""

from __future__ import annotations

import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.sourcing import Cli
from tests.servers.website import Reply, Website, page
from windrow.schedule.scheduled_job import TEMPLATES
from windrow.wiring import open_library

DAY = 86_400
NAMES = ["courses-index", "courses-reindex", "courses-harvest", "courses-reload", "courses-retry"]


@pytest.fixture
def website() -> Iterator[Website]:
    with Website() as made:
        made.routes |= {
            "/": page("Start", "/a", "/b"),
            "/a": page("Oceans", meta="id-a1"),
            "/b": page("B"),
        }
        yield made


@pytest.fixture
def courses(cli: Cli, website: Website) -> Website:
    """A web site that is a source."""
    start = ("--start", f"{website.url}/", "--contact", "robot@example.edu", "--private", "--interval", "0s")
    assert cli("source", "add", "courses", "--kind", "web", *start).code == 0
    return website


def settings(cli: Cli) -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads(cli.toml).get("jobs", {})
    return found


def test_the_jobs_are_shown_in_words_and_none_is_added_in_a_dry_run(cli: Cli, courses: Website) -> None:
    before = cli.toml
    result = cli("schedule", "add-template", "courses", "robot", "--dry-run")
    assert result.code == 0
    assert "The template robot for courses has 5 jobs:" in result.out
    assert "courses-reindex: build the whole index again windrow index --rebuild, every day at 05:10" in (
        result.words
    )
    assert [
        each["job"] for each in cli("schedule", "add-template", "courses", "--dry-run", "--json").json
    ] == (NAMES)
    assert cli.toml == before


def test_the_jobs_are_added_and_edited_like_any_other(cli: Cli, courses: Website) -> None:
    result = cli("schedule", "add-template", "courses", "robot", "--yes", "--timezone", "Europe/Stockholm")
    assert result.code == 0, result.err
    assert "Added 5 jobs." in result.out
    assert "`windrow serve` runs them while it serves" in result.words
    assert list(settings(cli)) == NAMES
    assert settings(cli)["courses-reload"] == {
        "run": "harvest courses --full --no-index",
        "every": "10 0 * * 1,3,5",
        "timezone": "Europe/Stockholm",
    }
    assert {name: job["every"] for name, job in settings(cli).items()} == {
        "courses-index": "10,40 0-4,6-23 * * *",
        "courses-reindex": "10 5 * * *",
        "courses-harvest": "20,50 0-4,6-23 * * *",
        "courses-reload": "10 0 * * 1,3,5",
        "courses-retry": "10 0 * * 0,2,4,6",
    }
    assert cli("schedule", "edit", "courses-reload", "--cron", "10 0 * * 6").code == 0
    assert settings(cli)["courses-reload"]["every"] == "10 0 * * 6"


def test_programs_get_the_jobs_as_they_were_added(cli: Cli, courses: Website) -> None:
    found = cli("schedule", "add-template", "courses", "robot", "--json").json
    assert [each["job"] for each in found] == NAMES
    assert list(settings(cli)) == NAMES


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("courses", "robo"), "there is no job template 'robo'. Did you mean \"robot\"?"),
        (("curses", "robot"), "curses"),
    ],
)
def test_what_is_not_there_is_refused(
    cli: Cli, courses: Website, arguments: tuple[str, str], words: str
) -> None:
    result = cli("schedule", "add-template", *arguments, "--yes")
    assert result.code == 2
    assert words in result.words
    assert not settings(cli)


def test_a_name_that_is_taken_stops_all_five(cli: Cli, courses: Website) -> None:
    assert cli("schedule", "add", "courses-reload", "--daily", "index").code == 0
    before = cli.toml
    result = cli("schedule", "add-template", "courses", "robot", "--yes")
    assert result.code == 2
    assert "there is already a job courses-reload" in result.words
    assert cli.toml == before


def test_each_job_runs_in_the_worker_and_does_what_it_is_for(cli: Cli, courses: Website) -> None:
    assert len(TEMPLATES["robot"]) == len(NAMES)
    assert cli("schedule", "add-template", "courses", "robot", "--yes").code == 0

    run(cli, "courses-harvest")
    assert courses.paths() == ["/", "/a", "/b"]

    run(cli, "courses-index")
    assert "id-a1" in cli("search", "oceans").out

    asked = len(courses.paths())
    run(cli, "courses-reload")
    assert courses.paths()[asked:] == ["/", "/a", "/b"]

    courses.routes["/b"] = page("Rivers", meta="id-b1")
    courses.routes["/a"] = Reply(b"", 500)
    asked = len(courses.paths())
    run(cli, "courses-retry")
    assert courses.paths()[asked:] == ["/", "/b"]  # /a has a record

    run(cli, "courses-reindex")
    assert "id-b1" in cli("search", "rivers").out


def run(cli: Cli, name: str) -> None:
    """Make a job due, and have the worker run what is due: this one alone."""
    library = open_library(str(cli.folder))
    with library.store.writing() as connection:
        now = time.time()
        connection.execute("UPDATE job SET due = ?, at = ?", (now + DAY, now + DAY))
        connection.execute("UPDATE job SET due = ?, at = ? WHERE name = ?", (now, now, name))
    library.close()
    result = cli("worker", "--once", "--json")
    assert result.code == 0, result.err
    log = sorted(Path(cli.folder).rglob(f"*{name}*.log"))
    shown = cli("schedule", "show", name, "--json").json
    outcomes = [each["outcome"] for each in shown["runs"]]
    done = [each for each in outcomes if each != "missed"]  # a due time that passes meanwhile is left out
    assert done[:1] == ["ok"], [path.read_text() for path in log]
