"""The language of a page: its messages, and its formats of numbers and dates. Content is never translated.

A catalogue is a folder of TOML files, one for each front end with messages of its own, keyed by the English
text. A message that depends on a number is keyed by its singular and has both forms. A missing message is
shown in English.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path

from windrow.stats.table import Label, Message

_MESSAGES_FOLDER = Path(__file__).with_name("messages")
Catalogue = Mapping[str, str | list[str]]


def message(text: str) -> str:
    """Mark a message for translation where it is shown, and return it unchanged."""
    return text


@cache
def load_catalogue(language: str) -> Catalogue:
    """Return the messages of a language; none for English, which is the key language."""
    found: dict[str, str | list[str]] = {}
    for path in sorted((_MESSAGES_FOLDER / language).glob("*.toml")):
        found |= tomllib.loads(path.read_text(encoding="utf-8"))
    return found


@cache
def load_language_names() -> Mapping[str, Mapping[str, str]]:
    """Return the names of languages: by language code, then by the language they are written in."""
    return tomllib.loads((_MESSAGES_FOLDER / "languages.toml").read_text(encoding="utf-8"))


PAGE_LANGUAGES = {"en": "English", "sv": "Svenska", "fi": "Suomi"}  # each in its own language
_NO_BREAK = "\N{NO-BREAK SPACE}"
_MONTHS = {
    "en": "January February March April May June July August September October November December",
    "sv": "januari februari mars april maj juni juli augusti september oktober november december",
    "fi": "tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta"
    " lokakuuta marraskuuta joulukuuta",
}


class Translator:
    """Formats messages, numbers and dates in one language."""

    def __init__(self, code: str) -> None:
        self.code = code
        self._messages = load_catalogue(code)
        self._months = _MONTHS[code].split()

    def say(self, text: str, /, *places: object, **values: object) -> str:
        """Translate a message and fill in its placeholders, by name or position."""
        found = self._messages.get(text, text)
        words = found if isinstance(found, str) else found[0]
        if not places and not values and "{" not in words:  # most messages on a page
            return words
        return words.format(*places, **{name: self._written(value) for name, value in values.items()})

    def several(self, one: str, many: str, count: int, /, **values: object) -> str:
        """Translate a message that depends on a number; `{count}` in it is replaced by the number."""
        found = self._messages.get(one, [one, many])
        forms = [found, found] if isinstance(found, str) else found
        words = forms[0 if count == 1 else 1]
        written = {name: self._written(value) for name, value in values.items()}
        return words.format(count=self.number(count), **written)

    def tell(self, label: Label) -> str:
        """Translate a label with its values; plain strings come from records and stay unchanged."""
        return label if isinstance(label, str) else self.say(label.text, **dict(label.values))

    def number(self, value: float, digits: int = 0) -> str:
        written = f"{value:,.{digits}f}"
        if self.code == "en":
            return written
        return written.replace(",", _NO_BREAK).replace(".", ",").replace("-", "−")

    def share(self, part: float, digits: int = 1) -> str:
        return self.number(100 * part, digits) + ("%" if self.code == "en" else f"{_NO_BREAK}%")

    def day(self, moment: date) -> str:
        """Format a date; of a datetime, its date in UTC."""
        if isinstance(moment, datetime):
            moment = moment.astimezone(UTC)
        point = "." if self.code == "fi" else ""
        return f"{moment.day}{point}{_NO_BREAK}{self._months[moment.month - 1]} {moment.year}"

    def month(self, year: int, month: int) -> str:
        name = self._months[month - 1]
        return f"{name.removesuffix('ta') if self.code == 'fi' else name} {year}"

    def moment(self, moment: datetime) -> str:
        mark = "." if self.code == "fi" else ":"
        return f"{self.day(moment)} {moment.astimezone(UTC):%H{mark}%M} UTC"

    def language(self, code: str) -> str:
        """Return the name of a language, or its code where there is none."""
        names = load_language_names().get(code)
        return names[self.code] if names else code

    def _written(self, value: object) -> object:
        if isinstance(value, Message):
            return self.tell(value)
        if isinstance(value, float):
            return self.number(value, 1)
        return self.number(value) if isinstance(value, int) and not isinstance(value, bool) else value


@cache
def get_translator(code: str) -> Translator:
    return Translator(code)
