"""The OpenAPI 3.1 description of the API, made from the table of endpoints and the types of answers."""

from __future__ import annotations

from typing import Any

from windrow import __version__
from windrow.web.api.answer_types import answer_schemas
from windrow.web.api.api_context import API_BASE, ApiContext
from windrow.web.api.endpoints import ENDPOINTS, Endpoint
from windrow.web.http.parameters import Parameter
from windrow.web.layout import error_responses

_PROBLEM_RESPONSE = {error_responses.PROBLEM_MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
_STATUSES = {"400": "Something is wrong with the parameters.", "404": "There is no such thing."}


def describe_api(desk: ApiContext) -> dict[str, Any]:
    return {
        "openapi": "3.1.0",
        "info": {
            "title": desk.config.library.name or "Windrow",
            "summary": "Search, browse and count the records of this library.",
            "description": "Lists go on at `next`, in the body and in the Link header, until it is null."
            " Every answer has an ETag. Problems are reported as RFC 9457 describes.",
            "version": __version__,
        },
        "servers": [{"url": f"{desk.url}{API_BASE}"}],
        "tags": [{"name": tag} for tag in dict.fromkeys(endpoint.tag for endpoint in ENDPOINTS)],
        "paths": {endpoint.path: {"get": _describe_operation(endpoint)} for endpoint in ENDPOINTS},
        "components": {"schemas": answer_schemas()},
    }


def _describe_operation(endpoint: Endpoint) -> dict[str, Any]:
    responses: dict[str, Any] = {
        "200": {
            "description": "What was asked for.",
            "content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{endpoint.shape}"}}},
        },
        "304": {"description": "Nothing has changed since the answer with this ETag."},
    }
    statuses = dict(_STATUSES)
    if endpoint.shape == "Record":
        statuses["410"] = "The record was withdrawn."
    responses |= {
        status: {"description": words, "content": _PROBLEM_RESPONSE} for status, words in statuses.items()
    }
    return {
        "operationId": endpoint.name,
        "summary": endpoint.summary,
        "tags": [endpoint.tag],
        "parameters": list(map(_describe_parameter, endpoint.parameters)),
        "responses": responses,
    }


def _describe_parameter(parameter: Parameter) -> dict[str, Any]:
    found: dict[str, Any] = {
        "name": parameter.name,
        "in": "path" if parameter.is_in_path else "query",
        "description": parameter.about,
        "required": parameter.is_required,
        "schema": parameter.schema(),
    }
    if parameter.is_repeatable:
        found |= {"style": "form", "explode": True}
    if parameter.example is not None:
        found["example"] = parameter.example
    return found
