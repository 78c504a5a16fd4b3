"""Word, slides, sheets, OpenDocument, books, old Office files."""

from __future__ import annotations

import contextlib
import io
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.extract.samples import CORE, docx, package
from windrow.extract import xml_packages
from windrow.extract.readers import epub, ole, opendocument, presentation, spreadsheet, word
from windrow.extract.reading_job import Job, Unreadable
from windrow.extract.sniffing import OLE_MARK

JOB = Job("a")
BOMB = (
    '<!DOCTYPE w [<!ENTITY a "aaaaaaaaaa">%s]>'
    '<w:document xmlns:w="urn:w"><w:p><w:t>&j;</w:t></w:p></w:document>'
)


def test_the_text_of_word_comes_in_its_order_with_notes_and_without_what_was_deleted() -> None:
    body = (
        "<w:p><w:r><w:t>One</w:t><w:tab/><w:t>two</w:t></w:r></w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del>"
        "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>cell</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"
    )
    notes = '<w:footnotes xmlns:w="urn:w"><w:p><w:t>a footnote</w:t></w:p></w:footnotes>'
    found = word.read(io.BytesIO(docx(body, **{"word/footnotes.xml": notes})), JOB)
    assert found.text[0].split() == ["One", "two", "cell", "a", "footnote"]
    said = dict(found.said)
    assert (said["title"], said["creator"], said["date"]) == ("Hay", "Ann Reed", "2024-05-17T10:00:00Z")


def test_entities_are_not_expanded() -> None:
    entities = "".join(
        f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefghi", "bcdefghij", strict=True)
    )
    found = word.read(io.BytesIO(package({"word/document.xml": BOMB % entities})), JOB)
    assert sum(map(len, found.text)) < 1000


def test_a_part_that_unpacks_to_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xml_packages, "MAX_PART_BYTES", 100_000)
    with pytest.raises(Unreadable, match="unpacks to more"):
        word.read(io.BytesIO(package({"word/document.xml": b" " * 1_000_000})), JOB)


@pytest.mark.parametrize("reader", [word, presentation, spreadsheet, epub])
@pytest.mark.parametrize("data", [b"", b"PK\x03\x04 cut off", package({"other": "x"})])
def test_what_is_broken_is_refused(reader: object, data: bytes) -> None:
    with pytest.raises(Unreadable):
        reader.read(io.BytesIO(data), JOB)  # type: ignore[attr-defined]


def test_slides_are_pages_in_the_order_they_are_shown_in() -> None:
    slide = '<p:sld xmlns:p="urn:p" xmlns:a="urn:a"><a:p><a:t>{}</a:t></a:p></p:sld>'
    show = (
        '<p:presentation xmlns:p="urn:p" xmlns:r="urn:r"><p:sldId r:id="b"/><p:sldId r:id="a"/>'
        "</p:presentation>"
    )
    links = (
        '<Relationships><Relationship Id="a" Target="slides/slide1.xml"/>'
        '<Relationship Id="b" Target="slides/slide2.xml"/></Relationships>'
    )
    noted = '<Relationships><Relationship Id="n" Target="../notesSlides/notesSlide1.xml"/></Relationships>'
    parts = {
        "ppt/presentation.xml": show,
        "ppt/_rels/presentation.xml.rels": links,
        "ppt/slides/slide1.xml": slide.format("first made"),
        "ppt/slides/slide2.xml": slide.format("first shown"),
        "ppt/slides/_rels/slide2.xml.rels": noted,
        "ppt/notesSlides/notesSlide1.xml": slide.format("say hello"),
        "docProps/core.xml": CORE,
    }
    found = presentation.read(io.BytesIO(package(parts)), JOB)
    assert found.text == ("first shown\nsay hello", "first made")
    assert dict(found.measured)["pages"] == "2"


def test_cells_give_their_words_and_numbers() -> None:
    sheet = (
        '<worksheet><row><c t="s"><v>1</v></c><c><v>42</v></c><c t="s"><v>99</v></c></row>'
        '<row><c t="inlineStr"><is><t>inline</t></is></c></row></worksheet>'
    )
    parts = {
        "xl/workbook.xml": '<workbook><sheets><sheet name="Fields"/></sheets></workbook>',
        "xl/sharedStrings.xml": "<sst><si><t>unused</t></si><si><t>barley</t></si></sst>",
        "xl/worksheets/sheet1.xml": sheet,
    }
    assert spreadsheet.read(io.BytesIO(package(parts)), JOB).text == ("Fields\nbarley\t42\ninline",)


META = (
    '<office:document-meta xmlns:office="urn:o" xmlns:meta="urn:m" xmlns:dc="urn:d"><office:meta>'
    "<dc:title>Hay</dc:title><meta:initial-creator>Ann Reed</meta:initial-creator>"
    "<dc:creator>Bo Ek</dc:creator>"
    '<meta:document-statistic meta:page-count="3"/></office:meta></office:document-meta>'
)
CONTENT = (
    '<office:document-content xmlns:office="urn:o" xmlns:text="urn:t"><office:body><text:h>Head</text:h>'
    '<text:p>one<text:s text:c="2"/>two <text:span>three</text:span> four</text:p>'
    "<text:tracked-changes><text:p>gone</text:p></text:tracked-changes></office:body></office:document-content>"
)
ODT = "application/vnd.oasis.opendocument.text"


def test_an_open_document_gives_its_words_and_the_one_who_began_it() -> None:
    found = opendocument.read(
        io.BytesIO(package({"mimetype": ODT, "meta.xml": META, "content.xml": CONTENT})), JOB
    )
    assert found.text == ("Head\none  two three four",)
    assert found.said == (("title", "Hay"), ("creator", "Ann Reed"))
    assert found.measured == (("pages", "3"),)


def test_an_encrypted_open_document_is_refused() -> None:
    manifest = "<manifest><file-entry><encryption-data/></file-entry></manifest>"
    data = package({"mimetype": ODT, "META-INF/manifest.xml": manifest, "content.xml": "x"})
    with pytest.raises(Unreadable, match="encrypted"):
        opendocument.read(io.BytesIO(data), JOB)


OPF = (
    '<package xmlns="urn:p" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>Hay</dc:title>'
    "<dc:creator>Ann Reed</dc:creator></metadata><manifest>"
    '<item id="b" href="b.xhtml"/><item id="a" href="a.xhtml"/>'
    '<item id="t" href="t.ncx" media-type="application/x-dtbncx+xml"/></manifest>'
    '<spine><itemref idref="a"/><itemref idref="b"/></spine></package>'
)
BOOK = {
    "META-INF/container.xml": '<container><rootfile full-path="in/book.opf"/></container>',
    "in/book.opf": OPF,
    "in/a.xhtml": "<html><body><p>First chapter.</p></body></html>",
    "in/b.xhtml": "<html><body><p>Second chapter.</p></body></html>",
    "in/t.ncx": "<ncx><navPoint><navLabel><text>One</text></navLabel></navPoint></ncx>",
}


def test_a_book_is_read_in_its_order() -> None:
    found = epub.read(io.BytesIO(package(BOOK)), JOB)
    assert found.text[0].split() == ["First", "chapter.", "Second", "chapter."]
    assert dict(found.said) == {"title": "Hay", "creator": "Ann Reed"}
    assert [heading.title for heading in found.headings] == ["One"]


def test_comments_and_entities_among_the_properties_say_nothing() -> None:
    noisy = OPF.replace("<metadata>", "<metadata><!-- by hand -->&amp;&nbsp;")
    assert dict(epub.read(io.BytesIO(package({**BOOK, "in/book.opf": noisy})), JOB).said)["title"] == "Hay"
    core = CORE.replace("<dc:title>", "<!-- by hand --><dc:title>")
    assert dict(word.read(io.BytesIO(docx(**{"docProps/core.xml": core})), JOB).said)["title"] == "Hay"


def test_a_book_that_is_locked_is_refused_but_scrambled_fonts_are_no_lock() -> None:
    lock = '<encryption><EncryptionMethod Algorithm="{}"/></encryption>'
    fonts = lock.format("http://www.idpf.org/2008/embedding")
    assert epub.read(io.BytesIO(package({**BOOK, "META-INF/encryption.xml": fonts})), JOB).text
    with pytest.raises(Unreadable, match="locked"):
        epub.read(io.BytesIO(package({**BOOK, "META-INF/encryption.xml": lock.format("urn:aes")})), JOB)


def compound(streams: dict[str, bytes]) -> bytes:
    """A compound file whose streams are all large enough to have sectors of their own."""
    sectors: list[bytes] = []
    chains: list[int] = []
    starts = {}
    for name, data in streams.items():
        starts[name] = len(sectors)
        count = len(data) // 512
        sectors += [data[at * 512 : at * 512 + 512] for at in range(count)]
        chains += [*range(starts[name] + 1, starts[name] + count), 0xFFFFFFFE]
    entries = [_entry("Root Entry", 5, 0xFFFFFFFE, 0, child=1)]
    entries += [
        _entry(name, 2, starts[name], len(data), right=at if at <= len(streams) else NOTHING)
        for at, (name, data) in enumerate(streams.items(), 2)
    ]
    directory = b"".join(entries).ljust(512, b"\0")
    fat_at, directory_at = len(sectors) + 1, len(sectors)
    chains += [0xFFFFFFFE, 0xFFFFFFFD]
    fat = struct.pack(f"<{len(chains)}I", *chains).ljust(512, b"\xff")
    header = OLE_MARK + bytes(16) + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6) + bytes(10)
    header += struct.pack("<IIIIIIII", 1, directory_at, 0, 4096, 0xFFFFFFFE, 0, 0xFFFFFFFE, 0)
    header += struct.pack("<I", fat_at).ljust(436, b"\xff")
    return header + b"".join([*sectors, directory, fat])


NOTHING = 0xFFFFFFFF


def _entry(
    name: str, kind: int, start: int, size: int, *, right: int = NOTHING, child: int = NOTHING
) -> bytes:
    wide = name.encode("utf-16-le") + b"\0\0"
    return (
        wide.ljust(64, b"\0")
        + struct.pack("<HBBIII", len(wide), kind, 1, NOTHING, right, child)
        + bytes(36)
        + struct.pack("<IQ", start, size)
    )


def word_97(text: str, *, flags: int = 0) -> dict[str, bytes]:
    """The streams of an old Word document."""
    fib = bytearray(4096 + 512)
    struct.pack_into("<H", fib, 0, 0xA5EC)
    struct.pack_into("<H", fib, 10, flags)
    table = b"\x02" + struct.pack("<IIIHIH", 16, 0, len(text), 0, 0x40000000 | (1024 * 2), 0)
    struct.pack_into("<II", fib, 0x01A2, 0, len(table))
    fib[1024 : 1024 + len(text)] = text.encode("cp1252")
    return {"WordDocument": bytes(fib), "0Table": table.ljust(4608, b"\0")}


def summary(title: str) -> bytes:
    """A set of properties with a title and a date."""
    body = title.encode("cp1252") + b"\0"
    when = 132_223_104_000_000_000  # 2020-01-01
    values = struct.pack("<II", 30, len(body)) + body.ljust(32, b"\0") + struct.pack("<IQ", 64, when)
    places = struct.pack("<IIII", 2, 24, 12, 24 + 40)
    return (bytes(44) + struct.pack("<III", 48, 24 + len(values), 2) + places + values).ljust(4608, b"\0")


def test_an_old_word_document_gives_title_date_and_text() -> None:
    streams = word_97("Mown in June\r\x13 HYPERLINK \x14there\x15 and dried") | {
        "\x05SummaryInformation": summary("Hö")
    }
    found = ole.read(io.BytesIO(compound(streams)), JOB)
    assert found.said == (("title", "Hö"), ("date", "2020-01-01T00:00:00Z"))
    assert found.text == ("Mown in June\nthere and dried",)
    assert (found.media_type, found.notes) == ("application/msword", ())


def test_an_encrypted_old_document_is_refused() -> None:
    with pytest.raises(Unreadable, match="encrypted"):
        ole.read(io.BytesIO(compound(word_97("x", flags=0x0100))), JOB)
    with pytest.raises(Unreadable, match="encrypted"):
        ole.read(io.BytesIO(compound({"EncryptedPackage": bytes(4608)})), JOB)


def test_a_chain_of_sectors_that_leads_to_itself_ends() -> None:
    data = bytearray(compound(word_97("x")))
    data[-512:-508] = struct.pack("<I", 0)  # the first sector is followed by itself
    assert ole.read(io.BytesIO(bytes(data)), JOB).said == ()


def test_a_directory_that_leads_to_itself_ends() -> None:
    data = bytearray(compound(word_97("x")))
    sectors = len(data) // 512 - 1
    directory, table = sectors - 2, sectors - 1
    struct.pack_into("<I", data, 512 * (table + 1) + 4 * directory, directory)
    stream = ole.CompoundFile(io.BytesIO(bytes(data))).stream
    assert stream("WordDocument").startswith(b"\xec\xa5")


def test_entries_past_the_limit_of_the_directory_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    data = compound({"a": bytes(4608), "b": bytes(4608)})
    assert ole.CompoundFile(io.BytesIO(data)).names == {"a", "b"}
    monkeypatch.setattr(ole, "MAX_ENTRIES", 2)
    assert ole.CompoundFile(io.BytesIO(data)).names == {"a"}


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (30, b"\xff\xff"),  # sectors of 2 to the power of 65,535 bytes
        (32, b"\x00\x00"),  # no small sectors
        (44, b"\xff\xff\xff\x7f"),  # a table of two thousand million sectors
        (48, b"\xff\xff\xff\x7f"),  # the directory lies outside
        (68, b"\x00\x00\x00\x00\xff\xff\xff\x01"),  # more of the table than there is
        (76, b"\xff\xff\xff\x7f"),  # the table lies outside
        (76, b"\xff\xff\xff\xff"),  # no table
    ],
)
def test_a_header_that_declares_what_cannot_be_is_refused(place: int, value: bytes) -> None:
    data = bytearray(compound(word_97("x")))
    data[place : place + len(value)] = value
    with pytest.raises(Unreadable, match="broken"):
        ole.read(io.BytesIO(bytes(data)), JOB)


def test_a_stream_that_declares_four_thousand_million_bytes_is_read_up_to_the_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ole, "MAX_STREAM_BYTES", 8192)
    data = bytearray(compound({"WordDocument": bytes(4608)}))
    struct.pack_into("<I", data, len(data) - 512, 0)  # its first sector is followed by itself
    size_at = data.index("WordDocument".encode("utf-16-le")) + 120
    struct.pack_into("<I", data, size_at, 0xFFFFFFFF)
    assert len(ole.CompoundFile(io.BytesIO(bytes(data))).stream("WordDocument")) == 8192


def test_a_directory_as_deep_as_it_is_long_is_refused() -> None:
    count = 5000
    entries = [_entry("Root Entry", 5, 0xFFFFFFFE, 0, child=1)]
    entries += [_entry(f"{at}", 2, 0, 0, right=at + 1) for at in range(1, count)]
    sectors = count // 4
    table = [*range(1, sectors), 0xFFFFFFFE]
    table_sectors = len(table) // 128 + 1
    header = OLE_MARK + bytes(16) + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6) + bytes(10)
    header += struct.pack("<IIIIIIII", table_sectors, 0, 0, 4096, 0xFFFFFFFE, 0, 0xFFFFFFFE, 0)
    header += struct.pack(f"<{table_sectors}I", *range(sectors, sectors + table_sectors)).ljust(436, b"\xff")
    data = (
        header
        + b"".join(entries)
        + struct.pack(f"<{len(table)}I", *table).ljust(512 * table_sectors, b"\xff")
    )
    with pytest.raises(Unreadable, match="broken"):
        ole.read(io.BytesIO(data), JOB)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(8, 0x1FFF), st.binary(min_size=1, max_size=8)), max_size=12))
def test_whatever_is_changed_in_an_old_file_it_is_read_or_refused(changes: list[tuple[int, bytes]]) -> None:
    whole = compound(word_97("Mown in June") | {"\x05SummaryInformation": summary("Hay")})
    data = bytearray(whole)
    for place, value in changes:
        at = (
            place if place < 512 else len(data) - 1 - (place - 512) % 1024
        )  # the header, the directory, the table
        data[at : at + len(value)] = value[: len(data) - at]
    with contextlib.suppress(Unreadable):
        ole.read(io.BytesIO(bytes(data)), JOB)
