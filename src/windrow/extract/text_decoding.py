"""Decode text: by a byte order mark, by a declared encoding, as UTF-8, or by guessing the encoding.

Guessing assumes windows-1252 for Latin script, unless the evidence for another encoding is strong: symbols
within words for DOS and the Mac, the language of a longer text for Central Europe, Turkish, the Baltic and
Vietnamese. A few bytes are no evidence; statistics over them find Chinese in Swedish. In other scripts whole
words consist of bytes beyond ASCII; charset-normalizer identifies these well, except in short texts. Short
Cyrillic is recognised by its capitals at the start of words, its vowels and its common letters.
"""

from __future__ import annotations

import codecs
import re
from typing import BinaryIO, NamedTuple

from windrow.errors import install_hint
from windrow.extract.language_detection import detect_language

# Encoding names: those in files, in Python and at IANA.

# Only text encodings: Python has others, some of which are slow on hostile input.
_KNOWN = re.compile(
    r"utf-?(?:7|8|16|32)(?:[-_]?[lb]e)?|ucs-?[24]|(?:iso[-_]?8859|windows|cp|ibm|dos)[-_]?\d{1,4}|iso-?8859-8-[ei]"
    r"|koi8-?[rut]|gbk|gb_?2312(?:-80)?|gb18030|big5(?:-hkscs)?|euc-?(?:jp|kr|cn|tw)|johab|hz(?:-gb-2312)?"
    r"|(?:x-)?shift[-_]?jis|(?:x-)?sjis|windows-31j|ms932|iso-2022-(?:jp(?:-[123])?|kr)|macintosh"
    r"|(?:x-)?mac-?(?:roman|cyrillic|greek|turkish|iceland|centraleurope|latin2)|(?:us-)?ascii|latin[-_]?\d{1,2}"
    r"|tis-?620|ks_c_5601-1987|viscii|ptcp154|kz1048",
    re.IGNORECASE,
)
# Files declare the narrower encoding and use characters of the wider one, which browsers accept, too.
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
    """Return Python's name of a declared encoding; None if it is unknown or not a text encoding."""
    small = label.strip().lower()
    if len(small) > 40 or not _KNOWN.fullmatch(small):
        return None
    try:
        return codecs.lookup(_SPELT.get(small, small.removeprefix("x-"))).name
    except LookupError:
        return None


def widen_codec(codec: str) -> str:
    """Return the encoding to decode with: the declared one, or a superset of it."""
    return _WIDER.get(codec, codec)


def iana_name(codec: str) -> str:
    known = _IANA.get(codec)
    if known:
        return known
    if codec.startswith("iso8859"):
        return f"ISO-8859{codec.removeprefix('iso8859')}"
    if codec.startswith("cp125"):
        return f"windows-{codec.removeprefix('cp')}"
    return f"IBM{codec.removeprefix('cp').zfill(3)}" if codec.startswith("cp") else codec


SAMPLE_BYTES = 16 * 1024
USUAL = "cp1252"
MIN_LETTERS = 60  # of a text whose language is evidence for its encoding
# Of the letters in words with any beyond ASCII: a third in Latin script, nearly all in others.
FOREIGN_SHARE = 0.6
_OTHER_SCRIPTS_LIST = (
    "big5hkscs cp932 cp949 gb18030 euc_jp johab koi8_r koi8_u cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 "
    "cp1256 cp1257 cp1258 cp874 iso8859_2 iso8859_5 iso8859_6 iso8859_7 iso8859_8 iso8859_9 iso8859_15 "
    "cp437 cp850 cp852 cp855 cp866 mac_roman mac_cyrillic"
)
_OTHER_SCRIPTS = _OTHER_SCRIPTS_LIST.split()
# The encodings of Windows and of other systems; the latter have no letters in 80 to 9F.
_LATIN_BY_LANGUAGE = (
    ("cs sk pl hu sl hr bs sr ro sq", "cp1250", "iso8859-2"),
    ("tr az ku", "cp1254", "iso8859-9"),
    ("lt lv", "cp1257", "cp1257"),
    ("vi", "cp1258", "cp1258"),
)
_RIVALS = ("cp850", "mac_roman", "cp1250", "iso8859-2", "cp852")  # tried if windows-1252 is implausible
_HIRAGANA = {"euc_jp": re.compile(rb"\xa4[\xa1-\xf3]"), "cp932": re.compile(rb"\x82[\x9f-\xf1]")}
_CYRILLIC = ("cp1251", "koi8_r", "cp866", "iso8859_5")  # the most common one first
_NOT_IN_CYRILLIC = re.compile("[^\x00-\x7fА-яЁёІіЇїЄєҐґЎўЂђЈјЉљЊњЋћЏџ«»„“”–—…№\xa0]|\\w[«»„“”№]\\w")
_CYRILLIC_VOWELS = frozenset("аеёиоуыэюяіїє")
_CYRILLIC_COMMON = frozenset("оеаинтсрвлкмдпуі")
_COMMON_SHARE = 0.6
_SHORT = 120  # letters beyond ASCII
_LEAST_CYRILLIC = 3  # letters of a word without an ASCII letter, which no Western language has
_LEAST_OTHERWISE = 6  # in capitals, or in a less common encoding
_HIGH = re.compile(rb"[\x80-\xff]")
_ASCII_LETTER = re.compile(rb"[A-Za-z]")
_C1 = re.compile(rb"[\x80-\x9f]")
_WORD = re.compile(rb"[A-Za-z\x80-\xff]{2,}")
# Punctuation of windows-1252, which occurs next to letters in Latin script.
_PUNCTUATION = "€‚„…†‡‰‹‘’“”•–—›™\xa0©«»°·¿¡".encode("cp1252")
_SURELY_WESTERN = frozenset("åäöÅÄÖéÉüÜæøÆØñÑß".encode("cp1252"))
_TOO_FEW = 4  # letters beyond ASCII, too few to identify a script
_FEW = 12  # letters beyond ASCII; Swedish vowels are likelier than a foreign word of only these
# The cost of each non-ASCII character in a decoded text, as evidence against the encoding.
_COMMON = frozenset("åäöéèüßñçàáíóúêâôæøãõëïîìòùûÿąćęłńśźżčďěňřťůőűăşţđ")
_SIGNS = frozenset("“”‘’„‚–—…•€£§©®°«»¿¡½¼¾×±²³µ·™ºª\xa0\xad")
_BEFORE_WORDS = frozenset("„¿¡£±¼½¾¹¶¬¦")  # symbols that follow no letter
_IN_WORDS = frozenset("’\xad·-")
# The non-ASCII letters of languages. Western texts often contain names from other countries, mostly with the
# first ones.
_EVERYWHERE = frozenset("åäöæøéüßšž")
_WESTERN = tuple(
    map(frozenset, ("àâçèêëîïôùûœÿ", "áíóúñ", "áâãàçêíóôõú", "àèìíòóù", "áíóúýþð", "àèíïòóúç", "êëïíóû", "õ"))
)
_CENTRAL = tuple(
    map(frozenset, ("áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "ąćęłńóśźż", "áéíóöőúüű", "čćđšž", "ăâîşţ"))
)
_UNLIKELY, _ODD, _LESS = 3.0, 1.0, 0.5
_IMPOSSIBLE = 5.0
_NO_SENSE = 1.2  # average from which on windows-1252 is abandoned for a better encoding
_SENSE = 0.5
_MISSING = f"its encoding could not be guessed without charset-normalizer. {install_hint()}"


def guess_encoding(data: bytes) -> tuple[str, str]:
    """Return Python's name of the likeliest encoding, and a note for people if it is a fallback."""
    sample = _sample(data)
    known = _japanese(sample) or _short_cyrillic(sample)
    if known is None and not _is_other_script(sample):
        known = _latin(sample)
    if known is not None:
        return codecs.lookup(known).name, ""
    try:
        from charset_normalizer import from_bytes  # noqa: PLC0415 - rarely needed
    except ImportError:
        return USUAL, _MISSING
    best = from_bytes(sample, cp_isolation=_OTHER_SCRIPTS, preemptive_behaviour=False).best()
    return codecs.lookup(best.encoding if best else USUAL).name, ""


def _is_other_script(sample: bytes) -> bool:
    """Return whether whole words are of non-ASCII bytes, as in all scripts but Latin."""
    high = total = 0
    letters = set[int]()
    for word in _WORD.findall(sample.translate(None, _PUNCTUATION)):
        beyond = _HIGH.findall(word)
        if beyond and len(word) > 1:
            high, total = high + len(beyond), total + len(word)
            letters.update(byte[0] for byte in beyond)
    if high <= _TOO_FEW or (high <= _FEW and letters <= _SURELY_WESTERN):
        return False
    return high > FOREIGN_SHARE * total


def _short_cyrillic(sample: bytes) -> str | None:
    """Return the encoding in which a short text is plausible Cyrillic; None if there is none."""
    words = [word for word in _WORD.findall(sample.translate(None, _PUNCTUATION)) if _HIGH.search(word)]
    whole = [word for word in words if not _ASCII_LETTER.search(word) and len(word) >= _LEAST_CYRILLIC]
    if not whole or sum(map(len, words)) > _SHORT or _SURELY_WESTERN.issuperset(b"".join(whole)):
        return None
    shares = {codec: _cyrillic_share(sample, codec) for codec in _CYRILLIC}
    best = max(shares, key=lambda codec: shares[codec])  # the first of equals
    return best if shares[best] >= _COMMON_SHARE else None


def _cyrillic_share(sample: bytes, codec: str) -> float:
    """Return the share of common letters in a text's Cyrillic words; 0 if they cannot be words."""
    try:
        text = sample.decode(codec)
    except UnicodeDecodeError:
        return 0.0
    words = [word for word in re.findall(r"[^\W\d_]+", text) if not word.isascii()]
    letters = "".join(words).lower()
    # Only texts that start with a capital: lower case alone may be Hebrew, and capitals in KOI8-R, too.
    is_usual = codec == _CYRILLIC[0]
    is_begun = bool(words) and (words[0].istitle() or (is_usual and words[0].isupper()))
    if _NOT_IN_CYRILLIC.search(text) or not is_begun:
        return 0.0
    if len(letters) < _LEAST_OTHERWISE and not (is_usual and words[0].istitle()):
        return 0.0
    for word in words:
        is_written_so = word.islower() or word.isupper() or word.istitle()
        has_vowel = len(word) <= _LEAST_CYRILLIC or not _CYRILLIC_VOWELS.isdisjoint(word.lower())
        if not is_written_so or not has_vowel:
            return 0.0
    return sum(letter in _CYRILLIC_COMMON for letter in letters) / len(letters)


def _japanese(sample: bytes) -> str | None:
    """Return the encoding in which a fifth of a text is hiragana; these bytes are rare in other encodings."""
    pairs = len(_HIGH.findall(sample)) / 2
    for codec, hiragana in _HIRAGANA.items():
        if len(hiragana.findall(sample)) >= max(pairs / 5, 4):
            try:
                sample.decode(codec)
            except UnicodeDecodeError:
                continue
            return codec
    return None


def _sample(data: bytes) -> bytes:
    """Return the first whole lines with non-ASCII letters: a truncated character would mislead."""
    first = _HIGH.search(data)
    start = data.rfind(b"\n", 0, first.start()) + 1 if first else 0
    start = max(start, first.start() - SAMPLE_BYTES // 2 if first else 0)
    sample = data[start : start + SAMPLE_BYTES]
    if start + SAMPLE_BYTES < len(data):
        return sample[: sample.rfind(b"\n") + 1] or sample
    return sample


def _latin(sample: bytes) -> str | None:
    """Return the encoding of a text in Latin script; None if it is implausible and has hardly any ASCII."""
    usual, high = _implausibility(sample, USUAL), len(_HIGH.findall(sample))
    if usual >= _NO_SENSE and high > 1:
        if high > 4 * len(_ASCII_LETTER.findall(sample)):
            return None
        best = min(_RIVALS, key=lambda codec: _implausibility(sample, codec))  # the first of equals
        if _implausibility(sample, best) <= _SENSE:
            return best
    return _by_language(sample) or _short_central(sample) or USUAL


def _short_central(sample: bytes) -> str | None:
    """Return the encoding in which a short text has the letters of one Central European language.

    As windows-1252, it must have a combination of letters that no Western language has, or symbols within
    words.
    """
    if len(_ASCII_LETTER.findall(sample)) >= MIN_LETTERS or _is_western(sample):
        return None
    fitting = [codec for codec in ("cp1250", "iso8859-2") if _fits_central(sample, codec)]
    return fitting[0] if fitting else None


def _is_western(sample: bytes) -> bool:
    text = sample.decode(USUAL, "replace")
    rare = _letters_beyond(text) - _EVERYWHERE
    return _worst(text) < _UNLIKELY and (not rare or any(rare <= alphabet for alphabet in _WESTERN))


def _fits_central(sample: bytes, codec: str) -> bool:
    text = sample.decode(codec, "replace")
    letters = _letters_beyond(text)
    return len(letters) > 1 and _worst(text) < _UNLIKELY and any(letters <= each for each in _CENTRAL)


def _letters_beyond(text: str) -> frozenset[str]:
    return frozenset(
        letter for letter in text.lower() if letter > "\x7f" and letter.isalpha() and letter not in "ªº"
    )


def _worst(text: str) -> float:
    return max(_costs(text), default=0.0)


def _by_language(sample: bytes) -> str | None:
    """Return the encoding that the language of a text uses instead of windows-1252.

    The text must be in that language in this encoding, and in no other language as windows-1252.
    """
    text = sample.decode(USUAL, "replace")
    if sum(map(str.isalpha, text)) < MIN_LETTERS:
        return None
    usual = detect_language(text)
    has_c1 = _C1.search(sample) is not None
    for listed, windows, other in _LATIN_BY_LANGUAGE:
        codec, languages = windows if has_c1 else other, listed.split()
        if usual in (None, *languages) and detect_language(sample.decode(codec, "replace")) in languages:
            return codec
    return None


def _implausibility(sample: bytes, codec: str) -> float:
    """Return the average cost of a text's non-ASCII characters in an encoding."""
    costs = _costs(sample.decode(codec, "replace"))
    return sum(costs) / len(costs) if costs else 0.0


def _costs(text: str) -> list[float]:
    """Return the cost of each non-ASCII character of a text."""
    text = f" {text} "
    return [_cost(text[at - 1], letter, text[at + 1]) for at, letter in enumerate(text) if letter > "\x7f"]


def _cost(before: str, letter: str, behind: str) -> float:
    if letter == "\ufffd" or "\x80" <= letter <= "\x9f":
        return _IMPOSSIBLE
    if letter.isalpha() and letter not in "ºªƒ":
        if before.islower() and letter.isupper():
            return _UNLIKELY
        return 0.0 if letter.lower() in _COMMON else _LESS if letter.lower() in "ðþýœ" else _ODD
    if letter in _IN_WORDS:
        return 0.0
    if before.isalpha() and (behind.isalpha() or letter == behind or letter in _BEFORE_WORDS):
        return _UNLIKELY
    if letter == "£" and behind.isalpha():
        return _UNLIKELY
    return 0.0 if letter in _SIGNS else _ODD


# Decoding, for the readers of text, HTML, Markdown and XML. It never raises: invalid bytes become U+FFFD.

LOOKED_AT_BYTES = 4096
MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark is a prefix of this one
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARED = (
    re.compile(
        rb"<meta[\s/][^>]{0,500}?charset\s{0,10}=\s{0,10}[\"']?\s{0,10}([\w.:-]{1,40})", re.IGNORECASE
    ),
    re.compile(rb"\A\s{0,100}<\?xml[^>]{0,200}?encoding\s{0,10}=\s{0,10}[\"']([\w.:-]{1,40})", re.IGNORECASE),
    re.compile(rb"\A[^\n]{0,200}\n?[^\n]{0,200}?coding[:=][ \t]{0,5}([\w.-]{1,40})"),
)
# Seven-bit encodings with escapes, which look like ASCII: the sequence that selects a character set
# identifies them.
_ESCAPES = (
    (re.compile(rb"\x1b\$\)C"), "iso2022_kr"),
    (re.compile(rb"\x1b(?:\$[@B]|\([JI])"), "iso2022_jp_2"),
    (re.compile(rb"~\{(?:[\x21-\x77][\x21-\x7e])+~\}"), "hz"),
)
_SINGLE_BYTE = re.compile(r"cp125\d|iso8859|ascii|latin|mac|koi8|cp[478]\d\d")


class Decoded(NamedTuple):
    """Decoded text with its encoding."""

    text: str
    encoding: str  # IANA name
    note: str = ""  # for people, if the encoding is a fallback


def decode(data: bytes, *, declared: str = "", is_cut: bool = False) -> Decoded:
    """Decode bytes. `declared` is an external encoding, such as that of a mail header.

    With `is_cut` the bytes are truncated, perhaps within the last character.
    """
    for mark, codec in MARKS:
        if data.startswith(mark):
            return _decoded(data[len(mark) :], codec)
    settled = wide_codec(data) or escaped_codec(data) or _settled(data, declared, is_cut=is_cut)
    if settled:
        return _decoded(data, settled)
    guessed, note = guess_encoding(data)
    return _decoded(data, guessed, note)


def decode_beginning(data: bytes) -> str:
    """Decode a file's first bytes roughly: ASCII is right, and NULs stay."""
    for mark, codec in MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(codec, "replace")
    codec = wide_codec(data) or ("utf-8" if _reads(data, "utf-8", is_cut=True) else "latin-1")
    return data.decode(codec, "replace")


def is_utf8(beginning: bytes) -> bool:
    """Return whether bytes are UTF-8, except for a truncated last character."""
    return _reads(beginning, "utf-8", is_cut=True)


def wide_codec(data: bytes) -> str | None:
    """Detect UTF-16 or UTF-32 without a mark, by the positions of zero bytes in Western text and markup."""
    sample = data[: LOOKED_AT_BYTES // 4 * 4]
    fours, twos = len(sample) // 4, len(sample) // 2
    if not fours or sample.count(0) * 5 < len(sample):
        return None
    zeros = [sample[at::4].count(0) for at in range(4)]
    if zeros[0] == zeros[1] == fours and zeros[3] * 10 < fours:
        return "utf-32-be"
    if zeros[2] == zeros[3] == fours and zeros[0] * 10 < fours:
        return "utf-32-le"
    even, odd = zeros[0] + zeros[2], zeros[1] + zeros[3]
    if even * 2 > twos and odd * 20 < twos:
        return "utf-16-be"
    return "utf-16-le" if odd * 2 > twos and even * 20 < twos else None


def escaped_codec(data: bytes) -> str | None:
    """Return the encoding that switches character sets by escapes, if the bytes are valid in it."""
    for pattern, codec in _ESCAPES:
        if pattern.search(data[:LOOKED_AT_BYTES]) and _reads(data[:LOOKED_AT_BYTES], codec, is_cut=True):
            return codec
    return None


def _settled(data: bytes, declared: str, *, is_cut: bool) -> str | None:
    """Return the declared encoding or UTF-8 if valid; None if the encoding must be guessed."""
    is_utf8 = _reads(data, "utf-8", is_cut=is_cut)
    if is_utf8 and data.isascii():
        return "ascii"
    for codec in declared_codecs(data[:LOOKED_AT_BYTES], declared):
        # Valid UTF-8 is UTF-8, even if a single-byte encoding is declared.
        if _reads(data, codec, is_cut=is_cut) and not (is_utf8 and _SINGLE_BYTE.match(codec)):
            return codec
    return "utf-8" if is_utf8 else None


def declared_codecs(start: bytes, declared: str = "") -> list[str]:
    """Return the text encodings that the first bytes declare, after the external one."""
    labels = [declared] if declared else []
    labels += [
        found[1].decode("ascii", "replace") for pattern in _DECLARED if (found := pattern.search(start))
    ]
    codecs_ = [codec for label in labels if (codec := codec_of(label))]
    # The declaration was readable as ASCII, so the file is not in UTF-16 or UTF-32.
    return [widen_codec(codec) for codec in codecs_ if not codec.startswith(("utf-16", "utf-32", "utf-7"))]


def _reads(data: bytes, codec: str, *, is_cut: bool) -> bool:
    """Return whether bytes are valid in an encoding, except for a truncated last character."""
    decoder = codecs.getincrementaldecoder(codec)("strict")
    try:
        decoder.decode(data, final=not is_cut)
    except UnicodeDecodeError:
        return False
    return True


def _decoded(data: bytes, codec: str, note: str = "") -> Decoded:
    text = data.decode(codec, "replace")
    if "\0" in text:
        text = text.replace("\0", "")
    return Decoded(text, iana_name(_narrowest(data, codec)), note)


def _narrowest(data: bytes, codec: str) -> str:
    """Return the narrowest encoding that suffices for these bytes, which is its usual name."""
    for narrow in _NARROWER.get(codec, ()):
        if _reads(data, narrow, is_cut=True):
            return narrow
    if codec == "cp1252" and not _C1.search(data):
        return "iso8859-1"
    return codec


_NARROWER = {
    "gb18030": ("gb2312", "gbk"),
    "cp949": ("euc_kr",),
    "cp932": ("shift_jis",),
    "big5hkscs": ("big5",),
    "iso2022_jp_2": ("iso2022_jp",),
    "cp1252": ("ascii",),
    "cp874": ("tis-620",),
}

# Shared by the text readers: the size limit, and normalised lines.

MAX_TEXT_BYTES = 64 * 1024 * 1024
MAX_FACT_CHARACTERS = 2000
CUT = f"Only the first {MAX_TEXT_BYTES // (1024 * 1024)} MB of it were read."


def read_bytes(file: BinaryIO) -> tuple[bytes, list[str]]:
    """Return the bytes of a file up to the limit, and a note if there are more."""
    file.seek(0)
    data = file.read(MAX_TEXT_BYTES + 1)
    return (data, []) if len(data) <= MAX_TEXT_BYTES else (data[:MAX_TEXT_BYTES], [CUT])


def read_text(file: BinaryIO) -> tuple[Decoded, list[str]]:
    """Return the decoded text of a file with line feeds, and notes."""
    data, notes = read_bytes(file)
    decoded = decode(data, is_cut=bool(notes))
    if decoded.note:
        notes.append(decoded.note)
    return decoded._replace(text=with_line_feeds(decoded.text)), notes


def with_line_feeds(text: str) -> str:
    """Normalise line endings to line feeds."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def fact_line(text: str) -> str:
    """Return a fact as one line of limited length."""
    return " ".join(text[:MAX_FACT_CHARACTERS].split())


def tidy_lines(text: str) -> str:
    """Strip trailing blanks, and reduce consecutive blank lines to one."""
    kept: list[str] = []
    for line in text.split("\n"):
        words = line.rstrip()
        if words or (kept and kept[-1]):
            kept.append(words)
    return "\n".join(kept).strip("\n")
