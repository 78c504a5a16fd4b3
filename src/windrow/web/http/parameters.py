"""Request parameters: their declaration, their validation and the limits on address length.

Pages ignore invalid parameters with a notice. The API and downloads refuse them, because a program that
misspells a filter would count everything without noticing. The declarations here are also the source of the
documentation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, NamedTuple

from windrow.index.protocol import Order
from windrow.model.controlled_values import ControlledValues
from windrow.model.thesaurus import Expander
from windrow.protocols.query.query_parser import LONGEST_QUERY
from windrow.search.filters import FILTERS, is_span
from windrow.search.request import SearchRequest, read_request
from windrow.web.http.http_request import HttpRefusal
from windrow.web.i18n.translation import message

MAX_FAULTS = 20


class ParameterFault(NamedTuple):
    """What is wrong with one parameter."""

    parameter: str
    detail: str


class BadRequest(Exception):
    """A request with invalid parameters."""

    def __init__(self, faults: Iterable[ParameterFault]) -> None:
        self.faults = tuple(faults)[:MAX_FAULTS]
        super().__init__("; ".join(f"{fault.parameter} {fault.detail}" for fault in self.faults))

    @property
    def sentence(self) -> str:
        """Return all faults as one sentence, with its final punctuation."""
        words = str(self)
        return words if words.endswith("?") else f"{words}."


MAX_TEXT_LENGTH = LONGEST_QUERY
_MAX_NUMBER_LENGTH = 9  # digits
_MAX_SHOWN_LENGTH = 60


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: its name, purpose and allowed values."""

    name: str
    about: str
    choices: tuple[str, ...] = ()
    bounds: tuple[int, int] | None = None  # of a number
    is_span: bool = False  # a year, or years as in 2010..2014 or 2010/11..2013/14
    is_repeatable: bool = False
    is_required: bool = False
    is_in_path: bool = False
    default: str | int | None = None
    example: str | int | None = None

    def fault(self, value: str) -> str | None:
        """Return what is wrong with a value; None if it is valid."""
        if self.bounds is not None:
            low, high = self.bounds
            is_number = value.isascii() and value.isdecimal() and len(value) <= _MAX_NUMBER_LENGTH
            return (
                None if is_number and low <= int(value) <= high else f"must be a number from {low} to {high}"
            )
        if self.choices and value not in self.choices:
            return f"must be one of {', '.join(self.choices)}"
        if self.is_span and not is_span(value):
            return "must be a year, or years as in 2010..2014, 2010.. or ..2014"
        return f"may have {MAX_TEXT_LENGTH:,} characters at most" if len(value) > MAX_TEXT_LENGTH else None

    def schema(self) -> dict[str, Any]:
        found: dict[str, Any] = {"type": "string"}
        if self.bounds is not None:
            found = {"type": "integer", "minimum": self.bounds[0], "maximum": self.bounds[1]}
        elif self.choices:
            found["enum"] = list(self.choices)
        elif self.is_span:
            year = r"(\d{4}/\d{2}|\d{1,4})"
            found["pattern"] = rf"^({year}|{year}\.\.{year}?|\.\.{year})$"
        else:
            found["maxLength"] = MAX_TEXT_LENGTH
        if self.default is not None:
            found["default"] = self.default
        return {"type": "array", "items": found} if self.is_repeatable else found


@dataclass(frozen=True, slots=True)
class CheckedParameters:
    """The validated parameters of one request."""

    pairs: tuple[tuple[str, str], ...]  # of the query, in order
    path: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, str | int | None] = field(default_factory=dict)

    def all(self, name: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(value for key, value in self.pairs if key == name))

    def text(self, name: str) -> str:
        """Return the value of a parameter or its default; empty if there is neither."""
        found = self.path.get(name) or next(iter(self.all(name)), None)
        if found is None:
            default = self.defaults.get(name)
            return "" if default is None else str(default)
        return found

    def number(self, name: str) -> int:
        return int(self.text(name))

    def without(self, *names: str) -> list[tuple[str, str]]:
        return [(key, value) for key, value in self.pairs if key not in names]


def check_parameters(
    parameters: Sequence[Parameter], pairs: Iterable[tuple[str, str]], path: Mapping[str, str]
) -> CheckedParameters:
    """Validate the parameters, or raise BadRequest with every fault. Empty values count as absent."""
    known = {parameter.name: parameter for parameter in parameters}
    given = tuple((name, value.strip()) for name, value in pairs if value.strip())
    faults = [*_value_faults(known, given), *_missing_faults(known, given, path)]
    faults += _value_faults(known, tuple(path.items()))
    if faults:
        raise BadRequest(faults)
    defaults = {name: parameter.default for name, parameter in known.items()}
    return CheckedParameters(given, path, defaults)


def _value_faults(
    known: Mapping[str, Parameter], given: Sequence[tuple[str, str]]
) -> Iterable[ParameterFault]:
    seen: set[str] = set()
    for name, value in given:
        parameter = known.get(name)
        if parameter is None:
            yield ParameterFault(name[:_MAX_SHOWN_LENGTH], _unknown_fault(name, known))
            continue
        if name in seen and not parameter.is_repeatable:
            yield ParameterFault(name, "may be given once only")
        seen.add(name)
        fault = parameter.fault(value)
        if fault is not None:
            yield ParameterFault(name, fault)


def _missing_faults(
    known: Mapping[str, Parameter], given: Sequence[tuple[str, str]], path: Mapping[str, str]
) -> Iterable[ParameterFault]:
    there = {name for name, _ in given} | {name for name, value in path.items() if value}
    for name, parameter in known.items():
        if parameter.is_required and name not in there:
            yield ParameterFault(name, "must be given")


def _unknown_fault(name: str, known: Mapping[str, Parameter]) -> str:
    names = [each.name for each in known.values() if not each.is_in_path]
    near = get_close_matches(name[:_MAX_SHOWN_LENGTH], names, n=1)
    if near:
        return f"is no parameter here; did you mean {near[0]}?"
    return "is no parameter here" + (f"; there are {', '.join(names)}" if names else ", and there are none")


# The parameters that select records: the same for the API and for downloads.

COLLECTION_PARAMETER = Parameter("collection", message("Only records of this collection."), example="north")
VOCABULARY_PARAMETER = Parameter(
    "vocabulary",
    message(
        "Whether vocabularies add synonyms, labels in other languages and narrower concepts to the search; as"
        " the library is configured unless given."
    ),
    choices=("on", "off"),
)
SEARCH_PARAMETERS = (
    Parameter("q", message('A search: words, "phrases", field:word, AND OR NOT, brackets.'), example="hay"),
    *(
        Parameter(
            name,
            message("Only records with this value in the field; several values are alternatives."),
            is_span=name == "year",
            is_repeatable=True,
        )
        for name in FILTERS
    ),
    COLLECTION_PARAMETER,
    VOCABULARY_PARAMETER,
)
MATCH_PARAMETER = Parameter(
    "match",
    message("all: only records that match the whole search, without a wider search where there are none."),
    choices=("all",),
)
CURSOR_PARAMETER = Parameter(
    "cursor", message("Where to continue: part of the address in next of the answer before.")
)
SORT_PARAMETER = Parameter(
    "sort",
    message("The order; unless given, by relevance for words, else the newest first."),
    choices=tuple(order.value for order in Order),
)

# The parameters of downloads. A file has no place for a notice, so what pages ignore is refused here.

TRACKING_PREFIX = "utm_"  # added to every link by newsletters and the like
# From the page whose address was turned into the file's; a file has all pages.
_PAGE_PARAMETERS = (Parameter("page", "Which page."), Parameter("per_page", "How many on each page."))
_FILE_PARAMETERS = (*SEARCH_PARAMETERS, SORT_PARAMETER, *_PAGE_PARAMETERS)


def parse_strictly(
    pairs: Sequence[tuple[str, str]],
    collections: Mapping[str, Sequence[str]],
    *,
    has_cursor: bool = False,
    types: ControlledValues | None = None,
    expander: Expander | None = None,
) -> SearchRequest:
    """Parse the search in a download's address; raise HttpRefusal with all faults.

    A download that is paged has a cursor (`has_cursor`), which is not part of the search.
    """
    known = (*_FILE_PARAMETERS, CURSOR_PARAMETER) if has_cursor else _FILE_PARAMETERS
    asked = _check_pairs(known, [pair for pair in pairs if not pair[0].startswith(TRACKING_PREFIX)])
    kept = asked.without(*(each.name for each in _PAGE_PARAMETERS))
    question = read_request(kept, collections=collections, types=types, expander=expander)
    faults = question.faults
    if faults:
        raise HttpRefusal(400, " ".join(faults))
    return question


def _check_pairs(known: Sequence[Parameter], pairs: Sequence[tuple[str, str]]) -> CheckedParameters:
    try:
        return check_parameters(known, pairs, {})
    except BadRequest as exc:
        raise HttpRefusal(400, exc.sentence) from exc


# Every link on a page of results contains the whole search, so a page with hundreds of links could be
# hundreds of times as large as its request. Hence limits on the length of a search.

MAX_ADDRESS_LENGTH = 4_000  # bytes of a search with its filters, as a link has it
MAX_LISTED_ADDRESS_LENGTH = 1_000  # the same on pages with a link for each of many values
SEARCH_TOO_LONG = message(
    "This search is too long: with its filters it has {length} characters as an address, and this page takes"
    " {most} at most. Use fewer words or fewer filters."
)


def fits_value_links(question: SearchRequest) -> bool:
    return _address_length(question) <= MAX_LISTED_ADDRESS_LENGTH


def check_fits_value_links(question: SearchRequest) -> None:
    """Raise HttpRefusal if the search is too long for a page with a link for each of many values."""
    _check_length(question, MAX_LISTED_ADDRESS_LENGTH)


def check_address_length(question: SearchRequest) -> None:
    """Raise HttpRefusal if the search is too long for any page."""
    _check_length(question, MAX_ADDRESS_LENGTH)


def _check_length(question: SearchRequest, most: int) -> None:
    length = _address_length(question)
    if length > most:
        raise HttpRefusal(414, SEARCH_TOO_LONG, values={"length": length, "most": most})


def _address_length(question: SearchRequest) -> int:
    return len(question.address(""))
