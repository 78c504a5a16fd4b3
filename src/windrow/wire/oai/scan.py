"""The exact way to cut a page: a strict parser's own byte offsets, whatever the page looks like.

Prefixed OAI elements, CDATA, comments, `<record>` elements inside payloads, namespaces declared on
any level, header fields in any order, records without header or metadata: all land here. So do pages
whose root is not OAI-PMH but that hold records all the same (saved harvests, home-made servers).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from xml.parsers import expat

from windrow.errors import NotOai
from windrow.model.record import Record, Reject
from windrow.wire.oai.foreign import describe
from windrow.wire.oai.namespaces import render_declarations
from windrow.wire.oai.page import LISTS, Fault, Page, Token
from windrow.wire.oai.strict import ForbiddenMarkup, new_parser
from windrow.wire.oai.text import number

_START_TAG = re.compile(rb"""<(?:"[^"]*"|'[^']*'|[^>"'])*>""")
_PAYLOADS = ("metadata", "about")


def scan_page(body: bytes) -> Page:
    """Cut a well-formed UTF-8 page into records and rejects."""
    scanner = _Scanner(body)
    scanner.run()
    page = scanner.page()
    if not scanner.foreign_root:
        return page
    if not page.records:
        raise NotOai(f"the answer is {describe(body)}", body=body)
    words = f"the root element is <{scanner.foreign_root}>, not <OAI-PMH>; its records were taken all the same"
    return replace(page, repairs=(words,))


@dataclass(slots=True)
class _Draft:
    """A record while its parts are still being read."""

    start: int
    depth: int
    has_header: bool = False
    status: str = ""
    identifier: str = ""
    stamp: str = ""
    sets: list[str] = field(default_factory=list)
    payload: bytes | None = None
    about: list[bytes] = field(default_factory=list)
    declarations: bytes = b""

    def finish(self, raw: bytes, *, is_header: bool) -> Record | Reject:
        identifier = self.identifier.strip()
        if not self.has_header:
            return Reject("the record has no header", raw)
        if not identifier:
            return Reject("the header has no identifier", raw)
        is_deleted = self.status.strip() == "deleted"
        if not is_header and not is_deleted and not (self.payload or b"").strip():
            return Reject("the record has no metadata and is not marked as deleted", raw, identifier)
        return Record(
            identifier,
            self.stamp.strip(),
            tuple(dict.fromkeys(spec.strip() for spec in self.sets if spec.strip())),
            is_deleted,
            None if is_deleted or self.payload is None else self.payload.strip(),
            b"\n".join(self.about) or None,
            self.declarations,
        )


class _Scanner:
    """Follows the parser down the envelope; what is inside payloads is only skipped over."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._path: list[str] = []
        self._scopes: list[dict[str, str]] = []
        self._pending: dict[str, str] = {}
        self._text: list[str] | None = None
        self._skipping = 0  # depth inside a payload
        self._payload_start = 0
        self._namespace = ""
        self.foreign_root = ""
        self._draft: _Draft | None = None
        self._list = ""
        self._token: dict[str, str] | None = None
        self._fault_code = ""
        self._response_date: str | None = None
        self._records: list[Record] = []
        self._rejects: list[Reject] = []
        self._token_value: Token | None = None
        self._faults: list[Fault] = []
        self._parser = new_parser()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.StartNamespaceDeclHandler = self._declare

    def run(self) -> None:
        try:
            self._parser.Parse(self._body, True)
        except (expat.ExpatError, ForbiddenMarkup) as exc:
            raise NotOai(f"the answer is not well-formed: {exc}", body=self._body) from exc

    def page(self) -> Page:
        return Page(
            self._response_date, self._records, self._rejects, self._token_value, tuple(self._faults)
        )

    def _declare(self, prefix: str | None, address: str | None) -> None:
        if not self._skipping:
            self._pending[prefix or ""] = address or ""

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if self._skipping:
            self._skipping += 1
            return
        namespace, _, local = name.rpartition(" ")
        if not self._path:
            self._namespace = namespace
            self.foreign_root = "" if local == "OAI-PMH" else local
        self._scopes.append(self._pending)
        self._pending = {}
        if self.foreign_root and self._draft is None:
            self._namespace = namespace
        is_ours = namespace == self._namespace
        self._path.append(local if is_ours else name)
        self._text = []
        if is_ours:
            self._enter(local, attributes)

    def _enter(self, local: str, attributes: dict[str, str]) -> None:
        depth = len(self._path)
        offset = self._parser.CurrentByteIndex
        if self._draft is None:
            if self._is_entry(local, depth):
                self._draft = _Draft(offset, depth)
                if local == "header":
                    self._header(self._draft, attributes)
            elif local == "resumptionToken":
                self._token = dict(attributes)
            elif depth == 2:
                self._list = local
                self._fault_code = attributes.get("code", "")
        elif depth == self._draft.depth + 1:
            if local == "header":
                self._header(self._draft, attributes)
            elif local in _PAYLOADS:
                self._skip_from(offset, local)

    def _is_entry(self, local: str, depth: int) -> bool:
        if self.foreign_root:
            return local == "record"
        return depth == 3 and self._list in LISTS and local in ("record", "header")

    def _header(self, draft: _Draft, attributes: dict[str, str]) -> None:
        draft.has_header = True
        draft.status = attributes.get("status", "")

    def _skip_from(self, offset: int, local: str) -> None:
        tag = _START_TAG.match(self._body, offset)
        assert tag is not None  # the parser has just accepted a start tag here
        self._skipping = 1
        self._payload_start = tag.end() if local == "metadata" else offset
        if self._draft is not None and local == "metadata":
            scope: dict[str, str] = {}
            for declared in self._scopes:
                scope.update(declared)
            self._draft.declarations = render_declarations({k: v for k, v in scope.items() if v or not k})

    def _end(self, name: str) -> None:
        if self._skipping:
            self._skipping -= 1
            if self._skipping:
                return
            self._leave_payload()
        else:
            self._leave("".join(self._text or ()))
        self._text = None
        self._path.pop()
        self._scopes.pop()

    def _leave_payload(self) -> None:
        assert self._draft is not None
        end = self._parser.CurrentByteIndex
        if self._path[-1] == "about":
            self._draft.about.append(self._body[self._payload_start : self._close(end, "about")])
        elif self._draft.payload is None:
            self._draft.payload = self._body[self._payload_start : max(end, self._payload_start)]
        else:
            self._draft.payload += b"\n" + self._body[self._payload_start : max(end, self._payload_start)]

    def _leave(self, text: str) -> None:
        local, depth = self._path[-1], len(self._path)
        if depth == 2 and local == "responseDate":
            self._response_date = text.strip()
        elif depth == 2 and local == "error" and (self._fault_code or text.strip()):
            self._faults.append(Fault(self._fault_code, text.strip()))
        elif self._draft is None and local == "resumptionToken" and self._token is not None:
            self._token_value = _token(text, self._token)
        elif self._draft is not None and depth == self._draft.depth:
            raw = self._body[self._draft.start : self._close(self._parser.CurrentByteIndex, local)]
            self._keep(self._draft.finish(raw, is_header=local == "header"))
            self._draft = None
        elif self._draft is not None and "header" in self._path[self._draft.depth - 1 : self._draft.depth + 1]:
            self._header_field(local, text)

    def _header_field(self, local: str, text: str) -> None:
        assert self._draft is not None
        if local == "identifier":
            self._draft.identifier = text
        elif local == "datestamp":
            self._draft.stamp = text
        elif local == "setSpec":
            self._draft.sets.append(text)

    def _keep(self, result: Record | Reject) -> None:
        if isinstance(result, Record):
            self._records.append(result)
        elif not self.foreign_root or result.identifier:
            self._rejects.append(result)

    def _close(self, offset: int, local: str) -> int:
        """Where the element ends whose end the parser reports here: an empty one has ended already."""
        tag = re.compile(rb"</(?:[^\s>:]+:)?" + local.encode() + rb"\s*>").match(self._body, offset)
        return tag.end() if tag else offset

    def _characters(self, text: str) -> None:
        if self._text is not None and not self._skipping:
            self._text.append(text)


def _token(text: str, attributes: dict[str, str]) -> Token:
    return Token(
        text.strip(),
        number(attributes.get("cursor")),
        number(attributes.get("completeListSize")),
        attributes.get("expirationDate"),
    )
