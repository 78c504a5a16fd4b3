from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.config.library import make_library
from windrow.config.loader import find_library
from windrow.errors import LibraryMissing


def make_folder(path: Path) -> Path:
    path.mkdir(parents=True)
    return path


def test_the_flag_beats_the_variable_which_beats_the_folder_at_hand(tmp_path: Path) -> None:
    named, variable, here = (make_library(make_folder(tmp_path / name)) for name in "abc")
    environ = {"WINDROW_LIBRARY": str(variable)}
    assert find_library(str(named), environ, here) == named
    assert find_library(None, environ, here) == variable
    assert find_library(None, {}, here) == here
    assert find_library(None, {"WINDROW_LIBRARY": ""}, here) == here


def test_a_folder_inside_a_library_belongs_to_it(tmp_path: Path) -> None:
    library = make_library(make_folder(tmp_path / "library"))
    assert find_library(None, {}, make_folder(library / "files" / "deep")) == library


def test_the_closest_library_above_counts(tmp_path: Path) -> None:
    make_library(tmp_path)
    inner = make_library(make_folder(tmp_path / "inner"))
    assert find_library(None, {}, make_folder(inner / "files")) == inner


def test_a_relative_name_goes_from_the_folder_at_hand(tmp_path: Path) -> None:
    library = make_library(make_folder(tmp_path / "library"))
    assert find_library("library", {}, tmp_path) == library
    assert find_library(None, {"WINDROW_LIBRARY": "library"}, tmp_path) == library


def test_a_named_folder_that_is_no_library_is_an_error_even_inside_one(tmp_path: Path) -> None:
    make_library(tmp_path)
    make_folder(tmp_path / "empty")
    with pytest.raises(LibraryMissing, match="--library says 'empty'"):
        find_library("empty", {}, tmp_path)
    with pytest.raises(LibraryMissing, match="WINDROW_LIBRARY says 'absent'"):
        find_library(None, {"WINDROW_LIBRARY": "absent"}, tmp_path)


def test_a_folder_called_windrow_toml_makes_no_library(tmp_path: Path) -> None:
    here = make_folder(tmp_path / "here")
    make_folder(here / "windrow.toml")
    with pytest.raises(LibraryMissing) as caught:
        find_library("here", {}, tmp_path)
    assert "windrow init" in caught.value.hint


def test_where_there_is_none_the_error_says_where_it_looked(tmp_path: Path) -> None:
    with pytest.raises(LibraryMissing, match=r"no windrow\.toml in .* or any folder above"):
        find_library(None, {}, tmp_path)


def test_an_impossible_name_is_no_library(tmp_path: Path) -> None:
    with pytest.raises(LibraryMissing):
        find_library("a\x00b", {}, tmp_path)
