"""`windrow init`: where the library is made."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.sourcing import Cli, make_cli


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    return make_cli(tmp_path, monkeypatch, capsys, is_library=False)


@pytest.mark.parametrize(
    "arguments",
    [
        ("init", "barn"),
        ("-L", "barn", "init"),
        ("init", "--library", "barn"),
        ("-L", "./barn", "init", "barn"),
    ],
)
def test_a_library_is_made_in_the_folder_that_is_named(bare: Cli, arguments: tuple[str, ...]) -> None:
    done = bare(*arguments)
    assert done.code == 0
    assert (bare.folder / "barn" / "windrow.toml").is_file()
    assert not (bare.folder / "windrow.toml").exists()
    assert "cd barn && windrow source add" in done.words


def test_without_a_name_it_is_made_in_the_folder_at_hand(bare: Cli) -> None:
    assert bare("init").code == 0
    assert (bare.folder / "windrow.toml").is_file()


def test_two_different_names_are_refused_and_nothing_is_made(bare: Cli) -> None:
    done = bare("-L", "barn", "init", "shed")
    assert done.code == 2
    assert "Name the folder to make once." in done.err
    assert list(bare.folder.iterdir()) == []
