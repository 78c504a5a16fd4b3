"""MARC in ISO 2709: as it comes inside a payload, and in files of library systems."""

from __future__ import annotations

import base64

import pytest

from tests.fixtures import shared
from windrow.formats.iso2709 import read_record, records_of
from windrow.formats.registry import read
from windrow.model.document import Document

FIELDS = [(b"100", b"1 \x1faLind, Ada."), (b"245", b"10\x1faDepths of bogs /\x1fcAda Lind.")]


def record(*fields: tuple[bytes, bytes], leader: bytes = b"00000nam a2200000 a 4500") -> bytes:
    """Return a record whose directory has no lengths, as software that recodes text may leave it."""
    directory = b"".join(tag + b"000000000" for tag, _ in fields)
    return leader + directory + b"\x1e" + b"".join(body + b"\x1e" for _, body in fields) + b"\x1d"


def pictured(data: bytes) -> str:
    return data.decode().translate({0x1D: "\u241d", 0x1E: "\u241e", 0x1F: "\u241f"})


@pytest.mark.parametrize(
    "payload",
    [
        f"<iso2709>{base64.b64encode(record(*FIELDS)).decode()}</iso2709>",
        f"<iso2709>{pictured(record(*FIELDS))}</iso2709>",
        base64.b64encode(record(*FIELDS)).decode(),
        f"  {pictured(record(*FIELDS))}  ",
    ],
)
def test_a_record_inside_a_payload_is_read_as_marc(payload: str) -> None:
    found = read(payload.encode(), b"", "usmarc")
    assert found.title == "Depths of bogs"
    assert [agent.name for agent in found.creators] == ["Lind, Ada"]


@pytest.mark.parametrize("text", ["Moss", "bW9zcyBncm93cyBzbG93bHkgaW4gdGhlIGJvZw==", "00123 records"])
def test_other_text_stays_text(text: str) -> None:
    assert read(text.encode(), b"", "usmarc") == Document(extra={"text": (text,)})


def test_marks_of_marc_8_join_their_letters() -> None:
    data = record((b"245", b"00\x1faM\xe8osszeitung f\xe8ur \xb2st"), leader=b"00000nam  2200000 a 4500")
    assert read_record(data).title == "Mösszeitung für øst"


def test_a_damaged_record_gives_what_is_left_of_it() -> None:
    whole = record(*FIELDS)
    for end in range(24, len(whole), 7):
        assert isinstance(read_record(whole[:end]), Document)


def test_every_record_of_a_file_is_found() -> None:
    data = shared("records/LibreCat__Catmandu-MARC/camel.mrc").read_bytes()
    found = [read_record(each) for each in records_of(data)]
    assert len(found) == 10
    assert all(each.titles and each.year for each in found)
    assert list(records_of(record(*FIELDS) * 3 + b"\n")) == [record(*FIELDS)[:-1]] * 3
