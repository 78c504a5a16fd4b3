from __future__ import annotations

from datetime import date

import pytest

from windrow.model.document import Event
from windrow.model.document_dates import is_event_over

TODAY = date(2026, 3, 15)


@pytest.mark.parametrize(
    ("period", "time", "is_past"),
    [
        ("2025p4", None, True),
        ("2026p1", None, False),
        ("HT 2027", "day", False),
        (None, "2026-01-12/2026-03-14", True),
        (None, "2026-01-12/2026-03-15", False),
        ("2025p1", "2026-04-01", False),
        ("spring", "2026-02-30", False),  # no such day: what is left is the year
        (None, None, False),
        ("12025", None, False),
    ],
)
def test_an_event_is_over_after_its_last_date(period: str | None, time: str | None, is_past: bool) -> None:
    assert is_event_over(Event(period=period, time=time), TODAY) is is_past
