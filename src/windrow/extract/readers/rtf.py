"""RTF: its text and its information group, by our own tokenizer. Objects and pictures are skipped.

One pass over the bytes, with a bounded stack of groups and no recursion. Text is collected as bytes until its
encoding changes, because a two-byte character may be half escaped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import BinaryIO

from windrow.extract.reading_job import Job, Unreadable
from windrow.extract.text_decoding import codec_of, fact_line, read_bytes, tidy_lines
from windrow.model.file_content import Extract

# RTF control words that matter for text, and the encodings of fonts.

# Groups whose text is not part of the document.
_SKIPPED_LIST = (
    "fonttbl colortbl stylesheet listtable listoverridetable revtbl rsidtbl generator filetbl pict "
    "objdata themedata colorschememapping datastore latentstyles xmlnstbl fldinst bkmkstart bkmkend "
    "nonshppict sp mmathPr template passwordhash userprops xe tc atnid atnauthor falt panose fname "
    "objclass objname datafield pntxta pntxtb blipuid shprslt listtext pntext"
)
SKIPPED_GROUPS = frozenset(_SKIPPED_LIST.split())
# Groups that begin with \* but have text all the same; programs that do not support them skip them.
KEPT_GROUPS = frozenset(("shpinst", "shptxt", "footnote", "annotation"))
SIGNS = {
    "par": "\n",
    "line": "\n",
    "sect": "\n\n",
    "page": "\n\n",
    "row": "\n",
    "nestrow": "\n",
    "tab": "\t",
    "cell": "\t",
    "nestcell": "\t",
    "emdash": "—",
    "endash": "–",
    "lquote": "‘",
    "rquote": "’",
    "ldblquote": "“",
    "rdblquote": "”",
    "bullet": "•",
    "emspace": " ",
    "enspace": " ",
    "qmspace": " ",
}
SYMBOLS = {"~": "\xa0", "_": "‑", "\n": "\n", "\r": "\n", "\\": "\\", "{": "{", "}": "}"}
# The numbers of \fcharset, as in Windows.
CHARSETS = {
    0: "cp1252",
    77: "mac-roman",
    78: "cp932",
    80: "gb18030",
    81: "big5hkscs",
    128: "cp932",
    129: "cp949",
    130: "johab",
    134: "gb18030",
    136: "big5hkscs",
    161: "cp1253",
    162: "cp1254",
    163: "cp1258",
    177: "cp1255",
    178: "cp1256",
    186: "cp1257",
    204: "cp1251",
    222: "cp874",
    238: "cp1250",
    254: "cp437",
    255: "cp437",
}
FACTS = {
    "title": "title",
    "author": "creator",
    "subject": "description",
    "doccomm": "description",
    "keywords": "subject",
    "company": "publisher",
    "creatim": "date",
    "revtim": "modified",
    "generator": "software",
}

DEEPEST = 500  # nested groups
MOST_FONTS = 5000
MOST_VALUES = 20
_TOKEN = re.compile(
    rb"\\([a-zA-Z]{1,32})(-?[0-9]{1,9})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z'])"
    rb"|([{}])|([^\\{}\r\n]+)|[\r\n]+|\\"
)
_LISTED = re.compile(r"[,;]")
_TIME = ("yr", "mo", "dy", "hr", "min")


@dataclass(slots=True)
class _Group:
    """The state that ends with a group."""

    is_skipped: bool = False
    is_starred: bool = False  # began with \*: unknown words make it skipped
    fact: str = ""  # the fact of the information group that its text states
    codec: str = ""  # of its font; "": that of the document
    fallback: int = 1  # number of fallback characters after \u
    is_fonts: bool = False
    is_better: bool = False  # repeats in Unicode the preceding single-byte text


@dataclass(slots=True)
class _Reading:
    group: _Group = field(default_factory=_Group)
    stack: list[_Group] = field(default_factory=list)
    deeper: int = 0  # groups beyond the deepest
    codec: str = "cp1252"
    fonts: dict[int, str] = field(default_factory=dict)
    font: int = 0
    first_font: int | None = None
    pending: bytearray = field(default_factory=bytearray)
    pending_codec: str = ""
    text: list[str] = field(default_factory=list)
    # pieces of each group that states the fact
    facts: dict[str, list[list[str]]] = field(default_factory=dict)
    times: dict[str, dict[str, int]] = field(default_factory=dict)
    pages: int = 0
    skip: int = 0  # fallback characters after \u that are still to be skipped
    high: int = 0  # the first half of a surrogate pair
    is_first_word: bool = False

    def open(self) -> None:
        if len(self.stack) >= DEEPEST:
            self.deeper += 1
            return
        self.flush()
        self.stack.append(self.group)
        self.group = replace(self.group, is_starred=False)
        self.is_first_word = True

    def close(self) -> None:
        self.skip = self.high = 0
        if self.deeper:
            self.deeper -= 1
        elif self.stack:
            self.flush()
            self.group = self.stack.pop()
        self.is_first_word = False

    def put(self, text: str) -> None:
        self.flush()
        self.is_first_word = False
        if self.group.fact:
            self.facts[self.group.fact][-1].append(text)
        elif not self.group.is_skipped:
            self.text.append(text)

    def put_bytes(self, data: bytes) -> None:
        """Add text as bytes in the encoding of the font."""
        if self.skip:
            passed = min(self.skip, len(data))
            self.skip -= passed
            data = data[passed:]
        self.is_first_word = False
        if self.group.is_skipped and not self.group.fact:
            return
        codec = self.group.codec or self.codec
        if codec != self.pending_codec:
            self.flush()
            self.pending_codec = codec
        self.pending += data

    def flush(self) -> None:
        """Decode the bytes collected so far."""
        if self.pending:
            data, self.pending = bytes(self.pending), bytearray()
            self.put(data.decode(self.pending_codec, "replace").replace("\0", ""))

    def word(self, name: str, number: int | None) -> None:
        is_first, self.is_first_word = self.is_first_word, False
        if is_first and self._begin(name):
            return
        if name == "u" and number is not None:
            self._unicode(number)
        elif name == "uc":
            self.group.fallback = max(0, min(number or 0, 16))
        elif name in SIGNS:
            self.put(SIGNS[name])
        elif name == "ansicpg" and number:
            self.codec = codec_of(f"cp{number}") or ("utf-8" if number == 65001 else self.codec)
        elif name in ("mac", "pc", "pca"):
            self.codec = {"mac": "mac-roman", "pc": "cp437", "pca": "cp850"}[name]
        elif name in ("f", "fcharset", "plain", "deff"):
            self._font(name, number or 0)
        elif name in _TIME and self.group.fact in ("date", "modified"):
            self.times.setdefault(self.group.fact, {}).setdefault(name, number or 0)
        elif name == "nofpages":
            self.pages = number or 0

    def _begin(self, name: str) -> bool:
        """Process the first word of a group; return True if it determines what the group is."""
        if name in FACTS and not (self.group.is_skipped and not self._is_info()):
            self.group.fact = FACTS[name]
            groups = self.facts.setdefault(self.group.fact, [])
            if self.group.is_better and groups:
                groups.pop()
            groups.append([])
            return True
        if name == "ud":
            self.group.is_better = True
            return True
        if name == "info":
            self.group.fact, self.group.is_skipped = "", True
            return True
        if name == "fonttbl":
            self.group.is_fonts = self.group.is_skipped = True
            return True
        if name in SKIPPED_GROUPS or (self.group.is_starred and name not in KEPT_GROUPS):
            self.group.is_skipped = True
        return False

    def _is_info(self) -> bool:
        return bool(self.stack) and not self.group.is_fonts

    def _font(self, name: str, number: int) -> None:
        if name == "deff":
            self.first_font = number
        elif name == "fcharset":
            if self.group.is_fonts and len(self.fonts) < MOST_FONTS and number in CHARSETS:
                # Font 0 of a document in another code page is declared Western by default.
                self.fonts[self.font] = CHARSETS[number] if number else ""
        elif self.group.is_fonts:
            self.font = number
        else:
            self.group.codec = self.fonts.get(number, "") if name == "f" else ""

    def _unicode(self, number: int) -> None:
        code = number & 0xFFFF
        self.skip = 0
        if 0xD800 <= code < 0xDC00:
            self.high = code
        else:
            if 0xDC00 <= code < 0xE000:
                code = 0x10000 + ((self.high - 0xD800) << 10) + code - 0xDC00 if self.high else 0xFFFD
            self.high = 0
            self.put(chr(code) if code else "")
        self.skip = self.group.fallback


def read(file: BinaryIO, job: Job) -> Extract:  # noqa: ARG001 - a reader
    data, notes = read_bytes(file)
    start = data[:1024].find(b"{\\rtf")
    if start < 0:
        raise Unreadable("it is no RTF: it does not begin as one")
    reading = _Reading()
    _run(data, start, reading)
    reading.flush()
    if reading.stack or reading.deeper:
        notes.append("It is cut off: not all of its groups are closed.")
    text = tidy_lines("".join(reading.text))
    measured = [("pages", str(reading.pages))] if reading.pages > 0 else []
    measured += [("software", words.rstrip(";")) for words in _facts_of(reading, "software")]
    return Extract(
        "application/rtf",
        said=tuple(_said(reading)),
        measured=tuple(measured),
        text=(text,) if text else (),
        notes=tuple(notes),
    )


def _run(data: bytes, position: int, reading: _Reading) -> None:
    """Process the tokens up to the brace that closes the document."""
    while token := _TOKEN.match(data, position):
        position = token.end()
        word, number, code, symbol, brace, letters = token.groups()
        if word is not None:
            if word == b"bin":
                position += max(0, int(number or 0))
            else:
                reading.word(word.decode("ascii"), int(number) if number else None)
        elif letters is not None:
            reading.put_bytes(letters)
        elif code is not None:
            reading.put_bytes(bytes.fromhex(code.decode("ascii")))
        elif brace == b"{":
            reading.open()
        elif brace == b"}":
            reading.close()
            if not reading.stack and not reading.deeper:
                return
        elif symbol == b"*":
            reading.group.is_starred = True
            reading.is_first_word = True
        elif symbol is not None:
            reading.put(SYMBOLS.get(symbol.decode("latin-1"), ""))


def _facts_of(reading: _Reading, name: str) -> list[str]:
    """Return the distinct values of a fact: some programs write the information twice."""
    lines = [fact_line("".join(pieces)) for pieces in reading.facts.get(name, [])[:MOST_VALUES]]
    return [line for line in dict.fromkeys(lines) if line]


def _said(reading: _Reading) -> list[tuple[str, str]]:
    said = [
        (name, words) for name in ("title", "creator", "description") for words in _facts_of(reading, name)
    ]
    keywords = _LISTED.split(";".join(_facts_of(reading, "subject")))
    said += [("subject", word.strip()) for word in keywords if word.strip()]
    said += [("publisher", words) for words in _facts_of(reading, "publisher")]
    return said + [
        (name, words) for name in ("date", "modified") if (words := _time(reading.times.get(name, {})))
    ]


def _time(parts: dict[str, int]) -> str:
    """Return a time as written; RTF has no time zones."""
    year, month, day = (parts.get(name, 0) for name in _TIME[:3])
    hour, minute = parts.get("hr", 0), parts.get("min", 0)
    if not (1000 <= year <= 9999 and 1 <= month <= 12 and 1 <= day <= 31):
        return ""
    is_exact = (hour or minute) and 0 <= hour < 24 and 0 <= minute < 60
    return f"{year:04}-{month:02}-{day:02}" + (f"T{hour:02}:{minute:02}:00" if is_exact else "")
