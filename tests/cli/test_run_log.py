"""`windrow run log`: what a run of a job printed."""

from __future__ import annotations

import pytest

from tests.cli.looking import opened
from tests.cli.sourcing import Cli
from windrow.model.job_state import JobOutcome
from windrow.schedule.run_logs import log_name, open_log
from windrow.store import jobs
from windrow.store.leases import own_claim


def _run(cli: Cli, output: bytes, *, job: str = "nightly", is_kept: bool = True) -> int:
    with opened(cli) as store, store.writing() as connection:
        number = jobs.start_run(connection, job, due=0.0, now=1.0, attempt=1, claim=own_claim("a test"))
        jobs.note_run_log(connection, number, log_name(job, number))
        jobs.end_run(connection, number, JobOutcome.FAILED, now=2.0, code=1, summary="no answer")
    if is_kept:
        open_log(cli.folder, job, number)(output)
    return number


def test_the_output_of_a_run_is_printed_by_its_number_or_its_job(cli: Cli) -> None:
    first, second = _run(cli, b"one\n"), _run(cli, b"two\nthree\n")
    assert cli("run", "log", str(first)).out == "one\n"
    assert cli("run", "log", "nightly").out == "two\nthree\n"
    assert cli("run", "log", "nightly", "--lines", "1").out == "three\n"
    assert "failed; no answer" in cli("run", "log", str(second)).err


def test_a_program_gets_the_text_and_where_it_is(cli: Cli) -> None:
    number = _run(cli, b"one\n")
    told = cli("run", "log", str(number), "--json").json
    assert told == {
        "run": number,
        "job": "nightly",
        "outcome": "failed",
        "path": str(cli.folder / "logs" / "nightly" / f"{number}.log"),
        "text": "one\n",
    }


def test_to_follow_a_run_that_has_ended_ends(cli: Cli) -> None:
    assert cli("run", "log", str(_run(cli, b"one\n")), "--follow").out == "one\n"


def test_orders_to_the_terminal_in_the_output_are_shown_and_not_obeyed(cli: Cli) -> None:
    assert cli("run", "log", str(_run(cli, b"\x1b[2Jgone\n"))).out == "␛[2Jgone\n"


@pytest.mark.parametrize("which", ["7", "nowhere", "99999999999999999999999"])
def test_a_run_that_never_was_is_told(which: str, cli: Cli) -> None:
    result = cli("run", "log", which)
    assert result.code == 2
    assert "schedule show" in result.err


def test_output_that_is_not_kept_any_more_is_told(cli: Cli) -> None:
    result = cli("run", "log", str(_run(cli, b"", is_kept=False)))
    assert result.code == 2
    assert "not kept" in result.err
