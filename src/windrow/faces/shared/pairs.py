"""Arguments of a request as pairs: repeats and blanks are kept, for the protocol to judge. Pure."""

from __future__ import annotations

from urllib.parse import unquote_to_bytes

from windrow.faces.shared.catalogues import message
from windrow.faces.shared.refusal import Refused

LONGEST_QUERY = 16_384
MOST_PAIRS = 64
TOO_LONG = message(
    "The query may have {most} characters at most; longer ones to OAI-PMH can be sent by POST."
)
Pairs = list[tuple[str, str]]


def query_pairs(query: bytes) -> Pairs:
    """Give the arguments in a query string."""
    if len(query) > LONGEST_QUERY:
        raise Refused(414, TOO_LONG, values={"most": LONGEST_QUERY})
    return _pairs(query, too_many=414)


def form_pairs(body: bytes) -> Pairs:
    """Give the arguments in the body of a form."""
    return _pairs(body, too_many=413)


def _pairs(text: bytes, *, too_many: int) -> Pairs:
    if not text:
        return []
    if text.count(b"&") >= MOST_PAIRS:
        raise Refused(too_many, f"A request may have {MOST_PAIRS} arguments at most.")
    found = []
    for piece in text.split(b"&"):
        if piece:
            name, _, value = piece.partition(b"=")
            found.append((_decode(name), _decode(value)))
    return found


def _decode(text: bytes) -> str:
    """Give the text; what is not UTF-8 becomes U+FFFD, which no argument may hold."""
    if b"%" in text or b"+" in text:
        text = unquote_to_bytes(text.replace(b"+", b" "))
    return text.decode("utf-8", "replace")
