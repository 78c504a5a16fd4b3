"""Repairs for pages that a strict parser refused: one flaw, one remedy, never more than is needed.

Nothing here runs on a page that parses. Each remedy belongs to the parser's complaint and is named in
words, because the run tells the provider what was wrong and keeps the page as it came.
"""

from __future__ import annotations

import codecs
import html.entities
import re
from collections.abc import Callable
from xml.parsers.expat import errors as codes

from windrow.wire.oai.encoding import redeclare
from windrow.wire.oai.strict import Flaw, find_flaw

Remedy = Callable[[bytes, Flaw], bytes]

MAX_ROUNDS = 40
_ILLEGAL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]|\xef\xbf[\xbe\xbf]|\xed[\xa0-\xbf][\x80-\xbf]")
_NUMERIC = re.compile(rb"&#(?:[xX]([0-9a-fA-F]+)|([0-9]+));")
_ENTITY = re.compile(rb"&([A-Za-z][\w.-]*);")
_BARE = re.compile(rb"&(?!(?:#[0-9]+|#[xX][0-9a-fA-F]+|[A-Za-z][\w.-]*);)")
_STRAY = re.compile(rb"<(?![A-Za-z_/!?\x80-\xff])")
_START = re.compile(rb"<\?xml[\s>]|<(?:[\w.-]+:)?OAI-PMH[\s>]")
_ROOT_TAG = re.compile(rb"<(?![?!/])[^\s/>]+")
_ROOT_END = re.compile(rb"</(?:[\w.-]+:)?OAI-PMH\s*>")
_NAMED = ("amp", "lt", "gt", "quot", "apos")
_WELL_KNOWN = {
    b"dc": b"http://purl.org/dc/elements/1.1/",
    b"dcterms": b"http://purl.org/dc/terms/",
    b"oai_dc": b"http://www.openarchives.org/OAI/2.0/oai_dc/",
    b"oai": b"http://www.openarchives.org/OAI/2.0/",
    b"xsi": b"http://www.w3.org/2001/XMLSchema-instance",
    b"xlink": b"http://www.w3.org/1999/xlink",
    b"mods": b"http://www.loc.gov/mods/v3",
    b"marc": b"http://www.loc.gov/MARC21/slim",
    b"rdf": b"http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    b"kk": b"http://kk/1.0",
    b"edm": b"http://www.europeana.eu/schemas/edm/",
    b"ore": b"http://www.openarchives.org/ore/terms/",
    b"skos": b"http://www.w3.org/2004/02/skos/core#",
}


def repair(body: bytes, flaw: Flaw) -> tuple[bytes, tuple[str, ...], Flaw | None]:
    """Give the page repaired as far as our remedies reach, what was done, and the flaw still there."""
    done: list[str] = []
    current: Flaw | None = flaw
    for _ in range(MAX_ROUNDS):
        if current is None or current.is_truncated:
            break
        for words, remedy in _REMEDIES.get(current.code, ()):
            mended = remedy(body, current)
            if mended != body:
                break
        else:
            break
        if words not in done:
            done.append(words)
        body, current = mended, find_flaw(mended)
    return body, tuple(done), current


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
    return _NUMERIC.sub(lambda match: match.group() if _is_legal(match) else b"", body)


def _is_legal(match: re.Match[bytes]) -> bool:
    digits, base = (match.group(1), 16) if match.group(1) else (match.group(2), 10)
    if len(digits) > 10:
        return False
    code = int(digits, base)
    return code in (0x9, 0xA, 0xD) or 0x20 <= code < 0xD800 or 0xE000 <= code < 0xFFFE or 0xFFFF < code < 0x110000


def _spell_entities(body: bytes, _flaw: Flaw) -> bytes:
    return _ENTITY.sub(_spell, body)


def _spell(match: re.Match[bytes]) -> bytes:
    name = match.group(1).decode("ascii", "replace")
    if name in _NAMED:
        return match.group()
    text = html.entities.html5.get(name + ";")
    if text is None:
        return b"&amp;" + match.group()[1:]
    return b"".join(b"&#%d;" % ord(character) for character in text)


def _escape_bare(body: bytes, _flaw: Flaw) -> bytes:
    return _BARE.sub(b"&amp;", body)


def _escape_stray(body: bytes, _flaw: Flaw) -> bytes:
    """A `<` that starts no tag, as in "p < 0.05"."""
    return _STRAY.sub(b"&lt;", body)


def _cut_before(body: bytes, _flaw: Flaw) -> bytes:
    start = _START.search(body)
    return body[start.start() :] if start else body


def _cut_after(body: bytes, _flaw: Flaw) -> bytes:
    """What follows the root is cut off; a second root that holds records is joined to the first."""
    end = _ROOT_END.search(body)
    return body[: end.end()] if end else body


def _declare_prefix(body: bytes, flaw: Flaw) -> bytes:
    """The prefix that the parser stumbled over is declared on the root element."""
    root = _ROOT_TAG.search(body)
    tag = re.match(rb"""<(?:"[^"]*"|'[^']*'|[^>"'])*>""", body[flaw.offset :])
    if root is None or tag is None:
        return body
    names = re.findall(rb"""(?:<|\s)([A-Za-z_][\w.-]*):[A-Za-z_]""", tag.group())
    head = body[root.start() : body.find(b">", root.start()) + 1]
    missing = dict.fromkeys(
        name for name in names if name not in (b"xml", b"xmlns") and b"xmlns:" + name not in head + tag.group()
    )
    declared = b"".join(
        b' xmlns:%s="%s"' % (name, _WELL_KNOWN.get(name, b"urn:undeclared-prefix:" + name)) for name in missing
    )
    return body[: root.end()] + declared + body[root.end() :]


def _windows_1252(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    bad = error.object[error.start : error.end]
    return bad.decode("windows-1252", "replace"), error.end


codecs.register_error("windrow-1252", _windows_1252)

_INVALID = (
    ("bytes that are not UTF-8 read as windows-1252", _fix_bytes),
    ("control characters that XML forbids taken out", _drop_illegal),
    ("bare ampersands escaped", _escape_bare),
    ("stray < signs escaped", _escape_stray),
    ("what stood before the XML cut off", _cut_before),
)
_ENCODING = (("the declared encoding is not the real one", _fix_declared),)
_REMEDIES: dict[int, tuple[tuple[str, Remedy], ...]] = {
    codes.codes[name]: remedies
    for name, remedies in {
        codes.XML_ERROR_INVALID_TOKEN: _INVALID,
        codes.XML_ERROR_PARTIAL_CHAR: _INVALID,
        codes.XML_ERROR_SYNTAX: (("what stood before the XML cut off", _cut_before), *_INVALID),
        codes.XML_ERROR_UNDEFINED_ENTITY: (("undeclared entities spelled out", _spell_entities),),
        codes.XML_ERROR_BAD_CHAR_REF: (
            ("references to characters that XML forbids taken out", _drop_illegal_references),
        ),
        codes.XML_ERROR_MISPLACED_XML_PI: (
            ("what stood before the XML cut off", _cut_before),
            ("what stood behind the root cut off", _cut_after),
        ),
        codes.XML_ERROR_JUNK_AFTER_DOC_ELEMENT: (("what stood behind the root cut off", _cut_after),),
        codes.XML_ERROR_UNBOUND_PREFIX: (("undeclared prefixes declared", _declare_prefix),),
        codes.XML_ERROR_UNKNOWN_ENCODING: _ENCODING,
        codes.XML_ERROR_INCORRECT_ENCODING: _ENCODING,
    }.items()
}
