"""The one table of addresses: what each takes and gives. Routing, checks and OpenAPI are all made from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from windrow.faces.api import answers, vocabularies
from windrow.faces.api.answers import Answering
from windrow.faces.api.jobs import jobs
from windrow.faces.api.visits import came_by
from windrow.faces.shared.parameters import Parameter
from windrow.faces.shared.question_parameters import COLLECTION, CURSOR, MATCH, QUESTION, SORT
from windrow.faces.shared.refusal import Refused
from windrow.finding.asking import MOST_PER_PAGE, PER_PAGE
from windrow.finding.facets import FACETED, SHOWN

MOST_VALUES = 1000  # of one facet
MOST_SUGGESTED = 20
MOST_DAYS = 400
# What can be browsed, and the field it is: with few values, and with many.
SHELVES = {"types": "type", "languages": "language", "years": "year", "sources": "source", "sets": "set"}
LETTERED = {"creators": "creator", "subjects": "subject", "keywords": "keyword", "publishers": "publisher"}

PER_PAGE_HERE = Parameter("per_page", "How many at once.", bounds=(1, MOST_PER_PAGE), default=PER_PAGE)
FACET = Parameter("facet", "A field to be counted.", choices=FACETED, is_repeatable=True)
LETTER = Parameter("letter", "A first letter; # for what begins with none.", example="A")
SOURCE = Parameter("source", "The name of a source.", is_required=True, is_in_path=True)
VOCABULARY = Parameter("vocabulary", "The name of a vocabulary.", is_required=True, is_in_path=True)
CONCEPT = Parameter("concept", "A concept: its URI, a notation or a label.", example="400")
LABELS = Parameter("language", "In which language labels are wanted, as a code.", example="sv")
WRITTEN = Parameter("q", "What is written so far.", is_required=True, example="climate")
CONCEPTS = Parameter("limit", "How many concepts.", bounds=(1, MOST_PER_PAGE), default=PER_PAGE)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address under the API, its parameters and its answer. `{name}` in a path is a parameter."""

    path: str
    summary: str
    answer: Answering
    shape: str  # of its answer, by its name in the description
    parameters: tuple[Parameter, ...] = ()
    follows_index: bool = True  # the same as long as the index is; else the store has a say

    @property
    def is_search(self) -> bool:
        """Whether what it costs depends on what is asked."""
        return any(parameter.name == "q" for parameter in self.parameters)

    @property
    def name(self) -> str:
        """What programs made from the description call it."""
        parts = [part.strip("{}") for part in self.path.split("/") if part]
        return "_".join(parts)


class Match(NamedTuple):
    """An endpoint and what its path says."""

    endpoint: Endpoint
    path: dict[str, str]


ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint(
        "/search",
        "Find records.",
        answers.search,
        "Results",
        (*QUESTION, MATCH, SORT, PER_PAGE_HERE, CURSOR, FACET),
    ),
    Endpoint(
        "/facets",
        "Count the values of fields among what is found. A field's own filter does not count for it.",
        answers.facets,
        "Facets",
        (
            *QUESTION,
            Parameter(
                "field", "A field to be counted.", choices=FACETED, is_repeatable=True, is_required=True
            ),
            Parameter("limit", "How many values of each field.", bounds=(1, MOST_VALUES), default=SHOWN),
        ),
    ),
    Endpoint(
        "/records/{source}/{identifier}",
        "One record. Slashes in its identifier may stand as they are.",
        answers.record,
        "Record",
        (
            SOURCE,
            Parameter("identifier", "The identifier of a record.", is_required=True, is_in_path=True),
            Parameter(
                "include",
                "What else to give.",
                choices=("citations", "history", "raw", "similar"),
                is_repeatable=True,
            ),
        ),
        follows_index=False,
    ),
    Endpoint(
        "/suggest",
        "Complete what somebody began to write.",
        answers.suggestions,
        "Suggestions",
        (
            Parameter("q", "What is written so far.", is_required=True, example="ha"),
            Parameter("limit", "How many suggestions.", bounds=(1, MOST_SUGGESTED), default=8),
            COLLECTION,
        ),
    ),
    Endpoint(
        "/browse/institutions",
        "Institutions and their departments.",
        answers.institutions,
        "Institutions",
        QUESTION,
    ),
    *(
        Endpoint(f"/browse/{name}", f"All {name}, counted.", answers.shelf_of(field), "Shelf", QUESTION)
        for name, field in SHELVES.items()
    ),
    *(
        Endpoint(
            f"/browse/{name}",
            f"{name.capitalize()} in the order of the alphabet, counted.",
            answers.letters_of(field, f"/browse/{name}"),
            "Letters",
            (*QUESTION, LETTER, PER_PAGE_HERE, CURSOR),
        )
        for name, field in LETTERED.items()
    ),
    Endpoint("/browse/newest", "What came last.", answers.newest, "Cards", (*QUESTION, PER_PAGE_HERE)),
    Endpoint("/collections", "The collections.", answers.collections, "Collections"),
    Endpoint(
        "/sources", "The sources, and how each stands.", answers.sources, "Sources", follows_index=False
    ),
    Endpoint(
        "/sources/{source}",
        "One source, and how it stands.",
        answers.source,
        "Source",
        (SOURCE,),
        follows_index=False,
    ),
    Endpoint("/jobs", "What runs by itself, and how it stands.", jobs, "Jobs", follows_index=False),
    Endpoint(
        "/visits",
        "Who came by: pages given to crawlers, and visits from search engines, by day and family.",
        came_by,
        "Visits",
        (Parameter("days", "How many days back, today included.", bounds=(1, MOST_DAYS), default=30),),
        follows_index=False,
    ),
    Endpoint(
        "/vocabularies",
        "The vocabularies that subjects and other fields come from.",
        vocabularies.vocabularies,
        "Vocabularies",
        follows_index=False,
    ),
    Endpoint(
        "/vocabularies/{vocabulary}",
        "One vocabulary.",
        vocabularies.vocabulary,
        "Vocabulary",
        (VOCABULARY,),
        follows_index=False,
    ),
    Endpoint(
        "/vocabularies/{vocabulary}/concept",
        "One concept: labels, notes, ways from the top, neighbours, mappings.",
        vocabularies.concept,
        "Concept",
        (VOCABULARY, replace(CONCEPT, is_required=True), LABELS),
        follows_index=False,
    ),
    Endpoint(
        "/vocabularies/{vocabulary}/children",
        "The concepts right below one, or the top concepts, each with its records.",
        vocabularies.children,
        "Children",
        (VOCABULARY, CONCEPT, LABELS),
        follows_index=False,
    ),
    Endpoint(
        "/vocabularies/{vocabulary}/search",
        "Find concepts by the words of their labels, by notation or by URI.",
        vocabularies.search,
        "Concepts",
        (VOCABULARY, WRITTEN, LABELS, CONCEPTS),
        follows_index=False,
    ),
    Endpoint(
        "/vocabularies/{vocabulary}/suggest",
        "Complete the name of a concept while it is typed.",
        vocabularies.suggest,
        "Concepts",
        (VOCABULARY, WRITTEN, LABELS, CONCEPTS),
        follows_index=False,
    ),
    Endpoint("/statistics", "The tables of figures that there are.", answers.statistics, "Tables"),
    Endpoint(
        "/statistics/{name}",
        "One table of figures, over what a question finds.",
        answers.statistic,
        "Table",
        (
            Parameter("name", "The name of a table.", is_required=True, is_in_path=True),
            *QUESTION,
        ),
        follows_index=False,
    ),
)


def find_endpoint(path: str) -> Match:
    """Give the endpoint for a path under the API; the last parameter of a path may have slashes in it."""
    for endpoint in ENDPOINTS:
        found = _matched(endpoint.path.split("/"), path)
        if found is not None:
            return Match(endpoint, found)
    raise Refused(
        404, "There is nothing at this address of the API; /api/v1/openapi.json says what there is."
    )


def _matched(template: Sequence[str], path: str) -> dict[str, str] | None:
    parts = path.split("/", len(template) - 1)
    if len(parts) != len(template):
        return None
    found = {}
    for wanted, part in zip(template, parts, strict=True):
        if wanted.startswith("{"):
            found[wanted.strip("{}")] = part
        elif wanted != part:
            return None
    is_whole = all(found.values()) and (not found or "{identifier}" in template or "/" not in parts[-1])
    return found if is_whole else None
