"""The resumptionToken element, from its text and its attributes, whichever way it was cut out."""

from __future__ import annotations

import re
from collections.abc import Mapping

from windrow.wire.oai.page import Token
from windrow.wire.oai.text import decode

_ATTRIBUTE = re.compile(rb"""\s(\w+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_BLANK = re.compile(rb"\r\n|[\t\r\n]")  # which attributes hold as spaces
_MAX_DIGITS = 15


def token_of(text: str, attributes: Mapping[str, str]) -> Token:
    """Give the token; what its attributes say may be missing or nonsense."""
    return Token(
        text.strip(),
        _number(attributes.get("cursor", "")),
        _number(attributes.get("completeListSize", "")),
        attributes.get("expirationDate", "").strip() or None,
    )


def attributes_in(tag: bytes) -> dict[str, str]:
    """Give the unprefixed attributes that stand in a start tag, as far as they can be told."""
    found = _ATTRIBUTE.findall(tag)
    return {
        name.decode("ascii"): decode(_BLANK.sub(b" ", double or single)) for name, double, single in found
    }


def _number(text: str) -> int | None:
    """A count; servers write words, blanks and minus signs there."""
    text = text.strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS else None
