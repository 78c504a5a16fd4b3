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
USUAL_TOPIC, USUAL_WORD = 1 / 3, 1 / 10  # of all documents that have it, in subjects and in the title alone
TOPIC_WEIGHT = 1.5  # of a word in subjects and keywords: a rare one of a title may say nothing ("again")
FEWEST_SHARED = 2  # words: one alone, however rare, makes nothing alike
SHORTEST = 3  # letters


def question(searcher: tantivy.Searcher, card: Card) -> tantivy.Query:
    """What finds the records that have most in common with this one, but not itself."""
    topics = dict.fromkeys(words_of(" ".join((*card.subjects, *card.keywords))))
    words = dict.fromkeys((*words_of(card.title), *topics))
    known = {word: searcher.doc_freq(CORE, word) for word in list(words)[:MOST_READ] if len(word) >= SHORTEST}
    most = {True: _most(searcher, USUAL_TOPIC), False: _most(searcher, USUAL_WORD)}
    shared = [word for word, count in known.items() if 1 < count <= most[word in topics]]
    rarest = sorted(shared, key=lambda word: (known[word], word))[:MOST_WORDS]
    wanted = [
        asking.boosted(asking.term(CORE, word), _weight(searcher, known[word], is_topic=word in topics))
        for word in rarest
    ]
    return asking.all_of([_several_of(wanted)], but=[asking.term(NUMBER, card.number)])


def _several_of(queries: list[tantivy.Query]) -> tantivy.Query:
    if len(queries) < FEWEST_SHARED:
        return asking.any_of(queries)
    return tantivy.Query.boolean_query(
        [(tantivy.Occur.Should, each) for each in queries], minimum_number_should_match=FEWEST_SHARED
    )


def _most(searcher: tantivy.Searcher, share: float) -> float:
    return max(MOST_USUAL, searcher.num_docs * share)


def _weight(searcher: tantivy.Searcher, count: int, *, is_topic: bool) -> float:
    rarity = 1.0 + math.log(max(1.0, searcher.num_docs / count)) / 10
    return rarity * (TOPIC_WEIGHT if is_topic else 1.0)
