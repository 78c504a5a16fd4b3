"""Plain text from text with markup, and escaping for XML.

Repositories put HTML, JATS and MathML into plain text fields, escaped once, twice or three times; titles
and abstracts of every format are cleaned here. All functions take linear time on any input.
"""

from __future__ import annotations

import html
import re
from functools import lru_cache

LONG_CHARACTERS = 200
ROUNDS = 3  # levels of escaping to undo

_ASCII_SPACES = "\t\n\r\x0b\x0c\x1c\x1d\x1e\x1f"
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")

_BREAKING = (
    "address article aside blockquote body caption center dd div dl dt figure footer form h1 h2 h3 h4 h5 h6 "
    "head header hr html li list list-item main nav ol p pre sec section table tbody tfoot thead title tr ul "
    "abstract disp-formula disp-quote"
)
_SPACING = "br break td th"
_INLINE = (
    "a abbr acronym b bdi bdo big bold cite code col colgroup del dfn em emph ext-link font i img inf "
    "inline-formula inline-graphic input ins italic kbd label link m:math map mark math meta mfrac mi mn mo "
    "monospace mover mrow mspace mstyle msub msubsup msup mtext munder named-content nobr q s samp sc scp "
    "semantics small span strike strong styled-content sub sup tex-math tt u underline var wbr xref"
)
_KNOWN = "|".join(re.escape(name) for name in f"{_BREAKING} {_SPACING} {_INLINE}".split())
# Only known tags, and attributes only with a value: "i<b and c>d" is arithmetic. The quantifiers are
# possessive (++, *+), and no part crosses the next bracket, so a long text takes linear time.
_TAG = re.compile(
    rf"""<(/?)(?:(?:jats|mml|m|o|st1|w|v|xhtml|html|ns\d):([a-z][\w.-]*+)|({_KNOWN}))
    (?:\s++[a-z_:][\w:.-]*+\s*+=\s*+(?:"[^"<>]*+"|'[^'<>]*+'|[^\s"'<>]++))*+\s*+/?>""",
    re.IGNORECASE | re.VERBOSE,
)
_INSTRUCTION = re.compile(r"<[?!](?:xml|doctype|\[if|\[endif)[^<>]*+>", re.IGNORECASE)
_HIDDEN_START = re.compile(r"<!--|<(script|style)\b[^<>]*+>", re.IGNORECASE)
_HIDDEN_END = {
    "": re.compile(r"-->"),
    "script": re.compile(r"</script\s*+>", re.IGNORECASE),
    "style": re.compile(r"</style\s*+>", re.IGNORECASE),
}
_SEPARATORS = dict.fromkeys(_BREAKING.split(), "\n\n") | dict.fromkeys(_SPACING.split(), " ")


def collapse_spaces(text: str) -> str:
    # Searching backwards takes less than half as long in a long text.
    return text.strip() if text.rfind("  ") < 0 and _is_one_line(text) else " ".join(text.split())


def plain_line(text: str) -> str:
    """Return the text on one line, without markup and with entities resolved."""
    if "<" in text or "&" in text:
        text = _strip(text)
    # `collapse_spaces`, inlined because nearly every value passes here: the space is the only character
    # that is both whitespace and printable.
    return text.strip() if "  " not in text and text.isprintable() else " ".join(text.split())


def plain_text(text: str) -> str:
    """Return the text without markup; paragraphs are separated by a blank line.

    What only resembles markup stays: "a < b and c > d" is returned unchanged.
    """
    if "<" in text or "&" in text:
        text = _strip(text)
    if "\n" not in text:
        return collapse_spaces(text)
    return "\n\n".join(_paragraphs(text))


def unescape(text: str) -> str:
    """Return the text with entities resolved; "AT&T" and "&copy=1" are not entities."""
    return _ENTITY.sub(lambda match: html.unescape(match[0]), text) if "&" in text else text


def _is_one_line(text: str) -> bool:
    # Returns whether spaces are the only whitespace. The second test is the fastest for long ASCII texts.
    if len(text) < LONG_CHARACTERS or not text.isascii():
        return text.isprintable()
    return not any(map(text.__contains__, _ASCII_SPACES))


def _paragraphs(text: str) -> list[str]:
    paragraphs: list[str] = []
    lines: list[str] = []
    for row in [*text.split("\n"), ""]:
        words = " ".join(row.split())
        if words:
            lines.append(words)
        elif lines:
            paragraphs.append(" ".join(lines))
            lines = []
    return paragraphs


def _strip(text: str) -> str:
    # Short texts are cached: rights and publishers are the same on every record.
    return _strip_short(text) if len(text) < LONG_CHARACTERS else _strip_any(text)


def _strip_any(text: str) -> str:
    for _ in range(ROUNDS):
        before = text
        text = unescape(text)
        if "<" in text:
            text = _without_hidden(text).replace("<![CDATA[", "").replace("]]>", "")
            text = _TAG.sub(_separator, _INSTRUCTION.sub("", text))
        if text == before or "&" not in text:
            break
    return text


_strip_short = lru_cache(maxsize=1024)(_strip_any)


def _separator(tag: re.Match[str]) -> str:
    return _SEPARATORS.get((tag[2] or tag[3]).lower(), "")


def _without_hidden(text: str) -> str:
    """Return the text without comments, scripts and style sheets, which a page does not display."""
    kept: list[str] = []
    position = 0
    while start := _HIDDEN_START.search(text, position):
        end = _HIDDEN_END[(start[1] or "").lower()].search(text, start.end())
        if end is None:
            break
        kept.append(text[position : start.start()])
        position = end.end()
    kept.append(text[position:])
    return "".join(kept)


# Escaping text for XML, between tags or double quotes.

_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # XML 1.0, section 2.2


def escape_xml(text: str) -> str:
    """Return the text with markup escaped; what XML forbids even as a reference becomes U+FFFD."""
    if not text.isprintable():
        text = _ILLEGAL.sub("\ufffd", text)
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    return text.replace("\r", "&#13;")
