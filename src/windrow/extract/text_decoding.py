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

from windrow.extract.languages import detect

SAMPLE_BYTES = 16 * 1024
USUAL = "cp1252"
LEAST_LETTERS = 60  # of a text whose language is evidence for its encoding
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
_MISSING = "its encoding could not be guessed without charset-normalizer: pip install 'windrow[documents]'"


def guess(data: bytes) -> tuple[str, str]:
    """Return Python's name of the likeliest encoding, and a note for people where it is a makeshift."""
    sample = _sample(data)
    known = _japanese(sample) or _short_cyrillic(sample)
    if known is None and not _is_other_script(sample):
        known = _latin(sample)
    if known is not None:
        return codecs.lookup(known).name, ""
    try:
        from charset_normalizer import from_bytes  # noqa: PLC0415 - optional, and seldom needed
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
    if len(_ASCII_LETTER.findall(sample)) >= LEAST_LETTERS or _is_western(sample):
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
    if sum(map(str.isalpha, text)) < LEAST_LETTERS:
        return None
    usual = detect(text)
    has_c1 = _C1.search(sample) is not None
    for listed, windows, other in _LATIN_BY_LANGUAGE:
        codec, languages = windows if has_c1 else other, listed.split()
        if usual in (None, *languages) and detect(sample.decode(codec, "replace")) in languages:
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
