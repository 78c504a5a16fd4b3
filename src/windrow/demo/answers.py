"""The outside of every answer: the envelope, an error in it, a record's header. `repository` fills it."""

from __future__ import annotations

from collections.abc import Sequence
from time import gmtime, strftime

from windrow.demo.rendering import escape, escape_attribute
from windrow.demo.theses import IDENTIFIER_PREFIX

Pairs = Sequence[tuple[str, str]]

_OAI = "http://www.openarchives.org/OAI/2.0/"
_ROOT = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    f'<OAI-PMH xmlns="{_OAI}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
    f' xsi:schemaLocation="{_OAI} {_OAI}OAI-PMH.xsd">'
)
# For these two the request is repeated without its arguments (OAI-PMH 2.0, section 3.2).
_NOT_ECHOED = frozenset({"badVerb", "badArgument"})


class Refusal(Exception):
    """An error that the protocol has a code for."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code


def render_answer(inside: str, *, now: int, base_url: str, pairs: Pairs) -> bytes:
    """The whole response around what a verb said."""
    arguments = "".join(f' {name}="{escape_attribute(value)}"' for name, value in pairs)
    return (
        f"{_ROOT}<responseDate>{render_stamp(now)}</responseDate>"
        f"<request{arguments}>{escape(base_url)}</request>{inside}</OAI-PMH>\n"
    ).encode()


def render_refusal(refusal: Refusal, *, now: int, base_url: str, pairs: Pairs) -> bytes:
    """The whole response around an error."""
    echoed = [] if refusal.code in _NOT_ECHOED else pairs
    inside = f'<error code="{refusal.code}">{escape(str(refusal))}</error>'
    return render_answer(inside, now=now, base_url=base_url, pairs=echoed)


def render_header(number: int, stamp: int, specs: Sequence[str], *, is_deleted: bool) -> str:
    """The header of a record, in these sets; in which order they come, DSpace does not say."""
    status = ' status="deleted"' if is_deleted else ""
    return (
        f"<header{status}><identifier>{IDENTIFIER_PREFIX}{number}</identifier>"
        f"<datestamp>{render_stamp(stamp)}</datestamp>"
        f"{''.join(f'<setSpec>{spec}</setSpec>' for spec in _turned(specs, number))}</header>"
    )


def _turned(specs: Sequence[str], number: int) -> Sequence[str]:
    return specs if number % 2 else specs[::-1]


def render_stamp(seconds: int) -> str:
    """A moment with second granularity."""
    return strftime("%Y-%m-%dT%H:%M:%SZ", gmtime(seconds))
