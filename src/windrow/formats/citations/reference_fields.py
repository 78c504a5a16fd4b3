"""What kind of work a document is, told from its types: for citations and for reference managers.

The table of types (`model.concepts`) knows most; of other wordings, parts of words tell the kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache

from windrow.model.concepts import TYPE, built_in, key_of
from windrow.model.document import Document


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


def kind_of(document: Document) -> WorkKind:
    """Return the kind of work that a document is: by its types, else by what only courses have."""
    kinds = {_kind(name[:_LONGEST]) for name in document.types[:MOST_TYPES]}
    kind = min(kinds, key=_ORDER.__getitem__, default=WorkKind.OTHER)
    if kind is WorkKind.OTHER and (document.prerequisites or document.exams or document.professions):
        return WorkKind.COURSE
    return kind


@lru_cache(maxsize=4096)  # a library has few types, and each page asks for its own several times
def _kind(name: str) -> WorkKind:
    concept = built_in(TYPE).find(name)
    if concept is not None:
        return WorkKind(concept.kind or WorkKind.OTHER)
    key = key_of(_BEFORE.sub("", name))
    return next((kind for part, kind in _PARTS if part in key), WorkKind.OTHER)


def _each(table: dict[WorkKind, str]) -> Iterator[tuple[str, WorkKind]]:
    for kind, words in table.items():
        yield from ((word, kind) for word in words.split())


_ORDER = {kind: place for place, kind in enumerate(WorkKind)}
_PARTS = tuple(_each(_BY_WORD))
