"""The fields that references to a document need: kind of work, publisher, date, address, place in print.

The writers for reference managers (`bibtex`, `ris`, `csl_json`) and for page metadata (`meta_tags`,
`schema_org`) share them. The kind of work comes from the table of types (`model.concepts`); wordings that
the table does not contain are recognised by parts of words.
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
    """Kinds of works. A document of several kinds gets the first of them in this order."""

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

# Parts of words that identify a kind, folded and without spaces. Earlier kinds are tried first.
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
    """Return the kind of work by the document's types, or COURSE if only a course has such fields."""
    kinds = {_kind(name[:_LONGEST]) for name in document.types[:MOST_TYPES]}
    kind = min(kinds, key=_ORDER.__getitem__, default=WorkKind.OTHER)
    if kind is WorkKind.OTHER and (document.prerequisites or document.exams or document.professions):
        return WorkKind.COURSE
    return kind


@lru_cache(maxsize=4096)  # a library has few distinct types, and each page asks for its own several times
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

# Publisher, container, address and date of publication.

MOST_PEOPLE = 1000
LONGEST_CONTAINER = 300  # characters
_TELLING = 20  # characters of a title; hardly any other text contains that many
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
# Kinds that appear inside something larger, which `sources` then names.
CONTAINED = (
    WorkKind.ARTICLE,
    WorkKind.CHAPTER,
    WorkKind.CONFERENCE_PAPER,
    WorkKind.NEWS,
    WorkKind.REVIEW,
    WorkKind.PREPRINT,
)


def document_publisher(document: Document, kind: WorkKind) -> str | None:
    """Return the publisher; for a thesis, its institution."""
    published = document.publishers[0] if document.publishers else None
    return (document.institution or published) if kind in THESES else (published or document.institution)


def document_container(document: Document, kind: WorkKind) -> str | None:
    """Return the journal or book that the document appeared in, or None.

    A source that refers to the document itself does not count.
    """
    if kind not in CONTAINED:
        return None
    return next((source for source in document.sources if _is_container(source, document)), None)


def _is_container(source: str, document: Document) -> bool:
    if len(source) > LONGEST_CONTAINER or source.lower().startswith(_WEB):
        return False
    folded, title = fold(source), fold(document.title or "")[:_TELLING]
    return not (len(title) == _TELLING and title in folded)


def document_address(document: Document) -> str | None:
    """Return the web address to read it at: the landing page if there is one, otherwise the full text."""
    return _on_web(document.landing) or fulltext_address(document)


def fulltext_address(document: Document) -> str | None:
    return _on_web(document.fulltext)


def subjects_and_keywords(document: Document) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*(subject.value for subject in document.subjects), *document.keywords)))


def issued_parts(document: Document) -> tuple[int, ...]:
    """Return year, month and day of publication, as far as they are known."""
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


# Place in print: journal, volume, issue and pages, parsed from one line. Most records have nothing but such
# a line. Windrow's readers write "Journal of Hay, 3, 1, 5-9", journal software "Journal of Hay; Vol. 3 No.
# 1 (2012); 5-9", and physicists "J. Hay 3 (2012) 5-9". What cannot be recognised with certainty stays in
# the name.

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
# "3 (1)" and "3 (2012)" after a name: the volume, then the issue or the year.
_BRACKETED = re.compile(r",?\s(\d{1,4})\s?\((\d{1,4})\)")
_YEAR = re.compile(r"[,\s]+\(?(?:1[5-9]|20)\d\d\)?$")
_BEHIND = re.compile(r",?\s+([A-Za-z]?\d{2,7})(?:\s?[-–]\s?([A-Za-z]?\d{1,7}))?\.?$")
_LONG_NUMBER = 4  # digits: the number of an article rather than of an issue


class PlaceInPrint(NamedTuple):
    """The place of an article in print; unknown parts are empty."""

    title: str
    volume: str = ""
    issue: str = ""
    first: str = ""
    last: str = ""


def parse_place_in_print(line: str) -> PlaceInPrint:
    """Parse a line that names a journal or a book. Any other line becomes the title as a whole."""
    return _taken_apart(line[:LONGEST_LINE])


@lru_cache(maxsize=1024)  # two writers ask for each page
def _taken_apart(line: str) -> PlaceInPrint:
    place = _marked(line) or _listed(line) or _bracketed(line)
    return place if place is not None and len(place.title) > 1 else PlaceInPrint(line)


def _listed(line: str) -> PlaceInPrint | None:
    # Parts separated by commas, as Windrow's readers join them.
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
    # Parts with a label: "Vol. 3 No. 1".
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
