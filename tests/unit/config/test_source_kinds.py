from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.config.library import make_library
from windrow.config.loader import load
from windrow.config.source_kinds import FolderSettings
from windrow.errors import ConfigError

FOLDER = '[sources.www]\nkind = "files"\nfolder = "site"\nurl = "https://www.example.org/"\n'


def test_a_folder_is_a_source_with_the_formats_that_are_kept_of_a_file(tmp_path: Path) -> None:
    source = load(make_library(tmp_path, FOLDER), environ={}).sources["www"]
    assert isinstance(source, FolderSettings)
    assert source.folder == str(tmp_path / "site")
    assert source.formats == ("oai_dc", "http_header")
    assert (source.skip, source.show_hidden, source.needs_public_read) == ((), False, True)
    assert (source.by_value, source.poll) == (5_000_000, None)


def test_the_settings_of_a_folder_are_read(tmp_path: Path) -> None:
    more = 'skip = ["*.log", "my drafts/"]\nshow_hidden = true\nby_value = "0 B"\npoll = "2s"\n'
    source = load(make_library(tmp_path, FOLDER + more), environ={}).sources["www"]
    assert isinstance(source, FolderSettings)
    assert source.skip == ("*.log", "my drafts/")
    assert (source.show_hidden, source.by_value, source.poll) == (True, 0, 2.0)


@pytest.mark.parametrize(
    "line",
    ['formats = ["mods"]', 'sets = ["a"]', 'window = "year"', 'timeout = "5s"', 'reconcile = "never"'],
)
def test_what_only_a_repository_can_be_told_is_refused_for_a_folder(tmp_path: Path, line: str) -> None:
    with pytest.raises(ConfigError, match=r"windrow.toml.*sources.www.*is for OAI-PMH repositories"):
        load(make_library(tmp_path, f"{FOLDER}{line}\n"), environ={})


def test_what_holds_for_all_sources_does_not_trouble_a_folder(tmp_path: Path) -> None:
    text = f'[harvest]\ntimeout = "5s"\nusername = "me"\n{FOLDER}'
    assert load(make_library(tmp_path, text), environ={}).sources["www"].timeout == 5.0


@pytest.mark.parametrize("line", ['folder = "a"', 'skip = ["a"]', 'poll = "1s"', 'by_value = "1 MB"'])
def test_what_only_a_folder_can_be_told_is_refused_for_a_repository(tmp_path: Path, line: str) -> None:
    text = f'[sources.uni]\nurl = "https://repository.example.org/oai"\n{line}\n'
    with pytest.raises(ConfigError, match=r"sources.uni.*is for folders \(kind = \"files\"\)"):
        load(make_library(tmp_path, text), environ={})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('url = "https://www.example.org/"', "needs a folder as well"),
        ('url = "https://www.example.org/a"\nfolder = "site"', "must be the public address .* end with /"),
        ('url = "https://www.example.org/?a=/"\nfolder = "site"', "must be the public address"),
        ('url = "https://me@www.example.org/"\nfolder = "site"', "without a user name"),
        ('url = "https://www.example.org/"\nfolder = "."', "is the library itself"),
    ],
)
def test_a_folder_that_cannot_be_published_is_refused(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        load(make_library(tmp_path, f'[sources.www]\nkind = "files"\n{text}\n'), environ={})


def test_a_folder_of_documents_needs_no_public_address(tmp_path: Path) -> None:
    text = '[sources.radar]\nkind = "files"\nfolder = "radar"\ncontent = "documents"\n'
    source = load(make_library(tmp_path, text), environ={}).sources["radar"]
    assert source.url == "urn:windrow:folder:radar/"
    assert source.formats == ("windrow_document", "oai_dc", "http_header")


@pytest.mark.parametrize("key", ["sidecars", "archives", "keep_gone"])
def test_what_concerns_documents_is_refused_for_other_folders(tmp_path: Path, key: str) -> None:
    text = f'[sources.www]\nkind = "files"\nfolder = "www"\nurl = "https://www.example.org/"\n{key} = true\n'
    with pytest.raises(ConfigError, match=f"sources.www.{key} is for folders of documents"):
        load(make_library(tmp_path, text), environ={})
