"""Language detection with py3langid, for files that do not declare a language."""

from __future__ import annotations

import io
import lzma
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from windrow.model.file_content import Extract

LOOKED_AT_CHARACTERS = 2000
MIN_LETTERS = 24
MIN_IDEOGRAPHS = 6
MIN_CONFIDENCE = 0.7
_ARRAYS = ("ptc", "pc", "nextmove", "nextmove_row", "out_feat")
_LETTERS = re.compile(r"[^\W\d_]")
_IDEOGRAPHS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_ADDRESSES = re.compile(r"\b(?:https?://|www\.)\S{1,500}|\S{1,100}@\S{1,100}")
# Languages with three-letter codes are mapped to the larger one they belong to, else ignored.
_LARGER = {
    "yue": "zh",
    "wuu": "zh",
    "arz": "ar",
    "ary": "ar",
    "grc": "el",
    "hbo": "he",
    "gug": "gn",
    "kik": "ki",
}


def detect_language(text: str) -> str | None:
    """Return the ISO 639-1 code of a text's language.

    None if the text is too short or the result uncertain.
    """
    sample = _ADDRESSES.sub(" ", text[:LOOKED_AT_CHARACTERS])
    if not _is_enough(sample):
        return None
    try:
        identifier = _identifier()
    except ImportError:
        return None
    code, confidence = identifier.classify(sample)
    code = _LARGER.get(code, code)
    return code if confidence >= MIN_CONFIDENCE and len(code) == 2 else None


def with_language(extract: Extract) -> Extract:
    """Return the extract with the detected language of its text, unless it declares one."""
    if any(name == "language" for name, _ in extract.said):
        return extract
    sample, length = list[str](), 0
    for page in extract.text:
        sample.append(page[:LOOKED_AT_CHARACTERS])
        length += len(sample[-1])
        if length >= LOOKED_AT_CHARACTERS:
            break
    code = detect_language("\n".join(sample))
    return replace(extract, measured=(*extract.measured, ("detected-language", code))) if code else extract


def _is_enough(sample: str) -> bool:
    letters = len(_LETTERS.findall(sample))
    # Mostly numbers and symbols: a table or a listing, whose language would be a guess.
    if letters * 4 < len("".join(sample.split())):
        return False
    return letters >= MIN_LETTERS or len(_IDEOGRAPHS.findall(sample)) >= MIN_IDEOGRAPHS


def _packed_model() -> Path:
    from py3langid import langid  # noqa: PLC0415 - slow to import

    return Path(str(langid.__file__)).parent / str(langid.MODEL_FILE)


@cache
def _identifier() -> Any:
    """Return py3langid's identifier, with its model loaded in another way.

    Its own loader writes a file, which a child may not.
    """
    import numpy as np  # noqa: PLC0415 - slow to import
    from py3langid.langid import LanguageIdentifier  # noqa: PLC0415 - likewise

    with lzma.open(_packed_model()) as file, np.load(io.BytesIO(file.read()), allow_pickle=False) as model:
        arrays, classes = {name: model[name] for name in _ARRAYS}, model["classes"].tolist()
    return LanguageIdentifier(
        arrays["ptc"],
        arrays["pc"],
        classes,
        memoryview(arrays["nextmove"]),
        memoryview(arrays["out_feat"]),
        norm_probs=True,
        tk_row=arrays["nextmove_row"].tolist(),
    )
