"""The catalogue of statistics: all tables by name, and the pages that show them. Used by all front ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from windrow.errors import NotFound
from windrow.stats import comparison, lengths, own_ratios, rankings
from windrow.stats.lengths import tabulate_pages
from windrow.stats.own_tables import OwnTables
from windrow.stats.population import Population
from windrow.stats.rankings import tabulate_collaboration, tabulate_departments
from windrow.stats.source_quality import tabulate_freshness, tabulate_quality, tabulate_unrecognised_types
from windrow.stats.table import Message, Table, message
from windrow.stats.time_series import tabulate_growth, tabulate_subjects_over_time, tabulate_trends

Make = Callable[[Population], Table]


class StatisticsPage(NamedTuple):
    """Tables shown together under one title."""

    name: str
    title: Message
    about: Message
    tables: tuple[str, ...]
    needs: tuple[str, ...] = ()  # fields: the page is shown if any record has one of them


def _used(values: rankings.Values) -> Make:
    return lambda population: rankings.tabulate_most_used(population, values)


TABLES: dict[str, Make] = {
    "institutions": _used(rankings.INSTITUTIONS),
    "growth": tabulate_growth,
    "languages": _used(rankings.LANGUAGES),
    "types": _used(rankings.TYPES),
    "access": _used(rankings.ACCESS),
    "licences": _used(rankings.LICENCES),
    "departments": tabulate_departments,
    "subjects": _used(rankings.SUBJECTS),
    "keywords": _used(rankings.KEYWORDS),
    "subjects-over-time": tabulate_subjects_over_time,
    "trends": tabulate_trends,
    "compare-years": comparison.compare_years,
    "compare-languages": comparison.compare_languages,
    "compare-pages": comparison.compare_pages,
    "compare-subjects": comparison.compare_subjects,
    "pages": tabulate_pages,
    "pages-by-institution": lengths.tabulate_lengths_by_institution,
    "pages-by-year": lengths.tabulate_lengths_by_year,
    "periods": _used(rankings.PERIODS),
    "places": _used(rankings.PLACES),
    "collaboration": tabulate_collaboration,
    **lengths.TABLES,
    "quality": tabulate_quality,
    "unrecognised-types": tabulate_unrecognised_types,
    "freshness": tabulate_freshness,
}
OVERVIEW = ("institutions", "growth", "languages", "types")
PAGES = (
    StatisticsPage(
        "institutions",
        message("Institutions"),
        message("How many records each institution has."),
        ("institutions",),
    ),
    StatisticsPage(
        "growth",
        message("Growth"),
        message("How many records there are of each year, and until then."),
        ("growth",),
    ),
    StatisticsPage(
        "departments",
        message("Departments"),
        message("What share of an institution's records each of its departments has."),
        ("departments",),
    ),
    StatisticsPage(
        "languages", message("Languages"), message("In which languages records are."), ("languages",)
    ),
    StatisticsPage("types", message("Types"), message("What kinds of things there are."), ("types",)),
    StatisticsPage(
        "access",
        message("Access and licences"),
        message("Who may read the things themselves, and under which terms they may be used."),
        ("access", "licences"),
    ),
    StatisticsPage(
        "pages",
        message("Pages"),
        message("How long things are: in classes, and on average by institution and year."),
        ("pages", "pages-by-institution", "pages-by-year"),
    ),
    StatisticsPage(
        "subjects",
        message("Subjects"),
        message("What records are about, and how that changed over the years."),
        ("subjects", "subjects-over-time"),
    ),
    StatisticsPage(
        "keywords",
        message("Keyword analyser"),
        message("Pick a year, an institution and a department: its keywords, and the records with them."),
        ("keywords",),
    ),
    StatisticsPage(
        "trends",
        message("Trends"),
        message("Which topics rose or fell against the years before."),
        ("trends",),
    ),
    StatisticsPage(
        "compare",
        message("Compare"),
        message("Two or more institutions on the same axes."),
        ("compare-years", "compare-languages", "compare-pages", "compare-subjects"),
    ),
    StatisticsPage(
        "collaboration",
        message("Collaboration"),
        message("Which institutions are named together in one record."),
        ("collaboration",),
    ),
    StatisticsPage(
        "occasions",
        message("Occasions"),
        message("When and where things happen: the rounds of courses, the events behind objects."),
        ("periods", "places"),
        needs=("period", "place"),
    ),
    StatisticsPage(
        "documents",
        message("Documents"),
        message("The files of the library: of which kinds they are, how large and how long."),
        tuple(lengths.TABLES),
        needs=(lengths.FILES,),
    ),
    StatisticsPage(
        "quality",
        message("Quality"),
        message("Which fields each source fills, and which types are not recognised."),
        ("quality", "unrecognised-types"),
    ),
    StatisticsPage(
        "freshness",
        message("Freshness"),
        message("When each source was last harvested well."),
        ("freshness",),
    ),
)


def make_table(name: str, population: Population) -> Table:
    """Return the table with this name; raises NotFound with the available names."""
    make = TABLES.get(name)
    if make is not None:
        return make(population)
    make_own = own_ratios.own_table(name, population)
    if make_own is None:
        listed = ", ".join(list_tables(population.own))
        raise NotFound(f"there is no table {name!r}", hint=f"There are: {listed}.")
    return make_own()


def list_tables(own: OwnTables) -> tuple[str, ...]:
    """Return the names of all tables, including those made with the owner's tables."""
    made = (each for name in own.settings for each in own_ratios.table_names(name))
    return (*TABLES, *made)


def list_pages(own: OwnTables) -> tuple[StatisticsPage, ...]:
    """Return all pages, with one for each of the owner's tables."""
    made = (
        StatisticsPage(
            f"{own_ratios.PREFIX}{name}",
            own_ratios.verbatim(settings.ratio),
            message("{title}: numbers from {source}.", title=settings.title, source=settings.source),
            own_ratios.table_names(name),
        )
        for name, settings in own.settings.items()
    )
    return (*PAGES, *made)


def find_page(name: str, own: OwnTables) -> StatisticsPage | None:
    return next((page for page in list_pages(own) if page.name == name), None)
