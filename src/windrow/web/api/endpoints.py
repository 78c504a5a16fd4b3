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
from windrow.web.i18n.translation import message

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
_LISTED_SUMMARIES = {
    "types": message("List all types, with counts."),
    "languages": message("List all languages, with counts."),
    "years": message("List all years, with counts."),
    "sources": message("List all sources of records, with counts."),
    "sets": message("List all sets, with counts."),
}
LETTERED_FIELDS = {
    "creators": "creator",
    "subjects": "subject",
    "keywords": "keyword",
    "publishers": "publisher",
}
_LETTERED_SUMMARIES = {
    "creators": message("List creators in alphabetical order, with counts."),
    "subjects": message("List subjects in alphabetical order, with counts."),
    "keywords": message("List keywords in alphabetical order, with counts."),
    "publishers": message("List publishers in alphabetical order, with counts."),
}
# Groups of endpoints by the first part of their paths.
_TAGS = {
    "search": message("Search"),
    "facets": message("Search"),
    "suggest": message("Search"),
    "records": message("Records"),
    "browse": message("Browse"),
    "collections": message("Collections and sources"),
    "sources": message("Collections and sources"),
    "jobs": message("Jobs and visits"),
    "visits": message("Jobs and visits"),
    "vocabularies": message("Vocabularies"),
    "statistics": message("Statistics"),
}

PAGE_SIZE_PARAMETER = Parameter(
    "per_page", message("How many at most in one answer."), bounds=(1, MAX_PER_PAGE), default=PER_PAGE
)
FACET_PARAMETER = Parameter(
    "facet", message("A field whose values are counted."), choices=FACETED, is_repeatable=True
)
LETTER_PARAMETER = Parameter(
    "letter", message("A first letter; # for what does not begin with a letter."), example="A"
)
SOURCE_PARAMETER = Parameter("source", message("The name of a source."), is_required=True, is_in_path=True)
VOCABULARY_NAME_PARAMETER = Parameter(
    "vocabulary", message("The name of a vocabulary."), is_required=True, is_in_path=True
)
CONCEPT_PARAMETER = Parameter("concept", message("A concept: its URI, a notation or a label."), example="400")
LABEL_LANGUAGE_PARAMETER = Parameter("language", message("The language of labels, as a code."), example="sv")
PREFIX_PARAMETER = Parameter("q", message("What has been typed so far."), is_required=True, example="climate")
CONCEPT_LIMIT_PARAMETER = Parameter(
    "limit", message("How many concepts at most."), bounds=(1, MAX_PER_PAGE), default=PER_PAGE
)


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
    def tag(self) -> str:
        """Return the group of endpoints that it belongs to."""
        return _TAGS[self.path.split("/")[1]]

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
        message("Find records."),
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
        message(
            "Count the values of fields in the results of a search. A field's own filter does not count."
        ),
        api_answers.answer_facets,
        "Facets",
        (
            *SEARCH_PARAMETERS,
            Parameter(
                "field",
                message("A field whose values are counted."),
                choices=FACETED,
                is_repeatable=True,
                is_required=True,
            ),
            Parameter(
                "limit",
                message("How many values of each field at most."),
                bounds=(1, MAX_VALUES),
                default=SHOWN,
            ),
        ),
    ),
    Endpoint(
        "/records/{source}/{identifier}",
        message("Return one record. Slashes in its identifier need not be escaped."),
        api_answers.answer_record,
        "Record",
        (
            SOURCE_PARAMETER,
            Parameter(
                "identifier", message("The identifier of a record."), is_required=True, is_in_path=True
            ),
            Parameter(
                "include",
                message("What to include besides."),
                choices=("citations", "history", "raw", "similar"),
                is_repeatable=True,
            ),
        ),
        follows_index=False,
    ),
    Endpoint(
        "/suggest",
        message("Suggest completions of a search that is being typed."),
        api_answers.answer_suggestions,
        "Suggestions",
        (
            Parameter("q", message("What has been typed so far."), is_required=True, example="ha"),
            Parameter(
                "limit", message("How many suggestions at most."), bounds=(1, MAX_SUGGESTIONS), default=8
            ),
            COLLECTION_PARAMETER,
        ),
    ),
    Endpoint(
        "/browse/institutions",
        message("List institutions and their departments, with counts."),
        api_answers.answer_institutions,
        "Institutions",
        SEARCH_PARAMETERS,
    ),
    *(
        Endpoint(
            f"/browse/{name}",
            _LISTED_SUMMARIES[name],
            api_answers.make_listed_answer(field),
            "Shelf",
            SEARCH_PARAMETERS,
        )
        for name, field in LISTED_FIELDS.items()
    ),
    *(
        Endpoint(
            f"/browse/{name}",
            _LETTERED_SUMMARIES[name],
            api_answers.make_lettered_answer(field, f"/browse/{name}"),
            "Letters",
            (*SEARCH_PARAMETERS, LETTER_PARAMETER, PAGE_SIZE_PARAMETER, CURSOR_PARAMETER),
        )
        for name, field in LETTERED_FIELDS.items()
    ),
    Endpoint(
        "/browse/newest",
        message("List the newest records."),
        api_answers.answer_newest,
        "Cards",
        (*SEARCH_PARAMETERS, PAGE_SIZE_PARAMETER),
    ),
    Endpoint("/collections", message("List the collections."), api_answers.answer_collections, "Collections"),
    Endpoint(
        "/sources",
        message("List the sources and the state of each."),
        api_answers.answer_sources,
        "Sources",
        follows_index=False,
    ),
    Endpoint(
        "/sources/{source}",
        message("Return the state of one source."),
        api_answers.answer_source,
        "Source",
        (SOURCE_PARAMETER,),
        follows_index=False,
    ),
    Endpoint(
        "/jobs",
        message("List the scheduled jobs and the state of each."),
        answer_jobs,
        "Jobs",
        follows_index=False,
    ),
    Endpoint(
        "/visits",
        message(
            "Count the pages that crawlers fetched and the visits from search engines, by day and family."
        ),
        answer_visits,
        "Visits",
        (
            Parameter(
                "days", message("How many days back, today included."), bounds=(1, MAX_DAYS), default=30
            ),
        ),
        follows_index=False,
    ),
    Endpoint(
        "/vocabularies",
        message("List the vocabularies of subjects and other fields."),
        concept_answers.answer_vocabularies,
        "Vocabularies",
        follows_index=False,
    ),
    Endpoint(
        "/vocabularies/{vocabulary}",
        message("Return one vocabulary."),
        concept_answers.answer_vocabulary,
        "Vocabulary",
        (VOCABULARY_NAME_PARAMETER,),
        follows_index=False,
    ),
    Endpoint(
        "/vocabularies/{vocabulary}/concept",
        message("Return one concept: labels, notes, paths from the top, neighbours, mappings."),
        concept_answers.answer_concept,
        "Concept",
        (VOCABULARY_NAME_PARAMETER, replace(CONCEPT_PARAMETER, is_required=True), LABEL_LANGUAGE_PARAMETER),
        follows_index=False,
    ),
    Endpoint(
        "/vocabularies/{vocabulary}/children",
        message("List the concepts directly below one, or the top concepts, with counts of records."),
        concept_answers.answer_narrower_concepts,
        "Children",
        (VOCABULARY_NAME_PARAMETER, CONCEPT_PARAMETER, LABEL_LANGUAGE_PARAMETER),
        follows_index=False,
    ),
    Endpoint(
        "/vocabularies/{vocabulary}/search",
        message("Find concepts by the words of their labels, by notation or by URI."),
        concept_answers.answer_concept_search,
        "Concepts",
        (VOCABULARY_NAME_PARAMETER, PREFIX_PARAMETER, LABEL_LANGUAGE_PARAMETER, CONCEPT_LIMIT_PARAMETER),
        follows_index=False,
    ),
    Endpoint(
        "/vocabularies/{vocabulary}/suggest",
        message("Suggest concepts for a name that is being typed."),
        concept_answers.answer_concept_suggestions,
        "Concepts",
        (VOCABULARY_NAME_PARAMETER, PREFIX_PARAMETER, LABEL_LANGUAGE_PARAMETER, CONCEPT_LIMIT_PARAMETER),
        follows_index=False,
    ),
    Endpoint("/statistics", message("List the statistics tables."), api_answers.answer_statistics, "Tables"),
    Endpoint(
        "/statistics/{name}",
        message("Return one statistics table, over the results of a search."),
        api_answers.answer_statistic,
        "Table",
        (
            Parameter("name", message("The name of a table."), is_required=True, is_in_path=True),
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
