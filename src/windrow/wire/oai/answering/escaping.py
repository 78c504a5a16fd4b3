"""Texts as XML: what markup would mean is escaped, what XML cannot carry becomes U+FFFD."""

from __future__ import annotations

import re

_ILLEGAL = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_CONTENT = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})
_ATTRIBUTE = _CONTENT | str.maketrans({'"': "&quot;", "\t": "&#9;", "\n": "&#10;"})


def escape(text: str) -> bytes:
    """Give the text as content of an element, in UTF-8."""
    # What is printable is legal: controls, surrogates and the two last of the plane are not printable.
    if text.isprintable() and "&" not in text and "<" not in text and ">" not in text:
        return text.encode()
    return _ILLEGAL.sub("\ufffd", text).translate(_CONTENT).encode()


def escape_attribute(text: str) -> bytes:
    """Give the text as the inside of an attribute in double quotes, in UTF-8."""
    if text.isprintable() and "&" not in text and "<" not in text and ">" not in text and '"' not in text:
        return text.encode()
    return _ILLEGAL.sub("\ufffd", text).translate(_ATTRIBUTE).encode()


def is_writable(text: str) -> bool:
    """Whether XML can carry this text as it is."""
    return text.isprintable() or _ILLEGAL.search(text) is None


def element(name: bytes, text: str) -> bytes:
    """Give an element with nothing but this text in it."""
    return b"<%b>%b</%b>" % (name, escape(text), name)
