from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.config.library import ONE_SOURCE, make_library
from windrow.config.loader import load
from windrow.config.secrets import find_password
from windrow.config.settings_reference import rows
from windrow.errors import ConfigError

SECRET = "hunter2"
HIDING_PLACES = [
    f'username = "me"\npassword = "{SECRET}"',
    f'headers = {{ Authorization = "Bearer {SECRET}" }}',
    f'headers = {{ "X-Api-Key" = "{SECRET}" }}',
    f'headers = {{ Cookie = "session={SECRET}" }}',
    f'headers = {{ "X-Whatever" = "{SECRET}" }}',
    f'proxy = "http://me:{SECRET}@proxy.example.org:3128"',
    f'proxy = "http://me:p@{SECRET}@proxy.example.org:3128"',
]


@pytest.mark.parametrize("lines", HIDING_PLACES)
def test_a_secret_is_in_the_settings_but_never_shown(tmp_path: Path, lines: str) -> None:
    config = load(make_library(tmp_path, f"{ONE_SOURCE}{lines}\n"), environ={})
    uni = config.sources["uni"]
    assert SECRET in f"{uni.password} {uni.headers} {uni.proxy}"
    shown = repr(config) + repr(uni) + str(uni) + repr(rows(config))
    assert SECRET not in shown
    assert "********" in shown


def test_credentials_in_an_address_are_not_shown(tmp_path: Path) -> None:
    text = f'[sources.uni]\nurl = "https://me:{SECRET}@a.example.org/oai/me@home"\n'
    config = load(make_library(tmp_path, text), environ={})
    values = {row.key: row.value for row in rows(config)}
    assert values["sources.uni.url"] == "https://a.example.org/oai/me@home"
    assert SECRET not in repr(config) + repr(rows(config))


def test_an_address_without_credentials_is_shown_whole(tmp_path: Path) -> None:
    text = '[sources.uni]\nurl = "https://a.example.org/oai/me@home"\n'
    values = {row.key: row.value for row in rows(load(make_library(tmp_path, text), environ={}))}
    assert values["sources.uni.url"] == "https://a.example.org/oai/me@home"


def test_a_harmless_header_is_shown(tmp_path: Path) -> None:
    text = ONE_SOURCE + f'headers = {{ From = "us@example.org", "X-Key" = "{SECRET}" }}\n'
    values = {row.key: row.value for row in rows(load(make_library(tmp_path, text), environ={}))}
    assert values["sources.uni.headers"] == "From: us@example.org, X-Key: ********"


@pytest.mark.parametrize(
    "line",
    [
        f'password = ["{SECRET}"]',
        f'password = "{SECRET}\\n"',
        f'password = "{SECRET}"',  # no username
        f'pasword = "{SECRET}"',
        f'headers = {{ Authorization = ["{SECRET}"] }}',
        f'headers = {{ Authorization = "{SECRET}\\n" }}',
        f'headers = "Authorization: {SECRET}"',
        f'proxy = "ftp://me:{SECRET}@proxy.example.org"',
        f'proxy = "http://me:{SECRET}@proxy.example.org:{SECRET}"',
        f'proxy = "http://[me:{SECRET}@proxy.example.org"',
        f'password = "{SECRET}',
    ],
)
def test_an_error_never_repeats_a_secret(tmp_path: Path, line: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(make_library(tmp_path, f"{ONE_SOURCE}{line}\n"), environ={})
    assert SECRET not in str(caught.value) + caught.value.hint
    # What was caught on the way may hold it: it must not be printed with the traceback.
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_an_error_about_the_environment_never_repeats_a_secret(tmp_path: Path) -> None:
    for name in ("PASSWORD", "HEADERS", "PROXY"):
        with pytest.raises(ConfigError) as caught:
            load(make_library(tmp_path), environ={f"WINDROW_HARVEST_{name}": f"{SECRET}\n\x00"})
        assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("lines", "environ"),
    [
        (f'password = "{SECRET}"', {}),
        ('password_env = "UNI_PASSWORD"', {"UNI_PASSWORD": SECRET}),
        ('password_file = "secret.txt"', {}),
        ("", {"WINDROW_SOURCES_UNI_PASSWORD": SECRET}),
        ("", {"WINDROW_HARVEST_PASSWORD": SECRET}),
        ("", {"WINDROW_HARVEST_PASSWORD_FILE": "secret.txt"}),
        ('password_file = "absent.txt"', {"WINDROW_SOURCES_UNI_PASSWORD": SECRET}),
        (f'password = "{SECRET}"', {"WINDROW_HARVEST_PASSWORD_FILE": "absent.txt"}),
    ],
)
def test_the_password_comes_from_the_closest_place_given(
    tmp_path: Path, lines: str, environ: dict[str, str]
) -> None:
    (tmp_path / "secret.txt").write_bytes(f"{SECRET}\r\nsecond line\n".encode())
    folder = make_library(tmp_path, f'{ONE_SOURCE}username = "me"\n{lines}\n')
    config = load(folder, environ=environ)
    assert find_password(config.sources["uni"], environ=environ) == SECRET
    assert SECRET not in repr(config) + repr(rows(config))


def test_without_any_of_them_there_is_no_password(tmp_path: Path) -> None:
    assert find_password(load(make_library(tmp_path), environ={}).sources["uni"], environ={}) is None


@pytest.mark.parametrize("content", [b"", b"\nsecond\n", b"\xff\n"])
def test_a_password_file_without_a_password_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "secret.txt").write_bytes(content)
    text = f'{ONE_SOURCE}username = "me"\npassword_file = "secret.txt"\n'
    uni = load(make_library(tmp_path, text), environ={}).sources["uni"]
    with pytest.raises(ConfigError, match="password_file"):
        find_password(uni, environ={})


@pytest.mark.parametrize("line", ['password_file = "absent.txt"', 'password_env = "ABSENT"'])
def test_a_password_that_is_not_where_it_should_be_is_refused_only_when_needed(
    tmp_path: Path, line: str
) -> None:
    folder = make_library(tmp_path, f'{ONE_SOURCE}username = "me"\n{line}\n')
    uni = load(folder, environ={}).sources["uni"]
    with pytest.raises(
        ConfigError, match=r"absent\.txt cannot be read|ABSENT, which is not in the environment"
    ):
        find_password(uni, environ={})
