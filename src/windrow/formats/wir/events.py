"""Events in the one-line form of Studera.NU: `identifier;period;kind;intensity;place;language;time`."""

from __future__ import annotations

from windrow.model.document import Event
from windrow.model.languages import codes_of

PARTS = 7
EVENT_CHARACTERS = 2_000


def read_event(text: str) -> Event | None:
    """Return the event in a line; None where it has no part. Leniently: pages end it with a semicolon.

    Missing parts are None; what follows the seventh is part of the time.
    """
    parts = [" ".join(part.split()) for part in text[:EVENT_CHARACTERS].strip().rstrip(";").split(";")]
    if len(parts) > PARTS:
        parts[PARTS - 1 :] = ["; ".join(part for part in parts[PARTS - 1 :] if part)]
    parts += [""] * (PARTS - len(parts))
    identifier, period, kind, intensity, place, language, time = (part or None for part in parts)
    codes = codes_of(language) if language else ()
    event = Event(identifier, period, kind, intensity, place, codes[0] if codes else language, time)
    return event if any(event) else None
