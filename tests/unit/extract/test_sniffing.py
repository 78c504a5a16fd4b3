"""What kind of file it is, by its content."""

from __future__ import annotations

import io
import tarfile
import wave
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fixtures import shared
from windrow.extract.reader_registry import OOXML, OPEN_DOCUMENT
from windrow.extract.reading_job import Job
from windrow.extract.sniffing import media_type_of, sniff

MP3_FRAME = b"\xff\xfb\x90\x00" + bytes(413)  # 128 kbit/s at 44,100 Hz: 417 bytes


def package(*parts: tuple[str, bytes], packing: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", packing) as made:
        for name, data in parts:
            made.writestr(name, data)
    return file.getvalue()


def tar_file(name: str = "a.txt") -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as made:
        made.addfile(tarfile.TarInfo(name))
    return file.getvalue()


def wave_file() -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as made:
        made.setparams((1, 1, 8000, 0, "NONE", ""))
        made.writeframes(bytes(80))
    return file.getvalue()


def compound_file(stream: str) -> bytes:
    header = bytearray(512)
    header[:8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
    header[30] = 9  # sectors of 512 bytes; the directory is in the first
    entries = b"".join(name.encode("utf-16-le").ljust(128, b"\0") for name in ("Root Entry", stream))
    return bytes(header) + entries.ljust(512, b"\0")


def boxes(brand: bytes, *handlers: bytes) -> bytes:
    inside = b"".join(b"\0\0\0\x20hdlr" + bytes(8) + handler + bytes(12) for handler in handlers)
    return b"\0\0\0\x10ftyp" + brand + bytes(4) + inside


CONTENT_TYPES = b'<Types><Override ContentType="application/%s.main+xml"/></Types>'


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"%PDF-1.4\n", "application/pdf"),
        (b"junk of a mail\r\n" * 40 + b"%PDF-1.4\n", "application/pdf"),
        (b"%!PS-Adobe-3.0\n", "application/postscript"),
        (b"\x04%!PS-Adobe-3.0\n", "application/postscript"),
        (b"\x1b%-12345X@PJL ENTER LANGUAGE=POSTSCRIPT\n%!PS\n", "application/postscript"),
        (b"\xc5\xd0\xd3\xc6" + bytes(28), "application/postscript"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "image/jpeg"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "image/png"),
        (b"GIF89a\1\0\1\0", "image/gif"),
        (b"II*\0\x08\0\0\0", "image/tiff"),
        (b"RIFF\x24\0\0\0WEBPVP8 ", "image/webp"),
        (b"BM" + bytes(12) + b"\x28\0\0\0" + bytes(36), "image/bmp"),
        (b"\0\0\1\0\1\0\x10\x10\0\0\1\0\x20\0" + bytes(8), "image/x-icon"),
        (b"8BPS\0\1" + bytes(20), "image/vnd.adobe.photoshop"),
        (b"\0\0\0\x0cjP  \r\n\x87\n", "image/jp2"),
        (boxes(b"heic"), "image/heic"),
        (b"\0\0\0\x18ftypmif1\0\0\0\0mif1avif", "image/avif"),
        (b"\0\0\0\x18ftypmif1\0\0\0\0mif1heic", "image/heic"),
        (boxes(b"M4A "), "audio/mp4"),
        (boxes(b"isom", b"soun"), "audio/mp4"),
        (boxes(b"isom", b"soun", b"vide"), "video/mp4"),
        (boxes(b"qt  "), "video/quicktime"),
        (b"ID3\4\0\0\0\0\0\0" + MP3_FRAME, "audio/mpeg"),
        (b"ID3\4\0\0\0\0\0\4abcdfLaC", "audio/flac"),
        (MP3_FRAME * 2, "audio/mpeg"),
        (b"fLaC\0\0\0\x22", "audio/flac"),
        (b"OggS" + bytes(24) + b"\x01vorbis", "audio/ogg"),
        (b"OggS" + bytes(24) + b"OpusHead", "audio/ogg"),
        (b"OggS" + bytes(24) + b"\x80theora", "video/ogg"),
        (wave_file(), "audio/wav"),
        (b"FORM\0\0\0\x04AIFF", "audio/aiff"),
        (b"\x1a\x45\xdf\xa3\x93\x42\x82\x88webm", "video/webm"),
        (b"\x1a\x45\xdf\xa3\x93\x42\x82\x88matroska", "video/matroska"),
        (b"\x1f\x8b\x08\0\0\0\0\0", "application/gzip"),
        (b"BZh91AY&SY", "application/x-bzip2"),
        (b"\xfd7zXZ\0\0\4", "application/x-xz"),
        (b"7z\xbc\xaf\x27\x1c\0\4", "application/x-7z-compressed"),
        (b"Rar!\x1a\x07\1\0", "application/vnd.rar"),
        (tar_file(), "application/x-tar"),
        (package(("a.txt", b"a")), "application/zip"),
        (compound_file("WordDocument"), "application/msword"),
        (compound_file("Workbook"), "application/vnd.ms-excel"),
        (compound_file("PowerPoint Document"), "application/vnd.ms-powerpoint"),
        (compound_file("EncryptedPackage"), "application/x-ole-storage"),
        (b"<!DOCTYPE html><p>a", "text/html"),
        (b"<!-- made by hand -->\n<HTML><body>a", "text/html"),
        (b"<table><tr><td>a</table>", "text/html"),
        ("<html><p>ä".encode("utf-16-le"), "text/html"),
        (b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">', "application/xhtml+xml"),
        (b'<?xml version="1.0"?>\n<!-- a --><svg width="1"/>', "image/svg+xml"),
        (b'<svg xmlns="http://www.w3.org/2000/svg"/>', "image/svg+xml"),
        (b'<?xml version="1.0"?><rss/>', "application/xml"),
        (
            b'<?xml version="1.0"?><office:document xmlns:office="o" '
            b'office:mimetype="application/vnd.oasis.opendocument.text">',
            f"{OPEN_DOCUMENT}.text-flat-xml",
        ),
        (b"{\\rtf1\\ansi a}", "application/rtf"),
        (b"From: a@b.example\nTo: c@d.example\nSubject: e\n\nText\n", "message/rfc822"),
        (b"From a@b.example Thu Jan  4 10:20:30 2024\nFrom: a@b.example\n\nText\n", "application/mbox"),
        (b"From: the beginning\nit was told otherwise\n", "text/plain"),
        (b"a < b and <c> is a letter\n", "text/plain"),
        ("Grüße\n".encode("utf-16-be"), "text/plain"),
        (b"\x1b$B%F%9%H\x1b(B\n", "text/plain"),
        (b"caf\xe9\n", "text/plain"),
        (bytes(range(256)) * 4, "application/octet-stream"),
    ],
)
def test_the_content_tells_the_kind_whatever_the_name(data: bytes, expected: str) -> None:
    assert sniff(data, "unnamed") == expected
    assert media_type_of(io.BytesIO(data), Job(name="unnamed")) == expected


@pytest.mark.parametrize(
    ("main", "expected"),
    [
        (
            b"vnd.openxmlformats-officedocument.wordprocessingml.document",
            f"{OOXML}.wordprocessingml.document",
        ),
        (b"vnd.openxmlformats-officedocument.spreadsheetml.sheet", f"{OOXML}.spreadsheetml.sheet"),
        (b"vnd.ms-word.document.macroEnabled.12", "application/vnd.ms-word.document.macroenabled.12"),
    ],
)
def test_an_office_package_is_what_its_list_of_content_types_says(main: bytes, expected: str) -> None:
    data = package(("[Content_Types].xml", CONTENT_TYPES.replace(b"%s.main", main + b".main")))

    assert sniff(data, "a.zip") == expected.replace(".main", "")


def test_a_package_tells_by_its_declaration_even_where_the_next_part_follows_at_once() -> None:
    parts = (("mimetype", b"application/epub+zip"), ("META-INF/container.xml", b""))

    assert sniff(package(*parts, packing=zipfile.ZIP_STORED), "a.zip") == "application/epub+zip"


def test_a_package_whose_telling_part_comes_late_is_known_by_its_end() -> None:
    parts = (("docProps/thumbnail.jpeg", bytes(100_000)), ("ppt/presentation.xml", b""))
    data = package(*parts, packing=zipfile.ZIP_STORED)

    assert sniff(data[:32_768], "a") == "application/zip"
    assert media_type_of(io.BytesIO(data), Job(name="a")) == f"{OOXML}.presentationml.presentation"


@pytest.mark.parametrize(
    ("data", "name", "expected"),
    [
        (b"# Title\n", "README.md", "text/markdown"),
        (b"<h1 align=center>Title</h1>\n", "README.md", "text/markdown"),
        (b"a,b\n", "a.CSV", "text/csv"),
        (b'{"a": 1}', "a.json", "application/json"),
        (b"Subject: a\n\nText\n", "a.eml", "message/rfc822"),
        (b"<x:xmpmeta xmlns:x='adobe:ns:meta/'>", "a.xmp", "application/xml"),
        (b"plain words\n", "a.pdf", "text/plain"),
        (bytes(range(256)), "a.pdf", "application/octet-stream"),
        (bytes(range(256)), "a.mp3", "audio/mpeg"),
        (bytes(range(256)), "a.wpd", "application/vnd.wordperfect"),
        (b"", "a.md", "text/markdown"),
        (b"", "a", "application/octet-stream"),
    ],
)
def test_the_name_counts_only_where_the_content_says_nothing(data: bytes, name: str, expected: str) -> None:
    assert sniff(data, name) == expected


def test_what_the_folder_declares_counts_no_more_than_a_name() -> None:
    assert sniff(b"a,b\n", "a", "text/csv") == "text/csv"
    assert sniff(b"%PDF-1.4", "a", "text/csv") == "application/pdf"
    assert sniff(bytes(range(256)), "a", "application/x-tar") == "application/octet-stream"


def test_the_file_is_left_at_its_beginning() -> None:
    file = io.BytesIO(package(("a.txt", b"a")))

    media_type_of(file, Job(name="a"))

    assert file.tell() == 0


@given(st.binary(max_size=2000), st.text(max_size=20))
def test_any_bytes_have_a_media_type(data: bytes, name: str) -> None:
    kind, slash, _ = media_type_of(io.BytesIO(data), Job(name=name)).partition("/")

    assert kind
    assert slash


@given(
    st.sampled_from(
        (package(("a", b"b" * 99)), compound_file("x"), boxes(b"isom", b"soun"), tar_file(), MP3_FRAME * 2)
    ),
    st.integers(0, 600),
    st.binary(min_size=1, max_size=8),
)
def test_broken_containers_have_a_media_type(whole: bytes, place: int, other: bytes) -> None:
    data = whole[:place] + other + whole[place + len(other) :]

    assert "/" in media_type_of(io.BytesIO(data), Job(name="a"))


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("apache__tika/testEPUB_xml_ext.epub", "application/epub+zip"),
        ("apache__tika/testWORD_truncated.docx", f"{OOXML}.wordprocessingml.document"),
        ("exiftool__exiftool/OOXML.docx", f"{OOXML}.wordprocessingml.document"),
        ("apache__tika/casing/protected_upper_case.docx", "application/x-ole-storage"),
        ("chardet__chardet/UTF-16BE/nobom-utf16be.txt", "text/plain"),
        ("chardet__chardet/iso-2022-kr/_ude_iso1.txt", "text/plain"),
        ("quodlibet__mutagen/no-tags.m4a", "audio/mp4"),
    ],
)
def test_real_files_are_told_right_where_another_tool_does_not(path: str, expected: str) -> None:
    with shared(f"files/{path}").open("rb") as file:
        assert media_type_of(file, Job(name="unnamed")) == expected
