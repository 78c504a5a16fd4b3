"""Dates in HTTP headers, which are GMT whether they say so or not."""

from __future__ import annotations

from datetime import UTC, datetime


def parse_http_date(text: str) -> datetime | None:
    """Give the moment as aware UTC, None where the text is no date."""
    from email.utils import parsedate_to_datetime  # noqa: PLC0415 - slow to load, and few headers are dates

    try:
        moment = parsedate_to_datetime(text)
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, IndexError, OverflowError):
        return None
