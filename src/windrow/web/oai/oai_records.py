"""The short way to answer GetRecord: one look into the library, one piece of text filled in.

`repository` asks here first, for requests and records as nearly all are. Whatever is unusual about either is
left to the long way, which answers everything, this to the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

from windrow.faces.oai.desk import Books, Desk
from windrow.faces.oai.usual import origin_frames, record_frame
from windrow.faces.oai.views import View
from windrow.wire.oai.answering.arguments import is_uri
from windrow.wire.oai.answering.provenance import is_strict
from windrow.wire.oai.answering.render import one_frame, stamp_of
from windrow.wire.oai.answering.soundness import is_clean
from windrow.wire.oai.answering.wrapping import tags_around

# The three arguments in the two orders that programs send them in.
_QUERY = re.compile(
    rb"verb=GetRecord&(?:identifier=([^&]{1,1024})&metadataPrefix=([^&]{1,99})"
    rb"|metadataPrefix=([^&]{1,99})&identifier=([^&]{1,1024}))"
)
_NAME = re.compile(rb"[!#-%'-;=?-~]++")  # printable, and nothing that markup would have to escape


@dataclass(frozen=True, slots=True)
class _Course:
    """What all answers about one format of one repository have in common, as long as `books` stand."""

    books: Books
    sources: tuple[int, ...]
    format_id: int
    is_telling: Mapping[int, bool]  # whether the origin of each source's records is told
    frames: tuple[Mapping[int, bytes], ...]  # the answer, for each order of the arguments and each source


class Shortcut:
    """Answers for one thread; `views` and `address` are the repository's."""

    def __init__(self, desk: Desk, views: Mapping[str, View], address: Callable[[str], str]) -> None:
        self._desk = desk
        self._views = views
        self._address = address
        self._courses: dict[tuple[str, bytes], _Course] = {}

    def answer(self, name: str, query: bytes, *, now: int) -> bytes | None:
        """Give the whole answer to a query string; None where it is to be asked for the long way."""
        asked = _QUERY.fullmatch(query)
        if asked is None:
            return None
        identifier, prefix, other_prefix, other = asked.groups()
        place, prefix = (0, prefix) if identifier else (1, other_prefix)
        course = self._courses.get((name, prefix))
        if course is None or course.books is not self._desk.standing.get(name):
            course = self._find_course(name, prefix)
        identifier = _decode(identifier or other)
        if course is None or _NAME.fullmatch(identifier) is None or not is_uri(identifier.decode("ascii")):
            return None
        return self._answer(identifier, course, course.frames[place], now)

    def _find_course(self, name: str, prefix: bytes) -> _Course | None:
        """Give how to answer for a format; None for one that is not stored, or not told in so few words."""
        books = self._desk.standing.get(name)
        if books is None or not books.sets.are_plain or self._views[name].keeps_stamps:
            return None
        spelled = prefix.decode("latin-1")
        number = books.formats.number(spelled) if spelled in books.formats.prefixes else None
        if number is None:
            return None
        base_url, verb = self._address(name), ("verb", b"GetRecord")
        pairs = ("identifier", b"%b"), ("metadataPrefix", prefix)
        origins = origin_frames(books, spelled)
        frames = tuple(
            {
                source: one_frame(base_url, (verb, *order), record_frame(told))
                for source, told in origins.items()
            }
            for order in (pairs, pairs[::-1])
        )
        is_telling = {source: told is not None for source, told in origins.items()}
        found = _Course(books, tuple(books.sources), number, is_telling, frames)
        self._courses[name, prefix] = found
        return found

    def _answer(
        self, identifier: bytes, course: _Course, frames: Mapping[int, bytes], now: int
    ) -> bytes | None:
        offering = self._desk.offering
        found = offering.glimpse(identifier.decode("ascii"), course.sources, course.format_id)
        if found is None:
            return None
        source, seq, group, members, dated, declarations, payload = found
        is_telling = course.is_telling[source]
        if not is_clean(payload) or (is_telling and not is_strict(dated)):
            return None
        try:
            opening, closing = tags_around(payload, declarations)
        except ValueError:  # they are damaged, which the long way tells
            return None
        stamp = stamp_of(offering.moments.at(seq))
        sets = course.books.sets.render_one(source, group, members)
        # All in one go: what is put together piece by piece is copied as often.
        whole = (stamp_of(now), identifier, identifier, stamp, sets, opening, payload, closing)
        return frames[source] % ((*whole, stamp, identifier, dated.encode()) if is_telling else whole)


def _decode(value: bytes) -> bytes:
    """Take the escapes out of a value: the two that nearly all identifiers have, then whatever is left."""
    value = value.replace(b"%3A", b":").replace(b"%2F", b"/")  # neither makes an escape of what is around it
    return unquote_to_bytes(value.replace(b"+", b" ")) if b"%" in value or b"+" in value else value
