"""Stateless resumption tokens: the request, the position in its list, and a signature.

The position is the number of the last record sent, so that a list continues correctly after changes between
two pages. The signature also covers the scope (which of our repositories issued the token): a token of
another one, or a forged one, is refused. A front end seals a token after each page but the last, and unseals
the one in a request.
"""

from __future__ import annotations

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass

from windrow.protocols.oai.provider_request import Pairs, format_request_date, make_refusal

MAX_TOKEN_CHARACTERS = 3072

_VERSION = 1
_SEAL_BYTES = 16
_VERBS = ("ListRecords", "ListIdentifiers", "ListSets")
_BY_DAY = 0x10


@dataclass(frozen=True, slots=True)
class Position:
    """A list request and the position in it. Times are Unix seconds, both ends included."""

    verb: str
    prefix: str | None = None
    since: int | None = None
    until: int | None = None
    is_by_day: bool = False  # whether `from` and `until` were days
    set_spec: str | None = None
    after: int = 0  # the number of the last record sent
    cursor: int = 0  # how many were sent before the next page
    size: int = 0  # how many there were at the start
    top: int = 0  # the newest record's number at the start

    @property
    def from_text(self) -> str | None:
        return None if self.since is None else format_request_date(self.since, by_day=self.is_by_day)

    @property
    def until_text(self) -> str | None:
        return None if self.until is None else format_request_date(self.until, by_day=self.is_by_day)


def seal(position: Position, *, key: bytes, scope: str) -> str:
    body = _pack(position)
    return urlsafe_b64encode(body + _sign(body, key, scope)).rstrip(b"=").decode("ascii")


def unseal(text: str, *, key: bytes, scope: str, verb: str | None = None, echo: Pairs = ()) -> Position:
    """Return the position in a token; raise RequestRefused with badResumptionToken if it is invalid.

    A token for a verb other than `verb` is refused, too.
    """
    position = _open(text, key, scope)
    if position is None:
        raise make_refusal(
            "badResumptionToken", "This token was not given out here, or not like this", echo=echo
        )
    if verb is not None and position.verb != verb:
        raise make_refusal("badResumptionToken", f"This token goes on with {position.verb}", echo=echo)
    return position


def _open(text: str, key: bytes, scope: str) -> Position | None:
    if not text.isascii() or len(text) > MAX_TOKEN_CHARACTERS:
        return None
    sent = text.encode("ascii")
    try:
        packed = urlsafe_b64decode(sent + b"=" * (-len(sent) % 4))
    except ValueError:
        return None
    # Decoding skips characters outside its alphabet and ignores the last bits of the final character.
    if urlsafe_b64encode(packed).rstrip(b"=") != sent:
        return None
    body = packed[:-_SEAL_BYTES]
    if not hmac.compare_digest(packed[-_SEAL_BYTES:], _sign(body, key, scope)):
        return None
    return _unpack(body) if body[:1] == bytes((_VERSION,)) else None


def _sign(body: bytes, key: bytes, scope: str) -> bytes:
    where = scope.encode("utf-8", "surrogatepass")
    return hmac.digest(key, len(where).to_bytes(4, "big") + where + body, "sha256")[:_SEAL_BYTES]


def _pack(position: Position) -> bytes:
    kind = _VERBS.index(position.verb) | (_BY_DAY if position.is_by_day else 0)
    numbers = (position.after, position.cursor, position.size, position.top, position.since, position.until)
    prefix = None if position.prefix is None else position.prefix.encode()
    set_spec = None if position.set_spec is None else position.set_spec.encode()
    parts = [bytes((_VERSION, kind)), *map(_pack_number, numbers)]
    parts += (_pack_number(None if prefix is None else len(prefix)), prefix or b"")
    parts += (b"", b"") if set_spec is None else (b"\1", set_spec)
    return b"".join(parts)


def _pack_number(number: int | None) -> bytes:
    """Return the length in bytes, then the bytes; the length of None is 0."""
    if number is None:
        return b"\0"
    length = number.bit_length() // 8 + 1
    return length.to_bytes(1, "big") + number.to_bytes(length, "big", signed=True)


def _unpack(body: bytes) -> Position:
    kind, place = body[1], 2
    numbers: list[int | None] = []
    for _ in range(7):
        end = place + 1 + body[place]
        numbers.append(int.from_bytes(body[place + 1 : end], "big", signed=True) if body[place] else None)
        place = end
    after, cursor, size, top, since, until, length = numbers
    end = place + (length or 0)
    return Position(
        verb=_VERBS[kind & ~_BY_DAY],
        prefix=None if length is None else body[place:end].decode(),
        since=since,
        until=until,
        is_by_day=bool(kind & _BY_DAY),
        set_spec=body[end + 1 :].decode() if end < len(body) else None,
        after=after or 0,
        cursor=cursor or 0,
        size=size or 0,
        top=top or 0,
    )
