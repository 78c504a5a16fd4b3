"""Repairs for pages that a strict parser refused: one flaw, one remedy, never more than is needed.

Nothing here runs on a page that parses. Each remedy belongs to the parser's complaint and is named in
words, because the run tells the provider what was wrong and keeps the page as it came.
"""

from __future__ import annotations

import codecs
import html.entities
import re
from collections.abc import Callable, Iterator
from xml.parsers.expat import errors as codes

from windrow.wire.oai.encoding import MISLABELLED, redeclare
from windrow.wire.oai.prefixes import declare_prefixes
from windrow.wire.oai.strict import Flaw, find_flaw

Remedy = Callable[[bytes, Flaw], bytes]

MAX_ROUNDS = 40
_ILLEGAL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]|\xef\xbf[\xbe\xbf]")
_NUMERIC = re.compile(rb"&#(?:x([0-9a-fA-F]+)|([0-9]+));")
_CAPITAL_X = re.compile(rb"&#X(?=[0-9a-fA-F]+;)")
_ENTITY = re.compile(rb"&([A-Za-z][\w.-]*);")
_BARE = re.compile(rb"&(?!(?:#[0-9]+|#x[0-9a-fA-F]+|[A-Za-z][\w.-]*);)")
_STRAY = re.compile(rb"<(?![A-Za-z_/!?\x80-\xff])")
_DECLARATION = re.compile(rb"<\?xml\s[^<>]*\?>")
_VERBATIM = re.compile(rb"<!\[CDATA\[|<!--")
_START = re.compile(rb"<\?xml[\s>]|<(?:[\w.-]+:)?OAI-PMH[\s>]")
_ROOT = re.compile(rb"<(?:[\w.-]+:)?OAI-PMH[\s>]")
_ROOT_END = re.compile(rb"</(?:[\w.-]+:)?OAI-PMH\s*>")
_SURROGATES = re.compile(rb"\xed[\xa0-\xaf][\x80-\xbf]\xed[\xb0-\xbf][\x80-\xbf]")
_NAMED = ("amp", "lt", "gt", "quot", "apos")


def repair(body: bytes, flaw: Flaw) -> tuple[bytes, tuple[str, ...], Flaw | None]:
    """Give the page repaired as far as our remedies reach, what was done, and the flaw still there."""
    done: dict[str, None] = {}
    current: Flaw | None = flaw
    for _ in range(MAX_ROUNDS):
        if current is None or current.is_truncated:
            break
        words, mended = _remedied(body, current)
        if mended == body:
            break
        done[words] = None
        body, current = mended, find_flaw(mended)
    return body, tuple(done), current


def _remedied(body: bytes, flaw: Flaw) -> tuple[str, bytes]:
    """The first remedy for this flaw that changes anything, and what it makes of the page."""
    for words, remedy in _REMEDIES.get(flaw.code, ()):
        mended = remedy(body, flaw)
        if mended != body:
            return words, mended
    return "", body


def _fix_bytes(body: bytes, _flaw: Flaw) -> bytes:
    """Bytes that are no UTF-8 are read as windows-1252, which is what they nearly always are."""
    try:
        body.decode()
    except UnicodeDecodeError:
        return redeclare(body.decode("utf-8", "windrow-1252").encode())
    return body


def _fix_declared(body: bytes, flaw: Flaw) -> bytes:
    return _fix_bytes(redeclare(body), flaw)


def _drop_illegal(body: bytes, _flaw: Flaw) -> bytes:
    """Vertical tab and form feed stand for white space; the other control characters for nothing."""
    return _ILLEGAL.sub(lambda match: b" " if match.group() in b"\x0b\x0c" else b"", body)


def _drop_illegal_references(body: bytes, _flaw: Flaw) -> bytes:
    return _outside(body, lambda text: _NUMERIC.sub(_legal, text))


def _legal(match: re.Match[bytes]) -> bytes:
    digits, base = (match.group(1), 16) if match.group(1) else (match.group(2), 10)
    digits = digits.lstrip(b"0") or b"0"
    if len(digits) > 7:
        return b""
    code = int(digits, base)
    if code in (0xB, 0xC):
        return b" "
    is_legal = (
        code in (0x9, 0xA, 0xD)
        or 0x20 <= code < 0xD800
        or 0xE000 <= code < 0xFFFE
        or 0xFFFF < code < 0x110000
    )
    return match.group() if is_legal else b""


def _spell_entities(body: bytes, _flaw: Flaw) -> bytes:
    return _outside(body, lambda text: _ENTITY.sub(_spell, text))


def _spell(match: re.Match[bytes]) -> bytes:
    name = match.group(1).decode("ascii")
    if name in _NAMED:
        return match.group()
    text = html.entities.html5.get(name + ";")
    if text is None:
        return b"&amp;" + match.group()[1:]
    return b"".join(b"&#%d;" % ord(character) for character in text)


def _escape_bare(body: bytes, _flaw: Flaw) -> bytes:
    return _outside(body, lambda text: _BARE.sub(b"&amp;", _CAPITAL_X.sub(b"&#x", text)))


def _escape_stray(body: bytes, _flaw: Flaw) -> bytes:
    """A `<` that starts no tag, as in "p < 0.05"."""
    return _outside(body, lambda text: _STRAY.sub(b"&lt;", text))


def _outside(body: bytes, edit: Callable[[bytes], bytes]) -> bytes:
    """Apply an edit to all but CDATA sections and comments, where `&` and `<` stand for themselves."""
    pieces: list[bytes] = []
    position = 0
    for start, end in _verbatim(body):
        pieces += [edit(body[position:start]), body[start:end]]
        position = end
    return b"".join([*pieces, edit(body[position:])])


def _verbatim(body: bytes) -> Iterator[tuple[int, int]]:
    opening = _VERBATIM.search(body)
    while opening is not None:
        close = b"]]>" if opening.group() != b"<!--" else b"-->"
        end = body.find(close, opening.end())
        if end < 0:
            return
        yield opening.start(), end + len(close)
        opening = _VERBATIM.search(body, end + len(close))


def _cut_before(body: bytes, flaw: Flaw) -> bytes:
    """What stands before the XML declaration, or between it and the root, if the flaw is there."""
    root = _ROOT.search(body)
    if root is None or flaw.offset > root.start():
        return body
    start = _START.search(body, 0, root.end())
    return body[start.start() or root.start() :] if start else body


def _drop_declarations(body: bytes, _flaw: Flaw) -> bytes:
    """Documents pasted whole into <metadata> bring their XML declarations with them."""
    own = _DECLARATION.match(body)
    start = own.end() if own else 0
    return body[:start] + _outside(body[start:], lambda text: _DECLARATION.sub(b"", text))


def _cut_after(body: bytes, flaw: Flaw) -> bytes:
    end = _ROOT_END.search(body)
    return body[: end.end()] if end and flaw.offset >= end.end() else body


def _declare_prefixes(body: bytes, flaw: Flaw) -> bytes:
    return declare_prefixes(body, flaw.offset)


def _windows_1252(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    pair = _SURROGATES.match(error.object, error.start)
    if pair:  # one character in the six bytes that Java and Oracle write for it
        halves = pair.group().decode("utf-8", "surrogatepass")
        return halves.encode("utf-16", "surrogatepass").decode("utf-16"), pair.end()
    return error.object[error.start : error.end].decode("windows-1252", "replace"), error.end


codecs.register_error("windrow-1252", _windows_1252)

_BEFORE = ("what stood before the XML cut off", _cut_before)
_BEHIND = ("what stood behind the root cut off", _cut_after)
_AMPERSANDS = ("bare ampersands escaped", _escape_bare)
_INVALID = (
    ("bytes that are not UTF-8 read as windows-1252", _fix_bytes),
    ("control characters that XML forbids taken out", _drop_illegal),
    _BEFORE,
    _AMPERSANDS,
    ("stray < signs escaped", _escape_stray),
)
_ENCODING = ((MISLABELLED, _fix_declared),)
_REMEDIES: dict[int, tuple[tuple[str, Remedy], ...]] = {
    codes.codes[name]: remedies
    for name, remedies in {
        codes.XML_ERROR_INVALID_TOKEN: _INVALID,
        codes.XML_ERROR_PARTIAL_CHAR: _INVALID,
        codes.XML_ERROR_SYNTAX: (_BEFORE, *_INVALID),
        codes.XML_ERROR_UNDEFINED_ENTITY: (
            ("undeclared entities spelled out", _spell_entities),
            _AMPERSANDS,
        ),
        codes.XML_ERROR_BAD_CHAR_REF: (
            ("references to characters that XML forbids taken out", _drop_illegal_references),
        ),
        codes.XML_ERROR_MISPLACED_XML_PI: (
            _BEFORE,
            _BEHIND,
            ("XML declarations inside the page taken out", _drop_declarations),
        ),
        codes.XML_ERROR_JUNK_AFTER_DOC_ELEMENT: (_BEHIND, _BEFORE),
        codes.XML_ERROR_XML_DECL: (("the XML declaration taken out", _cut_before),),
        codes.XML_ERROR_UNBOUND_PREFIX: (("undeclared prefixes declared", _declare_prefixes),),
        codes.XML_ERROR_UNKNOWN_ENCODING: _ENCODING,
        codes.XML_ERROR_INCORRECT_ENCODING: _ENCODING,
    }.items()
}
