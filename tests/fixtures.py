"""Test data: the project's own, in `tests/data`, and the real data of other repositories beside the project.

The own data test every behaviour in any clone; what lies beside the project adds to them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

OWN = Path(__file__).resolve().parent / "data"
GOLDEN = Path(__file__).resolve().parent / "golden"
SHARED = Path(__file__).resolve().parents[2] / "shared" / "fixtures"
REQUIRE_ALL = os.environ.get("WINDROW_REQUIRE_ALL") == "1"


def own(path: str = "") -> Path:
    """Return the path of one of the project's own fixtures; those of formats are the golden files."""
    folder, _, rest = path.partition("/")
    found = GOLDEN / "formats" / rest if folder == "records" else OWN / path
    assert found.exists(), f"{found} is missing from the project"
    return found


def shared(path: str = "") -> Path:
    """Return the path of a shared fixture; skip the test where there is none, unless all are required."""
    found = SHARED / path
    if not found.exists():
        missing("real data of other repositories (../shared/fixtures) is not beside the project", path)
    return found


def shared_too(path: str) -> list[Path]:
    """Return the shared fixture in a list, or none where it is not beside the project and not required."""
    if REQUIRE_ALL:
        return [shared(path)]
    return [SHARED / path] if (SHARED / path).exists() else []


def missing(what: str, name: str = "") -> None:
    """Skip the running test because something is not on this machine, or fail it where all is required.

    Reasons are counted at the end of a run, so what differs from test to test is in the name alone.
    """
    if REQUIRE_ALL:
        pytest.fail(f"required, but {what}" + (f": {name}" if name else ""))
    pytest.skip(what)


Place = Callable[[str], Path]
# A test so marked runs over the project's own data, and over the real ones where they are.
own_and_shared = pytest.mark.parametrize("place", [own, shared], ids=["own", "shared"])

# What the shared description of the course does not have: the lists beside it, and words of its page.
_SHARED_COURSE = {
    "starts": 50,
    "allow": 66,
    "exclude": 13,
    "excluded": "http://www.mh.se/utbildning/UtbKat/Kurs.asp?mode=skrivare",
    "tag": ["DC.Subject", "400.600", "STUDERA"],
    "text": "lärare eller blivande lärare, som vill lära sig mer",
    "link": [2, "Förklaring finns här."],
}


def studera(place: Place) -> dict[str, Any]:
    """Return what is expected of the course page of Studera.NU, and of the lists beside it."""
    expected = json.loads((place("studera") / "expected.json").read_text(encoding="utf-8"))
    return {**_SHARED_COURSE, **expected}
