"""All statistics there are: tables by their names, and the pages they stand on. Every face asks here."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from windrow.errors import NotFound
from windrow.stats import comparing, documents, lengths, most_used, per_number
from windrow.stats.collaboration import collaboration
from windrow.stats.departments import departments
from windrow.stats.freshness import freshness_of
from windrow.stats.growth import growth
from windrow.stats.message import Message, message
from windrow.stats.own_tables import OwnTables
from windrow.stats.pages import pages
from windrow.stats.population import Population
from windrow.stats.quality import quality
from windrow.stats.subjects_over_time import subjects_over_time
from windrow.stats.table import Table
from windrow.stats.trends import trends
from windrow.stats.unrecognised import unrecognised_types

Make = Callable[[Population], Table]


class Page(NamedTuple):
    """Tables that are shown together, under one title."""

    name: str
    title: Message
    about: Message
    tables: tuple[str, ...]
    needs: tuple[str, ...] = ()  # fields: shown where any record has one of them


def _used(values: most_used.Values) -> Make:
    return lambda population: most_used.most_used(population, values)


TABLES: dict[str, Make] = {
    "institutions": _used(most_used.INSTITUTIONS),
    "growth": growth,
    "languages": _used(most_used.LANGUAGES),
    "types": _used(most_used.TYPES),
    "access": _used(most_used.ACCESS),
    "licences": _used(most_used.LICENCES),
    "departments": departments,
    "subjects": _used(most_used.SUBJECTS),
    "keywords": _used(most_used.KEYWORDS),
    "subjects-over-time": subjects_over_time,
    "trends": trends,
    "compare-years": comparing.compare_years,
    "compare-languages": comparing.compare_languages,
    "compare-pages": comparing.compare_pages,
    "compare-subjects": comparing.compare_subjects,
    "pages": pages,
    "pages-by-institution": lengths.lengths_by_institution,
    "pages-by-year": lengths.lengths_by_year,
    "periods": _used(most_used.PERIODS),
    "places": _used(most_used.PLACES),
    "collaboration": collaboration,
    **documents.TABLES,
    "quality": quality,
    "unrecognised-types": unrecognised_types,
    "freshness": freshness_of,
}
OVERVIEW = ("institutions", "growth", "languages", "types")
PAGES = (
    Page(
        "institutions",
        message("Institutions"),
        message("How many records each institution has."),
        ("institutions",),
    ),
    Page(
        "growth",
        message("Growth"),
        message("How many records there are of each year, and until then."),
        ("growth",),
    ),
    Page(
        "departments",
        message("Departments"),
        message("What share of an institution's records each of its departments has."),
        ("departments",),
    ),
    Page("languages", message("Languages"), message("In which languages records are."), ("languages",)),
    Page("types", message("Types"), message("What kinds of things there are."), ("types",)),
    Page(
        "access",
        message("Access and licences"),
        message("Who may read the things themselves, and under which terms they may be used."),
        ("access", "licences"),
    ),
    Page(
        "pages",
        message("Pages"),
        message("How long things are: in classes, and on average by institution and year."),
        ("pages", "pages-by-institution", "pages-by-year"),
    ),
    Page(
        "subjects",
        message("Subjects"),
        message("What records are about, and how that changed over the years."),
        ("subjects", "subjects-over-time"),
    ),
    Page(
        "keywords",
        message("Keyword analyser"),
        message("Pick a year, an institution and a department: its keywords, and the records with them."),
        ("keywords",),
    ),
    Page(
        "trends",
        message("Trends"),
        message("Which topics rose or fell against the years before."),
        ("trends",),
    ),
    Page(
        "compare",
        message("Compare"),
        message("Two or more institutions on the same axes."),
        ("compare-years", "compare-languages", "compare-pages", "compare-subjects"),
    ),
    Page(
        "collaboration",
        message("Collaboration"),
        message("Which institutions are named together in one record."),
        ("collaboration",),
    ),
    Page(
        "occasions",
        message("Occasions"),
        message("When and where things happen: the rounds of courses, the events behind objects."),
        ("periods", "places"),
        needs=("period", "place"),
    ),
    Page(
        "documents",
        message("Documents"),
        message("The files of the library: of which kinds they are, how large and how long."),
        tuple(documents.TABLES),
        needs=(documents.FILES,),
    ),
    Page(
        "quality",
        message("Quality"),
        message("Which fields each source fills, and which types are not recognised."),
        ("quality", "unrecognised-types"),
    ),
    Page(
        "freshness",
        message("Freshness"),
        message("When each source was last harvested well."),
        ("freshness",),
    ),
)


def make_table(name: str, population: Population) -> Table:
    """Give the table of this name; NotFound says which there are."""
    make = TABLES.get(name)
    if make is not None:
        return make(population)
    make_own = per_number.own_table(name, population)
    if make_own is None:
        listed = ", ".join(tables_of(population.own))
        raise NotFound(f"there is no table {name!r}", hint=f"There are: {listed}.")
    return make_own()


def tables_of(own: OwnTables) -> tuple[str, ...]:
    """Return the names of all tables, with those that are made with tables of the owner's."""
    made = (each for name in own.settings for each in per_number.table_names(name))
    return (*TABLES, *made)


def pages_of(own: OwnTables) -> tuple[Page, ...]:
    """Return all pages, with one for each table of the owner's."""
    made = (
        Page(
            f"{per_number.PREFIX}{name}",
            per_number.verbatim(settings.ratio),
            message("{title}: numbers from {source}.", title=settings.title, source=settings.source),
            per_number.table_names(name),
        )
        for name, settings in own.settings.items()
    )
    return (*PAGES, *made)


def find_page(name: str, own: OwnTables) -> Page | None:
    """Give the page of this name."""
    return next((page for page in pages_of(own) if page.name == name), None)
