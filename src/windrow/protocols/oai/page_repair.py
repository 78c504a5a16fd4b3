"""Repairs for pages that a strict parser rejected, and the salvage of single records.

Nothing here runs on a page that parses. Each repair is for one error of the parser, changes as little as
possible, and has a description: the run reports the problem to the provider and keeps the original page.
"""

from __future__ import annotations

import codecs
import html.entities
import re
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from xml.parsers.expat import errors as codes

from windrow.model.record import Record, Reject
from windrow.protocols.oai.oai_page import Page, decode_references, make_token, parse_attributes
from windrow.protocols.oai.page_scanner import scan_page
from windrow.protocols.oai.well_formedness import MISLABELLED, Flaw, declare_utf8, find_flaw

# Undeclared prefixes are declared on the root element.

_TAG = rb"""(?:"[^"]*"|'[^']*'|[^>"'])*>"""
_START_TAG = re.compile(rb"<" + _TAG)
_ROOT_NAME = re.compile(rb"<(?:[\w.-]+:)?OAI-PMH(?=[\s>])")
_QUOTED = re.compile(rb""""[^"]*"|'[^']*'""")
_USED = re.compile(rb"(?:<|\s)([A-Za-z_][\w.-]*):[A-Za-z_]")
_DECLARED = re.compile(rb"\sxmlns:([\w.-]+)\s*=")
_WELL_KNOWN = {
    b"dc": b"http://purl.org/dc/elements/1.1/",
    b"dcterms": b"http://purl.org/dc/terms/",
    b"edm": b"http://www.europeana.eu/schemas/edm/",
    b"kk": b"http://kk/1.0",
    b"marc": b"http://www.loc.gov/MARC21/slim",
    b"mods": b"http://www.loc.gov/mods/v3",
    b"oai": b"http://www.openarchives.org/OAI/2.0/",
    b"oai_dc": b"http://www.openarchives.org/OAI/2.0/oai_dc/",
    b"ore": b"http://www.openarchives.org/ore/terms/",
    b"rdf": b"http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    b"skos": b"http://www.w3.org/2004/02/skos/core#",
    b"xlink": b"http://www.w3.org/1999/xlink",
    b"xsi": b"http://www.w3.org/2001/XMLSchema-instance",
}
_RESERVED = frozenset((b"xml", b"xmlns"))


def declare_prefixes(body: bytes, offset: int) -> bytes:
    """Declare the prefixes that the start tag at `offset` uses without a declaration.

    Well-known prefixes get their usual namespace, others one that describes the problem.
    """
    root = _ROOT_NAME.search(body)
    tag = _START_TAG.match(body, offset)
    if root is None or tag is None:
        return body
    whole = _START_TAG.match(body, root.start())
    known = _declared(whole.group() if whole else b"") | _declared(tag.group())
    used = dict.fromkeys(_USED.findall(_QUOTED.sub(b'""', tag.group())))
    added = b"".join(
        b' xmlns:%s="%s"' % (prefix, _WELL_KNOWN.get(prefix, b"urn:undeclared-prefix:" + prefix))
        for prefix in used
        if prefix not in known
    )
    return body[: root.end()] + added + body[root.end() :]


def _declared(tag: bytes) -> frozenset[bytes]:
    return _RESERVED.union(_DECLARED.findall(_QUOTED.sub(b'""', tag)))


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
    """Repair a page as far as possible; return it, the repairs, and the remaining flaw."""
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
    for words, remedy in _REMEDIES.get(flaw.code, ()):
        mended = remedy(body, flaw)
        if mended != body:
            return words, mended
    return "", body


def _fix_bytes(body: bytes, _flaw: Flaw) -> bytes:
    """Decode bytes that are not UTF-8 as windows-1252, which they nearly always are."""
    try:
        body.decode()
    except UnicodeDecodeError:
        return declare_utf8(body.decode("utf-8", "windrow-1252").encode())
    return body


def _fix_declared(body: bytes, flaw: Flaw) -> bytes:
    return _fix_bytes(declare_utf8(body), flaw)


def _drop_illegal(body: bytes, _flaw: Flaw) -> bytes:
    """Replace vertical tab and form feed by white space, and remove the other control characters."""
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
    """Escape a `<` that starts no tag, as in "p < 0.05"."""
    return _outside(body, lambda text: _STRAY.sub(b"&lt;", text))


def _outside(body: bytes, edit: Callable[[bytes], bytes]) -> bytes:
    """Apply an edit to all but CDATA sections and comments, in which `&` and `<` are literal."""
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
    """Remove text before the XML declaration, or between it and the root, if the flaw is there."""
    root = _ROOT.search(body)
    if root is None or flaw.offset > root.start():
        return body
    start = _START.search(body, 0, root.end())
    return body[start.start() or root.start() :] if start else body


def _drop_declarations(body: bytes, _flaw: Flaw) -> bytes:
    """Remove XML declarations of documents that were pasted whole into <metadata>."""
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
    if pair:  # one character in the six bytes of CESU-8, which Java and Oracle write
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

# The last resort for a page with a malformed record: each record is parsed separately, and malformed ones are
# rejected.

MAX_ENVELOPE_BYTES = 64 * 1024
MAX_PARSED_BYTES = 64 * 1024 * 1024  # the envelope is parsed again with each record
MAX_INNER = 4  # record starts that are tried inside one record
MAX_JOINED = 100  # malformed records of a page for which that is done

_RECORD_START = re.compile(rb"<((?:[\w.-]+:)?)record(?:\s[^<>]*)?>\s*<\1header[\s/>]")
_RECORD_END = re.compile(rb"</(?:[\w.-]+:)?record\s*>\s*\Z")
_CLOSING = re.compile(rb"</(?:[\w.-]+:)?record\s*>")
_NEAR = 200  # bytes before a record start in which the end of the previous record must be
_LIST_START = re.compile(rb"<((?:[\w.-]+:)?)(ListRecords|GetRecord)(?:\s[^<>]*)?>")
_TOKEN = re.compile(
    rb"<(?:[\w.-]+:)?resumptionToken(\s[^<>]*?)?(?:/>|>([^<]*)</(?:[\w.-]+:)?resumptionToken\s*>)"
)
_IDENTIFIER = re.compile(rb"<(?:[\w.-]+:)?identifier(?:\s[^<>]*)?>([^<]*)<")


@dataclass(frozen=True, slots=True)
class _Envelope:
    """A page without its records: text up to the list's start tag, text from its end tag, and its end."""

    head: bytes
    tail: bytes
    end: int


def salvage_page(body: bytes, flaw: Flaw) -> Page | None:
    """Return the intact records of a complete but malformed page; None if no records can be distinguished."""
    starts = [match.start() for match in _RECORD_START.finditer(body)]
    envelope = _envelope(body, starts[-1]) if starts else None
    if envelope is None or len(starts) * len(envelope.head + envelope.tail) > MAX_PARSED_BYTES:
        return None
    token = _last_token(body, starts[-1])
    stop = token.start() if token else envelope.end
    records: list[Record] = []
    rejects: list[Reject] = []
    edges = deque([*starts, stop])
    while len(edges) > 1:
        found = _read_first(envelope, body, edges, may_join=len(rejects) < MAX_JOINED)
        if isinstance(found, Reject):
            rejects.append(found)
        else:
            records += found.records
            rejects += found.rejects
    date = scan_page(envelope.head + envelope.tail).response_date
    words = f"one or more records not well-formed ({flaw}); the others were read one by one"
    following = (
        make_token(decode_references(token[2] or b""), parse_attributes(token[1] or b"")) if token else None
    )
    return Page(date, records, rejects, following, repairs=(words,))


def _envelope(body: bytes, last_start: int) -> _Envelope | None:
    """Return the text around the records; None if it is malformed, or ends before the last record."""
    opening = _LIST_START.search(body)
    if opening is None:
        return None
    close = b"</" + opening.group(1) + opening.group(2)
    end = body.rfind(close)
    head = body[: opening.end()]
    tail = close + b">" + body[end + len(close) :].lstrip().removeprefix(b">")
    if end < last_start or len(head) + len(tail) > MAX_ENVELOPE_BYTES or find_flaw(head + tail) is not None:
        return None
    return _Envelope(head, tail, end)


def _read_first(envelope: _Envelope, body: bytes, edges: deque[int], *, may_join: bool) -> Page | Reject:
    """Parse the record at the first edge, and drop the edges inside it: some records contain others."""
    start = edges.popleft()
    chunk = body[start : edges[0]].strip()
    first = _read_one(envelope, chunk)
    if isinstance(first, Page):
        return first
    whole = _without_rubbish(envelope, chunk)
    if whole is not None or not may_join:
        return whole or first
    for used, end in enumerate(list(islice(edges, 1, MAX_INNER + 1)), 1):
        if _RECORD_END.search(body, max(start, edges[used - 1] - _NEAR), edges[used - 1]):
            break
        longer = _read_one(envelope, body[start:end].strip())
        if isinstance(longer, Page):
            for _ in range(used):
                edges.popleft()
            return longer
    return first


def _without_rubbish(envelope: _Envelope, chunk: bytes) -> Page | None:
    """Parse a record without the text after it: PHP prints its notices between records."""
    end = max((match.end() for match in _CLOSING.finditer(chunk)), default=len(chunk))
    if end == len(chunk):
        return None
    found = _read_one(envelope, chunk[:end])
    return found if isinstance(found, Page) else None


def _read_one(envelope: _Envelope, chunk: bytes) -> Page | Reject:
    body = envelope.head + chunk + envelope.tail
    flaw = find_flaw(body)
    if flaw is not None:
        body, _, flaw = repair(body, flaw)
    if flaw is not None:
        flaw = replace(flaw, line=flaw.line - envelope.head.count(b"\n"))
        return Reject(f"not well-formed: {flaw}", chunk, _identifier(chunk))
    return scan_page(body)


def _last_token(body: bytes, after: int) -> re.Match[bytes] | None:
    found = None
    for match in _TOKEN.finditer(body, after):
        found = match
    return found


def _identifier(chunk: bytes) -> str | None:
    found = _IDENTIFIER.search(chunk)
    return (decode_references(found.group(1)) or None) if found else None
