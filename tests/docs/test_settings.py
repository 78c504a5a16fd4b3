"""Every setting and every variable that the documentation names exists."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from tests.docs.markdown import Page, guides
from windrow.config.fields import fields_of, variable
from windrow.config.loader import load
from windrow.config.schema import FILE_NAME, FOLDER_FORMATS, INNER, NAMED, SECTIONS
from windrow.config.settings_reference import sample
from windrow.config.source_kinds import every_field
from windrow.exports import sqlite_export
from windrow.formats.registry import registry
from windrow.schedule import job_hooks, job_process

KEYS = {key for kind in (*SECTIONS.values(), *NAMED.values(), *INNER.values()) for key in fields_of(kind)}
KEYS |= set(every_field())
OTHERS = {"WINDROW_LIBRARY", "WINDROW_REQUIRE_ALL", "WINDROW_THOROUGH"}
OTHERS |= {job_process.JOB, job_process.JOB_RUN, job_hooks.STEP, job_hooks.CODE, job_hooks.OUTCOME}
EXPORTED = set(re.findall(r"CREATE (?:TABLE|VIEW) (\w+)", sqlite_export.schema()))
VARIABLES = {variable(section, key) for section, kind in SECTIONS.items() for key in fields_of(kind)} | OTHERS
_OF_A_SOURCE = re.compile(rf"WINDROW_SOURCES_[A-Z0-9_]+_({'|'.join(map(str.upper, every_field()))})")
PREFIXES = {prefix for reader in registry().readers for prefix in (reader.name, *reader.prefixes)}
PREFIXES |= set(FOLDER_FORMATS)
_ASSIGNMENT = re.compile(r"([a-z_]+) = .+")


@pytest.mark.parametrize("page", guides(), ids=str)
def test_every_settings_file_in_the_documentation_loads(page: Page, tmp_path: Path) -> None:
    for number, block in enumerate(block for block in page.blocks if block.language == "toml"):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / FILE_NAME).write_text(block.text, encoding="utf-8")
        load(folder, environ={})


@pytest.mark.parametrize("page", guides(), ids=str)
def test_every_assignment_in_the_text_sets_what_there_is_to_set(page: Page) -> None:
    for text in page.codes:
        match = _ASSIGNMENT.fullmatch(text)
        if match:
            tomllib.loads(text)
            assert match[1] in KEYS, f"{page} sets {text}"


@pytest.mark.parametrize("page", guides(), ids=str)
def test_every_variable_that_the_documentation_names_is_read(page: Page) -> None:
    for name in re.findall(r"WINDROW_[A-Z0-9_]+", page.text):
        assert name in VARIABLES or _OF_A_SOURCE.fullmatch(name), f"{page} names {name}"


@pytest.mark.parametrize("page", guides(), ids=str)
def test_a_setting_linked_to_the_reference_is_in_it(page: Page) -> None:
    for link in page.links:
        if link.target.endswith("configuration.md") and link.label.startswith("`"):
            assert link.label.strip("`") in KEYS


@pytest.mark.parametrize("page", [each for each in guides() if "/howto/" in str(each)], ids=str)
def test_every_name_in_the_how_tos_that_looks_like_a_setting_is_one(page: Page) -> None:
    names = {text for text in page.codes if re.fullmatch(r"[a-z]+(_[a-z]+)+", text)}
    assert names - KEYS - EXPORTED <= PREFIXES


def test_the_sample_file_of_a_new_library_names_only_what_exists() -> None:
    named = re.findall(r"^# ([a-z_]+) = ", sample("theses"), re.MULTILINE)
    assert named
    assert set(named) <= KEYS
