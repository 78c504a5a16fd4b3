"""The ways on from a leaf of a text: to its neighbours, to other hits, to chapters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from windrow.faces.documents.book import Book
from windrow.faces.documents.hits import Hits
from windrow.faces.shared.frame import Frame
from windrow.faces.shared.wording import cut

MOST_HEADINGS = 500
DEEPEST_LEVEL = 6
LISTED_HITS = 12  # leaves named in one line
_LONGEST_HEADING = 200
_TO_HIT = "#hit"  # the first mark on a page


@dataclass(frozen=True, slots=True)
class Step:
    """A link to another leaf; without an address, only words."""

    words: str
    address: str
    level: int = 1  # of a heading
    is_here: bool = False


@dataclass(frozen=True, slots=True)
class Ways:
    """Where a reader can go from here."""

    before: Step | None
    behind: Step | None
    hit_before: Step | None
    hit_behind: Step | None
    hits: tuple[Step, ...]  # the nearest
    is_more: bool  # there are other hits than those
    contents: tuple[Step, ...]


def ways_on(book: Book, frame: Frame, hits: Hits, place: int) -> Ways:
    """Give the ways on from a leaf."""

    def step(to: int | None, end: str = "") -> Step | None:
        is_leaf = to is not None and 0 <= to < len(book.leaves)
        return _step(book, frame, to, end, is_here=to == place) if is_leaf and to is not None else None

    near = sorted(sorted(hits.places, key=lambda each: abs(each - place))[:LISTED_HITS])
    listed = [found for each in near if (found := step(each, _TO_HIT))]
    return Ways(
        step(place - 1),
        step(place + 1),
        step(hits.before(place), _TO_HIT),
        step(hits.behind(place), _TO_HIT),
        tuple(listed) if len(listed) > 1 else (),
        len(hits.places) > len(listed),
        tuple(_contents(book, frame, place)),
    )


def tell_hits(book: Book, frame: Frame, hits: Hits) -> str:
    """Say on how many pages it is; nothing where nothing is looked for."""
    tongue, total = frame.tongue, book.total
    count = len({book.number(each) for each in hits.places})
    if not book.words or (count and total == 1):
        return ""
    if not hits.is_all:
        return tongue.say("At least {count} of {total} pages have it.", count=count, total=total)
    if not count and total == 1:
        return tongue.say("It is not in this text.")
    if not count:
        return tongue.say("It is on none of the {total} pages.", total=total)
    return tongue.several(
        "{count} of {total} pages has it.", "{count} of {total} pages have it.", count, total=total
    )


def _step(book: Book, frame: Frame, place: int, end: str, *, is_here: bool) -> Step:
    address = frame.link(book.address(place)) + end
    return Step(book.name(place, frame.tongue), address, is_here=is_here)


def _contents(book: Book, frame: Frame, here: int) -> Iterator[Step]:
    """The file's own table of contents. An entry that leads to no page is shown all the same."""
    for heading in book.file.headings[:MOST_HEADINGS]:
        to = book.places.get((heading.page, 1)) if heading.page and book.file.is_paged else None
        address = frame.link(book.address(to)) if to is not None else ""
        level = min(max(heading.level, 1), DEEPEST_LEVEL)
        yield Step(cut(heading.title, _LONGEST_HEADING), address, level, to == here)
