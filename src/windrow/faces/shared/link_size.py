"""How long the addresses of a page may be: every link of a page of results has the whole search in it.

A page with hundreds of links would otherwise be hundreds of times as large as the request for it.
"""

from __future__ import annotations

from windrow.faces.shared.catalogues import message
from windrow.faces.shared.refusal import Refused
from windrow.finding.question import Question

LONGEST_ADDRESS = 4_000  # bytes of a search with its filters, as a link has it
LONGEST_OF_LIST = 1_000  # the same on pages with a link for each of many values
TOO_LONG = message(
    "This search is too long: with its filters it has {length} characters as an address, and this page takes"
    " {most} at most. Use fewer words or fewer filters."
)


def is_short(question: Question) -> bool:
    """Whether a page may have a link for each of many values."""
    return _length(question) <= LONGEST_OF_LIST


def check_short(question: Question) -> None:
    """Refuse what is too long for a page with a link for each of many values."""
    _check(question, LONGEST_OF_LIST)


def check_length(question: Question) -> None:
    """Refuse what is too long for any page."""
    _check(question, LONGEST_ADDRESS)


def _check(question: Question, most: int) -> None:
    length = _length(question)
    if length > most:
        raise Refused(414, TOO_LONG, values={"length": length, "most": most})


def _length(question: Question) -> int:
    return len(question.address(""))
