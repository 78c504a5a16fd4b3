"""The checks of the web site experiment: a file too few, a byte too old, and no time counts."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench import fetchers, website
from bench.fetchers import Fetcher, Truth
from bench.website_server import Traffic


def named(name: str) -> Fetcher:
    return next(fetcher for fetcher in fetchers.everybody() if fetcher.name == name)


@pytest.fixture
def truth(tmp_path: Path) -> Truth:
    for path, data in {"a.html": b"one", "b/c.txt": b"two"}.items():
        target = tmp_path / "site" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return Truth({"a.html": website.sha256(b"one"), "b/c.txt": website.sha256(b"two")}, {"b/c.txt"})


def test_a_copy_with_every_file_as_it_is_now_passes(tmp_path: Path, truth: Truth) -> None:
    assert named(fetchers.WGET).check(tmp_path, truth) == ""


def test_a_missing_and_an_outdated_file_are_both_lost(tmp_path: Path, truth: Truth) -> None:
    (tmp_path / "site/a.html").unlink()
    (tmp_path / "site/b/c.txt").write_bytes(b"old")
    assert named(fetchers.WGET).check(tmp_path, truth) == "LOST 2"


@pytest.mark.parametrize(
    ("listed", "fault"),
    [(["b/c.txt"], ""), ([], "LOST 1"), (["b/c.txt", "a.html"], "EXTRA 1")],
)
def test_a_list_of_identifiers_has_what_changed_and_nothing_else(
    tmp_path: Path, truth: Truth, listed: list[str], fault: str
) -> None:
    lines = "".join(f"{fetchers.identifier(path)}\n" for path in listed)
    (tmp_path / "identifiers").write_text(lines)
    assert named("ListIdentifiers").check(tmp_path, truth) == fault


def test_identifiers_are_addresses_with_odd_characters_quoted() -> None:
    assert fetchers.identifier("a b/ö.txt") == "http://www.bench.example/a%20b/%C3%B6.txt"


def test_traffic_is_counted_from_one_look_to_the_next() -> None:
    assert Traffic(12, 500).since(Traffic(10, 100)) == Traffic(2, 400)
