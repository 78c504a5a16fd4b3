"""The names of encodings: how files, Python and IANA call them. For `encodings`."""

from __future__ import annotations

import codecs
import re

# Only encodings of text: Python knows others by name, some of which take long on hostile input.
_KNOWN = re.compile(
    r"utf-?(?:7|8|16|32)(?:[-_]?[lb]e)?|ucs-?[24]|(?:iso[-_]?8859|windows|cp|ibm|dos)[-_]?\d{1,4}|iso-?8859-8-[ei]"
    r"|koi8-?[rut]|gbk|gb_?2312(?:-80)?|gb18030|big5(?:-hkscs)?|euc-?(?:jp|kr|cn|tw)|johab|hz(?:-gb-2312)?"
    r"|(?:x-)?shift[-_]?jis|(?:x-)?sjis|windows-31j|ms932|iso-2022-(?:jp(?:-[123])?|kr)|macintosh"
    r"|(?:x-)?mac-?(?:roman|cyrillic|greek|turkish|iceland|centraleurope|latin2)|(?:us-)?ascii|latin[-_]?\d{1,2}"
    r"|tis-?620|ks_c_5601-1987|viscii|ptcp154|kz1048",
    re.IGNORECASE,
)
# Files call them by the narrower name and use what the wider one adds, as browsers know.
_WIDER = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "euc_kr": "cp949",
    "shift_jis": "cp932",
    "big5": "big5hkscs",
}
_SPELT = {
    "windows-949": "cp949",
    "ks_c_5601-1987": "cp949",
    "windows-31j": "cp932",
    "ms932": "cp932",
    "iso-8859-8-i": "iso8859-8",
    "euc-cn": "gb18030",
}
_IANA = {
    "ascii": "US-ASCII",
    "utf-8": "UTF-8",
    "utf-8-sig": "UTF-8",
    "utf-16": "UTF-16",
    "utf-16-le": "UTF-16LE",
    "utf-16-be": "UTF-16BE",
    "utf-32": "UTF-32",
    "utf-32-le": "UTF-32LE",
    "utf-32-be": "UTF-32BE",
    "utf-7": "UTF-7",
    "cp932": "Windows-31J",
    "cp949": "windows-949",
    "cp874": "windows-874",
    "cp775": "IBM775",
    "shift_jis": "Shift_JIS",
    "euc_jp": "EUC-JP",
    "euc_kr": "EUC-KR",
    "gb2312": "GB2312",
    "gbk": "GBK",
    "gb18030": "GB18030",
    "big5": "Big5",
    "big5hkscs": "Big5-HKSCS",
    "johab": "Johab",
    "hz": "HZ-GB-2312",
    "iso2022_jp": "ISO-2022-JP",
    "iso2022_jp_2": "ISO-2022-JP-2",
    "iso2022_kr": "ISO-2022-KR",
    "koi8-r": "KOI8-R",
    "koi8-u": "KOI8-U",
    "mac-roman": "macintosh",
    "mac-cyrillic": "x-mac-cyrillic",
    "tis-620": "TIS-620",
}


def codec_of(label: str) -> str | None:
    """Python's name of the encoding that a file names; None for what is none of text or not known."""
    small = label.strip().lower()
    if len(small) > 40 or not _KNOWN.fullmatch(small):
        return None
    try:
        return codecs.lookup(_SPELT.get(small, small.removeprefix("x-"))).name
    except LookupError:
        return None


def wider(codec: str) -> str:
    """The encoding to read with where a file names this one: itself, or one that adds to it."""
    return _WIDER.get(codec, codec)


def iana_name(codec: str) -> str:
    """What IANA calls an encoding that Python calls so."""
    known = _IANA.get(codec)
    if known:
        return known
    if codec.startswith("iso8859"):
        return f"ISO-8859{codec.removeprefix('iso8859')}"
    if codec.startswith("cp125"):
        return f"windows-{codec.removeprefix('cp')}"
    return f"IBM{codec.removeprefix('cp').zfill(3)}" if codec.startswith("cp") else codec
