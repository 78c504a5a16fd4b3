"""The one ever-growing number that orders every change to the library."""

from __future__ import annotations

from sqlalchemy import Connection, text

_TAKE = text(
    "UPDATE setting SET value = CAST(CAST(value AS BIGINT) + :n AS TEXT) WHERE key = 'seq' RETURNING value"
)
_LAST = text("SELECT value FROM setting WHERE key = 'seq'")


def take(connection: Connection, count: int) -> int:
    """Reserve so many numbers in the transaction at hand; give the first of them."""
    return int(connection.execute(_TAKE, {"n": count}).scalar_one()) - count + 1


def last(connection: Connection) -> int:
    """Give the number of the newest change."""
    return int(connection.execute(_LAST).scalar_one())
