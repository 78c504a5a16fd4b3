"""The pages under `/browse`: institutions, names from A to Z, years, types, newest, structures.

A structure (`/browse/by/NAME`) lists the values of one field, the values of another within them, and at the
end the documents.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from windrow.config.collection_values import EXTRA, Structure
from windrow.index.protocol import FoundDocuments
from windrow.model.counted_fields import counted_value
from windrow.search import value_lists
from windrow.search.request import SearchRequest, deepest_page
from windrow.search.value_lists import DOCUMENTS_PER_PAGE, Class, Classes
from windrow.web.http.http_request import HttpRefusal, Request, parse_query_string
from windrow.web.http.http_response import Response
from windrow.web.http.parameters import check_fits_value_links
from windrow.web.i18n.query_notices import explain_filter_notes, explain_mistakes
from windrow.web.i18n.translation import message
from windrow.web.layout.page_layout import PageLayout, render_page
from windrow.web.portal.portal_context import PortalContext
from windrow.web.portal.record_files import FILE_LABELS

STRUCTURE_SEGMENT = "by"
_OUTER_PARAMETER, _INNER_PARAMETER = "in", "then"  # parameters with the chosen values
_MAX_PAGE_DIGITS = 6  # digits


@dataclass(frozen=True, slots=True)
class ListedValue:
    """A value in a list, with its count and link."""

    words: str
    count: int
    address: str
    within: tuple[ListedValue, ...] = ()


@dataclass(frozen=True, slots=True)
class ValueListing:
    """The values of one field."""

    label: str
    entries: tuple[ListedValue, ...]
    # letter, number of values, address, whether it is shown
    letters: tuple[tuple[str, int, str, bool], ...] = ()
    is_cut: bool = False


def structure_label(structure: Structure, frame: PageLayout) -> str:
    """Return the label of a structure, such as "Folder › Year"."""
    return " › ".join(field_label(field, frame) for field in structure.fields)


def field_label(field: str, frame: PageLayout) -> str:
    if field.startswith(EXTRA):
        name = field.removeprefix(EXTRA).strip()
        known = FILE_LABELS.get(name.lower())
        return name.capitalize() if known is None else frame.tongue.say(known)
    return frame.label("media" if field == "format" else field)


def structure_path(structure: Structure, question: SearchRequest, *chosen: str, **more: str | int) -> str:
    pairs = [
        ("collection", question.collection or ""),
        *zip((_OUTER_PARAMETER, _INNER_PARAMETER), chosen, strict=False),
    ]
    pairs += [(name, str(value)) for name, value in more.items()]
    written = urlencode([pair for pair in pairs if pair[1]], errors="replace")
    return f"/browse/{STRUCTURE_SEGMENT}/{structure.slug}" + (f"?{written}" if written else "")


@dataclass(frozen=True, slots=True)
class ClassifiedView:
    """The view of configured structures."""

    room: PortalContext

    def page(self, request: Request, question: SearchRequest, frame: PageLayout, slug: str) -> Response:
        """Return the page of a structure; raise HttpRefusal if there is none of this name."""
        structure = next((each for each in frame.look.browse if each.slug == slug), None)
        if structure is None:
            raise HttpRefusal(404, "There is nothing at this address.")
        pairs = dict(parse_query_string(request.query))
        chosen = [
            counted_value(pairs[name])
            for name in (_OUTER_PARAMETER, _INNER_PARAMETER)[: len(structure.fields)]
            if pairs.get(name)
        ]
        if _INNER_PARAMETER in pairs and _OUTER_PARAMETER not in pairs:
            chosen = []
        return _StructurePage(self.room, structure, question, frame, tuple(chosen)).show(
            letter=pairs.get("letter", "")[:4], page=_parse_page_number(pairs.get("page", ""))
        )


@dataclass(frozen=True, slots=True)
class _StructurePage:
    room: PortalContext
    structure: Structure
    question: SearchRequest
    frame: PageLayout
    chosen: tuple[str, ...]

    def show(self, *, letter: str, page: int) -> Response:
        found = self._documents(page)
        if page > 1 and (found is None or not found.hits):
            raise HttpRefusal(404, "There is no such page.")
        is_leaf = len(self.chosen) > 1
        listings = [] if is_leaf else [self._listing(each) for each in self._classes(letter)]
        title = structure_label(self.structure, self.frame)
        is_last = (
            found is None
            or page * DOCUMENTS_PER_PAGE >= found.total
            or page >= deepest_page(DOCUMENTS_PER_PAGE)
        )
        return render_page(
            self.frame,
            "portal/classified.html",
            title=f"{' › '.join(self._chosen_words())} · {title}" if self.chosen else title,
            heading=title,
            canonical=self._path(*self.chosen, **({"page": page} if page > 1 else {})),
            is_indexed=not self.chosen and not letter,
            name=self.structure.slug,
            others=[
                (each.slug, structure_label(each, self.frame), structure_path(each, self.question))
                for each in self.frame.look.browse
            ],
            trail=list(self._trail()),
            listings=[each for each in listings if each.entries],
            hits=found.hits if found else (),
            total=found.total if found else 0,
            previous=self._path(*self.chosen, page=page - 1) if page > 1 else "",
            following="" if is_last else self._path(*self.chosen, page=page + 1),
            ways=self.room.ways(self.frame, self.question),
            question=self.question,
            notes=explain_filter_notes(self.question.notes, self.frame.tongue),
        )

    def _documents(self, page: int) -> FoundDocuments | None:
        """Return documents once a value is chosen; those in no folder are shown beside the top folders."""
        if not self.chosen and self.structure.fields != ("folder",):
            return None
        query = self.question.query
        if page > deepest_page(DOCUMENTS_PER_PAGE):
            raise HttpRefusal(404, "There is no such page.")
        language = self.frame.tongue.code
        return value_lists.list_documents(
            self.room.index, query, self.structure, self.chosen, page=page, language=language
        )

    def _classes(self, letter: str) -> list[Classes]:
        index, query = self.room.index, self.question.query
        language = self.frame.tongue.code
        if self.chosen:
            return value_lists.list_inner_classes(
                index, query, self.structure, self.chosen[0], language=language
            )
        return [
            value_lists.list_outer_classes(index, query, self.structure, letter=letter, language=language)
        ]

    def _listing(self, classes: Classes) -> ValueListing:
        is_outer = classes.field == self.structure.fields[0]
        before = () if is_outer else self.chosen
        return ValueListing(
            field_label(classes.field, self.frame),
            tuple(self._entry(classes.field, each, before) for each in classes.found),
            tuple(
                (each, count, self._path(letter=each), each == classes.letter)
                for each, count in classes.letters
            ),
            classes.is_cut,
        )

    def _entry(self, field: str, found: Class, before: tuple[str, ...]) -> ListedValue:
        chosen = (*before, found.value)
        within = tuple(self._entry(self.structure.fields[1], each, chosen) for each in found.within)
        return ListedValue(self._words(field, found.value), found.count, self._path(*chosen), within)

    def _trail(self) -> Iterator[tuple[str, str]]:
        """Yield the breadcrumbs, each with label and address."""
        yield structure_label(self.structure, self.frame), self._path()
        if self.chosen and self.structure.fields[0] == "folder":
            parts = self.chosen[0].split("/")
            for depth in range(1, len(parts) + 1):
                yield parts[depth - 1], self._path("/".join(parts[:depth]))
        elif self.chosen:
            yield self._words(self.structure.fields[0], self.chosen[0]), self._path(self.chosen[0])
        if self.chosen[1:]:
            yield self._words(self.structure.fields[1], self.chosen[1]), self._path(*self.chosen)

    def _words(self, field: str, value: str) -> str:
        if field == "folder":
            return value.rpartition("/")[2]
        return self.frame.value("media" if field == "format" else field, value)

    def _chosen_words(self) -> Sequence[str]:
        return [
            self._words(field, value)
            for field, value in zip(self.structure.fields, self.chosen, strict=False)
        ]

    def _path(self, *chosen: str, **more: str | int) -> str:
        return structure_path(self.structure, self.question, *chosen, **more)


def _parse_page_number(text: str) -> int:
    is_number = text.isascii() and text.isdecimal() and len(text) <= _MAX_PAGE_DIGITS
    return max(int(text), 1) if is_number else 1


NEWEST_LISTED = 50
MAX_VOCABULARIES = 100
_MAX_AFTER_LENGTH = 1000
# What can be browsed: path segment, field and label.
INSTITUTIONS, YEARS, LATEST = "institutions", "years", "newest"
LETTERED_WAYS = {
    "creators": ("creator", message("Authors")),
    "subjects": ("subject", message("Subjects")),
    "keywords": ("keyword", message("Keywords")),
    "publishers": ("publisher", message("Publishers")),
}
LISTED_WAYS = {
    YEARS: ("year", message("Years")),
    "types": ("type", message("Types")),
    "languages": ("language", message("Languages")),
}
_FIELDS = {
    INSTITUTIONS: "institution",
    **{name: field for name, (field, _) in (LETTERED_WAYS | LISTED_WAYS).items()},
}
BROWSE_TITLES = {
    INSTITUTIONS: message("Institutions"),
    **{name: title for name, (_, title) in (LETTERED_WAYS | LISTED_WAYS).items()},
    LATEST: message("Newest records"),
}
_DESCRIPTIONS = {
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


class BrowseView:
    """The view of `/browse`."""

    def __init__(self, room: PortalContext) -> None:
        self._room = room

    def __call__(self, request: Request, rest: str) -> Response:
        name = rest.strip("/")
        question, frame = self._room.asked(request)
        check_fits_value_links(question)
        if not name:
            return self._ways(question, frame)
        if name.startswith(f"{STRUCTURE_SEGMENT}/"):
            return ClassifiedView(self._room).page(
                request, question, frame, name.removeprefix(f"{STRUCTURE_SEGMENT}/")
            )
        if name == INSTITUTIONS:
            shelf = value_lists.list_institutions(self._room.index, question, language=frame.tongue.code)
            return self._page("institutions", name, question, frame, shelf=shelf)
        if name in LISTED_WAYS:
            shelf = value_lists.list_values(self._room.index, LISTED_WAYS[name][0], question)
            most = max((each.count for each in shelf.values), default=1)
            return self._page("listed", name, question, frame, shelf=shelf, most=most)
        if name in LETTERED_WAYS:
            return self._lettered(request, name, question, frame)
        if name == LATEST:
            hits = value_lists.list_newest(self._room.index, question, limit=NEWEST_LISTED)
            return self._page("newest", name, question, frame, hits=hits)
        raise HttpRefusal(404, "There is nothing at this address.")

    def _ways(self, question: SearchRequest, frame: PageLayout) -> Response:
        say = frame.tongue.say
        own = frame.look.browse
        ways = [(structure_label(each, frame), "", structure_path(each, question)) for each in own]
        names = (LATEST,) if own else tuple(BROWSE_TITLES)
        ways += [
            (
                _browse_title(name, frame),
                _browse_description(name, frame),
                question.address(f"/browse/{name}"),
            )
            for name in names
        ]
        ways += _vocabularies(question, frame)
        title = say("Browse")
        return render_page(
            frame,
            "portal/browse.html",
            title=title,
            ways=ways,
            notes=explain_filter_notes(question.notes, frame.tongue),
            canonical="/browse/",
            is_indexed=True,
        )

    def _lettered(self, request: Request, name: str, question: SearchRequest, frame: PageLayout) -> Response:
        pairs = dict(parse_query_string(request.query))
        letter, after = pairs.get("letter", "")[:4], pairs.get("after", "")[:_MAX_AFTER_LENGTH]
        field, language = LETTERED_WAYS[name][0], frame.tongue.code
        found = value_lists.list_under_letter(
            self._room.index, field, question, letter=letter, after=after, language=language
        )
        return self._page(
            "lettered",
            name,
            question,
            frame,
            letters=found,
            initials=[
                (each.value, each.count, _browse_path(name, question, each.value)) for each in found.initials
            ],
            following=_browse_path(name, question, found.letter, found.next) if found.next else "",
        )

    def _page(
        self, template: str, name: str, question: SearchRequest, frame: PageLayout, **values: Any
    ) -> Response:
        return render_page(
            frame,
            f"portal/{template}.html",
            title=_browse_title(name, frame),
            canonical=question.address(f"/browse/{name}"),
            name=name,
            others=[
                (each, _browse_title(each, frame), question.address(f"/browse/{each}"))
                for each in BROWSE_TITLES
            ],
            ways=self._room.ways(frame, question),
            question=question,
            notes=explain_filter_notes(question.notes, frame.tongue),
            mistakes=explain_mistakes(question.mistakes, frame.tongue),
            **values,
        )


def _vocabularies(question: SearchRequest, frame: PageLayout) -> list[tuple[str, str, str]]:
    return [
        (
            each.vocabulary.label((frame.tongue.code,)),
            frame.tongue.several("{count} concept", "{count} concepts", each.vocabulary.concepts),
            SearchRequest(collection=question.collection).address(each.path),
        )
        for each in (frame.vocabularies.places if frame.vocabularies else ())[:MAX_VOCABULARIES]
    ]


def _browse_title(name: str, frame: PageLayout) -> str:
    """Return the title of a browse page: the configured label of its field, if there is one."""
    return frame.own_label(_FIELDS.get(name, "")) or frame.tongue.say(BROWSE_TITLES[name])


def _browse_description(name: str, frame: PageLayout) -> str:
    """Return a short description; empty if the field has a configured label, which it might contradict."""
    return "" if frame.own_label(_FIELDS.get(name, "")) else frame.tongue.say(_DESCRIPTIONS[name])


def _browse_path(name: str, here: SearchRequest, letter: str, after: str | None = None) -> str:
    pairs = [*here.pairs(), ("letter", letter), ("after", after or "")]
    pairs = [pair for pair in pairs if pair[1]]
    return f"/browse/{name}" + (f"?{urlencode(pairs, errors='replace')}" if pairs else "")
