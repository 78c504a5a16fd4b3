"""Which pages become records, and under which identifiers: pure functions of a Page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from windrow.formats.mapping.identifier_schemes import parse_identifier
from windrow.model.web_page import Item, Page

# Names of `<meta>` tags, normalised to family and term.

_SEPARATORS = re.compile(r"[.:_]+")
_FAMILIES = {
    "dc": "dc",
    "dcterms": "dc",
    "dct": "dc",
    "dcmi": "dc",
    "citation": "citation",
    "studera": "studera",
    "eprints": "eprints",
    "prism": "prism",
    "og": "og",
    "article": "article",
}


class TagName(NamedTuple):
    """A name in lower case: `DC.Date.Issued` has the family "dc" and the term "date.issued"."""

    family: str  # "" for names without a family
    term: str


@lru_cache(maxsize=4096)
def tag_name(name: str) -> TagName:
    """Return family and term of a name, ignoring case and the kind of separators."""
    small = name.strip().lower()
    if small.startswith("bepress_citation"):  # Digital Commons
        small = small.removeprefix("bepress_")
    family, *rest = _SEPARATORS.split(small, maxsplit=1)
    known = _FAMILIES.get(family)
    if known is None or not rest or not rest[0]:
        return TagName("", small)
    # Underscores belong to Highwire's own terms; in Dublin Core they separate qualifiers.
    term = (
        rest[0].replace(".", "_").replace(":", "_") if known == "citation" else _SEPARATORS.sub(".", rest[0])
    )
    return TagName(known, term.strip("."))


def plain_name(name: str) -> str:
    """Return a name as it is compared: `DC:Title`, `dc_title` and `DC.title` are the same."""
    return ".".join(part for part in _SEPARATORS.split(name.strip().lower()) if part)


_DESCRIBING = frozenset(("dc", "citation"))
_TERMS = frozenset(
    ("identifier", "identifier.doi", "identifier.urn", "identifier.handle", "identifier.local")
)
_LOCAL = re.compile(r"(?=.{0,200}\d)[A-Za-z0-9][\w.:/+~-]{2,199}", re.ASCII)
_WITH_SCHEME = frozenset(("doi", "hdl", "arxiv", "pmid", "pmcid", "isbn"))
_AS_THEY_ARE = frozenset(("urn", "oai"))


def has_metadata(page: Page, require: tuple[str, ...] = ()) -> bool:
    """Return whether a page has metadata, so that it becomes a record.

    Each of the tags in `require` must be present and not empty, in any case and with any separator. Without
    `require`, one tag of Dublin Core or Highwire suffices, or one item of a known type.
    """
    if require:
        said = {plain_name(tag.name) for tag in page.tags if tag.content}
        return all(plain_name(name) in said for name in require)
    return bool(page.items) or any(
        tag.content and tag_name(tag.name).family in _DESCRIBING for tag in page.tags
    )


def own_identifier(page: Page) -> str | None:
    """Return the identifier stated in a page, or None if there is no usable one."""
    # Addresses are ignored: a page's own address identifies it anyway, and templates repeat that of the
    # site.
    return next((name for said in _stated_identifiers(page) if (name := _identifier(said)) is not None), None)


def _stated_identifiers(page: Page) -> Iterator[str]:
    # The most explicit first.
    named = [(tag_name(tag.name), tag.content) for tag in page.tags]
    yield from (content for name, content in named if name == ("studera", "identifier"))
    yield from (content for name, content in named if name.family == "dc" and name.term in _TERMS)
    yield from (
        f"doi:{content.removeprefix('doi:')}" for name, content in named if name == ("citation", "doi")
    )
    yield from (content for name, content in named if name == ("citation", "arxiv_id"))
    if len(page.items) == 1:
        yield from _of_item(page.items[0])


def _of_item(item: Item) -> Iterator[str]:
    identifiers = item.get("identifier")
    for value in identifiers if isinstance(identifiers, list) else [identifiers]:
        if isinstance(value, dict):
            value = value.get("value") or value.get("@id")  # noqa: PLW2901 - a PropertyValue
        if isinstance(value, str):
            yield value
    for key in ("doi", "isbn", "@id"):
        if isinstance(item.get(key), str):
            yield item[key]


def _identifier(said: str) -> str | None:
    name = parse_identifier(" ".join(said.split()))
    if name is None:
        return None
    if name.scheme in _WITH_SCHEME:
        return f"{name.scheme}:{name.value}"
    if name.scheme in _AS_THEY_ARE:
        return name.value
    return name.value if name.scheme == "local" and _LOCAL.fullmatch(name.value) else None


# schema.org types that make a page a record.

# Not WebPage, Article, NewsArticle, BlogPosting and Organization: content management systems put those into
# every page. They are still used for a page that is a record for another reason.
COURSES = frozenset(
    ("Course", "CourseInstance", "EducationalOccupationalProgram", "LearningResource", "Syllabus")
)
ARTICLES = frozenset(("ScholarlyArticle", "MedicalScholarlyArticle", "Report", "Chapter", "PublicationIssue"))
THESES = frozenset(("Thesis",))
BOOKS = frozenset(("Book",))
DATASETS = frozenset(("Dataset", "DataCatalog", "SoftwareSourceCode"))
_EVENTS = """
Event BusinessEvent ChildrensEvent ComedyEvent ConferenceEvent DanceEvent EducationEvent
ExhibitionEvent Festival FoodEvent Hackathon LiteraryEvent MusicEvent PublicationEvent
ScreeningEvent SocialEvent SportsEvent TheaterEvent VisualArtsEvent
"""
EVENTS = frozenset(_EVENTS.split())
KNOWN_TYPES = COURSES | ARTICLES | THESES | BOOKS | DATASETS | EVENTS
