"""Where an export goes: there whole, or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from windrow.errors import UsageError
from windrow.exports.output_file import open_output


def test_a_file_appears_when_everything_is_in_it(tmp_path: Path) -> None:
    path = tmp_path / "x"
    with open_output(str(path)) as stream:
        stream.write(b"all")
        assert not path.exists()
    assert path.read_bytes() == b"all"


def test_what_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"old")
    with pytest.raises(TypeError), open_output(str(path)) as stream:
        stream.writelines([b"half", "not bytes"])  # type: ignore[list-item]
    assert [(item.name, item.read_bytes()) for item in tmp_path.iterdir()] == [("x", b"old")]


def test_a_file_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"old")
    path.chmod(0o640)
    with open_output(str(path)) as stream:
        stream.write(b"new")
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with open_output(str(tmp_path / "link")) as stream:
        stream.write(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_a_device_is_written_to_as_it_is() -> None:
    with open_output(os.devnull) as stream:
        stream.write(b"gone")
    assert not Path(os.devnull).is_file()


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot write"), open_output(str(tmp_path)):
        pass
