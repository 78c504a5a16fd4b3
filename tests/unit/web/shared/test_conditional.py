"""What a client has already is not made again."""

from __future__ import annotations

import pytest

from windrow.web.http.conditional import is_unchanged, not_modified, validator_headers, weak_etag
from windrow.web.http.http_request import Message, Request

TAG = b'W/"abc"'
MODIFIED = 784111777  # Sun, 06 Nov 1994 08:49:37 GMT


async def nothing() -> Message:
    return {"type": "http.disconnect"}


def asked(headers: dict[bytes, bytes], method: str = "GET") -> Request:
    return Request(method, "/", b"", headers, "", nothing)


def asks(name: str, value: bytes, *, method: str = "GET") -> bool:
    return is_unchanged(asked({name.encode(): value}, method), TAG, MODIFIED)


@pytest.mark.parametrize(
    "tags", [b'W/"abc"', b'"abc"', b"*", b" * ", b'"x", W/"abc"', b'W/"a,b" ,"abc"', b'"x","abc"']
)
def test_a_tag_that_the_client_has_is_compared_weakly_and_found_in_a_list(tags: bytes) -> None:
    assert asks("if-none-match", tags)


@pytest.mark.parametrize("tags", [b"", b'"ab"', b"abc", b'"x*"', b"W/abc", b'W/"ABC"', b'"*"', b'"x, abc"'])
def test_another_tag_is_another_answer(tags: bytes) -> None:
    assert not asks("if-none-match", tags)


def test_a_comma_inside_a_tag_does_not_part_it() -> None:
    assert is_unchanged(asked({b"if-none-match": b'"y", W/"x,abc"'}), b'W/"x,abc"', 0)


def test_an_endless_list_of_tags_is_not_searched() -> None:
    assert not asks("if-none-match", b'"x",' * 5000 + b'"abc"')


@pytest.mark.parametrize(
    "date",
    [
        b"Sun, 06 Nov 1994 08:49:37 GMT",
        b"Sun, 06 Nov 1994 08:49:38 GMT",
        b"Sunday, 06-Nov-94 08:49:37 GMT",
        b"Sun Nov  6 08:49:37 1994",
    ],
)
def test_what_has_not_changed_since_a_date_in_any_way_of_writing_it_is_unchanged(date: bytes) -> None:
    assert asks("if-modified-since", date)


@pytest.mark.parametrize(
    "date",
    [
        b"Sun, 06 Nov 1994 08:49:36 GMT",
        b"yesterday",
        b"",
        b"\xff\xfe",
        b"Sun, 99 Nov 1994 08:49:37 GMT",
        b"Sun, 06 Nov 99999999999999999 08:49:37 GMT",
        b"Mon, 01 Jan 2035 00:00:00 GMT" + b" " * 100,
    ],
)
def test_an_earlier_date_or_none_at_all_is_no_reason_to_be_silent(date: bytes) -> None:
    assert not asks("if-modified-since", date)


def test_where_both_are_given_the_tag_alone_counts() -> None:
    late = b"Fri, 01 Jan 2038 00:00:00 GMT"
    assert not is_unchanged(asked({b"if-none-match": b'"x"', b"if-modified-since": late}), TAG, MODIFIED)
    early = b"Thu, 01 Jan 1970 00:00:01 GMT"
    assert is_unchanged(asked({b"if-none-match": TAG, b"if-modified-since": early}), TAG, MODIFIED)


def test_head_may_be_answered_like_get_and_nothing_else() -> None:
    assert asks("if-none-match", TAG, method="HEAD")
    assert not asks("if-none-match", TAG, method="POST")


def test_without_conditions_there_is_something_to_tell() -> None:
    assert not is_unchanged(asked({}), TAG, MODIFIED)


def test_the_short_answer_has_the_validators_and_no_body() -> None:
    answer = not_modified(TAG, MODIFIED, (b"vary", b"cookie"))
    assert (answer.status, answer.body) == (304, b"")
    assert set(validator_headers(TAG, MODIFIED)) | {(b"vary", b"cookie")} <= set(answer.headers)
    assert (b"last-modified", b"Sun, 06 Nov 1994 08:49:37 GMT") in answer.headers


def test_a_tag_depends_on_every_part_and_on_where_each_ends() -> None:
    assert weak_etag(1, "en") == weak_etag(1, "en")
    assert len({weak_etag(1, "en"), weak_etag(2, "en"), weak_etag("1e", "n"), weak_etag(1, "sv")}) == 4
    assert weak_etag("\ud800").isascii()
