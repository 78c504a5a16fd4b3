"""Archives: what is in them, opened within bounds."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile

import pytest

from tests.unit.extract.samples import package
from windrow.extract.job import Job
from windrow.extract.readers import archive
from windrow.extract.readers.archive import open_member, read
from windrow.extract.refusing import Unreadable

ZIP = "application/zip"
TARS = {
    "": "application/x-tar",
    "gz": "application/gzip",
    "bz2": "application/x-bzip2",
    "xz": "application/x-xz",
}


def tar(packing: str, **files: bytes) -> io.BytesIO:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode=f"w:{packing}") as packed:  # type: ignore[call-overload]
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            packed.addfile(info, io.BytesIO(data))
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        packed.addfile(link)
    return made


def test_members_that_lead_out_or_are_none_are_left_out_and_told() -> None:
    data = package({"a/one.txt": "1", "../up": "2", "/top": "3", "a\nb": "4", "folder/": "", "å.txt": "5"})
    found = read(io.BytesIO(data), Job("a.zip", declared=ZIP))
    assert [member.name for member in found.members] == ["a/one.txt", "å.txt"]
    assert found.notes == ("files whose names lead out of it, or are none, were left out",)
    assert open_member(io.BytesIO(data), ZIP, "å.txt").read() == b"5"
    with pytest.raises(Unreadable):
        open_member(io.BytesIO(data), ZIP, "../up")


@pytest.mark.parametrize("packing", TARS)
def test_tars_are_listed_and_opened_and_links_in_them_are_not(packing: str) -> None:
    packed = tar(packing, **{"a/one.txt": b"one", "../up": b"no"})
    found = read(packed, Job("a.tar", declared=TARS[packing]))
    assert [member.name for member in found.members] == ["a/one.txt"]
    assert open_member(packed, TARS[packing], "a/one.txt").read() == b"one"
    with pytest.raises(Unreadable):
        open_member(packed, TARS[packing], "link")


def test_one_packed_file_is_an_archive_of_one() -> None:
    packed = io.BytesIO(gzip.compress(b"just text"))
    found = read(packed, Job("notes.txt.gz", declared="application/gzip"))
    assert [(member.name, member.size) for member in found.members] == [("notes.txt", 9)]
    assert open_member(packed, "application/gzip", "notes.txt").read() == b"just text"


def test_bombs_cost_no_more_than_their_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MOST_MEMBER_BYTES", 100_000)
    monkeypatch.setattr(archive, "MOST_BYTES", 200_000)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("bomb", bytes(1_000_000))
    found = read(made, Job("a.zip", declared=ZIP))
    assert found.members == ()
    assert "unpack to too much" in found.notes[0]
    with pytest.raises(Unreadable, match="more than"):
        open_member(io.BytesIO(gzip.compress(bytes(1_000_000))), "application/gzip", "x")
    many = tar("gz", **{f"{number}": bytes(50_000) for number in range(10)})
    with pytest.raises(Unreadable, match="unpacks to more"):
        read(many, Job("a.tgz", declared="application/gzip"))


def test_of_endless_members_some_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MOST_MEMBERS", 2)
    found = read(io.BytesIO(package({"a": "1", "b": "2", "c": "3"})), Job("a.zip", declared=ZIP))
    assert [member.name for member in found.members] == ["a", "b"]
    assert found.notes == ("only its first 2 files were taken",)


@pytest.mark.parametrize(("data", "kind"), [(b"PK\x03\x04", ZIP), (b"x" * 600, "application/x-tar")])
def test_what_is_broken_is_refused(data: bytes, kind: str) -> None:
    with pytest.raises(Unreadable):
        read(io.BytesIO(data), Job("a", declared=kind))


def test_members_that_unpack_to_too_much_together_are_not_all_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MOST_BYTES", 100_000)
    data = package({f"{number}.txt": " " * 40_000 for number in range(3)})
    found = read(io.BytesIO(data), Job("a.zip", declared=ZIP))
    assert [member.name for member in found.members] == ["0.txt", "1.txt"]
    assert found.notes == ("only its first 2 files were taken",)
