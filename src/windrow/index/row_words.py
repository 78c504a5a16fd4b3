"""The words of one document and their stems, field by field, on their way into its row. A hot path.

A twin of `DocumentView` in a third of its time; a test holds the two together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from windrow.index import values
from windrow.index.layout import (
    CORE,
    CORE_FIELDS,
    CORE_LETTER,
    DESCRIPTION,
    DESCRIPTION_STEMS,
    POSITIONED,
    STEM_LETTERS,
    STEMS,
    TEXT,
    TEXT_STEMS,
    WEIGHTS,
    gap,
)
from windrow.model.document import Agent, Text
from windrow.model.folding import words_of
from windrow.model.stems import stem_text

LONGEST_TEXT = 200_000  # letters of one field that are indexed
LONGEST_FILE = 5_000_000  # letters of the text of a file
_TIMES = {name: WEIGHTS.get(name, 1) * (name in CORE_FIELDS) for name in POSITIONED}
_TITLE_LETTERS = STEM_LETTERS["title"] + CORE_LETTER
_GAPS = {name: gap(name) for name in POSITIONED}

Row = dict[str, object]
Spoken = tuple[str, str | None]  # a value and its language


class RowWords:
    """Takes fields in, each into its own place in a row; `finish` adds what they come to together."""

    __slots__ = ("core", "row", "stems")

    def __init__(self, row: Row) -> None:
        self.row = row
        self.core: list[str] = []
        self.stems: list[str] = []

    def add_titles(self, titles: Sequence[Text], usual: str | None) -> None:
        """Every document has its own."""
        words = [words_of(title.value[:LONGEST_TEXT]) for title in titles]
        self._keep("title", list(map(" ".join, words)))
        for each, title in zip(words, titles, strict=True):
            stems = stem_text(each, title.language or usual)
            if stems:
                self.stems += [letter + stems.replace(" ", f" {letter}") for letter in _TITLE_LETTERS]

    def add_agents(self, name: str, agents: Iterable[Agent]) -> None:
        """People have names, and names have no endings."""
        self._keep(name, [" ".join(words_of(agent.name)) for agent in agents])

    def add(self, name: str, texts: Sequence[Spoken], also: Sequence[Spoken] = ()) -> None:
        """Values that other documents have, too; `also` those whose stems come with another field."""
        words = [values.words(value) for value, _ in (*texts, *also)]
        self._keep(name, words)
        if name in STEM_LETTERS:
            for each, (_, language) in zip(words, texts, strict=False):
                self.stems.append(values.stems(name, each, language))

    def add_descriptions(self, texts: Sequence[Text], usual: str | None) -> None:
        """The one long text, whose stems have a field of their own."""
        words = [words_of(text.value[:LONGEST_TEXT]) for text in texts]
        self.row[DESCRIPTION] = _cut(_GAPS[DESCRIPTION].join(map(" ".join, words)))
        languages = [text.language or usual for text in texts]
        self.row[DESCRIPTION_STEMS] = _cut(" ".join(map(stem_text, words, languages)))

    def add_text(self, pages: Sequence[str], language: str | None) -> None:
        """The text of a file, whose pages lie as far apart as the values of other fields."""
        words, left = [], LONGEST_FILE
        for page in pages:
            words.append(words_of(page[:left]))
            left -= len(page)
            if left <= 0:
                break
        if any(words):
            self.row[TEXT] = _GAPS[TEXT].join(map(" ".join, words))
            stems = dict.fromkeys(" ".join([stem_text(each, language) for each in words]).split())
            self.row[TEXT_STEMS] = " ".join(stems)

    def finish(self) -> None:
        """Put into the row what belongs to no one field."""
        for name, found in ((CORE, self.core), (STEMS, self.stems)):
            if found:
                self.row[name] = _cut(" ".join(found))

    def _keep(self, name: str, words: list[str]) -> None:
        self.row[name] = words[0] if len(words) == 1 else _cut(_GAPS[name].join(words))
        self.core += words * _TIMES[name]


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT].rpartition(" ")[0]
