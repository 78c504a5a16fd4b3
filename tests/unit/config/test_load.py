from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.config.library import ONE_SOURCE, make_library
from windrow.config.loader import load
from windrow.config.source_kinds import RepositorySettings
from windrow.errors import ConfigError

WHOLE = """\
[library]
name = "Northern theses"
contact = "library@example.org"

[harvest]
timeout = "30s"
jobs = 2
headers = { "Accept-Language" = "sv" }

[sources.uni]
url = "https://repository.example.org/oai"
formats = ["oai_dc", "marcxml"]
sets = ["theses"]
from = 2020-01-01
until = "2024-12-31"
timeout = "90s"
reconcile = "never"
enabled = false

[sources."north.uni"]
url = "http://north.example.org/cgi/oai2?ws=1"
from = 2020-01-01T02:00:00+02:00
"""


def test_the_file_is_read_into_types(tmp_path: Path) -> None:
    config = load(make_library(tmp_path, WHOLE), environ={})
    assert config.path == tmp_path
    assert config.library.name == "Northern theses"
    assert (config.harvest.timeout, config.harvest.jobs) == (30.0, 2)
    uni = config.sources["uni"]
    assert isinstance(uni, RepositorySettings)
    assert (uni.name, uni.formats, uni.sets) == ("uni", ("oai_dc", "marcxml"), ("theses",))
    assert (uni.from_, uni.until, uni.reconcile, uni.enabled) == ("2020-01-01", "2024-12-31", None, False)
    assert config.sources["north.uni"].from_ == "2020-01-01T00:00:00Z"


def test_a_source_has_the_library_wide_value_unless_it_sets_its_own(tmp_path: Path) -> None:
    config = load(make_library(tmp_path, WHOLE), environ={})
    assert config.sources["uni"].timeout == 90.0
    assert config.sources["north.uni"].timeout == 30.0
    assert config.sources["north.uni"].headers == (("Accept-Language", "sv"),)


def test_an_empty_file_is_a_library_named_after_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "theses"
    folder.mkdir()
    config = load(make_library(folder, ""), environ={})
    assert config.library.name == "theses"
    assert dict(config.sources) == {}
    assert set(config.origins.values()) == {"default"}


def test_flags_beat_the_environment_which_beats_the_file(tmp_path: Path) -> None:
    folder = make_library(tmp_path, '[harvest]\ntimeout = "10s"\ndelay = "1s"\nattempts = 2\njobs = 1\n')
    environ = {"WINDROW_HARVEST_TIMEOUT": "20s", "WINDROW_HARVEST_DELAY": "2s"}
    config = load(folder, environ=environ, flags={"harvest.timeout": "30s", "harvest.attempts": None})
    assert (config.harvest.timeout, config.harvest.delay, config.harvest.attempts) == (30.0, 2.0, 2)


def test_it_is_known_who_set_what(tmp_path: Path) -> None:
    environ = {"WINDROW_HARVEST_DELAY": "2s", "WINDROW_SOURCES_NORTH_UNI_MAX_WAIT": "1h"}
    config = load(make_library(tmp_path, WHOLE), environ=environ, flags={"harvest.verify_tls": False})
    assert config.origins["library.name"] == "windrow.toml"
    assert config.origins["harvest.delay"] == "WINDROW_HARVEST_DELAY"
    assert config.origins["harvest.verify_tls"] == "--verify-tls"
    assert config.origins["sources.uni.until"] == "windrow.toml"
    assert config.origins["sources.uni.mode"] == "default"
    assert config.origins["sources.north.uni.timeout"] == "windrow.toml"
    assert config.origins["sources.north.uni.delay"] == "WINDROW_HARVEST_DELAY"
    assert config.origins["sources.north.uni.max_wait"] == "WINDROW_SOURCES_NORTH_UNI_MAX_WAIT"


def test_a_sources_own_setting_beats_the_environment_for_all_but_not_a_flag_for_all(tmp_path: Path) -> None:
    folder = make_library(tmp_path, WHOLE)
    environ = {"WINDROW_HARVEST_TIMEOUT": "20s"}
    assert load(folder, environ=environ).sources["uni"].timeout == 90.0
    flagged = load(folder, environ=environ, flags={"harvest.timeout": "5s"})
    assert flagged.sources["uni"].timeout == 5.0
    assert flagged.origins["sources.uni.timeout"] == "--timeout"
    both = load(folder, environ=environ, flags={"harvest.timeout": "5s", "sources.uni.timeout": "6s"})
    assert (both.sources["uni"].timeout, both.sources["north.uni"].timeout) == (6.0, 5.0)


def test_a_flag_takes_text_or_what_the_file_would_have(tmp_path: Path) -> None:
    folder = make_library(tmp_path, WHOLE)
    flags = {"sources.uni.sets": ("a", "b"), "sources.uni.formats": "x,y", "sources.uni.from": "2021-01-01"}
    uni = load(folder, environ={}, flags=flags).sources["uni"]
    assert (uni.sets, uni.formats, uni.from_) == (("a", "b"), ("x", "y"), "2021-01-01")


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("harvest.timeot", "1s", 'Did you mean "timeout"'),
        ("harvst.timeout", "1s", 'Did you mean "harvest"'),
        ("sources.uno.mode", "list", 'Did you mean "sources.uni"'),
        ("harvest.timeout", "soon", "--timeout must be a duration"),
        ("harvest.jobs", 0, "--jobs must be a whole number from 1 to 64"),
    ],
)
def test_a_wrong_flag_is_refused(tmp_path: Path, key: str, value: object, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        load(make_library(tmp_path), environ={}, flags={key: value})


def test_an_empty_text_clears_what_would_be_inherited(tmp_path: Path) -> None:
    text = '[harvest]\nproxy = "http://proxy.example.org:3128"\n' + ONE_SOURCE + 'proxy = ""\n'
    config = load(make_library(tmp_path, text), environ={})
    assert config.harvest.proxy == "http://proxy.example.org:3128"
    assert config.sources["uni"].proxy is None


def test_paths_go_from_the_library_folder_on(tmp_path: Path) -> None:
    text = ONE_SOURCE + 'ca_file = "ours.pem"\nusername = "me"\npassword_file = "/run/secrets/uni"\n'
    uni = load(make_library(tmp_path, text), environ={}).sources["uni"]
    assert uni.ca_file == str(tmp_path / "ours.pem")
    assert uni.password_file == "/run/secrets/uni"


def test_a_byte_order_mark_and_dos_line_ends_are_read(tmp_path: Path) -> None:
    text = "\ufeff" + WHOLE.replace("\n", "\r\n")
    assert load(make_library(tmp_path, text), environ={}).sources["uni"].timeout == 90.0
