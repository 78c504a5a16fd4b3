"""Who came by, as plain values."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime, timedelta

from windrow.faces.api.answers import Answer
from windrow.faces.api.desk import Desk
from windrow.faces.shared.parameters import Asked
from windrow.store import visits


def came_by(desk: Desk, asked: Asked) -> Answer:
    """How many came on each day: crawlers by family, people by the search engine that sent them."""
    today = datetime.fromtimestamp(desk.store.clock(), UTC).date()
    first = (today - timedelta(days=asked.number("days") - 1)).isoformat()
    with desk.store.reading() as connection:
        counted = visits.since(connection, first)
    return Answer({"since": first, "items": [asdict(each) for each in counted]})
