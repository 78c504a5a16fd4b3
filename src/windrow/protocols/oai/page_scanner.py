"""The exact parser for pages: byte offsets from a strict parser, for pages of any shape.

It handles prefixed OAI elements, CDATA, comments, `<record>` elements inside payloads, namespaces declared on
any level, header fields in any order, and records without header or metadata. It also handles pages with
records whose root is not OAI-PMH (saved harvests, home-made servers).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from xml.parsers import expat

from windrow.errors import BadXml, NotOai
from windrow.model.record import Record, Reject
from windrow.protocols.oai.oai_page import LISTS, NAMESPACE, Fault, Page, Token, make_token
from windrow.protocols.oai.payload_xml import render_declarations
from windrow.protocols.oai.well_formedness import (
    SEPARATOR,
    ForbiddenMarkup,
    describe_foreign_body,
    new_parser,
)

# Each record stores the declarations in its scope, and a hostile page could have many of both.
MAX_NAMESPACES = 500  # in scope at once
MAX_SCOPE_BYTES = 64 * 1024
MAX_SWELLING = 16  # size of all records' declarations relative to the page

_START_TAG = re.compile(rb"""<(?:"[^"]*"|'[^']*'|[^>"'])*>""")
_PAYLOADS = ("metadata", "about")
_CLOSING = {
    local: re.compile(rb"</(?:[^\s>:]+:)?" + local.encode() + rb"\s*>")
    for local in ("record", "header", "about")
}


def scan_page(body: bytes) -> Page:
    """Cut a well-formed UTF-8 page into records and rejects.

    Raise NotOai for a page with neither a list nor an error; an empty list is valid.
    """
    scanner = _Scanner(body)
    scanner.run()
    page = scanner.page()
    if scanner.foreign_root and not page.records:
        raise NotOai(f"the answer is {describe_foreign_body(body)}", body=body)
    if not scanner.has_list and not page.records and not page.rejects and not page.faults:
        raise NotOai("the answer has neither a list of records nor an error in it", body=body)
    oddity = scanner.oddity()
    return replace(page, repairs=(oddity,)) if oddity else page


@dataclass(slots=True)
class _Draft:
    """A record whose parts are still being read."""

    start: int
    depth: int
    has_header: bool = False
    has_element: bool = False  # in its metadata
    status: str = ""
    identifier: str = ""
    stamp: str = ""
    sets: list[str] = field(default_factory=list)
    payloads: list[bytes] = field(default_factory=list)
    abouts: list[bytes] = field(default_factory=list)
    scope: dict[str, str] = field(default_factory=dict)  # the namespaces in scope of the payload
    declarations: bytes = b""  # the same, rendered

    def finish(self, raw: bytes, *, is_header: bool) -> Record | Reject:
        identifier = self.identifier.strip()
        if not self.has_header:
            return Reject("the record has no header", raw)
        if not identifier:
            return Reject("the header has no identifier", raw)
        is_deleted = self.status.strip().lower() == "deleted"  # some servers write Deleted
        payload = b"" if is_deleted else b"\n".join(self.payloads).strip()
        if not payload and not is_header and not is_deleted:
            return Reject("the record has no metadata and is not marked as deleted", raw, identifier)
        if payload and not self.has_element:
            return Reject("the record's metadata holds no element", raw, identifier)
        return Record(
            identifier,
            self.stamp.strip(),
            tuple(dict.fromkeys(spec.strip() for spec in self.sets if spec.strip())),
            is_deleted,
            payload or None,
            b"\n".join(self.abouts) or None,
            self.declarations if payload else b"",
        )


class _Scanner:
    """Follows the parser through the envelope and skips the insides of payloads."""

    def __init__(self, body: bytes) -> None:
        self.foreign_root = ""
        self.has_list = False
        self._body = body
        self._path: list[str] = []
        self._scopes: list[dict[str, str]] = [{}]  # declarations by level, outer levels included
        self._pending: dict[str, str] = {}
        self._rendered: tuple[dict[str, str], bytes] = ({}, b"")
        self._budget = MAX_SWELLING * len(body) + MAX_SCOPE_BYTES
        self._text: list[str] | None = None
        self._skipping = 0  # depth inside a payload
        self._payload_start = 0
        self._namespaces: tuple[str, ...] = ()
        self._draft: _Draft | None = None
        self._list = ""
        self._is_listless = False
        self._token_attributes: dict[str, str] = {}
        self._fault_code = ""
        self._response_date: str | None = None
        self._records: list[Record] = []
        self._rejects: list[Reject] = []
        self._token: Token | None = None
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
            raise BadXml(f"the answer cannot be read: {exc}", body=self._body) from exc
        finally:
            del self._parser  # breaks a reference cycle, which would keep both and the page in memory

    def page(self) -> Page:
        faults = self._faults
        if self._records or self._rejects:  # an answer that has records contradicts "nothing found"
            faults = [fault for fault in faults if fault.code != "noRecordsMatch"]
        return Page(self._response_date, self._records, self._rejects, self._token, tuple(faults))

    def oddity(self) -> str:
        """Describe what is wrong with the position of the records; "" if nothing is."""
        if self.foreign_root:
            root = self.foreign_root
            return f"the root element is <{root}>, not <OAI-PMH>; its records were taken all the same"
        if self._is_listless:
            return "records stand outside of any list; they were taken all the same"
        return ""

    def _declare(self, prefix: str | None, address: str | None) -> None:
        if not self._skipping:
            self._pending[prefix or ""] = address or ""
            if len(self._pending) + len(self._scopes[-1]) > MAX_NAMESPACES:
                raise ForbiddenMarkup(f"more than {MAX_NAMESPACES} namespaces declared at once")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if self._skipping:
            self._skipping += 1
            if self._draft is not None and self._path[-1] == "metadata":
                self._draft.has_element = True
            return
        namespace, _, local = name.rpartition(SEPARATOR)
        if not self._path:
            self.foreign_root = "" if local == "OAI-PMH" else local
            # Some servers that build their responses node by node omit the namespace on some nodes.
            self._namespaces = (namespace, NAMESPACE, "")
        outer = self._scopes[-1]
        self._scopes.append(outer | self._pending if self._pending else outer)
        self._pending = {}
        if self.foreign_root and self._draft is None:
            self._namespaces = (namespace,)
        is_ours = namespace in self._namespaces
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
                self._is_listless = self._is_listless or depth == 2
                if local == "header":
                    self._header(self._draft, attributes)
            elif local == "resumptionToken":
                self._token_attributes = attributes
            elif depth == 2:
                self._list = local
                self.has_list = self.has_list or local in LISTS
                self._fault_code = attributes.get("code", "")
        elif depth == self._draft.depth + 1:
            if local == "header":
                self._header(self._draft, attributes)
            elif local in _PAYLOADS:
                self._skip_from(self._draft, offset, local)

    def _is_entry(self, local: str, depth: int) -> bool:
        if self.foreign_root:
            return local == "record"
        if depth == 2:
            return local == "record"
        return depth == 3 and self._list in LISTS and local in ("record", "header")

    def _header(self, draft: _Draft, attributes: dict[str, str]) -> None:
        draft.has_header = True
        draft.status = attributes.get("status", "")

    def _skip_from(self, draft: _Draft, offset: int, local: str) -> None:
        self._skipping = 1
        self._payload_start = offset
        if local == "metadata":
            tag = _START_TAG.match(self._body, offset)
            assert tag is not None  # the parser has just accepted a start tag here
            self._payload_start = tag.end()
            draft.scope = draft.scope | self._scopes[-1] if draft.payloads else self._scopes[-1]
            draft.declarations = self._render(draft.scope)

    def _render(self, scope: dict[str, str]) -> bytes:
        """Render the scope as attributes; cached, because records of one page mostly share it."""
        if self._rendered[0] is not scope:
            rendered = render_declarations(scope)
            self._rendered = (scope, rendered)
            self._budget -= len(rendered)
            if len(rendered) > MAX_SCOPE_BYTES or self._budget < 0:
                raise ForbiddenMarkup("more namespaces declared than records can carry")
        return self._rendered[1]

    def _end(self, _name: str) -> None:
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
            self._draft.abouts.append(self._body[self._payload_start : self._close(end, "about")])
        else:  # the protocol has no second <metadata>, but its data are kept
            self._draft.payloads.append(self._body[self._payload_start : max(end, self._payload_start)])

    def _leave(self, text: str) -> None:
        local, depth = self._path[-1], len(self._path)
        if depth == 2 and local == "responseDate":
            self._response_date = text.strip()
        elif depth == 2 and local == "error" and (self._fault_code or text.strip()):
            self._faults.append(Fault(self._fault_code, text.strip()))
        elif self._draft is None:
            if local == "resumptionToken":
                self._token = make_token(text, self._token_attributes)
        elif depth == self._draft.depth:
            raw = self._body[self._draft.start : self._close(self._parser.CurrentByteIndex, local)]
            self._keep(self._draft.finish(raw, is_header=local == "header"))
            self._draft = None
        elif "header" in self._path[self._draft.depth - 1 : self._draft.depth + 1]:
            self._header_field(self._draft, local, text)

    def _header_field(self, draft: _Draft, local: str, text: str) -> None:
        if local == "identifier":
            draft.identifier = text
        elif local == "datestamp":
            draft.stamp = text
        elif local == "setSpec":
            draft.sets.append(text)

    def _keep(self, result: Record | Reject) -> None:
        if isinstance(result, Record):
            self._records.append(result)
        elif not self.foreign_root or result.identifier:
            self._rejects.append(result)

    def _close(self, offset: int, local: str) -> int:
        """Return the end of the element that the parser closes here; an empty element has ended already."""
        tag = _CLOSING[local].match(self._body, offset)
        return tag.end() if tag else offset

    def _characters(self, text: str) -> None:
        if self._text is not None and not self._skipping:
            self._text.append(text)
