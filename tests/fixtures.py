"""Where the real data of other repositories lies: beside the project, never inside it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared" / "fixtures"
REQUIRE_ALL = os.environ.get("WINDROW_REQUIRE_ALL") == "1"


def shared(path: str = "") -> Path:
    """Give the path of a shared fixture; skip the test where there is none, unless all are required."""
    found = SHARED / path
    if not found.exists():
        missing(f"the shared fixture {path or 'folder'} is not beside the project")
    return found


def missing(what: str) -> None:
    """Skip the running test because something is not on this machine, or fail it where all is required."""
    if REQUIRE_ALL:
        pytest.fail(f"required, but {what}")
    pytest.skip(what)
