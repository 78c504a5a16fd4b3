"""The documentation promises nothing that is not there, and speaks of the project alone."""

from __future__ import annotations

import re
from importlib.metadata import version

import pytest

from tests.docs.markdown import Page, page, pages

# What the design has and this version does not. Whoever names it must say "yet".
_MISSING = re.compile(r"\b(?i:dashboards?|postgres(?:ql)?)\b")
# A registry of packages is a machine; the modules of that name are not.
_MACHINE = re.compile(
    r"/work/|/tmp/|/root/|/home/\w|[A-Za-z]:\\\\|\bpypi\b|registry(?!\.(?:py|Reader)\b)", re.IGNORECASE
)


@pytest.mark.parametrize("page", pages(), ids=str)
def test_a_feature_that_is_missing_is_only_named_as_not_there_yet(page: Page) -> None:
    promised = [
        part
        for part in page.paragraphs()
        if _MISSING.search(re.sub(r"\(https?://[^)]*\)|`https?://[^`]*`", "", part)) and "yet" not in part
    ]
    assert not promised


@pytest.mark.parametrize("page", pages(), ids=str)
def test_no_page_names_a_machine_of_ours(page: Page) -> None:
    assert not _MACHINE.search(page.text)


@pytest.mark.parametrize("page", pages(), ids=str)
def test_every_page_begins_with_its_title_and_has_no_other_of_that_rank(page: Page) -> None:
    assert page.text.startswith("# ")
    assert len(re.findall(r"^# ", page.prose, re.MULTILINE)) == 1


def test_every_host_in_the_documentation_is_an_example_or_a_namespace() -> None:
    of_uris = ("docs/reference/formats.md", "docs/reference/sru.md")
    guides = [each for each in pages() if str(each) not in of_uris]
    hosts = {
        host for each in guides for host in re.findall(r"https?://(?:[^/\s@]*@)?([^/\s:\"'`)]+)", each.text)
    }
    allowed = re.compile(r"(.+\.)?example(\.org)?|127\.0\.0\.1|www\.openarchives\.org|www\.w3\.org|purl\.org")
    assert not [host for host in hosts if not allowed.fullmatch(host)]


def test_the_changelog_has_a_section_for_this_version() -> None:
    text = page("CHANGELOG.md").text
    assert re.search(r"^## \[?Unreleased\]?", text, re.MULTILINE)
    assert re.search(rf"^## \[?{re.escape(version('windrow'))}\]?", text, re.MULTILINE)
