"""What `<meta>` tags say of the thing that a page describes: Dublin Core, Highwire, STUDERA and plain ones.

Families repeat one another: a page says its title as DC.Title, citation_title and og:title. Of title, people,
publisher and description, the first family counts that has any; the others go to `extra` where they differ.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from windrow.formats import dspace
from windrow.formats.draft import Draft
from windrow.formats.wir.events import read_event
from windrow.formats.wir.tag_names import TagName, tag_name
from windrow.model.document import LinkKind
from windrow.model.languages import codes_of
from windrow.model.web_page import MetaTag

Named = tuple[TagName, MetaTag]
Taken = dict[str, set[str]]  # the fields that have values, and which

_LIST = re.compile(r"[;,]")
_CONTRIBUTORS = {"editor": "editor", "supervisor": "advisor"}
_DATES = {
    "publication_date": "issued",
    "date": "issued",
    "year": "issued",
    "cover_date": "issued",
    "online_date": "available",
}
_NUMBERS = {
    "doi": "doi",
    "isbn": "isbn",
    "issn": "issn",
    "eissn": "issn",
    "pmid": "pmid",
    "arxiv_id": "arxiv",
}
# The type of what is described, by the tag that says what it is printed in; the first of them counts.
_CONTAINERS = {
    "dissertation_institution": "Thesis",
    "technical_report_institution": "Report",
    "inbook_title": "Book chapter",
    "conference_title": "Conference paper",
    "conference": "Conference paper",
    "journal_title": "Article",
}
_OF_PEOPLE = frozenset(("author", "authors", "author_institution", "author_orcid"))
_PLACE = ("journal_title", "inbook_title", "conference_title", "conference")
_DETAILS = frozenset(("volume", "issue", "firstpage", "lastpage", *_PLACE))
_RELATIONS = (
    "isversionof hasversion isreplacedby replaces isrequiredby requires haspart isreferencedby references"
    " isformatof hasformat conformsto"
)
# Terms of DCMI by what they are called in `dspace`, which knows the elements and their qualifiers.
_TERMS = {
    "alternatetitle": "alternative",
    "accessrights": "rights",
    "modified": "date.modified",
    "valid": "date.valid",
    "datecopyrighted": "date.copyright",
} | dict.fromkeys(_RELATIONS.split(), "relation")
_ONCE = frozenset(("title", "creator", "publisher", "description"))


def add_tags(draft: Draft, tags: Sequence[MetaTag], taken: Taken) -> None:
    """Put what the tags say into a draft. `taken` is added to."""
    named = [(tag_name(tag.name), tag) for tag in tags if tag.content]
    by_family: dict[str, list[Named]] = {}
    for pair in named:
        by_family.setdefault(pair[0].family, []).append(pair)
    for pair in by_family.get("studera", ()):
        _add_studera(draft, *pair)
    if "citation" in by_family:
        _add_citation(draft, by_family["citation"], taken)
    if "dc" in by_family:
        _add_dc(draft, by_family["dc"], taken)
    for family in ("eprints", "prism", "article"):
        for name, tag in by_family.get(family, ()):
            draft.add_extra(f"{family}:{name.term[:100]}", tag.content)


def add_plain_tags(draft: Draft, tags: Iterable[MetaTag], taken: Taken) -> None:
    """Put in what plain and Open Graph tags say, where nothing better said it."""
    for tag in tags:
        family, term = tag_name(tag.name)
        if not tag.content or family not in ("", "og"):
            continue
        if term in ("description", "abstract") and "description" not in taken:
            draft.add_description(tag.content, _language(tag))
        elif family == "og" and term == "image":
            draft.add_link(tag.content, hint=LinkKind.THUMBNAIL)
        elif family == "" and term == "keywords":
            for word in _LIST.split(tag.content)[:200]:
                draft.add_keyword(word)
        elif family == "" and term == "author" and "creator" not in taken:
            draft.add_creator(tag.content)
        elif family == "" and term in ("copyright", "rights"):
            draft.add_rights(tag.content)
        elif family == "" and term == "language":
            draft.add_language(tag.content)


def _add_studera(draft: Draft, name: TagName, tag: MetaTag) -> None:
    """The tags of Studera.NU: what they mean is in its report; what is not there keeps its name."""
    event = read_event(tag.content) if name.term == "event" else None
    if event is not None:
        draft.add_event(event)
    elif name.term == "identifier":
        draft.add_identifier(tag.content)
    elif name.term in _STUDERA:
        _STUDERA[name.term](draft, tag.content)
    else:
        draft.add_extra(f"studera:{name.term[:100]}", tag.content)


def _add_dc(draft: Draft, tags: Sequence[Named], taken: Taken) -> None:
    had = frozenset(taken)
    for name, tag in tags:
        term = _TERMS.get(name.term, name.term)
        element = term.partition(".")[0]
        field = "description" if element == "abstract" else element
        if field in had and field in _ONCE:
            if tag.content not in taken[field]:
                draft.add_extra(f"wir:dc.{term[:100]}", tag.content)
            continue
        if field in _ONCE:
            taken.setdefault(field, set()).add(tag.content)
        if term == "subject" and tag.scheme:
            draft.add_subject(tag.content, scheme=tag.scheme, language=_language(tag))
        elif (
            term in ("identifier", "identifier.uri")
            and tag.scheme
            and tag.scheme.lower() not in ("uri", "dcterms.uri")
        ):
            draft.add_identifier(tag.content, scheme=_scheme(tag.scheme))
        else:
            dspace.add_field(draft, "dc", term, tag.content, _language(tag))


def _add_citation(draft: Draft, tags: Sequence[Named], taken: Taken) -> None:
    pairs = [(name.term, tag) for name, tag in tags]
    _add_authors(draft, [(term, tag.content) for term, tag in pairs if term in _OF_PEOPLE], taken)
    said = {term: tag.content for term, tag in reversed(pairs)}  # the first of each
    for term, tag in pairs:
        take = _TAKES.get(term)
        if term == "title" or term.startswith("title_"):
            draft.add_title(tag.content, _language(tag))
            taken.setdefault("title", set()).add(tag.content)
        elif take is not None:
            take(draft, tag.content)
            field = "publisher" if term in _PUBLISHING else "description" if term == "abstract" else ""
            if field:
                taken.setdefault(field, set()).add(tag.content)
        elif term in _CONTRIBUTORS:
            draft.add_contributor(tag.content, role=_CONTRIBUTORS[term])
        elif term in _DATES:
            draft.add_date(tag.content.replace("/", "-"), _DATES[term])
        elif term in _NUMBERS:
            draft.add_identifier(_prefixed(_NUMBERS[term], tag.content), scheme=_NUMBERS[term])
        elif term not in _DETAILS and term not in _OF_PEOPLE:
            draft.add_extra(f"citation:{term[:100]}", tag.content)
    kind = next((kind for term, kind in _CONTAINERS.items() if term in said), None)
    if kind is not None:
        draft.add_type(kind)
    place = _printed_in(said)
    if place:
        draft.add_source(place)


def _add_authors(draft: Draft, tags: Sequence[tuple[str, str]], taken: Taken) -> None:
    """The authors; an institution or ORCID stands behind the author that it belongs to."""
    people: list[tuple[str, list[str], list[str]]] = []  # name, institutions, ORCIDs
    for term, content in tags:
        if term == "author":
            people.append((content, [], []))
        elif term == "authors":
            people += [(name, [], []) for name in content.split(";")[:500]]
        elif people:
            _, places, orcids = people[-1]
            (places if term == "author_institution" else orcids).append(content)
    for name, places, orcids in people:
        identifier = next((orcid if ":" in orcid else f"https://orcid.org/{orcid}" for orcid in orcids), None)
        draft.add_creator(name, identifier=identifier, affiliations=places)
        taken.setdefault("creator", set()).add(name)


def _printed_in(said: dict[str, str]) -> str:
    """Where it is printed, as a reference says it: `Journal of Moss 12(3), 45-67`."""
    title = next((said[term] for term in _PLACE if term in said), "")
    if not title:
        return ""
    number = said.get("volume", "") + (f"({said['issue']})" if said.get("issue") else "")
    pages = "-".join(said[term] for term in ("firstpage", "lastpage") if said.get(term))
    return ", ".join(part for part in (f"{title} {number}".strip(), pages) if part)


def _prefixed(scheme: str, value: str) -> str:
    """A number with its scheme before it, so that it is not told by its looks."""
    return value if ":" in value or scheme == "doi" else f"{scheme}:{value}"


def _keywords(draft: Draft, text: str) -> None:
    for word in _LIST.split(text)[:200]:
        draft.add_keyword(word)


def _abstract(draft: Draft, text: str) -> None:
    draft.add_description(text, is_abstract=True)


def _institution(draft: Draft, text: str) -> None:
    draft.add_publisher(text)
    draft.add_institution(text)


def _linked(hint: LinkKind, media_type: str | None = None) -> Callable[[Draft, str], object]:
    return lambda draft, url: draft.add_link(url, hint=hint, media_type=media_type)


_STUDERA: dict[str, Callable[[Draft, str], object]] = {
    "type": Draft.add_type,
    "prerequisites": Draft.add_prerequisite,
    "exam": Draft.add_exam,
    "profession": Draft.add_profession,
}
_PUBLISHING = frozenset(("publisher", "dissertation_institution", "technical_report_institution"))
_TAKES: dict[str, Callable[[Draft, str], object]] = {
    "abstract": _abstract,
    "keywords": _keywords,
    "keyword": _keywords,
    "publisher": Draft.add_publisher,
    "dissertation_institution": _institution,
    "technical_report_institution": _institution,
    "language": Draft.add_language,
    "pdf_url": _linked(LinkKind.FULLTEXT, "application/pdf"),
    "fulltext_html_url": _linked(LinkKind.FULLTEXT, "text/html"),
    "fulltext_world_readable": lambda draft, text: draft.add_extra("citation:fulltext_world_readable", text),
    "abstract_html_url": _linked(LinkKind.LANDING),
    "public_url": _linked(LinkKind.LANDING),
}


def _language(tag: MetaTag) -> str | None:
    codes = codes_of(tag.lang) if tag.lang else ()
    return codes[0] if codes else None


def _scheme(scheme: str) -> str | None:
    """An identifier's scheme as documents have it, where it is one of theirs."""
    small = scheme.lower().rpartition(".")[2]
    return small if small in ("doi", "isbn", "issn", "urn", "hdl", "handle", "pmid", "arxiv") else None
