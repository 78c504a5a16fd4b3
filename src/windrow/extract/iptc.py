"""IPTC-IIM, as news agencies write it into pictures: captions, names, keywords, places."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from windrow.extract.encodings import decode

_UTF_8 = b"\x1b%G"
_CHARSET = (1, 90)
_TITLES = ((2, 5), (2, 105))
_NAMES = {
    (2, 80): "creator",
    (2, 25): "subject",
    (2, 15): "subject",
    (2, 120): "description",
    (2, 116): "rights",
    (2, 92): "coverage",
    (2, 90): "coverage",
    (2, 95): "coverage",
    (2, 101): "coverage",
    (2, 115): "source",
}
_DATE, _TIME = (2, 55), (2, 60)
MOST_VALUES = 200


def read_iptc(records: Mapping[tuple[int, int], Any]) -> list[tuple[str, str]]:
    """Give what Pillow's view of the records says."""
    is_utf_8 = records.get(_CHARSET) == _UTF_8
    said: list[tuple[str, str]] = []
    titles = [words for key in _TITLES for words in _values(records, key, is_utf_8)]
    said += [("title", titles[0])] if titles else []
    for key, name in _NAMES.items():
        said += [(name, words) for words in _values(records, key, is_utf_8)]
    date = _date(*(" ".join(_values(records, key, is_utf_8)[:1]) for key in (_DATE, _TIME)))
    return list(dict.fromkeys([*said, *([("date", date)] if date else [])]))


def _values(records: Mapping[tuple[int, int], Any], key: tuple[int, int], is_utf_8: bool) -> list[str]:
    found = records.get(key, [])
    values = found if isinstance(found, list) else [found]
    texts = (
        value.decode("utf-8", "replace") if is_utf_8 else decode(value)[0] for value in values[:MOST_VALUES]
    )
    return [words for text in texts if (words := " ".join(text.replace("\0", " ").split()))]


def _date(day: str, time: str) -> str:
    found = re.match(r"(\d{4})(\d\d)(\d\d)$", day)
    if found is None or found[1] == "0000":
        return ""
    parts = [part for part in found.groups() if part != "00"]
    clock = re.match(r"(\d\d)(\d\d)(\d\d)([+-]\d\d)(\d\d)$", time)
    if clock is None or len(parts) < 3:
        return "-".join(parts)
    hour, minute, second, ahead, minutes = clock.groups()
    return f"{'-'.join(parts)}T{hour}:{minute}:{second}{ahead}:{minutes}"
