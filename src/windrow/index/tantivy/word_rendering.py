"""Rendering of words as Tantivy queries: exact, in other forms, as patterns, and fuzzy."""

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


class ValueView(View):
    """A view of a document with a single value, for testing the terms of a dictionary."""

    usual = ()

    def __init__(self, field: str, value: str) -> None:
        super().__init__()
        self._field = field
        self._value = value

    @property
    def events(self) -> Sequence[View]:
        return ()

    def texts(self, field: str) -> list[tuple[str, str | None]]:
        """The value, without a language."""
        return [(value, None) for value in self.values(field)]

    def _look(self, field: str) -> Iterable[str]:
        return (self._value,) if field == self._field else ()


# Ranking boosts for words as written. A user who enters a title or a name wants that title or person first;
# documents with the words apart follow. This only affects the order of the results.

MAX_WORDS = 30  # that are searched as a phrase
_WEIGHT = 4.0  # compared with words apart
_TITLE_WEIGHT = 20.0
_COVERED = 10.0  # for a matching word, times its rarity, where not all words match
_ABOUT = 5.0  # extra for a word in titles, names and topics: a long text contains any few words somewhere
_SCORED = 0.3  # weight of the ordinary score beside that
_NEIGHBOURS = 1.0


def prefer_as_written(found: Question, parts: Sequence[Query]) -> Question:
    """Return a query with the same results, those with the words as a phrase first."""
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
    """Match documents with at least `number` of the parts; more and rarer ones rank higher.

    Which words a document has counts more than how often and where. A title of all words but one ranks above
    everything else, adjacent words in a title above words apart. `about` holds each part restricted to
    titles, names and topics.
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
    """Return a query with the same results, the preferred ones first."""
    return Question.boolean_query([(Occur.Must, found), *((Occur.Should, each) for each in liked)])


def match_whole_title(words: Sequence[str]) -> Question:
    """Match documents with a title of exactly these words, boosted above all others."""
    return clauses.boosted(clauses.term(TITLE_SIGN, title_sign(words)), _TITLE_WEIGHT)


def _ways(words: list[str]) -> Iterator[tuple[str, list[str]]]:
    yield "title", words
    yield "creator", words
    yield "creator", [words[-1], *words[:-1]]  # lists have the family name first


def _written(part: Query) -> list[str]:
    """Return the words of a part that are searched exactly and in all fields."""
    if not isinstance(part, Word) or part.field is not None or part.is_pattern or part.edits:
        return []
    return folded_words(part.text)


CACHED_NEAR_TERMS = 256
MAX_ALIKE = 20  # similar words for one word of several in a row
CORE_WEIGHT, STEM_WEIGHT = 2.0, 0.1  # compared with an exact word in the description
NOTES_WEIGHT = 0.01  # text without a field of its own ranks after everything else
_WEIGHTS = {CORE: CORE_WEIGHT, NOTES: NOTES_WEIGHT}
Term = tuple[str, str]  # a field and its value
Place = tuple[str, str]  # the field of stems, and the prefix of each stem in it


class Anywhere(NamedTuple):
    """The fields searched for a word without a field."""

    single: tuple[str, ...]  # for one word
    several: tuple[str, ...]  # for several in a row
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
# The model's names of the fields whose values are not indexed whole.
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
# The facet value of documents without a statement in a field.
_UNSTATED = {"access": UNSTATED_ACCESS, "licence": UNSTATED_LICENCE}


class WordRenderer:
    """Renders single words; one that is split into several is searched as a phrase."""

    def __init__(
        self,
        dictionary: Dictionary,
        has_texts: Callable[[], bool],
        exists: Callable[[str, str], bool] = lambda _field, _term: True,
    ) -> None:
        """`exists` returns whether a field has a term: forms without documents are not searched."""
        self._dictionary = dictionary
        self._exists = exists
        self._has_texts = has_texts
        self._near: AnswerCache[tuple[tuple[str, ...], str, int], list[str]] = AnswerCache(CACHED_NEAR_TERMS)

    def render(self, word: Word, *, is_scored: bool = False, is_alone: bool = False) -> Question:
        """Return the query for a word in one field or in all; `is_alone` if it is the whole query."""
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
        """Return alternatives: `single` fields are searched for one word, `several` for more in a row."""
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
        """Search one word in all fields, ranked highest where it is exact and in the main fields.

        Its stems weigh little: a text of unknown language has three of each.
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
        # Again in titles, where it weighs more the shorter the title is.
        exact = [
            clauses.boosted(each, _WEIGHTS.get(place, 1))
            for place, each in zip(places.single, exact, strict=True)
        ]
        exact.append(clauses.term("title", text))
        best = [match_whole_title([text])] if is_alone else []
        return clauses.any_of([*exact, identifier, *_lighter(others), *best])

    def about(self, word: Word) -> Question | None:
        """Return the query for a word in titles, names and topics; None for a pattern."""
        text = _plain(word) if word.field is None else None
        if text is None:
            return None
        stems = query_stems(text)
        forms = [(CORE, each) for each in query_words(stems, text)]
        return clauses.any_of(
            [clauses.term(CORE, text), *self._terms([*forms, *_stems(((STEMS, CORE_LETTER),), stems)])]
        )

    def _inside(self, field: str, text: str, is_scored: bool) -> Question:
        """Search one word, or its stems, in one field."""
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
        # `single` contains the words of all fields in `several`; testing a dictionary here holds the GIL.
        alike = [self._alike(single, word, edits) for word in words]
        if not all(alike):
            return []
        expressions = list(map(clauses.one_of, alike))
        rows = [clauses.row(field, expressions) for field in several]
        return [row for row in rows if row is not None]

    def _alike(self, fields: Sequence[str], word: str, edits: int) -> list[str]:
        """Return similar words in these dictionaries, the most used ones if there are many."""
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
        """Match identifiers and dates, whose terms have no display form."""
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
        """Test each indexed value as a document that has it alone."""
        judge = compile_query(word)
        return clauses.passing(
            fact_field(field), lambda token: judge(ValueView(field, fact_value(token))), self._dictionary
        )


def _plain(word: Word) -> str | None:
    """Return the folded word for a single exact word in fields of words; None for anything else."""
    if word.is_pattern or word.edits:
        return None
    if word.field is not None and FIELDS[word.field].kind is not FieldKind.WORDS:
        return None
    words = folded_words(word.text)
    return words[0] if len(words) == 1 else None


def person_terms(field: str | None, key: str) -> list[Term]:
    """Return the terms of a person's key, any of which may match, in one name field or in all."""
    signs = {"creator": ("",), "contributor": (CONTRIBUTOR_SIGN,)}.get(field or "", ("", CONTRIBUTOR_SIGN))
    return [(PERSON, sign + key) for sign in signs]


def _other_spellings(field: str | None, text: str) -> list[Term]:
    """Return the terms of a word as a name with other spellings."""
    if not is_spelled(text):
        return []
    plain = plain_spelling(text)
    found = person_terms(field, plain)
    if plain != text:
        found += [(name, plain) for name in ((field,) if field else NAME_FIELDS)]
    return found


def _bare(fields: Iterable[str], words: Sequence[str]) -> list[Term]:
    return [(field, word) for field in fields for word in words]


def _stems(places: Iterable[Place], stems: Sequence[str]) -> list[Term]:
    """Return the terms of a word's stems, any of which may match."""
    return [(field, letter + stem) for field, letter in places for stem in stems]


def _lighter(others: Iterable[Question]) -> list[Question]:
    return [clauses.boosted(each, STEM_WEIGHT) for each in others]


def _fuzzy(field: str, text: str, edits: int) -> Question:
    if len(text) > LONGEST_NEAR:
        return clauses.term(field, text)
    return clauses.nearly(field, text, edits)


def _filled(field: str | None) -> Question:
    if field is None or field == IDENTIFIER:
        return clauses.everything()
    if field in _FILLED:
        name = _FILLED[field]  # one of the names listed in the `filled` facet
        return clauses.regexes(fact_field("filled"), [f"({clauses.ANY}* )?{name}( {clauses.ANY}*)?"])
    if field == DATE:
        return clauses.having(DAY)
    if field in _UNSTATED:
        unstated = clauses.term(fact_field(field), fact_token(_UNSTATED[field]))
        return clauses.all_of([clauses.having(fact_field(field))], but=[unstated])
    if field in FACTS or field in NUMBERS:
        return clauses.having(fact_field(field))
    return clauses.regexes(field, [f"{clauses.ANY}+"])
