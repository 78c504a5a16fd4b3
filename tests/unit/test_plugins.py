"""What other packages bring is found wherever they lie; where there is none, nothing is loaded to say so."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from windrow.errors import ConfigError
from windrow.plugins import load_plugins

GROUP = "windrow.trials"
ENTRY = f"[console_scripts]\nx = x:y\n\n[{GROUP}]\ntrial = windrow_trial_module:value\n"
UNLOADED = """
import sys
from windrow.plugins import load_plugins
assert load_plugins("windrow.trials", "trial") == []
print("importlib.metadata" in sys.modules)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "windrow_trial_module", raising=False)
    return tmp_path


def write(place: Path, entry: str = ENTRY) -> None:
    (place / "windrow_trial_module.py").write_text("value = 'brought'\n")
    information = place / "windrow_trial-1.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: windrow-trial\nVersion: 1\n")
    (information / "entry_points.txt").write_text(entry)


def test_what_a_package_in_a_folder_brings_is_found(folder: Path) -> None:
    write(folder)
    assert load_plugins(GROUP, "trial") == ["brought"]
    assert load_plugins("windrow.other", "trial") == []


def test_what_a_package_in_an_archive_brings_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path)
    archive = tmp_path / "packages.zip"
    with zipfile.ZipFile(archive, "w") as written:
        for path in tmp_path.rglob("*"):
            if path.is_file() and path != archive:
                written.write(path, path.relative_to(tmp_path))
    monkeypatch.syspath_prepend(archive)
    monkeypatch.delitem(sys.modules, "windrow_trial_module", raising=False)
    assert load_plugins(GROUP, "trial") == ["brought"]


def test_what_cannot_be_loaded_is_told(folder: Path) -> None:
    write(folder, ENTRY.replace(":value", ":nothing"))
    with pytest.raises(ConfigError, match="the trial trial"):
        load_plugins(GROUP, "trial")


def test_where_nobody_brings_anything_nothing_is_loaded() -> None:
    done = subprocess.run([sys.executable, "-c", UNLOADED], capture_output=True, check=True, text=True)
    assert done.stdout == "False\n"
