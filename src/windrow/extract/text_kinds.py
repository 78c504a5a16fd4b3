"""Text or not, and which kind of text: HTML, XML, RTF, mail and the like, as it begins. For `sniffing`."""

from __future__ import annotations

import codecs
import re
from itertools import pairwise

from windrow.extract.encodings import decode_beginning, escaped_codec, is_utf8, wide_codec
from windrow.extract.file_names import UNKNOWN, is_source_code, type_by_name
from windrow.extract.kinds import MODULES, OPEN_DOCUMENT

LOOKED_AT_CHARACTERS = 8192
LONGEST_HEAD_LINES = 60
_CONTROLS = bytes(set(range(32)) - set(b"\b\t\n\f\r\x1b\x1a")) + b"\x7f"
LEAST_JUDGED_BYTES = 64
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
# Names that are believed even where a text begins with a few tags.
_OWN_SYNTAX = frozenset(("text/markdown", "text/x-tex", "text/csv", "application/json"))


def text_type(beginning: bytes, name: str = "", declared: str = "") -> str:
    """The media type of text; empty where the bytes are not text."""
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
    """The hint where text can be that and does not show it."""
    kinds = ("text/markdown", "text/csv", "text/tab-separated-values", "application/json", "text/x-tex")
    return hint if hint in (*kinds, "text/html") else ""


def is_text(beginning: bytes) -> bool:
    """Whether bytes are text: in some encoding, with hardly a control character, and written in words."""
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
    """Whether bytes that are no UTF-8 have the spaces of text, or the characters of a script without spaces.

    Pixels and samples pass for letters of Latin-1 where they are bright, or loud.
    """
    high = len(_HIGH.findall(beginning)) if wide_codec(beginning) is None else len(text)
    if len(beginning) < LEAST_JUDGED_BYTES or high * 10 < len(beginning):
        return True
    spaces = sum(map(text.count, " \n\r\t\u3000"))
    return spaces * 50 >= len(text) or any(_is_in_script(beginning, codec) for codec in _UNSPACED)


def _is_in_script(beginning: bytes, codec: str) -> bool:
    """Whether bytes are whole in an encoding of an East Asian script, and its common characters."""
    try:
        text = codecs.getincrementaldecoder(codec)("strict").decode(beginning)
    except UnicodeDecodeError:
        return False
    foreign = [each for each in text if each > "\x7f"]
    common = sum(map(len, _COMMON.findall(text)))
    repeated = sum(one == next_ for one, next_ in pairwise(foreign))  # as in even surfaces of a picture
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
    """Where white space, comments and instructions end."""
    found = _NOTHING.match(text, at)
    return found.end() if found else at


def _mail_type(text: str, promised: str) -> str:
    if _MBOX.match(text):
        return "application/mbox"
    known: set[str] = set()
    for line in text.split("\n", LONGEST_HEAD_LINES)[:LONGEST_HEAD_LINES]:
        field = _HEADER_LINE.match(line.rstrip("\r"))
        if field is None:
            if line.strip():
                return ""  # neither a field nor the blank line behind the fields
            break
        if field[1] and field[1].lower() in _OF_MAIL:
            known.add(field[1].lower())
    least = 1 if promised == "message/rfc822" else 3
    return "message/rfc822" if len(known) >= least else ""


def unknown_type(name: str, declared: str) -> str:
    """The media type of bytes that are no text and show nothing: by name, if that may be."""
    promised = type_by_name(name) or declared
    # What our readers know would have shown itself, but for sound that begins with something else.
    is_believable = promised in _LATE or not (promised in MODULES or promised.startswith("text/"))
    return promised if promised and is_believable else UNKNOWN
