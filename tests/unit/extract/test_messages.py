"""What a child answers is held against the limits and looked at before it is believed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.extract.child_protocol import (
    ANSWER_LENGTHS,
    Answer,
    BadMessage,
    Errand,
    Received,
    What,
    answer_length,
    pack_answer,
    pack_errand,
    unpack_answer,
    unpack_errand,
)
from windrow.extract.reading_job import Job, Limits, Refusal
from windrow.model.file_content import Extract

ALL = Errand("all", Job("a.txt"), 7)
PICTURE = Errand("picture", Job("a.txt"), 7)


def framed(facts: bytes, text: bytes = b"", body: bytes = b"") -> bytes:
    return ANSWER_LENGTHS.pack(len(facts), len(text), len(body)) + facts + text + body


def sent(outcome: Answer | Refusal, errand: Errand = ALL) -> bytes:
    return b"".join(pack_answer(outcome, errand.number, is_last=False))


@pytest.mark.parametrize(
    "facts",
    [
        b"[]",
        b"{}",
        b"no json",
        b"[" * 100_000,
        b'{"number":7,"extract":null}',
        b'{"number":8,"extract":["text/plain",[],[],[],false,[],[],[]]}',
        b'{"number":7,"extract":["text/plain",[],[],[],false,[],[]]}',
        b'{"number":7,"extract":["text/plain",[],[],[7],false,[],[],[]]}',
        b'{"number":7,"extract":["text/plain",[],[],[-1,1],false,[],[],[]]}',
        b'{"number":7,"extract":["text/plain",[["title",1]],[],[],false,[],[],[]]}',
        b'{"number":7,"extract":["text/plain",["ab"],[],[],false,[],[],[]]}',
        b'{"number":7,"extract":["text/plain",[],[],[],0,[],[],[]]}',
        b'{"number":7,"extract":["text/plain",[],[],[],false,[["t",-1,null]],[],[]]}',
        b'{"number":7,"extract":["text/plain",[],[],[],false,[],[["n",true,null]],[]]}',
        b'{"number":7,"reason":1,"code":"crash"}',
    ],
)
def test_an_answer_that_makes_no_sense_is_refused(facts: bytes) -> None:
    with pytest.raises(BadMessage):
        unpack_answer(framed(facts), ALL)


@given(st.binary(max_size=200))
def test_whatever_comes_is_an_answer_or_refused(facts: bytes) -> None:
    with pytest.raises(BadMessage):
        unpack_answer(framed(facts), ALL)


@given(st.lists(st.text(max_size=20), max_size=5), st.binary(max_size=50))
def test_text_and_picture_come_through_with_nothing_lost_but_halves_of_pairs(
    pages: list[str], picture: bytes
) -> None:
    extract = Extract("text/plain", text=tuple(pages), said=tuple(("title", page) for page in pages))
    received = unpack_answer(sent(Answer(extract, picture)), ALL)
    clean = tuple(page.encode("utf-8", "replace").decode() for page in pages)
    expected = Extract("text/plain", text=clean, said=tuple(("title", page) for page in clean))
    assert received == Received(Answer(expected, picture), is_last=False)


def test_a_picture_is_no_answer_to_who_asked_for_all() -> None:
    with pytest.raises(BadMessage, match="nobody asked"):
        unpack_answer(sent(Answer(None, b"picture")), ALL)
    assert unpack_answer(sent(Answer(None, b"picture")), PICTURE).outcome == Answer(None, b"picture")


@pytest.mark.parametrize(
    ("what", "lengths", "is_allowed"),
    [
        ("all", (10, 40, 5), True),
        ("all", (11, 0, 0), False),
        ("all", (0, 41, 0), False),
        ("all", (0, 0, 6), False),
        ("picture", (0, 0, 6), False),
        ("member", (0, 0, 6), True),
        ("member", (0, 0, 8), False),
    ],
)
def test_lengths_over_a_limit_are_refused_before_anything_is_kept(
    what: What, lengths: tuple[int, int, int], is_allowed: bool
) -> None:
    limits = Limits(facts_bytes=10, text_characters=10, picture_bytes=5, member_bytes=7)
    ahead = ANSWER_LENGTHS.pack(*lengths)
    if is_allowed:
        assert answer_length(ahead, what, limits) == len(ahead) + sum(lengths)
    else:
        with pytest.raises(BadMessage, match="more than may be kept"):
            answer_length(ahead, what, limits)


def test_the_length_of_an_answer_is_unknown_until_all_of_its_lengths_have_come() -> None:
    assert answer_length(b"\xff" * 11, "all", Limits()) is None


def test_an_errand_comes_through_as_it_was() -> None:
    errand = Errand("member", Job("ä.zip", "text/plain", "a/b", 3, 160), 9)
    assert unpack_errand(pack_errand(errand)[4:]) == errand
