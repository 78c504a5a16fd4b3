"""Reads MARCXML (MARC 21): library catalogues, and Invenio repositories with their own habits.

The fields come from `marcfields`; `marcplaces` and `marcagents` know where each belongs. Whatever
no place takes stays in `extra` as `marc:TAG$code`.
"""

from __future__ import annotations

from lxml import etree

from windrow.formats.dates import year_of
from windrow.formats.elements import Draft, local, text_of
from windrow.formats.leftovers import own_text
from windrow.formats.marcagents import add_agent, heading_of, is_article_shaped
from windrow.formats.marcfields import Field, field_of, join_title
from windrow.formats.marcplaces import PLACES, add_subject
from windrow.model.document import Document
from windrow.model.languages import codes_of

NAMESPACE = "http://www.loc.gov/MARC21/slim"

# Leader positions 6 and 7, as words.
_KINDS = {
    "c": "notated music",
    "d": "manuscript music",
    "e": "map",
    "f": "manuscript map",
    "g": "film or video",
    "i": "sound recording",
    "j": "music recording",
    "k": "image",
    "m": "computer file",
    "o": "kit",
    "p": "mixed material",
    "r": "object",
    "t": "manuscript",
    "z": "authority",
}
_LEVELS = {
    "a": "article",
    "b": "article",
    "c": "collection",
    "d": "collection",
    "i": "website",
    "m": "book",
    "s": "serial",
}
_INVENIO = "00000coc"  # Invenio writes the leader of a kit for every record


class MarcXml:
    """MARC 21 in XML, with or without its namespace, alone or inside a collection."""

    name = "marcxml"
    prefixes = frozenset(
        {"marc21", "marc", "oai_marc21", "marc21-slim", "MARC21-xml", "marcxchange", "marc_xml"}
    )
    roots = frozenset({f"{{{NAMESPACE}}}record", f"{{{NAMESPACE}}}collection"})

    def read(self, root: etree._Element) -> Document:
        """Give the document that the record, or the first record of the collection, describes."""
        record = _Record(root)
        record.place()
        return record.draft.finish()


class _Record:
    """One record on its way into a draft."""

    def __init__(self, root: etree._Element) -> None:
        self.draft = Draft("marc")
        self.leader = ""
        self.control: dict[str, str] = {}
        self.fields: list[Field] = []
        self._gather(root)

    def _gather(self, root: etree._Element) -> None:
        record = next((child for child in root if local(child) == "record"), root)
        self.draft.add_extra(f"marc:{local(root)[:64]}", own_text(root))
        self.draft.add_extra("marc:record", own_text(record))
        for child in record:
            self._gather_child(child)
        for other in root if record is not root else ():
            if other is not record and local(other):  # a payload is one record; of more, the words are kept
                self.draft.add_extra(f"marc:{local(other)[:64]}", text_of(other))

    def _gather_child(self, element: etree._Element) -> None:
        name = local(element)
        if name == "datafield":
            self.fields.append(field_of(element))
        elif name == "leader":
            self.leader = self.leader or element.text or ""
            self.draft.add_extra("marc:leader", text_of(element))
        elif name == "controlfield":
            tag = (element.get("tag") or "?")[:8]
            self.control.setdefault(tag, element.text or "")
            self.draft.add_extra(f"marc:{tag}", text_of(element))
        elif name:
            self.draft.add_extra(f"marc:{name[:64]}", text_of(element))

    def place(self) -> None:
        """Put every field where it belongs; what finds no place goes to extra."""
        self._place_kind()
        if self.leader[6:7] == "z":
            self._place_heading()
        else:
            self._place_titles()
            self._place_fields()
            self._place_fixed()
        for field in self.fields:
            for code, value in field.rest():
                self.draft.add_extra(f"marc:{field.tag}${code}", value)

    def _place_fields(self) -> None:
        are_authors = is_article_shaped(self.fields)
        for field in self.fields:
            place = PLACES.get(field.tag)
            if place is not None:
                place(self.draft, field)
            elif field.tag[:1] == "6":
                add_subject(self.draft, field)
            elif field.tag in ("100", "110", "111", "700", "710", "711", "720"):
                add_agent(self.draft, field, are_authors=are_authors)

    def _place_titles(self) -> None:
        for tag in ("245", "242", "246", "130", "240"):
            for field in self.fields:
                if field.tag == tag or (field.tag == "880" and field.peek("6").startswith(tag)):
                    self.draft.add_title(join_title(field))

    def _place_heading(self) -> None:
        """Name an authority record after its heading; it has no title of its own."""
        for field in self.fields:
            if field.tag[:1] == "1":
                self.draft.add_title(heading_of(field))

    def _place_kind(self) -> None:
        if any(field.tag == "502" for field in self.fields):
            self.draft.add_type("thesis")
        if self.leader.startswith(_INVENIO):
            return
        kind = _KINDS.get(self.leader[6:7])
        if kind is None and self.leader[6:7] == "a":
            kind = _LEVELS.get(self.leader[7:8])
        self.draft.add_type(kind or "")

    def _place_fixed(self) -> None:
        """Take language and year from field 008 where the fields for people to read say none."""
        fixed = self.control.get("008", "")
        if len(fixed) < 11:
            return
        for code in codes_of(fixed[35:38].strip("|# ")) if len(fixed) >= 38 else ():
            self.draft.add_language(code)
        dated = ("260", "264", "046", "269", "773", "502")
        if not any(year_of(field.peek("cdkyg")) for field in self.fields if field.tag in dated):
            year = fixed[7:11].replace("u", "-")  # an unknown digit
            self.draft.add_date(year if year[:2].isdecimal() else "", "issued")


READER = MarcXml()
