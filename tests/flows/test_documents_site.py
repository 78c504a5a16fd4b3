"""The pages and files of a course as one collection: each is found by a rare word of its own text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

import pytest

from tests.fixtures import Place, own, shared
from tests.flows.folder_taken_in import URL, TakenIn, take_in
from windrow.index.protocol import Index
from windrow.model.document import Document
from windrow.model.query import Word
from windrow.model.run import Outcome
from windrow.wiring.indexing import follow_index

WORDS = re.compile(r"(?<![\w'’])[a-z0-9]{1,30}(?![\w'’])")  # whole ones; numbers too


@dataclass(frozen=True)
class Site:
    """A course site, and how many of its documents have text at least."""

    place: Place
    name: str
    with_text: int


SITES = (Site(own, "haymaking", 20), Site(shared, "aaronbloomfield__pdr", 551))


@pytest.fixture(scope="module", params=SITES, ids=lambda site: site.name)
def site(request: pytest.FixtureRequest) -> Site:
    found: Site = request.param
    return found


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory, site: Site) -> TakenIn:
    return take_in(tmp_path_factory.mktemp("course"), site.place(f"site/{site.name}"))


@pytest.fixture(scope="module")
def index(course: TakenIn) -> Iterator[Index]:
    library = course.shelf.open()
    follow_index(library)
    yield library.index
    library.close()


def words_of(document: Document) -> set[str]:
    """The words of a document's own text; not of its title, nor of what else is said of it."""
    assert document.file is not None
    return set(WORDS.findall(" ".join(document.file.text).lower()))


def test_every_file_of_the_course_is_taken_in(course: TakenIn) -> None:
    assert course.run.outcome is Outcome.OK
    assert set(course.documents()) == course.paths()


def test_every_document_with_text_is_found_by_a_rare_word_from_it(
    course: TakenIn, index: Index, site: Site
) -> None:
    words = {path: words_of(document) for path, document in course.documents().items()}
    spread = Counter(word for each in words.values() for word in each)
    with_text = {path: each for path, each in words.items() if each}
    not_found = []
    for path, each in with_text.items():
        word = min(each, key=lambda word: (spread[word], -len(word), word))
        found = index.search(Word(word, "text"), limit=len(words))
        if path not in {unquote(hit.card.identifier.removeprefix(URL)) for hit in found.hits}:
            not_found.append((path, word, found.total))
    assert not_found == []
    assert len(with_text) >= site.with_text


def test_what_has_no_text_is_pictures_and_pages_that_show_nothing_else(course: TakenIn) -> None:
    silent = [path for path, document in course.documents().items() if not words_of(document)]
    assert {path.rpartition(".")[2] for path in silent} <= {"png", "jpg", "gif", "svg", "css", "html"}
    pages = [path for path in silent if path.endswith(".html")]
    assert len(pages) < 20
    shown = ("<img", "<frame ", "<iframe", 'http-equiv="refresh"', "location")
    assert [path for path in pages if not any(word in _source(course, path) for word in shown)] == []


def _source(course: TakenIn, path: str) -> str:
    return (course.origin / path).read_text(encoding="utf-8", errors="replace").lower()
