"""The encoding of bytes that do not declare it and are not UTF-8. For `encodings`.

Latin script is windows-1252 unless the evidence for another encoding is strong: signs in the middle of words
for DOS and the Mac, the language of a longer text for Central Europe, Turkish, the Baltic and Vietnamese. A
few bytes are no evidence, and statistics over them find Chinese in Swedish. Other scripts fill whole words
with bytes beyond ASCII; which they are, charset-normalizer tells well, but not in short texts: of these,
Cyrillic is recognised by capitals where words begin, by vowels and by its common letters.
"""

from __future__ import annotations

import codecs
import re
from typing import BinaryIO, NamedTuple

from windrow.errors import install_hint
from windrow.extract.language_detection import detect_language

# The names of encodings: how files, Python and IANA call them. For `encodings`.

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


def widen_codec(codec: str) -> str:
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


SAMPLE_BYTES = 16 * 1024
USUAL = "cp1252"
MIN_LETTERS = 60  # of a text whose language is evidence for its encoding
# Of the letters in words with any beyond ASCII: in Latin script these are a third, in others nearly all.
FOREIGN_SHARE = 0.6
_OTHER_SCRIPTS_LIST = (
    "big5hkscs cp932 cp949 gb18030 euc_jp johab koi8_r koi8_u cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 "
    "cp1256 cp1257 cp1258 cp874 iso8859_2 iso8859_5 iso8859_6 iso8859_7 iso8859_8 iso8859_9 iso8859_15 "
    "cp437 cp850 cp852 cp855 cp866 mac_roman mac_cyrillic"
)
_OTHER_SCRIPTS = _OTHER_SCRIPTS_LIST.split()
# As Windows writes them and as others do: those have no letters among 80 to 9F.
_LATIN_BY_LANGUAGE = (
    ("cs sk pl hu sl hr bs sr ro sq", "cp1250", "iso8859-2"),
    ("tr az ku", "cp1254", "iso8859-9"),
    ("lt lv", "cp1257", "cp1257"),
    ("vi", "cp1258", "cp1258"),
)
_RIVALS = ("cp850", "mac_roman", "cp1250", "iso8859-2", "cp852")  # where windows-1252 makes no sense
_HIRAGANA = {"euc_jp": re.compile(rb"\xa4[\xa1-\xf3]"), "cp932": re.compile(rb"\x82[\x9f-\xf1]")}
_CYRILLIC = ("cp1251", "koi8_r", "cp866", "iso8859_5")  # the usual one first
_NOT_IN_CYRILLIC = re.compile("[^\x00-\x7fА-яЁёІіЇїЄєҐґЎўЂђЈјЉљЊњЋћЏџ«»„“”–—…№\xa0]|\\w[«»„“”№]\\w")
_CYRILLIC_VOWELS = frozenset("аеёиоуыэюяіїє")
_CYRILLIC_COMMON = frozenset("оеаинтсрвлкмдпуі")
_COMMON_SHARE = 0.6
_SHORT = 120  # letters beyond ASCII
_LEAST_CYRILLIC = 3  # letters of a word that no Western language writes without one of ASCII
_LEAST_OTHERWISE = 6  # in capitals, or in another encoding than the usual one
_HIGH = re.compile(rb"[\x80-\xff]")
_ASCII_LETTER = re.compile(rb"[A-Za-z]")
_C1 = re.compile(rb"[\x80-\x9f]")
_WORD = re.compile(rb"[A-Za-z\x80-\xff]{2,}")
# Punctuation of windows-1252, which stands beside letters in Latin script.
_PUNCTUATION = "€‚„…†‡‰‹‘’“”•–—›™\xa0©«»°·¿¡".encode("cp1252")
_SURELY_WESTERN = frozenset("åäöÅÄÖéÉüÜæøÆØñÑß".encode("cp1252"))
_TOO_FEW = 4  # letters beyond ASCII to tell a script by
_FEW = 12  # letters beyond ASCII, in which Swedish vowels are likelier than a foreign word of these alone
# What each character beyond ASCII in a decoded text says against the encoding.
_COMMON = frozenset("åäöéèüßñçàáíóúêâôæøãõëïîìòùûÿąćęłńśźżčďěňřťůőűăşţđ")
_SIGNS = frozenset("“”‘’„‚–—…•€£§©®°«»¿¡½¼¾×±²³µ·™ºª\xa0\xad")
_BEFORE_WORDS = frozenset("„¿¡£±¼½¾¹¶¬¦")  # signs that follow no letter
_IN_WORDS = frozenset("’\xad·-")
# The letters beyond ASCII of languages. Texts of the West often have names from other countries in them, most
# often with the first ones.
_EVERYWHERE = frozenset("åäöæøéüßšž")
_WESTERN = tuple(
    map(frozenset, ("àâçèêëîïôùûœÿ", "áíóúñ", "áâãàçêíóôõú", "àèìíòóù", "áíóúýþð", "àèíïòóúç", "êëïíóû", "õ"))
)
_CENTRAL = tuple(
    map(frozenset, ("áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "ąćęłńóśźż", "áéíóöőúüű", "čćđšž", "ăâîşţ"))
)
_UNLIKELY, _ODD, _LESS = 3.0, 1.0, 0.5
_IMPOSSIBLE = 5.0
_NO_SENSE = 1.2  # on average: from here on, windows-1252 needs a better reading to be given up
_SENSE = 0.5
_MISSING = f"its encoding could not be guessed without charset-normalizer. {install_hint()}"


def guess_encoding(data: bytes) -> tuple[str, str]:
    """Return Python's name of the likeliest encoding, and a note for people where it is a makeshift."""
    sample = _sample(data)
    known = _japanese(sample) or _short_cyrillic(sample)
    if known is None and not _is_other_script(sample):
        known = _latin(sample)
    if known is not None:
        return codecs.lookup(known).name, ""
    try:
        from charset_normalizer import from_bytes  # noqa: PLC0415 - seldom needed
    except ImportError:
        return USUAL, _MISSING
    best = from_bytes(sample, cp_isolation=_OTHER_SCRIPTS, preemptive_behaviour=False).best()
    return codecs.lookup(best.encoding if best else USUAL).name, ""


def _is_other_script(sample: bytes) -> bool:
    """Return whether whole words are of bytes beyond ASCII, as in all scripts but Latin."""
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
    """Return the encoding in which a short text is Cyrillic by all signs; None where it is in no such one."""
    words = [word for word in _WORD.findall(sample.translate(None, _PUNCTUATION)) if _HIGH.search(word)]
    whole = [word for word in words if not _ASCII_LETTER.search(word) and len(word) >= _LEAST_CYRILLIC]
    if not whole or sum(map(len, words)) > _SHORT or _SURELY_WESTERN.issuperset(b"".join(whole)):
        return None
    shares = {codec: _cyrillic_share(sample, codec) for codec in _CYRILLIC}
    best = max(shares, key=lambda codec: shares[codec])  # the first of equals
    return best if shares[best] >= _COMMON_SHARE else None


def _cyrillic_share(sample: bytes, codec: str) -> float:
    """Return the share of common letters in the Cyrillic words of a text; 0 where they cannot be words."""
    try:
        text = sample.decode(codec)
    except UnicodeDecodeError:
        return 0.0
    words = [word for word in re.findall(r"[^\W\d_]+", text) if not word.isascii()]
    letters = "".join(words).lower()
    # Only texts that begin with a capital: small letters alone may be Hebrew, and so may capitals in KOI8-R.
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
    """Return the encoding in which a fifth of a text is hiragana; what has these bytes in others is rare."""
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
    """The first lines that have letters beyond ASCII, whole ones: a character cut in two would mislead."""
    first = _HIGH.search(data)
    start = data.rfind(b"\n", 0, first.start()) + 1 if first else 0
    start = max(start, first.start() - SAMPLE_BYTES // 2 if first else 0)
    sample = data[start : start + SAMPLE_BYTES]
    if start + SAMPLE_BYTES < len(data):
        return sample[: sample.rfind(b"\n") + 1] or sample
    return sample


def _latin(sample: bytes) -> str | None:
    """Return the encoding of a text in Latin script; None where it makes no sense and hardly has ASCII."""
    usual, high = _implausibility(sample, USUAL), len(_HIGH.findall(sample))
    if usual >= _NO_SENSE and high > 1:
        if high > 4 * len(_ASCII_LETTER.findall(sample)):
            return None
        best = min(_RIVALS, key=lambda codec: _implausibility(sample, codec))  # the first of equals
        if _implausibility(sample, best) <= _SENSE:
            return best
    return _by_language(sample) or _short_central(sample) or USUAL


def _short_central(sample: bytes) -> str | None:
    """Return the encoding in which a short text has the letters of one language of Central Europe.

    As windows-1252, it must have letters that no language of the West has together, or signs within words.
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
    """Return the letters of a text that ASCII lacks, in lower case."""
    return frozenset(
        letter for letter in text.lower() if letter > "\x7f" and letter.isalpha() and letter not in "ªº"
    )


def _worst(text: str) -> float:
    return max(_costs(text), default=0.0)


def _by_language(sample: bytes) -> str | None:
    """Return the encoding that the language of a text uses instead of windows-1252.

    The text must be in that language when read so, and in no other language when read as windows-1252.
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
    """Return what speaks against an encoding, on average over the characters beyond ASCII."""
    costs = _costs(sample.decode(codec, "replace"))
    return sum(costs) / len(costs) if costs else 0.0


def _costs(text: str) -> list[float]:
    """Return what speaks against the reading of each character beyond ASCII."""
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


# Bytes of text become text: by what marks or declares their encoding, as UTF-8, or else by guessing it.
# The readers of text, HTML, Markdown and XML pass here. Nothing raises: what cannot be read becomes
# U+FFFD.

LOOKED_AT_BYTES = 4096
MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, of whose mark it is a continuation
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
# Seven bits with escapes, which pass for ASCII: the sequence that names a set of characters tells.
_ESCAPES = (
    (re.compile(rb"\x1b\$\)C"), "iso2022_kr"),
    (re.compile(rb"\x1b(?:\$[@B]|\([JI])"), "iso2022_jp_2"),
    (re.compile(rb"~\{(?:[\x21-\x77][\x21-\x7e])+~\}"), "hz"),
)
_SINGLE_BYTE = re.compile(r"cp125\d|iso8859|ascii|latin|mac|koi8|cp[478]\d\d")


class Decoded(NamedTuple):
    """Text, and how it was written."""

    text: str
    encoding: str  # by its IANA name
    note: str = ""  # where it is only a makeshift, for people


def decode(data: bytes, *, declared: str = "", is_cut: bool = False) -> Decoded:
    """Return the text of bytes. `declared` is the encoding that came with them, as in the header of a mail.

    With `is_cut` there was more, and the last character may be but a part.
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
    """Return the text of a file's first bytes roughly: what is ASCII in it is right, and NULs stay."""
    for mark, codec in MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(codec, "replace")
    codec = wide_codec(data) or ("utf-8" if _reads(data, "utf-8", is_cut=True) else "latin-1")
    return data.decode(codec, "replace")


def is_utf8(beginning: bytes) -> bool:
    """Return whether bytes are UTF-8, but for a last character that may be cut in two."""
    return _reads(beginning, "utf-8", is_cut=True)


def wide_codec(data: bytes) -> str | None:
    """UTF-16 or UTF-32 without a mark: where the bytes that are zero stand in Western text and in markup."""
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
    """An encoding that switches sets of characters by escapes, if these bytes are whole in it."""
    for pattern, codec in _ESCAPES:
        if pattern.search(data[:LOOKED_AT_BYTES]) and _reads(data[:LOOKED_AT_BYTES], codec, is_cut=True):
            return codec
    return None


def _settled(data: bytes, declared: str, *, is_cut: bool) -> str | None:
    """The encoding by what is declared and whether it can be UTF-8; None where only guessing is left."""
    is_utf8 = _reads(data, "utf-8", is_cut=is_cut)
    if is_utf8 and data.isascii():
        return "ascii"
    for codec in declared_codecs(data[:LOOKED_AT_BYTES], declared):
        # What is whole as UTF-8 is that, whatever of one byte a letter it says to be.
        if _reads(data, codec, is_cut=is_cut) and not (is_utf8 and _SINGLE_BYTE.match(codec)):
            return codec
    return "utf-8" if is_utf8 else None


def declared_codecs(start: bytes, declared: str = "") -> list[str]:
    """Return the encodings of text that the first bytes name, behind the one that came with them."""
    labels = [declared] if declared else []
    labels += [
        found[1].decode("ascii", "replace") for pattern in _DECLARED if (found := pattern.search(start))
    ]
    codecs_ = [codec for label in labels if (codec := codec_of(label))]
    # A file that could be read as far as its declaration has no zeros in it: it is not that wide.
    return [widen_codec(codec) for codec in codecs_ if not codec.startswith(("utf-16", "utf-32", "utf-7"))]


def _reads(data: bytes, codec: str, *, is_cut: bool) -> bool:
    """Return whether bytes are whole in an encoding, but for a character that their being cut made two of."""
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
    """The narrower encoding that is enough for these bytes: what others would call it."""
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

# What the readers of text have in common: how much is read of a file, and its lines put in order.

MAX_TEXT_BYTES = 64 * 1024 * 1024
MAX_FACT_CHARACTERS = 2000  # characters
CUT = f"Only the first {MAX_TEXT_BYTES // (1024 * 1024)} MB of it were read."


def read_bytes(file: BinaryIO) -> tuple[bytes, list[str]]:
    """Return the bytes of a file, as many as are read of text, and a note where there are more."""
    file.seek(0)
    data = file.read(MAX_TEXT_BYTES + 1)
    return (data, []) if len(data) <= MAX_TEXT_BYTES else (data[:MAX_TEXT_BYTES], [CUT])


def read_text(file: BinaryIO) -> tuple[Decoded, list[str]]:
    """Return the text of a file, with line feeds as the ends of its lines, and notes."""
    data, notes = read_bytes(file)
    decoded = decode(data, is_cut=bool(notes))
    if decoded.note:
        notes.append(decoded.note)
    return decoded._replace(text=with_line_feeds(decoded.text)), notes


def with_line_feeds(text: str) -> str:
    """The text with line feeds as the ends of its lines, whatever system wrote it."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def fact_line(text: str) -> str:
    """A fact on one line, of a length that facts have."""
    return " ".join(text[:MAX_FACT_CHARACTERS].split())


def tidy_lines(text: str) -> str:
    """The text without blanks at the ends of its lines, and at most one blank line between two others."""
    kept: list[str] = []
    for line in text.split("\n"):
        words = line.rstrip()
        if words or (kept and kept[-1]):
            kept.append(words)
    return "\n".join(kept).strip("\n")
