"""What runs by itself, as the page on status tells anybody who asks."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.unit.search.catalogue import Catalogue
from tests.unit.web.portal.stage import SETTINGS, Portal, staged, stock
from windrow.model.job_state import JobOutcome
from windrow.model.run import Counters
from windrow.store import jobs, leases, runs
from windrow.store.jobs import ClaimedJob, NextAttempt, ScheduledJob

NOON = datetime(2024, 6, 1, 12, tzinfo=UTC)
NOW = NOON.timestamp()
HOUR = 3600.0
JOBS = f"""{SETTINGS}
[jobs.nightly]
run = "harvest hay --from 2020-01-01"
every = "daily"

[jobs.often]
run = "export --to /srv/secret/place"
every = "hourly"
"""


@pytest.fixture(autouse=True)
def noon(catalogue: Catalogue) -> None:
    catalogue.store.clock = lambda: NOW


def know(catalogue: Catalogue, *, at: float = NOW + HOUR) -> None:
    with catalogue.store.writing() as connection:
        jobs.sync(connection, [ScheduledJob(name, "daily", at, at) for name in ("nightly", "often")])


def take(catalogue: Catalogue, name: str, *, now: float = NOW) -> ClaimedJob:
    with catalogue.store.writing() as connection:
        claim = leases.own_claim("a test")
        return jobs.take_named(connection, name, claim=claim, now=now, lease_seconds=600)


def run(catalogue: Catalogue, name: str, outcome: JobOutcome, *, now: float = NOW) -> None:
    taken = take(catalogue, name, now=now)
    with catalogue.store.writing() as connection:
        onward = NextAttempt(NOW + HOUR, NOW + HOUR)
        assert jobs.finish(connection, taken, outcome, onward, now=now, summary="the secret of /srv/x")


def rows(portal: Portal, *, language: str = "en") -> list[list[str]]:
    root = portal.page("/status", language=language).root
    found = root.xpath("//section[@class='jobs']//tbody/tr")
    return [[" ".join(cell.text_content().split()) for cell in row] for row in found]


def sentences(portal: Portal, *, language: str = "en") -> list[str]:
    page = portal.page("/status", language=language)
    return page.texts("//section[@class='jobs']//li | //section[@class='jobs']/p")


def test_without_jobs_it_is_said_that_nothing_runs_by_itself(tmp_path: Path, catalogue: Catalogue) -> None:
    with staged(tmp_path, catalogue) as portal:
        said = ["Nothing yet: the sources are harvested when somebody asks for it."]
        assert sentences(portal) == said
        assert rows(portal) == []


def test_each_job_says_what_it_does_how_it_went_and_when_it_is_next(
    tmp_path: Path, catalogue: Catalogue
) -> None:
    know(catalogue)
    run(catalogue, "nightly", JobOutcome.PARTIAL)
    with staged(tmp_path, catalogue, settings=JOBS) as portal:
        noon, one = "1 June 2024 12:00 UTC", "1 June 2024 13:00 UTC"
        assert rows(portal) == [
            ["nightly", "harvest hay --from 2020-01-01", "partial", noon, one],
            ["often", "export --to", "never", "not yet", one],
        ]
        assert sentences(portal) == ["Everything that was due has been done."]


def test_a_job_added_while_it_is_served_says_what_it_does(tmp_path: Path, catalogue: Catalogue) -> None:
    know(catalogue)
    with staged(tmp_path, catalogue) as portal:
        assert [row[1] for row in rows(portal)] == ["–", "–"]
        (tmp_path / "windrow.toml").write_text(JOBS, encoding="utf-8")
        assert [row[1] for row in rows(portal)] == ["harvest hay --from 2020-01-01", "export --to"]


def test_nobody_learns_of_folders_or_of_what_a_run_printed(tmp_path: Path, catalogue: Catalogue) -> None:
    know(catalogue)
    run(catalogue, "often", JobOutcome.FAILED)
    with staged(tmp_path, catalogue, settings=JOBS) as portal:
        assert b"/srv/" not in portal.ask("/status").body


def test_a_job_that_fails_is_told_with_since_when_and_how_often(tmp_path: Path, catalogue: Catalogue) -> None:
    know(catalogue)
    run(catalogue, "nightly", JobOutcome.FAILED, now=NOW - 2 * HOUR)
    with staged(tmp_path, catalogue, settings=JOBS) as portal:
        assert sentences(portal) == ["nightly failed on 1 June 2024 10:00 UTC."]
        run(catalogue, "nightly", JobOutcome.FAILED, now=NOW - HOUR)
        assert sentences(portal) == [
            "nightly has been failing since 1 June 2024 10:00 UTC, 2 times in a row."
        ]
        (told,) = sentences(portal, language="sv")
        assert told == "nightly har misslyckats sedan 1 juni 2024 10:00 UTC, 2 gånger i rad."
        run(catalogue, "nightly", JobOutcome.OK)
        assert sentences(portal) == ["Everything that was due has been done."]


def test_a_job_that_nobody_begins_is_overdue(tmp_path: Path, catalogue: Catalogue) -> None:
    know(catalogue, at=NOW - 60)
    with staged(tmp_path, catalogue, settings=JOBS) as portal:
        assert sentences(portal) == ["Everything that was due has been done."]  # a minute is nothing
        catalogue.store.clock = lambda: NOW + HOUR
        said = "has been waiting since 1 June 2024 11:59 UTC: nobody begins it."
        assert sentences(portal) == [f"nightly {said}", f"often {said}"]
        assert [row[-1] for row in rows(portal)] == ["overdue", "overdue"]


def test_a_job_that_runs_says_since_when_and_how_far_it_is(tmp_path: Path, catalogue: Catalogue) -> None:
    stock(catalogue)
    know(catalogue)
    take(catalogue, "nightly")
    shelf = catalogue.shelf("hay")
    number = shelf.start_run()
    with catalogue.store.writing() as connection:
        leases.take(connection, leases.lease_name("hay"), leases.own_claim("a test"))
        runs.progress(connection, number, Counters(seen=1234), 5000)
    with staged(tmp_path, catalogue, settings=JOBS) as portal:
        told, done = sentences(portal)
        assert told == "nightly has been running since 1 June 2024 12:00 UTC. hay: 1,234 of 5,000 so far."
        assert done == "Everything that was due has been done."
        assert rows(portal)[0][-1] == "running"


@pytest.mark.parametrize(
    ("printed", "told"),
    [
        ("indexed: 10 of 90 (5/s, 16 s left)\nindexed: 1,250 of 5,000 (9/s)\n", "1,250 of 5,000 so far."),
        ("exporting: 7 of 9 (1/s)", "7 of 9 so far."),
        ("error: /srv/secret: 7 of 9 (1/s)\n", ""),
        ("indexed: <b>7</b> of 9 (1/s)\n", ""),
        ("indexed: 1 of 2 (1/s)\nDone with /srv/secret.\n", ""),
        ("", ""),
    ],
)
def test_of_what_a_job_prints_only_how_far_it_is_is_told(
    tmp_path: Path, catalogue: Catalogue, printed: str, told: str
) -> None:
    know(catalogue)
    taken = take(catalogue, "often")
    with catalogue.store.writing() as connection:
        jobs.note_run_log(connection, taken.run, "logs/often/1.log")
    with staged(tmp_path, catalogue, settings=JOBS) as portal:
        log = tmp_path / "logs" / "often" / "1.log"
        log.parent.mkdir(parents=True)
        log.write_text(printed, encoding="utf-8")
        assert sentences(portal)[0] == f"often has been running since 1 June 2024 12:00 UTC. {told}".strip()


def test_a_source_whose_job_runs_or_rests_says_so_instead_of_when_it_is_next(
    tmp_path: Path, catalogue: Catalogue
) -> None:
    stock(catalogue)
    know(catalogue)
    with staged(tmp_path, catalogue, settings=JOBS) as portal:
        with catalogue.store.writing() as connection:
            jobs.pause(connection, "nightly")
        assert "Next runpaused" in portal.page("/status/hay").words
        take(catalogue, "nightly")
        assert "Next runrunning" in portal.page("/status/hay").words
        page = portal.page("/status", language="sv")
        cells = page.texts("//table[not(ancestor::section)]/tbody/tr/td[last()]")
        assert cells == ["pågår", "inte schemalagd"]


def test_a_job_that_rests_says_so(tmp_path: Path, catalogue: Catalogue) -> None:
    know(catalogue, at=NOW - HOUR)
    with catalogue.store.writing() as connection:
        jobs.pause(connection, "nightly")
        jobs.pause(connection, "often")
    with staged(tmp_path, catalogue, settings=JOBS) as portal:
        assert [row[-1] for row in rows(portal)] == ["paused", "paused"]
        assert [row[-1] for row in rows(portal, language="fi")] == ["tauolla", "tauolla"]


def test_a_job_that_no_runner_has_seen_is_shown_all_the_same(tmp_path: Path, catalogue: Catalogue) -> None:
    with staged(tmp_path, catalogue, settings=JOBS) as portal:
        assert [(row[0], row[-1]) for row in rows(portal)] == [
            ("nightly", "not known"),
            ("often", "not known"),
        ]


def test_a_job_added_since_the_server_began_is_shown_by_its_name(
    tmp_path: Path, catalogue: Catalogue
) -> None:
    know(catalogue)
    with staged(tmp_path, catalogue) as portal:
        assert [row[:2] for row in rows(portal)] == [["nightly", "–"], ["often", "–"]]


def test_a_source_says_when_it_is_harvested_next(tmp_path: Path, catalogue: Catalogue) -> None:
    stock(catalogue)
    know(catalogue)
    with staged(tmp_path, catalogue, settings=JOBS) as portal:
        page = portal.page("/status")
        cells = page.texts("//table[not(ancestor::section)]/tbody/tr/td[last()]")
        assert cells == ["1 June 2024 13:00 UTC", "not scheduled"]
        assert "Next run1 June 2024 13:00 UTC" in portal.page("/status/hay").words.replace("run ", "run")
