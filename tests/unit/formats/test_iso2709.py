"""MARC in ISO 2709: as it comes inside a payload, and in files of library systems."""

from __future__ import annotations

import base64

import pytest

from tests.fixtures import shared
from windrow.formats.marc.iso2709 import read_record, records_of
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


@pytest.mark.parametrize(
    ("leader", "encoding"),
    [
        (b"00000nam  2200000 a 4500", "latin-1"),
        (b"00000nam a2200000 a 4500", "latin-1"),
        (b"00000nam  2200000 a 4500", "utf-8"),
        (b"00000nam a2200000 a 4500", "utf-8"),
    ],
)
def test_text_is_read_by_its_bytes_where_the_leader_is_wrong(leader: bytes, encoding: str) -> None:
    title = "Äitienpäivä på ön"
    found = read_record(record((b"245", b"00\x1fa" + title.encode(encoding)), leader=leader))
    assert found.title == title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (b"\x1b(NmE^TY\x1b(B moss", "Мечты moss"),
        (b"\x1b(2yle\x1b(B", "שלו"),
        (b"H\x1bb2\x1bsO, 10\x1bp6\x1bs, \x1bga\x1bs", "H₂O, 10⁶, α"),
        (b"\x1b$1!09!0k\x1b(B peat", "\ufffd peat"),
        (b"\x88The \x89bog", "The bog"),
    ],
)
def test_other_scripts_of_marc_8(text: bytes, title: str) -> None:
    data = record((b"245", b"00\x1fa" + text), leader=b"00000nam  2200000 a 4500")
    assert read_record(data).title == title


@pytest.mark.parametrize(
    "leader",
    [b"     nam a22     i 4500  ", b"xxxxxnam a2200000 a 4500", b"00000nam a2200000 a"],
)
def test_a_broken_leader_does_not_lose_a_record(leader: bytes) -> None:
    data = record(*FIELDS, leader=leader)
    assert [read_record(each).title for each in records_of(data * 2)] == ["Depths of bogs"] * 2


def test_a_record_in_an_envelope_that_nobody_knows_is_read() -> None:
    assert read(f"<mrc>{pictured(record(*FIELDS))}</mrc>".encode(), b"", "x").title == "Depths of bogs"


def test_a_damaged_record_gives_what_is_left_of_it() -> None:
    whole = record(*FIELDS)
    for end in range(24, len(whole), 7):
        assert isinstance(read_record(whole[:end]), Document)


def test_every_record_of_a_file_is_found() -> None:
    assert list(records_of(record(*FIELDS) * 3 + b"\n")) == [record(*FIELDS)[:-1]] * 3


def test_every_record_of_a_real_file_is_found() -> None:
    data = shared("records/LibreCat__Catmandu-MARC/camel.mrc").read_bytes()
    found = [read_record(each) for each in records_of(data)]
    assert len(found) == 10
    assert all(each.titles and each.year for each in found)
