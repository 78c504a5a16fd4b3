"""Who is told of which run, in which words, by which way: with real servers, and weeks in a moment."""

from __future__ import annotations

import json
import shlex
import sys
import threading
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from html import escape
from itertools import pairwise
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest

from tests.servers.http import Reply, Request, ScriptedServer
from tests.servers.smtp import Manners, SmtpServer
from windrow.config.loader import load
from windrow.errors import StoreError
from windrow.model.job_state import JobOutcome
from windrow.schedule.notifications import MAX_ATTEMPTS, MAX_MESSAGE_AGE_SECONDS, NotificationThread, Notifier
from windrow.schedule.run_logs import log_name, open_log, read_log
from windrow.store import jobs, outbox
from windrow.store.jobs import NextAttempt, ScheduledJob
from windrow.store.leases import own_claim
from windrow.store.outbox import OutboxEntry
from windrow.store.store import Store, open_store
from windrow.wiring import create_library

MIDNIGHT = 1_767_225_600.0  # 2026-01-01 00:00 UTC, 02:00 in Helsinki
HOUR = 3600.0
OK, FAILED = JobOutcome.OK, JobOutcome.FAILED


@dataclass
class Stage:
    """A library with one hourly job, whose runs end as the test says."""

    folder: Path
    store: Store
    now: float = MIDNIGHT
    number: int = 0
    environ: dict[str, str] = field(default_factory=dict)

    def configure(self, *, tell: str = "failure", **notify: object) -> None:
        """Write windrow.toml with these ways to tell."""
        lines = "\n".join(f"{key} = {json.dumps(value)}" for key, value in notify.items())
        job = f'run = "harvest theseus"\nevery = "hourly"\ntimezone = "Europe/Helsinki"\ntell = "{tell}"'
        text = f'[library]\nname = "Theses"\n[jobs.nightly]\n{job}\n[notify]\n{lines}\n'
        (self.folder / "windrow.toml").write_text(text, encoding="utf-8")

    @property
    def teller(self) -> Notifier:
        """A new one each time: nothing it knows is only in its memory."""
        return Notifier(
            lambda: load(self.folder, environ=self.environ),
            self.store,
            environ=self.environ,
            clock=lambda: self.now,
        )

    def end(
        self,
        outcome: JobOutcome,
        *,
        summary: str = "",
        retry_at: float | None = None,
        output: bytes = b"harvesting\nerror: no answer\n",
    ) -> list[str]:
        """Let a run end, an hour after the last, and people be told."""
        self.finish(outcome, summary=summary, retry_at=retry_at, output=output)
        return self.teller.send_waiting()

    def finish(
        self,
        outcome: JobOutcome,
        *,
        summary: str = "",
        retry_at: float | None = None,
        output: bytes = b"harvesting\nerror: no answer\n",
    ) -> None:
        """Let a run end, an hour after the last."""
        self.number += 1
        self.now += HOUR
        with self.store.writing() as connection:
            if self.number == 1:
                jobs.sync(connection, [ScheduledJob("nightly", "hourly", self.now - 60, self.now - 60)])
            taken = jobs.take_named(
                connection, "nightly", claim=own_claim("test"), now=self.now - 59, lease_seconds=60
            )
            jobs.note_run_log(connection, taken.run, log_name("nightly", self.number))
            jobs.finish(
                connection,
                taken,
                outcome,
                NextAttempt(self.now + HOUR - 60, self.now + HOUR),
                now=self.now,
                code=int(outcome is FAILED),
                summary=summary,
                is_final=retry_at is None,
                retry_at=retry_at,
            )
        open_log(self.folder, "nightly", self.number)(output)

    def waiting(self) -> list[OutboxEntry]:
        """What is in the outbox."""
        with self.store.reading() as connection:
            return outbox.list_entries(connection)


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    folder = create_library(tmp_path / "theses")
    store = open_store(folder)
    yield Stage(folder, store)
    store.close()


@contextmanager
def _hook(
    stage: Stage, handle: Callable[[Request], Reply] = lambda _: Reply(204), **more: object
) -> Iterator[list[dict[str, object]]]:
    """A webhook; gives what arrives, as it arrives."""
    arrived: list[dict[str, object]] = []

    def keep(request: Request) -> Reply:
        reply = handle(request)
        if reply.status == 204:
            arrived.append(json.loads(request.body))
        return reply

    with ScriptedServer(keep, path="/hook") as server:
        stage.configure(webhook=server.url, **more)  # type: ignore[arg-type]
        yield arrived


def _occasions(arrived: list[dict[str, object]]) -> list[object]:
    return [each["occasion"] for each in arrived]


def test_a_failure_is_told_at_once_then_daily_then_its_end(stage: Stage) -> None:
    with _hook(stage) as arrived:
        for _ in range(5):
            stage.end(OK)
        assert arrived == []
        told_at = []
        for hour in range(49):
            before = len(arrived)
            assert stage.end(FAILED) == []
            told_at += [hour] * (len(arrived) - before)
        assert told_at == [0, 20, 40]
        stage.end(OK)
        stage.end(OK)
        stage.end(FAILED)
    assert _occasions(arrived) == ["failed", "failing", "failing", "recovered", "failed"]
    assert arrived[2]["title"] == "Theses: nightly failed: failing since 2026-01-01 08:00 EET, 41 failures"
    assert arrived[3]["title"] == "Theses: nightly is ok again after 49 failures"
    assert arrived[3]["failing_since"] == "2026-01-01T06:00:00+00:00"
    assert arrived[4]["title"] == "Theses: nightly failed"


def test_a_job_that_fails_every_night_is_told_of_every_night(stage: Stage) -> None:
    with _hook(stage) as arrived:
        for minutes in (0, -30, +45, -20):
            stage.now += 23 * HOUR + minutes * 60
            stage.end(FAILED)
    assert _occasions(arrived) == ["failed", "failing", "failing", "failing"]


def test_what_is_tried_again_is_not_told_of(stage: Stage) -> None:
    with _hook(stage, tell="always") as arrived:
        stage.end(FAILED, retry_at=MIDNIGHT + 9 * HOUR)
        stage.end(OK)
    assert _occasions(arrived) == ["ended"]


@pytest.mark.parametrize(
    ("tell", "expected"),
    [
        ("failure", ["failed", "recovered"]),
        ("change", ["failed", "recovered"]),
        ("always", ["ended", "failed", "failing", "recovered", "ended", "ended"]),
        ("never", []),
    ],
)
def test_who_wants_to_hear_more_or_less_does(tell: str, expected: list[str], stage: Stage) -> None:
    with _hook(stage, tell=tell) as arrived:
        for outcome in (OK, FAILED, FAILED, OK, JobOutcome.PARTIAL, JobOutcome.SKIPPED):
            stage.end(outcome)
    assert _occasions(arrived) == expected


def test_who_wants_changes_is_not_reminded(stage: Stage) -> None:
    with _hook(stage, tell="change") as arrived:
        for _ in range(60):
            stage.end(FAILED)
        stage.end(OK)
    assert _occasions(arrived) == ["failed", "recovered"]


def test_what_could_not_be_delivered_is_noted_with_the_run_and_tried_with_the_next(stage: Stage) -> None:
    replies = [Reply(500), Reply(204), Reply(503), Reply(204)]
    with _hook(stage, lambda _: replies.pop(0)) as arrived:
        (problem,) = stage.end(FAILED)
        assert stage.end(FAILED) == []
        assert stage.end(FAILED) == []  # told an hour ago
        assert len(stage.end(OK)) == 1
        assert stage.end(OK) == []
        assert stage.end(OK) == []
    assert problem.startswith("not told by webhook: the webhook at 127.0.0.1:")
    assert f"windrow: {problem}\n" in (read_log(stage.folder, log_name("nightly", 1)) or "")
    assert [(each["occasion"], each["failures"]) for each in arrived] == [("failed", 2), ("recovered", 3)]
    assert not replies


def test_failures_after_an_untold_recovery_count_anew(stage: Stage) -> None:
    replies = [Reply(204), Reply(500), Reply(204)]
    with _hook(stage, lambda _: replies.pop(0)) as arrived:
        for outcome in (FAILED, OK, FAILED):
            stage.end(outcome)
    assert [(each["occasion"], each["failures"]) for each in arrived] == [("failed", 1), ("failed", 1)]


def test_one_way_that_fails_does_not_keep_the_others_from_telling(stage: Stage) -> None:
    with SmtpServer() as mail, ScriptedServer(lambda _: Reply(404)) as hook:
        stage.configure(
            webhook=hook.url,
            mail_to=["ada@library.example"],
            mail_from="windrow@library.example",
            smtp_host="127.0.0.1",
            smtp_port=mail.port,
            tls="none",
        )
        assert len(stage.end(FAILED)) == 1
        assert len(stage.end(FAILED)) == 1  # only who did not hear of it is tried again
    assert len(mail.letters) == 1
    assert len(hook.requests) == 2


def test_a_mail_that_reached_some_is_not_sent_every_hour(stage: Stage) -> None:
    with SmtpServer(Manners(refused=frozenset({"bob@library.example"}))) as mail:
        stage.configure(
            mail_to=["ada@library.example", "bob@library.example"],
            mail_from="windrow@library.example",
            smtp_host="127.0.0.1",
            smtp_port=mail.port,
            tls="none",
        )
        (problem,) = stage.end(FAILED)
        assert stage.end(FAILED) == []
    assert "bob@library.example" in problem
    assert [letter.to for letter in mail.letters] == [("ada@library.example",)]


def test_a_mail_says_what_when_why_and_what_next(stage: Stage) -> None:
    with SmtpServer() as mail:
        stage.configure(
            mail_to=["ada@library.example"],
            mail_from="windrow@library.example",
            smtp_host="127.0.0.1",
            smtp_port=mail.port,
            tls="none",
        )
        stage.end(OK)
        stage.end(FAILED, summary="http://127.0.0.1:9/oai: no answer within 60 seconds")
    (letter,) = mail.letters
    assert letter.mail["Subject"] == "Theses: nightly failed"
    assert letter.text.replace("\r\n", "\n").splitlines() == [
        "Theses: nightly failed",
        "",
        "what       windrow harvest theseus",
        "in words   http://127.0.0.1:9/oai: no answer within 60 seconds",
        "due        2026-01-01 03:59 EET",
        "started    2026-01-01 03:59 EET",
        "took       59 s",
        "last good  2026-01-01 02:59 EET",
        "next       2026-01-01 05:00 EET",
        "output     windrow run log 2",
        "",
        "Its last lines:",
        "    harvesting",
        "    error: no answer",
    ]


def test_a_command_gets_the_facts_on_stdin_without_any_shell(stage: Stage) -> None:
    said = "sys.argv[1] + os.environ['WINDROW_LIBRARY'] + sys.stdin.read()"
    script = f"import os, sys; open('got', 'w').write({said})"
    stage.configure(command=f"'{sys.executable}' -c \"{script}\" '$HOME;|&'")
    assert stage.end(FAILED) == []
    got = (stage.folder / "got").read_text(encoding="utf-8")
    start = f"$HOME;|&{stage.folder.resolve()}"
    assert got.startswith(start)
    facts = json.loads(got.removeprefix(start))
    assert (facts["job"], facts["run"], facts["outcome"], facts["code"]) == ("nightly", 1, "failed", 1)
    assert facts["text"] == facts["title"] == "Theses: nightly failed"
    assert facts["log"] == "logs/nightly/1.log"


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("import sys; sys.exit('no such room')", "ended with 1: no such room"),
        ("import signal; signal.pause()", "took longer than 1 seconds"),
    ],
)
def test_a_command_that_fails_or_hangs_is_a_problem_of_the_run(script: str, words: str, stage: Stage) -> None:
    stage.configure(command=f"'{sys.executable}' -c \"{script}\"", timeout="1s")
    (problem,) = stage.end(FAILED)
    assert words in problem


def test_a_command_that_is_not_there_is_a_problem_of_the_run(stage: Stage) -> None:
    stage.configure(command="/nowhere/tell")
    assert stage.end(FAILED) == [
        "not told by command: the command tell cannot be started: No such file or directory"
    ]


def test_secrets_are_in_no_message_and_no_log(stage: Stage) -> None:
    stage.environ["SMTP_PASSWORD"] = "from the environment"
    with (
        ScriptedServer(lambda _: Reply(204), path="/very-secret-key") as hook,
        SmtpServer(Manners(login=("windrow", "another"))) as mail,
    ):
        stage.configure(
            webhook=hook.url,
            webhook_secret="signing words",
            mail_to=["ada@library.example"],
            mail_from="windrow@library.example",
            smtp_host="127.0.0.1",
            smtp_port=mail.port,
            tls="none",
            username="windrow",
            password_env="SMTP_PASSWORD",
        )
        said = f"cannot log in with from the environment at {hook.url}, signing words"
        problems = stage.end(FAILED, summary=said)
        sent = hook.requests[0].body.decode()
    kept = read_log(stage.folder, log_name("nightly", 1)) or ""
    assert json.loads(sent)["summary"] == "cannot log in with ******** at ********, ********"
    assert "does not let us in" in kept
    for secret in ("from the environment", "signing words", "very-secret-key"):
        assert secret not in sent + kept + "".join(problems)


def test_a_password_that_is_nowhere_is_a_problem_of_the_run(stage: Stage) -> None:
    stage.configure(
        mail_to=["ada@library.example"],
        mail_from="windrow@library.example",
        smtp_host="127.0.0.1",
        username="windrow",
        password_env="SMTP_PASSWORD",
    )
    (problem,) = stage.end(FAILED)
    assert "SMTP_PASSWORD, which is not in the environment" in problem


def test_settings_that_cannot_be_read_are_a_problem_of_the_run(stage: Stage) -> None:
    (stage.folder / "windrow.toml").write_text("[notify]\nmail_too = 1\n", encoding="utf-8")
    (problem,) = stage.end(FAILED)
    assert problem.startswith("nobody was told: ")


def test_where_no_way_is_set_nothing_happens(stage: Stage) -> None:
    stage.configure()
    assert stage.end(FAILED) == []
    assert stage.teller.try_out() == {}


def test_every_way_can_be_tried_out(stage: Stage) -> None:
    with _hook(stage, command="/nowhere/tell") as arrived:
        tried = stage.teller.try_out()
    assert tried["webhook"] == ""
    assert "cannot be started" in tried["command"]
    assert _occasions(arrived) == ["test"]


def test_a_runner_does_not_wait_for_people_to_be_told(stage: Stage) -> None:
    is_asked, may_answer = threading.Event(), threading.Event()

    def slowly(_: Request) -> Reply:
        is_asked.set()
        may_answer.wait(60)
        return Reply(204)

    with _hook(stage, slowly) as arrived:
        stage.finish(FAILED)
        desk = NotificationThread(stage.teller)
        desk.start()
        assert is_asked.wait(60)
        stage.finish(FAILED)
        desk()
        assert arrived == []
        may_answer.set()
        desk.close()
    assert [each["run"] for each in arrived] == [1]
    assert stage.waiting() == []


def test_a_message_is_tried_again_ever_more_rarely_and_given_up_after_days(stage: Stage) -> None:
    with _hook(stage, lambda _: Reply(503)) as arrived:
        stage.end(FAILED)
        began, moments = stage.now, [stage.now]
        while stage.waiting()[0].given_up is None:
            assert len(moments) <= MAX_ATTEMPTS
            stage.now += stage.teller.seconds_to_next() or 0
            assert len(stage.teller.send_waiting()) == 1
            moments.append(stage.now)
        pauses = [later - sooner for sooner, later in pairwise(moments)]
        assert pauses == sorted(pauses)
        assert stage.now - began <= MAX_MESSAGE_AGE_SECONDS
        assert stage.teller.seconds_to_next() is None
        (given_up,) = stage.waiting()
        assert given_up.attempts == len(moments)
        assert "503" in given_up.problem
        stage.now += MAX_MESSAGE_AGE_SECONDS
        assert stage.teller.send_waiting() == []
    assert arrived == []


def test_a_message_that_arrives_ends_what_is_remembered_of_those_given_up(stage: Stage) -> None:
    with _hook(stage, lambda _: Reply(503)):
        stage.end(FAILED)
        while stage.waiting()[0].given_up is None:
            stage.now += stage.teller.seconds_to_next() or 0
            stage.teller.send_waiting()
    with _hook(stage) as arrived:
        stage.end(FAILED)
    assert [(each["occasion"], each["failures"]) for each in arrived] == [("failed", 2)]
    assert stage.waiting() == []


def test_a_mail_server_that_comes_back_gets_the_message_once(stage: Stage) -> None:
    replies = [Reply(503), Reply(503), Reply(204)]
    with _hook(stage, lambda _: replies.pop(0)) as arrived:
        stage.end(FAILED)
        for _ in range(4):
            stage.now += stage.teller.seconds_to_next() or HOUR
            stage.teller.send_waiting()
    assert _occasions(arrived) == ["failed"]
    assert stage.waiting() == []


def test_what_a_killed_process_was_sending_is_sent_by_the_next_and_not_twice_by_two(stage: Stage) -> None:
    with _hook(stage) as arrived:
        stage.finish(FAILED)
        with stage.store.writing() as connection:
            assert outbox.take(connection, own_claim("busy"), now=stage.now) is not None
        assert stage.teller.send_waiting() == []
        assert arrived == [], "another process is at it"
        dead = replace(own_claim("dead"), birth="0")
        with stage.store.writing() as connection:
            connection.exec_driver_sql("UPDATE outbox SET birth = ?", (dead.birth,))
        stage.teller.send_waiting()
    assert _occasions(arrived) == ["failed"]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ZeroDivisionError()])
@pytest.mark.parametrize("is_released", [True, False], ids=["released", "not released"])
def test_what_ends_a_delivery_is_raised_and_the_message_is_sent_later(
    stage: Stage, error: BaseException, is_released: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise error

    def refuse(*_: object, **__: object) -> None:
        raise StoreError("the disk is full")

    with _hook(stage) as arrived:
        stage.finish(FAILED)
        with monkeypatch.context() as patch:
            patch.setattr(Notifier, "_send", fail)
            if not is_released:
                patch.setattr(outbox, "release", refuse)
            with pytest.raises(type(error)) as caught:
                stage.teller.send_waiting()
        assert caught.value is error
        stage.now += HOUR
        stage.teller.send_waiting()  # by the same process, which would hold its claim as long as it lives
        stage.now += HOUR
        stage.teller.send_waiting()
    assert _occasions(arrived) == ["failed"]
    assert stage.waiting() == []


def test_a_failure_that_was_over_before_anybody_could_be_reached_is_not_told_late(stage: Stage) -> None:
    replies = [Reply(503)] + [Reply(204)] * 3
    with _hook(stage, lambda _: replies.pop(0)) as arrived:
        stage.end(FAILED)
        stage.end(OK)
        stage.now += HOUR
        stage.teller.send_waiting()
    assert arrived == []
    assert stage.waiting() == []


# What must never be sent, and where the settings have it.
PASSWORD, FROM_THE_ENVIRONMENT, KEY, BEARER = "p@ss/w0rd&co", "env-5ecret", "K3Y+value/1", "b34rer-token"
MAILED, SIGNED, HOOK = "smtp-5ecret", "s1gning-secret", "h00k-in-the-path"
PROXIED = "proxy-5ecret"
SETTINGS = f"""
[harvest]
proxy = "http://me:{PROXIED}@proxy.example:3128"
[sources.one]
url = "https://reader:{quote(PASSWORD, safe="")}@one.example/oai?key={quote(KEY, safe="")}&v=2"
[sources.two]
url = "https://two.example/oai"
username = "reader"
password_env = "TWO_PASSWORD"
[sources.three]
url = "https://three.example/oai"
headers = {{ Authorization = "Bearer {BEARER}", X-Key = "x-{BEARER}" }}
[notify]
webhook_secret = "{SIGNED}"
username = "mailer"
password = "{MAILED}"
"""
SECRETS = (PASSWORD, FROM_THE_ENVIRONMENT, KEY, BEARER, MAILED, SIGNED, HOOK, PROXIED)


OF_READER = (PASSWORD, FROM_THE_ENVIRONMENT)


def _basic(name: str, password: str) -> str:
    return b64encode(f"{name}:{password}".encode()).decode()


FORMS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "for an address": lambda secret: quote(secret, safe=""),
    "for a path": quote,
    "for a form": quote_plus,
    "in small hexadecimal": lambda secret: quote(secret, safe="").replace("%2F", "%2f").replace("%2B", "%2b"),
    "for HTML": escape,
    "for JSON": lambda secret: json.dumps(secret)[1:-1],
    "in Base64": lambda secret: b64encode(secret.encode()).decode(),
    "as Basic credentials": lambda secret: _basic("reader", secret) if secret in OF_READER else secret,
    "within an address": lambda secret: (
        f"http://reader:{quote(secret, safe='')}@one.example/oai?key={quote(secret)}"
    ),
    "across the place where long lines are cut": lambda secret: "x" * 396 + secret,
}


@contextmanager
def _every_channel(stage: Stage, command: str = "sys.stdin.read()") -> Iterator[Callable[[], str]]:
    """Mail, webhook and command with the settings above; gives all that went out by any of them."""
    taken = stage.folder / "taken.json"
    program = f"import sys; open({str(taken)!r}, 'a').write({command})"
    with (
        SmtpServer(Manners(login=("mailer", MAILED))) as mail,
        ScriptedServer(lambda _: Reply(204), path=f"/services/{HOOK}") as hook,
    ):
        stage.configure(
            webhook=hook.url,
            mail_to=["ada@library.example"],
            mail_from="windrow@library.example",
            smtp_host="127.0.0.1",
            smtp_port=mail.port,
            tls="none",
            command=shlex.join([sys.executable, "-c", program]),
        )
        file = stage.folder / "windrow.toml"
        before, after = SETTINGS.split("[notify]")
        file.write_text(before + file.read_text(encoding="utf-8") + after, encoding="utf-8")
        stage.environ = {"TWO_PASSWORD": FROM_THE_ENVIRONMENT}

        def sent() -> str:
            assert len(mail.letters) == len(hook.requests) == 1
            letter = mail.letters[0]
            told = json.loads(hook.requests[0].body)
            by_command = json.loads(taken.read_text(encoding="utf-8"))
            assert told == by_command
            words = [letter.mail["Subject"], letter.text, *map(str, told.values())]
            return "\n".join(words) + str(letter.mail.items())

        yield sent


@pytest.mark.parametrize("form", FORMS)
def test_no_channel_sends_a_secret_of_the_settings(stage: Stage, form: str) -> None:
    write = FORMS[form]
    words = " | ".join(map(write, SECRETS))
    with _every_channel(stage) as sent:
        output = "".join(f"{write(secret)} was refused\n" for secret in SECRETS)
        assert stage.end(FAILED, summary=words, output=output.encode()) == []
        text = sent()
    assert "was refused" in text or "across" in form
    assert "********" in text
    for secret in SECRETS:
        assert secret not in text
        assert write(secret) not in text
        assert secret[:4] not in text


def test_the_name_of_a_library_that_is_a_secret_is_not_sent_as_the_subject(stage: Stage) -> None:
    with _every_channel(stage) as sent:
        file = stage.folder / "windrow.toml"
        text = file.read_text(encoding="utf-8").replace('name = "Theses"', f'name = "of {KEY}"')
        file.write_text(text, encoding="utf-8")
        stage.end(FAILED)
        assert KEY not in sent()


def test_a_message_that_is_only_tried_out_is_masked_too(stage: Stage) -> None:
    with _every_channel(stage) as sent:
        file = stage.folder / "windrow.toml"
        text = file.read_text(encoding="utf-8").replace('name = "Theses"', f'name = "of {KEY}"')
        file.write_text(text, encoding="utf-8")
        assert stage.teller.try_out() == {"mail": "", "webhook": "", "command": ""}
        assert KEY not in sent()


def test_what_a_channel_says_back_is_masked_in_the_log_and_for_the_caller(stage: Stage) -> None:
    program = f"import sys; sys.exit({f'refused {BEARER} {PASSWORD}'!r})"
    with _every_channel(stage):
        file = stage.folder / "windrow.toml"
        text = file.read_text(encoding="utf-8")
        line = next(line for line in text.splitlines() if line.startswith("command"))
        other = f"command = {json.dumps(shlex.join([sys.executable, '-c', program]))}"
        file.write_text(text.replace(line, other), encoding="utf-8")
        problems = stage.end(FAILED)
        tried = stage.teller.try_out()["command"]
    log = read_log(stage.folder, log_name("nightly", stage.number))
    for words in (str(problems), str(log), tried):
        assert "refused ******** ********" in words
        assert BEARER not in words
        assert PASSWORD not in words


def test_a_message_that_waits_in_the_store_holds_no_secret(stage: Stage) -> None:
    with _hook(
        stage, lambda _: Reply(503), username="u", password="Theses"
    ) as arrived:  # as the library's name
        stage.end(FAILED)
    assert arrived == []
    (entry,) = stage.waiting()
    assert entry.message is not None
    assert "********" in entry.message
    assert "Theses" not in entry.message


def test_a_message_that_waited_is_sent_without_what_has_become_a_secret_since(stage: Stage) -> None:
    with _hook(stage, lambda _: Reply(503)):
        stage.end(FAILED, summary="sesame-12 was refused", output=b"sesame-12 was refused\n")
    (entry,) = stage.waiting()
    assert "sesame-12" in str(entry.message), "it is no secret yet, or the test says nothing"
    stage.now += HOUR
    with _hook(stage, username="reader", password="sesame-12") as arrived:
        stage.teller.send_waiting()
    (told,) = arrived
    assert "was refused" in str(told)
    assert "sesame-12" not in str(told)
