from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.unit.config.library import ONE_SOURCE, make_library
from windrow.config import settings_reference
from windrow.config.fields import fields_of
from windrow.config.kinds import is_clean
from windrow.config.loader import load
from windrow.config.schema import INNER, NAMED, SECTIONS, HarvestSettings
from windrow.config.source_kinds import RepositorySettings, all_kinds
from windrow.errors import ConfigError


def test_the_sample_loads_and_sets_only_the_name(tmp_path: Path) -> None:
    config = load(make_library(tmp_path, settings_reference.sample("Theses")), environ={})
    assert config.library.name == "Theses"
    assert {key for key, origin in config.origins.items() if origin != "default"} == {"library.name"}


def test_the_sample_loads_with_everything_in_it_uncommented(tmp_path: Path) -> None:
    lines = settings_reference.sample("Theses").splitlines()
    settings_lines = [line.removeprefix("# ") for line in lines if " = " in line or "[" in line]
    config = load(make_library(tmp_path, "\n".join(settings_lines)), environ={})
    assert list(config.sources) == ["example"]
    assert config.harvest == HarvestSettings()


def test_the_sample_is_short() -> None:
    sample = settings_reference.sample("Theses")
    assert len(sample.splitlines()) < 30
    assert max(map(len, sample.splitlines())) <= 120


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=50))
def test_a_library_of_any_name_gets_a_sample_that_says_so_or_is_refused(tmp_path: Path, name: str) -> None:
    if not is_clean(name):
        with pytest.raises(ConfigError, match="The name of the library must be one line"):
            settings_reference.sample(name)
        return
    sample = settings_reference.sample(name)
    assert tomllib.loads(sample)["library"]["name"] == name
    assert load(make_library(tmp_path, sample), environ={}).library.name == (name or tmp_path.name)


def test_the_reference_has_every_setting_with_its_help() -> None:
    page = settings_reference.reference()
    sources = [kind.settings for kind in all_kinds().values()]
    for kind in (*SECTIONS.values(), *NAMED.values(), *INNER.values(), *sources):
        for key, field in fields_of(kind).items():
            assert f"`{key}`" in page
            assert field.help in page
            assert field.default in page


def test_the_reference_is_a_page_whose_tables_are_whole() -> None:
    page = settings_reference.reference()
    assert page.startswith("# Configuration\n")
    assert page.endswith("\n")
    assert {line.count("|") for line in page.splitlines() if line.startswith("|")} == {6}


def test_the_rows_list_every_setting_of_every_section(tmp_path: Path) -> None:
    text = ONE_SOURCE + 'timeout = "90s"\n'
    rows = settings_reference.rows(load(make_library(tmp_path, text), environ={"WINDROW_HARVEST_JOBS": "9"}))
    kinds = (*SECTIONS.values(), RepositorySettings)
    assert len(rows) == sum(len(fields_of(kind)) for kind in kinds)
    shown = {row.key: (row.value, row.origin) for row in rows}
    assert shown["harvest.jobs"] == ("9", "WINDROW_HARVEST_JOBS")
    assert shown["sources.uni.timeout"] == ("90s", "windrow.toml")
    assert shown["sources.uni.reconcile"] == ("7d", "default")
    assert shown["sources.uni.until"] == ("", "default")
    assert all(row.help for row in rows)


def test_never_is_shown_as_never(tmp_path: Path) -> None:
    config = load(make_library(tmp_path, ONE_SOURCE + 'reconcile = "never"\n'), environ={})
    assert {row.key: row.value for row in settings_reference.rows(config)}["sources.uni.reconcile"] == "never"


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("harvest.attempts", "[default: 5]"),
        ("harvest.max_response", "[default: 256 MB]"),
        ("sources.NAME.formats", "[default: oai_dc]"),
        ("sources.NAME.sets", "[default: none]"),
        ("sources.NAME.until", "[default: now]"),
    ],
)
def test_the_help_of_a_flag_says_what_it_does_and_its_default(key: str, said: str) -> None:
    text = settings_reference.help_text(key)
    assert text.endswith(said)
    assert len(text) > len(said) + 10
