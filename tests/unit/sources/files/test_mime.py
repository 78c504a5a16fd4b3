from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.sources.files.media_types import (
    TYPES,
    UNKNOWN,
    guess_media_type,
    media_type_set,
    named_sets,
    parse_content_type,
    set_media_type,
)
from windrow.sources.files.published_folder import file_address, path_from_address

# The pattern that OAI-PMH.xsd has for setSpec.
SPEC = re.compile(r"([A-Za-z0-9\-_\.!~\*'\(\)])+(:[A-Za-z0-9\-_\.!~\*'\(\)]+)*")
URL = "https://www.example.org/~me/"


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("index.html", "text/html"),
        ("a.b/Photo.JPEG", "image/jpeg"),
        ("a/drawing.svg", "image/svg+xml"),
        ("archive.tar.gz", "application/gzip"),
        ("thesis.pdf", "application/pdf"),
        ("app.mjs", "text/javascript"),
        ("README", UNKNOWN),
        ("a.jpg/README", UNKNOWN),
        ("what.ever", UNKNOWN),
        ("dot.", UNKNOWN),
    ],
)
def test_the_last_ending_decides(path: str, found: str) -> None:
    assert guess_media_type(path) == found


def test_what_the_folder_declares_goes_before_the_name() -> None:
    assert guess_media_type("a.html", "Text/Plain; charset=utf-8") == "text/plain"
    assert guess_media_type("a.html", "nonsense") == UNKNOWN


def test_every_type_in_the_table_is_one() -> None:
    assert all(parse_content_type(found) == found for found in TYPES.values())
    assert all(ending == ending.lower() for ending in TYPES)


@pytest.mark.parametrize("text", ["", "a", "a/b/c", "a b/c", "../x", "a/\x1f", "a/" + "b" * 200, "é/b"])
def test_what_is_no_media_type_is_not_taken_for_one(text: str) -> None:
    assert parse_content_type(text) is None


@pytest.mark.parametrize("found", sorted({*TYPES.values(), "application/x!#$&^_.+-y"}))
def test_every_media_type_has_a_set_and_the_way_back_is_exact(found: str) -> None:
    assert SPEC.fullmatch(media_type_set(found))
    assert set_media_type(media_type_set(found)) == found


def test_sets_of_media_types_do_not_meet() -> None:
    assert len({media_type_set(found) for found in TYPES.values()}) == len(set(TYPES.values()))
    assert media_type_set("a/b+c") != media_type_set("a/b~2bc")


def test_sets_come_with_those_they_lie_in() -> None:
    assert named_sets(["mime:image:svg~2Bxml", "mime:image:png", "\x1fguard:x"]) == [
        ("mime", "Files by media type"),
        ("mime:image", "image"),
        ("mime:image:png", "image/png"),
        ("mime:image:svg~2Bxml", "image/svg+xml"),
    ]


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_a_path_has_one_address_and_the_way_back_is_exact(path: str) -> None:
    address = file_address(URL, path)
    assert address.isascii()
    assert not set(address) & set(' <>"{}|\\^`\n?#')
    assert path_from_address(URL, address) == path


@pytest.mark.parametrize(
    "address",
    [
        URL,
        "https://www.example.org/~you/a",
        f"{URL}%61",  # another spelling of a
        f"{URL}a b",
        f"{URL}%ff",
        f"{URL}%c3%b6",
        f"{URL}ö",
        f"{URL}a?b",
        "",
    ],
)
def test_what_no_file_can_be_called_has_no_path(address: str) -> None:
    assert path_from_address(URL, address) is None
