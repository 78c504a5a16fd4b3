"""Ways through the library without a search: institutions, names from A to Z, years, types, newest."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from windrow.faces.portal.classified import BY, Classified, label_of, structure_path
from windrow.faces.portal.room import Room
from windrow.faces.shared.catalogues import message
from windrow.faces.shared.frame import Frame, show
from windrow.faces.shared.link_size import check_short
from windrow.faces.shared.noted import tell_filters
from windrow.faces.shared.pairs import query_pairs
from windrow.faces.shared.query_mistakes import explain_all
from windrow.faces.shared.refusal import Refused
from windrow.faces.shared.request import Request
from windrow.faces.shared.response import Response
from windrow.finding import browsing
from windrow.finding.question import Question

NEWEST = 50
MOST_VOCABULARIES = 100
_LONGEST_AFTER = 1000
# What can be browsed: the part of the address, the field, and what it is called.
INSTITUTIONS, YEARS, LATEST = "institutions", "years", "newest"
LETTERED = {
    "creators": ("creator", message("Authors")),
    "subjects": ("subject", message("Subjects")),
    "keywords": ("keyword", message("Keywords")),
    "publishers": ("publisher", message("Publishers")),
}
LISTED = {
    YEARS: ("year", message("Years")),
    "types": ("type", message("Types")),
    "languages": ("language", message("Languages")),
}
_FIELDS = {INSTITUTIONS: "institution", **{name: field for name, (field, _) in (LETTERED | LISTED).items()}}
TITLES = {
    INSTITUTIONS: message("Institutions"),
    **{name: title for name, (_, title) in (LETTERED | LISTED).items()},
    LATEST: message("Newest records"),
}
_WORDS = {
    INSTITUTIONS: message("Institutions and their departments."),
    "creators": message("Everybody who wrote something, from A to Z."),
    "subjects": message("Subjects and keywords, from A to Z."),
    "keywords": message("Words that authors chose themselves, from A to Z."),
    "publishers": message("Publishers, from A to Z."),
    YEARS: message("Years of publication."),
    "types": message("Kinds of documents."),
    "languages": message("Languages of the documents."),
    LATEST: message("What came into the library last."),
}


class Browsing:
    """Makes the pages under `/browse`."""

    def __init__(self, room: Room) -> None:
        self._room = room

    def __call__(self, request: Request, rest: str) -> Response:
        """Give the page for a way, or the list of ways."""
        name = rest.strip("/")
        question, frame = self._room.asked(request)
        check_short(question)
        if not name:
            return self._ways(question, frame)
        if name.startswith(f"{BY}/"):
            return Classified(self._room).page(request, question, frame, name.removeprefix(f"{BY}/"))
        if name == INSTITUTIONS:
            shelf = browsing.institutions(self._room.index, question, language=frame.tongue.code)
            return self._page("institutions", name, question, frame, shelf=shelf)
        if name in LISTED:
            shelf = browsing.listed(self._room.index, LISTED[name][0], question)
            most = max((each.count for each in shelf.values), default=1)
            return self._page("listed", name, question, frame, shelf=shelf, most=most)
        if name in LETTERED:
            return self._lettered(request, name, question, frame)
        if name == LATEST:
            hits = browsing.newest(self._room.index, question, limit=NEWEST)
            return self._page("newest", name, question, frame, hits=hits)
        raise Refused(404, "There is nothing at this address.")

    def _ways(self, question: Question, frame: Frame) -> Response:
        say = frame.tongue.say
        own = frame.look.browse
        ways = [(label_of(each, frame), "", structure_path(each, question)) for each in own]
        names = (LATEST,) if own else tuple(TITLES)
        ways += [
            (_title(name, frame), _words(name, frame), question.address(f"/browse/{name}")) for name in names
        ]
        ways += _vocabularies(question, frame)
        title = say("Browse")
        return show(
            frame,
            "portal/browse.html",
            title=title,
            ways=ways,
            notes=tell_filters(question.notes, frame.tongue),
            canonical="/browse/",
            is_indexed=True,
        )

    def _lettered(self, request: Request, name: str, question: Question, frame: Frame) -> Response:
        """Give a page of names under a letter."""
        pairs = dict(query_pairs(request.query))
        letter, after = pairs.get("letter", "")[:4], pairs.get("after", "")[:_LONGEST_AFTER]
        field, language = LETTERED[name][0], frame.tongue.code
        found = browsing.lettered(
            self._room.index, field, question, letter=letter, after=after, language=language
        )
        return self._page(
            "lettered",
            name,
            question,
            frame,
            letters=found,
            initials=[(each.value, each.count, _path(name, question, each.value)) for each in found.initials],
            following=_path(name, question, found.letter, found.next) if found.next else "",
        )

    def _page(self, template: str, name: str, question: Question, frame: Frame, **values: Any) -> Response:
        return show(
            frame,
            f"portal/{template}.html",
            title=_title(name, frame),
            canonical=question.address(f"/browse/{name}"),
            name=name,
            others=[(each, _title(each, frame), question.address(f"/browse/{each}")) for each in TITLES],
            ways=self._room.ways(frame, question),
            question=question,
            notes=tell_filters(question.notes, frame.tongue),
            mistakes=explain_all(question.mistakes, frame.tongue),
            **values,
        )


def _vocabularies(question: Question, frame: Frame) -> list[tuple[str, str, str]]:
    """Return the vocabularies of the library, each with how many concepts it has."""
    return [
        (
            each.vocabulary.label((frame.tongue.code,)),
            frame.tongue.several("{count} concept", "{count} concepts", each.vocabulary.concepts),
            Question(collection=question.collection).address(each.path),
        )
        for each in (frame.vocabularies.places if frame.vocabularies else ())[:MOST_VOCABULARIES]
    ]


def _title(name: str, frame: Frame) -> str:
    """What a way is called: as the settings call its field, where they do."""
    return frame.own_label(_FIELDS.get(name, "")) or frame.tongue.say(TITLES[name])


def _words(name: str, frame: Frame) -> str:
    """What a way is, in a few words; nothing where its field is called otherwise than these words have it."""
    return "" if frame.own_label(_FIELDS.get(name, "")) else frame.tongue.say(_WORDS[name])


def _path(name: str, here: Question, letter: str, after: str | None = None) -> str:
    pairs = [*here.pairs(), ("letter", letter), ("after", after or "")]
    pairs = [pair for pair in pairs if pair[1]]
    return f"/browse/{name}" + (f"?{urlencode(pairs, errors='replace')}" if pairs else "")
