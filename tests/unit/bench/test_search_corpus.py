"""The records of the search bench: the same everywhere, as large as claimed, with words of one form."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from statistics import mean

from bench import stock
from bench.search import corpus, vocabulary

from windrow.formats.registry import read
from windrow.index.tantivy.rows import Entry
from windrow.model.text.folding import fold
from windrow.model.text.word_forms import query_stems


@cache
def some() -> list[Entry]:
    return list(corpus.entries(300))


def test_no_two_words_share_a_form_or_a_stem() -> None:
    words = vocabulary.southern().words + vocabulary.northern().words
    assert len(words) == vocabulary.WORDS
    owners: dict[str, str] = {}
    for word in words:
        for form in (fold(word), *query_stems(word)):
            assert owners.setdefault(form, word) == word


def test_a_record_is_the_same_each_time_and_its_versions_differ() -> None:
    assert corpus.entry(17) == some()[16]
    changed = corpus.entry(17, version=1)
    assert (changed.number, changed.identifier) == (17, some()[16].identifier)
    assert changed.document.titles != some()[16].document.titles


def test_descriptions_have_about_800_letters_and_records_about_three_and_a_half_events() -> None:
    letters = [len(entry.document.descriptions[0].value) for entry in some()]
    assert min(letters) >= 780
    assert max(letters) <= 801
    assert 3 < mean(len(entry.document.events) for entry in some()) < 4


def test_a_corpus_that_was_written_is_read_back_whole(tmp_path: Path) -> None:
    corpus.write(tmp_path / "corpus", len(some()))
    assert corpus.read(tmp_path / "corpus") == some()


def test_a_payload_reads_back_into_what_it_was_made_from() -> None:
    for entry in some()[:50]:
        was, now = entry.document, read(stock.render(entry), b"", stock.PREFIX)
        for name in ("titles", "creators", "keywords", "descriptions", "publishers", "year", "types"):
            assert getattr(now, name) == getattr(was, name), name
        for name in ("languages", "pages", "institution", "department", "dates"):
            assert getattr(now, name) == getattr(was, name), name
        assert [subject.value for subject in now.subjects] == [subject.value for subject in was.subjects]
        assert (now.landing, now.fulltext) == (was.landing, was.fulltext)
