"""The records of a test repository: small values that a test can write down in a line."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

NAMESPACES = (
    'xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/"'
)


@dataclass(frozen=True, slots=True)
class Item:
    """One record; a payload of None is a tombstone."""

    identifier: str
    stamp: datetime
    sets: tuple[str, ...] = ()
    payload: str | None = None


def dublin_core(title: str) -> str:
    """The smallest payload that says something, with letters beyond ASCII in it."""
    return (
        f"<oai_dc:dc {NAMESPACES}><dc:title>{title}</dc:title><dc:creator>Höök, Åsa</dc:creator>"
        "<dc:date>2020</dc:date></oai_dc:dc>"
    )


def make_items(
    count: int,
    *,
    start: datetime = datetime(2020, 1, 1, tzinfo=UTC),
    step: timedelta = timedelta(days=1),
    sets: tuple[str, ...] = ("art", "art:music", "law"),
) -> list[Item]:
    """Records 0, 1, 2 … one `step` apart, in one set each, in turn."""
    return [
        Item(
            identifier=f"oai:test.example:{number}",
            stamp=start + number * step,
            sets=(sets[number % len(sets)],) if sets else (),
            payload=dublin_core(f"Title {number}"),
        )
        for number in range(count)
    ]
