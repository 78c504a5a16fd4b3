"""Dublin Core, element by element: what each of the fifteen and each DCMI term means for a draft.

Shared by every format that is Dublin Core with something around it. Names are matched in small letters and
without their namespace, because repositories get both wrong.
"""

from __future__ import annotations

from collections.abc import Callable

from lxml import etree

from windrow.formats import dspace
from windrow.formats.elements import Draft, language_of, local, words_of
from windrow.model.document import LinkKind

DC = "{http://purl.org/dc/elements/1.1/}"
DCTERMS = "{http://purl.org/dc/terms/}"
XSI_TYPE = "{http://www.w3.org/2001/XMLSchema-instance}type"
_OLAC_CODE = "{http://www.language-archives.org/OLAC/1.1/}code"

Take = Callable[[Draft, str, str | None], None]


def _dated(kind: str) -> Take:
    return lambda draft, text, _language: draft.add_date(text, kind)


def _title(draft: Draft, text: str, language: str | None) -> None:
    draft.add_title(text, language)


def _description(draft: Draft, text: str, language: str | None) -> None:
    draft.add_description(text, language)


def _abstract(draft: Draft, text: str, language: str | None) -> None:
    draft.add_description(text, language, is_abstract=True)


def _subject(draft: Draft, text: str, language: str | None) -> None:
    draft.add_subjects(text, language=language)


def _valued(add: Callable[[Draft, str], None]) -> Take:
    return lambda draft, text, _language: add(draft, text)


_relation = _valued(Draft.add_relation)
_rights = _valued(Draft.add_rights)

_TERMS: dict[str, Take] = {
    "title": _title,
    "alternative": _title,
    "alternativetitle": _title,
    "creator": _valued(Draft.add_creators),
    "contributor": _valued(Draft.add_contributors),
    "subject": _subject,
    "description": _description,
    "abstract": _abstract,
    "publisher": _valued(Draft.add_publisher),
    "date": _dated("date"),
    "issued": _dated("issued"),
    "created": _dated("created"),
    "valid": _dated("valid"),
    "available": _dated("available"),
    "modified": _dated("modified"),
    "dateaccepted": _dated("accepted"),
    "datecopyrighted": _dated("copyrighted"),
    "datesubmitted": _dated("submitted"),
    "type": _valued(Draft.add_type),
    "identifier": _valued(Draft.add_identifier),
    "bibliographiccitation": _valued(Draft.add_source),
    "source": _valued(Draft.add_source),
    "ispartof": _valued(Draft.add_source),
    "language": _valued(Draft.add_language),
    "relation": _relation,
    "isversionof": _relation,
    "hasversion": _relation,
    "isreplacedby": _relation,
    "replaces": _relation,
    "isrequiredby": _relation,
    "requires": _relation,
    "haspart": _relation,
    "isreferencedby": _relation,
    "references": _relation,
    "isformatof": _relation,
    "hasformat": _relation,
    "rights": _rights,
    "accessrights": _rights,
    "license": _rights,
}

# What Finna's qualified Dublin Core says in a type attribute; DSpace says the same in a qualifier.
_TYPED = frozenset(("relation", "identifier", "description", "rights"))
_TYPE_WORDS = frozenset(
    ("ispartof", "ispartofseries", "issn", "isbn", "numberinseries", "numberofseries", "urn")
)


def add_element(draft: Draft, element: etree._Element) -> None:
    """Put one Dublin Core element where it belongs; what nobody knows goes to extra under its own name."""
    name = local(element)
    if not name:
        return
    text = words_of(element)
    if not text.strip():
        text = element.get(_OLAC_CODE) or element.get("href") or ""
        if not text:
            return
    if "." in name:  # Digital Commons: <date.created>, <thesis.degree.level>
        dspace.add_dotted(draft, name, text, language_of(element))
        return
    if name == "file":
        add_file(draft, element, text)
        return
    qualifier = qualifier_of(element, name)
    if qualifier:
        dspace.add_field(draft, "", f"{name}.{qualifier}", text, language_of(element))
        return
    take = _TERMS.get(name.lower())
    if name in ("format", "extent"):
        draft.add_extent(text, extra_name(element, name))
    elif take is None:
        draft.add_extra(extra_name(element, name), text)
    elif take is _subject:
        draft.add_subjects(text, scheme=scheme_of(element), language=language_of(element))
    else:
        take(draft, text, language_of(element))


def qualifier_of(element: etree._Element, name: str) -> str:
    """What an element's type attribute makes of it, as DSpace would say it in a qualifier; "" for nothing."""
    kind = (element.get("type") or "").lower() if name in _TYPED else ""
    return kind if kind in _TYPE_WORDS else ""


def extra_name(element: etree._Element, name: str) -> str:
    """What an element is called in extra: its usual prefix, its name, and its type where it says one."""
    tag = str(element.tag)
    if tag.startswith(DC):
        prefix: str | None = "dc"
    elif tag.startswith(DCTERMS):
        prefix = "dcterms"
    else:
        prefix = element.prefix
    kind = element.get("type")
    return f"{prefix or 'dc'}:{name}.{kind}" if kind else f"{prefix or 'dc'}:{name}"


def scheme_of(element: etree._Element) -> str | None:
    """The vocabulary a subject is from, as its xsi:type or scheme attribute names it."""
    said = element.get(XSI_TYPE) or element.get("scheme")
    return said.rpartition(":")[2] or None if said else None


def add_file(draft: Draft, element: etree._Element, text: str = "") -> None:
    """A file as the National Library of Finland writes it: bundle, href, name, type."""
    address = element.get("href")
    if address and address != text:
        draft.add_extra(f"{draft.prefix}:file", text)
    url = address or text
    if not url:
        return
    bundle = (element.get("bundle") or "ORIGINAL").upper()
    kind = dspace.BUNDLES.get(bundle, LinkKind.FULLTEXT)
    media_type = element.get("type") or element.get("mimetype") or element.get("format")
    draft.add_link(url, hint=kind, media_type=media_type or None, label=element.get("name"))
