"""The page of the JSON API: every address, and every parameter with what it may be."""

from __future__ import annotations

from docs.makers.table import code, table
from windrow.web.api.api_context import API_BASE
from windrow.web.api.endpoints import ENDPOINTS, Endpoint
from windrow.web.http.parameters import SEARCH_PARAMETERS, Parameter

_PREFACE = f"""\
# The JSON API

Everything is under `{API_BASE}`, takes GET and answers with JSON. `{API_BASE}/openapi.json` describes it for
programs; [how to use it](../howto/use-the-api.md) has examples.

Below, *a question* stands for the parameters of the table that follows. Values of one of them are
alternatives; different ones hold together.

"""


def make_page() -> str:
    """Write the page."""
    return _PREFACE + _table(SEARCH_PARAMETERS) + "".join(map(_section, ENDPOINTS))


def _section(endpoint: Endpoint) -> str:
    is_asking = set(SEARCH_PARAMETERS) <= set(endpoint.parameters)
    own = [each for each in endpoint.parameters if not is_asking or each not in SEARCH_PARAMETERS]
    words = endpoint.summary + (" Takes a question." if is_asking else "")
    return f"\n## `{API_BASE}{endpoint.path}`\n\n{words}\n" + (f"\n{_table(own)}" if own else "")


def _table(parameters: list[Parameter] | tuple[Parameter, ...]) -> str:
    return table(("Parameter", "What for", "What it may be"), map(_row, parameters))


def _row(parameter: Parameter) -> tuple[str, str, str]:
    name = code(parameter.name) + (", repeatable" if parameter.is_repeatable else "")
    return name, parameter.about, _may_be(parameter)


def _may_be(parameter: Parameter) -> str:
    if parameter.bounds is not None:
        found = f"{parameter.bounds[0]} to {parameter.bounds[1]}"
    elif parameter.choices:
        found = ", ".join(map(code, parameter.choices))
    elif parameter.is_span:
        found = "`2012`, `2010..2014`, `2010..`, `..2014`"
    else:
        found = "a text"
    if parameter.default is not None:
        found += f"; else {parameter.default}"
    return found + ("; must be given" if parameter.is_required else "")
