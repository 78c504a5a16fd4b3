"""The home page of the library and of each collection, and the page about the library.

Unknown addresses are a 404 even while the index is being built; home pages wait for the index.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import quote

from windrow.config.network_values import is_mail
from windrow.index.protocol import (
    MAX_COUNTED_VALUES,
    UNITS,
    FacetRequest,
    FoundDocuments,
    Index,
    Order,
    nest_departments,
)
from windrow.model.document_dates import year_of_day
from windrow.model.query import all_of
from windrow.search.request import SearchRequest
from windrow.search.value_lists import PICTURES, list_newest
from windrow.stats.population import format_period
from windrow.web.http.http_request import HttpRefusal, Request
from windrow.web.http.http_response import Response
from windrow.web.i18n.translation import Translator, message
from windrow.web.layout.page_cache import check_index_ready
from windrow.web.layout.page_layout import PageLayout, render_page
from windrow.web.layout.page_text import is_web_address
from windrow.web.layout.theme import split_paragraphs
from windrow.web.portal.browse_pages import structure_label, structure_path
from windrow.web.portal.portal_context import PortalContext

_MAX_YEARS = 1000


@dataclass(frozen=True, slots=True)
class Figure:
    """A number, what it counts, and the path where that is listed."""

    words: str
    label: str
    path: str


def library_figures(
    index: Index, question: SearchRequest, frame: PageLayout, *, now: datetime
) -> list[Figure]:
    """Return the numbers of records, institutions, years and the like, without those that are 0."""
    tongue, own = frame.tongue, frame.own_label
    tallies = [FacetRequest(name, MAX_COUNTED_VALUES) for name in ("institution", "department", "language")]
    tallies.append(UNITS)
    years_tally = FacetRequest("year", _MAX_YEARS, is_by_value=True)
    *counted, units, years = index.tally(question.query, [*tallies, years_tally])
    total = index.count(question.query)
    institutions, _, languages = (len(each.values) for each in counted)
    # Law at one university and law at another are two departments.
    inside = nest_departments(counted[0], units, most=MAX_COUNTED_VALUES)
    own_names = {one.value for each in inside.values for one in each.within}
    departments = sum(len(each.within) for each in inside.values) + sum(
        each.value not in own_names for each in counted[1].values
    )
    this_year = year_of_day(now.date(), index.year_starts)
    several, period = (
        tongue.several,
        format_period(years.values, this_year=this_year),
    )  # as in the charts
    found = [
        (total, several("record", "records", total), "/search"),
        (
            institutions,
            own("institution") or several("institution", "institutions", institutions),
            "/browse/institutions",
        ),
        (
            departments,
            own("department") or several("department", "departments", departments),
            "/browse/institutions",
        ),
        (languages, own("language") or several("language", "languages", languages), "/browse/languages"),
    ]
    figures = [Figure(tongue.number(number), label, path) for number, label, path in found if number]
    if period:
        figures.append(Figure(period, own("year") or tongue.say("years of publication"), "/browse/years"))
    return [Figure(each.words, each.label, question.address(each.path)) for each in figures]


NEWEST_SHOWN = 6
PICTURES_SHOWN = 6  # one row in a wide window
_DESCRIPTION_LETTERS = 300


class HomeView:
    """The view of home pages."""

    def __init__(self, room: PortalContext) -> None:
        self._room = room

    def library(self, request: Request, rest: str) -> Response:
        """Return the library's home page; any other path without a front end is a 404."""
        if rest.strip("/"):
            raise HttpRefusal(404, "There is nothing at this address.")
        return self._page(request, None)

    def collection(self, request: Request, rest: str) -> Response:
        name = rest.strip("/")
        if name not in self._room.collections:
            raise HttpRefusal(404, "There is no such collection.")
        return self._page(request, name)

    def _page(self, request: Request, collection: str | None) -> Response:
        room = self._room
        check_index_ready(room.index)
        frame = room.frames.frame(request, collection=collection)
        question = SearchRequest(collection=collection, collections=room.collections)
        introduction = frame.look.introduction(frame.tongue)
        return render_page(
            frame,
            "portal/home.html",
            title=frame.look.title,
            description=introduction[0][:_DESCRIPTION_LETTERS] if introduction else "",
            canonical=f"/collection/{quote(collection)}" if collection else "/",
            is_indexed=True,
            introduction=introduction,
            figures=library_figures(room.index, question, frame, now=datetime.now(UTC)),
            chart=room.landing(question, frame),
            newest=list_newest(room.index, question, limit=NEWEST_SHOWN),
            pictures=self._pictures(question, frame),
            gallery=question.address("/gallery"),
            collections=[] if collection else self._collections(frame.tongue),
            structures=[
                (structure_label(each, frame), structure_path(each, question)) for each in frame.look.browse
            ],
            ways=self._room.ways(frame, question),
        )

    def _pictures(self, question: SearchRequest, frame: PageLayout) -> FoundDocuments | None:
        """Return the latest pictures and their number, if there is a gallery."""
        if not frame.has_gallery:
            return None
        wanted = all_of((question.query, PICTURES))
        return self._room.index.search(wanted, limit=PICTURES_SHOWN, order=Order.ADDED)

    def _collections(self, tongue: Translator) -> list[Figure]:
        room, found = self._room, []
        for name in room.collections:
            inside = SearchRequest(collection=name, collections=room.collections)
            words = tongue.several("{count} record", "{count} records", room.index.count(inside.query))
            found.append(Figure(words, room.frames.looks.of(name).title, f"/collection/{quote(name)}"))
        return found


QUERY_SYNTAX = (
    ("forest management", message("records with both words, in any form of them")),
    ('"lean production"', message("these words side by side")),
    ('"lean production"~5', message("these words with at most five others between them")),
    ("nurse OR midwife", message("either word, or both")),
    ("energy -nuclear", message("the first word and not the second")),
    ("title:bridge", message("a word in the title; creator:, subject:, institution: … work in the same way")),
    ('creator:"Meri, Ann"', message("a person")),
    ("year:2010..2014", message("what appeared in these years; 2010.. is open to the end")),
    ("geo*", message("words that begin so")),
    ("wom?n", message("any one letter in this place")),
    ("organisation~", message("words that are spelt much like it")),
    ("solar^3 wind", message("both, the first weighing three times as much")),
    ('language="fi"', message("a field that has exactly this value")),
)


class AboutView:
    """The view of `/about`: operator, contact, what can be searched, and the interfaces for programs."""

    def __init__(self, room: PortalContext) -> None:
        self._room = room

    def __call__(self, request: Request, rest: str) -> Response:
        if rest.strip("/"):
            raise HttpRefusal(404, "There is nothing at this address.")
        room, frame = self._room, self._room.frames.frame(request)
        contact = room.config.library.contact
        return render_page(
            frame,
            "portal/about.html",
            title=frame.tongue.say("About this library"),
            canonical="/about",
            is_indexed=True,
            words=split_paragraphs(room.config.portal.about, frame.tongue),
            contact=contact,
            contact_link=f"mailto:{contact}"
            if is_mail(contact)
            else contact
            if is_web_address(contact)
            else "",
            shelves=[
                ("", frame.site.title),
                *((name, each.title) for name, each in room.config.collections.items()),
            ],
            sources=list(room.config.sources),
            has_sru=room.config.sru.enabled,
            syntax=[(written, frame.tongue.say(meaning)) for written, meaning in QUERY_SYNTAX],
        )
