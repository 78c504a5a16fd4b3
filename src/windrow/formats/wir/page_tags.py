"""Mapping of `<meta>` tags onto a draft: Dublin Core, Highwire, STUDERA and plain ones.

Families repeat one another: a page has its title as DC.Title, citation_title and og:title. For title,
people, publisher and description, the first family with a value counts; different values of the others go
to `extra`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum

from windrow.formats.mapping.document_draft import Draft
from windrow.formats.repositories import dspace_fields
from windrow.formats.wir.page_identity import TagName, tag_name
from windrow.model.document import Event, LinkKind
from windrow.model.text.language_codes import language_codes
from windrow.model.web_page import MetaTag

# Events in the one-line form of Studera.NU: `identifier;period;kind;intensity;place;language;time`. The
# strict parser follows the grammar in the service's description. The description's own example breaks it (a
# hyphen in the identifier, a semicolon at the end), and so did most pages; the service accepted them. So
# does the lenient parser, which reports the deviations.

PARTS = 7
EVENT_CHARACTERS = 2_000


class Deviation(StrEnum):
    """A deviation of a line from the grammar."""

    END = "a semicolon at the end"
    PARTS = "not seven parts"
    IDENTIFIER = "an identifier with other signs than letters and digits"
    PERIOD = "a period that is no year and number, such as 2002p1"
    KIND = "a form other than bunden, flexibel or sommar"
    INTENSITY = "a pace that is not one word"
    PLACE = "a place that is neither a code of four digits nor flexibel"
    LANGUAGE = "a language that is no code of two letters"
    TIME = "a time that is not one word"


# One pattern for each part, in the order of the line. `sommar` is in the service's queries, not in its
# grammar.
_GRAMMAR = (
    (Deviation.IDENTIFIER, re.compile(r"[0-9A-Za-z]+")),
    (Deviation.PERIOD, re.compile(r"[0-9]{4}p[0-9]")),
    (Deviation.KIND, re.compile(r"bunden|flexibel|sommar")),
    (Deviation.INTENSITY, re.compile(r"\w+")),
    (Deviation.PLACE, re.compile(r"[0-9]{4}|flexibel")),
    (Deviation.LANGUAGE, re.compile(r"[a-z]{2}")),
    (Deviation.TIME, re.compile(r"\w+")),
)


def parse_event(text: str) -> Event:
    """Parse a line that follows the grammar; raise ValueError for any other."""
    found = deviations(text)
    if found:
        raise ValueError(f"not an event by the grammar of Studera.NU: {', '.join(found)}")
    event = read_event(text)
    assert event is not None
    return event


def read_event(text: str) -> Event | None:
    """Parse a line, even if it deviates from the grammar; return None for an empty one.

    Missing parts are None; everything after the seventh belongs to the time.
    """
    parts = _parts(text)
    if len(parts) > PARTS:
        parts[PARTS - 1 :] = ["; ".join(part for part in parts[PARTS - 1 :] if part)]
    parts += [""] * (PARTS - len(parts))
    identifier, period, kind, intensity, place, language, time = (part or None for part in parts)
    codes = language_codes(language) if language else ()
    event = Event(identifier, period, kind, intensity, place, codes[0] if codes else language, time)
    return event if any(event) else None


def deviations(text: str) -> tuple[Deviation, ...]:
    """Return the deviations of a line from the grammar, in the order of the line."""
    parts = _parts(text)
    found = [Deviation.END] if text.rstrip().endswith(";") else []
    if len(parts) != PARTS:
        return (*found, Deviation.PARTS)
    found += [
        deviation
        for part, (deviation, pattern) in zip(parts, _GRAMMAR, strict=True)
        if not pattern.fullmatch(part)
    ]
    return tuple(found)


def page_deviations(tags: Iterable[MetaTag]) -> tuple[Deviation, ...]:
    """Return the deviations in the events of a page, each once, in the order of the line."""
    found = {
        deviation
        for tag in tags
        if tag_name(tag.name) == ("studera", "event")
        for deviation in deviations(tag.content)
    }
    return tuple(deviation for deviation in Deviation if deviation in found)


def _parts(text: str) -> list[str]:
    return [" ".join(part.split()) for part in text[:EVENT_CHARACTERS].strip().rstrip(";").split(";")]


Named = tuple[TagName, MetaTag]
Taken = dict[str, set[str]]  # the values found so far, by field

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
# The type of the work by the tag for its container; the first one counts.
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
# DCMI terms under their names in `dspace_fields`, which maps the elements and their qualifiers.
_TERMS = {
    "alternatetitle": "alternative",
    "accessrights": "rights",
    "modified": "date.modified",
    "valid": "date.valid",
    "datecopyrighted": "date.copyright",
} | dict.fromkeys(_RELATIONS.split(), "relation")
_ONCE = frozenset(("title", "creator", "publisher", "description"))


def add_tags(draft: Draft, tags: Sequence[MetaTag], taken: Taken) -> None:
    """Add the tags to a draft, and their values to `taken`."""
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
    """Add plain and Open Graph tags for fields that have no better source."""
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
    # The tags are described in the report of Studera.NU; unknown ones keep their name.
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
            dspace_fields.add_field(draft, "dc", term, tag.content, _language(tag))


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
    # An institution or ORCID follows the author that it belongs to.
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
    """Return the container in the form of a reference: `Journal of Moss 12(3), 45-67`."""
    title = next((said[term] for term in _PLACE if term in said), "")
    if not title:
        return ""
    number = said.get("volume", "") + (f"({said['issue']})" if said.get("issue") else "")
    pages = "-".join(said[term] for term in ("firstpage", "lastpage") if said.get(term))
    return ", ".join(part for part in (f"{title} {number}".strip(), pages) if part)


def _prefixed(scheme: str, value: str) -> str:
    # With the scheme as a prefix, the form of the number does not matter.
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
    codes = language_codes(tag.lang) if tag.lang else ()
    return codes[0] if codes else None


def _scheme(scheme: str) -> str | None:
    small = scheme.lower().rpartition(".")[2]
    return small if small in ("doi", "isbn", "issn", "urn", "hdl", "handle", "pmid", "arxiv") else None
