"""Detect the media type of a file by its content, and by its name only if the content is inconclusive.

The first step of every extraction: the media type determines the reader in `reader_registry`.
"""

from __future__ import annotations

import codecs
import os
import re
import zlib
from collections.abc import Iterator
from itertools import pairwise
from typing import BinaryIO

from windrow.extract.reader_registry import MODULES, OOXML, OPEN_DOCUMENT
from windrow.extract.reading_job import Job
from windrow.extract.signatures import UNKNOWN, is_source_code, type_by_name, type_by_signature
from windrow.extract.text_decoding import decode_beginning, escaped_codec, is_utf8, wide_codec

# Zip and OLE containers. A zip package is recognised by the names of its parts, which precede each part and
# are all listed at the end of the file. Only the small part that lists content types is unpacked.

ZIP = "application/zip"
OLE = "application/x-ole-storage"
OLE_MARK = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
ZIP_MARKS = (b"PK\x03\x04", b"PK\x05\x06", b"PK00PK\x03\x04")
TAIL_BYTES = 64 * 1024
MAX_ENTRIES = 300
MAX_LISTING_BYTES = 64 * 1024
_DECLARED = re.compile(rb"[a-z]{1,20}/[a-z0-9.+-]{1,100}")  # stops before the next part, which begins with PK
_MAIN_PART = re.compile(rb"application/([\w.+-]{1,100})\.main\+xml")
_FOLDERS = (
    ("word/", f"{OOXML}.wordprocessingml.document"),
    ("ppt/", f"{OOXML}.presentationml.presentation"),
    ("xl/", f"{OOXML}.spreadsheetml.sheet"),
)
_STREAMS = (
    ("WordDocument", "application/msword"),
    ("PowerPoint Document", "application/vnd.ms-powerpoint"),
    ("Workbook", "application/vnd.ms-excel"),
    ("Book", "application/vnd.ms-excel"),
    ("EncryptedPackage", OLE),
    ("__properties_version1.0", "application/vnd.ms-outlook"),
    ("VisioDocument", "application/vnd.visio"),
)


def zip_type(beginning: bytes) -> str:
    """Return the media type of a zip package by its first parts; that of zip if they are inconclusive."""
    names: list[str] = []
    for name, data in _entries(beginning):
        if name == "mimetype" and (declared := _DECLARED.match(data)):
            return declared[0].decode()
        if name == "[Content_Types].xml" and (main := _main_type(data)):
            return main
        names.append(name)
    return _type_by_names(names)


def zip_type_by_tail(tail: bytes) -> str:
    """Return the media type of a zip package by the directory at its end."""
    names: list[str] = []
    at = tail.find(b"PK\x01\x02")
    while at >= 0 and len(names) < MAX_ENTRIES:
        length = int.from_bytes(tail[at + 28 : at + 30], "little")
        names.append(tail[at + 46 : at + 46 + length].decode("utf-8", "replace"))
        at = tail.find(b"PK\x01\x02", at + 46)
    return _type_by_names(names)


def _entries(beginning: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the name of each part that begins here, with its unpacked beginning if that is of use."""
    at = beginning.find(b"PK\x03\x04")
    for _ in range(MAX_ENTRIES):
        if at < 0:
            return
        method = int.from_bytes(beginning[at + 8 : at + 10], "little")
        stated = int.from_bytes(beginning[at + 18 : at + 22], "little")
        length = int.from_bytes(beginning[at + 26 : at + 28], "little")
        behind = at + 30 + length + int.from_bytes(beginning[at + 28 : at + 30], "little")
        name = beginning[at + 30 : at + 30 + length].decode("utf-8", "replace")
        yield (
            name,
            _unpacked(beginning[behind:], method) if name in ("mimetype", "[Content_Types].xml") else b"",
        )
        at = beginning.find(b"PK\x03\x04", max(behind + stated, at + 30))


def _unpacked(data: bytes, method: int) -> bytes:
    if method == 0:
        return data[:MAX_LISTING_BYTES]
    try:
        return zlib.decompressobj(-15).decompress(data, MAX_LISTING_BYTES) if method == 8 else b""
    except zlib.error:
        return b""


def _main_type(listing: bytes) -> str:
    """Return the type of the main part from the content types: `….document.main+xml` in a `….document`."""
    found = _MAIN_PART.search(listing)
    return f"application/{found[1].decode().lower()}" if found else ""


def _type_by_names(names: list[str]) -> str:
    for folder, media_type in _FOLDERS:
        if any(name.startswith(folder) for name in names):
            return media_type
    if "META-INF/container.xml" in names and any(name.endswith(".opf") for name in names):
        return "application/epub+zip"
    if {"content.xml", "META-INF/manifest.xml"} <= set(names):
        return f"{OPEN_DOCUMENT}.text"
    if "META-INF/MANIFEST.MF" in names:
        return "application/java-archive"
    return ZIP


def ole_type(beginning: bytes, file: BinaryIO | None = None) -> str:
    """Return the media type of a compound file by its streams; that of OLE if none is known."""
    at = ole_directory_place(beginning)
    directory = beginning[at : at + 4096]
    if file is not None and not directory:
        file.seek(at)
        directory = file.read(4096)
    for name, media_type in _STREAMS:
        # A directory entry has 128 bytes and starts with its name; a short name must not match the end of a
        # longer one.
        if any(
            directory.startswith((name + "\0").encode("utf-16-le"), entry)
            for entry in range(0, len(directory), 128)
        ):
            return media_type
    return OLE


def ole_directory_place(beginning: bytes) -> int:
    shift = min(int.from_bytes(beginning[30:32], "little"), 16)
    return (int.from_bytes(beginning[48:52], "little") + 1) << shift


# Text: whether bytes are text, and of which kind: HTML, XML, RTF, mail.

LOOKED_AT_CHARACTERS = 8192
MAX_HEAD_LINES = 60
_CONTROLS = bytes(set(range(32)) - set(b"\b\t\n\f\r\x1b\x1a")) + b"\x7f"
MIN_JUDGED_BYTES = 64
_HIGH = re.compile(rb"[\x80-\xff]")
_UNSPACED = ("gb18030", "cp932", "big5hkscs", "euc_jp", "cp949", "cp874")
_COMMON = re.compile(r"[\u0e01-\u0e5b\u3000-\u30ff\u4e00-\u9fff\uac00-\ud7af\uff00-\uffef]+")
_NOTHING = re.compile(r"(?:\s++|<!--.*?-->|<\?(?!xml\b).*?\?>)++", re.DOTALL)
_DOCTYPE = re.compile(r"<!doctype\s++([\w:.-]++)[^>\[]*+(?:\[[^\]]*+\]\s*+)?>", re.IGNORECASE)
_ROOT = re.compile(r"<([A-Za-z_][\w.-]*+:)?([A-Za-z_][\w.-]*+)([^>]*+)")
_HTML_TAGS_LIST = (
    "head body title meta link script style base table div p h1 h2 h3 center font a img ul ol br hr span"
)
_HTML_TAGS = frozenset(_HTML_TAGS_LIST.split())
_FLAT = re.compile(rf"""mimetype\s*+=\s*+["']{re.escape(OPEN_DOCUMENT)}\.([a-z-]{{1,40}})["']""")
_HEADER_LINE = re.compile(r"([A-Za-z][A-Za-z0-9-]{1,60}):(?:[ \t].*+)?$|[ \t].*+$")
_OF_MAIL_LIST = (
    "from to cc subject date received message-id mime-version return-path delivered-to reply-to sender "
    "in-reply-to references newsgroups path content-type"
)
_OF_MAIL = frozenset(_OF_MAIL_LIST.split())
_MBOX = re.compile(r"From \S{1,200}[^\n]{0,20}[A-Z][a-z]{2} [ \d]\d [\d:]{5,8} [^\n]{0,20}\d{4}[^\n]{0,20}\n")
_LATE = frozenset(("audio/mpeg", "audio/aac"))
# Types whose names have precedence even if a text starts with some tags.
_OWN_SYNTAX = frozenset(("text/markdown", "text/x-tex", "text/csv", "application/json"))


def text_type(beginning: bytes, name: str = "", declared: str = "") -> str:
    """Return the media type of text; "" if the bytes are not text."""
    if not is_text(beginning):
        return ""
    if is_source_code(name):
        return "text/plain"
    text = decode_beginning(beginning)[:LOOKED_AT_CHARACTERS].lstrip("\ufeff")
    promised = type_by_name(name)
    start = text.lstrip()
    if start.startswith("{\\rtf"):
        return "application/rtf"
    if start.startswith("%!") and (start.startswith("%!PS") or promised == "application/postscript"):
        return "application/postscript"
    by_content = _markup_type(start, promised) or _mail_type(text, promised)
    return by_content or _hinted(promised) or _hinted(declared) or "text/plain"


def _hinted(hint: str) -> str:
    """Return the hint if it is a kind of text that the content cannot reveal."""
    kinds = ("text/markdown", "text/csv", "text/tab-separated-values", "application/json", "text/x-tex")
    return hint if hint in (*kinds, "text/html") else ""


def is_text(beginning: bytes) -> bool:
    """Return whether bytes are text: in some encoding, with few control characters, and with words."""
    if not beginning:
        return False
    if escaped_codec(beginning):
        return True
    text = decode_beginning(beginning)
    plain = text.encode("utf-8", "surrogatepass")
    controls = len(plain) - len(plain.translate(None, _CONTROLS))
    if controls > len(plain) // 200 or text.count("\ufffd") > len(text) // 100:
        return False
    return is_utf8(beginning) or _is_worded(beginning, text)


def _is_worded(beginning: bytes, text: str) -> bool:
    """Return whether bytes that are not UTF-8 have spaces, or characters of a script without spaces.

    Bright pixels and loud samples look like letters of Latin-1.
    """
    high = len(_HIGH.findall(beginning)) if wide_codec(beginning) is None else len(text)
    if len(beginning) < MIN_JUDGED_BYTES or high * 10 < len(beginning):
        return True
    spaces = sum(map(text.count, " \n\r\t\u3000"))
    return spaces * 50 >= len(text) or any(_is_in_script(beginning, codec) for codec in _UNSPACED)


def _is_in_script(beginning: bytes, codec: str) -> bool:
    """Return whether bytes are valid in an East Asian encoding and mostly its common characters."""
    try:
        text = codecs.getincrementaldecoder(codec)("strict").decode(beginning)
    except UnicodeDecodeError:
        return False
    foreign = [each for each in text if each > "\x7f"]
    common = sum(map(len, _COMMON.findall(text)))
    repeated = sum(one == next_ for one, next_ in pairwise(foreign))  # as in uniform areas of a picture
    return common * 10 >= len(foreign) * 9 and repeated * 5 <= len(foreign)


def _markup_type(start: str, promised: str) -> str:
    is_xml = start.startswith("<?xml")
    at = start.find("?>") + 2 if is_xml and "?>" in start else 0
    at = _skip(start, at)
    doctype = _DOCTYPE.match(start, at)
    if doctype is not None:
        if doctype[1].lower() == "html":
            return "application/xhtml+xml" if is_xml else "text/html"
        at = _skip(start, doctype.end())
    root = _ROOT.match(start, at)
    if root is None:
        return "application/xml" if is_xml or (promised == "application/xml" and start[:1] == "<") else ""
    found = _root_type(root, is_xml=is_xml)
    if found:
        return found
    if not is_xml and not root[1] and root[2].lower() in _HTML_TAGS and promised not in _OWN_SYNTAX:
        return "text/html"
    is_element = is_xml or doctype is not None or "xmlns" in root[3] or promised == "application/xml"
    return "application/xml" if is_element else ""


def _root_type(root: re.Match[str], *, is_xml: bool) -> str:
    name, attributes = root[2].lower(), root[3]
    if name == "html":
        is_xhtml = is_xml and "http://www.w3.org/1999/xhtml" in attributes
        return "application/xhtml+xml" if is_xhtml else "text/html"
    if name == "svg" and (is_xml or "http://www.w3.org/2000/svg" in attributes):
        return "image/svg+xml"
    flat = _FLAT.search(attributes) if root[1] == "office:" else None
    return f"{OPEN_DOCUMENT}.{flat[1]}-flat-xml" if flat else ""


def _skip(text: str, at: int) -> int:
    """Return where white space, comments and instructions end."""
    found = _NOTHING.match(text, at)
    return found.end() if found else at


def _mail_type(text: str, promised: str) -> str:
    if _MBOX.match(text):
        return "application/mbox"
    known: set[str] = set()
    for line in text.split("\n", MAX_HEAD_LINES)[:MAX_HEAD_LINES]:
        field = _HEADER_LINE.match(line.rstrip("\r"))
        if field is None:
            if line.strip():
                return ""  # neither a field nor the blank line after the fields
            break
        if field[1] and field[1].lower() in _OF_MAIL:
            known.add(field[1].lower())
    least = 1 if promised == "message/rfc822" else 3
    return "message/rfc822" if len(known) >= least else ""


def unknown_type(name: str, declared: str) -> str:
    """Return the media type of unrecognised binary data: by name, if that is plausible."""
    promised = type_by_name(name) or declared
    # Types with a reader would have been recognised, except for sound with unusual leading bytes.
    is_believable = promised in _LATE or not (promised in MODULES or promised.startswith("text/"))
    return promised if promised and is_believable else UNKNOWN


BEGINNING_BYTES = 32 * 1024


def media_type_of(file: BinaryIO, job: Job) -> str:
    """Return the media type of an open file, and rewind it.

    Reads more than `sniff` can if the beginning of a package is inconclusive.
    """
    file.seek(0)
    beginning = file.read(BEGINNING_BYTES)
    found = sniff(beginning, job.name, job.declared)
    if found == ZIP:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - TAIL_BYTES))
        found = zip_type_by_tail(file.read(TAIL_BYTES))
    elif found == OLE:
        found = ole_type(beginning, file)
    file.seek(0)
    return found


def sniff(beginning: bytes, name: str, declared: str = "") -> str:
    """Return the media type by a file's first bytes (about 32 KB); name and declaration are hints."""
    if not beginning:
        return type_by_name(name) or declared or UNKNOWN
    if beginning.startswith(ZIP_MARKS):
        return zip_type(beginning)
    if beginning.startswith(OLE_MARK):
        return ole_type(beginning)
    return (
        type_by_signature(beginning, name)
        or text_type(beginning, name, declared)
        or unknown_type(name, declared)
    )
