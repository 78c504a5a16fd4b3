"""Records much like one: those that share its rarest words in title and subjects."""

from __future__ import annotations

import math

import tantivy

from windrow.index import asking
from windrow.index.card import Card
from windrow.index.layout import CORE, NUMBER
from windrow.model.folding import words_of

MOST_WORDS = 12  # of the record that are looked for, the rarest
MOST_READ = 200
MOST_USUAL = 100  # documents that have a word, before it can be too usual to tell anything
SHORTEST = 3  # letters


def question(searcher: tantivy.Searcher, card: Card) -> tantivy.Query:
    """What finds the records that have most in common with this one, but not itself."""
    words = dict.fromkeys(words_of(" ".join((card.title, *card.subjects, *card.keywords)))).keys()
    known = {word: searcher.doc_freq(CORE, word) for word in list(words)[:MOST_READ] if len(word) >= SHORTEST}
    most = max(MOST_USUAL, searcher.num_docs / 3)
    shared = [word for word, count in known.items() if 1 < count <= most]
    rarest = sorted(shared, key=lambda word: (known[word], word))[:MOST_WORDS]
    wanted = [
        tantivy.Query.boost_query(asking.term(CORE, word), _rarity(searcher, known[word])) for word in rarest
    ]
    return asking.all_of([asking.any_of(wanted)], but=[asking.term(NUMBER, card.number)])


def _rarity(searcher: tantivy.Searcher, count: int) -> float:
    return 1.0 + math.log(max(1.0, searcher.num_docs / count)) / 10
