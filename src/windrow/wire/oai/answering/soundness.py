"""Can these bytes stand in an answer? Asked before a payload leaves: an unsound one would spoil its page."""

from __future__ import annotations

from windrow.wire.oai.answering.wrapping import scope_of
from windrow.wire.oai.namespaces import render_declarations
from windrow.wire.oai.strict import find_flaw

_CONTROLS = bytes(number for number in range(32) if number not in b"\t\n\r")


def is_clean(payload: bytes) -> bool:
    """Whether the bytes are UTF-8 and every character is one that XML can carry; says nothing of tags."""
    if len(payload.translate(None, _CONTROLS)) != len(payload):
        return False
    if payload.isascii():
        return True
    try:
        text = payload.decode()
    except UnicodeDecodeError:
        return False
    return "\ufffe" not in text and "\uffff" not in text  # in most texts there is no room for such


def is_well_formed(payload: bytes, declarations: bytes) -> bool:
    """Whether a parser reads the bytes as content of an element that has these declarations."""
    try:
        declared = render_declarations(scope_of(declarations))
    except ValueError:
        return False
    # As the root of a document: what closes it and opens another leaves two roots, which no parser takes.
    return find_flaw(b"<one%b>%b</one>" % (declared, payload)) is None
