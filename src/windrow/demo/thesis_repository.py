"""The demo as an OAI-PMH 2.0 repository: argument pairs in, the bytes of the answer out.

Pure: the same request has the same answer, to the byte; time passes only with `later`. `thesis_server`
provides HTTP.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from time import gmtime, strftime

from windrow.demo.theses import IDENTIFIER_PREFIX, REPOSITORY, Catalogue
from windrow.demo.thesis_formats import FORMATS, Format, escape, escape_attribute
from windrow.demo.universities import Department, universities

# The envelope of every answer, errors, and the headers of records.

Pairs = Sequence[tuple[str, str]]

_OAI = "http://www.openarchives.org/OAI/2.0/"
_ROOT = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    f'<OAI-PMH xmlns="{_OAI}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
    f' xsi:schemaLocation="{_OAI} {_OAI}OAI-PMH.xsd">'
)
# For these two the request is repeated without its arguments (OAI-PMH 2.0, section 3.2).
_NOT_ECHOED = frozenset({"badVerb", "badArgument"})


class OaiRefusal(Exception):
    """An error with a code of the protocol."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code


def render_answer(inside: str, *, now: int, base_url: str, pairs: Pairs) -> bytes:
    """Return the whole response around the answer to a verb."""
    arguments = "".join(f' {name}="{escape_attribute(value)}"' for name, value in pairs)
    return (
        f"{_ROOT}<responseDate>{render_stamp(now)}</responseDate>"
        f"<request{arguments}>{escape(base_url)}</request>{inside}</OAI-PMH>\n"
    ).encode()


def render_refusal(refusal: OaiRefusal, *, now: int, base_url: str, pairs: Pairs) -> bytes:
    echoed = [] if refusal.code in _NOT_ECHOED else pairs
    inside = f'<error code="{refusal.code}">{escape(str(refusal))}</error>'
    return render_answer(inside, now=now, base_url=base_url, pairs=echoed)


def render_header(number: int, stamp: int, specs: Sequence[str], *, is_deleted: bool) -> str:
    """Return the header of a record in these sets, in arbitrary order, as DSpace does."""
    status = ' status="deleted"' if is_deleted else ""
    return (
        f"<header{status}><identifier>{IDENTIFIER_PREFIX}{number}</identifier>"
        f"<datestamp>{render_stamp(stamp)}</datestamp>"
        f"{''.join(f'<setSpec>{spec}</setSpec>' for spec in _turned(specs, number))}</header>"
    )


def _turned(specs: Sequence[str], number: int) -> Sequence[str]:
    return specs if number % 2 else specs[::-1]


def render_stamp(seconds: int) -> str:
    """Return a time with second granularity."""
    return strftime("%Y-%m-%dT%H:%M:%SZ", gmtime(seconds))


# The arguments of a request are checked before any record is read.

# verb → (required arguments, optional arguments, whether a resumptionToken may be used instead)
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
    # A value that is not a URI could not be repeated in a valid answer.
    "identifier": re.compile(r"[A-Za-z0-9\-_.!~*'();/?:@&=+$,]+"),
    "resumptionToken": re.compile(r"[\x20-\x7e]*"),
}


def check_arguments(pairs: Pairs) -> Mapping[str, str]:
    """Return the arguments by name; raise OaiRefusal if they are wrong."""
    verbs = [value for name, value in pairs if name == "verb"]
    if len(verbs) != 1 or verbs[0] not in _VERBS:
        raise OaiRefusal("badVerb", "One verb is needed, one of the six of the protocol")
    given = {name: value for name, value in pairs if name != "verb"}
    if len(given) != len(pairs) - 1:
        raise OaiRefusal("badArgument", "An argument is repeated")
    _check_names(verbs[0], given.keys())
    for name, shape in _SHAPES.items():
        if name in given and not shape.fullmatch(given[name]):
            raise OaiRefusal("badArgument", f"The value of {name} has characters that it cannot have")
    return {"verb": verbs[0], **given}


def requested_window(arguments: Mapping[str, str]) -> tuple[int | None, int | None]:
    """Return the first and the last second requested, None for an open end."""
    start, end = arguments.get("from"), arguments.get("until")
    if start and end and len(start) != len(end):
        raise OaiRefusal("badArgument", "from and until differ in granularity")
    first = None if start is None else _parse_moment(start, is_end=False)
    last = None if end is None else _parse_moment(end, is_end=True)
    if first is not None and last is not None and first > last:
        raise OaiRefusal("badArgument", "from is later than until")
    return first, last


def _check_names(verb: str, names: Set[str]) -> None:
    needed, allowed, has_token = _VERBS[verb]
    if has_token and "resumptionToken" in names:
        if len(names) > 1:
            raise OaiRefusal("badArgument", "A resumptionToken stands alone")
        return
    if missing := needed - names:
        raise OaiRefusal("badArgument", f"{verb} needs {', '.join(sorted(missing))}")
    if names - needed - allowed:
        raise OaiRefusal("badArgument", f"{verb} has an argument that it does not take")


def _parse_moment(text: str, *, is_end: bool) -> int:
    if not _MOMENT.fullmatch(text):
        raise OaiRefusal("badArgument", "A date is YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ")
    if len(text) == len("YYYY-MM-DD"):
        text += "T23:59:59Z" if is_end else "T00:00:00Z"
    try:
        return int(datetime.fromisoformat(text).astimezone(UTC).timestamp())
    except ValueError as exc:
        raise OaiRefusal("badArgument", "There is no such date") from exc


# Resumption tokens contain the whole request and the position, so the server keeps no state. The position
# is the last record sent, not a count: a list continues correctly even if records were changed between two
# pages.

_LONGEST = 400
_NUMBER = re.compile(r"-?[0-9]{1,12}")


@dataclass(frozen=True, slots=True)
class Token:
    """One list request, the number of records sent so far, and the (datestamp, number) of the last one."""

    verb: str
    prefix: str = ""
    spec: str = ""
    start: int | None = None
    end: int | None = None
    given: int = 0
    last: tuple[int, int] = (0, 0)


def render_token(token: Token) -> str:
    """Return the token as text; its fields contain no slash."""
    ends = ("" if moment is None else str(moment) for moment in (token.start, token.end))
    return "/".join([token.verb, token.prefix, token.spec, *ends, str(token.given), *map(str, token.last)])


def parse_token(text: str) -> Token | None:
    """Return the token, or None if the text is not a valid one."""
    fields = text.split("/", 8) if len(text) <= _LONGEST else []
    if len(fields) != 8 or not all(
        _NUMBER.fullmatch(each) for each in [*filter(None, fields[3:5]), *fields[5:]]
    ):
        return None
    start, end = (int(each) if each else None for each in fields[3:5])
    given, stamp, number = (int(each) for each in fields[5:])
    return Token(fields[0], fields[1], fields[2], start, end, given, (stamp, number))


_DESCRIPTION = (
    '<description><oai-identifier xmlns="http://www.openarchives.org/OAI/2.0/oai-identifier"'
    ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
    ' xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/oai-identifier'
    ' http://www.openarchives.org/OAI/2.0/oai-identifier.xsd"><scheme>oai</scheme>'
    f"<repositoryIdentifier>{REPOSITORY}</repositoryIdentifier><delimiter>:</delimiter>"
    f"<sampleIdentifier>{IDENTIFIER_PREFIX}1</sampleIdentifier></oai-identifier></description>"
)


class Repository:
    """A seeded collection of `records` theses, `revision` days after the demo started."""

    def __init__(
        self, records: int = 5000, *, seed: int = 1, page_size: int = 200, revision: int = 0
    ) -> None:
        self.records = records
        self.seed = seed
        self.page_size = page_size
        self.revision = revision
        self.catalogue = Catalogue(records=records, seed=seed, revision=revision)

    def later(self, days: int = 1) -> Repository:
        """Return the same repository some days later: new theses, corrected ones, a few withdrawn."""
        return Repository(
            self.records, seed=self.seed, page_size=self.page_size, revision=self.revision + days
        )

    def answer(self, pairs: Pairs, *, base_url: str = f"https://{REPOSITORY}/oai") -> bytes:
        """Return the answer to these arguments. Never raises."""
        now = self.catalogue.now
        try:
            arguments = check_arguments(pairs)
            inside = self._verbs[arguments["verb"]](arguments, base_url)
        except OaiRefusal as refusal:
            return render_refusal(refusal, now=now, base_url=base_url, pairs=pairs)
        return render_answer(inside, now=now, base_url=base_url, pairs=pairs)

    @property
    def _verbs(self) -> Mapping[str, Callable[[Mapping[str, str], str], str]]:
        return {
            "Identify": self._identify,
            "ListMetadataFormats": self._list_metadata_formats,
            "ListSets": self._list_sets,
            "GetRecord": self._get_record,
            "ListIdentifiers": self._list,
            "ListRecords": self._list,
        }

    def _identify(self, _: Mapping[str, str], base_url: str) -> str:
        keys = self.catalogue.keys
        earliest = keys[0][0] if keys else self.catalogue.now
        return (
            "<Identify><repositoryName>Windrow demo: invented theses</repositoryName>"
            f"<baseURL>{escape(base_url)}</baseURL><protocolVersion>2.0</protocolVersion>"
            f"<adminEmail>nobody@{REPOSITORY}</adminEmail>"
            f"<earliestDatestamp>{render_stamp(earliest)}</earliestDatestamp>"
            "<deletedRecord>persistent</deletedRecord><granularity>YYYY-MM-DDThh:mm:ssZ</granularity>"
            f"<compression>gzip</compression>{_DESCRIPTION}</Identify>"
        )

    def _list_metadata_formats(self, arguments: Mapping[str, str], _: str) -> str:
        if "identifier" in arguments:
            self._number(arguments["identifier"])
        formats = "".join(
            f"<metadataFormat><metadataPrefix>{each.prefix}</metadataPrefix><schema>{each.schema}</schema>"
            f"<metadataNamespace>{each.namespace}</metadataNamespace></metadataFormat>"
            for each in FORMATS.values()
        )
        return f"<ListMetadataFormats>{formats}</ListMetadataFormats>"

    def _list_sets(self, arguments: Mapping[str, str], _: str) -> str:
        token = self._token(arguments) if "resumptionToken" in arguments else Token("ListSets")
        sets = self._sets[token.given : token.given + self.page_size]
        if not sets:
            raise OaiRefusal("badResumptionToken", "The list has no such place")
        given = token.given + len(sets)
        following = Token("ListSets", given=given) if given < len(self._sets) else None
        end = _render_resumption(token, following, len(self._sets))
        inside = "".join(
            f"<set><setSpec>{spec}</setSpec><setName>{escape(name)}</setName></set>" for spec, name in sets
        )
        return f"<ListSets>{inside}{end}</ListSets>"

    def _get_record(self, arguments: Mapping[str, str], _: str) -> str:
        number = self._number(arguments["identifier"])
        record = self._record(number, self.catalogue.stamp(number), _format(arguments["metadataPrefix"]))
        return f"<GetRecord>{record}</GetRecord>"

    def _list(self, arguments: Mapping[str, str], _: str) -> str:
        token = self._token(arguments) if "resumptionToken" in arguments else _first(arguments)
        metadata_format = _format(token.prefix)
        keys, places = self.catalogue.select(token.spec or None, token.start, token.end)
        if not places:
            raise OaiRefusal("noRecordsMatch", "Nothing in this window and set")
        begin = max(bisect_right(keys, token.last), places.start) if token.given else places.start
        page = keys[begin : min(begin + self.page_size, places.stop)]
        if not page:
            raise OaiRefusal("badResumptionToken", "The list has no such place")
        following = _following(token, len(page), page[-1]) if begin + len(page) < places.stop else None
        if token.verb == "ListRecords":
            inside = "".join(self._record(number, stamp, metadata_format) for stamp, number in page)
        else:
            inside = "".join(self._header(number, stamp) for stamp, number in page)
        return f"<{token.verb}>{inside}{_render_resumption(token, following, len(places))}</{token.verb}>"

    def _record(self, number: int, stamp: int, metadata_format: Format) -> str:
        thesis = self.catalogue.thesis(number)
        if thesis is None:
            return f"<record>{self._header(number, stamp)}</record>"
        header = render_header(number, stamp, _sets_of(thesis.department), is_deleted=False)
        return f"<record>{header}<metadata>{metadata_format.render(thesis)}</metadata></record>"

    def _header(self, number: int, stamp: int) -> str:
        specs = _sets_of(self.catalogue.department(number))
        return render_header(number, stamp, specs, is_deleted=self.catalogue.is_withdrawn(number))

    def _number(self, identifier: str) -> int:
        """Return the thesis number of an existing identifier."""
        text = identifier.removeprefix(IDENTIFIER_PREFIX)
        if identifier.startswith(IDENTIFIER_PREFIX) and text.isdecimal() and len(text) < 12:
            number = int(text)
            if number < self.catalogue.total and text == str(number):
                return number
        raise OaiRefusal("idDoesNotExist", "There is no such record here")

    def _token(self, arguments: Mapping[str, str]) -> Token:
        token = parse_token(arguments["resumptionToken"])
        is_ours = token is not None and token.verb == arguments["verb"] and token.given > 0
        if token is None or not is_ours or (token.verb != "ListSets" and token.prefix not in FORMATS):
            raise OaiRefusal("badResumptionToken", "This token is not from here")
        return token

    @cached_property
    def _sets(self) -> list[tuple[str, str]]:
        departments = [each for university in universities() for each in university.departments]
        return [
            *((university.spec, university.finnish) for university in universities()),
            *((each.spec, each.programme.finnish) for each in departments),
        ]


def _sets_of(department: Department) -> tuple[str, str]:
    return department.community, department.spec


def _first(arguments: Mapping[str, str]) -> Token:
    start, end = requested_window(arguments)
    return Token(arguments["verb"], arguments["metadataPrefix"], arguments.get("set", ""), start, end)


def _following(token: Token, given: int, last: tuple[int, int]) -> Token:
    return Token(token.verb, token.prefix, token.spec, token.start, token.end, token.given + given, last)


def _format(prefix: str) -> Format:
    if prefix not in FORMATS:
        raise OaiRefusal("cannotDisseminateFormat", "ListMetadataFormats tells which formats there are")
    return FORMATS[prefix]


def _render_resumption(token: Token, following: Token | None, size: int) -> str:
    """Return the end of a page: "" for a list of one page, an empty token for the last of several."""
    if following is None and not token.given:
        return ""
    text = "" if following is None else escape(render_token(following))
    return f'<resumptionToken completeListSize="{size}" cursor="{token.given}">{text}</resumptionToken>'
