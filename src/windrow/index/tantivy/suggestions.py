"""Suggestions: completion of names, subjects and titles, corrections of misspelt words, similar documents."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

import tantivy

from windrow.index.protocol import Completion, HitSummary
from windrow.index.tantivy import clauses
from windrow.index.tantivy.clauses import AnswerCache
from windrow.index.tantivy.layout import (
    APART,
    CARD,
    CORE,
    DESCRIPTION,
    NUMBER,
    TEXT,
    TITLE_KEY,
    fact_field,
    fact_value,
    unpack,
)
from windrow.index.tantivy.lexicon import DocumentSubset
from windrow.model.query import Query
from windrow.model.text.collation import title_sort_key
from windrow.model.text.folding import fold, folded_words
from windrow.model.text.wildcards import is_near

CACHED_COMPLETIONS = 512
MIN_BEGINNING_LENGTH = 2  # letters before anything is completed
COMPLETED = ("creator", "subject")


class Completer:
    """Completes beginnings of names, subjects and titles, with a cache."""

    def __init__(self, searcher: tantivy.Searcher, count: Callable[[tantivy.Query], int]) -> None:
        """`count` returns how many documents a query finds."""
        self._searcher = searcher
        self._count = count
        self._kept: AnswerCache[tuple[Query, str, int], list[Completion]] = AnswerCache(CACHED_COMPLETIONS)

    def complete(self, part: DocumentSubset, text: str, limit: int) -> list[Completion]:
        """Return values with this prefix, most used first."""
        start = fold(" ".join(text.split()))
        if len(start) < MIN_BEGINNING_LENGTH:
            return []
        return list(self._kept.get((part.query, start, limit), lambda: self._complete(part, start, limit)))

    def _complete(self, part: DocumentSubset, start: str, limit: int) -> list[Completion]:
        found = [
            Completion(fact_value(token), field, count)
            for field in COMPLETED
            for token, count in self._tokens(part, fact_field(field), start, limit)
        ]
        found += self._titles(part, start, limit)
        return _spelled_once(sorted(found, key=lambda one: (-one.count, one.value, one.field)))[:limit]

    def _tokens(self, part: DocumentSubset, field: str, start: str, limit: int) -> list[tuple[str, int]]:
        """Return terms with a prefix, most used first, with document counts."""
        if not part.is_whole:
            return self._searcher.terms_with_prefix(field, start, part.found, limit)
        # A fifth of the time, but the dictionary's counts may include deleted documents.
        found = self._searcher.terms_with_prefix(field, start, limit=limit * 2)
        counted = ((token, self._count(clauses.term(field, token))) for token, _ in found)
        return [each for each in counted if each[1]]

    def _titles(self, part: DocumentSubset, start: str, limit: int) -> list[Completion]:
        """Return titles with a prefix, from a few records; equal titles are counted together."""
        start = title_sort_key(start)
        among = None if part.is_whole else part.found
        tokens = self._searcher.terms_with_prefix(TITLE_KEY, start, among, limit * 4)
        counts: Counter[str] = Counter()
        for number in sorted({int(token.rpartition(APART)[2]) for token, _ in tokens}):
            for _, address in self._searcher.search(clauses.term(NUMBER, number), 1).hits:
                title = unpack(self._searcher.doc(address).get_first(CARD) or b"").title
                counts[title] += title_sort_key(title).startswith(start)
        return [Completion(title, "title", count) for title, count in counts.items() if count]


def _spelled_once(found: Iterable[Completion]) -> list[Completion]:
    """Keep the first of those that differ in case only, with the count of its own spelling."""
    kept: dict[tuple[str, str], Completion] = {}
    for one in found:
        kept.setdefault((one.field, one.value.casefold()), one)
    return list(kept.values())


# Corrections: words of the index within one or two edits.

SHORTEST, LONGEST = 4, 30  # letters of a word that is corrected
MAX_COMPARED = 3_000  # words with the same beginning that are compared for two edits
MAX_COUNTED = 8  # the likeliest words, which are counted exactly
_BEGINNING = 2
_FIELDS = (CORE, DESCRIPTION, TEXT)
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def find_corrections(
    searcher: tantivy.Searcher, count: Callable[[tantivy.Query], int], word: str, *, least: int = 1
) -> list[str]:
    """Return words that this one may be a misspelling of, most used first; none if it is known.

    A word is known if at least `least` documents have it.
    """
    words = folded_words(word)
    if len(words) != 1 or not SHORTEST <= len(words[0]) <= LONGEST:
        return []
    wrong = words[0]
    if count(_anywhere(wrong)) >= least:
        return []
    for candidates in (_one_slip(wrong), _two_slips(searcher, wrong)):
        used = {each: _uses(searcher, each) for each in dict.fromkeys(candidates)}
        likely = sorted(filter(used.get, used), key=lambda each: (-used[each], each))[:MAX_COUNTED]
        counts = {each: count(_anywhere(each)) for each in likely}
        known = [each for each in counts if counts[each] >= least]
        if known:
            return sorted(known, key=lambda each: (-counts[each], each))
    return []


def _anywhere(word: str) -> tantivy.Query:
    return clauses.any_of([clauses.term(field, word) for field in _FIELDS])


def _uses(searcher: tantivy.Searcher, word: str) -> int:
    """Return approximately how many documents have a word."""
    return sum(searcher.doc_freq(field, word) for field in _FIELDS)


def _one_slip(word: str) -> Iterator[str]:
    """Yield all words one edit away: looking them all up is faster than searching for them."""
    letters = dict.fromkeys(_LETTERS + word)
    for place in range(len(word) + 1):
        start, end = word[:place], word[place:]
        yield start + end[1:]
        if len(end) > 1:
            yield start + end[1] + end[0] + end[2:]
        for letter in letters:
            yield start + letter + end[1:]
            yield start + letter + end


def _two_slips(searcher: tantivy.Searcher, word: str) -> Iterator[str]:
    """Yield words that begin alike: two edits rarely both affect the first two letters."""
    for field in _FIELDS:
        for known, _ in searcher.terms_with_prefix(field, word[:_BEGINNING], limit=MAX_COMPARED):
            if known.isalpha() and is_near(word, known, 2):
                yield known


# Similar records share the rarest words in title and subjects.

MAX_RARE_WORDS = 12  # of the record's words, the rarest
MAX_READ = 200
MAX_USUAL = 100  # documents with a word beyond which it is too common to be significant
# Shares of all documents: for a word in subjects, and for one in the title only.
USUAL_TOPIC, USUAL_WORD = 1 / 3, 1 / 10
TOPIC_WEIGHT = 1.5  # of a word in subjects and keywords: a rare word of a title may be meaningless ("again")
MIN_SHARED = 2  # a single shared word, however rare, is not enough
MIN_WORD_LETTERS = 3


def build_similarity_query(searcher: tantivy.Searcher, card: HitSummary) -> tantivy.Query:
    """Return a query for the records most similar to this one, without itself."""
    topics = dict.fromkeys(folded_words(" ".join((*card.subjects, *card.keywords))))
    words = dict.fromkeys((*folded_words(card.title), *topics))
    known = {
        word: searcher.doc_freq(CORE, word)
        for word in list(words)[:MAX_READ]
        if len(word) >= MIN_WORD_LETTERS
    }
    most = {True: _most(searcher, USUAL_TOPIC), False: _most(searcher, USUAL_WORD)}
    shared = [word for word, count in known.items() if 1 < count <= most[word in topics]]
    rarest = sorted(shared, key=lambda word: (known[word], word))[:MAX_RARE_WORDS]
    wanted = [
        clauses.boosted(clauses.term(CORE, word), _weight(searcher, known[word], is_topic=word in topics))
        for word in rarest
    ]
    return clauses.all_of([_several_of(wanted)], but=[clauses.term(NUMBER, card.number)])


def _several_of(queries: list[tantivy.Query]) -> tantivy.Query:
    if len(queries) < MIN_SHARED:
        return clauses.any_of(queries)
    return tantivy.Query.boolean_query(
        [(tantivy.Occur.Should, each) for each in queries], minimum_number_should_match=MIN_SHARED
    )


def _most(searcher: tantivy.Searcher, share: float) -> float:
    return max(MAX_USUAL, searcher.num_docs * share)


def _weight(searcher: tantivy.Searcher, count: int, *, is_topic: bool) -> float:
    rarity = 1.0 + math.log(max(1.0, searcher.num_docs / count)) / 10
    return rarity * (TOPIC_WEIGHT if is_topic else 1.0)
