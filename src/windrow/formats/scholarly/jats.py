"""JATS and its predecessors (NLM), journal articles: PubMed Central, publishers, OJS.

Only the front matter is mapped; the body of a full article and its references stay in `extra`, where they
can be searched.
"""

from __future__ import annotations

from lxml import etree

from windrow.formats.mapping.identifier_schemes import authority_address
from windrow.formats.mapping.xml_records import (
    IDENTIFIER,
    KEYWORD,
    PUBLISHER,
    RIGHTS,
    Draft,
    Rule,
    Trail,
    element_language,
    element_text,
    element_words,
    into,
    is_name_part,
    local_name,
    name_in,
    read_paths,
)
from windrow.formats.registry import Reader
from windrow.model.document import Document

XLINK_HREF = "{http://www.w3.org/1999/xlink}href"
_DATES = {"epub": "published"}  # all others refer to an issue
_SCHEMES = {"doi": "doi", "pmid": "pmid", "pmc": "pmcid", "pmcid": "pmcid"}
_VERSIONS = ("1.0", "1.1", "1.2", "1.3", "1.4")


class Jats:
    """Reader of JATS."""

    name = "jats"
    prefixes = frozenset(("pmc", "pmc_fm", "nlm", "oai_jats", "oai_nlm", "jats-xml"))
    roots = frozenset(
        (
            *(
                f"{{{scheme}://jats.nlm.nih.gov/ns/{kind}/{version}/}}article"
                for scheme in ("http", "https")
                for kind in ("archiving", "publishing", "authoring")
                for version in _VERSIONS
            ),
            "{http://jats.nlm.nih.gov}article",
            "{https://jats.nlm.nih.gov}article",
            "{http://dtd.nlm.nih.gov/2.0/xsd/archivearticle}article",
            "{http://dtd.nlm.nih.gov/publishing/2.3}article",
            "{http://dtd.nlm.nih.gov/publishing/3.0}article",
            "{http://jats.nlm.nih.gov/publishing/1.1d1/}article",
            "article",
        )
    )

    def read(self, root: etree._Element) -> Document:
        draft, trail = Draft("jats"), Trail()
        meta = root.find("{*}front/{*}article-meta")
        draft.add_type(root.get("article-type") or "" if meta is not None else "")
        draft.add_language(element_language(root) or "" if meta is not None else "")
        _add_journal(root, draft, trail)
        read_paths(root, draft, _RULES, trail=trail)
        return draft.finish()


def _add_journal(root: etree._Element, draft: Draft, trail: Trail) -> None:
    """Add the journal with volume, issue and pages, in the form of a reference."""
    titles = root.findall("{*}front/{*}journal-meta//{*}journal-title")
    if not titles:
        return
    parts = {name: root.find(f"{{*}}front/{{*}}article-meta/{{*}}{name}") for name in _PLACES}
    said = {name: trail.use(part) for name, part in parts.items() if part is not None}
    issue = f"({said['issue']})" if said.get("issue") else ""
    pages = "–".join(filter(None, (said.get("fpage"), said.get("lpage")))) or said.get("elocation-id", "")
    where = ", ".join(filter(None, (f"{said.get('volume', '')}{issue}", pages)))
    for title in titles:
        draft.add_source(" ".join(filter(None, (trail.use(title), where))))
    if said.get("elocation-id"):
        draft.add_extra("jats:elocation-id", said["elocation-id"])


_PLACES = ("volume", "issue", "fpage", "lpage", "elocation-id")


def _title(draft: Draft, element: etree._Element, trail: Trail) -> None:
    around = element.getparent()
    subtitle = around.find("{*}subtitle") if around is not None else None
    words = element_words(element)
    if subtitle is not None:
        words = f"{words.strip()}: {trail.use(subtitle)}"
    draft.add_title(words, element_language(element))
    trail.skip(element)


def _translated(draft: Draft, element: etree._Element, trail: Trail) -> None:
    around = element.getparent()
    language = element_language(element) or (element_language(around) if around is not None else None)
    draft.add_alternative(element_words(element), language)
    trail.skip(element)


def _abstract(draft: Draft, element: etree._Element, trail: Trail) -> None:
    heading = element.find("{*}title")
    words = element_words(element).strip()
    if heading is not None and element_text(heading).lower() == "abstract":
        words = words.removeprefix(element_text(heading))
        draft.add_extra("jats:abstract/title", element_text(heading))
    draft.add_description(words, element_language(element), is_abstract=True)
    trail.skip(element)


def _contributor(draft: Draft, element: etree._Element, trail: Trail) -> None:
    kind = trail.value(element, "contrib-type").lower()
    named = element.find("{*}name")
    if named is None:
        named = element.find("{*}name-alternatives/{*}name")
    name = ""
    if named is not None:
        name = name_in(named)
        for part in named if name else ():
            if is_name_part(part):
                trail.skip(part)
    if not name:
        whole = next((part for part in element if local_name(part) in ("collab", "string-name")), None)
        name = trail.use(whole) if whole is not None else ""
    identifier = None
    for part in element:
        if local_name(part) == "contrib-id" and identifier is None:
            identifier = authority_address(element_text(part), part.get("contrib-id-type"))
            if identifier:
                trail.skip(part)
    add = draft.add_creator if kind in ("", "author") else draft.add_contributor
    role = None if kind in ("", "author") else kind
    add(name, role=role, identifier=identifier, affiliations=_affiliations(element))


def _affiliations(element: etree._Element) -> list[str]:
    """Return the institutions of a contributor: inside the element, or those it refers to."""
    own = [part for part in element if local_name(part) == "aff"]
    wanted = {
        name
        for part in element
        if local_name(part) == "xref" and part.get("ref-type") == "aff"
        for name in (part.get("rid") or "").split()
    }
    around = element.getparent()
    meta = around.getparent() if around is not None else None
    if wanted and meta is not None:
        own += [part for part in meta.iter("{*}aff") if part.get("id") in wanted]
    return [_without_label(part) for part in own]


def _without_label(affiliation: etree._Element) -> str:
    label = affiliation.find("{*}label")
    text = element_text(affiliation)
    return text.removeprefix(element_text(label)).strip() if label is not None else text


def _date(draft: Draft, element: etree._Element, trail: Trail) -> None:
    kind = (trail.value(element, "pub-type") or trail.value(element, "date-type")).lower()
    parts = {
        local_name(part): trail.use(part) for part in element if local_name(part) in ("year", "month", "day")
    }
    year, month, day = (parts.get(name, "") for name in ("year", "month", "day"))
    words = year
    if month.isdecimal():
        words += f"-{int(month):02}" + (f"-{int(day):02}" if day.isdecimal() else "")
    elif month or day:
        words = " ".join(filter(None, (day, month, year)))
    draft.add_date(words, _DATES.get(kind, "issued"))


def _identifier(draft: Draft, element: etree._Element, trail: Trail) -> None:
    scheme = _SCHEMES.get(trail.value(element, "pub-id-type"))
    text = trail.use(element)
    draft.add_identifier(f"PMC{text}" if scheme == "pmcid" and text.isdecimal() else text, scheme=scheme)


def _license(draft: Draft, element: etree._Element, trail: Trail) -> None:
    draft.add_rights(trail.value(element, XLINK_HREF))
    draft.add_rights(trail.use(element))


def _page_count(draft: Draft, element: etree._Element, trail: Trail) -> None:
    count = trail.value(element, "count")
    draft.add_pages(int(count) if count.isdecimal() and 0 < len(count) < 6 and int(count) else None)


def _self(draft: Draft, element: etree._Element, trail: Trail) -> None:
    address = trail.value(element, XLINK_HREF)
    if address:
        draft.add_link(address)


_META = "front/article-meta"
_RULES: dict[str, Rule] = {
    f"{_META}/title-group/article-title": _title,
    f"{_META}/title-group/trans-title-group/trans-title": _translated,
    f"{_META}/title-group/trans-title": _translated,
    f"{_META}/contrib-group/contrib": _contributor,
    f"{_META}/abstract": _abstract,
    f"{_META}/trans-abstract": _abstract,
    f"{_META}/kwd-group/kwd": KEYWORD,
    f"{_META}/article-categories/subj-group/subject": into(Draft.add_subject),
    f"{_META}/pub-date": _date,
    f"{_META}/article-id": _identifier,
    f"{_META}/permissions/copyright-statement": RIGHTS,
    f"{_META}/permissions/license": _license,
    f"{_META}/self-uri": _self,
    f"{_META}/counts/page-count": _page_count,
    "journal-meta/issn": IDENTIFIER,
    "journal-meta/publisher/publisher-name": PUBLISHER,
}

READER: Reader = Jats()
