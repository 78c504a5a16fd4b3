from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.config.library import make_library, text_of
from windrow.config import editor
from windrow.config.job_sources import sources_of
from windrow.config.loader import load
from windrow.config.secrets import find_password, find_webhook_secret
from windrow.config.settings_reference import rows
from windrow.errors import ConfigError, NotFound

NIGHTLY = """\
# In the night.
[jobs.nightly]
run = "harvest theseus"  # all of it
every = "daily"
at = "03:30"
timezone = "Europe/Helsinki"
"""
SOURCES = """\
[sources.hay]
url = "https://hay.example/oai"
[sources.oats]
url = "https://oats.example/oai"
[sources.rye]
url = "https://rye.example/oai"
enabled = false
[collections.north]
sources = ["oats", "rye"]
"""
TELLING = """\
[library]
contact = "us@library.example"
[notify]
smtp_host = "mail.library.example"
mail_to = ["one@library.example"]
username = "barn"
"""


def test_a_job_is_read_into_types_with_the_defaults_that_it_leaves(tmp_path: Path) -> None:
    job = load(make_library(tmp_path, NIGHTLY), environ={}).jobs["nightly"]
    assert (job.name, job.run, job.words) == ("nightly", "harvest theseus", ("harvest", "theseus"))
    assert (job.every, job.at, job.on, job.timezone) == ("daily", "03:30", None, "Europe/Helsinki")
    assert (job.host, job.overlap, job.tell, job.catch_up) == ("here", "skip", "failure", True)
    assert (job.jitter, job.time_limit, job.attempts, job.backoff) == (0.0, 86400.0, 3, 300.0)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("harvest", ("harvest",)),
        ("windrow harvest a", ("harvest", "a")),
        ("  export   --to 'two words.jsonl' ", ("export", "--to", "two words.jsonl")),
        ("quarantine retry ; rm -rf x", ("quarantine", "retry", ";", "rm", "-rf", "x")),
    ],
)
def test_a_command_line_is_split_as_a_shell_would_and_no_shell_sees_it(
    tmp_path: Path, written: str, read: tuple[str, ...]
) -> None:
    folder = make_library(tmp_path, f'[jobs.a]\nevery = "daily"\nrun = "{written}"\n')
    assert load(folder, environ={}).jobs["a"].words == read


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ('run = "harvest"', r"\[jobs\.a\] has no every"),
        ('every = "daily"', r"\[jobs\.a\] has no run"),
        ('run = ""\nevery = "daily"', r"jobs\.a\.run must be a command line of windrow"),
        ('run = "windrow"\nevery = "daily"', r"jobs\.a\.run must be a command line of windrow"),
        ('run = "--library x harvest"\nevery = "daily"', r"must be a command line of windrow"),
        ('run = "serve"\nevery = "daily"', r"must not begin with serve"),
        ('run = "schedule run a"\nevery = "daily"', r"must not begin with schedule"),
        ('run = "harvest \'a"\nevery = "daily"', r"with every quote closed"),
        ('run = "harvest"\nevery = "daily"\nhost = "at"', r'must be one of "here", "cron"'),
        ('run = "harvest"\nevery = "daily"\ntimelimit = "1h"', r'Did you mean "time_limit"\?'),
    ],
)
def test_what_a_job_cannot_be_is_refused_with_its_line(tmp_path: Path, table: str, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem) as refused:
        load(make_library(tmp_path, f"[jobs.a]\n{table}\n"), environ={})
    assert ", line " in str(refused.value)


def test_a_job_has_a_name_as_a_source_has(tmp_path: Path) -> None:
    folder = make_library(tmp_path, '[jobs."A b"]\nrun = "harvest"\nevery = "daily"\n')
    with pytest.raises(ConfigError, match="'A b' cannot be the name of a job"):
        load(folder, environ={})


def test_a_job_is_added_changed_and_removed_and_no_other_byte_is_touched(tmp_path: Path) -> None:
    folder = make_library(tmp_path, NIGHTLY)
    editor.add_job(folder, "often", {"run": "index", "every": "20 minutes", "at": None})
    assert text_of(folder) == NIGHTLY + '\n[jobs.often]\nrun = "index"\nevery = "20 minutes"\n'
    editor.change_job(folder, "nightly", {"at": "04:00", "timezone": None})
    assert '"harvest theseus"  # all of it\nevery = "daily"\nat = "04:00"\n\n' in text_of(folder)
    editor.remove_job(folder, "often")
    editor.change_job(folder, "nightly", {"at": "03:30", "timezone": "Europe/Helsinki"})
    assert text_of(folder) == NIGHTLY


def test_edits_of_jobs_that_make_no_sense_are_refused_and_change_nothing(tmp_path: Path) -> None:
    folder = make_library(tmp_path, NIGHTLY)
    with pytest.raises(ConfigError, match="There is already a job nightly"):
        editor.add_job(folder, "nightly", {"run": "index", "every": "daily"})
    with pytest.raises(NotFound, match="There is no job 'nigtly'"):
        editor.remove_job(folder, "nigtly")
    with pytest.raises(ConfigError, match=r"jobs\.nightly\.run must not begin with serve"):
        editor.change_job(folder, "nightly", {"run": "serve"})
    with pytest.raises(ConfigError, match="A job has no setting 'url'"):
        editor.change_job(folder, "nightly", {"url": "https://a.example/"})
    assert text_of(folder) == NIGHTLY


@pytest.mark.parametrize(
    ("run", "sources"),
    [
        ("harvest", {"hay", "oats"}),
        ("harvest rye hay", {"rye", "hay"}),
        ("harvest --full", {"hay", "oats"}),
        ("harvest gone", set()),
        ("harvest --set rye --limit 5", {"hay", "oats"}),
        ("harvest -j 2 --set=rye hay", {"hay"}),
        ("collection update north", {"oats", "rye"}),
        ("collection update rye --keep-old", {"rye"}),
        ("collection update", {"hay", "oats"}),
        ("collection build north", set()),
        ("collection import gone", set()),
        ("collection", set()),
        ("index", set()),
    ],
)
def test_a_job_harvests_what_its_command_line_names(tmp_path: Path, run: str, sources: set[str]) -> None:
    config = load(make_library(tmp_path, f'{SOURCES}[jobs.a]\nrun = "{run}"\nevery = "daily"\n'), environ={})
    assert sources_of(config.jobs["a"], config) == sources


def test_config_show_lists_jobs_and_no_secret(tmp_path: Path) -> None:
    text = (
        f'{NIGHTLY}{TELLING}password = "hush"\nwebhook = "https://hooks.example/hush"\ncommand = "tell -q"\n'
    )
    listed = {row.key: row.value for row in rows(load(make_library(tmp_path, text), environ={}))}
    assert listed["jobs.nightly.run"] == "harvest theseus"
    assert listed["notify.webhook"] == listed["notify.password"] == "********"
    assert listed["notify.command"] == "tell -q"
    assert not any("hush" in value for value in listed.values())


def test_mail_is_from_the_librarys_contact_where_nobody_else_is_named(tmp_path: Path) -> None:
    notify = load(make_library(tmp_path, TELLING), environ={}).notify
    assert (notify.mail_from, notify.mail_to) == ("us@library.example", ("one@library.example",))
    named = load(make_library(tmp_path, f'{TELLING}mail_from = "barn@library.example"\n'), environ={}).notify
    assert named.mail_from == "barn@library.example"


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ('mail_to = ["one@library.example"]', r"notify\.mail_to needs smtp_host as well"),
        ('smtp_host = "mail.library.example"', r"notify\.smtp_host needs mail_to as well"),
        (
            'smtp_host = "mail.library.example"\nmail_to = ["one@library.example"]',
            r"notify\.mail_to needs mail_from as well",
        ),
        ('password = "x"', r"notify\.password needs a username as well"),
        (
            'username = "a"\npassword = "x"\npassword_env = "X"',
            r"password_env must not be given together with",
        ),
        ('webhook_secret = "x"\nwebhook_secret_env = "X"', r"one of them is enough"),
        ('mail_to = ["nobody"]', r"must be a mail address"),
        ('command = "tell \'"', r"with every quote closed"),
    ],
)
def test_ways_to_tell_people_that_lead_nowhere_are_refused(tmp_path: Path, table: str, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        load(make_library(tmp_path, f"[notify]\n{table}\n"), environ={})


def test_secrets_of_telling_come_from_a_file_or_the_environment(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("hush\nmore\n", encoding="utf-8")
    text = f'{TELLING}password_env = "BARN"\nwebhook_secret_file = "key"\n'
    notify = load(make_library(tmp_path, text), environ={}).notify
    assert find_password(notify, environ={"BARN": "straw"}) == "straw"
    assert find_webhook_secret(notify, environ={}) == "hush"
    (tmp_path / "key").unlink()
    with pytest.raises(ConfigError, match=r"webhook_secret_file .* cannot be read"):
        find_webhook_secret(notify, environ={})
    with pytest.raises(ConfigError, match="password_env says BARN, which is not in the environment"):
        find_password(notify, environ={})
