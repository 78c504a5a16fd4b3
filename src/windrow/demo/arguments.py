"""What a request asks for, checked before `repository` looks at any record."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from datetime import UTC, datetime

from windrow.demo.answers import Pairs, Refusal

# verb → (arguments it must have, arguments it may have, whether a resumptionToken may stand alone instead)
_VERBS: dict[str, tuple[frozenset[str], frozenset[str], bool]] = {
    "Identify": (frozenset(), frozenset(), False),
    "ListMetadataFormats": (frozenset(), frozenset({"identifier"}), False),
    "ListSets": (frozenset(), frozenset(), True),
    "GetRecord": (frozenset({"identifier", "metadataPrefix"}), frozenset(), False),
    "ListIdentifiers": (frozenset({"metadataPrefix"}), frozenset({"from", "until", "set"}), True),
    "ListRecords": (frozenset({"metadataPrefix"}), frozenset({"from", "until", "set"}), True),
}
_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}:[0-9]{2}Z)?")
_ALLOWED = r"[A-Za-z0-9\-_.!~*'()]+"
_SHAPES = {
    "metadataPrefix": re.compile(_ALLOWED),
    "set": re.compile(f"{_ALLOWED}(:{_ALLOWED})*"),
    # What is not a URI could not be repeated in a valid answer.
    "identifier": re.compile(r"[A-Za-z0-9\-_.!~*'();/?:@&=+$,]+"),
    "resumptionToken": re.compile(r"[\x20-\x7e]*"),
}


def check_arguments(pairs: Pairs) -> Mapping[str, str]:
    """The arguments by name, or a Refusal that says what is wrong with them."""
    verbs = [value for name, value in pairs if name == "verb"]
    if len(verbs) != 1 or verbs[0] not in _VERBS:
        raise Refusal("badVerb", "One verb is needed, one of the six of the protocol")
    given = {name: value for name, value in pairs if name != "verb"}
    if len(given) != len(pairs) - 1:
        raise Refusal("badArgument", "An argument is repeated")
    _check_names(verbs[0], given.keys())
    for name, shape in _SHAPES.items():
        if name in given and not shape.fullmatch(given[name]):
            raise Refusal("badArgument", f"The value of {name} has characters that it cannot have")
    return {"verb": verbs[0], **given}


def window(arguments: Mapping[str, str]) -> tuple[int | None, int | None]:
    """The first and the last second asked for, None for an open end."""
    start, end = arguments.get("from"), arguments.get("until")
    if start and end and len(start) != len(end):
        raise Refusal("badArgument", "from and until differ in granularity")
    first = None if start is None else _parse_moment(start, is_end=False)
    last = None if end is None else _parse_moment(end, is_end=True)
    if first is not None and last is not None and first > last:
        raise Refusal("badArgument", "from is later than until")
    return first, last


def _check_names(verb: str, names: Set[str]) -> None:
    needed, allowed, has_token = _VERBS[verb]
    if has_token and "resumptionToken" in names:
        if len(names) > 1:
            raise Refusal("badArgument", "A resumptionToken stands alone")
        return
    if missing := needed - names:
        raise Refusal("badArgument", f"{verb} needs {', '.join(sorted(missing))}")
    if names - needed - allowed:
        raise Refusal("badArgument", f"{verb} has an argument that it does not take")


def _parse_moment(text: str, *, is_end: bool) -> int:
    if not _MOMENT.fullmatch(text):
        raise Refusal("badArgument", "A date is YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ")
    if len(text) == len("YYYY-MM-DD"):
        text += "T23:59:59Z" if is_end else "T00:00:00Z"
    try:
        return int(datetime.fromisoformat(text).astimezone(UTC).timestamp())
    except ValueError as exc:
        raise Refusal("badArgument", "There is no such date") from exc
