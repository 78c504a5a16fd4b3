from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from tests.unit.web.api.office import opened
from windrow.store import visit_counts
from windrow.store.visit_counts import CRAWLER, SEARCH, VisitGroup

NOON = datetime(2024, 6, 1, 12, tzinfo=UTC)


def test_who_came_by_is_given_by_day_and_family_for_as_many_days_as_wanted(tmp_path: Path) -> None:
    with opened(tmp_path) as office:
        store = office.catalogue.store
        store.clock = NOON.timestamp
        with store.writing() as connection:
            counts = {
                VisitGroup("2024-06-01", CRAWLER, "Bing"): 3,
                VisitGroup("2024-05-31", SEARCH, "Bing"): 1,
            }
            visit_counts.add(connection, counts)
        newest = {"day": "2024-06-01", "kind": "crawler", "family": "Bing", "count": 3}
        older = {"day": "2024-05-31", "kind": "search", "family": "Bing", "count": 1}
        assert office.get("/visits") == {"since": "2024-05-03", "items": [older, newest]}
        assert office.get("/visits", ("days", "1")) == {"since": "2024-06-01", "items": [newest]}
        assert office.ask("/visits", ("days", "0")).status == 400
