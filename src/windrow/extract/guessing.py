"""The encoding of bytes that do not say it and are not UTF-8: guessed by their letters. For `encodings`.

charset-normalizer tells scripts apart well. Which of the Latin encodings it is, the language tells better:
their texts differ in a few letters only, and each language has the encodings it was written in.
"""

from __future__ import annotations

import codecs
import re

from windrow.extract.languages import detect

SAMPLE_BYTES = 16 * 1024
MAKESHIFT = "cp1252"
_CANDIDATES_LIST = (
    "big5hkscs cp932 cp949 gb18030 euc_jp johab koi8_r koi8_u cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 "
    "cp1256 cp1257 cp1258 cp874 iso8859_2 iso8859_5 iso8859_6 iso8859_7 iso8859_8 iso8859_9 iso8859_15 "
    "cp437 cp850 cp852 cp855 cp866 mac_roman mac_cyrillic"
)
_CANDIDATES = _CANDIDATES_LIST.split()
# As Windows writes them and as others do: those have no letters among 80 to 9F.
_LATIN_BY_LANGUAGE = (
    ("cs sk pl hu sl hr bs sr ro sq", "cp1250", "iso8859-2"),
    ("tr az ku", "cp1254", "iso8859-9"),
    ("lt lv et", "cp1257", "cp1257"),
    ("vi", "cp1258", "cp1258"),
    ("en fr de es pt it nl sv da no nn fi is ca gl eu br ga af fo oc la", "cp1252", "cp1252"),
)
_BY_LANGUAGE = {code: (win, iso) for codes, win, iso in _LATIN_BY_LANGUAGE for code in codes.split()}
_LATIN = frozenset(
    ("cp1250", "cp1252", "cp1254", "cp1257", "cp1258", "iso8859_2", "iso8859_9", "iso8859_15", "mac_roman")
)
_HIRAGANA = re.compile(rb"\xa4[\xa1-\xf3]")
_HIGH = re.compile(rb"[\x80-\xff]")
_C1 = re.compile(rb"[\x80-\x9f]")
_MISSING = "its encoding could not be guessed without charset-normalizer: pip install 'windrow[documents]'"


def guess(data: bytes) -> tuple[str, str]:
    """Give Python's name of the likeliest encoding, and a note for people where it is a makeshift."""
    try:
        from charset_normalizer import from_bytes  # noqa: PLC0415 - optional, and seldom needed
    except ImportError:
        return MAKESHIFT, _MISSING
    sample = _sample(data)
    if _is_japanese(sample):
        return codecs.lookup("euc_jp").name, ""
    best = from_bytes(sample, cp_isolation=_CANDIDATES, preemptive_behaviour=False).best()
    codec = best.encoding if best else ""
    if codec in _LATIN or not codec:
        codec = _latin(sample, codec) or codec
    return codecs.lookup(codec or MAKESHIFT).name, ""


def _is_japanese(sample: bytes) -> bool:
    """Whether a fifth of it is hiragana in EUC-JP: what stands there in other encodings is rare in them."""
    pairs = len(_HIGH.findall(sample)) / 2
    if len(_HIRAGANA.findall(sample)) < max(pairs / 5, 4):
        return False
    try:
        sample.decode("euc_jp")
    except UnicodeDecodeError:
        return False
    return True


def _sample(data: bytes) -> bytes:
    """The first lines that have letters beyond ASCII, whole ones: a character cut in two would mislead."""
    first = re.search(rb"[\x80-\xff]", data)
    start = data.rfind(b"\n", 0, first.start()) + 1 if first else 0
    start = max(start, first.start() - SAMPLE_BYTES // 2 if first else 0)
    sample = data[start : start + SAMPLE_BYTES]
    if start + SAMPLE_BYTES < len(data):
        return sample[: sample.rfind(b"\n") + 1] or sample
    return sample


def _latin(sample: bytes, guessed: str) -> str | None:
    """The Latin encoding by the language of the text, which its letters of ASCII show well enough."""
    language = detect(sample.decode(guessed or MAKESHIFT, "replace"))
    if language not in _BY_LANGUAGE or guessed == "mac_roman":
        return None
    windows, other = _BY_LANGUAGE[language]
    codec = windows if _C1.search(sample) else other
    return codec if guessed or codec != MAKESHIFT else None
