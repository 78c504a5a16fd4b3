"""An answer begins as http.client reads it, whatever the server sends before the body."""

from __future__ import annotations

import io
from http.client import HTTPException, HTTPResponse

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.net.response import MAX_HEADERS, QuickResponse

LINES = [
    b"Content-Length: 5",
    b"content-length:0",
    b"Content-Length: -3",
    b"Content-Length: five",
    b"Transfer-Encoding: chunked",
    b"Transfer-Encoding: CHUNKED",
    b"Transfer-Encoding: gzip, chunked",
    b"Connection: close",
    b"Connection: Keep-Alive",
    b"Keep-Alive: timeout=5",
    b"Proxy-Connection: keep-alive",
    b"Set-Cookie: a=1",
    b"Set-Cookie: b=2; Path=/",
    b"X-Folded: one",
    b"\ttwo",
    b" three",
    b"no colon here",
    b"Odd name: x",
    b": no name",
    b"X-Latin: \xe5\xe4\xf6",
    b"X-Empty:",
]
STATUSES = [
    b"HTTP/1.1 200 OK",
    b"HTTP/1.0 200 OK",
    b"HTTP/1.1 204 No",
    b"HTTP/1.1 304",
    b"HTTP/1.1 404 Not Found",
]


class _Socket:
    def __init__(self, data: bytes) -> None:
        self._data = data

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(io.BytesIO(self._data))


def begun(kind: type[HTTPResponse], data: bytes, method: str = "GET") -> tuple[object, ...]:
    """What an answer looks like after its beginning, and what its body is then."""
    response = kind(_Socket(data), method=method)  # type: ignore[arg-type]
    response.begin()
    told = (response.status, response.reason, response.version, response.length, response.will_close)
    return *told, bool(response.chunked), response.headers.items(), response.headers.defects != []


@given(
    st.sampled_from(STATUSES),
    st.lists(st.sampled_from(LINES), max_size=6),
    st.sampled_from([b"\r\n", b"\n"]),
    st.sampled_from(["GET", "HEAD"]),
)
def test_status_and_headers_are_what_http_client_makes_of_them(
    status: bytes, lines: list[bytes], end: bytes, method: str
) -> None:
    data = end.join([status, *lines, b"", b"hello"])
    assert begun(QuickResponse, data, method) == begun(HTTPResponse, data, method)


def test_an_interim_answer_is_read_past() -> None:
    data = b"HTTP/1.1 100 Continue\r\nX-A: 1\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    assert begun(QuickResponse, data) == begun(HTTPResponse, data)


@pytest.mark.parametrize(
    "data",
    [
        b"HTTP/2.0 200 OK\r\n\r\n",
        b"SSH-2.0-OpenSSH\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"a" * 70_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X: a\r\n" * (MAX_HEADERS + 1) + b"\r\n",
    ],
    ids=["another protocol", "no protocol", "an endless line", "endless headers"],
)
def test_what_is_no_answer_is_refused_as_http_client_refuses_it(data: bytes) -> None:
    with pytest.raises(HTTPException) as expected:
        begun(HTTPResponse, data)
    with pytest.raises(type(expected.value)):
        begun(QuickResponse, data)


@pytest.mark.parametrize(
    "before", [[b"103 Early Hints\r\nLink: </a>"], [b"102 X", b"102 X", b"103 X\r\nA: b", b"100 X", b"199 X"]]
)
def test_all_interim_responses_are_read_past(before: list[bytes]) -> None:
    data = b"".join(b"HTTP/1.1 " + head + b"\r\n\r\n" for head in before)
    assert begun(QuickResponse, data + b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")[0] == 200


def test_a_switch_of_protocols_is_no_interim_response() -> None:
    switched = begun(QuickResponse, b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\n\r\nnoise")
    assert (switched[0], switched[4]) == (101, True), "the connection must not be used again"
