"""Kinds of file inside a wrapping that says nothing by itself: zip and OLE. For `sniffing`.

A package tells by the names of what is in it; those stand both where each part begins and, all of them, at
the end of the file. Nothing is unpacked but the one small part that lists content types.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from typing import BinaryIO

from windrow.extract.kinds import OOXML, OPEN_DOCUMENT

ZIP = "application/zip"
OLE = "application/x-ole-storage"
ZIP_MARKS = (b"PK\x03\x04", b"PK\x05\x06", b"PK00PK\x03\x04")
TAIL_BYTES = 64 * 1024
MOST_ENTRIES = 300
LONGEST_LISTING_BYTES = 64 * 1024
_DECLARED = re.compile(rb"[a-z]{1,20}/[a-z0-9.+-]{1,100}")  # nothing of the next part, which begins with PK
_MAIN_PART = re.compile(rb"application/([\w.+-]{1,100})\.main\+xml")
_FOLDERS = (
    ("word/", f"{OOXML}.wordprocessingml.document"),
    ("ppt/", f"{OOXML}.presentationml.presentation"),
    ("xl/", f"{OOXML}.spreadsheetml.sheet"),
)
_STREAMS = (
    ("WordDocument", "application/msword"),
    ("PowerPoint Document", "application/vnd.ms-powerpoint"),
    ("Workbook", "application/vnd.ms-excel"),
    ("Book", "application/vnd.ms-excel"),
    ("EncryptedPackage", OLE),
    ("__properties_version1.0", "application/vnd.ms-outlook"),
    ("VisioDocument", "application/vnd.visio"),
)


def zip_type(beginning: bytes) -> str:
    """The media type of a zip package by its first parts; that of zip itself where they tell no more."""
    names: list[str] = []
    for name, data in _entries(beginning):
        if name == "mimetype" and (declared := _DECLARED.match(data)):
            return declared[0].decode()
        if name == "[Content_Types].xml" and (main := _main_type(data)):
            return main
        names.append(name)
    return _type_by_names(names)


def zip_type_by_tail(tail: bytes) -> str:
    """The media type of a zip package by the names at its end, where all of them are listed."""
    names: list[str] = []
    at = tail.find(b"PK\x01\x02")
    while at >= 0 and len(names) < MOST_ENTRIES:
        length = int.from_bytes(tail[at + 28 : at + 30], "little")
        names.append(tail[at + 46 : at + 46 + length].decode("utf-8", "replace"))
        at = tail.find(b"PK\x01\x02", at + 46)
    return _type_by_names(names)


def _entries(beginning: bytes) -> Iterator[tuple[str, bytes]]:
    """Each part that begins here: its name and its unpacked beginning where that is of use."""
    at = beginning.find(b"PK\x03\x04")
    for _ in range(MOST_ENTRIES):
        if at < 0:
            return
        method = int.from_bytes(beginning[at + 8 : at + 10], "little")
        stated = int.from_bytes(beginning[at + 18 : at + 22], "little")
        length = int.from_bytes(beginning[at + 26 : at + 28], "little")
        behind = at + 30 + length + int.from_bytes(beginning[at + 28 : at + 30], "little")
        name = beginning[at + 30 : at + 30 + length].decode("utf-8", "replace")
        yield (
            name,
            _unpacked(beginning[behind:], method) if name in ("mimetype", "[Content_Types].xml") else b"",
        )
        at = beginning.find(b"PK\x03\x04", max(behind + stated, at + 30))


def _unpacked(data: bytes, method: int) -> bytes:
    if method == 0:
        return data[:LONGEST_LISTING_BYTES]
    try:
        return zlib.decompressobj(-15).decompress(data, LONGEST_LISTING_BYTES) if method == 8 else b""
    except zlib.error:
        return b""


def _main_type(listing: bytes) -> str:
    """What the list of content types says of the main part: `….document.main+xml` in a `….document`."""
    found = _MAIN_PART.search(listing)
    return f"application/{found[1].decode().lower()}" if found else ""


def _type_by_names(names: list[str]) -> str:
    for folder, media_type in _FOLDERS:
        if any(name.startswith(folder) for name in names):
            return media_type
    if "META-INF/container.xml" in names and any(name.endswith(".opf") for name in names):
        return "application/epub+zip"
    if {"content.xml", "META-INF/manifest.xml"} <= set(names):
        return f"{OPEN_DOCUMENT}.text"
    if "META-INF/MANIFEST.MF" in names:
        return "application/java-archive"
    return ZIP


def ole_type(beginning: bytes, file: BinaryIO | None = None) -> str:
    """The media type of a compound file by the streams in its directory; that of OLE where none is known."""
    at = ole_directory_place(beginning)
    directory = beginning[at : at + 4096]
    if file is not None and not directory:
        file.seek(at)
        directory = file.read(4096)
    for name, media_type in _STREAMS:
        # Names fill the first of 128 bytes; a shorter one must not be the end of a longer.
        if any(
            directory.startswith((name + "\0").encode("utf-16-le"), entry)
            for entry in range(0, len(directory), 128)
        ):
            return media_type
    return OLE


def ole_directory_place(beginning: bytes) -> int:
    """Where the directory of a compound file begins, in bytes."""
    shift = min(int.from_bytes(beginning[30:32], "little"), 16)
    return (int.from_bytes(beginning[48:52], "little") + 1) << shift
