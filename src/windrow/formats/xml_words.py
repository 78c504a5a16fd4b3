"""Text made fit to stand in XML that we write: between tags, or between double quotes."""

from __future__ import annotations

import re

_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # XML 1.0, section 2.2


def xml_words(text: str) -> str:
    """Give the text with its markup escaped; what XML forbids even as a reference becomes U+FFFD."""
    if not text.isprintable():
        text = _ILLEGAL.sub("\ufffd", text)
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    return text.replace("\r", "&#13;")
