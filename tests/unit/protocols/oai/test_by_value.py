"""Long base64 is left out before a page is checked, and nothing else is."""

from __future__ import annotations

import base64
import random

import pytest

from windrow.protocols.oai.well_formedness import LEAST_BYTES, examine, find_flaw, without_files

LONG = base64.b64encode(random.Random(1).randbytes(3 * LEAST_BYTES))


def test_a_long_run_of_base64_between_two_tags_is_cut_to_its_first_letters() -> None:
    page = b"<a><b>" + LONG + b"</b><c/><b>" + LONG + b"</b>tail</a>"
    assert without_files(page) == b"<a><b>%b</b><c/><b>%b</b>tail</a>" % (LONG[:4], LONG[:4])


@pytest.mark.parametrize("place", [0, 1, len(LONG) // 2, len(LONG) - 1])
@pytest.mark.parametrize("odd", sorted(set(range(256)) - set(LONG + b"=<>")))
def test_a_run_with_any_other_byte_in_it_stays(odd: int, place: int) -> None:
    page = b"<a>" + LONG[:place] + bytes([odd]) + LONG[place + 1 :] + b"</a>"
    assert without_files(page) == page


@pytest.mark.parametrize(
    "page",
    [
        b"<a b='>%b<'/>",  # in an attribute
        b"<a/>%b<b/>",  # behind the root
        b"<a><b>%b</c></a>",
        b"<a><b>%b</b>",
        b"<a>>%b<</a>",
        b"<a>%b\xff</a>",
        b"<a>&%b;</a>",
        b"<a>]]>%b<b/></a>",
        b"<!DOCTYPE a [<!ENTITY e '>%b<'>]><a/>",
        b"<a>%b",
        b"%b<a/>",
    ],
)
def test_a_page_that_is_not_well_formed_stays_so_with_its_own_flaw(page: bytes) -> None:
    body = page % LONG
    assert find_flaw(without_files(body)) is not None
    assert examine(body)[0] == find_flaw(body)


@pytest.mark.parametrize("page", [b"<a>%b</a>", b"<a><b>x</b>%b<c/></a>", b"<a><b>&gt;</b><c>%b</c></a>"])
def test_a_page_that_is_well_formed_stays_so(page: bytes) -> None:
    assert examine(page % LONG) == (None, True)


@pytest.mark.parametrize(
    "page", [b"<a><!-- >%b< --></a>", b"<a><![CDATA[ >%b< ]]></a>", b"<a><?b >%b< ?></a>"]
)
def test_a_page_with_more_than_tags_and_text_is_still_known_as_one(page: bytes) -> None:
    assert examine(page % LONG) == (None, False)
