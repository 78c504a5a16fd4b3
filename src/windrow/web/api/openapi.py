"""The API's description of itself, OpenAPI 3.1, made from the table of endpoints."""

from __future__ import annotations

from typing import Any

from windrow import __version__
from windrow.faces.api import problems
from windrow.faces.api.desk import BASE, Desk
from windrow.faces.api.endpoints import ENDPOINTS, Endpoint
from windrow.faces.api.schemas import SCHEMAS
from windrow.faces.shared.parameters import Parameter

_PROBLEM = {problems.MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
_STATUSES = {"400": "Something is wrong with the parameters.", "404": "There is no such thing."}


def describe(desk: Desk) -> dict[str, Any]:
    """Give the description for the API of one library."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": desk.config.library.name or "Windrow",
            "summary": "Search, browse and count the records of this library.",
            "description": "Lists go on at `next`, in the body and in the Link header, until it is null."
            " Every answer has an ETag. Problems are told as RFC 9457 has it.",
            "version": __version__,
        },
        "servers": [{"url": f"{desk.url}{BASE}"}],
        "paths": {endpoint.path: {"get": _operation(endpoint)} for endpoint in ENDPOINTS},
        "components": {"schemas": SCHEMAS},
    }


def _operation(endpoint: Endpoint) -> dict[str, Any]:
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
    responses |= {status: {"description": words, "content": _PROBLEM} for status, words in statuses.items()}
    return {
        "operationId": endpoint.name,
        "summary": endpoint.summary,
        "parameters": list(map(_parameter, endpoint.parameters)),
        "responses": responses,
    }


def _parameter(parameter: Parameter) -> dict[str, Any]:
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
