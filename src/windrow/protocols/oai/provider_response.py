"""Answers as bytes: the envelope, lists of headers and records, tokens, errors.

A face renders each record, then `envelope(*listing(…), …)` joins all of it once. Records are the hot path:
what repeats (stamps, tags, sets) is made once and remembered.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from windrow.wire.oai.answering.arguments import is_set_spec, is_uri
from windrow.wire.oai.answering.escaping import escape, escape_attribute
from windrow.wire.oai.answering.moments import write_moment
from windrow.wire.oai.answering.refusal import OaiError, Pairs
from windrow.wire.oai.answering.wrapping import ROOT_DECLARATIONS, tags_around
from windrow.wire.oai.page import NAMESPACE

_LOCATION = f"{NAMESPACE} {NAMESPACE}OAI-PMH.xsd".encode()
_HEAD = (
    b'<?xml version="1.0" encoding="UTF-8"?>\n'
    b"<OAI-PMH" + ROOT_DECLARATIONS + b' xsi:schemaLocation="' + _LOCATION + b'">'
    b"<responseDate>%b</responseDate><request%b>%b</request>\n"
)
_TAIL = b"</OAI-PMH>\n"
_AROUND_ONE = _HEAD + b"<GetRecord>\n%b</GetRecord>\n" + _TAIL
_HEADER = b"<header><identifier>%b</identifier><datestamp>%b</datestamp>%b</header>"
_DELETED = b'<header status="deleted"><identifier>%b</identifier><datestamp>%b</datestamp>%b</header>'


def envelope(*parts: bytes, base_url: str, response_date: int, echo: Pairs) -> bytes:
    """Give the whole answer: what a verb said, between head and tail.

    `echo` are the arguments that the request element repeats, none of them twice. An identifier that is no
    URI is left out: the schema of OAI-PMH 2.0 has no way to repeat it.
    """
    arguments = b"".join(
        b' %b="%b"' % (name.encode(), escape_attribute(value))
        for name, value in echo
        if name != "identifier" or is_uri(value)
    )
    head = _HEAD % (stamp_of(response_date), arguments, escape(base_url))
    return b"".join((head, *parts, _TAIL))


def one_frame(base_url: str, echo: Sequence[tuple[str, bytes]], record: bytes) -> bytes:
    """Give the answer to GetRecord as `envelope` and `listing` would, with %b for what differs.

    To be filled in: the response date, then what `echo` and `record` have as %b, in their order.
    """
    arguments = b"".join(b' %b="%b"' % (name.encode(), value) for name, value in echo)
    return _AROUND_ONE % (b"%b", arguments, escape(base_url).replace(b"%", b"%%"), record)


def listing(verb: str, entries: Iterable[bytes], token: bytes = b"") -> list[bytes]:
    """Give the parts of a list, or of GetRecord: its records or headers, then its token."""
    name = verb.encode()
    return [b"<%b>\n" % name, *entries, token, b"</%b>\n" % name]


@lru_cache(maxsize=65_536)  # a harvest stamps whole pages of records alike
def stamp_of(seconds: int) -> bytes:
    """Give this second as a datestamp."""
    return write_moment(seconds).encode()


def header(identifier: str, stamp: bytes, sets: bytes, *, is_deleted: bool) -> bytes:
    """Give a record's header; `sets` are what `set_specs` rendered."""
    return (_DELETED if is_deleted else _HEADER) % (escape(identifier), stamp, sets)


def set_specs(specs: Iterable[str]) -> bytes:
    """Give the setSpec elements of a header. What the protocol has no spelling for is left out."""
    return b"".join(b"<setSpec>%b</setSpec>" % spec.encode() for spec in specs if is_set_spec(spec))


def record(header: bytes, payload: bytes | None, declarations: bytes, abouts: Sequence[bytes] = ()) -> bytes:
    """Give a record with its payload to the byte, or without (None: a tombstone), and what is said about it.

    Each of `abouts` is an element that stands by itself; empty ones are left out.
    """
    if payload is None:
        return b"<record>%b</record>\n" % header
    start, end = tags_around(payload, declarations)
    if not abouts:
        return b"".join((b"<record>", header, start, payload, end, b"</record>\n"))
    told = [b"<about>%b</about>" % about for about in abouts if about]
    return b"".join((b"<record>", header, start, payload, end, *told, b"</record>\n"))


def resumption_token(token: str, *, cursor: int, size: int) -> bytes:
    """Give the token element; an empty token closes the list. A size of none is not said."""
    total = b' completeListSize="%d"' % size if size > 0 else b""
    return b'<resumptionToken%b cursor="%d">%b</resumptionToken>\n' % (total, cursor, escape(token))


def errors(refusals: Iterable[OaiError]) -> bytes:
    """Give the error elements of an answer."""
    return b"".join(
        b'<error code="%b">%b</error>\n' % (escape_attribute(each.code), escape(each.message))
        for each in refusals
    )
