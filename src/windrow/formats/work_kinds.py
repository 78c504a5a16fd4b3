"""What kind of work a document is, told from its types: for citations and for reference managers.

Types come as COAR addresses, as info:eu-repo terms, as DCMI and DSpace words, and in English, Finnish,
Swedish and a few other languages. They are compared without case, diacritics and punctuation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from functools import lru_cache

from windrow.model.document import Document
from windrow.model.folding import fold


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

_COAR = re.compile(r"purl\.org/coar/resource_type/([a-z0-9_-]{4,20})", re.IGNORECASE)
_BEFORE = re.compile(r"^(?:info:eu-repo/semantics/|(?:https?|info):\S*/|doc-type:|[a-z]+/)", re.IGNORECASE)
_IDLE = re.compile(r"[\W_]+")

_BY_COAR = {
    WorkKind.DOCTORAL: "c_db06",
    WorkKind.MASTER: "c_bdcc",
    WorkKind.BACHELOR: "c_7a1f",
    WorkKind.THESIS: "c_46ec",
    WorkKind.CHAPTER: "c_3248",
    WorkKind.POSTER: "c_6670 c_18co",
    WorkKind.PRESENTATION: "c_8544 c_c94f",
    WorkKind.CONFERENCE_PAPER: "c_5794 c_18cp",
    WorkKind.PROCEEDINGS: "c_f744",
    WorkKind.DATASET: "c_ddb1",
    WorkKind.SOFTWARE: "c_5ce6",
    WorkKind.PREPRINT: "c_816b c_8042",
    WorkKind.PATENT: "c_15cd",
    WorkKind.MAP: "c_12cd",
    WorkKind.SCORE: "c_18cw",
    WorkKind.NEWS: "c_998f",
    WorkKind.REVIEW: "c_efa0 c_ba08",
    WorkKind.ARTICLE: "c_6501 c_2df8fbb1 c_dcae04bc c_beb9 c_b239 c_3e5a c_545b",
    WorkKind.REPORT: "c_93fc c_18gh c_18ws c_18hj",
    WorkKind.BOOK: "c_2f33",
    WorkKind.JOURNAL: "c_0640",
    WorkKind.VIDEO: "c_12ce c_8a7e",
    WorkKind.SOUND: "c_18cc",
    WorkKind.IMAGE: "c_c513 c_ecc8",
    WorkKind.WEBPAGE: "c_7ad9",
}
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
# Words that tell a kind only when they are all there is: "journal" is in "journal article". The shortest are
# codes of the Swedish repositories.
_BY_WHOLE = {
    WorkKind.DOCTORAL: "dok",
    WorkKind.MASTER: "lic",
    WorkKind.CHAPTER: "kap",
    WorkKind.CONFERENCE_PAPER: "conference kon",
    WorkKind.ARTICLE: "art",
    WorkKind.REPORT: "rap",
    WorkKind.DATASET: "data",
    WorkKind.COURSE: "course courses kurs kurser kurssi kurssit",
    WorkKind.MAP: "map kartta karta",
    WorkKind.NEWS: "news",
    WorkKind.REVIEW: "review rec",
    WorkKind.BOOK: "book books kirja bok buch livre libro",
    WorkKind.JOURNAL: "journal serial",
    WorkKind.SOUND: "sound audio",
    WorkKind.IMAGE: "image kuva bild figure",
}


def kind_of(document: Document) -> WorkKind:
    """The kind of work that a document is, as far as its types tell."""
    kinds = {_kind(name[:_LONGEST]) for name in document.types[:MOST_TYPES]}
    return min(kinds, key=_ORDER.__getitem__, default=WorkKind.OTHER)


@lru_cache(maxsize=4096)  # a library has few types, and each page asks for its own several times
def _kind(name: str) -> WorkKind:
    coar = _COAR.search(name)
    if coar is not None:
        return _COARS.get(coar[1].lower(), WorkKind.OTHER)
    key = _IDLE.sub("", fold(_BEFORE.sub("", name)))
    whole = _WHOLES.get(key)
    if whole is not None:
        return whole
    return next((kind for part, kind in _PARTS if part in key), WorkKind.OTHER)


def _each(table: dict[WorkKind, str]) -> Iterator[tuple[str, WorkKind]]:
    for kind, words in table.items():
        yield from ((word, kind) for word in words.split())


def _lookup(pairs: Iterable[tuple[str, WorkKind]]) -> dict[str, WorkKind]:
    return dict(pairs)


_ORDER = {kind: place for place, kind in enumerate(WorkKind)}
_COARS = _lookup(_each(_BY_COAR))
_WHOLES = _lookup(_each(_BY_WHOLE))
_PARTS = tuple(_each(_BY_WORD))
