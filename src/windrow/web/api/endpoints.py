"""The endpoint table of the API: routing, parameter checks and OpenAPI are all made from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from windrow.search.facets import FACETED, SHOWN
from windrow.search.request import MAX_PER_PAGE, PER_PAGE
from windrow.web.api import api_answers, concept_answers
from windrow.web.api.api_answers import AnswerFunction, answer_jobs, answer_visits
from windrow.web.http.http_request import HttpRefusal
from windrow.web.http.parameters import (
    COLLECTION_PARAMETER,
    CURSOR_PARAMETER,
    MATCH_PARAMETER,
    SEARCH_PARAMETERS,
    SORT_PARAMETER,
    Parameter,
)

MAX_VALUES = 1000  # of one facet
MAX_SUGGESTIONS = 20
MAX_DAYS = 400
# The fields that can be browsed, with few values and with many.
LISTED_FIELDS = {
    "types": "type",
    "languages": "language",
    "years": "year",
    "sources": "source",
    "sets": "set",
}
LETTERED_FIELDS = {
    "creators": "creator",
    "subjects": "subject",
    "keywords": "keyword",
    "publishers": "publisher",
}

PAGE_SIZE_PARAMETER = Parameter("per_page", "How many at once.", bounds=(1, MAX_PER_PAGE), default=PER_PAGE)
FACET_PARAMETER = Parameter("facet", "A field to be counted.", choices=FACETED, is_repeatable=True)
LETTER_PARAMETER = Parameter("letter", "A first letter; # for what begins with none.", example="A")
SOURCE_PARAMETER = Parameter("source", "The name of a source.", is_required=True, is_in_path=True)
VOCABULARY_NAME_PARAMETER = Parameter(
    "vocabulary", "The name of a vocabulary.", is_required=True, is_in_path=True
)
CONCEPT_PARAMETER = Parameter("concept", "A concept: its URI, a notation or a label.", example="400")
LABEL_LANGUAGE_PARAMETER = Parameter(
    "language", "In which language labels are wanted, as a code.", example="sv"
)
PREFIX_PARAMETER = Parameter("q", "What is written so far.", is_required=True, example="climate")
CONCEPT_LIMIT_PARAMETER = Parameter("limit", "How many concepts.", bounds=(1, MAX_PER_PAGE), default=PER_PAGE)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A path under the API, its parameters and its answer function. `{name}` in a path is a parameter."""

    path: str
    summary: str
    answer: AnswerFunction
    shape: str  # the name of its answer's schema in the OpenAPI description
    parameters: tuple[Parameter, ...] = ()
    follows_index: bool = True  # False where the answer also depends on the store

    @property
    def is_search(self) -> bool:
        """Return whether its cost depends on the search, so that it needs a slot of the search pool."""
        return any(parameter.name == "q" for parameter in self.parameters)

    @property
    def name(self) -> str:
        """Return the operation id, which generated clients use as a function name."""
        parts = [part.strip("{}") for part in self.path.split("/") if part]
        return "_".join(parts)


class EndpointMatch(NamedTuple):
    """An endpoint and the parameters read from its path."""

    endpoint: Endpoint
    path: dict[str, str]


ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint(
        "/search",
        "Find records.",
        api_answers.answer_search,
        "Results",
        (
            *SEARCH_PARAMETERS,
            MATCH_PARAMETER,
            SORT_PARAMETER,
            PAGE_SIZE_PARAMETER,
            CURSOR_PARAMETER,
            FACET_PARAMETER,
        ),
    ),
    Endpoint(
        "/facets",
        "Count the values of fields among what is found. A field's own filter does not count for it.",
        api_answers.answer_facets,
        "Facets",
        (
            *SEARCH_PARAMETERS,
            Parameter(
                "field", "A field to be counted.", choices=FACETED, is_repeatable=True, is_required=True
            ),
            Parameter("limit", "How many values of each field.", bounds=(1, MAX_VALUES), default=SHOWN),
        ),
    ),
    Endpoint(
        "/records/{source}/{identifier}",
        "One record. Slashes in its identifier may stand as they are.",
        api_answers.answer_record,
        "Record",
        (
            SOURCE_PARAMETER,
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
        api_answers.answer_suggestions,
        "Suggestions",
        (
            Parameter("q", "What is written so far.", is_required=True, example="ha"),
            Parameter("limit", "How many suggestions.", bounds=(1, MAX_SUGGESTIONS), default=8),
            COLLECTION_PARAMETER,
        ),
    ),
    Endpoint(
        "/browse/institutions",
        "Institutions and their departments.",
        api_answers.answer_institutions,
        "Institutions",
        SEARCH_PARAMETERS,
    ),
    *(
        Endpoint(
            f"/browse/{name}",
            f"All {name}, counted.",
            api_answers.make_listed_answer(field),
            "Shelf",
            SEARCH_PARAMETERS,
        )
        for name, field in LISTED_FIELDS.items()
    ),
    *(
        Endpoint(
            f"/browse/{name}",
            f"{name.capitalize()} in the order of the alphabet, counted.",
            api_answers.make_lettered_answer(field, f"/browse/{name}"),
            "Letters",
            (*SEARCH_PARAMETERS, LETTER_PARAMETER, PAGE_SIZE_PARAMETER, CURSOR_PARAMETER),
        )
        for name, field in LETTERED_FIELDS.items()
    ),
    Endpoint(
        "/browse/newest",
        "What came last.",
        api_answers.answer_newest,
        "Cards",
        (*SEARCH_PARAMETERS, PAGE_SIZE_PARAMETER),
    ),
    Endpoint("/collections", "The collections.", api_answers.answer_collections, "Collections"),
    Endpoint(
        "/sources",
        "The sources, and how each stands.",
        api_answers.answer_sources,
        "Sources",
        follows_index=False,
    ),
    Endpoint(
        "/sources/{source}",
        "One source, and how it stands.",
        api_answers.answer_source,
        "Source",
        (SOURCE_PARAMETER,),
        follows_index=False,
    ),
    Endpoint("/jobs", "What runs by itself, and how it stands.", answer_jobs, "Jobs", follows_index=False),
    Endpoint(
        "/visits",
        "Who came by: pages given to crawlers, and visits from search engines, by day and family.",
        answer_visits,
        "Visits",
        (Parameter("days", "How many days back, today included.", bounds=(1, MAX_DAYS), default=30),),
        follows_index=False,
    ),
    Endpoint(
        "/vocabularies",
        "The vocabularies that subjects and other fields come from.",
        concept_answers.answer_vocabularies,
        "Vocabularies",
        follows_index=False,
    ),
    Endpoint(
        "/vocabularies/{vocabulary}",
        "One vocabulary.",
        concept_answers.answer_vocabulary,
        "Vocabulary",
        (VOCABULARY_NAME_PARAMETER,),
        follows_index=False,
    ),
    Endpoint(
        "/vocabularies/{vocabulary}/concept",
        "One concept: labels, notes, ways from the top, neighbours, mappings.",
        concept_answers.answer_concept,
        "Concept",
        (VOCABULARY_NAME_PARAMETER, replace(CONCEPT_PARAMETER, is_required=True), LABEL_LANGUAGE_PARAMETER),
        follows_index=False,
    ),
    Endpoint(
        "/vocabularies/{vocabulary}/children",
        "The concepts right below one, or the top concepts, each with its records.",
        concept_answers.answer_narrower_concepts,
        "Children",
        (VOCABULARY_NAME_PARAMETER, CONCEPT_PARAMETER, LABEL_LANGUAGE_PARAMETER),
        follows_index=False,
    ),
    Endpoint(
        "/vocabularies/{vocabulary}/search",
        "Find concepts by the words of their labels, by notation or by URI.",
        concept_answers.answer_concept_search,
        "Concepts",
        (VOCABULARY_NAME_PARAMETER, PREFIX_PARAMETER, LABEL_LANGUAGE_PARAMETER, CONCEPT_LIMIT_PARAMETER),
        follows_index=False,
    ),
    Endpoint(
        "/vocabularies/{vocabulary}/suggest",
        "Complete the name of a concept while it is typed.",
        concept_answers.answer_concept_suggestions,
        "Concepts",
        (VOCABULARY_NAME_PARAMETER, PREFIX_PARAMETER, LABEL_LANGUAGE_PARAMETER, CONCEPT_LIMIT_PARAMETER),
        follows_index=False,
    ),
    Endpoint("/statistics", "The tables of figures that there are.", api_answers.answer_statistics, "Tables"),
    Endpoint(
        "/statistics/{name}",
        "One table of figures, over what a question finds.",
        api_answers.answer_statistic,
        "Table",
        (
            Parameter("name", "The name of a table.", is_required=True, is_in_path=True),
            *SEARCH_PARAMETERS,
        ),
        follows_index=False,
    ),
)


def find_endpoint(path: str) -> EndpointMatch:
    """Find the endpoint of a path under the API; the last path parameter may contain slashes."""
    for endpoint in ENDPOINTS:
        found = _match_path(endpoint.path.split("/"), path)
        if found is not None:
            return EndpointMatch(endpoint, found)
    raise HttpRefusal(
        404, "There is nothing at this address of the API; /api/v1/openapi.json says what there is."
    )


def _match_path(template: Sequence[str], path: str) -> dict[str, str] | None:
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
