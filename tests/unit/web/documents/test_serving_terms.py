"""As what, and how, a browser gets a stranger's file."""

from __future__ import annotations

import re
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.web.documents.document_files import UNKNOWN, serving_terms

WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


@pytest.mark.parametrize(
    "kind", ["image/jpeg", "image/png", "audio/mpeg", "video/mp4", "application/pdf", "Image/JPEG; q=1"]
)
def test_what_cannot_run_script_is_shown_as_what_it_is(kind: str) -> None:
    terms = serving_terms(kind)
    assert terms.is_shown
    assert terms.content_type == kind.partition(";")[0].lower()


@pytest.mark.parametrize("kind", ["text/plain", "text/markdown", "text/csv"])
def test_plain_text_is_shown_as_plain_text(kind: str) -> None:
    assert serving_terms(kind, "iso-8859-1") == ("text/plain; charset=iso-8859-1", True)
    assert serving_terms(kind, 'x"; evil') == ("text/plain", True)


@pytest.mark.parametrize(
    "kind",
    [
        "text/html",
        "application/xhtml+xml",
        "image/svg+xml",
        "application/xml",
        "text/xml",
        "application/rss+xml",
        "text/javascript",
        "application/javascript",
        "application/x-shockwave-flash",
        "message/rfc822",
        "multipart/related",
        "text/css",
        "text/x-server-parsed-html",
    ],
)
def test_what_a_browser_would_open_as_a_page_is_only_saved(kind: str) -> None:
    assert serving_terms(kind) == (UNKNOWN, False)


@pytest.mark.parametrize("kind", [WORD, "application/epub+zip", "application/zip", "application/postscript"])
def test_other_documents_are_saved_as_what_they_are(kind: str) -> None:
    assert serving_terms(kind) == (kind, False)


@pytest.mark.parametrize("kind", ["", "pdf", "image/", "image/jpeg\r\nx: y", "a/b/c", "image/jp eg"])
def test_what_is_no_media_type_is_anything(kind: str) -> None:
    assert serving_terms(kind) == (UNKNOWN, False)


@pytest.mark.parametrize("kind", ["image/jpeg", "audio/mpeg", "text/html", "application/zip", "text/plain"])
def test_all_but_pdf_stands_in_a_sandbox_without_scripts(kind: str) -> None:
    policy = dict(serving_terms(kind).headers("x"))[b"content-security-policy"].decode()
    assert "default-src 'none'" in policy
    assert re.search(r"; sandbox( allow-same-origin)?$", policy)
    assert "script" not in policy


def test_a_pdf_may_load_nothing() -> None:
    policy = dict(serving_terms("application/pdf").headers("x"))[b"content-security-policy"]
    assert policy.startswith(b"default-src 'none'; object-src 'self';")
    assert b"script" not in policy


@given(st.text(max_size=60))
def test_a_name_never_breaks_out_of_its_header(name: str) -> None:
    header = dict(serving_terms("image/png").headers(name))[b"content-disposition"].decode("ascii")
    found = re.fullmatch(r"inline; filename=\"([^\"\\/\r\n]+)\"; filename\*=UTF-8''([!-~]+)", header)
    assert found is not None
    assert not re.search("[\u202a-\u202e\u2066-\u2069\r\n]", unquote(found[2]))


def test_a_name_is_given_in_plain_letters_and_as_it_is() -> None:
    header = dict(serving_terms("application/zip").headers('Höstens "hö".zip'))[b"content-disposition"]
    assert header == (
        b"attachment; filename=\"H_stens _h__.zip\"; filename*=UTF-8''H%C3%B6stens%20%22h%C3%B6%22.zip"
    )


def test_of_an_endless_name_the_end_stays() -> None:
    header = dict(serving_terms("application/zip").headers("x" * 5000 + ".zip"))[b"content-disposition"]
    assert len(header) < 500
    assert header.endswith(b".zip")
