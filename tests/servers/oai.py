"""A small OAI-PMH repository in memory whose faults are switched on by name.

What it answers without faults is right by the protocol; each fault changes one step of the way from the
request to the bytes, so several may be on at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from xml.sax.saxutils import escape, quoteattr

from tests.servers.fault import LISTS, Asked, Fault, Identity, Instead, Page, Refused
from tests.servers.faults import FAULTS
from tests.servers.http import Reply, Request, ScriptedServer
from tests.servers.items import Item
from tests.servers.tls import Certificate

SECONDS = "YYYY-MM-DDThh:mm:ssZ"
DAYS = "YYYY-MM-DD"
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\dZ)?", re.ASCII)
NOW = datetime(2024, 6, 1, 12, 0, 0, tzinfo=UTC)


class OaiServer(ScriptedServer):
    """Serves `items`; `faults` are instances or names out of `faults.FAULTS`.

    `items` and `now` may be changed while it runs, as time passes in a real repository.
    """

    def __init__(
        self,
        items: Iterable[Item],
        *faults: Fault | str,
        page_size: int = 10,
        granularity: str = SECONDS,
        deleted: str = "persistent",
        sets: Sequence[tuple[str, str]] | None = None,
        formats: Sequence[str] = ("oai_dc",),
        now: datetime = NOW,
        certificate: Certificate | None = None,
    ) -> None:
        super().__init__(self._reply, path="/oai", certificate=certificate)
        self.items = list(items)
        self.page_size = page_size
        self.granularity = granularity
        self.deleted = deleted
        self.named_sets = sets
        self.formats = tuple(formats)
        self.now = now
        self.faults = [_switch_on(each, self) for each in faults]

    def put(self, item: Item) -> None:
        """Add this record, or replace the one with its identifier."""
        self.items = [each for each in self.items if each.identifier != item.identifier] + [item]

    def delete(self, identifier: str, stamp: datetime) -> None:
        """Leave a tombstone, or nothing at all where deletions are not told."""
        found = next(each for each in self.items if each.identifier == identifier)
        self.items.remove(found)
        if self.deleted != "no":
            self.items.append(replace(found, stamp=stamp, payload=None))

    def token_for(self, asked: Asked, offset: int) -> str:
        """The server's own token for this list from this place on."""
        ends = (each.strftime("%Y%m%d%H%M%S") if each else "" for each in (asked.start, asked.end))
        return "~".join([str(offset), asked.prefix, asked.spec or "", *ends])

    def _reply(self, request: Request) -> Reply:
        for fault in self.faults:
            if (early := fault.intercept(request)) is not None:
                return early
        try:
            body = self._body(request)
        except Instead as instead:
            return instead.reply
        reply = Reply(body=body)
        for fault in self.faults:
            reply = fault.deliver(reply, request)
        return reply

    def _body(self, request: Request) -> bytes:
        arguments = request.arguments
        try:
            inside = self._answer(arguments, request)
        except Refused as refused:
            inside = f'<error code="{refused.code}">{escape(str(refused))}</error>'
        xml = self._envelope(inside, arguments)
        for fault in self.faults:
            xml = fault.markup(xml)
        body = xml.encode("utf-8", "surrogatepass")
        for fault in self.faults:
            body = fault.encode(body)
        return body

    def _envelope(self, inside: str, arguments: dict[str, str]) -> str:
        attributes = (
            "" if "<error" in inside else "".join(f" {k}={quoteattr(v)}" for k, v in arguments.items())
        )
        return (
            '<?xml version="1.0" encoding="UTF-8"?>\n<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/">'
            f"<responseDate>{self.now:%Y-%m-%dT%H:%M:%SZ}</responseDate>"
            f"<request{attributes}>{self.url}</request>{inside}</OAI-PMH>"
        )

    def _answer(self, arguments: dict[str, str], request: Request) -> str:
        verbs: dict[str, Callable[[Asked], str]] = {
            "Identify": self._identify,
            "ListMetadataFormats": self._list_metadata_formats,
            "ListSets": self._list_sets,
            "GetRecord": self._get_record,
            **dict.fromkeys(LISTS, self._list),
        }
        verb = arguments.get("verb", "")
        if verb not in verbs:
            raise Refused("badVerb", "no such verb")
        asked = self._read(verb, arguments, request)
        for fault in self.faults:
            asked = fault.reinterpret(asked)
        return verbs[verb](asked)

    def _read(self, verb: str, arguments: dict[str, str], request: Request) -> Asked:
        token = arguments.get("resumptionToken")
        if token is not None:
            own = token
            for fault in reversed(self.faults):
                own = fault.read_token(own, request)
            return _parse_token(own, Asked(verb, arguments, token=token))
        if verb in {*LISTS, "GetRecord"} and "metadataPrefix" not in arguments:
            raise Refused("badArgument", "metadataPrefix is missing")
        return Asked(
            verb,
            arguments,
            prefix=arguments.get("metadataPrefix", ""),
            spec=arguments.get("set"),
            start=self._parse_moment(arguments.get("from"), is_end=False),
            end=self._parse_moment(arguments.get("until"), is_end=True),
        )

    def _parse_moment(self, text: str | None, *, is_end: bool) -> datetime | None:
        if text is None:
            return None
        if len(text) > len(DAYS) and self.granularity == DAYS:
            raise Refused("badArgument", "the granularity here is a day")
        if not _MOMENT.fullmatch(text):
            raise Refused("badArgument", "a date is YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ")
        try:
            moment = datetime.fromisoformat(text).replace(tzinfo=UTC)
        except ValueError as exc:
            raise Refused("badArgument", "no such date") from exc
        return moment + timedelta(days=1, seconds=-1) if is_end and len(text) == len(DAYS) else moment

    def _identify(self, _: Asked) -> str:
        first = min((each.stamp for each in self.items), default=self.now)
        identity = Identity(self.granularity, self.deleted, self._stamp(first))
        for fault in self.faults:
            identity = fault.identity(identity)
        earliest = identity.earliest
        told = "" if earliest is None else f"<earliestDatestamp>{earliest}</earliestDatestamp>"
        return (
            f"<Identify><repositoryName>Test</repositoryName><baseURL>{self.url}</baseURL>"
            f"<protocolVersion>2.0</protocolVersion><adminEmail>nobody@test.example</adminEmail>{told}"
            f"<deletedRecord>{identity.deleted}</deletedRecord>"
            f"<granularity>{identity.granularity}</granularity></Identify>"
        )

    def _list_metadata_formats(self, _: Asked) -> str:
        formats = "".join(
            f"<metadataFormat><metadataPrefix>{each}</metadataPrefix><schema>http://test.example/{each}.xsd</schema>"
            f"<metadataNamespace>http://test.example/{each}/</metadataNamespace></metadataFormat>"
            for each in self.formats
        )
        return f"<ListMetadataFormats>{formats}</ListMetadataFormats>"

    def _list_sets(self, asked: Asked) -> str:
        specs = dict.fromkeys(spec for item in self.items for spec in item.sets)
        sets: Sequence[tuple[str, str]] = [(spec, f"The set {spec}") for spec in specs]
        if self.named_sets is not None:
            sets = self.named_sets
        for fault in self.faults:
            sets = fault.sets(sets)
        if not sets:
            raise Refused("noSetHierarchy", "there are no sets here")
        page = sets[asked.offset : asked.offset + self.page_size]
        following = asked.offset + self.page_size
        token = self.token_for(asked, following) if following < len(sets) else ""
        inside = "".join(
            f"<set><setSpec>{spec}</setSpec><setName>{name}</setName></set>" for spec, name in page
        )
        return f"<ListSets>{inside}{self._end(token, str(asked.offset), str(len(sets)))}</ListSets>"

    def _get_record(self, asked: Asked) -> str:
        name = asked.arguments.get("identifier")
        found = next((each for each in self._visible() if each.identifier == name), None)
        if found is None:
            raise Refused("idDoesNotExist", "no such record")
        self._check_format(asked.prefix)
        return f"<GetRecord>{self._record(found, asked.verb)}</GetRecord>"

    def _list(self, asked: Asked) -> str:
        self._check_format(asked.prefix)
        items = [each for each in self._visible() if _is_inside(each, asked)]
        for fault in self.faults:
            items = fault.select(items, asked)
        page = self._page(items, asked)
        for fault in self.faults:
            page = fault.page(page)
        if not page.items and not page.token and not page.may_be_empty:
            raise Refused("badResumptionToken" if asked.token else "noRecordsMatch", "nothing here")
        inside = "".join(self._record(each, asked.verb) for each in page.items)
        return f"<{asked.verb}>{inside}{self._end(page.token, page.cursor, page.size)}</{asked.verb}>"

    def _page(self, items: list[Item], asked: Asked) -> Page:
        following = asked.offset + self.page_size
        token = None if asked.token is None else ""
        return Page(
            asked=asked,
            items=tuple(items[asked.offset : following]),
            index=asked.offset // self.page_size,
            token=self.token_for(asked, following) if following < len(items) else token,
            cursor=str(asked.offset),
            size=str(len(items)),
        )

    def _visible(self) -> list[Item]:
        shown = [each for each in self.items if each.payload is not None or self.deleted != "no"]
        return sorted(shown, key=lambda each: (each.stamp, each.identifier))

    def _check_format(self, prefix: str) -> None:
        if prefix not in self.formats:
            raise Refused("cannotDisseminateFormat", "no such format")

    def _record(self, item: Item, verb: str) -> str:
        for fault in self.faults:
            item = fault.item(item)
        status = "" if item.payload is not None else ' status="deleted"'
        sets = "".join(f"<setSpec>{spec}</setSpec>" for spec in item.sets)
        xml = (
            f"<header{status}><identifier>{escape(item.identifier)}</identifier>"
            f"<datestamp>{self._stamp(item.stamp)}</datestamp>{sets}</header>"
        )
        if verb != "ListIdentifiers":
            metadata = "" if item.payload is None else f"<metadata>{item.payload}</metadata>"
            xml = f"<record>{xml}{metadata}</record>"
        for fault in self.faults:
            xml = fault.record(xml, item, verb)
        return xml

    def _stamp(self, moment: datetime) -> str:
        text = moment.strftime("%Y-%m-%d" if self.granularity == DAYS else "%Y-%m-%dT%H:%M:%SZ")
        for fault in self.faults:
            text = fault.stamp(text)
        return text

    def _end(self, token: str | None, cursor: str | None, size: str | None) -> str:
        if token is None:
            return ""
        if token:
            for fault in self.faults:
                token = fault.write_token(token)
        told = "" if size is None else f" completeListSize={quoteattr(size)}"
        told += "" if cursor is None else f" cursor={quoteattr(cursor)}"
        return f"<resumptionToken{told}>{escape(token)}</resumptionToken>"


def _switch_on(fault: Fault | str, server: OaiServer) -> Fault:
    if isinstance(fault, str):
        fault = FAULTS[fault]()
    fault.server = server
    return fault


def _is_inside(item: Item, asked: Asked) -> bool:
    if asked.start is not None and item.stamp < asked.start:
        return False
    if asked.end is not None and item.stamp > asked.end:
        return False
    spec = asked.spec
    return spec is None or any(each == spec or each.startswith(f"{spec}:") for each in item.sets)


def _parse_token(text: str, asked: Asked) -> Asked:
    fields = text.split("~")
    if len(fields) != 5 or not fields[0].isdecimal():
        raise Refused("badResumptionToken", "no such token")
    start, end = (
        datetime.strptime(each, "%Y%m%d%H%M%S").replace(tzinfo=UTC) if each else None for each in fields[3:]
    )
    return replace(
        asked, prefix=fields[1], spec=fields[2] or None, start=start, end=end, offset=int(fields[0])
    )
