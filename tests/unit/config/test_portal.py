"""What windrow.toml says about looks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.config.library import ONE_SOURCE, make_library
from windrow.config.collection_values import in_language
from windrow.config.loader import load
from windrow.config.serve_settings import DEFAULT_FACETS, PortalSettings
from windrow.errors import ConfigError


def portal(folder: Path, text: str) -> PortalSettings:
    return load(make_library(folder, f"[portal]\n{text}\n"), environ={}).portal


def refusal(folder: Path, text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        portal(folder, text)
    return str(caught.value)


def test_a_library_that_says_nothing_has_the_usual_looks(tmp_path: Path) -> None:
    found = portal(tmp_path, "")
    assert (found.language, found.facets, found.accent, found.logo) == ("en", DEFAULT_FACETS, None, None)
    assert (found.intro, found.labels) == ((), ())


def test_words_are_for_all_languages_or_for_each(tmp_path: Path) -> None:
    for_all = portal(tmp_path, 'intro = """One.\n\nTwo."""').intro
    assert [in_language(for_all, code) for code in ("en", "fi")] == ["One.\n\nTwo."] * 2
    each = portal(tmp_path, 'intro = { en = "Hay", fi = "Heinä" }').intro
    assert [in_language(each, code) for code in ("en", "fi", "sv")] == ["Hay", "Heinä", "Hay"]
    assert in_language(portal(tmp_path, 'intro = { fi = "Heinä" }').intro, "sv") == "Heinä"
    assert in_language((), "sv") == ""


@pytest.mark.parametrize(("written", "meant"), [("#1A5C3A", "#1a5c3a"), ("#abc", "#aabbcc"), ("", None)])
def test_colours_are_read_in_either_length(tmp_path: Path, written: str, meant: str | None) -> None:
    assert portal(tmp_path, f'accent = "{written}"').accent == meant


@pytest.mark.parametrize("colour", ["red", "#12", "#12345g", "#1234567", "rgb(0,0,0)", "#fff;}body{"])
def test_anything_else_is_no_colour(tmp_path: Path, colour: str) -> None:
    assert "must be a colour such as #1a5c3a" in refusal(tmp_path, f'accent = "{colour}"')


@pytest.mark.parametrize(
    "path",
    [
        "/etc/logo.png",
        "../logo.png",
        "a/../../logo.png",
        "C:\\\\logo.png",
        "..\\\\logo.png",
        "\\\\\\\\host\\\\x.png",
    ],
)
def test_a_picture_lies_in_the_library_folder(tmp_path: Path, path: str) -> None:
    assert "must be a file in the library folder" in refusal(tmp_path, f'logo = "{path}"')


def test_a_picture_is_one_by_its_name(tmp_path: Path) -> None:
    assert "must end in one of .svg" in refusal(tmp_path, 'logo = "windrow.toml"')


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('facets = ["colour"]', "out of these: institution"),
        ('facets = ["year", "year"]', "no field twice"),
        ('labels = { colour = "Farbe" }', "must name fields"),
        ('labels = { year = "a\\nb" }', "one line of text"),
        ('labels = "Year"', "must be a table such as"),
        ('intro = { de = "Heu" }', "only these languages: en, sv, fi"),
        ("intro = 3", "must be text in quotes"),
        ('intro = "\\u0007"', "without control characters"),
        ('language = "de"', 'must be one of "en", "sv", "fi"'),
        ('acent = "#123456"', 'Did you mean "accent"?'),
    ],
)
def test_what_cannot_be_is_refused_with_a_reason(tmp_path: Path, text: str, reason: str) -> None:
    assert reason in refusal(tmp_path, text)


def test_a_collection_has_looks_of_its_own(tmp_path: Path) -> None:
    text = ONE_SOURCE + (
        '[collections.north]\nsources = ["uni"]\naccent = "#123"\nlogo = "n.svg"\n'
        'intro = "Up there."\nfacets = ["type"]\nlabels = { type = "Kind" }\n'
    )
    north = load(make_library(tmp_path, text), environ={}).collections["north"]
    assert (north.accent, north.logo, north.facets) == ("#112233", "n.svg", ("type",))
    assert (north.intro, north.labels) == ((("", "Up there."),), (("type", (("", "Kind"),)),))


def test_a_table_can_come_from_the_environment_as_json(tmp_path: Path) -> None:
    environ = {"WINDROW_PORTAL_INTRO": '{"fi": "Heinä"}', "WINDROW_PORTAL_LABELS": '{"year": {"sv": "År"}}'}
    found = load(make_library(tmp_path), environ=environ).portal
    assert (found.intro, found.labels) == ((("fi", "Heinä"),), (("year", (("sv", "År"),)),))
    with pytest.raises(ConfigError, match="or JSON such as"):
        load(make_library(tmp_path), environ={"WINDROW_PORTAL_INTRO": "{not json"})
