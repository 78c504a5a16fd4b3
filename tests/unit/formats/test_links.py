from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.formats.mapping.link_kinds import make_link
from windrow.model.document import LinkKind


@pytest.mark.parametrize(
    "url",
    [
        "https://repo.example.org/handle/10024/354923",
        "http://eprints.example.org/14873/",
        "https://journal.example.org/index.php/j/article/view/12",
        "http://commons.example.edu/aerc/1997/papers/1",
        "http://cdm.example.org/cdm/ref/collection/p17/id/0",
        "http://arxiv.org/abs/0709.2184",
        "https://zenodo.org/record/12",
        "http://citations.example.org/viewdoc/summary?doi=10.1.1.101.3924",
        "http://www.example.pdf",
    ],
)
def test_a_page_about_a_thing_is_a_landing_page(url: str) -> None:
    link = make_link(url)
    assert link is not None
    assert (link.kind, link.url) == (LinkKind.LANDING, url)


@pytest.mark.parametrize(
    "url",
    [
        "https://repo.example.org/bitstream/handle/10024/1/x.pdf?sequence=1",
        "https://repo.example.org/bitstreams/7c/download",
        "http://eprints.example.org/44577/7/paper.pdf",
        "https://journal.example.org/index.php/j/article/view/12/34",
        "https://journal.example.org/index.php/j/article/download/12/34",
        "http://commons.example.edu/cgi/viewcontent.cgi?article=1928&context=aerc",
        "http://arxiv.org/pdf/0709.2184v2",
        "https://zenodo.org/record/12/files/data.csv",
        "https://hal.example.org/hal-00845819v1/document",
        "http://portal.example.org/smash/get/diva2:1/FULLTEXT01",
        "https://biblio.example.org/publication/5963889/file/5963914",
        "ftp://ftp.example.org/pub/report.ps",
    ],
)
def test_the_thing_itself_is_full_text(url: str) -> None:
    link = make_link(url)
    assert link is not None
    assert (link.kind, link.url) == (LinkKind.FULLTEXT, url)


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("http://cdm.example.org/utils/getthumbnail/collection/a/id/1", LinkKind.THUMBNAIL),
        ("https://repo.example.org/bitstream/1/2/4/x.pdf.jpg", LinkKind.THUMBNAIL),
        ("http://commons.example.edu/news/1132/thumbnail.jpg", LinkKind.THUMBNAIL),
        ("http://creativecommons.org/licenses/by/4.0/", LinkKind.LICENSE),
        ("https://rightsstatements.org/vocab/InC/1.0/", LinkKind.LICENSE),
        ("https://repo.example.org/bitstream/1/2/3/license.txt", LinkKind.LICENSE),
    ],
)
def test_thumbnails_and_licences_are_told_apart(url: str, kind: LinkKind) -> None:
    link = make_link(url)
    assert link is not None
    assert link.kind is kind


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("doi:10.1234/A.b", "https://doi.org/10.1234/A.b"),
        ("10.1234/a(1)b", "https://doi.org/10.1234/a(1)b"),
        ("http://dx.doi.org/10.1000%2F182", "https://doi.org/10.1000/182"),
        ("https://doi.org/10.1234/paper.pdf", "https://doi.org/10.1234/paper.pdf"),
        ("10.1234/<x>", "https://doi.org/10.1234/%3Cx%3E"),
        ("hdl:2200/20T", "https://hdl.handle.net/2200/20T"),
        ("http://hdl.handle.net/1/2", "https://hdl.handle.net/1/2"),
    ],
)
def test_a_doi_or_handle_becomes_the_address_of_its_page(text: str, url: str) -> None:
    link = make_link(text)
    assert link is not None
    assert (link.kind, link.url) == (LinkKind.LANDING, url)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "javascript:alert(1)",
        "JavaScript://example.org/%0aalert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "mailto:someone@example.org",
        "www.example.org",
        "https://",
        "http://example.org/ which see",
        'http://"onmouseover=x',
        "urn:nbn:se:liu-1",
        "http://example.org/" + "a" * 5000,
    ],
)
def test_what_is_no_web_address_is_no_link(text: str) -> None:
    assert make_link(text) is None


def test_what_would_break_out_of_an_attribute_is_encoded() -> None:
    link = make_link('http://example.org/"><script>')
    assert link is not None
    assert link.url == "http://example.org/%22%3E%3Cscript%3E"


def test_an_ampersand_escaped_once_too_often_is_one_again() -> None:
    link = make_link("http://commons.example.edu/cgi/viewcontent.cgi?article=1&amp;context=a")
    assert link is not None
    assert link.url.endswith("?article=1&context=a")


def test_spaces_in_the_name_of_a_file_are_encoded() -> None:
    link = make_link("https://repo.example.org/files/An analysis.pdf")
    assert link is not None
    assert link.url == "https://repo.example.org/files/An%20analysis.pdf"


def test_what_the_record_says_a_link_is_for_is_believed() -> None:
    link = make_link("https://example.org/a.pdf", hint=LinkKind.RELATED)
    assert link is not None
    assert link.kind is LinkKind.RELATED


def test_a_media_type_other_than_a_page_makes_it_full_text() -> None:
    file = make_link("https://example.org/12", media_type="application/pdf")
    page = make_link("https://example.org/12", media_type="text/html")
    assert file is not None
    assert page is not None
    assert (file.kind, page.kind) == (LinkKind.FULLTEXT, LinkKind.LANDING)


@given(
    st.text(),
    st.sampled_from(["", "http://", "https://a.example/", "ftp://b.example/", "doi:10.1234/", "hdl:1/"]),
)
def test_every_link_is_safe_to_print(text: str, start: str) -> None:
    link = make_link(start + text)
    assert link is None or re.fullmatch(r'(?i)(https?|ftp)://[^\s<>"\\]+', link.url)
