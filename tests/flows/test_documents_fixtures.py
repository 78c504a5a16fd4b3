"""Files taken in as documents, broken and encrypted ones too, each judged by other tools.

Once some that are made on the spot, once the 340 real ones beside the project.

Where we say something else than such a tool, the file is named here with the reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.fixtures import shared
from tests.flows import made_files
from tests.flows.folder_taken_in import NAME, URL, TakenIn, take_in
from tests.flows.made_files import make_files
from tests.flows.other_tools import encodings, exiftool, pdfinfo
from windrow.extract.text_decoding import codec_of
from windrow.model.document import Document
from windrow.model.run import Outcome

ENCRYPTED, BROKEN = "it is encrypted", "it is broken"
REFUSED = {
    "apache__tika/casing/protected_upper_case.docx": "it is encrypted",
    "apache__tika/testWORD_protected_drm.doc": ENCRYPTED,
    "apache__tika/testWORD_protected_passtika.doc": ENCRYPTED,
    "apache__tika/testWORD_truncated.docx": BROKEN,
    "openpreserve__format-corpus/ebooks/iBooks Author 1.1 (190)/lorem-ipsum-plus-image-openprintcopypw.pdf": (
        ENCRYPTED
    ),
    "openpreserve__format-corpus/ebooks/iBooks Author 2.0 (327)/"
    "lorem-ipsum-plus-image-updated-opencopyprintpw.pdf": ENCRYPTED,
    "openpreserve__format-corpus/office-examples/OpenOffice.org 3.2.0 OSX/pdf-features/"
    "simple-open-password.pdf": ENCRYPTED,
    "openpreserve__format-corpus/pdfCabinetOfHorrors/encryption_openpassword.pdf": ENCRYPTED,
    "quodlibet__mutagen/ooming-header.flac": BROKEN,
}
PDF_KNOWN = {
    ("mozilla__pdf.js/poppler-67295-0.pdf", "pages"): "its page tree is broken; pdfinfo gives up",
    ("mozilla__pdf.js/poppler-85140-0.pdf", "pages"): "its page tree is broken; pdfinfo gives up",
    ("mozilla__pdf.js/issue9252.pdf", "date"): "it says 2017124, which is no date",
    (
        "openpreserve__format-corpus/ebooks/calibre 0.9.0/lorem-ipsum.pdf",
        "creator",
    ): "it says Unknown, which is nobody",
}
AUDIO_KNOWN = {
    ("apache__tika/testVORBIS_twoCovers.ogg", "seconds"): "it is cut off; exiftool reckons by its size",
    ("quodlibet__mutagen/empty.ogg", "seconds"): "exiftool reckons by its size, we read its last page",
    ("quodlibet__mutagen/apev2-lyricsv2.mp3", "seconds"): "it is cut off; its header has the whole length",
    ("quodlibet__mutagen/vbri.mp3", "seconds"): "it is cut off; its header has the whole length",
    ("quodlibet__mutagen/silence-1.wma", "seconds"): "exiftool counts the filling of the buffer",
    ("quodlibet__mutagen/silence-2.wma", "seconds"): "exiftool counts the filling of the buffer",
    ("quodlibet__mutagen/silence-44-s.mp3", "creator"): "two kinds of tags; we prefer the newer kind",
    ("exiftool__exiftool/RIFF.wav", "seconds"): "it has a head and hardly any sound",
}
ENCODINGS_KNOWN = {"chardet__chardet/ascii/_mozilla_bug638318_text.html": "it is full of zero bytes"}
# Folders that do not bear the name of a codec, and samples without a folder.
CODECS = {"utf-8-sig": "utf-8", "CP932": "cp932", "CP949": "cp949"}
SAMPLES = {"greek-2": "cp1253", "korean": "cp949", "russian": "mac_cyrillic"}

Known = dict[tuple[str, str], str]


@dataclass(frozen=True)
class Sweep:
    """Files to take in, what is known of them, and how many of each kind there are at least."""

    name: str
    refused: Mapping[str, str]
    known: Mapping[str, Known]
    least: Mapping[str, int]
    encodings: str  # the folder whose folders are named by their encoding

    def folder(self, place: Path) -> Path:
        return make_files(place) if self.name == "made" else shared("files")


SWEEPS = (
    Sweep(
        "made",
        made_files.REFUSED,
        {},
        {"pdf": 8, "pictures": 20, "located": 5, "sound": 4, "encodings": 15, "sure": 3},
        "encodings",
    ),
    Sweep(
        "real",
        REFUSED,
        {"pdf": PDF_KNOWN, "sound": AUDIO_KNOWN},
        {"pdf": 71, "pictures": 51, "located": 5, "sound": 31, "encodings": 26, "sure": 16},
        "chardet__chardet",
    ),
)


@pytest.fixture(scope="module", params=SWEEPS, ids=lambda sweep: sweep.name)
def sweep(request: pytest.FixtureRequest) -> Sweep:
    found: Sweep = request.param
    return found


@pytest.fixture(scope="module")
def taken(tmp_path_factory: pytest.TempPathFactory, sweep: Sweep) -> TakenIn:
    folder = sweep.folder(tmp_path_factory.mktemp("made"))
    return take_in(tmp_path_factory.mktemp("sweep"), folder)


@pytest.fixture(scope="module")
def documents(taken: TakenIn) -> dict[str, Document]:
    return taken.documents()


def kind(documents: dict[str, Document], *starts: str) -> list[str]:
    """The paths of the files of a kind."""
    return sorted(
        path for path, found in documents.items() if found.file and found.file.media_type.startswith(starts)
    )


def facts(document: Document) -> dict[str, str]:
    assert document.file is not None
    return dict(document.file.facts)


def is_date_of(theirs: str, document: Document) -> bool:
    """Is a date among ours, which may be less exact?"""
    iso = theirs[:10].replace(":", "-") + theirs[10:].replace(" ", "T")
    return any(len(ours.text) >= 10 and iso.startswith(ours.text[:19]) for ours in document.dates)


def agree(differing: set[tuple[str, str]], known: Known) -> None:
    """Fail where we say something else than another tool, and nobody knows why; or no longer do."""
    assert sorted(differing - set(known)) == []
    assert sorted(set(known) - differing) == []


def test_every_file_is_taken_in_or_refused_with_a_reason(
    sweep: Sweep, taken: TakenIn, documents: dict[str, Document]
) -> None:
    cases = {case.identifier: case.reason for case in taken.shelf.quarantined()}
    assert {
        path for path, reason in sweep.refused.items() if reason not in cases.get(_identifier(path), "")
    } == set()
    assert len(cases) == len(sweep.refused)
    assert taken.paths() - set(documents) - set(sweep.refused) == set()
    assert taken.run.outcome is Outcome.PARTIAL


def test_a_second_run_changes_nothing_and_opens_no_file(taken: TakenIn) -> None:
    before = taken.shelf.records(name=NAME)
    taken.spoil()
    run = taken.shelf.harvest(name=NAME)
    assert run.outcome is Outcome.OK
    assert (run.counters.added, run.counters.changed, run.counters.deleted) == (0, 0, 0)
    assert run.counters.unchanged == len(taken.paths())
    assert taken.shelf.records(name=NAME) == before


def test_pdf_files_say_what_pdfinfo_says(
    sweep: Sweep, taken: TakenIn, documents: dict[str, Document]
) -> None:
    paths, differing = kind(documents, "application/pdf"), set()
    for path in paths:
        theirs, ours = pdfinfo(taken.origin / path), documents[path]
        title, author = (theirs.get(name, "").strip("\0 ") for name in ("Title", "Author"))
        is_same = {
            "title": title in ("", *(each.value for each in ours.titles)),
            "creator": author in ("", *(each.name for each in ours.creators)),
            "pages": theirs.get("Pages") == facts(ours)["pages"],
            "date": not theirs.get("CreationDate") or is_date_of(theirs["CreationDate"], ours),
        }
        differing |= {(path, fact) for fact, same in is_same.items() if not same}
    assert len(paths) >= sweep.least["pdf"]
    agree(differing, sweep.known.get("pdf", {}))


def test_pictures_say_what_exiftool_says(
    sweep: Sweep, taken: TakenIn, documents: dict[str, Document]
) -> None:
    paths, differing = kind(documents, "image/"), set()
    tags = (
        "ImageWidth",
        "ImageHeight",
        "EXIF:DateTimeOriginal",
        "Composite:GPSLatitude",
        "Composite:GPSLongitude",
        "EXIF:Artist",
    )
    for path, theirs in zip(paths, exiftool([taken.origin / path for path in paths], *tags), strict=True):
        ours, measured = documents[path], facts(documents[path])
        date = theirs.get("EXIF:DateTimeOriginal", "")
        is_same = {
            "width": theirs["ImageWidth"] == measured["width"],
            "height": theirs["ImageHeight"] == measured["height"],
            "latitude": is_near(theirs.get("GPSLatitude"), measured.get("latitude")),
            "longitude": is_near(theirs.get("GPSLongitude"), measured.get("longitude")),
            "date": not date or date.startswith("0000") or is_date_of(date, ours),
            "creator": theirs.get("Artist", "").strip() in ("", *(each.name for each in ours.creators)),
        }
        differing |= {(path, fact) for fact, same in is_same.items() if not same}
    assert len(paths) >= sweep.least["pictures"]
    assert sum("latitude" in facts(documents[path]) for path in paths) >= sweep.least["located"]
    agree(differing, {})


def test_sound_says_what_exiftool_says(sweep: Sweep, taken: TakenIn, documents: dict[str, Document]) -> None:
    paths, differing = kind(documents, "audio/"), set()
    tags = ("Title", "Artist", "Author", "Duration")
    for path, theirs in zip(paths, exiftool([taken.origin / path for path in paths], *tags), strict=True):
        ours = documents[path]
        creator = theirs.get("Artist") or theirs.get("Author", "")
        is_same = {
            "title": theirs.get("Title", "").strip() in ("", *(each.value for each in ours.titles)),
            "creator": creator in ("", *(each.name for each in ours.creators)),
            "seconds": is_near(theirs.get("Duration"), facts(ours).get("seconds"), by=0.1),
        }
        differing |= {(path, fact) for fact, same in is_same.items() if not same}
    assert len(paths) >= sweep.least["sound"]
    agree(differing, sweep.known.get("sound", {}))


def test_text_in_many_encodings_is_read_as_the_same_letters(
    sweep: Sweep, taken: TakenIn, documents: dict[str, Document]
) -> None:
    expected = {
        path: path.split("/")[1]
        for path in documents
        if path.startswith(f"{sweep.encodings}/") and path.count("/") == 2
    }
    codecs = {path: CODECS.get(name, _without_language(name)) for path, name in expected.items()}
    samples = {f"Ousret__charset_normalizer/sample-{name}.txt": codec for name, codec in SAMPLES.items()}
    codecs |= {path: codec for path, codec in samples.items() if path in documents}
    differing = {path for path, codec in codecs.items() if not is_same_text(taken, path, codec, documents)}
    assert len(set(codecs.values())) >= sweep.least["encodings"]
    assert differing == set(ENCODINGS_KNOWN) & set(documents)


def test_where_file_is_sure_of_an_encoding_so_are_we(
    sweep: Sweep, taken: TakenIn, documents: dict[str, Document]
) -> None:
    paths = [path for path in sorted(documents) if "encoding" in facts(documents[path])]
    sure = {
        path: encoding
        for path, encoding in zip(paths, encodings([taken.origin / path for path in paths]), strict=True)
        if encoding.startswith("utf-")
    }
    assert len(sure) >= sweep.least["sure"]
    assert {
        path for path, encoding in sure.items() if not is_same_text(taken, path, encoding, documents)
    } == set()


def is_near(theirs: str | None, ours: str | None, *, by: float = 0.0001) -> bool:
    """Are two numbers nearly the same, or neither there?"""
    if not theirs or not ours:
        return not theirs and not ours
    return abs(float(theirs) - float(ours)) <= by


def is_same_text(taken: TakenIn, path: str, codec: str, documents: dict[str, Document]) -> bool:
    """Do the bytes of a file give the same letters in our encoding and in another?"""
    content = (taken.origin / path).read_bytes()
    named = facts(documents[path]).get("encoding", "")
    ours = codec_of(named)
    return ours is not None and _letters(content, ours) == _letters(content, codec)


def _letters(content: bytes, codec: str) -> str:
    return content.decode(codec, "replace").lstrip("\ufeff")


def _without_language(name: str) -> str:
    """The folders are called after an encoding, some with a language behind it."""
    head, _, tail = name.rpartition("-")
    return head if head and tail.isalpha() and tail not in ("jp", "kr") and len(tail) > 3 else name


def _identifier(path: str) -> str:
    return URL + quote(path, safe="/~!$&'()*+,;=:@")
