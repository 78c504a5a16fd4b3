from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.unit.config.library import ONE_SOURCE, make_library
from windrow.config.fields import Field, Settings, fields_of
from windrow.config.loader import load
from windrow.config.schema import SECTIONS, Config, HarvestSettings
from windrow.config.serve_settings import CollectionSettings
from windrow.config.settings_reference import reference
from windrow.config.source_kinds import FOLDER, MARC_FILES, every_field
from windrow.config.web_settings import WEB_SITE
from windrow.errors import ConfigError

# A text for each kind of value that differs from every default.
SAMPLES = {
    "date in a year": "08-01",
    "text": "words",
    "name of an environment variable": "OUR_PASSWORD",
    "path, from the library folder on": "some.file",
    "true or false": "no",
    "whole number": "7",
    "duration": "3h",
    'duration or "never"': "30d",
    'duration or "auto"': "2d",
    "size": "7 MB",
    "list of words": "one,two",
    "list of texts": "one\ntwo words",
    "date or UTC time": "2021-02-03",
    "http or https address": "https://elsewhere.example.org/",
    "list of http or https addresses": "https://a.example.org/oai https://b.example.org/oai",
    "host name or IP address": "0.0.0.0",
    "list of IP addresses or networks": "10.0.0.0/8,::2",
    "mail address": "someone@example.org",
    "list of mail addresses": "one@example.org, two@example.org",
    "command line": "tell --quiet",
    "domain name": "library.example.org",
    "table of hosts and durations": "www.example.org=10s 127.0.0.1:8080=1m",
    'one of "metadata", "pages"': "pages",
    "table of headers": "From: us@example.org\nX-One: 1",
    "colour as #rrggbb": "#123",
    "file in the library folder": "logo.svg",
    "text, or a table of texts by language (en, sv, fi)": '{"en": "Words", "fi": "Sanoja"}',
    "list of fields": "year,type",
    "list of fields, or of fields within fields": "title,folder > year",
    "table of patterns by role": '{"institution": "com_*"}',
    "table of texts by field": '{"department": "Programme"}',
    "table of vocabularies by field": '{"subject": "crops"}',
    "table of types by wording": '{"Field diary": "Report"}',
    'one of "en", "sv", "fi"': "fi",
    'one of "starttls", "tls", "none"': "tls",
    "name of a kind": "oai",
    'one of "files", "documents"': "documents",
    'one of "auto", "list", "one-by-one"': "one-by-one",
    'one of "none", "year", "month", "day"': "month",
    'one of "auto", "day", "second"': "second",
    'one of "gils", "studera"': "studera",
    'one of "utf-8", "iso-8859-1"': "iso-8859-1",
}
# Where that is the default of one, or beyond its bounds.
BY_KEY = {
    "secret_query": "key=1",
    "private": "yes",
    "rdfa": "yes",
    "warc": "yes",
    "start": "https://other.example.org/",
    "page_time": "3m",
    "secret_path": "key7",
    "show_hidden": "yes",
    "keep_gone": "yes",
    "memory_limit": "700 MB",
    "text_limit": "7000",
}
_DOCUMENTS = {"WINDROW_SOURCES_UNI_CONTENT": "documents"}
# What cannot be set alone, and what it needs beside it.
BESIDE = {
    "secret_path": {"WINDROW_SOURCES_UNI_URL": "https://a.example/key7/oai"},
    "sidecars": _DOCUMENTS,
    "archives": _DOCUMENTS,
    "keep_gone": _DOCUMENTS,
    "mail_to": {"WINDROW_NOTIFY_SMTP_HOST": "127.0.0.1", "WINDROW_LIBRARY_CONTACT": "us@example.org"},
    "smtp_host": {"WINDROW_NOTIFY_MAIL_TO": "us@example.org", "WINDROW_LIBRARY_CONTACT": "us@example.org"},
}
TABLES: dict[str, Mapping[str, Field]] = {
    **{section.upper(): fields_of(kind) for section, kind in SECTIONS.items()},
    "SOURCES_UNI": every_field(),
    "COLLECTIONS_NORTH": fields_of(CollectionSettings),
}
ONE_FOLDER = '[sources.uni]\nkind = "files"\nurl = "https://www.example.org/"\nfolder = "www"\n'
ONE_EXPORT = '[sources.uni]\nkind = "marc"\nexport = "export.mrc"\n'
ONE_SITE = '[sources.uni]\nkind = "web"\nstart = ["https://www.example.org/"]\n'
COLLECTION = (
    '[sources.one]\nurl = "https://one.example.org/"\n[sources.two]\nurl = "https://two.example.org/"\n'
)
COLLECTION += '[collections.north]\nsources = ["uni"]\n'
EVERY = [(table, key) for table, fields in TABLES.items() for key in fields]


def settings_at(config: Config, table: str) -> Settings:
    groups: dict[str, Settings] = {section.upper(): getattr(config, section) for section in SECTIONS}
    groups |= {"SOURCES_UNI": config.sources["uni"], "COLLECTIONS_NORTH": config.collections["north"]}
    return groups[table]


def _source_with(key: str) -> str:
    """Return a source of a kind that has an option."""
    if key in FOLDER.own_fields:
        return ONE_FOLDER
    if key in MARC_FILES.own_fields:
        return ONE_EXPORT
    return ONE_SITE if key in WEB_SITE.own_fields else ONE_SOURCE


@pytest.mark.parametrize(("table", "key"), EVERY)
def test_every_setting_can_come_from_the_environment(tmp_path: Path, table: str, key: str) -> None:
    field = TABLES[table][key]
    name = f"WINDROW_{table}_{key.upper()}"
    environ = {name: BY_KEY.get(key) or SAMPLES[field.kind.label]}
    environ |= BESIDE.get(key, {})
    if field.group:
        environ |= {"WINDROW_HARVEST_USERNAME": "me", "WINDROW_NOTIFY_USERNAME": "me"}
    library = _source_with(key if table == "SOURCES_UNI" else "") + COLLECTION
    config = load(make_library(tmp_path, library), environ=environ)
    dotted = f"{table.lower().replace('_', '.')}.{key}"
    assert config.origins[dotted] == name
    value = getattr(settings_at(config, table), field.attribute)
    plain = load(make_library(tmp_path, library), environ={})
    assert value != getattr(settings_at(plain, table), field.attribute) or key == "kind"


def test_the_reference_page_documents_exactly_those_variables() -> None:
    documented = set(re.findall(r"\| `(WINDROW_\w+)` \|", reference()))
    inherited = set(fields_of(HarvestSettings)) - {"jobs"}
    meant = {
        f"WINDROW_{table.replace('UNI', 'NAME').replace('NORTH', 'NAME')}_{key.upper()}"
        for table, key in EVERY
        if not (table == "SOURCES_UNI" and key in inherited)
    }
    assert documented == meant


def test_dots_and_dashes_in_a_sources_name_become_underscores(tmp_path: Path) -> None:
    folder = make_library(tmp_path, '[sources."a-b.c"]\nurl = "https://a.example.org/"\n')
    config = load(folder, environ={"WINDROW_SOURCES_A_B_C_DELAY": "2s"})
    assert config.sources["a-b.c"].delay == 2.0


def test_a_variable_that_could_mean_two_sources_is_refused(tmp_path: Path) -> None:
    tables = "".join(f'[sources."{name}"]\nurl = "https://a.example.org/"\n' for name in ("a-b", "a.b"))
    folder = make_library(tmp_path, tables)
    assert len(load(folder, environ={}).sources) == 2
    with pytest.raises(ConfigError, match=r"WINDROW_SOURCES_A_B_PASSWORD could mean a-b or a\.b"):
        load(folder, environ={"WINDROW_SOURCES_A_B_PASSWORD": "x"})


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("WINDROW_HARVEST_TIMEOT", "WINDROW_HARVEST_TIMEOUT"),
        ("WINDROW_LIBRARY_CONTAKT", "WINDROW_LIBRARY_CONTACT"),
        ("WINDROW_SOURCES_UNI_PASWORD", "WINDROW_SOURCES_UNI_PASSWORD"),
    ],
)
def test_a_misspelt_variable_is_an_error_with_a_suggestion(tmp_path: Path, name: str, meant: str) -> None:
    with pytest.raises(ConfigError, match=f'{name}.*Did you mean "{meant}"'):
        load(make_library(tmp_path), environ={name: "hunter2"})


@pytest.mark.parametrize(
    "name",
    [
        "WINDROW_LIBRARY",
        "WINDROW_SOURCES_UNI_WEST_PASSWORD",
        "WINDROW_SOURCES_OTHER_URL",
        "WINDROW_X",
        "PATH",
    ],
)
def test_variables_for_other_purposes_are_let_be(tmp_path: Path, name: str) -> None:
    config = load(make_library(tmp_path), environ={name: "anything"})
    assert name not in config.origins.values()


def test_a_variable_set_to_nothing_counts_as_not_set(tmp_path: Path) -> None:
    config = load(
        make_library(tmp_path), environ={"WINDROW_HARVEST_TIMEOUT": "", "WINDROW_HARVEST_NONSENSE": ""}
    )
    assert config.origins["harvest.timeout"] == "default"


@pytest.mark.parametrize(
    ("word", "is_on"), [("true", True), ("YES", True), ("1", True), ("off", False), ("0", False)]
)
def test_flags_are_read_in_the_usual_spellings(tmp_path: Path, word: str, is_on: bool) -> None:
    config = load(make_library(tmp_path), environ={"WINDROW_SOURCES_UNI_ENABLED": word})
    assert config.sources["uni"].enabled is is_on


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("TIMEOUT", "30"),
        ("MAX_RESPONSE", "many"),
        ("ATTEMPTS", "0x10"),
        ("ATTEMPTS", "9" * 5000),
        ("VERIFY_TLS", "perhaps"),
        ("HEADERS", "no colon"),
        ("HEADERS", "Bad Name: x"),
        ("PROXY", "proxy:3128"),
    ],
)
def test_a_bad_value_in_the_environment_names_the_variable(tmp_path: Path, key: str, text: str) -> None:
    with pytest.raises(ConfigError, match=f"WINDROW_HARVEST_{key} must"):
        load(make_library(tmp_path), environ={f"WINDROW_HARVEST_{key}": text})


def test_an_address_may_come_from_the_environment_alone(tmp_path: Path) -> None:
    folder = make_library(tmp_path, "[sources.uni]\n")
    with pytest.raises(ConfigError, match="the source uni has no url"):
        load(folder, environ={})
    config = load(folder, environ={"WINDROW_SOURCES_UNI_URL": "https://a.example.org/oai"})
    assert config.sources["uni"].url == "https://a.example.org/oai"
