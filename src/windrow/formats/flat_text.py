"""The words between two tags as a parser would give them: references resolved, line ends made one."""

from __future__ import annotations

import re

_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")  # XML 1.0, section 2.2
_REFERENCE = re.compile(r"&(?:(amp|lt|gt|quot|apos);|#([0-9]{1,7});|#x([0-9a-fA-F]{1,6});)?")
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_LONG_BYTES = 200
_CONTROLS = bytes((*range(32), 127))


def text_of(body: bytes) -> str | None:
    """The text of an element without children; None for what is not well-formed, or not surely so."""
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return None
    if not _is_printable(body, text):
        if _ILLEGAL.search(text) is not None:
            return None
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if ">" in text and "]]>" in text:
        return None
    return _resolved(text) if "&" in text else text


def _is_printable(body: bytes, text: str) -> bool:
    """Whether a text surely has no line end and nothing illegal, seen in the quicker of two ways."""
    if len(body) > _LONG_BYTES and body.isascii():
        return body.translate(None, _CONTROLS) is body
    return text.isprintable()


def _resolved(text: str) -> str | None:
    try:
        return _REFERENCE.sub(_character, text)
    except ValueError:
        return None


def _character(match: re.Match[str]) -> str:
    name, decimal, hexadecimal = match.groups()
    if name:
        return _NAMED[name]
    if match.lastindex is None:
        raise ValueError("no reference that XML knows by itself")
    character = chr(int(decimal) if decimal else int(hexadecimal, 16))
    if _ILLEGAL.match(character) or "\ud800" <= character <= "\udfff":
        raise ValueError("a reference to no character")
    return character
