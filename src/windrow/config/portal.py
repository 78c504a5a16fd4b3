"""The settings of the portal, for the whole library and for one collection; `schema` has them too."""

from __future__ import annotations

from dataclasses import dataclass

from windrow.config import kinds
from windrow.config.appearance import (
    COLOUR,
    FACETS,
    LABELS,
    PICTURE,
    TRANSLATED,
    TYPES,
    Translated,
)
from windrow.config.classifiers import STRUCTURES
from windrow.config.fields import Settings, optional, setting

DEFAULT_FACETS = (
    *("institution", "department", "year", "type", "language", "access", "licence", "subject", "source"),
    *("folder", "media", "size"),  # shown where there are files
)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PortalSettings(Settings):
    """How the library looks to people."""

    language: str = setting(
        kinds.choice("en", "sv", "fi"),
        "en",
        "The language of the pages for browsers that ask for none of English, Swedish and Finnish.",
    )
    intro: tuple[tuple[str, str], ...] = setting(
        TRANSLATED, "", "What the first page says above its figures; paragraphs have an empty line between."
    )
    about: tuple[tuple[str, str], ...] = setting(TRANSLATED, "", "What the page About says first.")
    logo: str | None = optional(
        PICTURE, "A picture beside the name: an SVG, PNG, JPEG or WebP file in the library folder."
    )
    accent: str | None = optional(
        COLOUR,
        "The colour of links and buttons, such as #1a5c3a. It is made lighter or darker where it must be.",
        absent="a dark green",
    )
    types: tuple[tuple[str, Translated], ...] = setting(
        TYPES,
        {},
        "Wordings of types in records, each with the type it stands for: a type that Windrow knows, or one of"
        " your own, as a text or as a table of labels by language (en, sv, fi).",
    )
    facets: tuple[str, ...] = setting(
        FACETS, list(DEFAULT_FACETS), "What results can be narrowed by, in this order."
    )
    export_records: int = setting(
        kinds.count(1, 10_000_000, "records"),
        10_000,
        "The most records in one file of results (CSV, BibTeX …). A file that is cut says so, and where all"
        " of them are: OAI-PMH and `windrow export` have no such limit.",
    )
    year_starts: int = setting(
        kinds.YEAR_START,
        "01-01",
        'The day on which years begin where they are counted, as month and day: "08-01" for academic years,'
        " which are called 2019/20. A record that states only its year is taken for 1 July of it.",
    )
    vocabulary_search: bool = setting(
        kinds.FLAG,
        True,
        "Whether a search also finds synonyms, labels in other languages and narrower concepts where a"
        " collection binds vocabularies. `vocabulary=on` or `off` in an address beats it.",
    )
    browse: tuple[str, ...] = setting(
        STRUCTURES,
        [],
        'How people can browse: fields, or one within another, such as ["title", "folder > year"].',
        absent="by institution, author, subject, keyword, publisher, year, type, language and newness",
    )
    labels: tuple[tuple[str, Translated], ...] = setting(
        LABELS, {}, 'What fields are called instead, such as { department = "Degree programme" }.'
    )
