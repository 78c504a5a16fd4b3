"""Resumption tokens that hold the whole question and the place in its answer, so the server keeps nothing.

The place is the last record given, not a count: a list goes on rightly even when records were touched
between two pages. `repository` writes them into pages and reads them back.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_LONGEST = 400
_NUMBER = re.compile(r"-?[0-9]{1,12}")


@dataclass(frozen=True, slots=True)
class Token:
    """One list request, how many were given so far, and the (datestamp, number) of the last one given."""

    verb: str
    prefix: str = ""
    spec: str = ""
    start: int | None = None
    end: int | None = None
    given: int = 0
    last: tuple[int, int] = (0, 0)


def render_token(token: Token) -> str:
    """The token as text; its fields hold no slash themselves."""
    ends = ("" if moment is None else str(moment) for moment in (token.start, token.end))
    return "/".join([token.verb, token.prefix, token.spec, *ends, str(token.given), *map(str, token.last)])


def parse_token(text: str) -> Token | None:
    """The token again, or None when this text never was one of ours."""
    fields = text.split("/", 8) if len(text) <= _LONGEST else []
    if len(fields) != 8 or not all(
        _NUMBER.fullmatch(each) for each in [*filter(None, fields[3:5]), *fields[5:]]
    ):
        return None
    start, end = (int(each) if each else None for each in fields[3:5])
    given, stamp, number = (int(each) for each in fields[5:])
    return Token(fields[0], fields[1], fields[2], start, end, given, (stamp, number))
