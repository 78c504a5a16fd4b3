"""Words as questions to Tantivy: as they stand, in their other forms, as patterns, nearly right."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from tantivy import Occur
from tantivy import Query as Question

from windrow.index.tantivy import clauses
from windrow.index.tantivy.clauses import AnswerCache, Dictionary
from windrow.index.tantivy.layout import (
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
    TITLE_SIGN,
    fact_field,
    fact_token,
    fact_value,
    identifier_token,
    title_sign,
)
from windrow.model.document_view import View
from windrow.model.matching import compile_query
from windrow.model.query import FIELDS, FieldKind, Query, Word, hierarchy_separator
from windrow.model.rights import UNSTATED_ACCESS, UNSTATED_LICENCE
from windrow.model.text.folding import fold, folded_words, pattern_pieces
from windrow.model.text.language_codes import language_spellings
from windrow.model.text.proper_names import NAME_FIELDS, is_spelled, plain_spelling
from windrow.model.text.wildcards import LONGEST_NEAR, compile_pattern, is_near
from windrow.model.text.word_forms import other_forms, query_stems, query_words

# One value of one field as a query sees it: for judging the terms of a dictionary by themselves.


class ValueView(View):
    """Something that has just this value, in a field whose values are kept whole."""

    usual = ()

    def __init__(self, field: str, value: str) -> None:
        super().__init__()
        self._field = field
        self._value = value

    @property
    def events(self) -> Sequence[View]:
        """None."""
        return ()

    def texts(self, field: str) -> list[tuple[str, str | None]]:
        """The value, in no language."""
        return [(value, None) for value in self.values(field)]

    def _look(self, field: str) -> Iterable[str]:
        return (self._value,) if field == self._field else ()


# Which of the documents that words find is likelier meant: the one that has them as they were written.
# Beside `rendering`. Whoever writes a title or a name wants that title and that person first; words that
# stand apart are found as before, behind them. This changes the order of what is found, never what is.

MAX_WORDS = 30  # that are looked for side by side
_WEIGHT = 4.0  # against words that stand apart
_TITLE_WEIGHT = 20.0
_COVERED = 10.0  # a word that is there, times its rarity, where not all words are
_ABOUT = 5.0  # the same again for a word in titles, names and topics: a long text has any few words somewhere
_SCORED = 0.3  # how well each fits, beside that
_NEIGHBOURS = 1.0


def prefer_as_written(found: Question, parts: Sequence[Query]) -> Question:
    """What finds the same as a question for all these parts, with the words side by side first."""
    words = [word for part in parts for word in _written(part)]
    if not words:
        return found
    liked = [match_whole_title(words)]
    if 1 < len(words) <= MAX_WORDS:
        liked += [clauses.boosted(clauses.phrase(*way), _WEIGHT) for way in _ways(words)]
    return rank_above(found, liked)


def cover_parts(
    conditions: Sequence[Question],
    about: Sequence[Question | None],
    scored: Sequence[Question],
    weights: Sequence[float],
    number: int,
    parts: Sequence[Query],
) -> Question:
    """What finds documents with so many of the parts, those with more and rarer ones first.

    What a document has of the words counts more than how often and where it has them. A title of all words
    but one comes before everything else, words side by side in a title before words that stand apart.
    `about` has what each part is in titles, names and topics alone.
    """
    covered = [
        clauses.constant(each, weight * _COVERED) for each, weight in zip(conditions, weights, strict=True)
    ]
    liked = [clauses.boosted(each, _SCORED) for each in scored]
    liked += [
        clauses.constant(each, weight * _ABOUT) for each, weight in zip(about, weights, strict=True) if each
    ]
    words = [word for part in parts for word in _written(part)]
    if len(words) <= MAX_WORDS:
        liked += [match_whole_title(words[:place] + words[place + 1 :]) for place in range(len(words))]
        neighbours = dict.fromkeys(pairwise(words))
        liked += [clauses.boosted(clauses.phrase("title", pair), _NEIGHBOURS) for pair in neighbours]
    return rank_above(clauses.some_of(covered, number), liked)


def rank_above(found: Question, liked: Sequence[Question]) -> Question:
    """What finds the same, with what is liked of it first."""
    return Question.boolean_query([(Occur.Must, found), *((Occur.Should, each) for each in liked)])


def match_whole_title(words: Sequence[str]) -> Question:
    """Documents with a title of just these words, which come before all others."""
    return clauses.boosted(clauses.term(TITLE_SIGN, title_sign(words)), _TITLE_WEIGHT)


def _ways(words: list[str]) -> Iterator[tuple[str, list[str]]]:
    yield "title", words
    yield "creator", words
    yield "creator", [words[-1], *words[:-1]]  # lists have the family name first


def _written(part: Query) -> list[str]:
    """The words of a part that are looked for anywhere as they stand."""
    if not isinstance(part, Word) or part.field is not None or part.is_pattern or part.edits:
        return []
    return folded_words(part.text)


CACHED_NEAR_TERMS = 256
MAX_ALIKE = 20  # words that are nearly one of several in a row
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
        self._near: AnswerCache[tuple[tuple[str, ...], str, int], list[str]] = AnswerCache(CACHED_NEAR_TERMS)

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
            return clauses.any_of([*found, self._whole(word, IDENTIFIER)])
        if FIELDS[word.field].kind is FieldKind.WORDS:
            return clauses.any_of(self._words(word, (word.field,), (word.field,)))
        return self._whole(word, word.field)

    def _words(self, word: Word, single: Sequence[str], several: Sequence[str]) -> list[Question]:
        """Questions of which one must hold: `single` are asked for one word, `several` for more in a row."""
        if word.is_pattern:
            return self._pieces(pattern_pieces(word.text), single, several)
        words = folded_words(word.text)
        if word.edits:
            return self._slips(words, word.edits, single, several)
        found = [clauses.phrase(field, words) for field in several] if words else []
        if len(words) > 1:
            found += [self.render(replace(word, text=form)) for form in other_forms(word.text)]
        return found

    def _anywhere(self, word: Word, text: str, is_scored: bool, is_alone: bool) -> Question:
        """One word in no field, so that it counts most where it stands as it is, in what a document is about.

        Its stems count little: a text whose language nobody knows has three of each.
        """
        places, stems = self._places(), query_stems(text)
        exact = [clauses.term(field, text) for field in places.single]
        identifier = clauses.term(IDENTIFIER, identifier_token(word.text))
        forms = [*_bare(places.single, query_words(stems, text)), *_stems(places.stems, stems)]
        forms += _other_spellings(None, text)
        if is_scored:
            forms += _stems(_STEMS_OF["title"], stems)
        others = self._terms(forms)
        if not is_scored:
            return clauses.any_of([*exact, identifier, *others])
        # Once more in titles, where it counts the more the less stands beside it.
        exact = [
            clauses.boosted(each, _WEIGHTS.get(place, 1))
            for place, each in zip(places.single, exact, strict=True)
        ]
        exact.append(clauses.term("title", text))
        best = [match_whole_title([text])] if is_alone else []
        return clauses.any_of([*exact, identifier, *_lighter(others), *best])

    def about(self, word: Word) -> Question | None:
        """The question for a word in what a document is about: titles, names, topics; None for a pattern."""
        text = _plain(word) if word.field is None else None
        if text is None:
            return None
        stems = query_stems(text)
        forms = [(CORE, each) for each in query_words(stems, text)]
        return clauses.any_of(
            [clauses.term(CORE, text), *self._terms([*forms, *_stems(((STEMS, CORE_LETTER),), stems)])]
        )

    def _inside(self, field: str, text: str, is_scored: bool) -> Question:
        """One word in one field, or its stems."""
        exact = clauses.term(field, text)
        if field in NAME_FIELDS:
            forms = _other_spellings(field, text)
        elif field in _STEMS_OF:
            stems = query_stems(text)
            forms = [*_bare((field,), query_words(stems, text)), *_stems(_STEMS_OF[field], stems)]
        else:
            return exact
        others = self._terms(forms)
        return clauses.any_of([exact, *(_lighter(others) if is_scored else others)])

    def _terms(self, forms: Iterable[Term]) -> list[Question]:
        return [clauses.term(field, text) for field, text in forms if self._exists(field, text)]

    def _places(self) -> Anywhere:
        return _WITH_TEXTS if self._has_texts() else _WITHOUT_TEXTS

    def _pieces(self, pieces: list[str], single: Sequence[str], several: Sequence[str]) -> list[Question]:
        if len(pieces) == 1:
            return [self._pattern(field, pieces[0]) for field in single]
        expressions = list(map(clauses.of_pattern, pieces))
        rows = [clauses.row(field, expressions) for field in (several if pieces else ())]
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
        expressions = list(map(clauses.one_of, alike))
        rows = [clauses.row(field, expressions) for field in several]
        return [row for row in rows if row is not None]

    def _alike(self, fields: Sequence[str], word: str, edits: int) -> list[str]:
        """Words of these dictionaries that are nearly this one; of many, the most used."""
        return self._near.get((tuple(fields), word, edits), lambda: self._find_alike(fields, word, edits))

    def _find_alike(self, fields: Sequence[str], word: str, edits: int) -> list[str]:
        found = (
            [text for text in self._dictionary(field, "", clauses.MAX_TERMS) if is_near(word, text, edits)]
            for field in fields
        )
        return list(dict.fromkeys(text for alike in found for text in alike[:MAX_ALIKE]))

    def _pattern(self, field: str, pattern: str) -> Question:
        start = clauses.literal_start(pattern)
        if start and pattern == f"{start}*":
            return clauses.starting(field, start)
        found = clauses.regex(field, clauses.of_pattern(pattern))
        if found is not None:
            return found
        return clauses.passing(field, compile_pattern(pattern).fits, self._dictionary, start=start)

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
            expressions = [clauses.of_pattern(text, is_value=True)]
        else:
            texts = language_spellings(word.text) if field == "language" else (text,)
            expressions = [clauses.of_value(each, below=hierarchy_separator(field)) for each in texts]
        found = [clauses.regex(place, each) for each in expressions]
        rendered = [each for each in found if each is not None]
        return clauses.any_of(rendered) if len(rendered) == len(found) else self._judged(word, field)

    def _kept_bare(self, word: Word, field: str) -> Question:
        """Identifiers and dates, whose terms are nothing but what is compared."""
        text = identifier_token(word.text) if field == IDENTIFIER else fold(word.text)
        if word.is_pattern:
            return self._pattern(field, text)
        if word.edits:
            return _fuzzy(field, text, word.edits)
        if field == DATE:
            return clauses.any_of([clauses.term(DATE, text), clauses.starting(DATE, f"{text}-")])
        return clauses.term(field, text)

    def _number(self, word: Word, field: str) -> Question:
        text = fold(word.text)
        if not word.is_pattern and not word.edits:
            return clauses.number(field, text)
        fits = (
            compile_pattern(text).fits if word.is_pattern else lambda value: is_near(text, value, word.edits)
        )
        known = self._dictionary(field, "", clauses.MAX_TERMS)
        return clauses.terms(field, [int(value) for value in known if fits(value)])

    def _judged(self, word: Word, field: str) -> Question:
        """Each value that there is, judged as a document that has it alone."""
        judge = compile_query(word)
        return clauses.passing(
            fact_field(field), lambda token: judge(ValueView(field, fact_value(token))), self._dictionary
        )


def _plain(word: Word) -> str | None:
    """One word as it stands, in fields of words: itself, folded. None of anything else."""
    if word.is_pattern or word.edits:
        return None
    if word.field is not None and FIELDS[word.field].kind is not FieldKind.WORDS:
        return None
    words = folded_words(word.text)
    return words[0] if len(words) == 1 else None


def person_terms(field: str | None, key: str) -> list[Term]:
    """The terms for a person's key, of which one must be there; in one field of names or in all."""
    signs = {"creator": ("",), "contributor": (CONTRIBUTOR_SIGN,)}.get(field or "", ("", CONTRIBUTOR_SIGN))
    return [(PERSON, sign + key) for sign in signs]


def _other_spellings(field: str | None, text: str) -> list[Term]:
    """The terms for a word as a name that others spell otherwise."""
    if not is_spelled(text):
        return []
    plain = plain_spelling(text)
    found = person_terms(field, plain)
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
    return [clauses.boosted(each, STEM_WEIGHT) for each in others]


def _fuzzy(field: str, text: str, edits: int) -> Question:
    if len(text) > LONGEST_NEAR:
        return clauses.term(field, text)
    return clauses.nearly(field, text, edits)


def _filled(field: str | None) -> Question:
    """Documents that have something in a field."""
    if field is None or field == IDENTIFIER:
        return clauses.everything()
    if field in _FILLED:
        name = _FILLED[field]  # somewhere among the names that are filled in a document
        return clauses.regexes(fact_field("filled"), [f"({clauses.ANY}* )?{name}( {clauses.ANY}*)?"])
    if field == DATE:
        return clauses.having(DAY)
    if field in _UNSTATED:
        unstated = clauses.term(fact_field(field), fact_token(_UNSTATED[field]))
        return clauses.all_of([clauses.having(fact_field(field))], but=[unstated])
    if field in FACTS or field in NUMBERS:
        return clauses.having(fact_field(field))
    return clauses.regexes(field, [f"{clauses.ANY}+"])
