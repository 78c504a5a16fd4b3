"""The page of one record: what it is about, where to read it, how to cite it, where it came from.

At the same address are its raw formats (`?format=`) and its description for other programs (`?as=`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from windrow.faces.portal.described import Description, describe
from windrow.faces.portal.downloads import KINDS, download
from windrow.faces.portal.room import Room
from windrow.faces.shared.catalogues import message
from windrow.faces.shared.frame import Frame, show
from windrow.faces.shared.pairs import query_pairs
from windrow.faces.shared.refusal import Refused
from windrow.faces.shared.request import Request
from windrow.faces.shared.response import DATA_HEADERS, NO_CACHE, NO_INDEX, Header, Response
from windrow.faces.shared.wording import cut
from windrow.finding.addresses import record_path
from windrow.finding.citing import STYLES, cite_all
from windrow.finding.record import Gone, RecordView, find_record

SIMILAR = 5
_DESCRIPTION_LETTERS = 300
HAPPENINGS: Mapping[str, str] = {
    "added": message("came into the library"),
    "changed": message("its metadata changed"),
    "deleted": message("was deleted by its source"),
    "restored": message("came back"),
    "sets": message("moved to other sets"),
    "format": message("came in a further format"),
}
_XML: Header = (b"content-type", b"text/xml; charset=utf-8")


class RecordPage:
    """Makes the pages under `/record/SOURCE/`."""

    def __init__(self, room: Room) -> None:
        self._room = room

    def __call__(self, request: Request, rest: str) -> Response:
        """Give the page of a record, or one of its files."""
        source, _, identifier = rest.removeprefix("/").partition("/")
        found = find_record(self._room.store, source, identifier) if source and identifier else None
        if found is None:
            raise Refused(404, "There is no such record.")
        frame = replace(self._room.frames.frame(request), here=record_path(source, identifier))
        if isinstance(found, Gone):
            return _gone(frame, found)
        pairs = dict(query_pairs(request.query))
        if "format" in pairs:
            return _raw(found, pairs["format"])
        if "as" in pairs:
            return download(found, pairs["as"])
        return self._page(frame, found)

    def _page(self, frame: Frame, found: RecordView) -> Response:
        ways = self._room.ways(frame)
        described = describe(found, frame, ways)
        return show(
            frame,
            "portal/record.html",
            title=cut(described.title, 120),
            description=_description(described),
            canonical=record_path(found.source, found.identifier),
            is_indexed=True,
            record=found,
            described=described,
            citations=[(STYLES[each.style].title, each) for each in cite_all(found.document)],
            downloads=KINDS,
            happenings=HAPPENINGS,
            similar=self._room.index.similar(found.number, limit=SIMILAR),
            here=frame.link(record_path(found.source, found.identifier)),
            ways=ways,
        )


def _description(described: Description) -> str:
    return cut(described.abstracts[0].text, _DESCRIPTION_LETTERS) if described.abstracts else ""


def _gone(frame: Frame, found: Gone) -> Response:
    """Give the page for a record that its source has withdrawn: gone, not lost."""
    title = frame.tongue.say("This record was withdrawn")
    return show(frame, "portal/gone.html", title=title, gone=found, happenings=HAPPENINGS, status=410)


def _raw(found: RecordView, prefix: str) -> Response:
    raw = found.raw(prefix)
    if raw is None:
        known = ", ".join(each.prefix for each in found.raws)
        raise Refused(404, f"This record is not here in that format. There are: {known}.")
    return Response(200, raw.data, [_XML, NO_CACHE, NO_INDEX, *DATA_HEADERS])
