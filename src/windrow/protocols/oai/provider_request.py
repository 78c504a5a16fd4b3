"""Validation of a provider's requests: the first step of every response.

Arguments are pairs, not a mapping, so that repeated ones are detected. All errors of a request are reported
together.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import NamedTuple

from windrow.protocols.oai.payload_xml import is_writable

# Errors of a request: raised here, by `resumption_token` and the front end, and rendered by
# `provider_response`.

Pairs = Sequence[tuple[str, str]]

# Requests with these errors must not be echoed as attributes (OAI-PMH 2.0, section 3.2).
NOT_ECHOED = frozenset({"badVerb", "badArgument"})


class OaiError(NamedTuple):
    """One error element of a response: the protocol's code and our message."""

    code: str
    message: str


class RequestRefused(Exception):
    """A request that is answered with protocol errors. `echo` is for the response's request element."""

    def __init__(self, errors: Sequence[OaiError], echo: Pairs = ()) -> None:
        super().__init__("; ".join(f"{each.code}: {each.message}" for each in errors))
        self.errors = tuple(errors)
        self.echo = () if any(each.code in NOT_ECHOED for each in errors) else tuple(echo)


def make_refusal(code: str, message: str, *, echo: Pairs = ()) -> RequestRefused:
    return RequestRefused((OaiError(code, message),), echo)


# Dates of `from` and `until`, parsed strictly.

DAY_SECONDS = 86_400
DAY_CHARACTERS = len("YYYY-MM-DD")

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z)?")


def parse_request_date(text: str) -> int:
    """Return the Unix second at which this day or second begins; raise ValueError for an invalid date."""
    if _MOMENT.fullmatch(text) is None:
        raise ValueError("a date is YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ")
    passed = datetime.fromisoformat(text).replace(tzinfo=UTC) - _EPOCH
    return passed.days * DAY_SECONDS + passed.seconds


def is_by_day(text: str) -> bool:
    return len(text) == DAY_CHARACTERS


def format_request_date(seconds: int, *, by_day: bool = False) -> str:
    """Return this second, or its day, in the protocol's form."""
    moment = _EPOCH + timedelta(seconds=seconds)
    text = moment.replace(tzinfo=None).isoformat()
    return text[:DAY_CHARACTERS] if by_day else f"{text}Z"


MAX_CHARACTERS = 4096  # of any value; no real identifier is longer
MAX_NAME_CHARACTERS = 1024  # of a set or a prefix: a token contains them and must itself fit into a value
MAX_PROBLEMS = 10  # reported for one request

_SHOWN_CHARACTERS = 40
_TOKEN = "resumptionToken"  # noqa: S105 - an argument's name
_ALLOWED = r"[A-Za-z0-9\-_.!~*'()]++"
_PREFIX = re.compile(_ALLOWED)
_SET_SPEC = re.compile(rf"{_ALLOWED}(?::{_ALLOWED})*+")
_CONTROL = re.compile("[\0-\x1f\x7f-\x9f]")
# A URI or relative reference (RFC 3986), with letters of all scripts as in an IRI (RFC 3987). IPv6 addresses
# in brackets are excluded: no identifier needs them, and validators disagree on them.
_LETTERS = r"\u00a1-\ud7ff\uf900-\ufdcf\ufdf0-\uffef\U00010000-\U000dffff"
_PLAIN = rf"[A-Za-z0-9\-._~!$&'()*+,;={_LETTERS}]++|%[0-9A-Fa-f]{{2}}"
_URI = re.compile(
    rf"(?:[A-Za-z][A-Za-z0-9+.\-]*:|(?![^/?#]*:))"
    rf"(?://(?:(?:{_PLAIN}|:)*@)?(?:(?:{_PLAIN})+(?::[0-9]{{1,5}})?)?(?![^/?#])|(?!//))"
    rf"(?:{_PLAIN}|[:@/])*(?:\?(?:{_PLAIN}|[:@/?])*)?(?:\#(?:{_PLAIN}|[:@/?])*)?"
)


class _Rule(NamedTuple):
    """The required and optional arguments of a verb, and whether a token may replace them."""

    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    has_token: bool = False


_LIST = _Rule(("metadataPrefix",), ("from", "until", "set"), has_token=True)
_RULES = {
    "Identify": _Rule(),
    "ListMetadataFormats": _Rule((), ("identifier",)),
    "ListSets": _Rule(has_token=True),
    "GetRecord": _Rule(("identifier", "metadataPrefix")),
    "ListIdentifiers": _LIST,
    "ListRecords": _LIST,
}
_NAMES = frozenset(("identifier", "metadataPrefix", "from", "until", "set", _TOKEN))


@dataclass(frozen=True, slots=True)
class ProviderRequest:
    """A valid request. Times are Unix seconds, both ends included; `pairs` are for the echo."""

    verb: str
    pairs: tuple[tuple[str, str], ...]
    identifier: str | None = None
    prefix: str | None = None
    since: int | None = None
    until: int | None = None
    is_by_day: bool = False  # whether the dates were days
    set_spec: str | None = None
    token: str | None = None


def parse_arguments(pairs: Pairs) -> ProviderRequest:
    """Parse arguments; raise RequestRefused with badVerb or badArgument for invalid ones."""
    verb = _parse_verb(pairs)
    given = dict(pairs)
    problems = list(islice(_find_problems(verb, pairs, given), MAX_PROBLEMS))
    if problems:
        raise RequestRefused([OaiError("badArgument", each) for each in problems])
    since, until = given.get("from"), given.get("until")
    return ProviderRequest(
        verb,
        tuple(pairs),
        given.get("identifier"),
        given.get("metadataPrefix"),
        None if since is None else parse_request_date(since),
        None if until is None else _last_second(until),
        is_by_day(since or until or ""),
        given.get("set"),
        given.get(_TOKEN),
    )


def is_set_spec(text: str) -> bool:
    return len(text) <= MAX_NAME_CHARACTERS and _SET_SPEC.fullmatch(text) is not None


def is_prefix(text: str) -> bool:
    return len(text) <= MAX_NAME_CHARACTERS and _PREFIX.fullmatch(text) is not None


def is_uri(text: str) -> bool:
    """Return whether a text is a URI, as identifiers should be; some repositories use others."""
    return _URI.fullmatch(text) is not None


def _parse_verb(pairs: Pairs) -> str:
    verbs = [value for name, value in pairs if name == "verb"]
    if not verbs:
        raise make_refusal("badVerb", "The verb is missing")
    if len(verbs) > 1:
        raise make_refusal("badVerb", "The verb is repeated")
    if verbs[0] not in _RULES:
        raise make_refusal(
            "badVerb", f"{_show(verbs[0])} is no verb of OAI-PMH 2.0; verbs are {', '.join(_RULES)}"
        )
    return verbs[0]


def _find_problems(verb: str, pairs: Pairs, given: Mapping[str, str]) -> Iterator[str]:
    if len(given) != len(pairs):
        counts = Counter(name for name, _ in pairs)
        yield from (f"The argument {_show(name)} is repeated" for name, count in counts.items() if count > 1)
    yield from _find_misfits(verb, given)
    misspelt = list(_find_misspelt(given))
    yield from misspelt
    if not misspelt and "from" in given and "until" in given:
        yield from _find_bad_window(given["from"], given["until"])


def _find_misfits(verb: str, given: Mapping[str, str]) -> Iterator[str]:
    rule = _RULES[verb]
    allowed = {"verb", *rule.required, *rule.optional}
    if rule.has_token and _TOKEN in given:
        beside = [name for name in given if name in allowed and name != "verb"]
        if beside:
            yield f"A resumptionToken stands alone; leave out {', '.join(beside)}"
        allowed.add(_TOKEN)
    else:
        yield from (f"{verb} needs the argument {name}" for name in rule.required if name not in given)
    yield from (f"{verb} takes no argument {_show(name)}" for name in given if name not in allowed)


def _find_misspelt(given: Mapping[str, str]) -> Iterator[str]:
    for name, value in given.items():
        if name not in _NAMES:
            continue
        if len(value) > MAX_CHARACTERS:
            yield f"The value of {name} is longer than {MAX_CHARACTERS} characters"
        elif not is_writable(value):
            yield f"The value of {name} has characters in it that XML cannot carry"
        elif problem := _find_odd(name, value):
            yield problem


def _find_odd(name: str, value: str) -> str | None:
    if name in ("from", "until"):
        try:
            parse_request_date(value)
        except ValueError as exc:
            return f"{_show(value)} is no date for {name}: {exc}"
    elif name == "metadataPrefix" and not is_prefix(value):
        return f"{_show(value)} is no metadataPrefix: those consist of letters, digits and -_.!~*'()"
    elif name == "set" and not is_set_spec(value):
        return f"{_show(value)} is no setSpec: those consist of letters, digits and -_.!~*'(), with : between"
    elif name == "identifier" and (value != value.strip() or not value or _CONTROL.search(value)):
        return (
            f"{_show(value)} is no identifier: it is empty, or has blanks around or control characters in it"
        )
    return None


def _find_bad_window(since: str, until: str) -> Iterator[str]:
    if is_by_day(since) != is_by_day(until):
        yield "from and until differ in granularity: give both by day, or both by second"
    elif parse_request_date(since) > parse_request_date(until):
        yield "from is later than until"


def _last_second(until: str) -> int:
    """Return the last second of `until`: a day is included to its end (OAI-PMH 2.0, section 2.7.1)."""
    return parse_request_date(until) + (DAY_SECONDS - 1 if is_by_day(until) else 0)


def _show(text: str) -> str:
    return repr(text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}…")
