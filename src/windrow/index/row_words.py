"""The words of one document and their stems, field by field, on their way into its row. A hot path.

A twin of `DocumentView` in a third of its time; a test holds the two together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from windrow.index.layout import (
    CORE,
    CORE_FIELDS,
    CORE_LETTER,
    DESCRIPTION,
    DESCRIPTION_STEMS,
    NOTES,
    POSITIONED,
    STEM_LETTERS,
    STEMS,
    TEXT,
    TEXT_STEMS,
    TITLE_SIGN,
    WEIGHTS,
    gap,
)
from windrow.index.tokens import title_sign
from windrow.index.values import NOTES as NOTE_WORDS
from windrow.index.values import Spoken, lettered
from windrow.model.document import Text
from windrow.model.folding import spaced_words
from windrow.model.joined_words import joined_stems
from windrow.model.stems import stem_text

LONGEST_TEXT = 200_000  # letters of one field that are indexed
LONGEST_FILE = 5_000_000  # letters of the text of a file
_TIMES = {name: WEIGHTS.get(name, 1) * (name in CORE_FIELDS) for name in POSITIONED}
_TITLE_LETTERS = STEM_LETTERS["title"] + CORE_LETTER
_GAPS = {name: gap(name) for name in POSITIONED}

Row = dict[str, object]


class RowWords:
    """Takes fields in, each into its own place in a row; `finish` adds what they come to together."""

    __slots__ = ("core", "row", "stems")

    def __init__(self, row: Row) -> None:
        self.row = row
        self.core: list[str] = []
        self.stems: list[str] = []

    def add_titles(self, titles: Sequence[Text], usual: str | None) -> None:
        """Every document has its own."""
        words = [spaced_words(title.value[:LONGEST_TEXT]) for title in titles]
        self.keep("title", words)
        signs = self.row[TITLE_SIGN] = list[int]()
        for each, title in zip(words, titles, strict=True):
            split = each.split()
            signs.append(title_sign(split))
            stems = _with_joined(stem_text(split, title.language or usual), title.value[:LONGEST_TEXT])
            if stems:
                self.stems += [letter + stems.replace(" ", f" {letter}") for letter in _TITLE_LETTERS]

    def add_names(self, field: str, names: Iterable[str]) -> None:
        """Names of people, which have no endings."""
        self.keep(field, list(map(spaced_words, names)))

    def add(self, name: str, texts: Sequence[Spoken]) -> None:
        """Any other values."""
        words = [spaced_words(value) for value, _ in texts]
        self.keep(name, words)
        if name in STEM_LETTERS:
            for each, (value, language) in zip(words, texts, strict=True):
                self.stems.append(lettered(name, value, each.split(), language))

    def add_descriptions(self, texts: Sequence[Text], usual: str | None) -> None:
        """The one long text, whose stems have a field of their own."""
        words = [spaced_words(text.value[:LONGEST_TEXT]) for text in texts]
        self.row[DESCRIPTION] = _cut(_GAPS[DESCRIPTION].join(words))
        languages = [text.language or usual for text in texts]
        stems = map(stem_text, map(str.split, words), languages)
        joined = (text.value[:LONGEST_TEXT] for text in texts)
        self.row[DESCRIPTION_STEMS] = _cut(" ".join(map(_with_joined, stems, joined)))

    def add_text(self, pages: Sequence[str], language: str | None) -> None:
        """The text of a file, whose pages lie as far apart as the values of other fields."""
        words, left = [], LONGEST_FILE
        for page in pages:
            words.append(spaced_words(page[:left]))
            left -= len(page)
            if left <= 0:
                break
        if any(map(str.strip, words)):
            self.row[TEXT] = _GAPS[TEXT].join(words)
            found = [
                _with_joined(stem_text(each.split(), language), page)
                for each, page in zip(words, pages, strict=False)
            ]
            stems = dict.fromkeys(" ".join(found).split())
            self.row[TEXT_STEMS] = " ".join(stems)

    def add_notes(self, remarks: Iterable[str]) -> None:
        """Add text without a field of its own, which counts among no others and has no stems."""
        notes = [words for words in map(NOTE_WORDS.__getitem__, remarks) if words is not None]
        if notes:
            self.row[NOTES] = _cut(_GAPS[NOTES].join(notes))

    def keep(self, name: str, words: list[str] | tuple[str, ...]) -> None:
        """Put the words of a field's values, a text for each, into its place and among those of all."""
        self.row[name] = _cut(words[0] if len(words) == 1 else _GAPS[name].join(words))
        self.core += words * _TIMES[name]

    def finish(self) -> None:
        """Put into the row what belongs to no one field."""
        for name, found in ((CORE, self.core), (STEMS, self.stems)):
            if found:
                self.row[name] = _cut(" ".join(found))


def _with_joined(stems: str, text: str) -> str:
    joined = joined_stems(text)
    return " ".join(filter(None, (stems, *joined))) if joined else stems


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT].rpartition(" ")[0]
