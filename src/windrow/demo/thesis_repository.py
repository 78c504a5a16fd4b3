"""The demo as an OAI-PMH 2.0 repository: argument pairs in, the bytes of the answer out.

Pure: the same question has the same answer, to the byte; time passes only by `later`. `server` puts it
on HTTP.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping
from functools import cached_property

from windrow.demo.answers import Pairs, Refusal, render_answer, render_header, render_refusal, render_stamp
from windrow.demo.arguments import check_arguments, window
from windrow.demo.catalogue import Catalogue
from windrow.demo.rendering import FORMATS, Format, escape
from windrow.demo.theses import IDENTIFIER_PREFIX, REPOSITORY
from windrow.demo.tokens import Token, parse_token, render_token
from windrow.demo.universities import Department, universities

_DESCRIPTION = (
    '<description><oai-identifier xmlns="http://www.openarchives.org/OAI/2.0/oai-identifier"'
    ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
    ' xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/oai-identifier'
    ' http://www.openarchives.org/OAI/2.0/oai-identifier.xsd"><scheme>oai</scheme>'
    f"<repositoryIdentifier>{REPOSITORY}</repositoryIdentifier><delimiter>:</delimiter>"
    f"<sampleIdentifier>{IDENTIFIER_PREFIX}1</sampleIdentifier></oai-identifier></description>"
)


class Repository:
    """A seeded collection of `records` theses, `revision` days after the demo began."""

    def __init__(
        self, records: int = 5000, *, seed: int = 1, page_size: int = 200, revision: int = 0
    ) -> None:
        self.records = records
        self.seed = seed
        self.page_size = page_size
        self.revision = revision
        self.catalogue = Catalogue(records=records, seed=seed, revision=revision)

    def later(self, days: int = 1) -> Repository:
        """The same repository some days on: new theses, corrected ones, a few withdrawn."""
        return Repository(
            self.records, seed=self.seed, page_size=self.page_size, revision=self.revision + days
        )

    def answer(self, pairs: Pairs, *, base_url: str = f"https://{REPOSITORY}/oai") -> bytes:
        """What the repository says to these arguments; never an exception, whatever they are."""
        now = self.catalogue.now
        try:
            arguments = check_arguments(pairs)
            inside = self._verbs[arguments["verb"]](arguments, base_url)
        except Refusal as refusal:
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
            raise Refusal("badResumptionToken", "The list has no such place")
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
            raise Refusal("noRecordsMatch", "Nothing in this window and set")
        begin = max(bisect_right(keys, token.last), places.start) if token.given else places.start
        page = keys[begin : min(begin + self.page_size, places.stop)]
        if not page:
            raise Refusal("badResumptionToken", "The list has no such place")
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
        """The thesis number of an identifier we have."""
        text = identifier.removeprefix(IDENTIFIER_PREFIX)
        if identifier.startswith(IDENTIFIER_PREFIX) and text.isdecimal() and len(text) < 12:
            number = int(text)
            if number < self.catalogue.total and text == str(number):
                return number
        raise Refusal("idDoesNotExist", "There is no such record here")

    def _token(self, arguments: Mapping[str, str]) -> Token:
        token = parse_token(arguments["resumptionToken"])
        is_ours = token is not None and token.verb == arguments["verb"] and token.given > 0
        if token is None or not is_ours or (token.verb != "ListSets" and token.prefix not in FORMATS):
            raise Refusal("badResumptionToken", "This token is not from here")
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
    """The beginning of a list."""
    start, end = window(arguments)
    return Token(arguments["verb"], arguments["metadataPrefix"], arguments.get("set", ""), start, end)


def _following(token: Token, given: int, last: tuple[int, int]) -> Token:
    return Token(token.verb, token.prefix, token.spec, token.start, token.end, token.given + given, last)


def _format(prefix: str) -> Format:
    if prefix not in FORMATS:
        raise Refusal("cannotDisseminateFormat", "ListMetadataFormats tells which formats there are")
    return FORMATS[prefix]


def _render_resumption(token: Token, following: Token | None, size: int) -> str:
    """The end of a page: nothing for a list of one page, an empty token for the last of several."""
    if following is None and not token.given:
        return ""
    text = "" if following is None else escape(render_token(following))
    return f'<resumptionToken completeListSize="{size}" cursor="{token.given}">{text}</resumptionToken>'
