"""The user name and password that a client sent (HTTP Basic). Pure."""

from __future__ import annotations

import base64
import binascii
from functools import lru_cache

_LONGEST = 2000


@lru_cache(maxsize=256)
def credentials_of(header: bytes | None) -> tuple[str, str] | None:
    """Give what an Authorization header says; None when it says nothing that can be understood."""
    if not header or len(header) > _LONGEST or header[:6].lower() != b"basic ":
        return None
    try:
        decoded = base64.b64decode(header[6:].strip(), validate=True)
    except (binascii.Error, ValueError):
        return None
    try:
        text = decoded.decode("utf-8")
    except UnicodeDecodeError:
        text = decoded.decode("latin-1")  # what older clients send
    user, colon, password = text.partition(":")
    return (user, password) if colon else None
