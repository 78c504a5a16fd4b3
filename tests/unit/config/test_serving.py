from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.unit.config.library import ONE_SOURCE, make_library
from windrow.config.editor import remove_source
from windrow.config.loader import load
from windrow.config.settings_reference import rows
from windrow.errors import ConfigError

WHOLE = (
    ONE_SOURCE
    + """\
[sources.other]
url = "https://other.example.org/oai"

[serve]
host = "[::1]"
port = 0
url = "https://library.example/windrow/"
trusted_proxies = ["10.0.0.0/8"]

[oai]
page_bytes = "1 MB"
friends = ["https://friend.example/oai"]

[oai.sets."type:thesis"]
name = "Theses"
query = "type:thesis"

[oai.sets.new]
query = "year:2024.."

[collections.north]
title = "The north"
sources = ["uni", "other"]
"""
)


def refusal(folder: Path, text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        load(make_library(folder, text), environ={})
    return str(caught.value)


def test_what_serving_needs_is_read_into_types(tmp_path: Path) -> None:
    config = load(make_library(tmp_path, WHOLE), environ={})
    assert (config.serve.host, config.serve.port) == ("::1", 0)
    assert config.serve.url == "https://library.example/windrow/"
    assert (config.oai.page_bytes, config.oai.friends) == (1_000_000, ("https://friend.example/oai",))
    assert config.collections["north"].sources == ("uni", "other")
    assert config.oai_sets["type:thesis"].query == "type:thesis"


def test_a_collection_may_be_written_in_the_singular(tmp_path: Path) -> None:
    text = WHOLE + '\n[collection.south]\nsources = ["uni"]\n[collection.south.sets]\ninstitution = "com_*"\n'
    config = load(make_library(tmp_path, text), environ={"WINDROW_COLLECTIONS_SOUTH_TITLE": "The south"})
    assert set(config.collections) == {"north", "south"}
    assert config.collections["south"].sets.institution == ("com_*",)
    assert config.collections["south"].title == "The south"


def test_what_has_no_name_for_people_is_called_by_its_own(tmp_path: Path) -> None:
    config = load(make_library(tmp_path, WHOLE.replace('title = "The north"\n', "")), environ={})
    assert config.oai_sets["new"].name == "new"
    assert config.collections["north"].title == "north"


def test_the_repository_is_called_and_reached_as_the_library_unless_it_says_otherwise(tmp_path: Path) -> None:
    library = '[library]\nname = "Theses"\ncontact = "us@example.org"\n'
    oai = load(make_library(tmp_path, library), environ={}).oai
    assert (oai.name, oai.admin_email) == ("Theses", "us@example.org")
    own = '[oai]\nname = "Repository"\nadmin_email = "them@example.org"\n'
    oai = load(make_library(tmp_path, library + own), environ={}).oai
    assert (oai.name, oai.admin_email) == ("Repository", "them@example.org")


def test_a_contact_that_is_a_web_address_is_nobodys_mail(tmp_path: Path) -> None:
    text = '[library]\ncontact = "https://example.org/contact"\n'
    assert load(make_library(tmp_path, text), environ={}).oai.admin_email is None


def test_collections_and_sets_are_among_the_rows_with_who_set_them(tmp_path: Path) -> None:
    environ = {"WINDROW_COLLECTIONS_NORTH_TITLE": "North"}
    shown = {
        row.key: (row.value, row.origin) for row in rows(load(make_library(tmp_path, WHOLE), environ=environ))
    }
    assert shown["collections.north.title"] == ("North", "WINDROW_COLLECTIONS_NORTH_TITLE")
    assert shown["collections.north.sources"] == ("uni, other", "windrow.toml")
    assert shown["oai.sets.type:thesis.name"] == ("Theses", "windrow.toml")
    assert shown["oai.sets.new.name"] == ("new", "default")
    assert shown["serve.port"] == ("0", "windrow.toml")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('host = "a b"', "serve.host must be a host name or an IP address"),
        ("host = 7", "serve.host must be a host name or an IP address"),
        ('host = "127.0.0.1:80"', "serve.host must be a host name or an IP address"),
        ("port = 70000", "serve.port must be a whole number from 0 to 65535"),
        ("workers = 0", "serve.workers must be a whole number"),
        ('trusted_proxies = ["proxy.example"]', "serve.trusted_proxies must be a list of IP addresses"),
        ('trusted_proxies = ["10.0.0.1/8"]', "serve.trusted_proxies must be a list of IP addresses"),
        ('url = "library.example"', "serve.url must be an address that begins with http"),
        ('url = "https://library.example/?a=b"', r"serve.url must be an address without \?"),
        (
            'url = "https://me:pw@library.example/"',
            r"serve.url must be an address without \? and without a user",
        ),
        ('url = "https://library.example/oai"', "serve.url must be the address of the server; the paths"),
    ],
)
def test_an_address_to_serve_at_that_makes_no_sense_is_refused(tmp_path: Path, line: str, said: str) -> None:
    message = refusal(tmp_path, f"[serve]\n{line}\n")
    assert "line 2: " in message
    assert re.search(said, message), message


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('admin_email = "us"', "oai.admin_email must be a mail address"),
        ('admin_email = "us@example.org, them@example.org"', "oai.admin_email must be a mail address"),
        ('repository_identifier = "library"', "oai.repository_identifier must be a domain name"),
        ('friends = "https://a.example/"', "oai.friends must be a list of at most"),
        ('friends = ["a.example"]', "oai.friends must be an address"),
        ('friends = ["https://a.example/", "https://a.example/"]', "oai.friends must have no address twice"),
        ('page_bytes = "1 kB"', "oai.page_bytes must be a size from"),
        ("requests_per_second = -1", "oai.requests_per_second must be a whole number"),
        ("records_per_pag = 1", "has no setting 'records_per_pag'. Did you mean \"records_per_page\""),
        ("sets = 3", r"oai.sets must be tables, each written as \[oai.sets.SPEC\]"),
        ('sets."a b" = { query = "x" }', "'a b' cannot be a setSpec"),
        ('sets."a:" = { query = "x" }', "'a:' cannot be a setSpec"),
        ('sets.a = { name = "A" }', r"\[oai.sets.a\] has no query. Which records are in it"),
        ('sets.a = { query = "x", colour = "red" }', r"\[oai.sets.a\] has no setting 'colour'"),
        ("sets.a = 3", "oai.sets.a must be a table"),
    ],
)
def test_a_repository_that_cannot_be_is_refused(tmp_path: Path, line: str, said: str) -> None:
    message = refusal(tmp_path, f"[oai]\n{line}\n")
    assert "line 2: " in message
    assert re.search(said, message), message


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ('[collections.uni]\nsources = ["uni"]', "uni is the name of a source already"),
        ('[collections.Big]\nsources = ["uni"]', "'Big' cannot be the name of a collection"),
        ('[collections.all]\nsources = ["uni"]', "all cannot be the name of a collection"),
        ('[collections.a]\ntitle = "A"', r"\[collections.a\] has no sources. The names of its sources"),
        ("[collections.a]\nsources = []", "collections.a.sources must have at least 1"),
        ('[collections.a]\nsources = ["unu"]', "names 'unu', which is no source. Did you mean \"uni\""),
        (
            '[collection.a]\nsources = ["uni"]\n[collections.a]\nsources = ["uni"]',
            r"the collection 'a' is there twice: as \[collection.a\] as well",
        ),
        ('[collection.a]\nsources = ["unu"]', "names 'unu', which is no source. Did you mean \"uni\""),
        ("[[collections]]", r"collections must be tables, each written as \[collections.NAME\]"),
    ],
)
def test_a_collection_that_cannot_be_is_refused(tmp_path: Path, table: str, said: str) -> None:
    message = refusal(tmp_path, f"{ONE_SOURCE}{table}\n")
    assert re.search(r"line [34]: ", message)
    assert re.search(said, message), message


def test_a_misspelt_variable_of_a_collection_is_an_error_with_a_suggestion(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match='Did you mean "WINDROW_COLLECTIONS_NORTH_TITLE"'):
        load(make_library(tmp_path, WHOLE), environ={"WINDROW_COLLECTIONS_NORTH_TITEL": "x"})


def test_a_source_that_a_collection_needs_is_not_removed(tmp_path: Path) -> None:
    folder = make_library(tmp_path, WHOLE)
    with pytest.raises(ConfigError, match=r"collections.north.sources names 'other'"):
        remove_source(folder, "other")
    assert "other" in load(folder, environ={}).sources


def test_flags_for_serving_beat_the_file(tmp_path: Path) -> None:
    config = load(make_library(tmp_path, WHOLE), environ={}, flags={"serve.port": 7, "serve.host": "0.0.0.0"})
    assert (config.serve.port, config.serve.host) == (7, "0.0.0.0")
    assert config.origins["serve.port"] == "--port"
