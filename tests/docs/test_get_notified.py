"""What docs/howto/get-notified.md shows of messages is what is sent."""

from __future__ import annotations

import json
from typing import Any

from tests.docs.markdown import ROOT, Page
from windrow.config.job_settings import JobSettings
from windrow.model.job_state import JobOutcome, JobRun, JobState
from windrow.net.webhook import sign
from windrow.schedule.notification_channels import Occasion, RunReport, compose_message
from windrow.store.outbox import NotificationState

PAGE = Page(ROOT / "docs" / "howto" / "get-notified.md")
DUE = 1_794_792_600.0  # 2026-11-16 03:30 in Helsinki
DAY = 86400.0
SUMMARY = "https://repository.example/oai/request: no answer within 60 seconds"


def _block(language: str) -> str:
    (found,) = [each.text for each in PAGE.blocks if each.language == language]
    return found


def _news(occasion: Occasion, told: NotificationState) -> RunReport:
    job = JobSettings(name="nightly", run="harvest theseus", every="daily", timezone="Europe/Helsinki")
    log = "logs/nightly/12.log"
    run = JobRun(12, "nightly", DUE, DUE, DUE + 250, JobOutcome.FAILED, 1, 3, "", SUMMARY, log, None)
    good = JobRun(9, "nightly", DUE - 3 * DAY, DUE - 3 * DAY, DUE, JobOutcome.OK, 0, 1, "", "", "", None)
    state = JobState(
        "nightly", DUE + DAY, DUE + DAY, 0, False, False, None, run, good, told.since, told.failures
    )
    return RunReport(occasion, "Theses", job, run, state, told)


def test_the_mail_of_the_page_is_the_one_that_is_sent() -> None:
    message = compose_message(_news(Occasion.FAILING, NotificationState(DUE - 2 * DAY, 3, DUE - DAY)))
    assert message.text == _block("text")


def test_the_json_of_the_page_is_the_one_that_is_posted() -> None:
    message = compose_message(_news(Occasion.FAILED, NotificationState(DUE + 250, 1, None)))
    assert json.loads(message.as_json()) == json.loads(_block("json"))
    assert list(json.loads(message.as_json())) == list(json.loads(_block("json")))


def test_the_program_of_the_page_knows_our_signature() -> None:
    names: dict[str, Any] = {}
    exec(_block("python"), names)
    body = b'{"text": "Theses"}'
    assert names["is_ours"](body, sign(body, "secret"), "secret")
    assert not names["is_ours"](body + b" ", sign(body, "secret"), "secret")


def test_every_occasion_is_named() -> None:
    assert all(f"`{each.value}`" in PAGE.text for each in Occasion)
