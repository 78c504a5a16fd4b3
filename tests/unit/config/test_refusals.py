from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.unit.config.library import ONE_SOURCE, make_library
from windrow.config.loader import load
from windrow.config.schema import RESERVED
from windrow.errors import ConfigError


def refusal(folder: Path, text: str) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        load(make_library(folder, text), environ={})
    return caught.value


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("timeout = 60", 'sources.uni.timeout must be a duration from "100ms"'),
        ('timeout = "60"', "sources.uni.timeout must be a duration"),
        ('timeout = "0s"', "sources.uni.timeout must be a duration"),
        ('timeout = "2d"', 'sources.uni.timeout must be a duration from "100ms" to "1d"'),
        ('max_response = "17 GB"', 'sources.uni.max_response must be a size from "1 kB" to "16 GB"'),
        ('max_response = "lots"', "sources.uni.max_response must be a size"),
        ("max_response = 1000", "sources.uni.max_response must be a size"),
        ("attempts = true", "sources.uni.attempts must be a whole number from 1 to 100"),
        ("attempts = 5.0", "sources.uni.attempts must be a whole number"),
        ("attempts = 0", "sources.uni.attempts must be a whole number"),
        ('formats = "oai_dc"', "sources.uni.formats must be a list of words"),
        ("formats = []", "sources.uni.formats must have at least 1"),
        ('formats = ["a", "a"]', "sources.uni.formats must have no word twice"),
        ('sets = ["a b"]', "sources.uni.sets must be a list of words without spaces"),
        ('sets = ["a\\u0001"]', "sources.uni.sets must be a list of words without control"),
        ("sets = [1]", "sources.uni.sets must be a list of words"),
        ('kind = "gopher"', 'sources.uni.kind must be one of "oai", "files"'),
        ('mode = "lists"', 'sources.uni.mode must be one of "auto", "list", "one-by-one"'),
        ('reconcile = "sometimes"', 'sources.uni.reconcile must be a duration .*; or "never"'),
        ('enabled = "yes"', "sources.uni.enabled must be true or false"),
        ('from = "yesterday"', "sources.uni.from must be a date"),
        ('from = "2024-02-30"', "sources.uni.from must be a date"),
        ('from = "2024-1-1"', "sources.uni.from must be a date"),
        ("from = 2024-01-01T00:00:00", "sources.uni.from must be a date"),
        ("username = 7", "sources.uni.username must be text"),
        ('username = "a\\nb"', "sources.uni.username must be one line"),
        ('proxy = "socks5://p.example.org"', "sources.uni.proxy must be an address that begins with http"),
        ('ca_file = ["a"]', "sources.uni.ca_file must be text"),
        ('headers = ["a"]', "sources.uni.headers must be a table"),
        ('headers = { "X\\r\\nY" = "b" }', "sources.uni.headers must have header names"),
        (
            'headers = { X = "b\\r\\nEvil: 1" }',
            "sources.uni.headers must have one line of text for the header X",
        ),
        ('headers = { X = "日本" }', "sources.uni.headers must have only Latin-1"),
        ('headers = { x = "1", X = "2" }', "sources.uni.headers must not have a header twice"),
        ("headers = { x = 1 }", "sources.uni.headers must have one line of text"),
        ('password_env = "A B"', "sources.uni.password_env must be the name of an environment variable"),
        ("timeot = 1", r"\[sources.uni\] has no setting 'timeot'. Did you mean \"timeout\""),
        ("from_ = 1", "has no setting 'from_'. Did you mean \"from\""),
        ("jobs = 1", r"\[sources.uni\] has no setting 'jobs'"),
    ],
)
def test_a_setting_it_cannot_have_names_file_line_and_key(tmp_path: Path, line: str, said: str) -> None:
    error = refusal(tmp_path, f"# one\n{ONE_SOURCE}{line}\n")
    assert str(error).startswith(f"{tmp_path / 'windrow.toml'}, line 4: ")
    assert re.search(said, str(error)), str(error)


@pytest.mark.parametrize(
    "url",
    [
        "ftp://a.example.org/",
        "a.example.org/oai",
        "",
        "https://",
        "https:///oai",
        "https://a b/",
        "https://a.example.org/oai#x",
        "https://a.example.org:99999/",
        "https://[::1/oai",
        "https://:8080/",
        "file:///etc/passwd",
        "https://a.example.org/" + "x" * 5000,
    ],
)
def test_an_address_that_is_none_is_refused(tmp_path: Path, url: str) -> None:
    assert "sources.uni.url must be an address" in str(refusal(tmp_path, f'[sources.uni]\nurl = "{url}"\n'))


def test_a_section_that_does_not_exist_is_refused_with_a_suggestion(tmp_path: Path) -> None:
    error = refusal(tmp_path, '[library]\nname = "x"\n\n[harvst]\n')
    assert "line 4: there is no section 'harvst'. Did you mean \"harvest\"?" in str(error)
    sections = "library, harvest, serve, oai, sru, portal, crawlers, schedule, notify"
    assert error.hint == f"There are: {sections}, documents, z3950, sources, collections, jobs, tables."


def test_the_hint_of_an_unknown_setting_lists_the_known_ones(tmp_path: Path) -> None:
    assert refusal(tmp_path, '[library]\ncolour = "red"\n').hint == "It has: name, contact."


@pytest.mark.parametrize(
    "text",
    ["sources = 3\n", "harvest = 3\n", "sources.uni = 3\n", '[[sources]]\nurl = "x"\n', "[[harvest]]\n"],
)
def test_what_should_be_a_table_and_is_not_is_refused(tmp_path: Path, text: str) -> None:
    assert re.search(r"line 1: .*must be (a table|tables)", str(refusal(tmp_path, text)))


@pytest.mark.parametrize(
    "name", ["Uni", "-a", ".a", "a b", "ä", "a" * 65, "a/b", "", "a\\n", *sorted(RESERVED)]
)
def test_a_name_no_source_can_have_is_refused(tmp_path: Path, name: str) -> None:
    text = f'[sources."{name}"]\nurl = "https://a.example.org/"\n'
    assert "cannot be the name of a source" in str(refusal(tmp_path, text))


@pytest.mark.parametrize("name", ["a", "0", "a" * 64, "a.b-c_d"])
def test_names_of_the_right_letters_are_taken(tmp_path: Path, name: str) -> None:
    folder = make_library(tmp_path, f'[sources."{name}"]\nurl = "https://a.example.org/"\n')
    assert list(load(folder, environ={}).sources) == [name]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("from = 2024-01-02\nuntil = 2024-01-01", "until must not lie before from"),
        ("from = 2024-01-02\nuntil = 2024-01-03T00:00:00Z", "until must be as fine as from"),
        ('password = "x"', "password needs a username as well"),
        (
            'username = "u"\npassword = "x"\npassword_env = "Y"',
            "password_env must not be given together with password",
        ),
    ],
)
def test_settings_that_contradict_one_another_are_refused(tmp_path: Path, lines: str, said: str) -> None:
    assert f"sources.uni.{said}" in str(refusal(tmp_path, f"{ONE_SOURCE}{lines}\n"))


def test_two_passwords_for_all_sources_are_refused_where_they_stand(tmp_path: Path) -> None:
    error = refusal(tmp_path, '[harvest]\npassword = "x"\npassword_file = "y"\n' + ONE_SOURCE)
    assert "line 3: harvest.password_file must not be given together with password" in str(error)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("[library]\nname = \n", "line 2, column 8"),
        ("[library\n", "line 1, column 9"),
        ("a = 1\na = 2\n", "line 2"),
        ('a = """never ends', "line 1, column 18"),
        ("[a]\n[a]\n", "line 2"),
    ],
)
def test_what_is_not_toml_is_refused_with_its_place(tmp_path: Path, text: str, place: str) -> None:
    message = str(refusal(tmp_path, text))
    assert f"{place}" in message
    assert "this is not TOML" in message


@pytest.mark.parametrize("text", ["a = " + "[" * 100_000, "a = " + "9" * 5000, "a = " + "{b=" * 50_000])
def test_hostile_toml_is_refused_without_harm(tmp_path: Path, text: str) -> None:
    refusal(tmp_path, text)


def test_a_file_that_is_not_utf8_is_refused_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "windrow.toml").write_bytes(b'[library]\nname = "\xff"\n')
    with pytest.raises(ConfigError, match="line 2: this is not UTF-8"):
        load(tmp_path, environ={})


def test_a_file_too_large_to_be_settings_is_refused(tmp_path: Path) -> None:
    assert "is larger than" in str(refusal(tmp_path, "#" * (4 * 1024 * 1024 + 1)))


def test_a_folder_without_the_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load(tmp_path, environ={})


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=200))
def test_any_text_loads_or_is_refused_and_nothing_else(tmp_path: Path, text: str) -> None:
    folder = make_library(tmp_path, text.encode("utf-8", "replace").decode())
    with suppress(ConfigError):
        assert load(folder, environ={}).path == folder
