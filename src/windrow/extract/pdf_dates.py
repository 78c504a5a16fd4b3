"""Dates as PDF and PostScript write them: `D:20100310150813+01'00'`, of which any part may be missing."""

from __future__ import annotations

import re
from datetime import datetime

_DATE = re.compile(
    r"(?:D:)?\s*(\d{4})(?:(\d\d)(?:(\d\d)(?:(\d\d)(?:(\d\d)(?:(\d\d))?)?)?)?)?"
    r"\s*(?:(Z)(?:00'?00)?'?|([+-])(\d\d)'?(?:(\d\d)'?)?)?\s*$"
)


def read_pdf_date(text: str) -> str:
    """Give a date as ISO 8601 has it, as exactly as it is told; nothing where it is none."""
    found = _DATE.match(text.strip())
    if found is None:
        return ""
    year, month, day, hour, minute, second, zulu, sign, hours, minutes = found.groups()
    date = "-".join(filter(None, (year, month, day)))
    if hour is not None:
        zone = "Z" if zulu else f"{sign}{hours}:{minutes or '00'}" if sign else ""
        date += f"T{hour}:{minute or '00'}:{second or '00'}{zone}"
    try:
        datetime.fromisoformat(f"{date}-01-01"[: max(len(date), 10)] if len(date) < 10 else date)
    except ValueError:
        return ""
    return date
