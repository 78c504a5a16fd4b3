"""How a window's list can come to its end, and what an error says about that."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from windrow.errors import HeadersOnly, HttpRefused, NotOai, Unreachable, UpstreamBusy, UpstreamError
from windrow.wire.oai.page import Fault

_TOO_MUCH = ("too many", "too large", "too much", "exceed", "result limit", "result window")
_TOO_MUCH_STATUS = 413


class Ending(Enum):
    """How a window's list came to its end."""

    DONE = "done"
    DOUBTFUL = "doubtful"  # it ended, but perhaps not where it should have
    EXPIRED = "expired"  # the token died on the way
    STALE = "stale"  # the token of an earlier run was dead from the start
    TOO_MUCH = "too much"  # the repository refuses so long a list
    BROKEN = "broken"  # a page that cannot be had
    REFUSED = "refused"  # an OAI-PMH error that asking again does not mend
    LIMIT = "limit"  # as many as were asked for


@dataclass(frozen=True, slots=True)
class Result:
    """How a window ended, why, and the error behind it if there was one."""

    ending: Ending
    reason: str = ""
    error: UpstreamError | None = None
    code: str = ""


class ListFailed(Exception):
    """This list cannot be had; the others of the source may."""

    def __init__(self, reason: str, *, cause: UpstreamError | None = None) -> None:
        super().__init__(reason)
        self.cause = cause


def is_too_much(fault: Fault) -> bool:
    """Does the repository say that the list would be too long?"""
    text = fault.text.lower()
    return any(words in text for words in _TOO_MUCH)


def broken(error: UpstreamError) -> Result:
    """Give the ending for a page that could not be had at all."""
    is_too_long = isinstance(error, HttpRefused) and error.status == _TOO_MUCH_STATUS
    return Result(Ending.TOO_MUCH if is_too_long else Ending.BROKEN, str(error), error)


def is_fatal(error: UpstreamError | None) -> bool:
    """Is there no point in asking this repository anything else just now?"""
    return isinstance(error, Unreachable | UpstreamBusy)


def is_hopeless(error: UpstreamError | None) -> bool:
    """Does a first page that failed so mean that no other request will do better?"""
    if isinstance(error, HttpRefused):
        return error.status < 500
    # Where only headers came, identifiers can be listed, and single records perhaps be fetched.
    return isinstance(error, NotOai) and not isinstance(error, HeadersOnly)
