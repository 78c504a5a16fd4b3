"""The words between two tags as a parser would give them: for `flat_dc`, which goes without one."""

from __future__ import annotations

import re
from functools import lru_cache

LONG_CHARACTERS = 200

_REFERENCE = re.compile(r"&(?:(amp|lt|gt|quot|apos);|#([0-9]{1,7});|#x([0-9a-fA-F]{1,6});)?")
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # XML 1.0, section 2.2
_BLANKED = bytes.maketrans(bytes((*range(32), 127)), b" " * 33)


class Unsure(ValueError):
    """Something that only the parser can judge: not well-formed, or not surely so."""


def decoded(payload: bytes) -> str:
    """The characters of a payload, line ends made one. Whether all of them are legal is not looked at."""
    try:
        text = payload.decode()
    except UnicodeDecodeError:
        raise Unsure from None
    if "]" in text and "]]>" in text:
        raise Unsure
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def words_of(text: str) -> str:
    """The words that a text between tags stands for. Raises Unsure where XML does not allow it."""
    if not text.isprintable() and _ILLEGAL.search(text) is not None:
        raise Unsure
    if "&" not in text:
        return text
    return _short(text) if len(text) < LONG_CHARACTERS else _REFERENCE.sub(_character, text)


def is_one_line(text: str) -> bool:
    """Whether a text surely is legal XML, with no whitespace in it but single spaces."""
    if text.rfind("  ") >= 0:
        return False
    if len(text) < LONG_CHARACTERS or not text.isascii():
        return text.isprintable()
    characters = text.encode()  # of a long text in ASCII this is the quicker test
    return characters.translate(_BLANKED) is characters  # the very same where there are no controls


@lru_cache(maxsize=1024)
def _short(text: str) -> str:
    """What stands there after resolving; kept, because rights and publishers recur on every record."""
    return _REFERENCE.sub(_character, text)


def _character(match: re.Match[str]) -> str:
    name, decimal, hexadecimal = match.groups()
    if name:
        return _NAMED[name]
    code = int(decimal or hexadecimal or "0", 10 if decimal else 16)
    if not 0 < code <= 0x10FFFF or _ILLEGAL.match(chr(code)):
        raise Unsure
    return chr(code)
