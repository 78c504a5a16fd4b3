"""What makes records similar: rather what they are about than how they are called."""

from __future__ import annotations

from tests.contracts.index.back_ends import in_one_segment
from tests.contracts.index.hay import entry
from windrow.index.tantivy.searching import TantivyIndex
from windrow.index.tantivy.suggestions import MAX_USUAL
from windrow.model.document import Document, Text


def about(number: int, title: str, *keywords: str) -> tuple[int, Document]:
    return number, Document(titles=(Text(title),), keywords=keywords)


def index(*documents: tuple[int, Document]) -> TantivyIndex:
    return in_one_segment([entry(*each) for each in documents])


def similar(found: TantivyIndex) -> list[int]:
    return [hit.card.number for hit in found.similar(1)]


def test_what_shares_subjects_comes_before_what_shares_as_many_words_of_the_title() -> None:
    mine = about(1, "Again and later", "floods", "relief")
    titles = about(2, "Later again", "meadows", "rakes")
    topics = about(3, "Mowers abroad", "floods", "relief")
    assert similar(index(mine, titles, topics)) == [3, 2]


def test_a_word_that_many_titles_have_is_none_that_is_shared() -> None:
    usual = [about(number, f"Notes on {number}") for number in range(10, 11 + MAX_USUAL)]
    others = [about(number, f"Oats {number}") for number in range(1000, 1500)]
    mine, nearly = about(1, "Notes on rare hay"), about(2, "Notes on rare books")
    assert similar(index(mine, nearly, about(3, "Rare hay"), *usual, *others)) == [3]
