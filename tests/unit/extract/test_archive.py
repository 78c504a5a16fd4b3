"""Archives: what is in them, opened within bounds."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.unit.extract.samples import package
from windrow.extract.child_protocol import Errand
from windrow.extract.file_reading import process_errand
from windrow.extract.readers import archive
from windrow.extract.readers.archive import open_member, read
from windrow.extract.reading_job import Job, Unreadable

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
    assert found.notes == ("3 left out: their names lead out of the archive, or are none",)
    assert open_member(io.BytesIO(data), "å.txt").read() == b"5"
    with pytest.raises(Unreadable):
        open_member(io.BytesIO(data), "../up")


@pytest.mark.parametrize("packing", TARS)
def test_tars_are_listed_and_opened_and_links_in_them_are_not(packing: str) -> None:
    packed = tar(packing, **{"a/one.txt": b"one", "../up": b"no"})
    found = read(packed, Job("a.tar", declared=TARS[packing]))
    assert [member.name for member in found.members] == ["a/one.txt"]
    assert open_member(packed, "a/one.txt").read() == b"one"
    with pytest.raises(Unreadable):
        open_member(packed, "link")


def test_one_packed_file_is_an_archive_of_one() -> None:
    packed = io.BytesIO(gzip.compress(b"just text"))
    found = read(packed, Job("notes.txt.gz", declared="application/gzip"))
    assert [(member.name, member.size) for member in found.members] == [("notes.txt", 9)]
    assert open_member(packed, "notes.txt").read() == b"just text"


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
        open_member(io.BytesIO(gzip.compress(bytes(1_000_000))), "x")
    many = tar("gz", **{f"{number}": bytes(50_000) for number in range(10)})
    with pytest.raises(Unreadable, match="unpacks to more"):
        read(many, Job("a.tgz", declared="application/gzip"))


def test_of_endless_members_some_are_taken_and_the_others_counted() -> None:
    data = package({"a": "1", "b": "2", "../up": "0", "c": "3", "d": "4"})
    found = read(io.BytesIO(data), Job("a.zip", declared=ZIP, most_members=2))
    assert [member.name for member in found.members] == ["a", "b"]
    assert found.measured == (("members", "2"), ("members-beyond-limit", "2"), ("members-left-out", "1"))
    assert found.notes == (
        "only its first 2 of 4 files were taken: 2 files, as documents.archive_members allows",
        "1 left out: their names lead out of the archive, or are none",
    )


@pytest.mark.parametrize("packing", TARS)
def test_a_tar_with_too_many_files_is_counted_to_its_end(packing: str) -> None:
    packed = tar(packing, **{f"{number}.txt": b"x" for number in range(7)})
    found = read(packed, Job("a.tar", declared=TARS[packing], most_members=3))
    assert dict(found.measured)["members-beyond-limit"] == "4"
    assert dict(found.measured)["members-left-out"] == "1"  # the link


def test_an_archive_too_large_to_be_counted_gives_its_first_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MOST_BYTES", 200_000)
    many_bytes = tar("gz", **{f"{number}": bytes(50_000) for number in range(10)})
    found = read(many_bytes, Job("a.tgz", declared="application/gzip", most_members=2))
    assert [member.name for member in found.members] == ["0", "1"]
    assert found.notes[0].startswith("only its first 2 of at least ")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_files_that_need_a_password_or_share_a_name_are_counted() -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as packed:
        for name in ("one.txt", "one.txt", "secret.txt"):
            packed.writestr(name, "x")
    data = bytearray(made.getvalue())
    entry = data.rindex(b"PK\x01\x02")
    data[entry + 8] |= 1  # encrypted, in the central directory
    found = read(io.BytesIO(bytes(data)), Job("a.zip", declared=ZIP))
    assert [member.name for member in found.members] == ["one.txt"]
    assert set(found.notes) == {
        "1 left out: they need a password, such as secret.txt",
        "1 left out: they have the name of another file before them, such as one.txt",
    }


@pytest.mark.parametrize(("data", "kind"), [(b"PK\x03\x04", ZIP), (b"x" * 600, "application/x-tar")])
def test_what_is_broken_is_refused(data: bytes, kind: str) -> None:
    with pytest.raises(Unreadable):
        read(io.BytesIO(data), Job("a", declared=kind))


def test_members_that_unpack_to_too_much_together_are_not_all_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MOST_BYTES", 100_000)
    data = package({f"{number}.txt": " " * 40_000 for number in range(3)})
    found = read(io.BytesIO(data), Job("a.zip", declared=ZIP))
    assert [member.name for member in found.members] == ["0.txt", "1.txt"]
    assert found.notes == ("only its first 2 of 3 files were taken: what may be unpacked of one archive",)
    assert dict(found.measured)["members-beyond-limit"] == "1"


def read_so_far() -> int:
    """How many bytes this thread has read, by the kernel's count."""
    line = Path("/proc/thread-self/io").read_text().splitlines()[0]
    return int(line.removeprefix("rchar: "))


def many(path: Path, number: int) -> list[str]:
    names = [f"folder/{each:05}.txt" for each in range(number)]
    files = {name: f"This is the text of {name}, as it was written." for name in names}
    if path.suffix == ".zip":
        path.write_bytes(package(files))
        return names
    with tarfile.open(path, f"w:{path.suffix[1:] if path.suffix != '.tar' else ''}") as packed:  # type: ignore[call-overload]
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(text)
            packed.addfile(info, io.BytesIO(text.encode()))
    return names


@pytest.mark.skipif(not Path("/proc/thread-self/io").exists(), reason="needs Linux's count of bytes read")
@pytest.mark.parametrize("name", ["a.zip", "a.tar", "a.gz"])
def test_the_members_of_an_archive_cost_one_pass_over_it(name: str, tmp_path: Path) -> None:
    path, other = tmp_path / name, tmp_path / f"other-{name}"

    def read(archive: Path, member: str) -> None:
        with archive.open("rb") as file:
            found = process_errand(Errand("all", Job(member.rpartition("/")[2], "", member)), file)
        assert found.extract is not None
        assert found.extract.text == (f"This is the text of {member}, as it was written.",)

    read(other, many(other, 3)[1])  # modules and the model of languages are read once a process
    members = many(path, 4_000)
    before = read_so_far()
    for member in members[::20]:
        read(path, member)
    assert read_so_far() - before < 20 * path.stat().st_size


def test_members_are_found_in_any_order_and_in_the_archive_as_it_is_now(tmp_path: Path) -> None:
    for name in ("a.zip", "b.tar", "c.gz"):
        members = many(tmp_path / name, 30)
        for member in (members[20], members[3], members[29], members[3]):
            with (tmp_path / name).open("rb") as file:
                assert member in open_member(file, member).read().decode()
    with (tmp_path / "b.tar").open("rb") as file, pytest.raises(Unreadable, match="not in its archive"):
        open_member(file, "no/such.txt")
    (tmp_path / "a.zip").write_bytes(package({"other.txt": "written since"}))
    with (tmp_path / "a.zip").open("rb") as file:
        assert open_member(file, "other.txt").read() == b"written since"


def test_a_broken_member_leaves_those_behind_it_readable(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    data = bytearray(package({"a.txt": "first " * 20, "b.txt": "second " * 20, "c.txt": "third " * 20}))
    at = data.index(b"b.txt") + len(b"b.txt")
    data[at : at + 4] = b"\xff\xff\xff\xff"
    path.write_bytes(data)
    for member, is_whole in (("a.txt", True), ("b.txt", False), ("c.txt", True), ("a.txt", True)):
        with path.open("rb") as file:
            if is_whole:
                assert open_member(file, member).read()
            else:
                with pytest.raises(Unreadable, match="cannot be unpacked"):
                    open_member(file, member)
