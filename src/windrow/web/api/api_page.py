"""The description of the API as a page for people, made from the OpenAPI description.

Each operation has a request that can be run: the values in it are from this library.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from typing import Any
from urllib.parse import quote, urlencode

from windrow.errors import WindrowError
from windrow.search import value_lists
from windrow.search.record_addresses import record_path
from windrow.store.vocabulary import concepts
from windrow.vocabularies.vocabulary_view import VocabularyView, short_concept
from windrow.web.api.api_context import API_BASE, ApiContext
from windrow.web.api.openapi import describe_api
from windrow.web.http.http_request import Request
from windrow.web.http.http_response import Header, Response
from windrow.web.http.parameters import SEARCH_PARAMETERS
from windrow.web.i18n.translation import Translator
from windrow.web.layout.page_layout import PageLayout, PageLayouts, render_page

_VARY: Header = (b"vary", b"accept, accept-language, cookie, accept-encoding")
_SEARCH_NAMES = frozenset(parameter.name for parameter in SEARCH_PARAMETERS)
_SEARCH = "/search"
_MIN_WORD_LENGTH = 4  # of a word that makes a telling example
_TYPED_LENGTH = 3  # of a word that is being typed
_MAX_CHOICES = 30

Samples = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ShownParameter:
    """A row of the table of parameters; several parameters that differ in name only share one."""

    names: tuple[str, ...]
    about: str
    values: str
    is_required: bool


@dataclass(frozen=True, slots=True)
class ShownOperation:
    """An operation with its parameters, the names in its answer and requests to try."""

    id: str
    path: str
    summary: str
    parameters: tuple[ShownParameter, ...]
    has_search: bool  # takes the parameters of a search as well
    answer: tuple[str, ...]
    examples: tuple[str, ...]  # paths and queries on this site


@dataclass(frozen=True, slots=True)
class OperationGroup:
    """The operations with one tag."""

    title: str
    operations: tuple[ShownOperation, ...]


class ApiPage:
    """The view of the description."""

    def __init__(self, frames: PageLayouts, desk: ApiContext) -> None:
        self._frames = frames
        self._desk = desk
        self._description = describe_api(desk)

    def show(self, request: Request) -> Response:
        frame = self._frames.frame(request)
        groups = list(self._groups(frame))
        example = next(each for group in groups for each in group.operations[0].examples)
        return render_page(
            frame,
            "api/description.html",
            _VARY,
            title=frame.tongue.say("API for programs"),
            canonical=f"{API_BASE}/",
            base=self._desk.link("/"),
            openapi=frame.link(f"{API_BASE}/openapi.json"),
            example=frame.site.url + example.removeprefix(frame.site.path),
            groups=groups,
            search_parameters=self._search_parameters(frame.tongue),
        )

    def _groups(self, frame: PageLayout) -> Iterator[OperationGroup]:
        samples = sample_values(self._desk)
        operations = [(path, each["get"]) for path, each in self._description["paths"].items()]
        for tag in self._description["tags"]:
            shown = [
                self._operation(path, operation, samples, frame)
                for path, operation in operations
                if tag["name"] in operation["tags"]
            ]
            yield OperationGroup(frame.tongue.say(tag["name"]), tuple(shown))

    def _operation(
        self, path: str, operation: Mapping[str, Any], samples: Samples, frame: PageLayout
    ) -> ShownOperation:
        names = {each["name"] for each in operation["parameters"] if each["in"] == "query"}
        has_search = names >= _SEARCH_NAMES
        own = [
            each for each in operation["parameters"] if not has_search or each["name"] not in _SEARCH_NAMES
        ]
        return ShownOperation(
            id=operation["operationId"],
            path=API_BASE + path,
            summary=frame.tongue.say(operation["summary"]),
            parameters=tuple(_rows(own, frame.tongue)),
            has_search=has_search,
            answer=tuple(self._schema_of(operation)["properties"]),
            examples=tuple(
                frame.link(each) for each in _example_requests(path, operation["parameters"], samples)
            ),
        )

    def _schema_of(self, operation: Mapping[str, Any]) -> Mapping[str, Any]:
        reference = operation["responses"]["200"]["content"]["application/json"]["schema"]["$ref"]
        found: Mapping[str, Any] = self._description["components"]["schemas"][reference.rpartition("/")[2]]
        return found

    def _search_parameters(self, tongue: Translator) -> list[ShownParameter]:
        listed = self._description["paths"][_SEARCH]["get"]["parameters"]
        return list(_rows([each for each in listed if each["name"] in _SEARCH_NAMES], tongue))


def _rows(parameters: Sequence[Mapping[str, Any]], tongue: Translator) -> Iterator[ShownParameter]:
    def shown(parameter: Mapping[str, Any]) -> tuple[str, str, bool]:
        about = tongue.say(parameter["description"])
        return about, _allowed_values(parameter["schema"], tongue), parameter["required"]

    for (about, values, is_required), group in groupby(parameters, shown):
        yield ShownParameter(tuple(each["name"] for each in group), about, values, is_required)


def _allowed_values(schema: Mapping[str, Any], tongue: Translator) -> str:
    schema = schema.get("items", schema)
    if "enum" in schema:
        shown = schema["enum"][:_MAX_CHOICES]
        return ", ".join(shown) + (", …" if len(shown) < len(schema["enum"]) else "")
    if "minimum" not in schema:
        return ""
    span = f"{tongue.number(schema['minimum'])}–{tongue.number(schema['maximum'])}"
    usual = schema.get("default")
    return span if usual is None else tongue.say("{span}; {usual} unless given", span=span, usual=usual)


def _example_requests(path: str, parameters: Sequence[Mapping[str, Any]], samples: Samples) -> Iterator[str]:
    """Yield requests as paths; none where this library has nothing that a required parameter could name."""
    needed = [each for each in parameters if each["required"]]
    found = {each["name"]: _sample(path, each, samples) for each in needed}
    if not all(found.values()):
        return
    if "identifier" in found:
        yield record_path(found["source"], found["identifier"], under=f"{API_BASE}/records")
        return
    filled = re.sub(r"\{(\w+)\}", lambda match: quote(found.pop(match[1]), safe=""), API_BASE + path)
    if path != _SEARCH:
        yield filled + (f"?{urlencode(found)}" if found else "")
        return
    word = {"q": samples["q"]} if "q" in samples else {}
    yield f"{filled}?{urlencode({**word, 'per_page': 5})}"
    yield f"{filled}?{urlencode([*word.items(), ('facet', 'type'), ('facet', 'year'), ('sort', 'newest')])}"
    if "year" in samples:
        yield f"{filled}?{urlencode({'year': samples['year'] + '..'})}"


def _sample(path: str, parameter: Mapping[str, Any], samples: Samples) -> str:
    name = parameter["name"]
    if name == "q" and path.startswith("/vocabularies/"):
        name = "label"
    schema = parameter["schema"].get("items", parameter["schema"])
    value = samples.get(name) or next(iter(schema.get("enum", ())), "")
    return value[:_TYPED_LENGTH] if path.endswith("/suggest") and parameter["name"] == "q" else value


def sample_values(desk: ApiContext) -> Samples:
    """Return values of parameters that lead to something in this library, by the names of parameters."""
    found = {"name": next(iter(desk.statistics), ""), "field": "type"}
    with suppress(WindrowError):  # without an index there is still a description
        found |= _sample_record(desk) | _sample_concept(desk)
    return {name: value for name, value in found.items() if value}


def _sample_record(desk: ApiContext) -> dict[str, str]:
    for hit in value_lists.list_newest(desk.index, desk.question(()), limit=1):
        card = hit.card
        words = re.findall(rf"[^\W\d_]{{{_MIN_WORD_LENGTH},}}", card.title or "")
        year = str(card.year) if card.year else ""
        word = max(words, key=len, default="")
        return {"source": card.source, "identifier": card.identifier, "q": word, "year": year}
    return {}


def _sample_concept(desk: ApiContext) -> dict[str, str]:
    with desk.store.reading() as connection:
        listed = concepts.list_vocabularies(connection)
    for vocabulary in listed[:1]:
        view = VocabularyView(desk.store, vocabulary.name)
        for concept in view.top_concepts(limit=1):
            label = str(short_concept(concept, ())["label"])
            return {"vocabulary": vocabulary.name, "concept": concept.uri, "label": label}
        return {"vocabulary": vocabulary.name}
    return {}
