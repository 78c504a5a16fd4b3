"""Words as questions to Tantivy: as they stand, in their other forms, as patterns, nearly right."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from tantivy import Query as Question

from windrow.index import asking, patterns
from windrow.index.asking import Dictionary
from windrow.index.kept import Kept
from windrow.index.layout import (
    CONTRIBUTOR_SIGN,
    CORE,
    CORE_LETTER,
    DATE,
    DAY,
    DEFAULT_WORDS,
    DESCRIPTION,
    DESCRIPTION_STEMS,
    FACTS,
    IDENTIFIER,
    LONG_STEMS,
    MEASURED,
    NOTES,
    NUMBERS,
    PERSON,
    STEM_PLACES,
    STEMS,
    TEXT,
    TEXT_STEMS,
    fact_field,
)
from windrow.index.preferring import titled
from windrow.index.tokens import fact_token, fact_value, identifier_token
from windrow.index.value_view import ValueView
from windrow.model.folding import fold, pieces_of, words_of
from windrow.model.joined_words import other_forms
from windrow.model.languages import ways_to_say
from windrow.model.matching import judge_of
from windrow.model.person_names import NAME_FIELDS, is_spelled, plain_spelling
from windrow.model.query import Word
from windrow.model.query_fields import FIELDS, FieldKind, separator
from windrow.model.rights import UNSTATED_ACCESS, UNSTATED_LICENCE
from windrow.model.stems import query_stems, query_words
from windrow.model.wildcards import LONGEST_NEAR, is_near, pattern_of

KEPT_NEAR = 256
MOST_ALIKE = 20  # words that are nearly one of several in a row
CORE_WEIGHT, STEM_WEIGHT = 2.0, 0.1  # against a word as it stands in the description
NOTES_WEIGHT = 0.01  # what stands in no field of its own comes behind everything else
_WEIGHTS = {CORE: CORE_WEIGHT, NOTES: NOTES_WEIGHT}
Term = tuple[str, str]  # a field and what stands in it
Place = tuple[str, str]  # where stems lie: a field, and the letter before each of them there


class Anywhere(NamedTuple):
    """What is asked for a word in no field."""

    single: tuple[str, ...]  # for one word
    several: tuple[str, ...]  # for more in a row
    stems: tuple[Place, ...]


_WITH_TEXTS = Anywhere(
    (CORE, DESCRIPTION, NOTES, TEXT),
    DEFAULT_WORDS,
    ((STEMS, CORE_LETTER), (DESCRIPTION_STEMS, ""), (TEXT_STEMS, "")),
)
_WITHOUT_TEXTS = Anywhere(
    (CORE, DESCRIPTION, NOTES),
    tuple(field for field in DEFAULT_WORDS if field != TEXT),
    ((STEMS, CORE_LETTER), (DESCRIPTION_STEMS, "")),
)
_STEMS_OF: dict[str, tuple[Place, ...]] = {
    **{name: tuple((STEMS, letter) for letter in letters) for name, letters in STEM_PLACES.items()},
    **{name: ((place, ""),) for name, place in LONG_STEMS.items()},
}
# Under which names of the model's a field lies whose values are not kept whole.
_FILLED = {
    "contributor": "contributors",
    "title": "titles",
    "description": "descriptions",
    "keyword": "keywords",
    "relation": "relations",
    "rights": "rights",
    "prerequisites": "prerequisites",
    "exam": "exams",
    "profession": "professions",
}
# What is counted of documents that have nothing to say in a field.
_UNSTATED = {"access": UNSTATED_ACCESS, "licence": UNSTATED_LICENCE}


class WordRenderer:
    """Renders single words; one that comes to several wants them side by side."""

    def __init__(
        self,
        dictionary: Dictionary,
        has_texts: Callable[[], bool],
        exists: Callable[[str, str], bool] = lambda _field, _term: True,
    ) -> None:
        """`exists` says whether a field has a term at all: no form is asked for that no document has."""
        self._dictionary = dictionary
        self._exists = exists
        self._has_texts = has_texts
        self._near: Kept[tuple[tuple[str, ...], str, int], list[str]] = Kept(KEPT_NEAR)

    def render(self, word: Word, *, is_scored: bool = False, is_alone: bool = False) -> Question:
        """The question for a word in a field of documents, or anywhere; `is_alone` where it is all."""
        text = _plain(word)
        if text is not None:
            return (
                self._anywhere(word, text, is_scored, is_alone)
                if word.field is None
                else self._inside(word.field, text, is_scored)
            )
        if word.is_pattern and not word.text.strip("*"):
            return _filled(word.field)
        if word.field is None:
            places = self._places()
            found = self._words(word, places.single, places.several)
            return asking.any_of([*found, self._whole(word, IDENTIFIER)])
        if FIELDS[word.field].kind is FieldKind.WORDS:
            return asking.any_of(self._words(word, (word.field,), (word.field,)))
        return self._whole(word, word.field)

    def _words(self, word: Word, single: Sequence[str], several: Sequence[str]) -> list[Question]:
        """Questions of which one must hold: `single` are asked for one word, `several` for more in a row."""
        if word.is_pattern:
            return self._pieces(pieces_of(word.text), single, several)
        words = words_of(word.text)
        if word.edits:
            return self._slips(words, word.edits, single, several)
        found = [asking.phrase(field, words) for field in several] if words else []
        if len(words) > 1:
            found += [self.render(replace(word, text=form)) for form in other_forms(word.text)]
        return found

    def _anywhere(self, word: Word, text: str, is_scored: bool, is_alone: bool) -> Question:
        """One word in no field, so that it counts most where it stands as it is, in what a document is about.

        Its stems count little: a text whose language nobody knows has three of each.
        """
        places, stems = self._places(), query_stems(text)
        exact = [asking.term(field, text) for field in places.single]
        identifier = asking.term(IDENTIFIER, identifier_token(word.text))
        forms = [*_bare(places.single, query_words(stems, text)), *_stems(places.stems, stems)]
        forms += _other_spellings(None, text)
        if is_scored:
            forms += _stems(_STEMS_OF["title"], stems)
        others = self._terms(forms)
        if not is_scored:
            return asking.any_of([*exact, identifier, *others])
        # Once more in titles, where it counts the more the less stands beside it.
        exact = [
            asking.boosted(each, _WEIGHTS.get(place, 1))
            for place, each in zip(places.single, exact, strict=True)
        ]
        exact.append(asking.term("title", text))
        best = [titled([text])] if is_alone else []
        return asking.any_of([*exact, identifier, *_lighter(others), *best])

    def about(self, word: Word) -> Question | None:
        """The question for a word in what a document is about: titles, names, topics; None for a pattern."""
        text = _plain(word) if word.field is None else None
        if text is None:
            return None
        stems = query_stems(text)
        forms = [(CORE, each) for each in query_words(stems, text)]
        return asking.any_of(
            [asking.term(CORE, text), *self._terms([*forms, *_stems(((STEMS, CORE_LETTER),), stems)])]
        )

    def _inside(self, field: str, text: str, is_scored: bool) -> Question:
        """One word in one field, or its stems."""
        exact = asking.term(field, text)
        if field in NAME_FIELDS:
            forms = _other_spellings(field, text)
        elif field in _STEMS_OF:
            stems = query_stems(text)
            forms = [*_bare((field,), query_words(stems, text)), *_stems(_STEMS_OF[field], stems)]
        else:
            return exact
        others = self._terms(forms)
        return asking.any_of([exact, *(_lighter(others) if is_scored else others)])

    def _terms(self, forms: Iterable[Term]) -> list[Question]:
        return [asking.term(field, text) for field, text in forms if self._exists(field, text)]

    def _places(self) -> Anywhere:
        return _WITH_TEXTS if self._has_texts() else _WITHOUT_TEXTS

    def _pieces(self, pieces: list[str], single: Sequence[str], several: Sequence[str]) -> list[Question]:
        if len(pieces) == 1:
            return [self._pattern(field, pieces[0]) for field in single]
        expressions = list(map(patterns.of_pattern, pieces))
        rows = [asking.row(field, expressions) for field in (several if pieces else ())]
        return [row for row in rows if row is not None]

    def _slips(
        self, words: list[str], edits: int, single: Sequence[str], several: Sequence[str]
    ) -> list[Question]:
        if len(words) == 1:
            return [_fuzzy(field, words[0], edits) for field in single]
        if not words:
            return []
        # `single` has the words of all fields in `several`: a dictionary is compared here, under the GIL.
        alike = [self._alike(single, word, edits) for word in words]
        if not all(alike):
            return []
        expressions = list(map(patterns.one_of, alike))
        rows = [asking.row(field, expressions) for field in several]
        return [row for row in rows if row is not None]

    def _alike(self, fields: Sequence[str], word: str, edits: int) -> list[str]:
        """Words of these dictionaries that are nearly this one; of many, the most used."""
        return self._near.get((tuple(fields), word, edits), lambda: self._find_alike(fields, word, edits))

    def _find_alike(self, fields: Sequence[str], word: str, edits: int) -> list[str]:
        found = (
            [text for text in self._dictionary(field, "", asking.MOST_TERMS) if is_near(word, text, edits)]
            for field in fields
        )
        return list(dict.fromkeys(text for alike in found for text in alike[:MOST_ALIKE]))

    def _pattern(self, field: str, pattern: str) -> Question:
        start = asking.literal_start(pattern)
        if start and pattern == f"{start}*":
            return asking.starting(field, start)
        found = asking.regex(field, patterns.of_pattern(pattern))
        if found is not None:
            return found
        return asking.passing(field, pattern_of(pattern).fits, self._dictionary, start=start)

    def _whole(self, word: Word, field: str) -> Question:
        """A value as a whole."""
        if field in (IDENTIFIER, DATE):
            return self._kept_bare(word, field)
        if field in (*NUMBERS, *MEASURED):
            return self._number(word, field)
        if word.edits:
            return self._judged(word, field)
        text, place = fold(word.text), fact_field(field)
        if word.is_pattern:
            expressions = [patterns.of_pattern(text, is_value=True)]
        else:
            texts = ways_to_say(word.text) if field == "language" else (text,)
            expressions = [patterns.of_value(each, below=separator(field)) for each in texts]
        found = [asking.regex(place, each) for each in expressions]
        rendered = [each for each in found if each is not None]
        return asking.any_of(rendered) if len(rendered) == len(found) else self._judged(word, field)

    def _kept_bare(self, word: Word, field: str) -> Question:
        """Identifiers and dates, whose terms are nothing but what is compared."""
        text = identifier_token(word.text) if field == IDENTIFIER else fold(word.text)
        if word.is_pattern:
            return self._pattern(field, text)
        if word.edits:
            return _fuzzy(field, text, word.edits)
        if field == DATE:
            return asking.any_of([asking.term(DATE, text), asking.starting(DATE, f"{text}-")])
        return asking.term(field, text)

    def _number(self, word: Word, field: str) -> Question:
        text = fold(word.text)
        if not word.is_pattern and not word.edits:
            return asking.number(field, text)
        fits = pattern_of(text).fits if word.is_pattern else lambda value: is_near(text, value, word.edits)
        known = self._dictionary(field, "", asking.MOST_TERMS)
        return asking.terms(field, [int(value) for value in known if fits(value)])

    def _judged(self, word: Word, field: str) -> Question:
        """Each value that there is, judged as a document that has it alone."""
        judge = judge_of(word)
        return asking.passing(
            fact_field(field), lambda token: judge(ValueView(field, fact_value(token))), self._dictionary
        )


def _plain(word: Word) -> str | None:
    """One word as it stands, in fields of words: itself, folded. None of anything else."""
    if word.is_pattern or word.edits:
        return None
    if word.field is not None and FIELDS[word.field].kind is not FieldKind.WORDS:
        return None
    words = words_of(word.text)
    return words[0] if len(words) == 1 else None


def people(field: str | None, key: str) -> list[Term]:
    """The terms for a person's key, of which one must be there; in one field of names or in all."""
    signs = {"creator": ("",), "contributor": (CONTRIBUTOR_SIGN,)}.get(field or "", ("", CONTRIBUTOR_SIGN))
    return [(PERSON, sign + key) for sign in signs]


def _other_spellings(field: str | None, text: str) -> list[Term]:
    """The terms for a word as a name that others spell otherwise."""
    if not is_spelled(text):
        return []
    plain = plain_spelling(text)
    found = people(field, plain)
    if plain != text:
        found += [(name, plain) for name in ((field,) if field else NAME_FIELDS)]
    return found


def _bare(fields: Iterable[str], words: Sequence[str]) -> list[Term]:
    """The terms for stems that are words by themselves."""
    return [(field, word) for field in fields for word in words]


def _stems(places: Iterable[Place], stems: Sequence[str]) -> list[Term]:
    """The terms for a word's stems, of which one must be there."""
    return [(field, letter + stem) for field, letter in places for stem in stems]


def _lighter(others: Iterable[Question]) -> list[Question]:
    return [asking.boosted(each, STEM_WEIGHT) for each in others]


def _fuzzy(field: str, text: str, edits: int) -> Question:
    if len(text) > LONGEST_NEAR:
        return asking.term(field, text)
    return asking.nearly(field, text, edits)


def _filled(field: str | None) -> Question:
    """Documents that have something in a field."""
    if field is None or field == IDENTIFIER:
        return asking.everything()
    if field in _FILLED:
        name = _FILLED[field]  # somewhere among the names that are filled in a document
        return asking.regexes(fact_field("filled"), [f"({patterns.ANY}* )?{name}( {patterns.ANY}*)?"])
    if field == DATE:
        return asking.having(DAY)
    if field in _UNSTATED:
        unstated = asking.term(fact_field(field), fact_token(_UNSTATED[field]))
        return asking.all_of([asking.having(fact_field(field))], but=[unstated])
    if field in FACTS or field in NUMBERS:
        return asking.having(fact_field(field))
    return asking.regexes(field, [f"{patterns.ANY}+"])
