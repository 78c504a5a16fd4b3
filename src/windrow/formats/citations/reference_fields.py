"""What kind of work a document is, told from its types: for citations and for reference managers.

The table of types (`model.concepts`) knows most; of other wordings, parts of words tell the kind.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from windrow.model.controlled_values import TYPE, load_controlled_values, wording_key
from windrow.model.document import Document
from windrow.model.text.folding import fold


class WorkKind(StrEnum):
    """Kinds of works; where a document is of several, the first of these that it is."""

    DOCTORAL = "doctoral"
    MASTER = "master"
    BACHELOR = "bachelor"
    THESIS = "thesis"
    CHAPTER = "chapter"
    POSTER = "poster"
    PRESENTATION = "presentation"
    CONFERENCE_PAPER = "conference paper"
    PROCEEDINGS = "proceedings"
    DATASET = "dataset"
    SOFTWARE = "software"
    COURSE = "course"
    PREPRINT = "preprint"
    PATENT = "patent"
    MAP = "map"
    SCORE = "score"
    NEWS = "news"
    REVIEW = "review"
    ARTICLE = "article"
    REPORT = "report"
    BOOK = "book"
    JOURNAL = "journal"
    VIDEO = "video"
    SOUND = "sound"
    IMAGE = "image"
    WEBPAGE = "webpage"
    OTHER = "other"


THESES = (WorkKind.DOCTORAL, WorkKind.MASTER, WorkKind.BACHELOR, WorkKind.THESIS)
MOST_TYPES = 50
_LONGEST = 200

_BEFORE = re.compile(r"^(?:info:eu-repo/semantics/|(?:https?|info):\S*/|doc-type:|[a-z]+/)", re.IGNORECASE)

# Parts of words that tell a kind, folded and run together. Earlier kinds are looked for first.
_BY_WORD = {
    WorkKind.DOCTORAL: "doctoral phdthesis phd doctorate vaitoskirja doktorsavhandling doktoravhandling"
    " doktorarbeit dissertation thesededoctorat habilitation",
    WorkKind.MASTER: "master magister gradu diplomityo ylempiamk ylempiammattikorkeakoulu hogreyh"
    " diplomarbeit licentiate lisensiaatin licentiat memoiredemaitrise",
    WorkKind.BACHELOR: "bachelor amkopinnayte kandidaat kandidat yhexamensarbete ammattikorkeakoulujen"
    " undergraduatethesis honorsthesis",
    WorkKind.THESIS: "thesis theses opinnayte examensarbete uppsats avhandling lopputyo tutkielma tesis"
    " studentwork these memoire",
    WorkKind.CHAPTER: "bookchapter bookpart booksection partofbook chapterinbook chapter kapitel kirjanosa"
    " kirjanluku bokkapitel articleinmonograph contributiontobook",
    WorkKind.POSTER: "poster posteri",
    WorkKind.PRESENTATION: "presentation lecture esitelma esitys forelasning foredrag slides speech luento",
    WorkKind.CONFERENCE_PAPER: "conferencepaper conferenceobject conferencecontribution conferencearticle"
    " conferenceitem conferenceorworkshopitem konferenssiartikkeli konferenssijulkaisu konferensbidrag"
    " konferenspaper workshoppaper inproceedings",
    WorkKind.PROCEEDINGS: "conferenceproceedings proceedings konferenssikokoelma konferensforhandlingar",
    WorkKind.DATASET: "dataset researchdata aineisto datamangd surveydata",
    WorkKind.SOFTWARE: "software ohjelmisto programvara computerprogram",
    WorkKind.COURSE: "onlinecourse studycourse opintojakso mooc",
    WorkKind.PREPRINT: "preprint workingpaper keskustelualoite eprint discussionpaper esipainos",
    WorkKind.PATENT: "patent patentti",
    WorkKind.MAP: "cartographic",
    WorkKind.SCORE: "musicalscore notatedmusic sheetmusic nuotti notskrift",
    WorkKind.NEWS: "newspaperarticle sanomalehti tidningsartikel newsarticle",
    WorkKind.REVIEW: "bookreview kirjaarvostelu recension",
    WorkKind.ARTICLE: "article artikkeli artikel articulo contributiontoperiodical journalpaper editorial",
    WorkKind.REPORT: "report raportti rapport selvitys technicaldocumentation utredning",
    WorkKind.BOOK: "monograph electronicbooks monografi editedbook",
    WorkKind.JOURNAL: "periodical sarjajulkaisu aikakauslehti tidskrift",
    WorkKind.VIDEO: "movingimage video elokuva audiovisual",
    WorkKind.SOUND: "soundrecording aanite ljudinspelning musicrecording recordingoral recordingmusical",
    WorkKind.IMAGE: "stillimage photograph valokuva fotografi illustration",
    WorkKind.WEBPAGE: "webpage website verkkosivu webbplats interactiveresource",
}


def work_kind(document: Document) -> WorkKind:
    """Return the kind of work that a document is: by its types, else by what only courses have."""
    kinds = {_kind(name[:_LONGEST]) for name in document.types[:MOST_TYPES]}
    kind = min(kinds, key=_ORDER.__getitem__, default=WorkKind.OTHER)
    if kind is WorkKind.OTHER and (document.prerequisites or document.exams or document.professions):
        return WorkKind.COURSE
    return kind


@lru_cache(maxsize=4096)  # a library has few types, and each page asks for its own several times
def _kind(name: str) -> WorkKind:
    concept = load_controlled_values(TYPE).find(name)
    if concept is not None:
        return WorkKind(concept.kind or WorkKind.OTHER)
    key = wording_key(_BEFORE.sub("", name))
    return next((kind for part, kind in _PARTS if part in key), WorkKind.OTHER)


def _each(table: dict[WorkKind, str]) -> Iterator[tuple[str, WorkKind]]:
    for kind, words in table.items():
        yield from ((word, kind) for word in words.split())


_ORDER = {kind: place for place, kind in enumerate(WorkKind)}
_PARTS = tuple(_each(_BY_WORD))

# What a reference wants to know of a document: who published it and when, what it is in, where it is
# read.
# Shared by the writers for reference managers: `bibtex`, `ris`, `csl_json`.

MOST_PEOPLE = 1000
LONGEST_CONTAINER = 300  # characters
_TELLING = 20  # characters of a title that are hardly in anything else
_WEB = ("http://", "https://")
_DAY = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?(?!\d)")
_PUBLISHED = ("issued", "published", "date", "available", "created")  # the best date first

GENRES: Mapping[WorkKind, str] = {
    WorkKind.DOCTORAL: "Doctoral dissertation",
    WorkKind.MASTER: "Master's thesis",
    WorkKind.BACHELOR: "Bachelor's thesis",
    WorkKind.POSTER: "Poster",
    WorkKind.PREPRINT: "Preprint",
}
# Kinds that stand in something larger, which is then what `sources` names.
CONTAINED = (
    WorkKind.ARTICLE,
    WorkKind.CHAPTER,
    WorkKind.CONFERENCE_PAPER,
    WorkKind.NEWS,
    WorkKind.REVIEW,
    WorkKind.PREPRINT,
)


def document_publisher(document: Document, kind: WorkKind) -> str | None:
    """Who published it; a thesis is its institution's."""
    published = document.publishers[0] if document.publishers else None
    return (document.institution or published) if kind in THESES else (published or document.institution)


def document_container(document: Document, kind: WorkKind) -> str | None:
    """What it is printed in, for what is; a source that refers to the document itself is not that."""
    if kind not in CONTAINED:
        return None
    return next((source for source in document.sources if _is_container(source, document)), None)


def _is_container(source: str, document: Document) -> bool:
    if len(source) > LONGEST_CONTAINER or source.lower().startswith(_WEB):
        return False
    folded, title = fold(source), fold(document.title or "")[:_TELLING]
    return not (len(title) == _TELLING and title in folded)


def document_address(document: Document) -> str | None:
    """Where it can be read: the page about it, else the thing itself."""
    return _on_web(document.landing) or fulltext_address(document)


def fulltext_address(document: Document) -> str | None:
    """Where the thing itself is."""
    return _on_web(document.fulltext)


def subjects_and_keywords(document: Document) -> tuple[str, ...]:
    """Its subjects and keywords, each once."""
    return tuple(dict.fromkeys((*(subject.value for subject in document.subjects), *document.keywords)))


def issued_parts(document: Document) -> tuple[int, ...]:
    """Year, month and day of publication, as far as they are known."""
    dates = sorted(document.dates, key=lambda moment: _rank(moment.kind))
    for moment in dates:
        found = _DAY.match(moment.text)
        if found and (document.year is None or int(found[1]) == document.year):
            return _possible(found)
    return (document.year,) if document.year is not None else ()


def _rank(kind: str) -> int:
    return _PUBLISHED.index(kind) if kind in _PUBLISHED else len(_PUBLISHED)


def _possible(found: re.Match[str]) -> tuple[int, ...]:
    year, month, day = (int(part or 0) for part in found.groups())
    if not 1 <= month <= 12:
        return (year,)
    is_day = year >= 1 and 1 <= day <= monthrange(year, month)[1]
    return (year, month, day) if is_day else (year, month)


def _on_web(address: str | None) -> str | None:
    return address if address and address.lower().startswith(_WEB) else None


# Where an article is printed, out of one line: journal, volume, issue, pages.
# `highwire` and `schema_org` ask for it: such a line is all that most records have. "Journal of Hay, 3,
# 1, 5-9" is how the readers here join the parts; "Journal of Hay; Vol. 3 No. 1 (2012); 5-9" is how
# journal software writes it, and "J. Hay 3 (2012) 5-9" how physicists do. What is not surely a part stays
# in the name.

LONGEST_LINE = 300  # characters

_PART = re.compile(r"[A-Za-z]?\d{1,7}[A-Za-z]?(?:\s?[-–/]\s?[A-Za-z]?\d{1,7}[A-Za-z]?)?")
_RANGE = re.compile(r"([A-Za-z]?\d{1,7}[A-Za-z]?)\s?[-–]\s?([A-Za-z]?\d{1,7}[A-Za-z]?)")
_VOLUME = re.compile(r"\b(?:vol(?:ume)?|årg|bd|band)\b\.?\s?(\d{1,4})\b", re.IGNORECASE)
_ISSUE = re.compile(
    r"\b(?:no|nr|num|issue|iss|heft)\b\.?\s?(\d{1,4}[A-Z]?(?:[-–/]\d{1,4})?)\b", re.IGNORECASE
)
_PAGES = re.compile(
    r"(?:\bpp?\b\.?|\bs\b\.|[;:,.])\s?([A-Za-z]?\d{1,6})\s?[-–]\s?([A-Za-z]?\d{1,6})(?=[\s.,;]|$)",
    re.IGNORECASE,
)
# "3 (1)" and "3 (2012)" behind a name: the volume, and then the issue or the year.
_BRACKETED = re.compile(r",?\s(\d{1,4})\s?\((\d{1,4})\)")
_YEAR = re.compile(r"[,\s]+\(?(?:1[5-9]|20)\d\d\)?$")
_BEHIND = re.compile(r",?\s+([A-Za-z]?\d{2,7})(?:\s?[-–]\s?([A-Za-z]?\d{1,7}))?\.?$")
_LONG_NUMBER = 4  # digits: the number of an article, not of an issue


class PlaceInPrint(NamedTuple):
    """Where something is printed; what is not known is empty."""

    title: str
    volume: str = ""
    issue: str = ""
    first: str = ""
    last: str = ""


def parse_place_in_print(line: str) -> PlaceInPrint:
    """The parts of a line that names a journal or a book; of any other line, all of it as the name."""
    return _taken_apart(line[:LONGEST_LINE])


@lru_cache(maxsize=1024)  # two writers ask for each page
def _taken_apart(line: str) -> PlaceInPrint:
    place = _marked(line) or _listed(line) or _bracketed(line)
    return place if place is not None and len(place.title) > 1 else PlaceInPrint(line)


def _listed(line: str) -> PlaceInPrint | None:
    """The parts behind commas, as the readers join them."""
    title, *parts = _ends_in_numbers(line)
    if not parts or (_is_year(parts[0]) and len(parts) == 1):
        return None
    if len(parts) == 1:
        return (
            PlaceInPrint(title, "", "", *_pages(parts[0]))
            if _RANGE.fullmatch(parts[0])
            else PlaceInPrint(title, parts[0])
        )
    if len(parts) == 2:
        is_page = _RANGE.fullmatch(parts[1]) or len(parts[1]) >= _LONG_NUMBER
        return (
            PlaceInPrint(title, parts[0], "", *_pages(parts[1])) if is_page else PlaceInPrint(title, *parts)
        )
    return PlaceInPrint(title, parts[0], parts[1], *_pages(parts[2]))


def _ends_in_numbers(line: str) -> list[str]:
    pieces = line.rsplit(", ", 3)
    kept = len(pieces)
    while kept > 1 and _PART.fullmatch(pieces[kept - 1]):
        kept -= 1
    return [", ".join(pieces[:kept]), *pieces[kept:]]


def _marked(line: str) -> PlaceInPrint | None:
    """The parts that say what they are."""
    volume, issue = _VOLUME.search(line), _ISSUE.search(line)
    found = [match for match in (volume, issue) if match is not None]
    if not found:
        return None
    pages = _PAGES.search(line, max(match.end() for match in found))
    title = line[: min(match.start() for match in found)].partition(";")[0].rstrip(" ,;:(")
    before = None if volume else _bracketed(title)
    if before is not None:
        title = before.title
    number = volume[1] if volume else before.volume if before else ""
    return PlaceInPrint(
        _YEAR.sub("", title), number, issue[1] if issue else "", *(pages.groups() if pages else ())
    )


def _bracketed(line: str) -> PlaceInPrint | None:
    found = _BRACKETED.search(line)
    if found is None:
        return None
    issue = "" if _is_year(found[2]) else found[2]
    pages = _PAGES.search(line, found.end()) or _BEHIND.match(line, found.end())
    return PlaceInPrint(
        line[: found.start()].rstrip(" ,"), found[1], issue, *(pages.groups(default="") if pages else ())
    )


def _pages(part: str) -> tuple[str, str]:
    span = _RANGE.fullmatch(part)
    return (span[1], span[2]) if span is not None else (part, "")


def _is_year(text: str) -> bool:
    return len(text) == 4 and "1500" <= text <= "2100"
