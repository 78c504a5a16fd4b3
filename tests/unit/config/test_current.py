"""The settings as the file has them at this moment."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.config.library import make_library
from windrow.config import editor
from windrow.config.job_sources import current_config
from windrow.config.loader import load


def test_a_job_that_was_added_since_is_there(tmp_path: Path) -> None:
    config = load(make_library(tmp_path), environ={})
    assert list(current_config(config).jobs) == []
    editor.add_job(tmp_path, "nightly", {"run": "harvest", "every": "daily"})
    assert list(current_config(config).jobs) == ["nightly"]


@pytest.mark.parametrize("text", [None, "[jobs.nightly\n", '[jobs.nightly]\nrun = "serve"\n'])
def test_a_file_that_is_gone_or_wrong_leaves_the_settings_as_they_were(
    tmp_path: Path, text: str | None
) -> None:
    config = load(make_library(tmp_path), environ={})
    if text is None:
        (tmp_path / "windrow.toml").unlink()
    else:
        make_library(tmp_path, text)
    assert current_config(config) is config
