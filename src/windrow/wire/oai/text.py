"""Character references in the few values that are cut out of a page as bytes."""

from __future__ import annotations

import re

_NAMED = {b"amp": b"&", b"lt": b"<", b"gt": b">", b"quot": b'"', b"apos": b"'"}
_REFERENCE = re.compile(rb"&(?:#x0*([0-9a-fA-F]{1,6})|#0*([0-9]{1,7})|([a-z]{2,4}));")


def decode(value: bytes) -> str:
    """Give the text of well-formed character data without markup inside."""
    if b"&" in value:
        value = _REFERENCE.sub(_replace, value)
    return value.decode("utf-8", "replace").strip()


def _replace(match: re.Match[bytes]) -> bytes:
    hexadecimal, decimal, name = match.groups()
    if name:
        return _NAMED.get(name, match.group())
    code = int(hexadecimal, 16) if hexadecimal else int(decimal)
    if code > 0x10FFFF or 0xD800 <= code < 0xE000:
        return match.group()
    return chr(code).encode()
