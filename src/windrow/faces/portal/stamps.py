"""The datestamp that a source gives a record, as people write dates. Pure."""

from __future__ import annotations

import re

from windrow.faces.shared.tongue import Tongue
from windrow.model.stamp import read_stamp

# As OAI-PMH has them, and so fit for <time datetime>; whatever else a server sends is shown as it came.
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_SECOND = re.compile(rf"{_DAY.pattern}T[0-9]{{2}}:[0-9]{{2}}:[0-9]{{2}}Z")


def stamp_words(stamp: str, tongue: Tongue) -> str:
    """Give a datestamp in the words of a language; nothing where it is none."""
    moment = read_stamp(stamp)
    if moment is None:
        return ""
    if _SECOND.fullmatch(stamp):
        return tongue.moment(moment)
    return tongue.day(moment) if _DAY.fullmatch(stamp) else ""
