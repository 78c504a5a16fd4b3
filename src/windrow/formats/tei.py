"""TEI headers of edited texts and corpora, and the TEI in which HAL describes publications.

The header is mapped; the text itself stays in `extra`. HAL puts the publication into `listBibl/biblFull`,
below a header about the export: then the former is the record.
"""

from __future__ import annotations

from lxml import etree

from windrow.formats.mapping.xml_records import (
    ABSTRACT,
    IDENTIFIER,
    KEYWORD,
    PUBLISHER,
    Draft,
    Rule,
    Trail,
    dated,
    element_language,
    element_text,
    local_name,
    name_in,
    read_paths,
)
from windrow.formats.registry import Reader
from windrow.model.document import Document

NAMESPACE = "http://www.tei-c.org/ns/1.0"
_OTHER_TITLES = frozenset(("sub", "alt", "short", "parallel", "desc"))


class Tei:
    """Reader of TEI P4 and P5."""

    name = "tei"
    prefixes = frozenset(("oai_tei", "xml-tei", "teihdr", "tei_header", "tei-hal"))
    roots = frozenset(
        (
            f"{{{NAMESPACE}}}TEI",
            f"{{{NAMESPACE}}}teiHeader",
            f"{{{NAMESPACE}}}teiCorpus",
            "TEI",
            "TEI.2",
            "teiHeader",
        )
    )

    def read(self, root: etree._Element) -> Document:
        draft, trail = Draft("tei"), Trail()
        publication = root.find(".//{*}listBibl/{*}biblFull")
        read_paths(root, draft, _RULES if publication is None else _HAL_RULES, trail=trail)
        return draft.finish()


def _title(draft: Draft, element: etree._Element, trail: Trail) -> None:
    is_other = trail.value(element, "type").lower() in _OTHER_TITLES
    add = draft.add_alternative if is_other else draft.add_title
    add(trail.use(element), element_language(element))


def _author(draft: Draft, element: etree._Element, trail: Trail) -> None:
    role = trail.value(element, "role").lower()
    is_creator = role in ("", "aut")
    _add_person(draft, element, trail, role=None if is_creator else role, is_creator=is_creator)


def _editor(draft: Draft, element: etree._Element, trail: Trail) -> None:
    _add_person(draft, element, trail, role="editor", is_creator=False)


def _add_person(
    draft: Draft, element: etree._Element, trail: Trail, *, role: str | None, is_creator: bool
) -> None:
    """Add a person by the parts of the name, if there are any; other details stay in extra."""
    named = next((part for part in element.iter() if local_name(part) and name_in(part)), None)
    if named is not None:
        name = name_in(named)
        trail.skip(named)
        _keep_rest(draft, named, name)
    else:
        whole = next(
            (part for part in element if local_name(part) in ("persName", "orgName", "name")), element
        )
        name = trail.use(whole)
    add = draft.add_creator if is_creator else draft.add_contributor
    add(name, role=role)


def _keep_rest(draft: Draft, named: etree._Element, name: str) -> None:
    for part in named.iter():
        text = element_text(part) if local_name(part) and len(part) == 0 else (part.text or "")
        if text.strip() and " ".join(text.split()) not in name:
            draft.add_extra(f"tei:{local_name(part)[:64]}", text)


def _responsible(draft: Draft, element: etree._Element, trail: Trail) -> None:
    roles = [part for part in element if local_name(part) == "resp"]
    role = trail.use(roles[0]) if roles else ""
    for part in element:
        if local_name(part) in ("name", "persName", "orgName"):
            draft.add_contributor(name_in(part) or element_text(part), role=role or None)
            if not name_in(part):
                trail.skip(part)


def _language(draft: Draft, element: etree._Element, trail: Trail) -> None:
    draft.add_language(trail.value(element, "ident"))
    draft.add_extra("tei:language", trail.use(element))


def _licence(draft: Draft, element: etree._Element, trail: Trail) -> None:
    draft.add_rights(trail.value(element, "target"))
    draft.add_rights(trail.use(element))


_RULES: dict[str, Rule] = {
    "filedesc/titlestmt/title": _title,
    "filedesc/titlestmt/author": _author,
    "filedesc/titlestmt/editor": _editor,
    "filedesc/titlestmt/respstmt": _responsible,
    "filedesc/publicationstmt/publisher": PUBLISHER,
    "filedesc/publicationstmt/distributor": PUBLISHER,
    "filedesc/publicationstmt/date": dated("issued", "when"),
    "filedesc/publicationstmt/idno": IDENTIFIER,
    "publicationstmt/availability/licence": _licence,
    "publicationstmt/availability/p": _licence,
    "profiledesc/langusage/language": _language,
    "profiledesc/textclass/keywords/term": KEYWORD,
    "textclass/keywords/list/item": KEYWORD,
    "profiledesc/abstract": ABSTRACT,
}
_PUBLISHED = "sourcedesc/biblstruct/monogr/imprint"
_HAL_RULES: dict[str, Rule] = {
    "biblfull/titlestmt/title": _title,
    "biblfull/titlestmt/author": _author,
    "biblfull/titlestmt/editor": _editor,
    "biblfull/publicationstmt/idno": IDENTIFIER,
    "biblfull/publicationstmt/availability/licence": _licence,
    f"{_PUBLISHED}/date": dated("issued", "when"),
    f"{_PUBLISHED}/publisher": PUBLISHER,
    "sourcedesc/biblstruct/idno": IDENTIFIER,
    "biblstruct/monogr/title": lambda draft, element, trail: draft.add_source(trail.use(element)),
    "biblfull/profiledesc/langusage/language": _language,
    "profiledesc/textclass/keywords/term": KEYWORD,
    "biblfull/profiledesc/abstract": ABSTRACT,
}

READER: Reader = Tei()
