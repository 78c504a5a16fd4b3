from __future__ import annotations

import base64
import hashlib
import os
import threading
from collections.abc import Collection
from pathlib import Path

import pytest
from lxml import etree

from tests.unit.sources.files.planting import protect
from windrow.errors import StoreError
from windrow.sources.files import digital_items
from windrow.sources.files.digital_items import FileDeriver
from windrow.sources.files.published_folder import PublishedFolder, VisibilityRules

URL = "https://www.example.org/"
DIDL = {"didl": "urn:mpeg:mpeg21:2002:02-DIDL-NS"}
LONG_AGO = 1_500_000_000


def deriver(
    root: Path, *, by_value: int = 1000, guards: Collection[str] = (), skip: tuple[str, ...] = ()
) -> FileDeriver:
    folder = PublishedFolder("www", root, URL, VisibilityRules(skip), by_value)
    return FileDeriver(folder, find_guards=lambda _: guards)


def plant(root: Path, name: str, content: bytes) -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_bytes(content)
    os.utime(root / name, (LONG_AGO, LONG_AGO))


def content_of(rendered: bytes | None) -> bytes | None:
    assert rendered is not None
    found = etree.fromstring(rendered).find(".//didl:Resource[@encoding]", DIDL)
    return base64.b64decode(found.text or "") if found is not None else None


def digest_in(rendered: bytes | None) -> str:
    assert rendered is not None
    return etree.fromstring(rendered).findtext(".//{*}messageDigest") or ""


def test_a_file_comes_by_value_with_the_digest_of_its_bytes(tmp_path: Path) -> None:
    data = bytes(range(256))
    plant(tmp_path, "a/b c.bin", data)
    rendered = deriver(tmp_path).renderer().render(f"{URL}a/b%20c.bin", "oai_didl", {})
    assert content_of(rendered) == data
    assert digest_in(rendered) == hashlib.sha256(data).hexdigest()
    assert rendered is not None
    assert b"<http:Content-Length>256</" in rendered


@pytest.mark.parametrize("is_there", [True, False], ids=["empty", "missing"])
def test_where_the_whole_folder_is_lost_its_files_are_not_said_to_be_gone(
    tmp_path: Path, is_there: bool
) -> None:
    root = tmp_path / "site"
    plant(root, "a.txt", b"a")
    plant(root, "b.txt", b"b")
    renderer = deriver(root).renderer()
    (root / "a.txt").unlink()
    assert renderer.render(f"{URL}a.txt", "oai_didl", {}) is None
    root.rename(tmp_path / "away")
    if is_there:
        root.mkdir()
    with pytest.raises(StoreError, match="site"):
        deriver(root).renderer().render(f"{URL}b.txt", "oai_didl", {})


def test_a_larger_file_comes_by_reference_with_its_digest(tmp_path: Path) -> None:
    plant(tmp_path, "a.bin", b"x" * 1001)
    rendered = deriver(tmp_path).renderer().render(f"{URL}a.bin", "oai_didl", {})
    assert content_of(rendered) is None
    assert digest_in(rendered) == hashlib.sha256(b"x" * 1001).hexdigest()
    assert (
        content_of(deriver(tmp_path, by_value=1001).renderer().render(f"{URL}a.bin", "oai_didl", {}))
        == b"x" * 1001
    )


def test_a_very_large_file_goes_without_a_digest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(digital_items, "MAX_DIGESTED_BYTES", 2000)
    plant(tmp_path, "a.bin", b"x" * 2001)
    assert digest_in(deriver(tmp_path).renderer().render(f"{URL}a.bin", "oai_didl", {})) == ""


def test_a_digest_is_remembered_while_the_file_stays_and_not_longer(tmp_path: Path) -> None:
    plant(tmp_path, "a.bin", b"one")
    maker = deriver(tmp_path, by_value=0)
    first = digest_in(maker.renderer().render(f"{URL}a.bin", "oai_didl", {}))
    plant(tmp_path, "a.bin", b"two")  # the same size and time: nobody can tell
    assert digest_in(maker.renderer().render(f"{URL}a.bin", "oai_didl", {})) == first
    plant(tmp_path, "a.bin", b"three")
    assert (
        digest_in(maker.renderer().render(f"{URL}a.bin", "oai_didl", {}))
        == hashlib.sha256(b"three").hexdigest()
    )


def test_a_file_of_this_very_second_is_read_each_time(tmp_path: Path) -> None:
    maker = deriver(tmp_path, by_value=0)
    (tmp_path / "a.bin").write_bytes(b"one")
    times = (tmp_path / "a.bin").stat().st_mtime_ns + 3_600_000_000_000
    os.utime(tmp_path / "a.bin", ns=(times, times))
    maker.renderer().render(f"{URL}a.bin", "oai_didl", {})
    (tmp_path / "a.bin").write_bytes(b"two")
    os.utime(tmp_path / "a.bin", ns=(times, times))
    assert (
        digest_in(maker.renderer().render(f"{URL}a.bin", "oai_didl", {}))
        == hashlib.sha256(b"two").hexdigest()
    )


def test_digests_remembered_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(digital_items, "MAX_DIGESTS", 3)
    maker = deriver(tmp_path)
    for number in range(10):
        plant(tmp_path, f"{number}.bin", b"x")
        maker.renderer().render(f"{URL}{number}.bin", "oai_didl", {})
    assert len(maker._digests) == 3


def test_what_is_known_of_the_file_goes_along(tmp_path: Path) -> None:
    plant(tmp_path, "a.bin", b"x")
    stored = {
        "oai_dc": b"<dc>words</dc>",
        "http_header": b"<http:Content-Type>image/x-odd</http:Content-Type>",
    }
    rendered = deriver(tmp_path).renderer().render(f"{URL}a.bin", "oai_didl", stored)
    assert rendered is not None
    assert b"<dc>words</dc>" in rendered
    assert b'mimeType="image/x-odd"' in rendered


@pytest.mark.parametrize(
    "identifier",
    [
        f"{URL}missing.txt",
        f"{URL}.hidden",
        f"{URL}drafts/a.txt",
        f"{URL}run.php",
        f"{URL}../outside.txt",
        f"{URL}%2E%2E/outside.txt",
        f"{URL}drafts",
        "https://elsewhere.example/a.txt",
        "",
    ],
)
def test_what_the_folder_does_not_show_is_not_rendered(tmp_path: Path, identifier: str) -> None:
    root = tmp_path / "site"
    for name in (".hidden", "drafts/a.txt", "run.php", "../outside.txt"):
        plant(root, name, b"secret")
    assert deriver(root, skip=("drafts/",)).renderer().render(identifier, "oai_didl", {}) is None


def test_only_its_own_format_is_rendered(tmp_path: Path) -> None:
    plant(tmp_path, "a.bin", b"x")
    maker = deriver(tmp_path)
    assert maker.renderer().render(f"{URL}a.bin", "oai_dc", {}) is None
    assert list(maker.formats) == ["oai_didl"]


def test_a_file_protected_since_is_not_rendered_before_the_library_knows(tmp_path: Path) -> None:
    plant(tmp_path, "closed/a.txt", b"x")
    assert deriver(tmp_path).renderer().render(f"{URL}closed/a.txt", "oai_didl", {}) is not None
    protect(tmp_path / "closed", "Require valid-user\n")
    assert deriver(tmp_path).renderer().render(f"{URL}closed/a.txt", "oai_didl", {}) is None
    known = deriver(tmp_path, guards=("closed",))
    assert content_of(known.renderer().render(f"{URL}closed/a.txt", "oai_didl", {})) == b"x"
    assert not known.may_see("closed", None, None)
    assert not known.may_see("closed", "alice", "wrong")
    assert known.may_see("closed", "alice", "alice-secret")


def test_it_can_be_asked_by_many_at_once(tmp_path: Path) -> None:
    for number in range(20):
        plant(tmp_path, f"{number}.bin", str(number).encode())
    maker, seen = deriver(tmp_path), dict[int, bytes | None]()

    def ask(number: int) -> None:
        seen[number] = content_of(maker.renderer().render(f"{URL}{number % 20}.bin", "oai_didl", {}))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(60)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == {number: str(number % 20).encode() for number in range(60)}
