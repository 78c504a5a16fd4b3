"""Test data: the project's own, in `tests/data`, and the real data of other repositories beside the project.

The own data test every behaviour in any clone; what lies beside the project adds to them.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

OWN = Path(__file__).resolve().parent / "data"
SHARED = Path(__file__).resolve().parents[2] / "shared" / "fixtures"
REQUIRE_ALL = os.environ.get("WINDROW_REQUIRE_ALL") == "1"


def own(path: str = "") -> Path:
    """Return the path of one of the project's own fixtures."""
    found = OWN / path
    assert found.exists(), f"{found} is missing from the project"
    return found


def shared(path: str = "") -> Path:
    """Return the path of a shared fixture; skip the test where there is none, unless all are required."""
    found = SHARED / path
    if not found.exists():
        missing(f"the shared fixture {path or 'folder'} is not beside the project")
    return found


def own_and_shared(path: str) -> list[Path]:
    """Return the own fixtures of this path and, where they are beside the project, the shared ones.

    For tests that read every file of a folder: they test something in any clone. Nothing is skipped; where
    all is required, a missing folder of shared ones fails.
    """
    return [own(path), *shared_too(path)]


def shared_too(path: str) -> list[Path]:
    """Return the shared fixture in a list, or none where it is not beside the project and not required."""
    if REQUIRE_ALL:
        return [shared(path)]
    return [SHARED / path] if (SHARED / path).exists() else []


def missing(what: str) -> None:
    """Skip the running test because something is not on this machine, or fail it where all is required."""
    if REQUIRE_ALL:
        pytest.fail(f"required, but {what}")
    pytest.skip(what)
