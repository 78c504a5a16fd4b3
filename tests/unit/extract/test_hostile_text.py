"""Whatever the bytes are, the readers of text give an Extract or say Unreadable."""

from __future__ import annotations

from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windrow.extract.readers import html, mail, markdown, plain, rtf, xml
from windrow.extract.reading_job import Job, Unreadable
from windrow.model.file_content import MEASURED_FACTS, STATED_FACTS, Extract

READERS = {"html": html, "mail": mail, "markdown": markdown, "plain": plain, "rtf": rtf, "xml": xml}
BEGINNINGS = {"rtf": b"{\\rtf1 ", "mail": b"From: a\nTo: b\n", "html": b"<html>", "xml": b"<?xml?>"}
PIECES = [
    *(
        b"<p>",
        b"</p>",
        b"<!--",
        b"-->",
        b"<script>",
        b"</script>",
        b"<![CDATA[",
        b"]]>",
        b"<a b='c",
        b"&#x41;",
        b"<nav>",
    ),
    *(b"<title>", b"<h1>", b"</h1>", b"<meta name=author content=x>", b"<!DOCTYPE a [", b"<?", b"/>"),
    *(b"---\n", b"+++\n", b"a: b\n", b"# ", b"```\n", b"[a](b)", b"**", b"=\n", b"| a |\n", b"> "),
    *(
        b"{",
        b"}",
        b"\\par ",
        b"\\u-10179 ",
        b"\\u",
        b"\\'e9",
        b"\\*",
        b"\\info",
        b"{\\title ",
        b"\\bin9999 ",
        b"\\uc9 ",
    ),
    *(b"{\\fonttbl", b"\\f1", b"\\fcharset128 ", b"{\\*\\ud", b"{\\creatim\\yr-1", b"\\generator "),
    *(
        b"Subject: =?utf-8?b?",
        b"?=",
        b"Content-Type: multipart/mixed; boundary=x\n",
        b"\n--x\n",
        b"\n--x--\n",
        b"\n\n",
    ),
    *(
        b"Content-Transfer-Encoding: base64\n",
        b"Content-Type: text/plain; charset=hz\n",
        b"Date: Thu, 1 Jan 1 0:0\n",
    ),
    *(b"\x1b$B", b"~{", b"\xff\xfe", b"\x00", b"\x80", b"\xe9", b"\f", b"\r\n", b"word "),
]


def check(name: str, data: bytes) -> None:
    try:
        found = READERS[name].read(BytesIO(data), Job(name=f"a.{name}"))
    except Unreadable:
        return
    assert isinstance(found, Extract)
    assert {key for key, _ in found.said} <= set(STATED_FACTS)
    assert {key for key, _ in found.measured} <= set(MEASURED_FACTS)
    assert all(value and len(value) <= 2000 for _, value in (*found.said, *found.measured))
    for text in (*found.text, *(value for _, value in found.said)):
        text.encode()  # no halves of characters
        assert "\0" not in text


@pytest.mark.parametrize("name", READERS)
@settings(deadline=None)  # the first of a kind waits for what reads it
@given(data=st.binary(max_size=500))
def test_any_bytes_are_read_or_refused(name: str, data: bytes) -> None:
    check(name, data)
    check(name, BEGINNINGS.get(name, b"") + data)


@pytest.mark.parametrize("name", READERS)
@settings(deadline=None)  # the first of a kind waits for what reads it
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=40))
def test_any_row_of_marks_is_read_or_refused(name: str, pieces: list[bytes]) -> None:
    check(name, BEGINNINGS.get(name, b"") + b"".join(pieces))
