"""The bench's repository: whoever harvests it whole must get exactly what the bench compares with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from bench import pages
from bench.contestants import difference
from lxml import etree

OAI = "{http://www.openarchives.org/OAI/2.0/}"
RECORDS = 57


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> pages.Site:
    return pages.write(tmp_path_factory.mktemp("site"), records=RECORDS, per_page=10)


def chain(site: pages.Site) -> Iterator[etree._Element]:
    """Follow the tokens from the first page, as a harvester does; never longer than there are pages."""
    token: str | None = pages.token(0)
    for _ in range(site.pages + 1):
        if not token:
            return
        root = etree.fromstring((site.folder / f"{token}.xml").read_bytes())
        yield root
        token = root.findtext(f"{OAI}ListRecords/{OAI}resumptionToken")


def test_tokens_chain_from_the_first_page_to_the_last(site: pages.Site) -> None:
    cursors = [
        element.get("cursor") for root in chain(site) for element in root.iter(f"{OAI}resumptionToken")
    ]
    assert cursors == ["0", "10", "20", "30", "40", "50"]


def test_following_the_tokens_gives_exactly_the_identifiers_promised(site: pages.Site) -> None:
    found = [
        header.findtext(f"{OAI}identifier") for root in chain(site) for header in root.iter(f"{OAI}header")
    ]
    assert found == list(site.identifiers())
    assert len(set(found)) == RECORDS


def test_every_answer_is_well_formed_and_is_oai_pmh(site: pages.Site) -> None:
    answers = sorted(path.name for path in site.folder.iterdir())
    assert len(answers) == site.pages + 4
    for name in answers:
        assert etree.fromstring((site.folder / name).read_bytes()).tag == f"{OAI}OAI-PMH", name


def test_the_same_site_is_written_byte_for_byte_again(site: pages.Site, tmp_path: Path) -> None:
    again = pages.write(tmp_path, records=RECORDS, per_page=10)
    assert again.page_bytes == site.page_bytes
    for path in site.folder.iterdir():
        assert (tmp_path / path.name).read_bytes() == path.read_bytes(), path.name


def test_a_record_is_the_same_whatever_the_page_size() -> None:
    small = pages.render_page(3, records=RECORDS, per_page=10)
    large = pages.render_page(0, records=RECORDS, per_page=RECORDS)
    assert pages.render_record(33).encode() in small
    assert pages.render_record(33).encode() in large


def test_records_have_about_two_kilobytes_and_two_or_three_declared_sets(site: pages.Site) -> None:
    declared = {
        spec.text
        for spec in etree.fromstring((site.folder / "ListSets.xml").read_bytes()).iter(f"{OAI}setSpec")
    }
    assert 1_800 < site.page_bytes / RECORDS < 2_600
    for header in (header for root in chain(site) for header in root.iter(f"{OAI}header")):
        specs = [spec.text for spec in header.iter(f"{OAI}setSpec")]
        assert len(specs) in {2, 3}
        assert declared.issuperset(specs)


def test_no_two_records_have_the_same_title(site: pages.Site) -> None:
    titles = [
        title.text for root in chain(site) for title in root.iter("{http://purl.org/dc/elements/1.1/}title")
    ]
    assert len(titles) == len(set(titles)) == RECORDS


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        ("abc", ""),
        ("cab", ""),
        ("ab", "LOST 1"),
        ("", "LOST 3"),
        ("abcb", "EXTRA 1"),
        ("abcx", "EXTRA 1"),
        ("ax", "LOST 2"),
    ],
)
def test_a_harvest_is_whole_only_with_every_record_once(found: str, verdict: str) -> None:
    assert difference("abc", found) == verdict
