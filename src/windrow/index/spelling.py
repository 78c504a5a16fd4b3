"""What somebody may have meant to write: words of the index that differ from theirs by a slip or two."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import tantivy

from windrow.index import asking
from windrow.index.layout import CORE, DESCRIPTION, TEXT
from windrow.model.folding import words_of
from windrow.model.wildcards import is_near

SHORTEST, LONGEST = 4, 30  # letters of a word that is corrected
MOST_COMPARED = 3_000  # words with the same beginning that are looked at for two slips
MOST_COUNTED = 8  # of the likeliest words, those that are counted exactly
_BEGINNING = 2
_FIELDS = (CORE, DESCRIPTION, TEXT)
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def corrections(
    searcher: tantivy.Searcher, count: Callable[[tantivy.Query], int], word: str, *, least: int = 1
) -> list[str]:
    """The words that this one may be misspelt from, the most used first; none if it is known.

    Known is what so many documents have at least, as it stands.
    """
    words = words_of(word)
    if len(words) != 1 or not SHORTEST <= len(words[0]) <= LONGEST:
        return []
    wrong = words[0]
    if count(_anywhere(wrong)) >= least:
        return []
    for candidates in (_one_slip(wrong), _two_slips(searcher, wrong)):
        used = {each: _uses(searcher, each) for each in dict.fromkeys(candidates)}
        likely = sorted(filter(used.get, used), key=lambda each: (-used[each], each))[:MOST_COUNTED]
        counts = {each: count(_anywhere(each)) for each in likely}
        known = [each for each in counts if counts[each] >= least]
        if known:
            return sorted(known, key=lambda each: (-counts[each], each))
    return []


def _anywhere(word: str) -> tantivy.Query:
    return asking.any_of([asking.term(field, word) for field in _FIELDS])


def _uses(searcher: tantivy.Searcher, word: str) -> int:
    """About how many documents have it."""
    return sum(searcher.doc_freq(field, word) for field in _FIELDS)


def _one_slip(word: str) -> Iterator[str]:
    """All that one slip may have made this of: to look them all up is quicker than to search for them."""
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
    """Words that begin alike: whoever errs twice seldom errs in the first two letters."""
    for field in _FIELDS:
        for known, _ in searcher.terms_with_prefix(field, word[:_BEGINNING], limit=MOST_COMPARED):
            if known.isalpha() and is_near(word, known, 2):
                yield known
