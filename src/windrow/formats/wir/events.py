"""Events in the one-line form of Studera.NU: `identifier;period;kind;intensity;place;language;time`.

Two readings. The strict one is the grammar of the service's description. The description's own example breaks
it (a hyphen in the identifier, a semicolon at the end), and so did most pages; the service took them. So does
the lenient reading, which reports in what a line deviates from the grammar.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum

from windrow.formats.wir.tag_names import tag_name
from windrow.model.document import Event
from windrow.model.languages import codes_of
from windrow.model.web_page import MetaTag

PARTS = 7
EVENT_CHARACTERS = 2_000


class Deviation(StrEnum):
    """In what a line deviates from the grammar."""

    END = "a semicolon at the end"
    PARTS = "not seven parts"
    IDENTIFIER = "an identifier with other signs than letters and digits"
    PERIOD = "a period that is no year and number, such as 2002p1"
    KIND = "a form other than bunden, flexibel or sommar"
    INTENSITY = "a pace that is not one word"
    PLACE = "a place that is neither a code of four digits nor flexibel"
    LANGUAGE = "a language that is no code of two letters"
    TIME = "a time that is not one word"


# A pattern for each part, in the order of the line. `sommar` is in the service's queries, not in its grammar.
_GRAMMAR = (
    (Deviation.IDENTIFIER, re.compile(r"[0-9A-Za-z]+")),
    (Deviation.PERIOD, re.compile(r"[0-9]{4}p[0-9]")),
    (Deviation.KIND, re.compile(r"bunden|flexibel|sommar")),
    (Deviation.INTENSITY, re.compile(r"\w+")),
    (Deviation.PLACE, re.compile(r"[0-9]{4}|flexibel")),
    (Deviation.LANGUAGE, re.compile(r"[a-z]{2}")),
    (Deviation.TIME, re.compile(r"\w+")),
)


def parse_event(text: str) -> Event:
    """Return the event in a line that follows the grammar; raise ValueError for any other."""
    found = deviations(text)
    if found:
        raise ValueError(f"not an event by the grammar of Studera.NU: {', '.join(found)}")
    event = read_event(text)
    assert event is not None
    return event


def read_event(text: str) -> Event | None:
    """Return the event in a line, whether or not it follows the grammar; None where it has no part.

    Missing parts are None; what follows the seventh is part of the time.
    """
    parts = _parts(text)
    if len(parts) > PARTS:
        parts[PARTS - 1 :] = ["; ".join(part for part in parts[PARTS - 1 :] if part)]
    parts += [""] * (PARTS - len(parts))
    identifier, period, kind, intensity, place, language, time = (part or None for part in parts)
    codes = codes_of(language) if language else ()
    event = Event(identifier, period, kind, intensity, place, codes[0] if codes else language, time)
    return event if any(event) else None


def deviations(text: str) -> tuple[Deviation, ...]:
    """Return in what a line deviates from the grammar, in the order of the line."""
    parts = _parts(text)
    found = [Deviation.END] if text.rstrip().endswith(";") else []
    if len(parts) != PARTS:
        return (*found, Deviation.PARTS)
    found += [
        deviation
        for part, (deviation, pattern) in zip(parts, _GRAMMAR, strict=True)
        if not pattern.fullmatch(part)
    ]
    return tuple(found)


def page_deviations(tags: Iterable[MetaTag]) -> tuple[Deviation, ...]:
    """Return in what the events of a page deviate from the grammar, each once, in the order of the line."""
    found = {
        deviation
        for tag in tags
        if tag_name(tag.name) == ("studera", "event")
        for deviation in deviations(tag.content)
    }
    return tuple(deviation for deviation in Deviation if deviation in found)


def _parts(text: str) -> list[str]:
    return [" ".join(part.split()) for part in text[:EVENT_CHARACTERS].strip().rstrip(";").split(";")]
